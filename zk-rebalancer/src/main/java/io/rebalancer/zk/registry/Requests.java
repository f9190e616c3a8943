package io.rebalancer.zk.registry;

import io.rebalancer.core.observe.Observation.Requested.Kind;
import io.rebalancer.zk.runtime.RegistryException;
import io.rebalancer.zk.runtime.Witness;
import java.util.concurrent.Callable;
import org.apache.zookeeper.KeeperException;

/**
 * Sends requests one at a time, and counts each one sent, failed ones and repeated ones too. As
 * zkclient's {@code retryUntilConnected}: after a connection loss or an expiry the same request is
 * sent again, whatever the lost one did.
 */
final class Requests {

  private final SessionWatch session;
  private final Witness witness;

  Requests(SessionWatch session, Witness witness) {
    this.session = session;
    this.witness = witness;
  }

  <T> T read(Callable<T> request) throws KeeperException {
    return send(Kind.READ, request);
  }

  <T> T write(Callable<T> request) throws KeeperException {
    return send(Kind.WRITE, request);
  }

  private <T> T send(Kind kind, Callable<T> request) throws KeeperException {
    while (true) {
      int connection = 0;
      try {
        connection = session.awaitConnected();
        witness.requested(kind);
        return request.call();
      } catch (KeeperException.ConnectionLossException
          | KeeperException.SessionExpiredException e) {
        session.onBroken(connection);
      } catch (KeeperException | RegistryException e) {
        throw e;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new RegistryException(witness.member() + ": interrupted", e);
      } catch (Exception e) {
        throw new RegistryException(witness.member() + ": " + e.getMessage(), e);
      }
    }
  }
}

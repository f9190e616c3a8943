package io.rebalancer.zk.registry;

import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.observe.Observation.Requested.Kind;
import io.rebalancer.core.observe.RebalanceObserver;
import io.rebalancer.core.time.Ticker;
import io.rebalancer.zk.runtime.RegistryException;
import java.util.concurrent.Callable;
import org.apache.zookeeper.KeeperException;

/**
 * Sends requests one at a time, and counts each one sent, failed ones and repeated ones too. As
 * zkclient's {@code retryUntilConnected}: after a connection loss or an expiry the same request is
 * sent again, whatever the lost one did.
 */
final class Requests {

  private final String member;
  private final SessionWatch session;
  private final RebalanceObserver observer;
  private final Ticker ticker;

  Requests(String member, SessionWatch session, RebalanceObserver observer, Ticker ticker) {
    this.member = member;
    this.session = session;
    this.observer = observer;
    this.ticker = ticker;
  }

  <T> T read(Callable<T> request) throws KeeperException {
    return send(Kind.READ, request);
  }

  <T> T write(Callable<T> request) throws KeeperException {
    return send(Kind.WRITE, request);
  }

  private <T> T send(Kind kind, Callable<T> request) throws KeeperException {
    while (true) {
      try {
        session.awaitConnected();
        observer.on(new Observation.Requested(ticker.nanos(), member, kind));
        return request.call();
      } catch (KeeperException.ConnectionLossException
          | KeeperException.SessionExpiredException e) {
        Thread.yield();
      } catch (KeeperException | RegistryException e) {
        throw e;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new RegistryException(member + ": interrupted", e);
      } catch (Exception e) {
        throw new RegistryException(member + ": " + e.getMessage(), e);
      }
    }
  }
}

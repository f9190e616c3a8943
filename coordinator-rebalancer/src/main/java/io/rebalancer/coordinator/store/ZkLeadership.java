package io.rebalancer.coordinator.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rebalancer.coordinator.runtime.Leadership;
import io.rebalancer.coordinator.runtime.Standing;
import io.rebalancer.core.model.GroupId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The slots. All of them are taken in one multi together with the registration of this coordinator,
 * so that of two who try at once one fails whole; the versions that the slots get thereby are the
 * epochs that fence every later write.
 */
final class ZkLeadership implements Leadership {

  private static final Logger LOG = LoggerFactory.getLogger(ZkLeadership.class);

  static final int NEVER = -1;

  private static final String FORMAT_1 = "{\"format\":1}";

  private final ZkSession session;
  private final int nodeId;
  private final String address;
  private volatile int[] epochs = new int[0];
  private volatile Standing held = Standing.RESIGNED;
  private volatile boolean connected = true;
  private volatile boolean lapsed;
  private volatile @Nullable Holder holder;

  ZkLeadership(ZkSession session, int nodeId, String address) {
    this.session = session;
    this.nodeId = nodeId;
    this.address = address;
  }

  @Override
  public Standing standing() {
    Standing now = held;
    if (now != Standing.SERVING) {
      return now;
    }
    if (session.isLeaseOver()) {
      lapsed = true;
      return Standing.LAPSED;
    }
    return connected ? Standing.SERVING : Standing.SUSPENDED;
  }

  /** Whether somebody was told LAPSED since the last call. */
  boolean hadLapsed() {
    boolean was = lapsed;
    lapsed = false;
    return was;
  }

  void connected(boolean now) {
    connected = now;
  }

  /** Who was in the way of the last {@link #take}; empty while this coordinator has the slots. */
  Optional<Holder> holder() {
    return Optional.ofNullable(holder);
  }

  /** After {@link #take} and the loading of the groups. */
  void serve() {
    held = Standing.SERVING;
  }

  /** Returns whether there was anything to resign. The slots' nodes stay as they are. */
  boolean resign() {
    boolean served = held != Standing.RESIGNED;
    held = Standing.RESIGNED;
    return served;
  }

  /** The first operation of every write on behalf of {@code group}, asked for in {@code epoch}. */
  CuratorOp check(GroupId group, int epoch) throws Exception {
    return session
        .ops()
        .transactionOp()
        .check()
        .withVersion(epoch)
        .forPath(CoordinatorPaths.slot(CoordinatorPaths.slotOf(group)));
  }

  /** Of the last taking of the group's slot, {@link #NEVER} before or after its release. */
  int epoch(GroupId group) {
    int[] now = epochs;
    return now.length == 0 ? NEVER : now[CoordinatorPaths.slotOf(group)];
  }

  /**
   * Whether what was asked for in {@code epoch} may still be done: not after the slot was lost, nor
   * when it was taken again since.
   */
  boolean isStill(GroupId group, int epoch) {
    return held != Standing.RESIGNED && epoch(group) == epoch;
  }

  /**
   * Takes every slot; from here on the standing is LOADING. Blocks for some round trips.
   *
   * @throws TakeoverException if another coordinator is registered
   * @throws KeeperException if ZooKeeper refuses for another reason
   */
  void take() throws Exception {
    makePaths();
    for (String other : registrations()) {
      ZkSession.Node node;
      try {
        node = join(session.read(CoordinatorPaths.COORDINATORS + "/" + other));
      } catch (KeeperException.NoNodeException e) {
        continue; // It has gone meanwhile.
      }
      if (node.stat().getEphemeralOwner() != session.id()) {
        String at = Payloads.addressOf(node.data());
        holder = Holder.registered(other, at);
        throw new TakeoverException("coordinator " + other + " at " + at + " holds the slots");
      }
      join(
          session.multi(
              List.of(
                  session
                      .ops()
                      .transactionOp()
                      .delete()
                      .forPath(CoordinatorPaths.coordinator(nodeId)))));
    }
    holder = null;
    int[] versions = slotVersions();
    List<CuratorOp> operations = new ArrayList<>();
    operations.add(
        session
            .ops()
            .transactionOp()
            .create()
            .withMode(CreateMode.EPHEMERAL)
            .forPath(CoordinatorPaths.coordinator(nodeId), Payloads.coordinator(address)));
    int[] taken = new int[versions.length];
    for (int slot = 0; slot < versions.length; slot++) {
      taken[slot] = versions[slot] + 1;
      operations.add(
          session
              .ops()
              .transactionOp()
              .setData()
              .withVersion(versions[slot])
              .forPath(CoordinatorPaths.slot(slot), Payloads.slot(taken[slot], nodeId, address)));
    }
    try {
      join(session.multi(operations));
    } catch (KeeperException.BadVersionException | KeeperException.NodeExistsException e) {
      throw new TakeoverException("another coordinator took the slots at this moment");
    }
    epochs = taken;
    held = Standing.LOADING;
    LOG.info("coordinator {} at {} holds {} slots", nodeId, address, taken.length);
  }

  /** Their parent may have been removed by hand; the slots, which hold the epochs, may not. */
  private List<String> registrations() throws Exception {
    try {
      return join(session.children(CoordinatorPaths.COORDINATORS));
    } catch (KeeperException.NoNodeException e) {
      LOG.warn("{} was removed: it is made again", CoordinatorPaths.COORDINATORS);
      join(
          session.multi(
              List.of(
                  session
                      .ops()
                      .transactionOp()
                      .create()
                      .forPath(CoordinatorPaths.COORDINATORS, FORMAT_1.getBytes(UTF_8)))));
      return List.of();
    }
  }

  private int[] slotVersions() throws Exception {
    List<CompletableFuture<ZkSession.Node>> reads = new ArrayList<>();
    for (int slot = 0; slot < CoordinatorPaths.SLOT_COUNT; slot++) {
      reads.add(session.read(CoordinatorPaths.slot(slot)));
    }
    int[] versions = new int[reads.size()];
    for (int slot = 0; slot < versions.length; slot++) {
      versions[slot] = join(reads.get(slot)).stat().getVersion();
    }
    return versions;
  }

  /** Made once and never deleted; of two who make them at once the second finds them. */
  private void makePaths() throws Exception {
    try {
      join(session.read(CoordinatorPaths.ROOT));
      return;
    } catch (KeeperException.NoNodeException e) {
      // The first start.
    }
    List<CuratorOp> operations = new ArrayList<>();
    for (String path :
        List.of(
            CoordinatorPaths.ROOT,
            CoordinatorPaths.SLOTS,
            CoordinatorPaths.COORDINATORS,
            CoordinatorPaths.GROUPS)) {
      operations.add(
          session.ops().transactionOp().create().forPath(path, FORMAT_1.getBytes(UTF_8)));
    }
    for (int slot = 0; slot < CoordinatorPaths.SLOT_COUNT; slot++) {
      operations.add(
          session
              .ops()
              .transactionOp()
              .create()
              .forPath(CoordinatorPaths.slot(slot), Payloads.freeSlot(0)));
    }
    try {
      join(session.multi(operations));
      LOG.info("first start: {} is made", CoordinatorPaths.ROOT);
    } catch (KeeperException.NodeExistsException e) {
      LOG.info("{} was made by another coordinator", CoordinatorPaths.ROOT);
    } catch (KeeperException.NoNodeException e) {
      throw new IOException("the chroot of the connect string does not exist", e);
    }
  }

  /** Gives every slot back, so that nobody has to wait for this session to end. */
  void release() throws Exception {
    resign();
    int[] mine = epochs;
    epochs = new int[0];
    if (mine.length == 0) {
      return;
    }
    List<CuratorOp> operations = new ArrayList<>();
    for (int slot = 0; slot < mine.length; slot++) {
      operations.add(
          session
              .ops()
              .transactionOp()
              .setData()
              .withVersion(mine[slot])
              .forPath(CoordinatorPaths.slot(slot), Payloads.freeSlot(mine[slot] + 1)));
    }
    operations.add(
        session.ops().transactionOp().delete().forPath(CoordinatorPaths.coordinator(nodeId)));
    join(session.multi(operations));
  }

  /** The registration's path: reading it renews the lease. */
  String registration() {
    return CoordinatorPaths.coordinator(nodeId);
  }

  static <T> T join(CompletableFuture<T> future) throws Exception {
    try {
      return future.orTimeout(30, TimeUnit.SECONDS).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }
}

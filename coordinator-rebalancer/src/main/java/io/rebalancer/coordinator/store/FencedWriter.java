package io.rebalancer.coordinator.store;

import io.rebalancer.coordinator.runtime.StoreException;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.time.Scheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.zookeeper.KeeperException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes znodes under the protection of a slot's epoch, one multi per group at a time. A lost
 * connection leaves the outcome unknown: then the nodes are read and compared, and the write is
 * repeated if it is not there, until it succeeds or the slot is lost; what was asked for before it
 * was lost is not done when it has been taken again.
 */
final class FencedWriter {

  private static final Logger LOG = LoggerFactory.getLogger(FencedWriter.class);
  private static final Duration RETRY_DELAY = Duration.ofMillis(200);

  /** A multi may carry 1 MB in all, and a path here has a few hundred bytes at most. */
  private static final int MAX_DELETES = 1_000;

  /** Above 1,048,487 bytes a znode can be written but never read back. */
  static final int MAX_NODE_BYTES = 1_000_000;

  /**
   * One node to have this content.
   *
   * @param parent whether its existence is enough
   */
  record Put(String path, byte[] data, boolean parent) {}

  private final ZkSession session;
  private final ZkLeadership leadership;
  private final Scheduler scheduler;
  private final Runnable fenced;
  private final Set<String> known = ConcurrentHashMap.newKeySet();
  private final Map<GroupId, CompletableFuture<Void>> tails = new ConcurrentHashMap<>();

  /** {@code fenced} is told when a write shows that the slots have another coordinator. */
  FencedWriter(ZkSession session, ZkLeadership leadership, Scheduler scheduler, Runnable fenced) {
    this.session = session;
    this.leadership = leadership;
    this.scheduler = scheduler;
    this.fenced = fenced;
  }

  void exists(String path) {
    known.add(path);
  }

  void forgetAll() {
    known.clear();
  }

  /** Parents first. All or nothing, after every earlier write of the same group. */
  CompletableFuture<Void> write(GroupId group, List<Put> puts) {
    for (Put put : puts) {
      if (put.data().length > MAX_NODE_BYTES) {
        return CompletableFuture.failedFuture(
            new StoreException(
                StoreException.Reason.TOO_LARGE,
                put.path() + ": " + put.data().length + " bytes (expected: <= 1000000)"));
      }
    }
    int epoch = leadership.epoch(group);
    return afterEarlier(group, result -> attempt(group, epoch, puts, result));
  }

  private CompletableFuture<Void> afterEarlier(
      GroupId group, Consumer<CompletableFuture<Void>> work) {
    CompletableFuture<Void> result = new CompletableFuture<>();
    tails.compute(
        group,
        (id, tail) -> {
          if (tail == null) {
            work.accept(result);
          } else {
            tail.whenComplete((done, failure) -> work.accept(result));
          }
          return result;
        });
    result.whenComplete((done, failure) -> tails.remove(group, result));
    return result;
  }

  /**
   * Removes these nodes with all that is below them, after every earlier write of the same group.
   * In one multi up to {@value #MAX_DELETES} nodes, else in several, lower nodes first.
   */
  CompletableFuture<Void> remove(GroupId group, List<String> roots) {
    int epoch = leadership.epoch(group);
    return roots.isEmpty()
        ? CompletableFuture.completedFuture(null)
        : afterEarlier(group, result -> removal(group, epoch, roots, result));
  }

  private void removal(
      GroupId group, int epoch, List<String> roots, CompletableFuture<Void> result) {
    if (!leadership.isStill(group, epoch)) {
      result.completeExceptionally(fencedOff(group));
      return;
    }
    tree(roots)
        .thenCompose(paths -> deleteAll(group, epoch, paths))
        .whenComplete(
            (done, failure) -> {
              if (failure == null) {
                result.complete(null);
              } else if (cause(failure) instanceof KeeperException.BadVersionException) {
                fencedOff(group, epoch, result);
              } else {
                LOG.info(
                    "group {}: a removal is tried again ({})", group, cause(failure).getMessage());
                scheduler.schedule(RETRY_DELAY, () -> removal(group, epoch, roots, result));
              }
            });
  }

  /** The nodes that are there, each after those below it. */
  private CompletableFuture<List<String>> tree(List<String> roots) {
    CompletableFuture<List<String>> all = CompletableFuture.completedFuture(new ArrayList<>());
    for (String root : roots) {
      all =
          all.thenCombine(
              subtree(root),
              (paths, more) -> {
                paths.addAll(more);
                return paths;
              });
    }
    return all;
  }

  private CompletableFuture<List<String>> subtree(String root) {
    return session
        .children(root)
        .thenCompose(names -> tree(names.stream().map(name -> root + "/" + name).toList()))
        .thenApply(
            paths -> {
              paths.add(root);
              return paths;
            })
        .exceptionally(
            failure -> {
              if (cause(failure) instanceof KeeperException.NoNodeException) {
                known.remove(root);
                return new ArrayList<>();
              }
              throw new CompletionException(cause(failure));
            });
  }

  private CompletableFuture<Void> deleteAll(GroupId group, int epoch, List<String> paths) {
    if (paths.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    List<String> next = paths.subList(0, Math.min(MAX_DELETES, paths.size()));
    List<CuratorOp> operations = new ArrayList<>();
    try {
      operations.add(leadership.check(group, epoch));
      for (String path : next) {
        operations.add(session.ops().transactionOp().delete().forPath(path));
      }
    } catch (Exception e) {
      return CompletableFuture.failedFuture(e);
    }
    return session
        .multi(operations)
        .thenCompose(
            done -> {
              next.forEach(known::remove);
              return deleteAll(group, epoch, paths.subList(next.size(), paths.size()));
            });
  }

  private void attempt(GroupId group, int epoch, List<Put> puts, CompletableFuture<Void> result) {
    if (!leadership.isStill(group, epoch)) {
      result.completeExceptionally(fencedOff(group));
      return;
    }
    List<CuratorOp> operations;
    try {
      operations = operations(group, epoch, puts);
    } catch (Exception e) {
      result.completeExceptionally(e);
      return;
    }
    session
        .multi(operations)
        .whenComplete(
            (done, failure) -> {
              if (failure == null) {
                puts.forEach(put -> known.add(put.path()));
                result.complete(null);
              } else {
                failed(group, epoch, puts, result, cause(failure));
              }
            });
  }

  private List<CuratorOp> operations(GroupId group, int epoch, List<Put> puts) throws Exception {
    List<CuratorOp> operations = new ArrayList<>();
    operations.add(leadership.check(group, epoch));
    for (Put put : puts) {
      boolean there = known.contains(put.path());
      if (!there) {
        operations.add(session.ops().transactionOp().create().forPath(put.path(), put.data()));
      } else if (!put.parent()) {
        operations.add(session.ops().transactionOp().setData().forPath(put.path(), put.data()));
      }
    }
    return operations;
  }

  private void failed(
      GroupId group, int epoch, List<Put> puts, CompletableFuture<Void> result, Throwable failure) {
    if (failure instanceof KeeperException.BadVersionException) {
      fencedOff(group, epoch, result); // Only the check of the slot names a version.
    } else if (failure instanceof KeeperException.NodeExistsException
        || failure instanceof KeeperException.NoNodeException) {
      compare(group, epoch, puts, result);
    } else {
      LOG.info("group {}: outcome of a write unknown ({})", group, failure.getMessage());
      scheduler.schedule(RETRY_DELAY, () -> compare(group, epoch, puts, result));
    }
  }

  /** Finds out what is there; done if it is what was to be written. */
  private void compare(GroupId group, int epoch, List<Put> puts, CompletableFuture<Void> result) {
    if (!leadership.isStill(group, epoch)) {
      result.completeExceptionally(fencedOff(group));
      return;
    }
    List<CompletableFuture<Boolean>> same = puts.stream().map(this::isThere).toList();
    CompletableFuture.allOf(same.toArray(CompletableFuture<?>[]::new))
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                scheduler.schedule(RETRY_DELAY, () -> compare(group, epoch, puts, result));
              } else if (same.stream().allMatch(CompletableFuture::join)) {
                result.complete(null);
              } else {
                attempt(group, epoch, puts, result);
              }
            });
  }

  private CompletableFuture<Boolean> isThere(Put put) {
    return session
        .read(put.path())
        .handle(
            (node, failure) -> {
              if (failure == null) {
                known.add(put.path());
                return put.parent() || Arrays.equals(node.data(), put.data());
              }
              if (cause(failure) instanceof KeeperException.NoNodeException) {
                known.remove(put.path());
                return false;
              }
              throw new CompletionException(cause(failure));
            });
  }

  private void fencedOff(GroupId group, int epoch, CompletableFuture<Void> result) {
    if (leadership.isStill(group, epoch)) {
      fenced.run();
    }
    result.completeExceptionally(fencedOff(group));
  }

  private static StoreException fencedOff(GroupId group) {
    return new StoreException(
        StoreException.Reason.FENCED, "the slot of group " + group + " is no longer ours");
  }

  private static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }
}

package io.rebalancer.examples;

import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.zk.ZkConsumer;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A worker of a pool that shares 12 shards over ZooKeeper, without kafka; start it as often as you
 * like: {@code ShardWorker HOST:PORT[/chroot] NAME}. It ends in good order on SIGTERM.
 */
public final class ShardWorker implements OwnershipListener {

  private Assignment mine = Assignment.empty();

  @Override
  public synchronized void onAssigned(Assignment shards) {
    mine = shards;
    System.out.println("assigned " + shards);
  }

  /** Waits for the items in hand; nobody else gets the shards before it returns. */
  @Override
  public synchronized void onRevoked(Assignment shards) {
    mine = Assignment.empty();
    System.out.println("revoked " + shards);
  }

  @Override
  public synchronized void onLost(Assignment shards) {
    mine = Assignment.empty();
    System.out.println("lost " + shards);
  }

  private synchronized void workOnAnItemOfEach(ZkConsumer consumer) {
    for (TopicPartition shard : mine.stream().toList()) {
      long item = consumer.committed(shard).join().orElse(0L);
      consumer.commit(Map.of(shard, item + 1)).join();
    }
  }

  public static void main(String[] args) throws InterruptedException {
    if (args.length != 2) {
      System.err.println("usage: ShardWorker HOST:PORT[/chroot] NAME");
      System.exit(2);
    }
    Map<String, String> properties =
        Map.of("zookeeper.connect", args[0], "group.id", "shards", "consumer.id", args[1]);
    ShardWorker worker = new ShardWorker();
    ZkConsumer consumer =
        ZkConsumer.with(properties)
            .listener(worker)
            .partitions(Map.of("shard", 12))
            .join(Map.of("shard", 1));
    Runtime.getRuntime().addShutdownHook(new Thread(consumer::close));
    while (true) {
      worker.workOnAnItemOfEach(consumer);
      TimeUnit.MILLISECONDS.sleep(500);
    }
  }
}

package io.rebalancer.it.peers;

import io.rebalancer.core.model.Subscription;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Original consumers in one JVM. Their attempts are read from their own log. */
final class CountedRealGroup implements CountedGroup {

  private final RealConsumers jvm;
  private final Subscription subscription;
  private final Map<String, Selection> selected = new HashMap<>();
  private int linesTaken;

  CountedRealGroup(RealConsumers jvm, Map<String, Integer> streams) {
    this.jvm = jvm;
    this.subscription = Subscription.copyOf(streams);
  }

  @Override
  public void join(String name) {
    jvm.join(name, subscription).awaitDone(name);
  }

  @Override
  public void coldStart(List<String> names) {
    Stagger stagger = new Stagger();
    for (String name : names) {
      stagger.awaitTurn();
      jvm.join(name, subscription);
    }
    names.forEach(jvm::awaitDone);
  }

  @Override
  public void leave(String name) {
    jvm.leave(name).awaitDone(name);
  }

  @Override
  public Counts.Attempts takeAttempts() {
    List<String> log = jvm.log();
    int begun = 0;
    int failed = 0;
    int redundant = 0;
    for (String line : log.subList(linesTaken, log.size())) {
      Optional<Selection> selection = Selection.parse(line);
      if (line.contains("ZK expired; release old broker parition ownership")) {
        selected.remove(line.substring(line.lastIndexOf(' ') + 1));
      } else if (line.contains("ZKConsumerConnector shutting down")) {
        selected.remove(line.substring(line.indexOf('[') + 1, line.indexOf(']')));
      } else if (line.contains("begin rebalancing consumer")) {
        begun++;
      } else if (line.contains("Rebalancing attempt failed")) {
        failed++;
      } else if (line.contains("no brokers found when trying to rebalance")) {
        redundant++; // A success that releases and claims nothing.
      } else if (selection.isPresent() && isAsBefore(selection.get())) {
        redundant++;
      }
    }
    linesTaken = log.size();
    return new Counts.Attempts(begun, failed, redundant);
  }

  private boolean isAsBefore(Selection selection) {
    return selection.equals(selected.put(selection.consumer(), selection));
  }

  @Override
  public void close() {
    jvm.close();
  }
}

package io.rebalancer.bench;

import io.rebalancer.core.assignor.member.GroupInput;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * One assignment of one group by one assignor; each combination in a JVM of its own. Every call is
 * timed, so that the median can be told: it does not move when something else takes the processor.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class AssignorBenchmark {

  @Param("STICKY")
  Row row = Row.STICKY;

  @Param("1000")
  int partitions;

  @Param("100")
  int members;

  @Param("IDENTICAL")
  Subscriptions subscriptions = Subscriptions.IDENTICAL;

  @Param("FRESH")
  Change change = Change.FRESH;

  private Supplier<Object> operation = () -> "not set up";

  /** Also assigns once, to see that it ends in time. */
  @Setup(Level.Trial)
  public void build() {
    GroupInput group = Groups.of(partitions, members, subscriptions);
    Limit limit = Limit.ofThisJvm();
    operation = limit.within(() -> row.operation(group, change));
    limit.first(operation);
  }

  @Benchmark
  public Object assign() {
    return operation.get();
  }
}

package io.rebalancer.it.differential;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/** All scripts, and what they are answered by a coordinator. */
final class Scripts {

  private static final int LANES = 4;

  private Scripts() {}

  /** Of those {@link GatheringScripts} that need another initial delay are none. */
  static List<Script> all() {
    List<Script> scripts = new ArrayList<>();
    scripts.addAll(MemberScripts.all());
    scripts.addAll(StaticScripts.all());
    scripts.addAll(OffsetScripts.all());
    scripts.addAll(TopicIdScripts.all());
    scripts.addAll(AdminScripts.all());
    scripts.addAll(ClusterScripts.all());
    scripts.addAll(TimerScripts.all());
    Set<String> names = new HashSet<>();
    GatheringScripts.all().forEach(script -> names.add(script.name()));
    for (Script script : scripts) {
      if (!names.add(script.name())) {
        throw new IllegalStateException("two scripts are called " + script.name());
      }
    }
    return scripts;
  }

  /** The transcript of each by its name; some are run at a time, for they mostly wait. */
  static Map<String, List<String>> run(Target target, List<Script> scripts) {
    List<Barrier> barriers = new ArrayList<>();
    IntStream.range(0, LANES).forEach(lane -> barriers.add(new Barrier(target)));
    Map<String, List<String>> transcripts = new ConcurrentHashMap<>();
    ExecutorService lanes = Executors.newFixedThreadPool(LANES);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int lane = 0; lane < LANES; lane++) {
        int first = lane;
        running.add(
            lanes.submit(
                () -> {
                  for (int i = first; i < scripts.size(); i += LANES) {
                    transcripts.put(
                        scripts.get(i).name(), run(target, barriers.get(first), scripts.get(i), i));
                  }
                }));
      }
      for (Future<?> each : running) {
        each.get();
      }
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException(e);
    } finally {
      lanes.shutdownNow();
      barriers.forEach(Barrier::close);
    }
    return transcripts;
  }

  private static List<String> run(Target target, Barrier barrier, Script script, int number) {
    try (Dialog dialog = new Dialog(target, barrier, String.format("d%05d", number))) {
      try {
        script.steps().run(dialog);
      } catch (Exception | AssertionError e) {
        dialog.note("broken off: " + e);
      }
      return dialog.transcript();
    }
  }
}

package io.rebalancer.it.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.apache.kafka.common.message.ConsumerGroupDescribeRequestData;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestPartition;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/** Groups as their administrators see them. */
final class AdminScripts {

  private static final List<State> ALL = List.of(State.values());
  private static final List<State> FEW =
      List.of(State.ABSENT, State.EMPTY, State.STABLE, State.PREPARING);

  private AdminScripts() {}

  static List<Script> all() {
    List<Script> scripts = new ArrayList<>();
    scripts.addAll(Probe.in(ALL, lists(5).subList(0, 1)));
    for (int version = 0; version <= 5; version++) {
      List<Probe> lists = lists(version);
      scripts.addAll(
          Probe.in(version == 5 ? List.of(State.STABLE, State.EMPTY) : FEW, lists).stream()
              .filter(each -> scripts.stream().noneMatch(s -> s.name().equals(each.name())))
              .toList());
    }
    scripts.addAll(Probe.in(ALL, describes(6).subList(0, 1)));
    scripts.addAll(Probe.in(List.of(State.STABLE), describes(6).subList(1, 5)));
    for (int version = 0; version < 6; version++) {
      scripts.addAll(Probe.in(FEW, describes(version).subList(0, 1)));
      scripts.addAll(Probe.in(List.of(State.STABLE), describes(version).subList(1, 3)));
    }
    for (int version = 0; version < 2; version++) {
      scripts.addAll(Probe.in(FEW, modernDescribes(version)));
    }
    scripts.addAll(Probe.in(ALL, deletes(3).subList(0, 1)));
    scripts.addAll(Probe.in(List.of(State.STABLE, State.EMPTY), deletes(3).subList(1, 5)));
    for (int version = 0; version < 3; version++) {
      scripts.addAll(Probe.in(FEW, deletes(version).subList(0, 2)));
    }
    scripts.addAll(Probe.in(ALL, offsetDeletes().subList(0, 1)));
    scripts.addAll(Probe.in(FEW, offsetDeletes().subList(1, offsetDeletes().size())));
    afterwards(scripts);
    otherTypes(scripts);
    oddIds(scripts);
    return scripts;
  }

  private static Probe probe(
      String name, ApiKeys key, int version, Function<Dialog, ApiMessage> body) {
    return new Probe(name, key, version, "probe", false, body);
  }

  private static List<Probe> lists(int version) {
    List<Probe> probes = new ArrayList<>();
    probes.add(list(version, "all", List.of(), List.of()));
    if (version >= 4) {
      probes.add(list(version, "Stable ones", List.of("Stable"), List.of()));
      probes.add(list(version, "sTABLE and empty ones", List.of("sTABLE", "empty"), List.of()));
      probes.add(list(version, "an unknown state", List.of("Sleeping"), List.of()));
      probes.add(list(version, "an empty state", List.of(""), List.of()));
    }
    if (version >= 5) {
      probes.add(list(version, "classic ones", List.of(), List.of("classic")));
      probes.add(
          list(version, "CLASSIC and consumer ones", List.of(), List.of("CLASSIC", "consumer")));
      probes.add(list(version, "consumer ones", List.of(), List.of("Consumer")));
      probes.add(list(version, "an unknown type", List.of(), List.of("odd")));
      probes.add(list(version, "Stable share ones", List.of("Stable"), List.of("share")));
    }
    return probes;
  }

  private static Probe list(int version, String name, List<String> states, List<String> types) {
    return probe(
        name,
        ApiKeys.LIST_GROUPS,
        version,
        dialog -> new ListGroupsRequestData().setStatesFilter(states).setTypesFilter(types));
  }

  private static List<Probe> describes(int version) {
    return List.of(
        describe(version, "it", dialog -> List.of(dialog.group())),
        describe(
            version,
            "it twice and an absent one",
            dialog -> List.of(dialog.group(), "absent", dialog.group())),
        describe(version, "none", dialog -> List.of()),
        describe(version, "an empty id", dialog -> List.of("", dialog.group())),
        probe(
            "authorized operations too",
            ApiKeys.DESCRIBE_GROUPS,
            version,
            dialog ->
                new DescribeGroupsRequestData()
                    .setGroups(List.of(dialog.group()))
                    .setIncludeAuthorizedOperations(version >= 3)));
  }

  private static Probe describe(int version, String name, Function<Dialog, List<String>> groups) {
    return probe(
        name,
        ApiKeys.DESCRIBE_GROUPS,
        version,
        dialog -> new DescribeGroupsRequestData().setGroups(groups.apply(dialog)));
  }

  private static List<Probe> modernDescribes(int version) {
    return List.of(
        probe(
            "it",
            ApiKeys.CONSUMER_GROUP_DESCRIBE,
            version,
            dialog -> new ConsumerGroupDescribeRequestData().setGroupIds(List.of(dialog.group()))),
        probe(
            "an empty id and it",
            ApiKeys.CONSUMER_GROUP_DESCRIBE,
            version,
            dialog ->
                new ConsumerGroupDescribeRequestData().setGroupIds(List.of("", dialog.group()))),
        probe(
            "none",
            ApiKeys.CONSUMER_GROUP_DESCRIBE,
            version,
            dialog -> new ConsumerGroupDescribeRequestData()));
  }

  private static List<Probe> deletes(int version) {
    return List.of(
        delete(version, "it", dialog -> List.of(dialog.group())),
        delete(version, "an absent one and it", dialog -> List.of("absent", dialog.group())),
        delete(version, "none", dialog -> List.of()),
        delete(version, "an empty id and it", dialog -> List.of("", dialog.group())),
        delete(version, "it twice", dialog -> List.of(dialog.group(), dialog.group())));
  }

  private static Probe delete(int version, String name, Function<Dialog, List<String>> groups) {
    return probe(
        name,
        ApiKeys.DELETE_GROUPS,
        version,
        dialog -> new DeleteGroupsRequestData().setGroupsNames(groups.apply(dialog)));
  }

  private static List<Probe> offsetDeletes() {
    return List.of(
        offsetDelete("its topic", (dialog, delete) -> add(delete, Target.TOPIC, 0, 1)),
        offsetDelete("another topic", (dialog, delete) -> add(delete, "u", 0)),
        offsetDelete(
            "both topics",
            (dialog, delete) -> {
              add(delete, Target.TOPIC, 0);
              add(delete, "u", 0);
            }),
        offsetDelete(
            "partitions -1 and beyond the last",
            (dialog, delete) -> add(delete, Target.TOPIC, -1, 0, 2)),
        offsetDelete("no topics", (dialog, delete) -> {}),
        offsetDelete("no partitions", (dialog, delete) -> add(delete, Target.TOPIC)),
        offsetDelete(
            "no group id",
            (dialog, delete) -> {
              delete.setGroupId("");
              add(delete, Target.TOPIC, 0);
            }));
  }

  private static Probe offsetDelete(
      String name, BiConsumer<Dialog, OffsetDeleteRequestData> change) {
    return probe(
        name,
        ApiKeys.OFFSET_DELETE,
        0,
        dialog -> {
          OffsetDeleteRequestData delete = new OffsetDeleteRequestData().setGroupId(dialog.group());
          change.accept(dialog, delete);
          return delete;
        });
  }

  private static void add(OffsetDeleteRequestData delete, String topic, int... partitions) {
    List<OffsetDeleteRequestPartition> parts = new ArrayList<>();
    for (int partition : partitions) {
      parts.add(new OffsetDeleteRequestPartition().setPartitionIndex(partition));
    }
    delete.topics().add(new OffsetDeleteRequestTopic().setName(topic).setPartitions(parts));
  }

  private static void commit(Dialog dialog) throws Exception {
    dialog.ask(
        "admin",
        ApiKeys.OFFSET_COMMIT,
        9,
        new OffsetCommitRequestData()
            .setGroupId(dialog.group())
            .setTopics(
                List.of(
                    OffsetScripts.topic(
                        Target.TOPIC, OffsetScripts.part(0, 42), OffsetScripts.part(1, 43)))));
  }

  private static void positions(Dialog dialog) throws Exception {
    dialog.ask(
        "probe",
        ApiKeys.OFFSET_FETCH,
        9,
        new OffsetFetchRequestData()
            .setGroups(
                List.of(new OffsetFetchRequestGroup().setGroupId(dialog.group()).setTopics(null))));
  }

  /** What is seen of a group of positions alone, and what is left of it. */
  private static void afterwards(List<Script> scripts) {
    List<Probe> probes =
        List.of(
            lists(5).get(0),
            lists(5).get(1),
            lists(5).get(5),
            describes(6).get(0),
            describes(5).get(0),
            modernDescribes(1).get(0),
            deletes(3).get(0),
            offsetDeletes().get(0),
            offsetDeletes().get(2),
            offsetDeletes().get(3));
    for (Probe probe : probes) {
      scripts.add(
          new Script(
              probe.key().name + " v" + probe.version() + ", positions: " + probe.name(),
              dialog -> {
                dialog.quietly(AdminScripts::commit);
                dialog.ask("probe", probe.key(), probe.version(), probe.body().apply(dialog));
                positions(dialog);
                dialog.ask(
                    "probe", ApiKeys.DESCRIBE_GROUPS, 6, describes(6).get(0).body().apply(dialog));
                dialog.finish();
              }));
    }
  }

  /** Of another protocol type than consumers. */
  private static void otherTypes(List<Script> scripts) {
    List<Probe> probes =
        List.of(
            lists(5).get(0),
            describes(6).get(0),
            deletes(3).get(0),
            offsetDeletes().get(0),
            modernDescribes(1).get(0));
    for (Probe probe : probes) {
      scripts.add(
          new Script(
              probe.key().name + " v" + probe.version() + ", Stable, connect: " + probe.name(),
              dialog -> {
                dialog.quietly(
                    d -> {
                      d.enter("a", join -> join.setProtocolType("connect"));
                      d.answer("a");
                      d.sync("a", true);
                      d.answer("a");
                    });
                dialog.ask("probe", probe.key(), probe.version(), probe.body().apply(dialog));
                dialog.finish();
              }));
    }
  }

  /** Ids that cannot be part of a path, or only just; the latter are other groups for each API. */
  private static void oddIds(List<Script> scripts) {
    List<String> ids = List.of("", " ", "a b", "a/b", "/", ".", "..", "é", "a\u0000b");
    for (String id : ids) {
      odd(scripts, "'" + id.replace("\u0000", "NUL") + "'", key -> id);
    }
    odd(scripts, "of 249 letters", key -> key.name().charAt(0) + "x".repeat(248));
    odd(scripts, "'A-1_2.3'", key -> "A-1_2.3" + key.name());
  }

  private static void odd(List<Script> scripts, String shown, Function<ApiKeys, String> id) {
    odd(
        scripts,
        shown,
        ApiKeys.JOIN_GROUP,
        9,
        d -> d.join("x").setGroupId(id.apply(ApiKeys.JOIN_GROUP)));
    odd(
        scripts,
        shown,
        ApiKeys.SYNC_GROUP,
        5,
        d -> d.sync("x").setGroupId(id.apply(ApiKeys.SYNC_GROUP)));
    odd(
        scripts,
        shown,
        ApiKeys.HEARTBEAT,
        4,
        d -> d.heartbeat("x").setGroupId(id.apply(ApiKeys.HEARTBEAT)));
    odd(
        scripts,
        shown,
        ApiKeys.DESCRIBE_GROUPS,
        5,
        d -> new DescribeGroupsRequestData().setGroups(List.of(id.apply(ApiKeys.DESCRIBE_GROUPS))));
    odd(
        scripts,
        shown,
        ApiKeys.DELETE_GROUPS,
        3,
        d ->
            new DeleteGroupsRequestData().setGroupsNames(List.of(id.apply(ApiKeys.DELETE_GROUPS))));
    odd(
        scripts,
        shown,
        ApiKeys.OFFSET_DELETE,
        0,
        d -> {
          OffsetDeleteRequestData delete =
              new OffsetDeleteRequestData().setGroupId(id.apply(ApiKeys.OFFSET_DELETE));
          add(delete, Target.TOPIC, 0);
          return delete;
        });
  }

  private static void odd(
      List<Script> scripts,
      String id,
      ApiKeys key,
      int version,
      Function<Dialog, ApiMessage> body) {
    scripts.add(
        new Script(
            key.name + " v" + version + ", group " + id,
            dialog -> dialog.ask("probe", key, version, body.apply(dialog))));
  }
}

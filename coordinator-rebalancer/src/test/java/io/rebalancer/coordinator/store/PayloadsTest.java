package io.rebalancer.coordinator.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rebalancer.coordinator.group.ClientInfo;
import io.rebalancer.coordinator.group.CommittedOffset;
import io.rebalancer.coordinator.group.HardState;
import io.rebalancer.coordinator.group.Member;
import io.rebalancer.coordinator.group.Opaque;
import io.rebalancer.coordinator.group.Protocol;
import io.rebalancer.coordinator.group.Share;
import io.rebalancer.coordinator.group.Shares;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.znode.BadPayloadException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PayloadsTest {

  private static final MemberId ID = new MemberId("c1-1");
  private static final Member MEMBER =
      new Member(
          ID,
          "i1",
          new ClientInfo("c1", "/127.0.0.1", "apache-kafka-java"),
          10_000,
          60_000,
          List.of(new Protocol("range", bytes("sub"))),
          Set.of("t"),
          bytes("part"));
  private static final HardState STATE =
      new HardState(7, "consumer", "range", "c1-1", Map.of(ID, MEMBER));

  private static Opaque bytes(String text) {
    return Opaque.copyOf(text.getBytes(UTF_8));
  }

  @Test
  void aGroupIsOneReadableObjectThatStartsWithItsFormat() {
    assertThat(new String(Payloads.group(3, "3-9", STATE, 1_700), UTF_8))
        .matches("\\{\"format\":1,\"checksum\":\"[0-9a-f]+\",\"slotEpoch\":3,.*")
        .endsWith(
            "\"slotEpoch\":3,\"writeId\":\"3-9\",\"generation\":7,\"timestamp\":1700,\"protocolType\":\"consumer\","
                + "\"protocol\":\"range\",\"leader\":\"c1-1\",\"members\":[{\"id\":\"c1-1\","
                + "\"instanceId\":\"i1\",\"clientId\":\"c1\",\"host\":\"/127.0.0.1\",\"software\":\"apache-kafka-java\","
                + "\"sessionTimeoutMs\":10000,\"rebalanceTimeoutMs\":60000,\"topics\":[\"t\"],"
                + "\"metadata\":\"c3Vi\",\"assignment\":\"cGFydA==\"}]}");
  }

  @Test
  void aGroupIsReadBackAsItWasWritten() {
    assertThat(Payloads.group("/g", Payloads.group(3, "3-9", STATE, 1_700))).isEqualTo(STATE);
    assertThat(Payloads.group("/g", Payloads.group(3, "3-9", HardState.empty(), 0)))
        .isEqualTo(HardState.empty());
  }

  /** As they were written before a state had a timestamp. */
  @Test
  void olderGroupsAreReadAndDoNotSaySinceWhen() {
    byte[] older =
        ("{\"format\":1,\"checksum\":\"213f1351\",\"slotEpoch\":3,\"writeId\":\"3-9\",\"generation\":7,"
                + "\"protocolType\":\"consumer\",\"protocol\":\"\",\"leader\":\"\",\"members\":[]}")
            .getBytes(UTF_8);

    assertThat(Payloads.group("/g", older))
        .isEqualTo(new HardState(7, "consumer", "", "", Map.of()));
    assertThat(Payloads.groupTimestamp("/g", older)).isEmpty();
    assertThat(Payloads.groupTimestamp("/g", Payloads.group(3, "3-9", STATE, 1_700)))
        .hasValue(1_700);
  }

  @Test
  void aLaterGenerationThatWasAnnouncedIsNamedWhereThereIsOne() {
    HardState state = new HardState(7, "consumer", "range", "c1-1", Map.of(ID, MEMBER), null, 9);
    byte[] written = Payloads.group(3, "3-9", state, 1_700);

    assertThat(new String(written, UTF_8))
        .contains("\"generation\":7,\"timestamp\":1700,\"announced\":9,");
    assertThat(Payloads.group("/g", written)).isEqualTo(state);
  }

  private static HardState large(int partBytes) {
    Member member =
        new Member(
            ID,
            MEMBER.instanceId(),
            MEMBER.client(),
            MEMBER.sessionTimeoutMs(),
            MEMBER.rebalanceTimeoutMs(),
            MEMBER.protocols(),
            MEMBER.topics(),
            bytes("p".repeat(partBytes)));
    return new HardState(7, "consumer", "range", "c1-1", Map.of(ID, member));
  }

  @Test
  void b056AStateOfMoreThanAHundredThousandBytesIsTheSameInGzip() {
    byte[] plain = Payloads.group(3, "3-9", large(70_000), 1_700);
    byte[] packed = Payloads.group(3, "3-9", large(80_000), 1_700);

    assertThat(new String(plain, UTF_8)).startsWith("{\"format\":1,");
    assertThat(packed).startsWith(0x1f, 0x8b).hasSizeLessThan(2_000);
    assertThat(Payloads.group("/g", packed)).isEqualTo(large(80_000));
    assertThat(Payloads.groupTimestamp("/g", packed)).hasValue(1_700);
    assertThat(Payloads.group(3, "3-9", large(80_000), 1_700))
        .as("equal states are equal bytes, by which a write is recognised")
        .isEqualTo(packed);
  }

  @Test
  void damagedGzipIsNamedWithItsPathAndLength() {
    byte[] packed = Payloads.group(3, "3-9", large(80_000), 1_700);
    byte[] cut = Arrays.copyOf(packed, packed.length / 2);
    byte[] turned = packed.clone();
    turned[packed.length / 2] ^= 1;

    for (byte[] damaged : List.of(cut, turned, Arrays.copyOf(packed, 2))) {
      assertThatThrownBy(() -> Payloads.group("/g", damaged))
          .isInstanceOf(BadPayloadException.class)
          .hasMessageStartingWith("/g: \"" + damaged.length + " bytes\"");
    }
  }

  @Test
  void aServerAssignedGroupHasItsMapOfMembersAndPartitions() {
    Assignment part = Assignment.of("t", PartitionSet.of(0, 1, 2, 5));
    Assignment less = Assignment.of("t", PartitionSet.of(0));
    Member member =
        new Member(
            ID,
            "",
            new ClientInfo("c1", "/127.0.0.1", "apache-kafka-java"),
            10_000,
            60_000,
            List.of(new Protocol("range", bytes("sub"))),
            Set.of("t"),
            Opaque.empty());
    HardState state =
        new HardState(
            7,
            "consumer",
            "uniform",
            "",
            Map.of(ID, member),
            new Shares(
                Map.of(ID, new Share(6, less, less, part)), new TreeMap<>(Map.of("c2", part))));

    byte[] written = Payloads.group(3, "3-9", state, 1_700);

    assertThat(new String(written, UTF_8))
        .contains(
            "\"generation\":6,\"target\":{\"t\":\"0\"},\"granted\":{\"t\":\"0\"},"
                + "\"held\":{\"t\":\"0-2,5\"}",
            "\"lost\":{\"c2\":{\"t\":\"0-2,5\"}}");
    assertThat(Payloads.group("/g", written)).isEqualTo(state);
  }

  @Test
  void aDamagedGroupIsNamedWithItsPathAndPayload() {
    String written = new String(Payloads.group(3, "3-9", STATE, 1_700), UTF_8);

    for (String damaged :
        List.of(
            written.replace("\"generation\":7", "\"generation\":8"),
            written.replace("\"format\":1", "\"format\":2"),
            written.substring(0, 100),
            "")) {
      assertThatThrownBy(() -> Payloads.group("/g", damaged.getBytes(UTF_8)))
          .isInstanceOf(BadPayloadException.class)
          .hasMessageStartingWith("/g: \"" + damaged.substring(0, Math.min(60, damaged.length())));
    }
  }

  @Test
  void offsetsAreReadBackAsTheyWereWritten() {
    TreeMap<Integer, CommittedOffset> block = new TreeMap<>();
    block.put(100, new CommittedOffset(42, 3, "note \"quoted\"", 5));
    block.put(102, new CommittedOffset(0, -1, "", 6));
    block.put(103, new CommittedOffset(1, -1, "", 6, 7));

    byte[] written = Payloads.offsets(block);

    assertThat(Payloads.offsets("/o", written)).isEqualTo(block);
    assertThat(new String(written, UTF_8))
        .startsWith("{\"format\":1,\"offsets\":{\"100\":{\"offset\":42,\"leaderEpoch\":3,");
  }

  /** Kafka's rule, whose outcome must never change once groups exist. */
  @ParameterizedTest
  @CsvSource({"g, 3", "group, 47", "orders, 31", "polygenelubricants, 0"})
  void aGroupHasTheSlotOfItsHash(String group, int slot) {
    assertThat(CoordinatorPaths.slotOf(new GroupId(group))).isEqualTo(slot);
  }
}

package io.rebalancer.coordinator.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rebalancer.coordinator.group.ClientInfo;
import io.rebalancer.coordinator.group.CommittedOffset;
import io.rebalancer.coordinator.group.HardState;
import io.rebalancer.coordinator.group.Member;
import io.rebalancer.coordinator.group.Opaque;
import io.rebalancer.coordinator.group.Protocol;
import io.rebalancer.coordinator.group.Share;
import io.rebalancer.coordinator.group.Shares;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.znode.BadPayloadException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.CRC32C;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** What the coordinator's own znodes hold: JSON that starts with its format number. */
final class Payloads {

  private static final int FORMAT = 1;

  /** A group's state of more bytes is stored as gzip of the same JSON: a znode holds 1 MB. */
  static final int MAX_PLAIN_BYTES = 100_000;

  /** What a damaged node may unpack to. */
  private static final int MAX_UNPACKED_BYTES = 100_000_000;

  private static final byte[] GZIP = {(byte) 0x1f, (byte) 0x8b};
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private Payloads() {}

  static byte[] slot(int epoch, int nodeId, String address) {
    return bytes(node().put("epoch", epoch).put("coordinator", nodeId).put("address", address));
  }

  /** A slot nobody serves. */
  static byte[] freeSlot(int epoch) {
    return bytes(node().put("epoch", epoch).putNull("coordinator").putNull("address"));
  }

  static byte[] coordinator(String address) {
    return bytes(node().put("address", address));
  }

  /** The address in a coordinator's registration, for messages; never fails. */
  static String addressOf(byte[] payload) {
    try {
      return MAPPER.readTree(new String(payload, UTF_8)).path("address").asText("?");
    } catch (JsonProcessingException e) {
      return "?";
    }
  }

  /** {@code writeId} tells this write from every other, so that its outcome can be found out. */
  static byte[] group(int slotEpoch, String writeId, HardState state, long nowMs) {
    ObjectNode body = MAPPER.createObjectNode();
    body.put("slotEpoch", slotEpoch).put("writeId", writeId).put("generation", state.generation());
    body.put("timestamp", nowMs);
    if (state.announced() > state.generation()) {
      body.put("announced", state.announced());
    }
    body.put("protocolType", state.protocolType()).put("protocol", state.protocol());
    body.put("leader", state.leader());
    ArrayNode members = body.putArray("members");
    for (Member member : state.members().values()) {
      ObjectNode each = members.addObject();
      each.put("id", member.id().value());
      each.put("instanceId", member.instanceId());
      each.put("clientId", member.client().clientId());
      each.put("host", member.client().host());
      each.put("software", member.client().software());
      each.put("sessionTimeoutMs", member.sessionTimeoutMs());
      each.put("rebalanceTimeoutMs", member.rebalanceTimeoutMs());
      ArrayNode topics = each.putArray("topics");
      member.topics().forEach(topics::add);
      if (state.shares() == null) {
        each.put("metadata", base64(member.metadata(state.protocol())));
        each.put("assignment", base64(member.assignment()));
      } else {
        Share share = state.shares().of().getOrDefault(member.id(), Share.NOTHING);
        each.put("protocol", member.protocols().get(0).name());
        each.put("metadata", base64(member.protocols().get(0).metadata()));
        each.put("generation", share.generation());
        put(each.putObject("target"), share.target());
        put(each.putObject("granted"), share.granted());
        put(each.putObject("held"), share.held());
      }
    }
    if (state.shares() != null) {
      ObjectNode lost = body.putObject("lost");
      state.shares().lost().forEach((name, share) -> put(lost.putObject(name), share));
    }
    ObjectNode root = node();
    root.put("checksum", checksum(body));
    root.setAll(body);
    return packed(bytes(root));
  }

  /**
   * The state alone; slot epoch and write id matter only to writers.
   *
   * @throws BadPayloadException if it is not of this format, or was damaged
   */
  static HardState group(String path, byte[] stored) {
    byte[] payload = unpacked(path, stored);
    JsonNode root = read(path, payload);
    ObjectNode body = root.deepCopy();
    body.remove(List.of("format", "checksum"));
    if (!checksum(body).equals(root.path("checksum").asText())) {
      throw new BadPayloadException(path, text(payload), "checksum " + checksum(body));
    }
    String protocol = root.path("protocol").asText();
    int generation = root.path("generation").asInt();
    int announced = root.path("announced").asInt(generation);
    if (announced < generation) {
      throw new BadPayloadException(path, text(payload), "announced >= generation");
    }
    Map<MemberId, Member> members = new LinkedHashMap<>();
    try {
      for (JsonNode each : root.path("members")) {
        MemberId id = new MemberId(each.path("id").asText());
        members.put(id, member(id, protocol, each));
      }
    } catch (IllegalArgumentException e) {
      throw new BadPayloadException(path, text(payload), "members with ids and base64");
    }
    return new HardState(
        generation,
        root.path("protocolType").asText(),
        protocol,
        root.path("leader").asText(),
        members,
        root.has("lost") ? shares(path, payload, root) : null,
        announced);
  }

  /** Of a server-assigned group: what each is to have, was told, and may be processing. */
  private static Shares shares(String path, byte[] payload, JsonNode root) {
    Map<MemberId, Share> shares = new LinkedHashMap<>();
    SortedMap<String, Assignment> lost = new TreeMap<>();
    try {
      for (JsonNode each : root.path("members")) {
        shares.put(
            new MemberId(each.path("id").asText()),
            new Share(
                each.path("generation").asInt(),
                partitions(each.path("target")),
                partitions(each.path("granted")),
                partitions(each.path("held"))));
      }
      for (var entry : root.path("lost").properties()) {
        lost.put(entry.getKey(), partitions(entry.getValue()));
      }
    } catch (IllegalArgumentException e) {
      throw new BadPayloadException(path, text(payload), "partitions as 0-3,5");
    }
    return new Shares(shares, lost);
  }

  private static void put(ObjectNode node, Assignment assignment) {
    assignment.topics().forEach((topic, set) -> node.put(topic, set.toString()));
  }

  private static Assignment partitions(JsonNode node) {
    Map<String, PartitionSet> topics = new TreeMap<>();
    for (var entry : node.properties()) {
      topics.put(entry.getKey(), PartitionSet.parse(entry.getValue().asText()));
    }
    return Assignment.copyOf(topics);
  }

  /** When the state was written; empty in payloads of before that was said. Checks nothing. */
  static OptionalLong groupTimestamp(String path, byte[] stored) {
    JsonNode stamp = read(path, unpacked(path, stored)).path("timestamp");
    return stamp.canConvertToLong() ? OptionalLong.of(stamp.asLong()) : OptionalLong.empty();
  }

  private static Member member(MemberId id, String protocol, JsonNode each) {
    Set<String> topics = new TreeSet<>();
    each.path("topics").forEach(topic -> topics.add(topic.asText()));
    return new Member(
        id,
        each.path("instanceId").asText(),
        new ClientInfo(
            each.path("clientId").asText(),
            each.path("host").asText(),
            each.path("software").asText()),
        each.path("sessionTimeoutMs").asInt(),
        each.path("rebalanceTimeoutMs").asInt(),
        List.of(
            new Protocol(
                each.path("protocol").asText(protocol), opaque(each.path("metadata").asText()))),
        topics,
        opaque(each.path("assignment").asText()));
  }

  static byte[] offsets(SortedMap<Integer, CommittedOffset> offsets) {
    ObjectNode root = node();
    ObjectNode all = root.putObject("offsets");
    offsets.forEach(
        (partition, offset) -> {
          ObjectNode each = all.putObject(Integer.toString(partition));
          each.put("offset", offset.offset());
          each.put("leaderEpoch", offset.leaderEpoch());
          each.put("metadata", offset.metadata());
          each.put("timestamp", offset.timestampMs());
          if (offset.expiresByItself()) {
            each.put("expireTimestamp", offset.expireTimestampMs());
          }
        });
    return bytes(root);
  }

  /** Throws {@link BadPayloadException} if it is not of this format. */
  static SortedMap<Integer, CommittedOffset> offsets(String path, byte[] payload) {
    SortedMap<Integer, CommittedOffset> offsets = new TreeMap<>();
    for (var entry : read(path, payload).path("offsets").properties()) {
      JsonNode each = entry.getValue();
      try {
        offsets.put(
            Integer.parseInt(entry.getKey()),
            new CommittedOffset(
                each.path("offset").asLong(),
                each.path("leaderEpoch").asInt(-1),
                each.path("metadata").asText(),
                each.path("timestamp").asLong(),
                each.path("expireTimestamp").asLong(-1)));
      } catch (NumberFormatException e) {
        throw new BadPayloadException(path, text(payload), "partition numbers");
      }
    }
    return offsets;
  }

  private static ObjectNode node() {
    return MAPPER.createObjectNode().put("format", FORMAT);
  }

  private static JsonNode read(String path, byte[] payload) {
    try {
      JsonNode root = MAPPER.readTree(text(payload));
      if (root != null && root.isObject() && root.path("format").asInt() == FORMAT) {
        return root;
      }
    } catch (JsonProcessingException e) {
      // Answered below, with the path and the payload in place of a parser's position.
    }
    throw new BadPayloadException(path, text(payload), "JSON of format " + FORMAT);
  }

  private static byte[] packed(byte[] plain) {
    if (plain.length <= MAX_PLAIN_BYTES) {
      return plain;
    }
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write(plain);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // Memory does not fail.
    }
    return packed.toByteArray();
  }

  private static byte[] unpacked(String path, byte[] stored) {
    if (stored.length < GZIP.length || !Arrays.equals(stored, 0, 2, GZIP, 0, 2)) {
      return stored;
    }
    try (GZIPInputStream gzip = new GZIPInputStream(new ByteArrayInputStream(stored))) {
      byte[] plain = gzip.readNBytes(MAX_UNPACKED_BYTES + 1);
      if (plain.length <= MAX_UNPACKED_BYTES) {
        return plain;
      }
    } catch (IOException e) {
      // Answered below; what it holds is not for a log.
    }
    throw new BadPayloadException(path, stored.length + " bytes", "gzip of at most 100 MB");
  }

  private static String checksum(ObjectNode body) {
    CRC32C crc = new CRC32C();
    crc.update(bytes(body));
    return Long.toHexString(crc.getValue());
  }

  private static byte[] bytes(ObjectNode node) {
    return node.toString().getBytes(UTF_8);
  }

  private static String text(byte[] payload) {
    return new String(payload, UTF_8);
  }

  private static String base64(Opaque bytes) {
    return Base64.getEncoder().encodeToString(bytes.toBytes());
  }

  private static Opaque opaque(String text) {
    return Opaque.copyOf(Base64.getDecoder().decode(text));
  }
}

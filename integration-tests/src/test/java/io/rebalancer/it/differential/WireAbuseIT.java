package io.rebalancer.it.differential;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.rebalancer.coordinator.wire.BadRequestException;
import io.rebalancer.coordinator.wire.Messages;
import io.rebalancer.coordinator.wire.SupportedApis;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.RequestHeader;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Bytes that no client sends, beside a group that lives on. */
class WireAbuseIT {

  private static final long SEED = Long.getLong("rebalancer.seed", 20_261_201);

  private static final ListAppender<ILoggingEvent> LOG = new ListAppender<>();

  private static Ours ours;
  private static Barrier barrier;
  private static Dialog group;

  @BeforeAll
  static void start() throws Exception {
    ours = new Ours();
    barrier = new Barrier(ours.target());
    group = new Dialog(ours.target(), barrier, "alive");
    group.stable("a");
    LOG.start();
    ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).addAppender(LOG);
  }

  @BeforeEach
  void forget() {
    LOG.list.clear();
  }

  @AfterAll
  static void stop() throws Exception {
    ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).detachAppender(LOG);
    group.close();
    barrier.close();
    ours.close();
  }

  private static void othersLiveOn() throws Exception {
    HeartbeatResponseData beat =
        (HeartbeatResponseData)
            group.ask("a", ApiKeys.HEARTBEAT, 4, group.heartbeat("a")).orElseThrow();
    assertThat(Errors.forCode(beat.errorCode())).isEqualTo(Errors.NONE);
    assertThat(LOG.list)
        .filteredOn(event -> event.getLevel().isGreaterOrEqual(Level.ERROR))
        .extracting(ILoggingEvent::getFormattedMessage)
        .isEmpty();
  }

  private static Socket connect() throws IOException {
    Socket socket = new Socket(ours.target().host(), ours.target().port());
    socket.setSoTimeout(10_000);
    return socket;
  }

  private static byte[] framed(ByteBuffer frame) {
    return ByteBuffer.allocate(4 + frame.remaining())
        .putInt(frame.remaining())
        .put(frame.duplicate())
        .array();
  }

  private static ByteBuffer heartbeat() {
    return Messages.writeRequest(
        new RequestHeader(ApiKeys.HEARTBEAT, (short) 4, "wire", 7),
        new HeartbeatRequestData().setGroupId("absent").setMemberId("m"));
  }

  @Test
  void aRequestThatComesByteByByteIsAnswered() throws Exception {
    try (Socket slow = connect()) {
      slow.setTcpNoDelay(true);
      for (byte each : framed(heartbeat())) {
        slow.getOutputStream().write(each);
        barrier.pass();
      }
      DataInputStream in = new DataInputStream(slow.getInputStream());
      byte[] answer = new byte[in.readInt()];
      in.readFully(answer);
      assertThat(Messages.correlationId(ByteBuffer.wrap(answer))).isEqualTo(7);
    }
    othersLiveOn();
  }

  @Test
  void whatIsClaimedIsNotAllocatedBeforeItCame() throws Exception {
    Runtime runtime = Runtime.getRuntime();
    System.gc();
    long before = runtime.totalMemory() - runtime.freeMemory();
    Socket[] claims = new Socket[100];
    for (int i = 0; i < claims.length; i++) {
      claims[i] = connect();
      claims[i].getOutputStream().write(ByteBuffer.allocate(6).putInt(100_000_000).array());
    }
    barrier.pass();
    System.gc();
    long grown = runtime.totalMemory() - runtime.freeMemory() - before;

    assertThat(grown).as("100 claims of 100 MB each").isLessThan(50_000_000);
    othersLiveOn();
    for (Socket each : claims) {
      each.close();
    }
  }

  @Test
  void requestsCutOffAnywhereDisturbNobody() throws Exception {
    byte[] whole = framed(heartbeat());
    for (int length = 0; length < whole.length; length++) {
      try (Socket cut = connect()) {
        cut.getOutputStream().write(whole, 0, length);
      }
    }
    othersLiveOn();
  }

  @Test
  void oldAnswersToListOffsetsHaveNoLeaderEpoch() throws Exception {
    for (int version = 1; version <= 11; version++) {
      ListOffsetsRequestData request =
          new ListOffsetsRequestData()
              .setTopics(
                  List.of(
                      new ListOffsetsTopic()
                          .setName(Target.TOPIC)
                          .setPartitions(List.of(new ListOffsetsPartition().setTimestamp(-1)))));
      ListOffsetsResponseData answer =
          (ListOffsetsResponseData)
              group.ask("lister", ApiKeys.LIST_OFFSETS, version, request).orElseThrow();
      var partition = answer.topics().get(0).partitions().get(0);
      assertThat(partition.offset()).isZero();
      assertThat(partition.leaderEpoch()).as("v%d", version).isEqualTo(version < 4 ? -1 : 0);
    }
    othersLiveOn();
  }

  /** Every request gets an answer or a closed connection. */
  @Test
  void mutatedRequestsOfEveryTypeAreAnsweredOrEndTheirConnection() throws Exception {
    Random random = new Random(SEED);
    Tally tally = new Tally();
    for (var api : SupportedApis.all().entrySet()) {
      for (int version = api.getValue().min(); version <= api.getValue().max(); version++) {
        for (int i = 0; i < 20; i++) {
          byte[] frame = mutated(api.getKey(), version, i, random);
          exchange(api.getKey(), version, i, ByteBuffer.wrap(frame), tally);
        }
      }
    }
    assertThat(tally.answered).isPositive();
    assertThat(tally.closed).isPositive();
    othersLiveOn();
  }

  @Test
  void wellFormedRequestsOfAnyValuesAreAnsweredOrEndTheirConnection() throws Exception {
    Random random = new Random(SEED);
    Tally tally = new Tally();
    for (var api : SupportedApis.all().entrySet()) {
      int before = tally.answered;
      for (int version = api.getValue().min(); version <= api.getValue().max(); version++) {
        for (int i = 0; i < 20; i++) {
          RandomBody body = new RandomBody(random, "fuzz-" + version + "-" + i);
          exchange(api.getKey(), version, i, body.frame(api.getKey(), version, i), tally);
        }
      }
      assertThat(tally.answered).as("answers to %s", api.getKey()).isGreaterThan(before);
    }
    othersLiveOn();
  }

  @Test
  void unknownApiKeysAndVersionsEndTheirConnection() throws Exception {
    for (int[] each :
        new int[][] {
          {-1, 0},
          {Short.MAX_VALUE, 0},
          {Short.MIN_VALUE, 0},
          {4, 0},
          {12, -1},
          {12, 5},
          {12, 99},
          {11, 10},
          {0, 9},
          {68, 0}
        }) {
      ByteBuffer frame =
          ByteBuffer.allocate(40).putShort((short) each[0]).putShort((short) each[1]);
      frame.rewind();
      try (Socket client = connect()) {
        client.getOutputStream().write(framed(frame));
        assertThat(closed(client)).as("key %d, version %d", each[0], each[1]).isTrue();
      }
    }
    othersLiveOn();
  }

  @Test
  void framesOfNoBytesOrTooFewForAHeaderEndTheirConnection() throws Exception {
    for (int length = 0; length < 8; length++) {
      try (Socket client = connect()) {
        client.getOutputStream().write(framed(ByteBuffer.allocate(length)));
        assertThat(closed(client)).as("%d bytes", length).isTrue();
      }
    }
    othersLiveOn();
  }

  private static boolean closed(Socket client) throws IOException {
    try {
      return client.getInputStream().read() < 0;
    } catch (SocketException e) {
      return true;
    }
  }

  private static final class Tally {
    int answered;
    int closed;
  }

  private static void exchange(ApiKeys key, int version, int number, ByteBuffer frame, Tally tally)
      throws IOException {
    try (Socket client = connect()) {
      client.getOutputStream().write(framed(frame));
      DataInputStream in = new DataInputStream(client.getInputStream());
      byte[] answer = new byte[in.readInt()];
      in.readFully(answer);
      tally.answered++;
    } catch (EOFException | SocketException e) {
      tally.closed++;
    } catch (SocketTimeoutException e) {
      throw new AssertionError(
          key
              + " v"
              + version
              + " number "
              + number
              + ": neither answered nor closed; replay with -Drebalancer.seed="
              + SEED,
          e);
    }
  }

  /** Number 0 as it should be, of the others some bytes changed, cut off or doubled. */
  private static byte[] mutated(ApiKeys key, int version, int number, Random random) {
    ApiMessage body = key.messageType.newRequest();
    if (body instanceof SyncGroupRequestData sync) {
      sync.setGroupId("absent").setMemberId("m");
    } else if (body instanceof HeartbeatRequestData beat) {
      beat.setGroupId("absent").setMemberId("m");
    } else if (body instanceof JoinGroupRequestData join) {
      join.setGroupId("mutated-" + version + "-" + number);
      join.setProtocolType("consumer").setSessionTimeoutMs(30_000);
      join.protocols().add(Dialog.protocol("range", Bytes.SUBSCRIPTION));
    }
    ByteBuffer whole =
        Messages.writeRequest(new RequestHeader(key, (short) version, "wire", number), body);
    byte[] original = new byte[whole.remaining()];
    whole.get(original);
    byte[] bytes = mutated(original, number, random);
    while (waits(bytes)) {
      bytes = mutated(original, number, random);
    }
    return bytes;
  }

  /** A Fetch is held for as long as it says. */
  private static boolean waits(byte[] frame) {
    try {
      ByteBuffer bytes = ByteBuffer.wrap(frame);
      return Messages.readBody(Messages.readHeader(bytes), bytes).body()
              instanceof FetchRequestData fetch
          && fetch.maxWaitMs() > 1_000;
    } catch (BadRequestException | RuntimeException e) {
      return false;
    }
  }

  private static byte[] mutated(byte[] original, int number, Random random) {
    byte[] bytes = original.clone();
    int fixed = 8; // Key, version and correlation id, so that the body is what is read.
    for (int i = 0; number > 0 && i <= random.nextInt(3); i++) {
      if (bytes.length > fixed) {
        bytes[fixed + random.nextInt(bytes.length - fixed)] = (byte) random.nextInt();
      }
    }
    return number % 5 == 4 ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes;
  }
}

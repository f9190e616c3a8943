package io.rebalancer.coordinator.client;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.RequestUtils;

/**
 * A server socket that answers as it is told, for what a real coordinator does only by accident. As
 * long as nothing else is told it is the coordinator of a group of one, whose topic t has four
 * partitions.
 */
final class ScriptedCoordinator implements AutoCloseable {

  /** A script's way to say nothing: the request stays open. */
  static final Optional<ApiMessage> SILENCE = Optional.empty();

  private final ServerSocket server;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final Map<ApiKeys, Function<ApiMessage, Optional<ApiMessage>>> script =
      new EnumMap<>(ApiKeys.class);
  private final List<ApiKeys> seen = new CopyOnWriteArrayList<>();
  private final List<Integer> apiVersionsSeen = new CopyOnWriteArrayList<>();
  private final AtomicInteger generation = new AtomicInteger();
  private volatile int newestApiVersions = 4;
  private volatile boolean garbage;
  private volatile boolean unframed;

  ScriptedCoordinator() throws IOException {
    server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    on(ApiKeys.API_VERSIONS, request -> Optional.of(versions(ApiKeys.values())));
    on(ApiKeys.FIND_COORDINATOR, request -> Optional.of(coordinator(request, Errors.NONE)));
    on(ApiKeys.JOIN_GROUP, request -> Optional.of(join((JoinGroupRequestData) request)));
    on(ApiKeys.METADATA, request -> Optional.of(topicOfFour()));
    on(ApiKeys.SYNC_GROUP, request -> Optional.of(sync((SyncGroupRequestData) request)));
    on(ApiKeys.HEARTBEAT, request -> Optional.of(new HeartbeatResponseData()));
    on(ApiKeys.LEAVE_GROUP, request -> Optional.of(new LeaveGroupResponseData()));
    spawn(this::accept);
  }

  InetSocketAddress address() {
    return new InetSocketAddress(server.getInetAddress(), server.getLocalPort());
  }

  void on(ApiKeys api, Function<ApiMessage, Optional<ApiMessage>> answer) {
    synchronized (script) {
      script.put(api, answer);
    }
  }

  /** As a server from before {@code newest + 1} was known. */
  void knowApiVersionsUpTo(int newest) {
    newestApiVersions = newest;
  }

  /** Answer everything with bytes that are not Kafka's, or no longer. */
  void talkGarbage(boolean on) {
    garbage = on;
  }

  /** Announce answers of two gigabytes and more, or no longer. */
  void loseFraming(boolean on) {
    unframed = on;
  }

  List<ApiKeys> seen() {
    return seen;
  }

  long count(ApiKeys api) {
    return seen.stream().filter(api::equals).count();
  }

  List<Integer> apiVersionsSeen() {
    return apiVersionsSeen;
  }

  static ApiVersionsResponseData versions(ApiKeys... offered) {
    ApiVersionsResponseData answer = new ApiVersionsResponseData();
    for (ApiKeys api : offered) {
      answer
          .apiKeys()
          .add(
              new ApiVersionsResponseData.ApiVersion()
                  .setApiKey(api.id)
                  .setMinVersion(api.messageType.lowestSupportedVersion())
                  .setMaxVersion(api.messageType.highestSupportedVersion(true)));
    }
    return answer;
  }

  FindCoordinatorResponseData coordinator(ApiMessage request, Errors error) {
    String key = ((FindCoordinatorRequestData) request).coordinatorKeys().get(0);
    return new FindCoordinatorResponseData()
        .setCoordinators(
            List.of(
                new FindCoordinatorResponseData.Coordinator()
                    .setKey(key)
                    .setErrorCode(error.code())
                    .setHost(address().getHostString())
                    .setPort(address().getPort())));
  }

  JoinGroupResponseData join(JoinGroupRequestData request) {
    if (request.memberId().isEmpty()) {
      return new JoinGroupResponseData()
          .setErrorCode(Errors.MEMBER_ID_REQUIRED.code())
          .setMemberId("a-1");
    }
    return new JoinGroupResponseData()
        .setGenerationId(generation.incrementAndGet())
        .setProtocolType("consumer")
        .setProtocolName("range")
        .setLeader(request.memberId())
        .setMemberId(request.memberId())
        .setMembers(
            List.of(
                new JoinGroupResponseData.JoinGroupResponseMember()
                    .setMemberId(request.memberId())
                    .setMetadata(request.protocols().iterator().next().metadata())));
  }

  static MetadataResponseData topicOfFour() {
    MetadataResponseData.MetadataResponseTopic topic =
        new MetadataResponseData.MetadataResponseTopic().setName("t");
    for (int i = 0; i < 4; i++) {
      topic
          .partitions()
          .add(new MetadataResponseData.MetadataResponsePartition().setPartitionIndex(i));
    }
    MetadataResponseData answer = new MetadataResponseData();
    answer.topics().add(topic);
    return answer;
  }

  private static SyncGroupResponseData sync(SyncGroupRequestData request) {
    return new SyncGroupResponseData()
        .setProtocolType("consumer")
        .setProtocolName("range")
        .setAssignment(request.assignments().get(0).assignment());
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket socket = server.accept();
        sockets.add(socket);
        spawn(() -> serve(socket));
      } catch (IOException e) {
        return; // Closed.
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      DataInputStream in = new DataInputStream(socket.getInputStream());
      DataOutputStream out = new DataOutputStream(socket.getOutputStream());
      while (true) {
        byte[] frame = new byte[in.readInt()];
        in.readFully(frame);
        ByteBuffer answer = answer(ByteBuffer.wrap(frame));
        if (answer != null) {
          out.writeInt(unframed ? -1 : answer.remaining());
          out.write(answer.array(), answer.position(), answer.remaining());
        }
      }
    } catch (IOException e) {
      // The client or the test has closed the socket.
    }
  }

  private ByteBuffer answer(ByteBuffer frame) {
    RequestHeader header = RequestHeader.parse(frame);
    ApiKeys api = header.apiKey();
    seen.add(api);
    if (garbage) {
      return ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9});
    }
    short version = header.apiVersion();
    ResponseHeaderData to = new ResponseHeaderData().setCorrelationId(header.correlationId());
    if (api == ApiKeys.API_VERSIONS) {
      apiVersionsSeen.add((int) version);
      if (version > newestApiVersions) {
        return RequestUtils.serialize(to, (short) 0, tooNew(), (short) 0);
      }
    }
    ApiMessage request = api.messageType.newRequest();
    request.read(new ByteBufferAccessor(frame), version);
    Function<ApiMessage, Optional<ApiMessage>> answers;
    synchronized (script) {
      answers = script.get(api);
    }
    return answers
        .apply(request)
        .map(
            answer ->
                RequestUtils.serialize(to, api.responseHeaderVersion(version), answer, version))
        .orElse(null);
  }

  private ApiVersionsResponseData tooNew() {
    ApiVersionsResponseData answer = versions(ApiKeys.API_VERSIONS);
    answer.setErrorCode(Errors.UNSUPPORTED_VERSION.code());
    answer.apiKeys().iterator().next().setMaxVersion((short) newestApiVersions);
    return answer;
  }

  private static void spawn(Runnable task) {
    Thread thread = new Thread(task, "scripted-coordinator");
    thread.setDaemon(true);
    thread.start();
  }

  /** Cuts every connection there is. */
  void cut() {
    sockets.forEach(ScriptedCoordinator::close);
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    cut();
  }
}

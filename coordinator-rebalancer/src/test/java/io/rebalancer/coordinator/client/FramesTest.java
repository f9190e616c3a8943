package io.rebalancer.coordinator.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FramesTest {

  @ParameterizedTest
  @CsvSource({"3, 0", "4, 1", "5, 1"})
  void fieldsOfOurOwnAreLeftOutWhereTheVersionHasNoTags(short version, int expected) {
    SyncGroupRequestData request =
        new SyncGroupRequestData()
            .setGroupId("g")
            .setMemberId("m")
            .setProtocolType("consumer")
            .setProtocolName("uniform");
    request.unknownTaggedFields().add(ServedFields.delay(9_000));

    ByteBuffer frame = Frames.encode(ApiKeys.SYNC_GROUP, version, "c", 1, request);

    frame.getInt();
    ByteBufferAccessor bytes = new ByteBufferAccessor(frame);
    new RequestHeaderData(bytes, ApiKeys.SYNC_GROUP.requestHeaderVersion(version));
    SyncGroupRequestData read = new SyncGroupRequestData(bytes, version);
    assertThat(read.unknownTaggedFields()).hasSize(expected);
    assertThat(read.groupId()).isEqualTo("g");
  }
}

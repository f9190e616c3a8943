package io.rebalancer.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.core.assignor.member.Assignors;
import io.rebalancer.core.assignor.member.MemberAssignor;
import io.rebalancer.core.testkit.MemberAssignorContract;
import org.junit.jupiter.api.Test;

class WholeTopicsAssignorTest extends MemberAssignorContract {

  @Override
  protected MemberAssignor assignor() {
    return new WholeTopicsAssignor();
  }

  @Test
  void itIsFoundByItsName() {
    assertThat(Assignors.named("whole-topics")).isInstanceOf(WholeTopicsAssignor.class);
  }
}

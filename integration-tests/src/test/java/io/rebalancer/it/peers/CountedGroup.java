package io.rebalancer.it.peers;

/** Members of one kind, whose attempts are counted. */
interface CountedGroup extends AutoCloseable {

  /** Returns when the member has registered, or later. */
  void join(String name);

  /** Returns when its session has been closed. */
  void leave(String name);

  /** Since this was asked the last time. */
  Counts.Attempts takeAttempts();

  @Override
  void close();
}

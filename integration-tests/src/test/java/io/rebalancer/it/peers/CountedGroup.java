package io.rebalancer.it.peers;

import java.util.List;

/** Members of one kind, whose attempts are counted. */
interface CountedGroup extends AutoCloseable {

  /** Returns when the member has registered, or later. */
  void join(String name);

  /** Starts them 100 ms apart, and returns when the first rebalance of each is over. */
  void coldStart(List<String> names);

  /** Returns when its session has been closed. */
  void leave(String name);

  /** Since this was asked the last time. */
  Counts.Attempts takeAttempts();

  @Override
  void close();
}

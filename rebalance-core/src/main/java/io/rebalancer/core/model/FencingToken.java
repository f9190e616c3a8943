package io.rebalancer.core.model;

/**
 * What a claim of ownership is worth against another: the czxid of the owner znode first, then the
 * group generation. The part that a side does not have is 0.
 */
public record FencingToken(long czxid, int generation) implements Comparable<FencingToken> {

  public static final FencingToken NONE = new FencingToken(0, 0);

  public static FencingToken ofOwnerNode(long czxid) {
    return new FencingToken(czxid, 0);
  }

  public static FencingToken ofGeneration(int generation) {
    return new FencingToken(0, generation);
  }

  @Override
  public int compareTo(FencingToken other) {
    int byNode = Long.compare(czxid, other.czxid);
    return byNode != 0 ? byNode : Integer.compare(generation, other.generation);
  }
}

package io.rebalancer.it.architecture.planted.core.model;

/** What the engine package uses. */
public class ModelValue {}

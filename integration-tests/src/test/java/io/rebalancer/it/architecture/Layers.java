package io.rebalancer.it.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Executors;

/**
 * The dependency directions of the project, as rules. Each takes the base package, so that it can
 * be tried on planted violations under another one.
 */
record Layers(String base) {

  private static final String[] ZOOKEEPER = {"org.apache.zookeeper..", "org.apache.curator.."};

  private String in(String packages) {
    return base + "." + packages;
  }

  ArchRule coreUsesJdkAndJacksonOnly() {
    return noClasses()
        .that()
        .resideInAPackage(in("core.."))
        .should()
        .dependOnClassesThat(
            not(
                resideInAnyPackage(
                    in("core.."), "java..", "com.fasterxml.jackson..", "org.jspecify..")))
        .because("core is the shared model: JDK and Jackson only");
  }

  ArchRule zkKnowsNeitherTheOtherEngineNorTheBridge() {
    return noClasses()
        .that()
        .resideInAPackage(in("zk.."))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(in("coordinator.."), in("bridge.."))
        .because("core <- zk <- bridge, and the engines never see each other");
  }

  ArchRule coordinatorKnowsNeitherTheOtherEngineNorTheBridge() {
    return noClasses()
        .that()
        .resideInAPackage(in("coordinator.."))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(in("zk.."), in("bridge.."))
        .because("core <- coordinator <- bridge, and the engines never see each other");
  }

  ArchRule bridgeUsesEnginesByTheirEntryPackages() {
    return noClasses()
        .that()
        .resideInAPackage(in("bridge.."))
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(in("zk.."), in("coordinator.."))
                .and(
                    not(
                        resideInAnyPackage(
                            in("zk"),
                            in("zk.security"),
                            in("coordinator"),
                            in("coordinator.client")))))
        .because("the bridge uses the engines as any user would");
  }

  ArchRule membersDoNotWatchZooKeeper() {
    return noClasses()
        .that()
        .resideInAPackage(in("coordinator.client.."))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(ZOOKEEPER)
        .because("members do not watch ZooKeeper: the project's claim");
  }

  ArchRule zooKeeperIsUsedInItsAdaptersOnly() {
    return noClasses()
        .that()
        .resideOutsideOfPackages(
            in("zk.registry.."),
            in("zk.security.."),
            in("coordinator.store.."),
            in("bridge.standin.."),
            in("bridge.zookeeper.."))
        .and()
        .resideInAnyPackage(in("core.."), in("zk.."), in("coordinator.."), in("bridge.."))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(ZOOKEEPER);
  }

  ArchRule nettyIsUsedInServerClientAndRelayOnly() {
    return noClasses()
        .that()
        .resideOutsideOfPackages(
            in("coordinator.server.."), in("coordinator.client.."), in("coordinator.relay.."))
        .and()
        .resideInAnyPackage(in("core.."), in("zk.."), in("coordinator.."), in("bridge.."))
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.netty..");
  }

  ArchRule purePackagesAreValuesInValuesOut() {
    return noClasses()
        .that()
        .resideInAnyPackage(
            in("core.model"),
            in("core.assignor.."),
            in("core.ledger"),
            in("zk.protocol"),
            in("coordinator.group"))
        .should()
        .dependOnClassesThat(
            not(
                resideInAnyPackage(
                    in("core.model"),
                    in("core.assignor.."),
                    in("core.ledger"),
                    in("zk.protocol"),
                    in("coordinator.group"),
                    "java.lang",
                    "java.lang.annotation",
                    "java.lang.invoke",
                    "java.lang.runtime",
                    "java.time",
                    "java.util",
                    "java.util.function",
                    "java.util.stream",
                    "org.jspecify..")));
  }

  ArchRule clocksThreadsAndChanceAreInjected() {
    return noClasses()
        .that()
        .resideInAnyPackage(in("core.."), in("zk.."), in("coordinator.."), in("bridge.."))
        .and()
        .resideOutsideOfPackages(
            in("core.time"),
            in("zk.runtime"),
            in("coordinator.runtime"),
            in("bridge.runtime"),
            in("bridge.cli"))
        .should()
        .callMethodWhere(
            target(
                describe(
                    "a clock, a sleep, an executor or a random id",
                    target -> isAmbient(target.getOwner(), target.getName()))))
        .orShould()
        .callConstructor(Random.class)
        .orShould()
        .callConstructorWhere(
            target(describe("a thread", target -> target.getOwner().isEquivalentTo(Thread.class))));
  }

  private static boolean isAmbient(JavaClass owner, String name) {
    return (owner.isEquivalentTo(System.class)
            && List.of("nanoTime", "currentTimeMillis").contains(name))
        || (owner.isEquivalentTo(Thread.class) && name.equals("sleep"))
        || (owner.isEquivalentTo(UUID.class) && name.equals("randomUUID"))
        || owner.isEquivalentTo(Executors.class)
        || (owner.getPackageName().equals("java.time") && name.equals("now"));
  }

  ArchRule packagesHaveNoCycles(String module) {
    return slices().matching(in(module) + ".(*)..").should().beFreeOfCycles();
  }

  /** Every rule but those about cycles, which are one per module. */
  List<ArchRule> directions() {
    return List.of(
        coreUsesJdkAndJacksonOnly(),
        zkKnowsNeitherTheOtherEngineNorTheBridge(),
        coordinatorKnowsNeitherTheOtherEngineNorTheBridge(),
        bridgeUsesEnginesByTheirEntryPackages(),
        membersDoNotWatchZooKeeper(),
        zooKeeperIsUsedInItsAdaptersOnly(),
        nettyIsUsedInServerClientAndRelayOnly(),
        purePackagesAreValuesInValuesOut(),
        clocksThreadsAndChanceAreInjected());
  }
}

package io.rebalancer.zk;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "io.rebalancer.zk", importOptions = ImportOption.DoNotIncludeTests.class)
class ModuleRulesTest {

  @ArchTest
  static final ArchRule decisionsArePure =
      classes()
          .that()
          .resideInAPackage("io.rebalancer.zk.protocol")
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(
                  "io.rebalancer.zk.protocol",
                  "io.rebalancer.core.model",
                  "io.rebalancer.core.assignor",
                  "java.lang",
                  "java.lang.invoke",
                  "java.lang.runtime",
                  "java.time",
                  "java.util",
                  "java.util.function",
                  "java.util.stream",
                  "org.jspecify.annotations"));

  @ArchTest
  static final ArchRule zooKeeperStaysInTheRegistryAndItsSecurity =
      noClasses()
          .that()
          .resideOutsideOfPackages("io.rebalancer.zk.registry", "io.rebalancer.zk.security")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.apache.zookeeper..", "org.apache.curator..");

  @ArchTest
  static final ArchRule theRuntimeKnowsItsPortOnly =
      noClasses()
          .that()
          .resideInAnyPackage("io.rebalancer.zk.runtime", "io.rebalancer.zk.protocol")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.rebalancer.zk.registry");
}

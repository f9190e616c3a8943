package io.rebalancer.it.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The project keeps its dependency directions, and every rule fails on a planted violation. */
class ArchitectureTest {

  private static final String PLANTED = "io.rebalancer.it.architecture.planted";

  private final Layers layers = new Layers("io.rebalancer");
  private final Layers planted = new Layers(PLANTED);

  @TestFactory
  Stream<DynamicTest> theProjectKeepsEveryRule() {
    JavaClasses classes =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages(
                "io.rebalancer.core",
                "io.rebalancer.zk",
                "io.rebalancer.coordinator",
                "io.rebalancer.bridge");
    assertThat(classes).hasSizeGreaterThan(100);
    return Stream.concat(
            layers.directions().stream(),
            Stream.of("core", "zk", "coordinator", "bridge").map(layers::packagesHaveNoCycles))
        .map(rule -> DynamicTest.dynamicTest(rule.getDescription(), () -> rule.check(classes)));
  }

  @TestFactory
  Stream<DynamicTest> everyRuleFailsOnAPlantedViolation() {
    JavaClasses violations = new ClassFileImporter().importPackages(PLANTED);
    return Stream.concat(
            planted.directions().stream(), Stream.of(planted.packagesHaveNoCycles("core")))
        .map(
            rule ->
                DynamicTest.dynamicTest(
                    rule.getDescription(),
                    () -> assertThat(rule.evaluate(violations).hasViolation()).isTrue()));
  }
}

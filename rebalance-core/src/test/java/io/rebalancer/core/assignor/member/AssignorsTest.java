package io.rebalancer.core.assignor.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ServiceConfigurationError;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AssignorsTest {

  private final ClassLoader usual = Thread.currentThread().getContextClassLoader();

  @TempDir Path classPath;

  /** A user's own. */
  public static class Own implements MemberAssignor {
    @Override
    public String name() {
      return "own";
    }

    @Override
    public GroupAssignment assign(GroupInput group) {
      return new StickyAssignor().assign(group);
    }
  }

  /** Another of that name. */
  public static final class OwnToo extends Own {}

  /** One that takes a shipped one's name. */
  public static final class OwnSticky extends Own {
    @Override
    public String name() {
      return "sticky";
    }
  }

  /** A directory with a services file, in front of what there is. */
  private void serve(String... classNames) throws IOException {
    Path services = Files.createDirectories(classPath.resolve("META-INF/services"));
    Files.write(
        services.resolve(MemberAssignor.class.getName()), String.join("\n", classNames).getBytes());
    Thread.currentThread().setContextClassLoader(loader());
  }

  private ClassLoader loader() throws MalformedURLException {
    return new URLClassLoader(new URL[] {classPath.toUri().toURL()}, usual);
  }

  @AfterEach
  void asBefore() throws IOException {
    ClassLoader own = Thread.currentThread().getContextClassLoader();
    Thread.currentThread().setContextClassLoader(usual);
    if (own != usual) {
      ((URLClassLoader) own).close();
    }
  }

  @Test
  void theShippedOnesHaveTheProtocolsNames() {
    assertThat(Assignors.all().keySet())
        .contains("cooperative-sticky", "range", "roundrobin", "sticky", "uniform");
    assertThat(Assignors.all()).allSatisfy((name, a) -> assertThat(a.name()).isEqualTo(name));
    assertThat(Assignors.named("sticky")).isInstanceOf(StickyAssignor.class);
  }

  @Test
  void aServiceOnTheClassPathIsFoundByItsName() throws IOException {
    serve(Own.class.getName());

    assertThat(Assignors.named("own")).isInstanceOf(Own.class);
    assertThat(Assignors.all()).containsKeys("own", "sticky", "range");
  }

  @Test
  void twoOfOneNameAreRefusedByBothClasses() throws IOException {
    serve(Own.class.getName(), OwnToo.class.getName());

    assertThatThrownBy(() -> Assignors.named("sticky"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("assignor own: both %s and %s", Own.class.getName(), OwnToo.class.getName());
  }

  @Test
  void aShippedOnesNameIsTaken() throws IOException {
    serve(OwnSticky.class.getName());

    assertThatThrownBy(Assignors::all)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "assignor sticky: both %s and %s",
            StickyAssignor.class.getName(), OwnSticky.class.getName());
  }

  @Test
  void anUnknownNameSaysWhichThereAre() throws IOException {
    serve(Own.class.getName());

    assertThatThrownBy(() -> Assignors.named("stiky"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "assignor: stiky (expected: one of %s)", String.join(", ", Assignors.all().keySet()))
        .hasMessageContaining("own, range, roundrobin, sticky");
    assertThatThrownBy(() -> Assignors.named(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("name");
  }

  @Test
  void aServiceThatCannotBeLoadedIsNamed() throws IOException {
    serve("org.example.Missing");

    assertThatThrownBy(Assignors::all)
        .isInstanceOf(ServiceConfigurationError.class)
        .hasMessageContaining("org.example.Missing");
  }
}

package io.rebalancer.bridge.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Test;

class UnusableFileExceptionTest {

  @Test
  void whatAnExceptionSaysByItsClassIsSaidInWords() {
    assertThat(UnusableFileException.reason(new AccessDeniedException("/f")))
        .isEqualTo("permission denied");
    assertThat(UnusableFileException.reason(new NoSuchFileException("/f")))
        .isEqualTo("no such file or folder");
    assertThat(UnusableFileException.reason(new FileAlreadyExistsException("/f")))
        .isEqualTo("a file is in its place");
    assertThat(
            UnusableFileException.reason(
                new FileSystemException("/f", null, "No space left on device")))
        .isEqualTo("No space left on device");
    assertThat(UnusableFileException.reason(new IOException("Is a directory")))
        .isEqualTo("Is a directory");
  }
}

package io.rebalancer.bridge.runtime;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** A file or folder that was named by the user cannot be used. The message is one line. */
public final class UnusableFileException extends RuntimeException {

  public UnusableFileException(String message) {
    super(message);
  }

  public UnusableFileException(String message, Throwable cause) {
    super(message, cause);
  }

  /** What {@code e} says by its class alone, in words. */
  public static String reason(IOException e) {
    if (e instanceof AccessDeniedException) {
      return "permission denied";
    }
    if (e instanceof NoSuchFileException) {
      return "no such file or folder";
    }
    if (e instanceof FileAlreadyExistsException) {
      return "a file is in its place";
    }
    if (e instanceof NotDirectoryException) {
      return "not a folder";
    }
    if (e instanceof DirectoryNotEmptyException) {
      return "not empty";
    }
    return e instanceof FileSystemException refused && refused.getReason() != null
        ? refused.getReason()
        : String.valueOf(e.getMessage());
  }
}

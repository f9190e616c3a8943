package io.rebalancer.core.testkit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** What one logger says from warnings (or another level) on, with its level, while it is open. */
public final class LogCapture extends AppenderBase<ILoggingEvent> implements AutoCloseable {

  private final Logger logger;
  private final Level from;
  private final @Nullable Level before;
  private final List<String> messages = new CopyOnWriteArrayList<>();

  private LogCapture(Logger logger, Level from) {
    this.logger = logger;
    this.from = from;
    this.before = logger.getLevel();
  }

  public static LogCapture of(Class<?> type) {
    return of(type.getName());
  }

  public static LogCapture of(String name) {
    return open(new LogCapture((Logger) LoggerFactory.getLogger(name), Level.WARN));
  }

  /** From INFO on, which the logger's configuration may leave out. */
  public static LogCapture ofInfo(String name) {
    LogCapture capture = new LogCapture((Logger) LoggerFactory.getLogger(name), Level.INFO);
    capture.logger.setLevel(Level.INFO);
    return open(capture);
  }

  private static LogCapture open(LogCapture capture) {
    capture.start();
    capture.logger.addAppender(capture);
    return capture;
  }

  @Override
  protected void append(ILoggingEvent event) {
    if (event.getLevel().isGreaterOrEqual(from)) {
      messages.add(event.getLevel() + " " + event.getFormattedMessage());
    }
  }

  public List<String> messages() {
    return messages;
  }

  @Override
  public void close() {
    logger.detachAppender(this);
    logger.setLevel(before);
    stop();
  }
}

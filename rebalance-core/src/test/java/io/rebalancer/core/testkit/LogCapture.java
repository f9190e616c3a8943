package io.rebalancer.core.testkit;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** What one logger says from warnings on, with its level, while it is open. */
public final class LogCapture extends AppenderBase<ILoggingEvent> implements AutoCloseable {

  private final Logger logger;
  private final List<String> messages = new CopyOnWriteArrayList<>();

  private LogCapture(Logger logger) {
    this.logger = logger;
  }

  public static LogCapture of(Class<?> type) {
    return of(type.getName());
  }

  public static LogCapture of(String name) {
    LogCapture capture = new LogCapture((Logger) LoggerFactory.getLogger(name));
    capture.start();
    capture.logger.addAppender(capture);
    return capture;
  }

  @Override
  protected void append(ILoggingEvent event) {
    if (event.getLevel().levelInt >= ch.qos.logback.classic.Level.WARN_INT) {
      messages.add(event.getLevel() + " " + event.getFormattedMessage());
    }
  }

  public List<String> messages() {
    return messages;
  }

  @Override
  public void close() {
    logger.detachAppender(this);
    stop();
  }
}

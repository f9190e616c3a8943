package io.rebalancer.bridge.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;

/**
 * What a process tells those who run it, over HTTP: {@code /metrics} in Prometheus' text format,
 * {@code /livez} (200 as long as the process answers at all) and {@code /readyz} (200 while it
 * serves, else 503). GET and HEAD only; anything else is 405, any other path 404.
 */
public final class MetricsServer implements AutoCloseable {

  private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";
  private static final String TEXT = "text/plain; charset=utf-8";

  private final HttpServer server;
  private final ExecutorService thread;

  private interface Page {
    void answer(HttpExchange exchange) throws IOException;
  }

  /** Listens at once. Throws {@link EnvironmentException} if the port cannot be had. */
  public MetricsServer(
      String host, int port, PrometheusMeterRegistry registry, BooleanSupplier ready) {
    InetSocketAddress address = new InetSocketAddress(host, port);
    try {
      server = HttpServer.create(address, 0);
    } catch (IOException e) {
      throw new EnvironmentException(
          "metrics: cannot listen on " + host + ":" + port + ": " + e.getMessage(), e);
    }
    thread =
        Executors.newSingleThreadExecutor(
            task -> {
              Thread daemon = new Thread(task, "metrics");
              daemon.setDaemon(true);
              return daemon;
            });
    server.setExecutor(thread);
    page("/metrics", exchange -> send(exchange, 200, PROMETHEUS, registry.scrape()));
    page("/livez", exchange -> send(exchange, 200, TEXT, "live\n"));
    page(
        "/readyz",
        exchange -> {
          boolean serves = ready.getAsBoolean();
          send(exchange, serves ? 200 : 503, TEXT, serves ? "ready\n" : "not ready\n");
        });
    page("/", exchange -> {});
    server.start();
  }

  private void page(String path, Page page) {
    server.createContext(
        path,
        exchange -> {
          try (exchange) {
            String method = exchange.getRequestMethod();
            if (path.equals("/") || !exchange.getRequestURI().getPath().equals(path)) {
              send(exchange, 404, TEXT, "/metrics, /livez, /readyz\n");
            } else if (!method.equals("GET") && !method.equals("HEAD")) {
              send(exchange, 405, TEXT, "GET, HEAD\n");
            } else {
              page.answer(exchange);
            }
          }
        });
  }

  private static void send(HttpExchange exchange, int status, String type, String text)
      throws IOException {
    byte[] body = text.getBytes(UTF_8);
    exchange.getResponseHeaders().set("Content-Type", type);
    if (exchange.getRequestMethod().equals("HEAD")) {
      exchange.sendResponseHeaders(status, -1);
    } else {
      exchange.sendResponseHeaders(status, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  public InetSocketAddress address() {
    return server.getAddress();
  }

  /** Stops at once. Idempotent. */
  @Override
  public void close() {
    server.stop(0);
    thread.shutdownNow();
  }
}

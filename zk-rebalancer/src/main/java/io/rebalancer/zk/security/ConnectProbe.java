package io.rebalancer.zk.security;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.apache.zookeeper.client.ConnectStringParser;

/**
 * Connects to each server once by itself, to say what ZooKeeper's client has only logged: it tries
 * again for ever, and tells nobody why. Sends nothing but TLS.
 */
final class ConnectProbe {

  /** A server that accepted a handshake says within that time if it refuses the certificate. */
  private static final int VERDICT_MS = 300;

  private final SecureHandles handles;

  ConnectProbe(SecureHandles handles) {
    this.handles = handles;
  }

  /** Empty when every server takes the connection, as far as can be seen. */
  Optional<String> whyUnreachable(String connect, Duration limit) {
    List<InetSocketAddress> servers = new ConnectStringParser(connect).getServerAddresses();
    int eachMs = (int) Math.max(1, limit.toMillis() / servers.size());
    List<String> reasons = new ArrayList<>();
    for (InetSocketAddress server : servers) {
      String name = server.getHostString() + ":" + server.getPort();
      why(server, eachMs).ifPresent(reason -> reasons.add(name + ": " + reason));
    }
    return reasons.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", reasons));
  }

  private Optional<String> why(InetSocketAddress server, int limitMs) {
    InetSocketAddress address = new InetSocketAddress(server.getHostString(), server.getPort());
    if (address.isUnresolved()) {
      return Optional.of("the name does not resolve");
    }
    try (Socket socket = new Socket()) {
      socket.connect(address, limitMs);
      socket.setSoTimeout(limitMs);
      Optional<SSLContext> tls = handles.sslContext();
      return tls.isPresent()
          ? whyNotByTls(socket, address, tls.get(), limitMs)
          : whyNotInPlainText(socket, address);
    } catch (IOException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  /** A server that refuses the client's certificate says so after the handshake (TLS 1.3). */
  private Optional<String> whyNotByTls(
      Socket socket, InetSocketAddress server, SSLContext tls, int limitMs) {
    try (SSLSocket secure = layer(socket, server, tls)) {
      if (handles.verifiesNames()) {
        SSLParameters parameters = secure.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        secure.setSSLParameters(parameters);
      }
      secure.startHandshake();
      secure.setSoTimeout(Math.min(VERDICT_MS, limitMs));
      return secure.getInputStream().read() < 0
          ? Optional.of("closed the connection after the TLS handshake")
          : Optional.empty();
    } catch (SocketTimeoutException e) {
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of("no TLS connection: " + reason(e));
    }
  }

  private static String reason(IOException e) {
    Throwable root = Causes.root(e);
    if (root instanceof CertificateException || root instanceof CertPathBuilderException) {
      return "the server's certificate: " + root.getMessage();
    }
    String message = String.valueOf(e.getMessage());
    return message.contains("fatal alert") ? message : message + " (expected: a TLS port)";
  }

  /** A server that answers a TLS greeting with a certificate does not speak plain text. */
  private static Optional<String> whyNotInPlainText(Socket socket, InetSocketAddress server) {
    String tlsPort = "a TLS port (expected: zookeeper.ssl.client.enable=true for it)";
    try (SSLSocket secure = layer(socket, server, SSLContext.getDefault())) {
      secure.startHandshake();
      return Optional.of(tlsPort);
    } catch (SSLException e) {
      Throwable root = Causes.root(e);
      return root instanceof CertificateException
              || root instanceof CertPathBuilderException
              || root instanceof CertPathValidatorException
          ? Optional.of(tlsPort)
          : Optional.empty();
    } catch (IOException | NoSuchAlgorithmException e) {
      return Optional.empty();
    }
  }

  /** Under the name that ZooKeeper's client demands: an address is looked up in reverse. */
  private static SSLSocket layer(Socket socket, InetSocketAddress server, SSLContext tls)
      throws IOException {
    return (SSLSocket)
        tls.getSocketFactory().createSocket(socket, server.getHostName(), server.getPort(), true);
  }
}

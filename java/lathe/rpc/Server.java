package dev.lathe.rpc;

/**
 * Offers this process's devices, and the functions that it registered as exported, to sessions.
 * Sessions run on threads of the virtual machine: code that crashes ends it.
 */
public class Server implements AutoCloseable {
  private final String host;
  private final int port;
  private final String key;
  private final String secretFile;
  private final boolean atProxy;
  private long number;

  private Server(boolean atProxy, String host, int port, String key, String secretFile) {
    this.atProxy = atProxy;
    this.host = host;
    this.port = port;
    this.key = key;
    this.secretFile = secretFile;
  }

  /** Listens on this machine only; port 0: any. */
  public Server(int port) {
    this(false, "127.0.0.1", port, "", "");
  }

  /** Dials a proxy, through which clients reach this device by its key. */
  public Server(String proxyHost, int proxyPort, String key) {
    this(true, proxyHost, proxyPort, key, "");
  }

  /** The same with the proxy's secret. */
  public Server(String proxyHost, int proxyPort, String key, String secretFile) {
    this(true, proxyHost, proxyPort, key, secretFile);
  }

  /** Begins, on a thread of its own. */
  public synchronized void start() {
    if (number != 0) throw new IllegalStateException("the server runs already");
    number =
        (atProxy
                ? Rpc.call("rpc.serve_at_proxy", host, port, key, secretFile)
                : Rpc.call("rpc.serve", host, port, key, secretFile, false))
            .asLong();
  }

  /** Where it listens; 0 behind a proxy. */
  public int port() {
    return (int) Rpc.call("rpc.server.port", running(false)).asLong();
  }

  /** Ends it and its sessions; waits for functions that still run. A second call does nothing. */
  public void terminate() {
    // Not with the lock: functions that still run may call this object.
    long running = running(true);
    if (running != 0) Rpc.call("rpc.server.stop", running);
  }

  private synchronized long running(boolean take) {
    long running = number;
    if (take) number = 0;
    return running;
  }

  @Override
  public void close() {
    terminate();
  }
}

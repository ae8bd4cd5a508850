package dev.lathe.rpc;

/** Opens sessions with servers. */
public final class Client {
  private Client() {}

  public static RPCSession connect(String host, int port) {
    return connect(host, port, "");
  }

  /** `key`: the kind of device that must be there; "": any. */
  public static RPCSession connect(String host, int port, String key) {
    return connect(host, port, key, 0, "");
  }

  /**
   * Waits while other sessions come first.
   *
   * @param timeout seconds after which the server ends the session; 0: no limit
   * @param secretFile the file with the server's secret; "": the one that the environment names
   */
  public static RPCSession connect(
      String host, int port, String key, double timeout, String secretFile) {
    return new RPCSession(
        Rpc.call("rpc.connect", host, port, key, timeout, secretFile).asLong());
  }

  /** A device of this kind that a tracker lends. */
  public static RPCSession request(
      String tracker, int port, String key, long priority, double timeout, String secretFile) {
    return new RPCSession(
        Rpc.call("rpc.request", tracker, port, key, priority, timeout, secretFile).asLong());
  }
}

package ml.dmlc.tvm.rpc;

/** {@link dev.lathe.rpc.Client} under the name that TVM's programs use. */
public final class Client {
  private Client() {}

  public static RPCSession connect(String host, int port) {
    return connect(host, port, "");
  }

  public static RPCSession connect(String host, int port, String key) {
    return new RPCSession(dev.lathe.rpc.Client.connect(host, port, key));
  }
}

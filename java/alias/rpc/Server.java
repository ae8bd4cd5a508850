package ml.dmlc.tvm.rpc;

/** {@link dev.lathe.rpc.Server} under the name that TVM's programs use. */
public class Server extends dev.lathe.rpc.Server {
  public Server(int port) {
    super(port);
  }

  public Server(String proxyHost, int proxyPort, String key) {
    super(proxyHost, proxyPort, key);
  }
}

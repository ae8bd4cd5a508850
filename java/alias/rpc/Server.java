package ml.dmlc.tvm.rpc;

import java.io.IOException;

/** {@link dev.lathe.rpc.Server} under the name that TVM's programs use. */
public class Server extends dev.lathe.rpc.Server {
  /** Declared as in TVM, whose programs catch it. What goes wrong is said by start(). */
  public Server(int port) throws IOException {
    super(port);
  }

  public Server(String proxyHost, int proxyPort, String key) {
    super(proxyHost, proxyPort, key);
  }
}

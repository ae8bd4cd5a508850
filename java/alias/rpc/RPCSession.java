package ml.dmlc.tvm.rpc;

/** {@link dev.lathe.rpc.RPCSession} under the name that TVM's programs use. */
public class RPCSession extends dev.lathe.rpc.RPCSession {
  RPCSession(dev.lathe.rpc.RPCSession session) {
    super(session);
  }
}

package ml.dmlc.tvm.contrib;

import ml.dmlc.tvm.Module;

/** Makes graph modules, as TVM's programs do. */
public final class GraphExecutor {
  private GraphExecutor() {}

  /** `graph` is not looked at: the module has its graph. With a session's module it runs there. */
  public static GraphModule create(String graph, Module module, dev.lathe.Device device) {
    return new GraphModule(module, device);
  }
}

package ml.dmlc.tvm.contrib;

import ml.dmlc.tvm.Module;

/** Makes graph modules, as older programs do. */
public final class GraphRuntime {
  private GraphRuntime() {}

  /** `graph` is not looked at: the module has its graph. With a session's module it runs there. */
  public static GraphModule create(String graph, Module module, dev.lathe.Device device) {
    return new GraphModule(module, device);
  }
}

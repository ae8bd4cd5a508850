package ml.dmlc.tvm;

/** {@link dev.lathe.GraphModule} under the name that TVM's programs use. */
public class GraphModule extends dev.lathe.GraphModule {
  GraphModule(Module module, dev.lathe.Device device) {
    super(module, "default", device);
  }

  @Override
  public GraphModule setInput(String name, dev.lathe.NDArray value) {
    super.setInput(name, value);
    return this;
  }

  @Override
  public GraphModule setInput(int index, dev.lathe.NDArray value) {
    super.setInput(index, value);
    return this;
  }

  @Override
  public GraphModule loadParams(byte[] params) {
    super.loadParams(params);
    return this;
  }

  @Override
  public GraphModule run() {
    super.run();
    return this;
  }

  @Override
  public NDArray getInput(int index) {
    return own(super.getInput(index));
  }

  @Override
  public NDArray getOutput(int index) {
    return own(super.getOutput(index));
  }

  public NDArray getOutput(int index, NDArray target) {
    super.getOutput(index, target);
    return target;
  }

  private static NDArray own(dev.lathe.NDArray array) {
    try (dev.lathe.NDArray owner = array) {
      return new NDArray(owner);
    }
  }
}

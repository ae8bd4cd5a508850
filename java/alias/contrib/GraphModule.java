package ml.dmlc.tvm.contrib;

import dev.lathe.LatheException;
import ml.dmlc.tvm.Function;
import ml.dmlc.tvm.Module;
import ml.dmlc.tvm.NDArray;

/** {@link dev.lathe.GraphModule} under the name that TVM's programs use. */
public class GraphModule extends dev.lathe.GraphModule {
  /** Of a library with a model, or of what its function "default" made. */
  public GraphModule(Module module, dev.lathe.Device device) {
    super(contextOf(module, device));
  }

  private static dev.lathe.Module contextOf(Module module, dev.lathe.Device device) {
    try {
      module.getFunction("set_input").release();
      return new Module(module);
    } catch (LatheException error) {
      if (!error.name().equals("module-no-function")) throw error;
    }
    try (Function make = module.getFunction("default")) {
      return make.call(device).asModule();
    }
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

  public NDArray getInput(int index, NDArray target) {
    super.getInput(index, target);
    return target;
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

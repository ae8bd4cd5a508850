package dev.lathe;

import java.util.Arrays;
import java.util.List;

/** A compiled model with memory of its own. One thread at a time uses it. */
public class GraphModule implements AutoCloseable {
  private final Module context;

  /**
   * The model `name` of a module, on devices in the order of the model's slots; none: the first. With the
   * module and the devices of a session it runs there, and its inputs and outputs are there.
   */
  public GraphModule(Module module, String name, Device... devices) {
    if (devices.length > 0) {
      try (Function make = module.getFunction(name)) {
        context = make.call((Object[]) devices).asModule();
      }
      return;
    }
    List<Object> arguments = Arrays.asList(module, name);
    try (Function create = Function.getFunction("graph.context_create")) {
      context = Crossing.call(create, arguments).asModule();
    }
  }

  /** Takes over what a module's function "default" made. */
  protected GraphModule(Module context) {
    this.context = context;
  }

  /** The model of a file that `lathe compile` or `export_library` wrote. */
  public static GraphModule load(String path, Device... devices) {
    try (Module module = Module.load(path)) {
      return new GraphModule(module, "default", devices);
    }
  }

  private Value call(String name, Object... arguments) {
    try (Function function = context.getFunction(name)) {
      return function.call(arguments);
    }
  }

  public int inputCount() {
    return (int) call("get_num_inputs").asLong();
  }

  /** What setInput calls it. */
  public String inputName(int index) {
    return call("get_input_name", index).asString();
  }

  /** Copies an input, by its name. */
  public GraphModule setInput(String name, NDArray value) {
    call("set_input", name, value);
    return this;
  }

  /** The same by its place. */
  public GraphModule setInput(int index, NDArray value) {
    call("set_input", index, value);
    return this;
  }

  /** Weights in the bytes of a parameter file. */
  public GraphModule loadParams(byte[] params) {
    call("load_params", params);
    return this;
  }

  public GraphModule run() {
    call("run");
    return this;
  }

  public NDArray getInput(int index) {
    return call("get_input", index).asNDArray();
  }

  /** Copies an input that is set. */
  public NDArray getInput(int index, NDArray target) {
    try (NDArray input = call("get_input", index).asNDArray()) {
      return input.copyTo(target);
    }
  }

  public NDArray getOutput(int index) {
    return call("get_output", index).asNDArray();
  }

  /** Copies an output. */
  public NDArray getOutput(int index, NDArray target) {
    call("get_output", index, target);
    return target;
  }

  public void release() {
    context.release();
  }

  @Override
  public void close() {
    release();
  }
}

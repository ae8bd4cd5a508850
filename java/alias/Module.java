package ml.dmlc.tvm;

/** {@link dev.lathe.Module} under the name that TVM's programs use. */
public class Module extends dev.lathe.Module {
  Module(dev.lathe.Module module) {
    super(module);
  }

  public static Module load(String path) {
    try (dev.lathe.Module owner = dev.lathe.Module.load(path)) {
      return new Module(owner);
    }
  }

  /** `format` is not looked at: a file says itself what it is. */
  public static Module load(String path, String format) {
    return load(path);
  }

  @Override
  public Function getFunction(String name) {
    try (dev.lathe.Function owner = super.getFunction(name)) {
      return new Function(owner);
    }
  }

  @Override
  public Function entryFunc() {
    return getFunction(null);
  }

  public String typeKey() {
    return kind();
  }
}

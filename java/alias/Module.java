package ml.dmlc.tvm;

/** {@link dev.lathe.Module} under the name that TVM's programs use. */
public class Module extends dev.lathe.Module {
  /** Another handle of the same module. */
  public Module(dev.lathe.Module module) {
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

  /** `queryImports` is not looked at: imported modules are searched, too. */
  public Function getFunction(String name, boolean queryImports) {
    return getFunction(name);
  }

  @Override
  public Function entryFunc() {
    return getFunction(null);
  }

  public String typeKey() {
    return kind();
  }

  /** Whether this process can run modules for "cpu", "cuda", ..., and whether it has "rpc". */
  public static boolean enabled(String target) {
    if (target.equals("rpc")) return true;
    if (target.equals("llvm") || target.equals("stackvm")) return false; // the compiler is not here
    dev.lathe.Device device = new Device(target, 0);
    try {
      device.count();
      return true;
    } catch (dev.lathe.LatheException nothingProvidesIt) {
      return false;
    }
  }
}

package ml.dmlc.tvm;

import java.util.Objects;

/** {@link dev.lathe.Function} under the name that TVM's programs use. */
public class Function extends dev.lathe.Function {
  /** A function in Java. Its exceptions arrive at the caller as exceptions. */
  @FunctionalInterface
  public interface Callback {
    Object invoke(TVMValue... args);
  }

  /** Another handle of the same function. */
  public Function(dev.lathe.Function function) {
    super(function);
  }

  private static Function own(dev.lathe.Function function) {
    try (dev.lathe.Function owner = function) {
      return new Function(owner);
    }
  }

  private static dev.lathe.Function.Callback adapt(Callback callback) {
    Objects.requireNonNull(callback, "callback");
    return args -> {
      TVMValue[] values = new TVMValue[args.length];
      for (int i = 0; i < args.length; ++i) values[i] = new TVMValue(args[i]);
      return callback.invoke(values);
    };
  }

  public static Function getFunction(String name) {
    return own(dev.lathe.Function.getFunction(name));
  }

  /** The same. */
  public static Function getGlobalFunc(String name) {
    return getFunction(name);
  }

  public static Function convertFunc(Callback callback) {
    return own(dev.lathe.Function.of(adapt(callback)));
  }

  /**
   * Replaces a function of the same name if `override`. Sessions of this process's servers may call
   * it, as TVM's may call every global function: it must be safe for any arguments.
   */
  public static void register(String name, Callback callback, boolean override) {
    dev.lathe.Function.registerGlobal(name, adapt(callback), override, true);
  }

  public static void register(String name, Callback callback) {
    register(name, callback, false);
  }

  @Override
  public Function pushArg(Object arg) {
    super.pushArg(arg);
    return this;
  }

  @Override
  public TVMValue invoke() {
    return new TVMValue(super.invoke());
  }

  @Override
  public TVMValue call(Object... args) {
    return new TVMValue(super.call(args));
  }
}

package dev.lathe;

import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * A function of Lathe, or of Java for Lathe. Calling one is thread-safe if its code is; pushArg and
 * invoke are for one thread.
 */
public class Function extends Handle {
  /** A function in Java. Its exceptions arrive at the caller as LatheException. */
  @FunctionalInterface
  public interface Callback {
    /**
     * May be called from any thread, several at a time.
     *
     * @return null, a number, boolean, text, bytes, type, device, array, function, module or list
     */
    Object invoke(Value... args);
  }

  private List<Object> pushed = new ArrayList<>();

  Function(long pointer) {
    super(pointer);
  }

  /** Another handle of the same function, for a class that extends this one. */
  protected Function(Function other) {
    super(share(other));
  }

  /** A function of the registry. Fails with `registry-not-found`, which lists the nearest names. */
  public static Function getFunction(String name) {
    return new Function(Native.globalFind(Native.bytes(name)));
  }

  /** A function of Lathe that calls `callback`. */
  public static Function of(Callback callback) {
    return new Function(Native.callback(Objects.requireNonNull(callback, "callback")));
  }

  /** Registers it in this process; replaces one of the same name if `override`. */
  public static void registerGlobal(String name, Callback callback, boolean override) {
    registerGlobal(name, callback, override, false);
  }

  /** The same; if `exported`, remote sessions may call it: it must be safe for any arguments. */
  public static void registerGlobal(
      String name, Callback callback, boolean override, boolean exported) {
    try (Function function = of(callback)) {
      Native.globalRegister(Native.bytes(name), function.pointer(), override, exported);
    }
  }

  /** Calls it. Arguments are what a Callback may return, and callbacks. */
  public Value call(Object... args) {
    return Crossing.call(this, Arrays.asList(args));
  }

  /** Adds an argument for the next invoke(). */
  public Function pushArg(Object arg) {
    pushed.add(arg);
    return this;
  }

  /** Calls it with the arguments that were pushed. */
  public Value invoke() {
    List<Object> arguments = pushed;
    pushed = new ArrayList<>();
    try {
      return Crossing.call(this, arguments);
    } finally {
      Reference.reachabilityFence(arguments);
    }
  }
}

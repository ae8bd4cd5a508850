package dev.lathe;

import java.lang.ref.Reference;

/** A compiled module. Thread-safe. */
public class Module extends Handle {
  Module(long pointer) {
    super(pointer);
  }

  /** Another handle of the same module, for a class that extends this one. */
  protected Module(Module other) {
    super(share(other));
  }

  /** From a file: .so, .o, .tar or a module file, as `export_library` and `lathe compile` write. */
  public static Module load(String path) {
    return new Module(Native.moduleLoad(Native.bytes(path)));
  }

  /** A function of this module or of those that it imports. */
  public Function getFunction(String name) {
    try {
      return new Function(Native.moduleFunction(pointer(), Native.bytes(name)));
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  /** The function that the module's maker chose. */
  public Function entryFunc() {
    return getFunction(null);
  }

  /** "elf", "so", "cuda", ... */
  public String kind() {
    try {
      return Native.text(Native.moduleKind(pointer()));
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  /** Adds a module in which functions are searched, too. */
  public void importModule(Module module) {
    Native.moduleImport(pointer(), module.pointer());
    Reference.reachabilityFence(this);
    Reference.reachabilityFence(module);
  }
}

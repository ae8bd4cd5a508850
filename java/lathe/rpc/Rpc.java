package dev.lathe.rpc;

import dev.lathe.Function;
import dev.lathe.Value;

/** Calls the registry's functions of sessions and servers (runtime/rpc/functions.h). */
final class Rpc {
  private Rpc() {}

  static Value call(String name, Object... arguments) {
    try (Function function = Function.getFunction(name)) {
      return function.call(arguments);
    }
  }
}

package dev.lathe;

import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;

/** Values on their way between Java and the native library, in three arrays of one length. */
final class Crossing {
  private static final int NONE = 0;
  private static final int INT = 1;
  private static final int BOOL = 2;
  private static final int FLOAT = 3;
  private static final int POINTER = 4;
  private static final int DTYPE = 5;
  private static final int DEVICE = 6;
  private static final int STRING = 8;
  private static final int BYTES = 9;
  private static final int OBJECT = 64;
  private static final int FUNCTION = OBJECT + 4;
  private static final int TENSOR = OBJECT + 5;
  private static final int MODULE = OBJECT + 6;
  private static final int ARRAY = OBJECT + 8;

  final int[] kinds;
  final long[] numbers;
  final byte[][] bytes;
  // Objects that were made for this crossing, and those that it borrows.
  private final List<Object> kept = new ArrayList<>();

  Crossing(int size) {
    this(new int[size], new long[size], new byte[size][]);
  }

  Crossing(int[] kinds, long[] numbers, byte[][] bytes) {
    this.kinds = kinds;
    this.numbers = numbers;
    this.bytes = bytes;
  }

  /** Calls a function with these objects. */
  static Value call(Handle function, List<?> arguments) {
    int n = arguments.size();
    Crossing crossing = new Crossing(n + 1);
    for (int i = 0; i < n; ++i) crossing.put(i, arguments.get(i));
    Native.call(function.pointer(), crossing.kinds, crossing.numbers, crossing.bytes, n);
    Reference.reachabilityFence(function);
    Reference.reachabilityFence(crossing);
    return crossing.get(n);
  }

  /** Writes a value that is borrowed from `object`. */
  void put(int i, Object object) {
    if (object instanceof Value) {
      put(i, ((Value) object).object());
    } else if (object == null) {
      kinds[i] = NONE;
    } else if (object instanceof Boolean) {
      kinds[i] = BOOL;
      numbers[i] = (Boolean) object ? 1 : 0;
    } else if (object instanceof Double || object instanceof Float) {
      kinds[i] = FLOAT;
      numbers[i] = Double.doubleToRawLongBits(((Number) object).doubleValue());
    } else if (object instanceof Long || object instanceof Integer || object instanceof Short
        || object instanceof Byte) {
      kinds[i] = INT;
      numbers[i] = ((Number) object).longValue();
    } else if (object instanceof String) {
      kinds[i] = STRING;
      bytes[i] = Native.bytes((String) object);
    } else if (object instanceof byte[]) {
      kinds[i] = BYTES;
      bytes[i] = ((byte[]) object).clone();
    } else if (object instanceof DataType) {
      kinds[i] = DTYPE;
      numbers[i] = ((DataType) object).packed();
    } else if (object instanceof Device) {
      kinds[i] = DEVICE;
      numbers[i] = ((Device) object).packed();
      kept.add(object); // of a session: it keeps that open
    } else {
      Handle handle = handleOf(object);
      kept.add(handle);
      kinds[i] = OBJECT;
      numbers[i] = handle.pointer();
    }
  }

  /** Writes a value whose reference goes to the native library. */
  void give(int i, Object object) {
    put(i, object);
    if (kinds[i] == OBJECT) Native.retain(numbers[i]);
    Reference.reachabilityFence(this);
  }

  private static Handle handleOf(Object object) {
    if (object instanceof Handle) return (Handle) object;
    if (object instanceof Function.Callback) {
      return Function.of((Function.Callback) object);
    }
    if (object instanceof List) {
      List<?> items = (List<?>) object;
      Crossing crossing = new Crossing(items.size());
      for (int i = 0; i < items.size(); ++i) crossing.put(i, items.get(i));
      long list =
          Native.listNew(crossing.kinds, crossing.numbers, crossing.bytes, items.size());
      Reference.reachabilityFence(crossing);
      return new Opaque(list);
    }
    throw new IllegalArgumentException(
        "values are numbers, booleans, text, bytes, types, devices, arrays, functions, modules and"
            + " lists of them; found " + object.getClass().getName());
  }

  /** A value that the native library wrote, with its reference. */
  Value get(int i) {
    long number = numbers[i];
    switch (kinds[i]) {
      case NONE:
        return new Value((Object) null);
      case INT:
      case POINTER:
        return new Value(number);
      case BOOL:
        return new Value(number != 0);
      case FLOAT:
        return new Value(Double.longBitsToDouble(number));
      case DTYPE:
        return new Value(new DataType(number));
      case DEVICE:
        return new Value(new Device(number));
      case STRING:
        return new Value(Native.text(bytes[i]));
      case BYTES:
        return new Value(bytes[i]);
      case FUNCTION:
        return new Value(new Function(number));
      case TENSOR:
        return new Value(new NDArray(number));
      case MODULE:
        return new Value(new Module(number));
      case ARRAY:
        return new Value(itemsOf(number));
      default:
        return new Value(new Opaque(number));
    }
  }

  private static List<Value> itemsOf(long list) {
    try (Handle owner = new Opaque(list)) {
      int n = Native.listSize(owner.pointer());
      Crossing crossing = new Crossing(n);
      Native.listItems(owner.pointer(), crossing.kinds, crossing.numbers, crossing.bytes);
      List<Value> items = new ArrayList<>();
      for (int i = 0; i < n; ++i) items.add(crossing.get(i));
      return items;
    }
  }

  /** An object that Java can only pass on. */
  private static final class Opaque extends Handle {
    Opaque(long pointer) {
      super(pointer);
    }
  }
}

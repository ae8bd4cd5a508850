package dev.lathe;

import java.util.List;

/** What a function returned, or an argument of a callback. */
public class Value {
  private final Object object;

  Value(Object object) {
    this.object = object;
  }

  /** The same value, for a class that extends this one. */
  protected Value(Value other) {
    this(other.object);
  }

  /**
   * null, Long, Boolean, Double, String, byte[], DataType, Device, NDArray, Function, Module or a
   * List of Value.
   */
  public Object object() {
    return object;
  }

  private <T> T as(Class<T> wanted, String what) {
    if (wanted.isInstance(object)) return wanted.cast(object);
    throw new LatheException(
        3,
        "value-wrong-kind",
        "the value is of another kind",
        "expected: " + what + "\nfound: " + this,
        "error[value-wrong-kind]: the value is of another kind\n  expected: " + what + "\n  found: "
            + this);
  }

  /** Whether there is no value. */
  public boolean isNull() {
    return object == null;
  }

  /** A whole number. */
  public long asLong() {
    return object instanceof Boolean ? ((Boolean) object ? 1 : 0) : as(Long.class, "a whole number");
  }

  /** A truth value; a number is true unless it is 0. */
  public boolean asBoolean() {
    return object instanceof Long ? (Long) object != 0 : as(Boolean.class, "a truth value");
  }

  /** A number. */
  public double asDouble() {
    return object instanceof Long ? ((Long) object).doubleValue() : as(Double.class, "a number");
  }

  /** Text. */
  public String asString() {
    return as(String.class, "text");
  }

  /** Bytes. */
  public byte[] asBytes() {
    return as(byte[].class, "bytes");
  }

  /** An element type. */
  public DataType asDataType() {
    return as(DataType.class, "an element type");
  }

  /** A device. */
  public Device asDevice() {
    return as(Device.class, "a device");
  }

  /** An array. */
  public NDArray asNDArray() {
    return as(NDArray.class, "an array");
  }

  /** A function. */
  public Function asFunction() {
    return as(Function.class, "a function");
  }

  /** A module. */
  public Module asModule() {
    return as(Module.class, "a module");
  }

  /** A list. */
  @SuppressWarnings("unchecked")
  public List<? extends Value> asList() {
    return (List<Value>) as(List.class, "a list");
  }

  /** Releases the object, if it is one. A second call does nothing. */
  public void release() {
    if (object instanceof Handle) ((Handle) object).release();
  }

  @Override
  public String toString() {
    return String.valueOf(object);
  }
}

package dev.lathe;

import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.Objects;

/** An array of a device or of a session. Elements are in row-major order. */
public class NDArray extends Handle {
  NDArray(long pointer) {
    super(pointer);
  }

  /** Another handle of the same array, for a class that extends this one. */
  protected NDArray(NDArray other) {
    super(share(other));
  }

  /** float32 on the processor, uninitialised. */
  public static NDArray empty(long[] shape) {
    return empty(shape, DataType.FLOAT32, Device.cpu());
  }

  public static NDArray empty(long[] shape, Device device) {
    return empty(shape, DataType.FLOAT32, device);
  }

  public static NDArray empty(long[] shape, DataType type) {
    return empty(shape, type, Device.cpu());
  }

  public static NDArray empty(long[] shape, DataType type, Device device) {
    Objects.requireNonNull(shape, "shape");
    NDArray made = new NDArray(Native.tensorEmpty(shape, type.packed(), device.packed()));
    Reference.reachabilityFence(device);
    return made;
  }

  public long[] shape() {
    try {
      return Native.tensorShape(pointer());
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  /** The number of elements. */
  public int size() {
    return Math.toIntExact(Arrays.stream(shape()).reduce(1, Math::multiplyExact));
  }

  public DataType dtype() {
    try {
      return new DataType(Native.tensorType(pointer()));
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  public Device device() {
    try {
      return new Device(Native.tensorDevice(pointer()));
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  /** A view with another shape. */
  public NDArray reshape(long... shape) {
    Objects.requireNonNull(shape, "shape");
    try {
      return new NDArray(Native.tensorReshape(pointer(), shape));
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  /** Copies all elements to an array of the same shape and type, on any device. */
  public NDArray copyTo(NDArray target) {
    Native.tensorCopy(pointer(), target.pointer());
    Reference.reachabilityFence(this);
    Reference.reachabilityFence(target);
    return target;
  }

  public void copyFrom(byte[] source) {
    copyFrom(source, 0, "byte[]", source.length);
  }

  public void copyFrom(char[] source) {
    copyFrom(source, 1, "char[]", source.length);
  }

  public void copyFrom(short[] source) {
    copyFrom(source, 2, "short[]", source.length);
  }

  public void copyFrom(int[] source) {
    copyFrom(source, 3, "int[]", source.length);
  }

  public void copyFrom(long[] source) {
    copyFrom(source, 4, "long[]", source.length);
  }

  public void copyFrom(float[] source) {
    copyFrom(source, 5, "float[]", source.length);
  }

  public void copyFrom(double[] source) {
    copyFrom(source, 6, "double[]", source.length);
  }

  /** Copies the bytes of all elements, as internal() gives them; of any type, such as float16. */
  public void copyFromRaw(byte[] source) {
    try {
      long bytes = Native.tensorBytes(pointer());
      if (source.length != bytes) {
        throw new IllegalArgumentException(
            "the array has " + bytes + " bytes (" + size() + " elements of " + dtype()
                + "), and the source " + source.length);
      }
      Native.copyFrom(pointer(), source, 0);
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  public byte[] asByteArray() {
    byte[] elements = new byte[size()];
    copyTo(elements, 0, "byte[]");
    return elements;
  }

  public char[] asCharArray() {
    char[] elements = new char[size()];
    copyTo(elements, 1, "char[]");
    return elements;
  }

  public short[] asShortArray() {
    short[] elements = new short[size()];
    copyTo(elements, 2, "short[]");
    return elements;
  }

  public int[] asIntArray() {
    int[] elements = new int[size()];
    copyTo(elements, 3, "int[]");
    return elements;
  }

  public long[] asLongArray() {
    long[] elements = new long[size()];
    copyTo(elements, 4, "long[]");
    return elements;
  }

  public float[] asFloatArray() {
    float[] elements = new float[size()];
    copyTo(elements, 5, "float[]");
    return elements;
  }

  public double[] asDoubleArray() {
    double[] elements = new double[size()];
    copyTo(elements, 6, "double[]");
    return elements;
  }

  /** The bytes of all elements, of any type. */
  public byte[] internal() {
    try {
      byte[] bytes = new byte[Math.toIntExact(Native.tensorBytes(pointer()))];
      Native.copyTo(pointer(), bytes, 0);
      return bytes;
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  private static boolean fits(DataType t, int kind) {
    if (t.lanes() != 1) return false;
    switch (kind) {
      case 0:
        return (t.code() == 0 || t.code() == 1) && t.bits() == 8;
      case 1:
        return t.code() == 1 && t.bits() == 16;
      case 2:
        return t.code() == 0 && t.bits() == 16;
      case 3:
        return t.code() == 0 && t.bits() == 32;
      case 4:
        return t.code() == 0 && t.bits() == 64;
      case 5:
        return t.code() == 2 && t.bits() == 32;
      case 6:
        return t.code() == 2 && t.bits() == 64;
      default:
        return false;
    }
  }

  private void check(int kind, String array) {
    if (!fits(dtype(), kind)) {
      throw new IllegalArgumentException(
          "the elements are of another type: expected an array for " + dtype() + ", found " + array);
    }
  }

  private void copyFrom(Object source, int kind, String name, int length) {
    check(kind, name);
    if (length != size()) {
      throw new IllegalArgumentException(
          "the array has " + size() + " elements, and the source " + length);
    }
    Native.copyFrom(pointer(), source, kind);
    Reference.reachabilityFence(this);
  }

  private void copyTo(Object target, int kind, String name) {
    check(kind, name);
    Native.copyTo(pointer(), target, kind);
    Reference.reachabilityFence(this);
  }
}

package dev.lathe;

/** An element type, such as float32: a value. */
public class DataType {
  public static final DataType FLOAT32 = of("float32");
  public static final DataType FLOAT64 = of("float64");
  public static final DataType INT8 = of("int8");
  public static final DataType UINT8 = of("uint8");
  public static final DataType INT16 = of("int16");
  public static final DataType UINT16 = of("uint16");
  public static final DataType INT32 = of("int32");
  public static final DataType INT64 = of("int64");

  private final long packed;

  DataType(long packed) {
    this.packed = packed;
  }

  /** The same type, for a class that extends this one. */
  protected DataType(DataType other) {
    this(other.packed);
  }

  /** "float32", "int8x4", "bool". */
  public static DataType of(String text) {
    return new DataType(Native.typeParse(Native.bytes(text)));
  }

  final long packed() {
    return packed;
  }

  /** 0: signed, 1: unsigned, 2: float, ... (DLPack). */
  public final int code() {
    return (int) (packed & 0xff);
  }

  public final int bits() {
    return (int) (packed >> 8 & 0xff);
  }

  public final int lanes() {
    return (int) (packed >> 16 & 0xffff);
  }

  @Override
  public final boolean equals(Object other) {
    return other instanceof DataType && ((DataType) other).packed == packed;
  }

  @Override
  public final int hashCode() {
    return Long.hashCode(packed);
  }

  @Override
  public String toString() {
    return Native.text(Native.typeText(packed));
  }
}

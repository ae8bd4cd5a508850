package ml.dmlc.tvm;

/** {@link dev.lathe.DataType} under the name that TVM's programs use. */
public class TVMType extends dev.lathe.DataType {
  /** Values of typeCode. */
  public static final int INT = 0;

  public static final int UINT = 1;
  public static final int FLOAT = 2;
  public static final int HANDLE = 3;

  public final int typeCode;
  public final int bits;

  /** Of an element; of fewer than eight bits, 1. */
  public final int numOfBytes;

  public final int lanes;

  public TVMType(dev.lathe.DataType type) {
    super(type);
    typeCode = code();
    bits = bits();
    numOfBytes = (bits() + 7) / 8;
    lanes = lanes();
  }

  /** "float32", "int8x4". */
  public TVMType(String text) {
    this(dev.lathe.DataType.of(text));
  }

  /** Vectors of `lanes` elements. */
  public TVMType(String text, int lanes) {
    this(lanes == 1 ? text : text + "x" + lanes);
  }
}

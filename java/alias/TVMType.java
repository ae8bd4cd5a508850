package ml.dmlc.tvm;

/** {@link dev.lathe.DataType} under the name that TVM's programs use. */
public class TVMType extends dev.lathe.DataType {
  TVMType(dev.lathe.DataType type) {
    super(type);
  }

  /** "float32", "int8x4". */
  public TVMType(String text) {
    super(dev.lathe.DataType.of(text));
  }
}

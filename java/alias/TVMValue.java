package ml.dmlc.tvm;

/** {@link dev.lathe.Value} under the name that TVM's programs use. */
public class TVMValue extends dev.lathe.Value {
  TVMValue(dev.lathe.Value value) {
    super(value);
  }

  @Override
  public NDArray asNDArray() {
    return new NDArray(super.asNDArray());
  }

  @Override
  public Function asFunction() {
    return new Function(super.asFunction());
  }

  @Override
  public Device asDevice() {
    return new Device(super.asDevice());
  }

  @Override
  public Module asModule() {
    return new Module(super.asModule());
  }
}

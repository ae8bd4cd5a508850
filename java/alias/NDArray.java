package ml.dmlc.tvm;

/** {@link dev.lathe.NDArray} under the name that TVM's programs use. */
public class NDArray extends dev.lathe.NDArray {
  /** Another handle of the same array. */
  public NDArray(dev.lathe.NDArray array) {
    super(array);
  }

  private static NDArray own(dev.lathe.NDArray array) {
    try (dev.lathe.NDArray owner = array) {
      return new NDArray(owner);
    }
  }

  public static NDArray empty(long[] shape) {
    return own(dev.lathe.NDArray.empty(shape));
  }

  public static NDArray empty(long[] shape, dev.lathe.Device device) {
    return own(dev.lathe.NDArray.empty(shape, device));
  }

  public static NDArray empty(long[] shape, dev.lathe.DataType type) {
    return own(dev.lathe.NDArray.empty(shape, type));
  }

  public static NDArray empty(long[] shape, dev.lathe.DataType type, dev.lathe.Device device) {
    return own(dev.lathe.NDArray.empty(shape, type, device));
  }

  @Override
  public NDArray reshape(long... shape) {
    return own(super.reshape(shape));
  }

  public NDArray copyTo(NDArray target) {
    super.copyTo(target);
    return target;
  }

  @Override
  public TVMType dtype() {
    return new TVMType(super.dtype());
  }

  @Override
  public Device device() {
    return new Device(super.device());
  }

  /** The device, by the older name. */
  public TVMContext ctx() {
    return device();
  }
}

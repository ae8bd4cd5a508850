package ml.dmlc.tvm;

/** {@link dev.lathe.Device} under a name that TVM's programs use. */
public class TVMContext extends dev.lathe.Device {
  TVMContext(dev.lathe.Device device) {
    super(device.kind(), device.id());
  }

  /** By the number of its kind (DLPack) and its own. */
  public TVMContext(int kind, int id) {
    super(kind, id);
  }

  public static TVMContext cpu() {
    return cpu(0);
  }

  public static TVMContext cpu(int id) {
    return new TVMContext(dev.lathe.Device.cpu(id));
  }

  public static TVMContext cuda() {
    return cuda(0);
  }

  public static TVMContext cuda(int id) {
    return new TVMContext(dev.lathe.Device.cuda(id));
  }

  public static TVMContext gpu(int id) {
    return cuda(id);
  }

  public static TVMContext opencl() {
    return opencl(0);
  }

  public static TVMContext opencl(int id) {
    return new TVMContext(dev.lathe.Device.opencl(id));
  }

  /** Whether there is such a device. */
  public boolean exist() {
    try {
      return id() < count();
    } catch (dev.lathe.LatheException nothingProvidesIt) {
      return false;
    }
  }
}

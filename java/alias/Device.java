package ml.dmlc.tvm;

/** {@link dev.lathe.Device} under a name that TVM's programs use. */
public class Device extends dev.lathe.Device {
  Device(dev.lathe.Device device) {
    super(device.kind(), device.id());
  }

  /** By the number of its kind (DLPack) and its own. */
  public Device(int kind, int id) {
    super(kind, id);
  }

  public static Device cpu() {
    return cpu(0);
  }

  public static Device cpu(int id) {
    return new Device(dev.lathe.Device.cpu(id));
  }

  public static Device cuda() {
    return cuda(0);
  }

  public static Device cuda(int id) {
    return new Device(dev.lathe.Device.cuda(id));
  }

  public static Device gpu(int id) {
    return cuda(id);
  }

  public static Device opencl() {
    return opencl(0);
  }

  public static Device opencl(int id) {
    return new Device(dev.lathe.Device.opencl(id));
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

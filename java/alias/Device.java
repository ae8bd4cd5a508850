package ml.dmlc.tvm;

/**
 * {@link dev.lathe.Device} under the newer name. It is a TVMContext, too, so that one session or
 * array serves programs of both eras.
 */
public class Device extends TVMContext {
  public Device(dev.lathe.Device device) {
    super(device);
  }

  /** By the number of its kind (DLPack) and its own. */
  public Device(int kind, int id) {
    super(kind, id);
  }

  /** By a name of its kind, such as "cpu", "cuda" or "gpu", "opencl" or "cl". */
  public Device(String kind, int id) {
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

  public static Device gpu() {
    return cuda(0);
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

  public static Device vulkan() {
    return vulkan(0);
  }

  public static Device vulkan(int id) {
    return new Device("vulkan", id);
  }

  public static Device metal() {
    return metal(0);
  }

  public static Device metal(int id) {
    return new Device("metal", id);
  }
}

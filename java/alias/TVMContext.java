package ml.dmlc.tvm;

/** {@link dev.lathe.Device} under the older of the names that TVM's programs use. */
public class TVMContext extends dev.lathe.Device {
  /** The number of its kind (DLPack); in the upper half that of its session. */
  public final int deviceType;

  public final int deviceId;

  // A device of a session keeps it open.
  private final dev.lathe.Device origin;

  public TVMContext(dev.lathe.Device device) {
    super(device.kind(), device.id());
    deviceType = device.kind();
    deviceId = device.id();
    origin = device;
  }

  /** By the number of its kind and its own. */
  public TVMContext(int kind, int id) {
    this(new dev.lathe.Device(kind, id));
  }

  /** By a name of its kind, such as "cpu", "cuda" or "gpu", "opencl" or "cl". */
  public TVMContext(String kind, int id) {
    this(kindOf(kind), id);
  }

  /** TVM has names of compilers for kinds, too. */
  static int kindOf(String name) {
    switch (name) {
      case "llvm":
      case "stackvm":
        return 1;
      case "gpu":
      case "nvptx":
        return 2;
      default:
        return dev.lathe.Device.of(name + ":0").kind();
    }
  }

  public static TVMContext cpu() {
    return Device.cpu();
  }

  public static TVMContext cpu(int id) {
    return Device.cpu(id);
  }

  public static TVMContext cuda() {
    return Device.cuda();
  }

  public static TVMContext cuda(int id) {
    return Device.cuda(id);
  }

  public static TVMContext gpu() {
    return Device.cuda();
  }

  public static TVMContext gpu(int id) {
    return Device.cuda(id);
  }

  public static TVMContext opencl() {
    return Device.opencl();
  }

  public static TVMContext opencl(int id) {
    return Device.opencl(id);
  }

  public static TVMContext vulkan() {
    return Device.vulkan();
  }

  public static TVMContext vulkan(int id) {
    return Device.vulkan(id);
  }

  public static TVMContext metal() {
    return Device.metal();
  }

  public static TVMContext metal(int id) {
    return Device.metal(id);
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

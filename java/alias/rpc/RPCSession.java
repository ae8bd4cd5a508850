package ml.dmlc.tvm.rpc;

import ml.dmlc.tvm.Device;
import ml.dmlc.tvm.Function;
import ml.dmlc.tvm.Module;

/** {@link dev.lathe.rpc.RPCSession} under the name that TVM's programs use. */
public class RPCSession extends dev.lathe.rpc.RPCSession {
  RPCSession(dev.lathe.rpc.RPCSession session) {
    super(session);
  }

  @Override
  public Function getFunction(String name) {
    try (dev.lathe.Function owner = super.getFunction(name)) {
      return new Function(owner);
    }
  }

  @Override
  public Module loadModule(String name) {
    try (dev.lathe.Module owner = super.loadModule(name)) {
      return new Module(owner);
    }
  }

  @Override
  public Device device(dev.lathe.Device kind) {
    return new Device(super.device(kind));
  }

  /** By a name of its kind, such as "cpu" or "opencl". */
  public Device device(String kind, int id) {
    return device(new Device(kind, id));
  }

  public Device device(String kind) {
    return device(kind, 0);
  }

  /** By the number of its kind (DLPack). */
  public Device device(int kind, int id) {
    return device(new Device(kind, id));
  }

  public Device device(int kind) {
    return device(kind, 0);
  }

  /** The same, by the older name, as the next three. */
  public Device context(String kind, int id) {
    return device(kind, id);
  }

  public Device context(String kind) {
    return device(kind, 0);
  }

  public Device context(int kind, int id) {
    return device(kind, id);
  }

  public Device context(int kind) {
    return device(kind, 0);
  }

  @Override
  public Device cpu() {
    return cpu(0);
  }

  public Device cpu(int id) {
    return device(Device.cpu(id));
  }

  public Device cuda() {
    return cuda(0);
  }

  @Override
  public Device cuda(int id) {
    return device(Device.cuda(id));
  }

  public Device gpu() {
    return cuda(0);
  }

  public Device gpu(int id) {
    return cuda(id);
  }

  public Device cl() {
    return opencl(0);
  }

  public Device cl(int id) {
    return opencl(id);
  }

  @Override
  public Device opencl(int id) {
    return device(Device.opencl(id));
  }

  public Device vulkan() {
    return vulkan(0);
  }

  public Device vulkan(int id) {
    return device(Device.vulkan(id));
  }

  public Device metal() {
    return metal(0);
  }

  public Device metal(int id) {
    return device(Device.metal(id));
  }
}

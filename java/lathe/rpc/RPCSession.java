package dev.lathe.rpc;

import dev.lathe.Device;
import dev.lathe.Function;
import dev.lathe.Module;
import dev.lathe.Value;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A session with a server. It lasts until close(). Thread-safe. */
public class RPCSession implements AutoCloseable {
  private final long number;

  RPCSession(long number) {
    this.number = number;
  }

  /** The same session, for a class that extends this one. */
  protected RPCSession(RPCSession other) {
    this(other.number);
  }

  /** Copies a file to the session, under its own name without folders. */
  public void upload(File file) {
    try {
      upload(Files.readAllBytes(file.toPath()), file.getName());
    } catch (IOException error) {
      throw new UncheckedIOException("cannot read " + file, error);
    }
  }

  public void upload(byte[] data, String name) {
    Rpc.call("rpc.session.upload", number, name, data);
  }

  public byte[] download(String name) {
    return Rpc.call("rpc.session.download", number, name).asBytes();
  }

  public List<String> files() {
    List<String> names = new ArrayList<>();
    for (Value name : Rpc.call("rpc.session.files", number).asList()) names.add(name.asString());
    return names;
  }

  public void remove(String name) {
    Rpc.call("rpc.session.remove", number, name);
  }

  /** The module of an uploaded file. Its functions take arrays of the session's devices. */
  public Module loadModule(String name) {
    return Rpc.call("rpc.session.load", number, name).asModule();
  }

  /** A function that the server's process exports. */
  public Function getFunction(String name) {
    return Rpc.call("rpc.session.function", number, name).asFunction();
  }

  /** A device of the session. */
  public Device device(Device kind) {
    return Rpc.call("rpc.session.device", number, kind.kind(), kind.id()).asDevice();
  }

  public Device cpu() {
    return device(Device.cpu());
  }

  public Device opencl(int id) {
    return device(Device.opencl(id));
  }

  public Device cuda(int id) {
    return device(Device.cuda(id));
  }

  /** Seconds per call, one for each of `repeat` samples, by a clock of the session. */
  public double[] time(Function function, Device device, int calls, int repeat, Object... args) {
    List<? extends Value> seconds =
        Rpc.call(
                "rpc.session.time", number, function, device, calls, repeat, 0.0,
                Arrays.asList(args))
            .asList();
    return seconds.stream().mapToDouble(Value::asDouble).toArray();
  }

  /** Ends it: its arrays, modules and functions are of no use from now on. */
  @Override
  public void close() {
    Rpc.call("rpc.session.close", number);
  }
}

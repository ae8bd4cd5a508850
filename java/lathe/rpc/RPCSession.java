package dev.lathe.rpc;

import dev.lathe.Device;
import dev.lathe.Function;
import dev.lathe.Module;
import dev.lathe.Value;
import java.io.File;
import java.io.IOException;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A session with a server. It ends with close(); without that, when the garbage collector has found
 * this object and all modules, functions, arrays and devices that came from it. Thread-safe.
 */
public class RPCSession implements AutoCloseable {
  private static final Cleaner CLEANER = Cleaner.create();

  private final Share share;

  /** What the objects of one session and its devices have in common. */
  private static final class Share {
    final long number;

    Share(long number) {
      this.number = number;
      CLEANER.register(this, drop(number));
    }

    /** Made here, so that it does not hold a Share. */
    private static Runnable drop(long number) {
      return () -> Rpc.call("rpc.session.drop", number);
    }
  }

  RPCSession(long number) {
    share = new Share(number);
  }

  /** The same session, for a class that extends this one. */
  protected RPCSession(RPCSession other) {
    share = other.share;
  }

  private Value call(String name, Object... arguments) {
    List<Object> all = new ArrayList<>();
    all.add(share.number);
    all.addAll(Arrays.asList(arguments));
    try {
      return Rpc.call("rpc.session." + name, all.toArray());
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  /** Copies a file to the session, under its own name without folders. */
  public void upload(File file) throws IOException {
    upload(file, file.getName());
  }

  public void upload(File file, String name) throws IOException {
    upload(Files.readAllBytes(file.toPath()), name);
  }

  public void upload(byte[] data, String name) {
    call("upload", name, data);
  }

  public byte[] download(String name) {
    return call("download", name).asBytes();
  }

  public List<String> files() {
    List<String> names = new ArrayList<>();
    for (Value name : call("files").asList()) names.add(name.asString());
    return names;
  }

  public void remove(String name) {
    call("remove", name);
  }

  /** The module of an uploaded file. Its functions take arrays of the session's devices. */
  public Module loadModule(String name) {
    return call("load", name).asModule();
  }

  /** A function that the server's process exports. */
  public Function getFunction(String name) {
    return call("function", name).asFunction();
  }

  /** A device of the session. */
  public Device device(Device kind) {
    return new SessionDevice(call("device", kind.kind(), kind.id()).asDevice(), share);
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
        call("time", function, device, calls, repeat, 0.0, Arrays.asList(args)).asList();
    return seconds.stream().mapToDouble(Value::asDouble).toArray();
  }

  /** Ends it: its arrays, modules and functions are of no use from now on. */
  @Override
  public void close() {
    call("close");
  }
}

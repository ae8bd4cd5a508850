import dev.lathe.Device;
import dev.lathe.Function;
import dev.lathe.GraphModule;
import dev.lathe.LatheException;
import dev.lathe.NDArray;
import dev.lathe.rpc.Client;
import dev.lathe.rpc.RPCSession;
import dev.lathe.rpc.Server;
import java.io.File;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/** Sessions of a server in this virtual machine, with its functions and with compiled code. */
final class RemoteTest {
  private RemoteTest() {}

  /** The same model, here and there. */
  static void runModel(RPCSession session) throws Exception {
    File file = new File("examples/model/loaded_model.so");
    session.upload(file);
    float[] picture = new float[3 * 16 * 16];
    for (int i = 0; i < picture.length; ++i) picture[i] = i % 7 - 3;
    try (GraphModule here = GraphModule.load(file.getPath());
        GraphModule there = new GraphModule(session.loadModule("loaded_model.so"), "default", session.cpu());
        NDArray near = NDArray.empty(new long[] {1, 3, 16, 16});
        NDArray far = NDArray.empty(new long[] {1, 3, 16, 16}, session.cpu())) {
      near.copyFrom(picture);
      far.copyFrom(picture);
      float[] scores = here.setInput("picture", near).run().getOutput(0).asFloatArray();
      JavaTest.same(scores.length, 10);
      JavaTest.check(
          Arrays.equals(there.setInput(0, far).run().getOutput(0).asFloatArray(), scores), "the model's scores");
      JavaTest.fails("session-argument", () -> there.setInput("picture", near));
    }
    session.remove("loaded_model.so");
  }

  /** Connects while the garbage collector works: the server has one session at a time. */
  static RPCSession connectWhenFree(int port) throws Exception {
    AtomicBoolean done = new AtomicBoolean();
    Thread collector = new Thread(() -> {
      while (!done.get()) {
        System.gc();
        try {
          Thread.sleep(20);
        } catch (InterruptedException stop) {
          return;
        }
      }
    });
    collector.start();
    try {
      return Client.connect("127.0.0.1", port);
    } finally {
      done.set(true);
      collector.join();
    }
  }

  static NDArray arrayOfUnclosedSession(int port) throws Exception {
    Device device = connectWhenFree(port).cpu();
    for (int i = 0; i < 5; ++i) {
      System.gc(); // the device keeps the session
      Thread.sleep(20);
    }
    return NDArray.empty(new long[] {2}, device);
  }

  /** Sessions that nobody closes end with what came from them. */
  static void unclosed() throws Exception {
    try (Server server = new Server(0)) {
      server.start();
      int port = server.port();
      connectWhenFree(port).files();
      NDArray array = arrayOfUnclosedSession(port);
      for (int i = 0; i < 5; ++i) {
        System.gc(); // the array keeps the session
        Thread.sleep(20);
      }
      array.copyFrom(new float[] {1, 2});
      JavaTest.check(Arrays.equals(array.asFloatArray(), new float[] {1, 2}), "still open");
      array = null;
      try (RPCSession last = connectWhenFree(port)) {
        JavaTest.same(last.files(), List.of());
      }
    }
  }

  /** A function that still runs may ask the server that waits for it. */
  static void terminateWhileCalled() throws Exception {
    Server server = new Server(0);
    server.start();
    CountDownLatch called = new CountDownLatch(1);
    AtomicReference<String> found = new AtomicReference<>();
    Function.registerGlobal("java.until_stopped", values -> {
      called.countDown();
      try {
        while (server.port() > 0) Thread.sleep(1);
      } catch (LatheException stopped) {
        found.set(stopped.name());
      } catch (InterruptedException stopped) {
        found.set("interrupted");
      }
      return null;
    }, false, true);
    RPCSession session = Client.connect("127.0.0.1", server.port());
    Thread caller = new Thread(() -> {
      try {
        session.getFunction("java.until_stopped").call();
      } catch (LatheException theServerHasStopped) {
        return;
      }
    });
    caller.start();
    called.await();
    server.terminate();
    JavaTest.same(found.get(), "rpc-server-closed");
    caller.join();
    session.close();
  }

  public static void main(String[] args) throws Exception {
    File library = new File(JavaTest.compiled());
    Function.registerGlobal("java.add", values -> values[0].asLong() + values[1].asLong(), false, true);
    Function.registerGlobal("java.fail", values -> {
      throw new IllegalStateException("from the server");
    }, false, true);
    Function.registerGlobal("java.call", values -> values[0].asFunction().call(20), false, true);
    try (Server server = new Server(0)) {
      server.start();
      for (int i = 0; i < 3; ++i) {
        try (RPCSession session = Client.connect("127.0.0.1", server.port())) {
          session.upload(library);
          JavaTest.same(session.files(), List.of("add.so"));
          JavaTest.check(session.download("add.so").length > 1000, "a file comes back");
          Function add = session.loadModule("add.so").entryFunc();
          Device cpu = session.cpu();
          try (NDArray a = NDArray.empty(new long[] {3}, cpu); NDArray b = NDArray.empty(new long[] {3}, cpu)) {
            a.copyFrom(new float[] {1, 2, 3});
            add.call(a, a, b);
            JavaTest.check(Arrays.equals(b.asFloatArray(), new float[] {2, 4, 6}), "the kernel's result");
            double[] seconds = session.time(add, cpu, 10, 3, a, a, b);
            JavaTest.check(seconds.length == 3 && seconds[0] > 0, "three samples");
          }
          runModel(session);
          JavaTest.same(session.getFunction("java.add").call(1, 2).asLong(), 3L);
          JavaTest.check(
              JavaTest.fails("java-exception", () -> session.getFunction("java.fail").call())
                  .contains("from the server"), "the message crosses");
          // The server calls a function of the client.
          JavaTest.same(
              session.getFunction("java.call")
                  .call((Function.Callback) values -> values[0].asLong() + 1).asLong(), 21L);
          JavaTest.fails("registry-not-exported", () -> session.getFunction("rpc.connect"));
          session.remove("add.so");
          JavaTest.fails("session-file-missing", () -> session.loadModule("add.so"));
        }
      }
      int port = server.port();
      server.terminate();
      JavaTest.fails("rpc-unreachable", () -> Client.connect("127.0.0.1", port));
    }
    try (Server away = new Server("127.0.0.1", 1, "android")) {
      away.start(); // it dials again and again
    }
    unclosed();
    terminateWhileCalled();
    OldProgram.run("old", "examples/model/loaded_model.so", library);
    YoungProgram.run("young", "examples/model/loaded_model.so", library);
    System.out.println("ok");
  }
}

import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import ml.dmlc.tvm.Function;
import ml.dmlc.tvm.Module;
import ml.dmlc.tvm.NDArray;
import ml.dmlc.tvm.TVMContext;
import ml.dmlc.tvm.TVMType;
import ml.dmlc.tvm.TVMValue;
import ml.dmlc.tvm.contrib.GraphModule;
import ml.dmlc.tvm.contrib.GraphRuntime;
import ml.dmlc.tvm.rpc.Client;
import ml.dmlc.tvm.rpc.RPCSession;
import ml.dmlc.tvm.rpc.Server;

/** A server, a session and a model as programs for TVM have them. */
final class OldProgram {
  private OldProgram() {}

  private static final float[] PICTURE = new float[3 * 16 * 16];

  /** Its variables have the types that such programs write. */
  private static void devices(RPCSession session) {
    TVMContext device = session.cpu();
    JavaTest.same(session.cpu(0), device);
    JavaTest.same(session.context("cpu"), device);
    JavaTest.same(session.context("llvm", 0), device);
    JavaTest.same(session.context(1), device);
    JavaTest.same(session.context(1, 0), device);
    TVMContext[] others = {
      session.gpu(), session.gpu(0), session.cl(), session.cl(0), session.vulkan(),
      session.vulkan(0), session.metal(), session.metal(0),
    };
    int[] kinds = {2, 2, 4, 4, 7, 7, 8, 8};
    for (int i = 0; i < kinds.length; ++i) {
      JavaTest.same(others[i].deviceType & 0xffff, kinds[i]);
      JavaTest.same(others[i].deviceId, 0);
    }
    NDArray array = NDArray.empty(new long[] {2}, new TVMType("float32"), device);
    TVMContext place = array.ctx();
    JavaTest.same(place, device);
    JavaTest.check(TVMContext.cpu().exist() && !TVMContext.metal(0).exist(), "what exists");
    JavaTest.same(new TVMContext("gpu", 1), TVMContext.gpu(1));
    JavaTest.same(TVMContext.vulkan().deviceType, 7);
    TVMType type = new TVMType("float16", 4);
    JavaTest.check(type.typeCode == TVMType.FLOAT && type.bits == 16 && type.numOfBytes == 2
        && type.lanes == 4, "the fields of a type");
  }

  private static void kernel(RPCSession session, File library) throws IOException {
    session.upload(library);
    session.upload(library, "second.so");
    byte[] file = session.download("add.so");
    session.upload(file, "third.so");
    for (String name : new String[] {"add.so", "second.so", "third.so"}) {
      Module module = session.loadModule(name);
      Function add = module.getFunction("vector_add", false);
      NDArray a = NDArray.empty(new long[] {3}, session.cpu());
      NDArray sum = NDArray.empty(new long[] {3}, session.cpu());
      a.copyFrom(new float[] {1, 2, 3});
      add.pushArg(a).pushArg(a).pushArg(sum).invoke();
      JavaTest.check(Arrays.equals(sum.asFloatArray(), new float[] {2, 4, 6}), "the sum");
    }
  }

  private static float[] scores(GraphModule graph, TVMContext device) {
    NDArray picture = NDArray.empty(new long[] {1, 3, 16, 16}, device);
    picture.copyFrom(PICTURE);
    graph.setInput("picture", picture).run();
    NDArray back = NDArray.empty(new long[] {1, 3, 16, 16}, device);
    graph.getInput(0, back);
    JavaTest.check(Arrays.equals(back.asFloatArray(), PICTURE), "the input comes back");
    NDArray scores = NDArray.empty(new long[] {1, 10}, device);
    graph.getOutput(0, scores);
    JavaTest.check(Arrays.equals(graph.getOutput(0).asFloatArray(), scores.asFloatArray()), "both");
    graph.release();
    return scores.asFloatArray();
  }

  private static void model(RPCSession session, File file) throws IOException {
    for (int i = 0; i < PICTURE.length; ++i) PICTURE[i] = i % 5 - 2;
    Module here = Module.load(file.getPath());
    float[] near = scores(GraphRuntime.create("{}", here, TVMContext.cpu()), TVMContext.cpu());
    session.upload(file);
    Module there = session.loadModule(file.getName());
    TVMContext device = session.cpu();
    float[] far = scores(GraphRuntime.create("{}", there, device), device);
    JavaTest.check(Arrays.equals(far, near), "the scores");
    // What "default" made is a graph already.
    for (Module library : new Module[] {here, there}) {
      TVMContext on = library == here ? TVMContext.cpu() : device;
      Module made = library.getFunction("default").pushArg(on).invoke().asModule();
      JavaTest.check(Arrays.equals(scores(new GraphModule(made, on), on), near), "of a graph");
    }
  }

  /** Runs all; `era` makes the names of its functions. */
  static void run(String era, String model, File library) throws Exception {
    Function.register(era + ".append", new Function.Callback() {
      @Override
      public Object invoke(TVMValue... args) {
        return args[0].asString() + args[1].asString();
      }
    });
    Function.register(era + ".append2", args -> "", false);
    Function.register(era + ".append2", args -> args[0].asLong(), true);
    JavaTest.same(Function.getFunction(era + ".append").call("a", "b").asString(), "ab");
    JavaTest.check(Module.enabled("cpu") && Module.enabled("rpc"), "enabled");
    JavaTest.check(!Module.enabled("metal") && !Module.enabled("llvm"), "not enabled");
    Server server;
    try {
      server = new Server(0);
    } catch (IOException error) {
      throw new AssertionError(error);
    }
    server.start();
    RPCSession session = Client.connect("127.0.0.1", server.port());
    Function append = session.getFunction(era + ".append");
    JavaTest.same(append.call("x", "y").asString(), "xy");
    JavaTest.same(session.getFunction(era + ".append2").call(7).asLong(), 7L);
    devices(session);
    kernel(session, library);
    model(session, new File(model));
    NDArray raw = NDArray.empty(new long[] {2}, new TVMType("float16"));
    raw.copyFromRaw(new byte[] {0, 60, 0, 64});
    JavaTest.check(Arrays.equals(raw.internal(), new byte[] {0, 60, 0, 64}), "raw");
    session.close();
    server.terminate();
  }
}

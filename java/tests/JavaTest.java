import dev.lathe.DataType;
import dev.lathe.Device;
import dev.lathe.Function;
import dev.lathe.LatheException;
import dev.lathe.Module;
import dev.lathe.NDArray;
import dev.lathe.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Values, errors, arrays and modules of the package, both ways. */
final class JavaTest {
  private JavaTest() {}

  static void check(boolean condition, String what) {
    if (!condition) throw new AssertionError(what);
  }

  static void same(Object found, Object expected) {
    check(expected.equals(found), "expected " + expected + ", found " + found);
  }

  interface Body {
    void run() throws Exception;
  }

  /** That it throws an error of this name; its text. */
  static String fails(String name, Body body) throws Exception {
    try {
      body.run();
    } catch (LatheException error) {
      same(error.name(), name);
      return error.getMessage();
    }
    throw new AssertionError("expected " + name);
  }

  static <T extends Exception> String failsAs(Class<T> kind, Body body) {
    try {
      body.run();
    } catch (Exception error) {
      check(kind.isInstance(error), "expected " + kind + ", found " + error);
      return error.getMessage();
    }
    throw new AssertionError("expected " + kind);
  }

  /** Each kind of value goes to a callback and comes back. */
  static void values() {
    try (Function echo = Function.of(args -> args[0])) {
      same(echo.call(7).asLong(), 7L);
      same(echo.call(Long.MIN_VALUE).asLong(), Long.MIN_VALUE);
      same(echo.call((short) -3).asDouble(), -3.0);
      same(echo.call(2.5f).asDouble(), 2.5);
      check(Double.isNaN(echo.call(Double.NaN).asDouble()), "NaN");
      same(echo.call(true).asBoolean(), true);
      check(echo.call((Object) null).isNull(), "null");
      for (String text : List.of("", "abc", "Größe 𝄞", "a\0b")) same(echo.call(text).asString(), text);
      check(Arrays.equals(echo.call(new byte[] {0, -1, 2}).asBytes(), new byte[] {0, -1, 2}), "bytes");
      same(echo.call(DataType.of("int8x4")).asDataType().toString(), "int8x4");
      same(echo.call(Device.opencl(3)).asDevice(), Device.opencl(3));
      List<? extends Value> list = echo.call(List.of(1, "two", List.of(3.0))).asList();
      same(list.size(), 3);
      same(list.get(1).asString(), "two");
      same(list.get(2).asList().get(0).asDouble(), 3.0);
      try (NDArray array = NDArray.empty(new long[] {2}); NDArray back = echo.call(array).asNDArray()) {
        array.copyFrom(new float[] {1, 2});
        check(Arrays.equals(back.asFloatArray(), new float[] {1, 2}), "the same array");
      }
      try (Function back = echo.call(echo).asFunction()) {
        same(back.pushArg(1).invoke().asLong(), 1L);
      }
      same(echo.call((Function.Callback) args -> args.length).asFunction().call(1, 2).asLong(), 2L);
    }
  }

  static void errors() throws Exception {
    String page = fails("registry-not-found", () -> Function.getFunction("rpc.conect"));
    check(page.contains("rpc.connect"), page);
    try (Function wrong = Function.of(args -> {
      throw new LatheException("my-name", "my message");
    })) {
      check(fails("my-name", wrong::call).contains("my message"), "the message");
    }
    try (Function wrong = Function.of(args -> List.of(1).get(5))) {
      page = fails("java-exception", wrong::call);
      check(page.contains("OutOfBounds"), page);
    }
    try (Function wrong = Function.of(args -> new Object())) {
      check(fails("java-exception", wrong::call).contains("java.lang.Object"), "the class");
    }
    // From Lathe through Java and back.
    try (Function inner = Function.of(args -> args[0].asFunction().call(1));
        Function outer = Function.of(args -> args[0].asString())) {
      check(fails("value-wrong-kind", () -> inner.call(outer)).contains("expected: text"), "the notes");
    }
    failsAs(IllegalArgumentException.class, () -> Function.getFunction("rpc.connect").call(new Object()));
    fails("dtype-unknown", () -> DataType.of("float33x"));
    NDArray released = NDArray.empty(new long[] {1});
    released.release();
    released.release();
    failsAs(IllegalStateException.class, released::shape);
  }

  static void registry() throws Exception {
    Function.registerGlobal("java.test", args -> args[0].asLong() + 1, false);
    same(Function.getFunction("java.test").call(1).asLong(), 2L);
    fails("registry-name-taken", () -> Function.registerGlobal("java.test", args -> 0, false));
    Function.registerGlobal("java.test", args -> 0, true);
    same(Function.getFunction("java.test").call().asLong(), 0L);
  }

  static void arrays() {
    long[] shape = {2, 3};
    int[] ints = {1, 2, 3, 4, 5, 6};
    try (NDArray array = NDArray.empty(shape, DataType.INT32)) {
      array.copyFrom(ints);
      check(Arrays.equals(array.asIntArray(), ints), "ints");
      check(Arrays.equals(array.shape(), shape), "shape");
      same(array.dtype().toString(), "int32");
      same(array.device(), Device.cpu());
      same(array.internal().length, 24);
      try (NDArray flat = array.reshape(6); NDArray copy = NDArray.empty(new long[] {6}, DataType.INT32)) {
        check(Arrays.equals(flat.copyTo(copy).asIntArray(), ints), "reshaped and copied");
      }
      failsAs(IllegalArgumentException.class, () -> array.copyFrom(new float[6]));
      failsAs(IllegalArgumentException.class, () -> array.copyFrom(new int[5]));
      failsAs(IllegalArgumentException.class, array::asFloatArray);
    }
    try (NDArray array = NDArray.empty(new long[] {2}, DataType.FLOAT64)) {
      array.copyFrom(new double[] {0.5, -1});
      check(Arrays.equals(array.asDoubleArray(), new double[] {0.5, -1}), "doubles");
    }
    try (NDArray array = NDArray.empty(new long[] {2}, DataType.UINT16)) {
      array.copyFrom(new char[] {65535, 'a'});
      check(Arrays.equals(array.asCharArray(), new char[] {65535, 'a'}), "chars");
    }
    try (NDArray array = NDArray.empty(new long[] {2}, DataType.of("int16"))) {
      array.copyFrom(new short[] {-1, 1});
      check(Arrays.equals(array.asShortArray(), new short[] {-1, 1}), "shorts");
    }
    // Types that Java has no arrays of.
    for (String type : List.of("float16", "bool", "uint32")) {
      try (NDArray array = NDArray.empty(new long[] {2}, DataType.of(type))) {
        byte[] raw = new byte[2 * ((array.dtype().bits() + 7) / 8)];
        raw[0] = 1;
        array.copyFromRaw(raw);
        check(Arrays.equals(array.internal(), raw), "raw " + type);
        String text = failsAs(IllegalArgumentException.class, () -> array.copyFromRaw(new byte[1]));
        check(text.contains(raw.length + " bytes (2 elements of " + type + ")"), text);
      }
    }
    try (NDArray array = NDArray.empty(new long[] {1}, DataType.INT64)) {
      array.copyFrom(new long[] {Long.MAX_VALUE});
      check(array.asLongArray()[0] == Long.MAX_VALUE, "longs");
    }
    try (NDArray array = NDArray.empty(new long[] {2}, DataType.INT8)) {
      array.copyFrom(new byte[] {-1, 1});
      check(Arrays.equals(array.asByteArray(), new byte[] {-1, 1}), "bytes");
    }
  }

  /** Refused before native code sees them. */
  static void nulls() {
    Class<NullPointerException> refused = NullPointerException.class;
    failsAs(refused, () -> NDArray.empty(null));
    failsAs(refused, () -> NDArray.empty(new long[] {1}, (DataType) null));
    failsAs(refused, () -> NDArray.empty(new long[] {1}, (Device) null));
    failsAs(refused, () -> Function.of(null));
    failsAs(refused, () -> Function.registerGlobal("java.null", null, false));
    try (NDArray array = NDArray.empty(new long[] {1})) {
      failsAs(refused, () -> array.reshape((long[]) null));
      failsAs(refused, () -> array.copyTo(null));
      failsAs(refused, () -> array.copyFromRaw(null));
    }
  }

  static String compiled() throws Exception {
    String out = System.getenv("TEST_TMPDIR") + "/add.so";
    Process compiler = new ProcessBuilder(
        "tools/lathe/lathe", "compile", "examples/programs/vector_add.lathe", "-o", out).inheritIO().start();
    same(compiler.waitFor(), 0);
    return out;
  }

  static void modules() throws Exception {
    try (Module module = Module.load(compiled()); Function add = module.entryFunc();
        NDArray a = NDArray.empty(new long[] {5}); NDArray b = NDArray.empty(new long[] {5})) {
      a.copyFrom(new float[] {1, 2, 3, 4, 5});
      add.pushArg(a).pushArg(a).pushArg(b).invoke();
      check(Arrays.equals(b.asFloatArray(), new float[] {2, 4, 6, 8, 10}), Arrays.toString(b.asFloatArray()));
      module.getFunction("vector_add").call(a, b, a);
      check(a.asFloatArray()[4] == 15, "by its name");
      fails("module-no-function", () -> module.getFunction("vector_ad"));
      fails("call-argument-count", () -> add.call(a));
    }
    fails("module-file-unreadable", () -> Module.load("/none.so"));
  }

  /** Many threads call and are called at once. */
  static void threads() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    try (Function count = Function.of(args -> args[0].asLong() + calls.incrementAndGet() * 0)) {
      List<Thread> threads = new ArrayList<>();
      AtomicInteger wrong = new AtomicInteger();
      for (int t = 0; t < 4; ++t) {
        threads.add(new Thread(() -> {
          for (long i = 0; i < 2000; ++i) if (count.call(i).asLong() != i) wrong.incrementAndGet();
        }));
      }
      for (Thread thread : threads) thread.start();
      for (Thread thread : threads) thread.join();
      same(wrong.get(), 0);
      same(calls.get(), 8000);
    }
  }

  public static void main(String[] args) throws Exception {
    values();
    errors();
    registry();
    arrays();
    nulls();
    modules();
    threads();
    System.out.println("ok");
  }
}

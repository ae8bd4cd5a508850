import dev.lathe.Function;
import dev.lathe.NDArray;
import java.nio.file.Files;
import java.nio.file.Path;

/** A million calls into Lathe and back leave nothing behind. */
final class ManyCallsTest {
  private static final int CALLS = 250_000; // of each of four kinds
  private static final long MOST_GROWTH = 32 << 20; // bytes; a leak of 40 bytes per call is more

  private ManyCallsTest() {}

  private static long resident() throws Exception {
    System.gc();
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmRSS:")) return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
    }
    throw new AssertionError("no VmRSS");
  }

  private static void call(Function echo, NDArray array, int times) {
    for (int i = 0; i < times; ++i) {
      if (echo.call(i).asLong() != i) throw new AssertionError("a number");
      if (!echo.pushArg("text").invoke().asString().equals("text")) throw new AssertionError("text");
      echo.call(array).release();
      try (NDArray made = NDArray.empty(new long[] {4})) {
        if (made.size() != 4) throw new AssertionError("a size");
      }
    }
  }

  public static void main(String[] args) throws Exception {
    try (Function echo = Function.of(values -> {
          Object result = values[0].object();
          return result;
        });
        NDArray array = NDArray.empty(new long[] {1})) {
      call(echo, array, CALLS); // the virtual machine takes what it needs
      long before = resident();
      call(echo, array, CALLS);
      long growth = resident() - before;
      System.out.println("grown by " + growth + " bytes");
      if (growth > MOST_GROWTH) throw new AssertionError("grown by " + growth + " bytes");
    }
  }
}

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The programs of docs/guides/java.md compile, and print what it says. */
final class GuideTest {
  private GuideTest() {}

  /** What the program prints, line by line; the guide must have each line as `line`. */
  static void prints(Path classes, String guide, List<String> lines, String name, String... args)
      throws Exception {
    PrintStream console = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, "UTF-8"));
    try {
      DocumentTest.run(classes, name, args);
    } finally {
      System.setOut(console);
    }
    List<String> found = new ArrayList<>(List.of(printed.toString("UTF-8").split("\n")));
    found.removeAll(List.of(name, "Camera")); // by DocumentTest.run, here and on another thread
    JavaTest.same(found, lines);
    for (String line : lines) {
      JavaTest.check(guide.contains("`" + line + "`"), "the guide has " + line);
    }
  }

  /** Proxy, device and client, as in three terminals. */
  static void runRemote(Path classes, String guide, String library) throws Exception {
    Process proxy = new ProcessBuilder("tools/lathe/lathe", "remote", "proxy", "--port", "0")
        .redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try {
      String listening =
          new BufferedReader(new InputStreamReader(proxy.getInputStream(), "UTF-8")).readLine();
      String port = listening.substring(listening.lastIndexOf(':') + 1);
      PipedOutputStream input = new PipedOutputStream();
      System.setIn(new PipedInputStream(input));
      AtomicReference<Exception> failure = new AtomicReference<>();
      Thread device = new Thread(() -> {
        try {
          DocumentTest.run(classes, "Camera", "127.0.0.1", port);
        } catch (Exception error) {
          failure.set(error);
        }
      });
      device.start();
      prints(classes, guide, List.of("640", "[2.0, 4.0, 6.0]", "3 times"), "Remote", "127.0.0.1",
          port, library);
      input.close();
      device.join();
      if (failure.get() != null) throw failure.get();
    } finally {
      proxy.destroy();
    }
  }

  public static void main(String[] args) throws Exception {
    Path work = Files.createDirectories(Path.of(System.getenv("TEST_TMPDIR"), "guide"));
    String guide = Files.readString(Path.of("docs/guides/java.md"));
    Matcher blocks = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL).matcher(guide);
    List<String> names = new ArrayList<>();
    List<Path> sources = new ArrayList<>();
    while (blocks.find()) {
      Matcher name = Pattern.compile("public class (\\w+)").matcher(blocks.group(1));
      if (!name.find()) throw new AssertionError("a block without a class: " + blocks.group(1));
      names.add(name.group(1));
      sources.add(Files.writeString(work.resolve(name.group(1) + ".java"), blocks.group(1)));
    }
    JavaTest.same(names, List.of("Add", "Model", "Camera", "Remote"));
    for (String name : names) {
      String jar = "-cp bazel-bin/java/lathe.jar";
      JavaTest.check(guide.contains("java " + jar + ":. " + name + " "), "it runs " + name);
      Pattern line = Pattern.compile("javac " + jar + "(?: \\w+.java)*? " + name + ".java");
      JavaTest.check(line.matcher(guide).find(), "it compiles " + name);
    }
    Path classes = DocumentTest.compile(sources, work.resolve("classes"));
    String library = JavaTest.compiled();
    prints(classes, guide, List.of("[2.0, 4.0, 6.0]"), "Add", library);
    prints(classes, guide, List.of("input 0: picture", "[1, 10]"), "Model",
        "examples/model/loaded_model.so");
    runRemote(classes, guide, library);
    System.out.println("ok");
  }
}

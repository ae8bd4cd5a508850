import java.io.File;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/** The Java programs of the acceptance folder, unchanged, with the names of both packages. */
final class DocumentTest {
  private DocumentTest() {}

  static Path compile(List<Path> sources, Path out) throws Exception {
    Files.createDirectories(out);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    List<String> arguments =
        new ArrayList<>(List.of("-d", out.toString(), "-classpath", System.getProperty("java.class.path")));
    for (Path source : sources) arguments.add(source.toString());
    int status = compiler.run(null, null, null, arguments.toArray(new String[0]));
    if (status != 0) throw new AssertionError("the programs do not compile");
    return out;
  }

  static void run(Path classes, String name, String... args) throws Exception {
    try (URLClassLoader loader = new URLClassLoader(new URL[] {classes.toUri().toURL()})) {
      Method main = loader.loadClass(name).getMethod("main", String[].class);
      System.out.println(name);
      main.invoke(null, (Object) args);
    }
  }

  public static void main(String[] args) throws Exception {
    Path work = Path.of(System.getenv("TEST_TMPDIR"));
    // Relative: the sandbox gives the folder of data, and the programs lie beside it.
    String data = System.getenv("LATHE_TEST_DATA");
    Path programs = data == null || data.isEmpty() ? null : Path.of(data, "../acceptance/doc001_java");
    if (programs == null || !Files.isDirectory(programs)) {
      System.out.println("SKIPPED: no programs; LATHE_TEST_DATA names the folder beside which they lie");
      return;
    }
    String library = JavaTest.compiled();
    Files.copy(Path.of(library), work.resolve("add_cpu.so"));
    List<Path> sources = Files.list(programs).filter(p -> p.toString().endsWith(".java")).collect(Collectors.toList());
    if (sources.isEmpty()) throw new AssertionError("no programs in " + programs);
    Path old = compile(sources, work.resolve("old"));
    List<Path> renamed = new ArrayList<>();
    Files.createDirectories(work.resolve("renamed"));
    for (Path source : sources) {
      Path copy = work.resolve("renamed").resolve(source.getFileName().toString());
      Files.writeString(copy, Files.readString(source).replace("ml.dmlc.tvm", "org.apache.tvm"));
      renamed.add(copy);
    }
    Path young = compile(renamed, work.resolve("young"));
    for (Path classes : List.of(old, young)) {
      run(classes, "CallbackTest");
      run(classes, "LoadAddFunc", work.toString());
    }
  }
}

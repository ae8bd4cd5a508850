import java.io.File;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** The virtual machine is the pinned one, and jars have the same bytes whoever makes them. */
final class SelfTest {
  private SelfTest() {}

  private static void check(boolean condition, String what) {
    if (!condition) throw new AssertionError(what);
  }

  public static void main(String[] args) throws Exception {
    String home = System.getProperty("java.home");
    check(home.contains("/jdk/") || home.contains("external/jdk"), "java.home is " + home);
    check(System.getProperty("java.version").startsWith("17."), System.getProperty("java.version"));
    check(SelfTestLibrary.greeting("jar").equals("hello, jar"), "a class of the library");
    boolean asserts = false;
    assert asserts = true;
    check(asserts, "tests run with -ea");

    List<String> names = new ArrayList<>();
    try (ZipFile jar = new ZipFile(new File(args[0]))) {
      for (ZipEntry entry : Collections.list(jar.entries())) {
        names.add(entry.getName());
        check(entry.getTimeLocal().getYear() == 1980, entry.getName() + " " + entry.getTimeLocal());
      }
    }
    check(names.remove(0).equals("META-INF/MANIFEST.MF"), "the manifest comes first");
    List<String> sorted = new ArrayList<>(names);
    Collections.sort(sorted);
    check(names.equals(sorted), names + " is not sorted");
    check(names.equals(List.of("SelfTestLibrary.class", "text/jdk.txt")), names.toString());
    System.out.println("ok");
  }
}

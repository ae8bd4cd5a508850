import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The programs of docs/guides/java.md compile, and the first one runs. */
final class GuideTest {
  private GuideTest() {}

  public static void main(String[] args) throws Exception {
    Path work = Files.createDirectories(Path.of(System.getenv("TEST_TMPDIR"), "guide"));
    Matcher blocks =
        Pattern.compile("```java\n(.*?)```", Pattern.DOTALL).matcher(Files.readString(Path.of("docs/guides/java.md")));
    List<String> names = new ArrayList<>();
    List<Path> sources = new ArrayList<>();
    while (blocks.find()) {
      Matcher name = Pattern.compile("public class (\\w+)").matcher(blocks.group(1));
      if (!name.find()) throw new AssertionError("a block without a class: " + blocks.group(1));
      names.add(name.group(1));
      sources.add(Files.writeString(work.resolve(name.group(1) + ".java"), blocks.group(1)));
    }
    JavaTest.same(names, List.of("Add", "Model", "Device"));
    Path classes = DocumentTest.compile(sources, work.resolve("classes"));
    DocumentTest.run(classes, "Add", JavaTest.compiled());
    System.out.println("ok");
  }
}

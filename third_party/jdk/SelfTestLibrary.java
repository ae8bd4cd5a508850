/** A class in a library of its own, which {@link SelfTest} finds on its class path. */
final class SelfTestLibrary {
  private SelfTestLibrary() {}

  static String greeting(String name) {
    return "hello, " + name;
  }
}

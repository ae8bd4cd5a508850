package dev.lathe;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** The functions of the native library, and what that library calls here. */
final class Native {
  private static final String LIBRARY = "liblathe_jni.so";
  private static final int UNKNOWN = 2; // lathe_code

  static {
    load();
  }

  private Native() {}

  /** From the jar, or the file that the property lathe.library names. */
  private static void load() {
    String named = System.getProperty("lathe.library");
    if (named != null) {
      System.load(Path.of(named).toAbsolutePath().toString());
      return;
    }
    try (InputStream packed = Native.class.getResourceAsStream(LIBRARY)) {
      if (packed == null) {
        throw new UnsatisfiedLinkError(
            "the jar has no " + LIBRARY + "; name the file by -Dlathe.library=FILE");
      }
      Path file = Files.createTempFile("lathe", ".so");
      try {
        Files.copy(packed, file, StandardCopyOption.REPLACE_EXISTING);
        System.load(file.toString());
      } finally {
        Files.delete(file); // the loaded library needs no name
      }
    } catch (IOException error) {
      throw new UncheckedIOException("the library of the jar cannot be written to a file", error);
    }
  }

  static byte[] bytes(String text) {
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }

  static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  // Pointers are references of Java's own, unless they are arguments. Arrays are those of Crossing.
  static native void release(long object);

  static native void retain(long object);

  static native void call(long function, int[] kinds, long[] numbers, byte[][] bytes, int n);

  static native long callback(Object callback);

  static native long listNew(int[] kinds, long[] numbers, byte[][] bytes, int n);

  static native int listSize(long list);

  static native void listItems(long list, int[] kinds, long[] numbers, byte[][] bytes);

  static native long globalFind(byte[] name);

  static native void globalRegister(byte[] name, long function, boolean replace, boolean exported);

  static native boolean globalRemove(byte[] name);

  static native long typeParse(byte[] name);

  static native byte[] typeText(long type);

  static native long deviceParse(byte[] name);

  static native byte[] deviceText(long device);

  static native int deviceCount(int kind);

  static native void deviceSynchronize(long device);

  static native long tensorEmpty(long[] shape, long type, long device);

  static native long[] tensorShape(long tensor);

  static native long tensorType(long tensor);

  static native long tensorDevice(long tensor);

  static native long tensorBytes(long tensor);

  static native void tensorCopy(long from, long to);

  static native long tensorReshape(long tensor, long[] shape);

  static native void copyFrom(long tensor, Object array, int kind);

  static native void copyTo(long tensor, Object array, int kind);

  static native long moduleLoad(byte[] path);

  static native long moduleFunction(long module, byte[] name);

  static native byte[] moduleKind(long module);

  static native void moduleImport(long module, long imported);

  // --- Called by the library ---

  static LatheException failure(
      int code, byte[] name, byte[] message, byte[] notes, byte[] whole) {
    return new LatheException(code, text(name), text(message), text(notes), text(whole));
  }

  static OutOfMemoryError outOfMemory() {
    return new OutOfMemoryError("Lathe has no memory for this");
  }

  /**
   * Calls a callback with all values but the last, which becomes the result. Returns 0, or the code
   * of an error with its name, message and notes in `texts`.
   */
  static int called(
      Object callback, int[] kinds, long[] numbers, byte[][] bytes, byte[][] texts) {
    Crossing crossing = new Crossing(kinds, numbers, bytes);
    int n = kinds.length - 1;
    try {
      Value[] arguments = new Value[n];
      for (int i = 0; i < n; ++i) arguments[i] = crossing.get(i);
      crossing.give(n, ((Function.Callback) callback).invoke(arguments));
      return 0;
    } catch (LatheException error) {
      return fail(texts, error.code(), error.name(), error.text(), error.notes());
    } catch (Throwable error) { // also errors of the virtual machine: the caller must hear of them
      StackTraceElement[] trace = error.getStackTrace();
      return fail(
          texts,
          UNKNOWN,
          "java-exception",
          error.toString(),
          trace.length == 0 ? "" : "at: " + trace[0]);
    }
  }

  private static int fail(byte[][] texts, int code, String name, String message, String notes) {
    texts[0] = bytes(name);
    texts[1] = bytes(message);
    texts[2] = bytes(notes);
    return code == 0 ? UNKNOWN : code;
  }
}

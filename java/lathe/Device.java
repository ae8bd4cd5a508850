package dev.lathe;

import java.lang.ref.Reference;

/** A device of this process or of a session: a value. */
public class Device {
  private final long packed;

  Device(long packed) {
    this.packed = packed;
  }

  /** By the number of its kind (DLPack) and its own. */
  public Device(int kind, int id) {
    this((long) kind & 0xffffffffL | (long) id << 32);
  }

  /** "cpu", "cuda:1", "opencl(0)". */
  public static Device of(String text) {
    return new Device(Native.deviceParse(Native.bytes(text)));
  }

  public static Device cpu() {
    return cpu(0);
  }

  public static Device cpu(int id) {
    return new Device(1, id);
  }

  public static Device cuda(int id) {
    return new Device(2, id);
  }

  public static Device opencl(int id) {
    return new Device(4, id);
  }

  final long packed() {
    return packed;
  }

  /** The number of its kind; in the upper half that of its session. */
  public final int kind() {
    return (int) packed;
  }

  public final int id() {
    return (int) (packed >> 32);
  }

  /** How many devices of this kind there are. Fails if nothing provides the kind. */
  public int count() {
    try {
      return Native.deviceCount(kind());
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  /** Waits for the device's work that this thread started. */
  public void sync() {
    try {
      Native.deviceSynchronize(packed);
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public final boolean equals(Object other) {
    return other instanceof Device && ((Device) other).packed == packed;
  }

  @Override
  public final int hashCode() {
    return Long.hashCode(packed);
  }

  @Override
  public String toString() {
    return Native.text(Native.deviceText(packed));
  }
}

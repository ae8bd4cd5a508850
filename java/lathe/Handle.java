package dev.lathe;

import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A reference to an object of the native library. The object goes with its last reference: by
 * release(), close(), or when the garbage collector finds this. Thread-safe, but do not release an
 * object that another thread uses.
 */
public abstract class Handle implements AutoCloseable {
  private static final Cleaner CLEANER = Cleaner.create();

  private final Reference reference;
  private final Cleaner.Cleanable cleanable;

  /** Not an inner class, so that it does not keep the handle alive. */
  private static final class Reference implements Runnable {
    final AtomicLong pointer;

    Reference(long pointer) {
      this.pointer = new AtomicLong(pointer);
    }

    @Override
    public void run() {
      long taken = pointer.getAndSet(0);
      if (taken != 0) Native.release(taken);
    }
  }

  /** Takes over a reference. */
  Handle(long pointer) {
    reference = new Reference(pointer);
    cleanable = CLEANER.register(this, reference);
  }

  /** A reference of its own to the object of another handle. */
  static long share(Handle other) {
    long pointer = other.pointer();
    Native.retain(pointer);
    java.lang.ref.Reference.reachabilityFence(other);
    return pointer;
  }

  /** Borrowed: keep this object reachable as long as the pointer is used. */
  final long pointer() {
    long pointer = reference.pointer.get();
    if (pointer == 0) throw new IllegalStateException("this object has been released");
    return pointer;
  }

  /** Gives the reference back. A second call does nothing. */
  public void release() {
    cleanable.clean();
  }

  @Override
  public void close() {
    release();
  }
}

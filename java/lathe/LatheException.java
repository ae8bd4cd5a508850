package dev.lathe;

/** An error of Lathe: getMessage() is the whole text, with what was expected, found, and a help. */
public class LatheException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final int code;
  private final String name;
  private final String text;
  private final String notes;

  LatheException(int code, String name, String text, String notes, String whole) {
    super(whole);
    this.code = code;
    this.name = name;
    this.text = text;
    this.notes = notes;
  }

  /** An error to throw from a callback: its name and message arrive at the function's caller. */
  public LatheException(String name, String message) {
    this(2, name, message, "", name + ": " + message);
  }

  /** The same error, for a class that extends this one. */
  protected LatheException(LatheException other) {
    this(other.code, other.name, other.text, other.notes, other.getMessage());
    initCause(other);
  }

  /** The error's name, such as "rpc-unreachable"; docs/errors.md lists them. */
  public String name() {
    return name;
  }

  /** One of the canonical codes that gRPC and Abseil have, too. */
  public int code() {
    return code;
  }

  /** What happened, without name and notes. */
  public String text() {
    return text;
  }

  /** Lines "expected: ...", "found: ...", "help: ..."; may be empty. */
  public String notes() {
    return notes;
  }
}

// The words and operators of the text form, shared by the printer and the parser. docs/text.md
// describes the language.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/node.h"

namespace lathe::ir::syntax {

// How tightly an expression binds. An operand that binds less tightly than its operator is put in
// parentheses.
enum Precedence : int {
  kLowest = 0,  // let
  kOr = 1,
  kAnd = 2,
  kNot = 3,
  kCompare = 4,  // not associative
  kSum = 5,
  kProduct = 6,
  kPrimary = 8,
};

struct Infix {
  NodeKind kind;
  std::string_view text;
  Precedence precedence;
};
// All infix operators: or, and, comparisons, + - * / // %.
std::span<const Infix> Infixes();
const Infix* InfixOf(NodeKind kind);
const Infix* InfixOf(std::string_view text);

// The name of a node that is written as a function with two operands: min, max, truncdiv, truncmod.
std::string_view FunctionOf(NodeKind kind);
// False if `name` is not such a function.
bool FunctionNamed(std::string_view name, NodeKind* kind);

// True for words that cannot be plain names.
bool IsReserved(std::string_view word);
// The reserved words that begin a statement; for "did you mean".
std::vector<std::string> StatementWords();
// True for a name that, before a bracket, is not a call: min, range, select, ...
bool IsFunctionWord(std::string_view word);
// The kind whose NodeKindName is `name`; false if there is none.
bool KindNamed(std::string_view name, NodeKind* kind);

// True if `name` has only letters, digits, underscores and inner dots: it reads as one word,
// reserved or not.
bool IsWord(std::string_view name);
// True if `name` needs no backquotes: it is a word (IsWord), and not reserved, a type or a node
// kind.
bool IsPlainName(std::string_view name);
// A name as text: plain, or in backquotes.
std::string QuoteName(std::string_view name);
// A name as text behind the `%` of a variable of a graph: plain if it reads as one word or as one
// number, and does not end in a dot and digits, which select an element of a tuple.
std::string QuoteGraphName(std::string_view name);
// The name of an operator as text. Reserved words are plain, but for those that begin a value of a
// graph.
std::string QuoteOperator(std::string_view name);
// Splits "t.0" into "t" and "0". False, with both unchanged, if `name` does not end in a dot and
// digits.
bool SplitElement(std::string_view name, std::string_view* tuple, std::string_view* index);
// Words that begin a value of a graph: `if`, `loop`, ...
bool IsGraphWord(std::string_view word);
// Bytes as pairs of hexadecimal digits, and back. False if `digits` are not such pairs.
std::string HexOf(std::string_view bytes);
bool BytesOfHex(std::string_view digits, std::string* bytes);

// A string literal; bytes that are not printable UTF-8 become escapes.
std::string QuoteString(std::string_view text);

// An integer constant with the suffix its type needs ("5", "5i64", "true").
// `wide`: within graphs, where a constant without suffix is an int64 or a float64.
std::string FormatInteger(int64_t value, DataType dtype, bool wide = false);
// The shortest decimal that reads back as exactly this value, with its type's suffix ("1.5",
// "0.1f64", "inf<float16>", "nan<float32, 0x7ff8000000000001>").
std::string FormatFloat(double value, DataType dtype, bool wide = false);
// The type that a constant's suffix names: "i64", "u8", "f16", "bf16", "_float8_e4m3fn".
std::string SuffixOf(DataType dtype, bool wide = false);
bool ParseSuffix(std::string_view suffix, DataType* dtype);
// The quiet NaN that "nan" means.
inline constexpr uint64_t kPlainNan = 0x7ff8000000000000;

// "4" or "vscalex4".
std::string FormatLanes(DataType dtype);

}  // namespace lathe::ir::syntax

// The words and operators of the text form, shared by its printer and its parser. docs/text.md
// describes the language.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/node.h"

namespace lathe::ir::syntax {

// How tightly an expression binds; the operand of an operator is put in parentheses where it binds
// less.
enum Precedence : int {
  kLowest = 0,  // let
  kOr = 1,
  kAnd = 2,
  kNot = 3,
  kCompare = 4,  // does not associate
  kSum = 5,
  kProduct = 6,
  kPrimary = 8,
};

struct Infix {
  NodeKind kind;
  std::string_view text;
  Precedence precedence;
};
// Or, and, comparisons, + - * / // %.
std::span<const Infix> Infixes();
const Infix* InfixOf(NodeKind kind);
const Infix* InfixOf(std::string_view text);

// Two-operand functions that are nodes: min, max, truncdiv, truncmod.
std::string_view FunctionOf(NodeKind kind);
// False where `name` is none.
bool FunctionNamed(std::string_view name, NodeKind* kind);

// Words that cannot be the plain name of anything.
bool IsReserved(std::string_view word);
// Those of them that begin a statement; for "did you mean".
std::vector<std::string> StatementWords();
// A name that before a bracket means something else than a call: min, range, select, ...
bool IsFunctionWord(std::string_view word);
// The kind whose NodeKindName is `name`; false where there is none.
bool KindNamed(std::string_view name, NodeKind* kind);

// Letters, digits, underscores and inner dots: reads as one word, reserved or not.
bool IsWord(std::string_view name);
// May `name` stand as it is? Letters, digits, underscores and inner dots, not reserved, not a type
// or a node kind.
bool IsPlainName(std::string_view name);
// A name as text: plain, or in backquotes.
std::string QuoteName(std::string_view name);
// Bytes as pairs of hexadecimal digits; and back, false where `digits` are none.
std::string HexOf(std::string_view bytes);
bool BytesOfHex(std::string_view digits, std::string* bytes);

// A string literal; bytes that are not printable UTF-8 become escapes.
std::string QuoteString(std::string_view text);

// An integer constant with the suffix its type needs ("5", "5i64", "true").
std::string FormatInteger(int64_t value, DataType dtype);
// The shortest decimal that reads back to the very value, with its type's suffix ("1.5", "0.1f64",
// "inf<float16>", "nan<float32, 0x7ff8000000000001>").
std::string FormatFloat(double value, DataType dtype);
// The type that a constant's suffix names: "i64", "u8", "f16", "bf16", "_float8_e4m3fn".
std::string SuffixOf(DataType dtype);
bool ParseSuffix(std::string_view suffix, DataType* dtype);
// The quiet NaN that "nan" means.
inline constexpr uint64_t kPlainNan = 0x7ff8000000000000;

// "4" or "vscalex4".
std::string FormatLanes(DataType dtype);

}  // namespace lathe::ir::syntax

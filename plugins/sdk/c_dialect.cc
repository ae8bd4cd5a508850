#include "plugins/sdk/c_dialect.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iterator>

#include "base/error.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"

namespace lathe::sdk {
namespace {

// Functions of C's library, by their name for float64; the float32 function has an "f" at the end.
constexpr std::string_view kLibrary[] = {
    ir::intrinsic::kAcos,  ir::intrinsic::kAcosh,     ir::intrinsic::kAsin,
    ir::intrinsic::kAsinh, ir::intrinsic::kAtan,      ir::intrinsic::kAtan2,
    ir::intrinsic::kAtanh, ir::intrinsic::kCeil,      ir::intrinsic::kCopysign,
    ir::intrinsic::kCos,   ir::intrinsic::kCosh,      ir::intrinsic::kErf,
    ir::intrinsic::kExp,   ir::intrinsic::kExp10,     ir::intrinsic::kExp2,
    ir::intrinsic::kExpm1, ir::intrinsic::kFloor,     ir::intrinsic::kFma,
    ir::intrinsic::kFmod,  ir::intrinsic::kHypot,     ir::intrinsic::kLdexp,
    ir::intrinsic::kLog,   ir::intrinsic::kLog10,     ir::intrinsic::kLog1p,
    ir::intrinsic::kLog2,  ir::intrinsic::kNearbyint, ir::intrinsic::kNextafter,
    ir::intrinsic::kPow,   ir::intrinsic::kRound,     ir::intrinsic::kSin,
    ir::intrinsic::kSinh,  ir::intrinsic::kSqrt,      ir::intrinsic::kTan,
    ir::intrinsic::kTanh,  ir::intrinsic::kTrunc,
};

constexpr std::string_view kKeywords[] = {
    "alignas", "alignof", "and",       "asm",      "auto",     "bool",      "break",    "case",
    "catch",   "char",    "class",     "concept",  "const",    "constexpr", "continue", "default",
    "delete",  "do",      "double",    "else",     "enum",     "explicit",  "export",   "extern",
    "false",   "float",   "for",       "friend",   "goto",     "if",        "inline",   "int",
    "long",    "mutable", "namespace", "new",      "noexcept", "not",       "nullptr",  "operator",
    "or",      "private", "protected", "public",   "register", "requires",  "restrict", "return",
    "short",   "signed",  "sizeof",    "static",   "struct",   "switch",    "template", "this",
    "throw",   "true",    "try",       "typedef",  "typeid",   "typename",  "union",    "unsigned",
    "using",   "virtual", "void",      "volatile", "while",    "xor",
};

}  // namespace

int64_t CKernel::BlockThreads() const {
  int64_t threads = 1;
  for (const CLaunchAxis& axis : launch)
    if (axis.tag.starts_with("threadIdx.")) threads *= axis.extent;
  return threads;
}

int64_t CKernel::ExtentOf(std::string_view tag) const {
  for (const CLaunchAxis& axis : launch)
    if (axis.tag == tag) return axis.extent;
  return 1;
}

void CDialect::Unsupported(const std::string& what, const std::string& help) {
  throw lathe::Error(Diagnostic{.name = "c-source-unsupported",
                                .message = "the target's language has no " + what,
                                .help = help});
}

std::string CDialect::Type(DataType type) {
  if (type.is_scalar()) {
    if (type.is_bool()) return "bool";
    if (type == DataType::Float(32)) return "float";
    if (type == DataType::Float(64)) return "double";
    if (type.is_integral()) {
      const std::string sign = type.is_uint() ? "unsigned " : "";
      switch (type.bits()) {
        case 8:
          return type.is_uint() ? "unsigned char" : "signed char";
        case 16:
          return sign + "short";
        case 32:
          return sign + "int";
        case 64:
          return sign + "long long";
        default:
          break;
      }
    }
  }
  Unsupported("type " + type.ToString());
}

std::string CDialect::MemoryType(DataType element) {
  return Type(element.is_bool() ? DataType::UInt(8, element.lanes()) : element);
}

std::string CDialect::Pointer(const std::string&, DataType element, bool is_const) {
  return (is_const ? "const " : "") + MemoryType(element) + "*";
}

bool CDialect::HasArithmetic(DataType type) {
  return !type.is_float() || (type.code() == kDLFloat && (type.bits() == 32 || type.bits() == 64));
}

std::string CDialect::FloatLiteral(DataType type, double value) {
  if (type.bits() < 32)
    return Convert(type, DataType::Float(32), FloatLiteral(DataType::Float(32), value));
  std::array<char, 64> text{};
  // 9 and 17 digits are always exact; fewer digits are tried first, for readability.
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(text.data(), text.size(), "%.*g", digits, value);
    const bool exact = type.bits() == 32
                           ? std::strtof(text.data(), nullptr) == static_cast<float>(value)
                           : std::strtod(text.data(), nullptr) == value;
    if (exact) break;
  }
  std::string out = text.data();
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  if (type.bits() == 32) out += "f";
  return std::signbit(value) ? "(" + out + ")" : out;
}

std::string CDialect::Convert(DataType to, DataType, const std::string& x) {
  if (to.is_bool()) return "(" + x + " != 0)";
  return "((" + Type(to) + ")" + x + ")";
}

std::string CDialect::Reinterpret(DataType to, DataType from, const std::string& x) {
  if (to == from) return x;
  // Between signed and unsigned integers a conversion keeps the bits.
  if (to.is_integral() && from.is_integral() && to.is_scalar() && from.is_scalar())
    return "((" + Type(to) + ")" + x + ")";
  Unsupported("way to see the bits of " + from.ToString() + " as " + to.ToString());
}

std::string CDialect::Compare(std::string_view op, DataType, const std::string& a,
                              const std::string& b) {
  return "(" + a + " " + std::string(op) + " " + b + ")";
}

std::string CDialect::Select(DataType, const std::string& condition, const std::string& a,
                             const std::string& b) {
  return "(" + condition + " ? " + a + " : " + b + ")";
}

std::string CDialect::MinMax(bool is_max, DataType type, const std::string& a,
                             const std::string& b) {
  if (type.is_float())
    return std::string(is_max ? "fmax" : "fmin") + (type.bits() == 32 ? "f(" : "(") + a + ", " + b +
           ")";
  return Select(type, Compare(is_max ? ">" : "<", type, a, b), a, b);
}

std::string CDialect::Math(std::string_view op, DataType type,
                           const std::vector<std::string>& args) {
  if (!type.is_float()) return "";
  std::string name;
  if (op == ir::intrinsic::kAbs) name = "fabs";
  if (std::find(std::begin(kLibrary), std::end(kLibrary), op) != std::end(kLibrary)) name = op;
  if (name.empty()) return "";
  if (type.bits() == 32) name += "f";
  std::string out = name + "(";
  for (size_t i = 0; i < args.size(); ++i) out += (i == 0 ? "" : ", ") + args[i];
  return out + ")";
}

std::string CDialect::Intrinsic(std::string_view, DataType, const std::vector<std::string>&) {
  return "";
}

int CDialect::PartLanes(int) { return 1; }
std::string CDialect::Splat(DataType vector, const std::string&) {
  Type(vector), Unsupported("vectors");
}
std::string CDialect::Compose(DataType vector, const std::vector<std::string>&) {
  Type(vector), Unsupported("vectors");
}
std::string CDialect::Lane(DataType vector, const std::string&, int) {
  Type(vector), Unsupported("vectors");
}

int CDialect::MemoryLanes(DataType, const std::string&, int, int64_t) { return 1; }
std::string CDialect::LoadVector(DataType, const std::string&, const std::string&, int64_t) {
  Unsupported("vectors in memory");
}
std::string CDialect::StoreVector(DataType, const std::string&, const std::string&,
                                  const std::string&, int64_t) {
  Unsupported("vectors in memory");
}
std::string CDialect::LoadTexel(DataType, const std::string&, const std::string&,
                                const std::string&) {
  Unsupported("images");
}
std::string CDialect::StoreTexel(DataType, const std::string&, const std::string&,
                                 const std::string&, const std::string&) {
  Unsupported("images");
}

std::string CDialect::Array(const std::string& scope, DataType element, const std::string& name,
                            int64_t count, int64_t) {
  if (scope != ir::memory_scope::kLocal)
    Unsupported("memory of scope \"" + scope + "\" in a kernel");
  return MemoryType(element) + " " + name + "[" + std::to_string(count) + "];";
}

std::string CDialect::ConstantArray(DataType element, const std::string& name,
                                    const std::string& values) {
  return "static const " + MemoryType(element) + " " + name + "[] = {" + values + "};";
}

CDialect::Dynamic CDialect::DynamicShared(const std::string&) {
  Unsupported("shared memory whose size the launch gives");
}

std::string CDialect::Atomic(std::string_view op, DataType type, const std::string&,
                             const std::string&, const std::vector<std::string>&) {
  Unsupported(std::string(op) + " on " + type.ToString());
}
std::string CDialect::Shuffle(std::string_view op, DataType type, const std::vector<std::string>&) {
  Unsupported(std::string(op) + " of " + type.ToString());
}
std::string CDialect::ActiveMask(DataType) { Unsupported(ir::intrinsic::kWarpActiveMask); }
std::string CDialect::AsyncCopy(DataType, const std::string&, const std::string&,
                                const std::string&, const std::string&, int64_t, int64_t) {
  return "";
}

std::string CDialect::FunctionHead(const CFunction&) { Unsupported("functions of hosts"); }
std::string CDialect::HostCall(std::string_view, DataType, const std::vector<COperand>&) {
  return "";
}
std::string CDialect::StackMemory(std::string_view op, const std::string&,
                                  const std::vector<COperand>&) {
  Unsupported("intrinsic " + std::string(op));
}
std::string CDialect::HandleVariable(const std::string& name, std::string_view) {
  return "void* const " + name;
}
std::string CDialect::ExternCall(const std::string& name, DataType,
                                 const std::vector<COperand>& args) {
  std::string out = name + "(";
  for (size_t i = 0; i < args.size(); ++i) out += (i == 0 ? "" : ", ") + args[i].text;
  return out + ")";
}

bool CDialect::IsReserved(std::string_view name) {
  return std::find(std::begin(kKeywords), std::end(kKeywords), name) != std::end(kKeywords);
}

}  // namespace lathe::sdk

#include "backends/c/dialect.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iterator>

#include "backends/c/abi_text.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"

namespace lathe::c_backend {
namespace {

// Functions of C's library with a float and a double form; all names of <math.h> are reserved.
constexpr std::string_view kMath[] = {
    "acos",      "acosh",     "asin",       "asinh", "atan",      "atan2",  "atanh",   "cbrt",
    "ceil",      "copysign",  "cos",        "cosh",  "erf",       "erfc",   "exp",     "exp2",
    "expm1",     "fabs",      "fdim",       "floor", "fma",       "fmax",   "fmin",    "fmod",
    "frexp",     "hypot",     "ilogb",      "ldexp", "lgamma",    "llrint", "llround", "log",
    "log10",     "log1p",     "log2",       "logb",  "lrint",     "lround", "modf",    "nan",
    "nearbyint", "nextafter", "nexttoward", "pow",   "remainder", "remquo", "rint",    "round",
    "scalbln",   "scalbn",    "sin",        "sinh",  "sqrt",      "tan",    "tanh",    "tgamma",
    "trunc",
};
// Other words of the language, its headers and its common macros that users choose as names.
constexpr std::string_view kReserved[] = {
    "_Alignas", "_Bool",  "FP_NAN",    "HUGE_VAL", "INFINITY", "NAN",      "NULL",   "abort",
    "abs",      "errno",  "exit",      "free",     "index",    "isfinite", "isinf",  "isnan",
    "j0",       "j1",     "jn",        "linux",    "main",     "malloc",   "memcmp", "memcpy",
    "memmove",  "memset", "ptrdiff_t", "signbit",  "signgam",  "size_t",   "typeof", "unix",
    "y0",       "y1",     "yn",        "float_t",  "double_t", "offsetof",
};

// The name of a type within names of helpers.
std::string Word(DataType type) { return type.ToString(); }

std::string Printed(const char* format, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

}  // namespace

bool IsMathFunction(std::string_view name) {
  for (const std::string_view known : kMath) {
    if (!name.starts_with(known)) continue;
    const std::string_view rest = name.substr(known.size());
    if (rest.empty() || rest == "f" || rest == "l") return true;
  }
  return false;
}

std::string HostC::Helper(const std::string& name, const std::string& text) {
  helpers_.try_emplace(name, text);
  return name;
}

std::string HostC::Type(DataType type) {
  if (type.is_void()) return "void";
  if (!type.is_scalar()) Unsupported("vectors");
  if (type.is_handle()) return "void*";
  if (type.is_bool()) return "bool";
  if (type.is_integral() && type.bits() >= 8)
    return (type.is_uint() ? "uint" : "int") + std::to_string(type.bits()) + "_t";
  if (type == DataType::Float(32)) return "float";
  if (type == DataType::Float(64)) return "double";
  Unsupported("type " + type.ToString());
}

// The compiler reads and writes the bits of types that C lacks (lower/legalize_dtypes.h).
std::string HostC::MemoryType(DataType element) {
  const bool lacks = element.is_float() && !HasArithmetic(element);
  return lacks || element.bits() < 8 ? Type(DataType::UInt(element.bytes() * 8))
                                     : CDialect::MemoryType(element);
}

bool HostC::HasArithmetic(DataType type) {
  return !type.is_float() || (type.code() == kDLFloat && type.bits() >= 32);
}

// Numbers with few digits before and behind the point are the same in decimal. Others are written
// in hexadecimal, which every compiler reads exactly, with the number for people beside it.
std::string HostC::FloatLiteral(DataType type, double value) {
  const std::string suffix = type.bits() == 32 ? "f" : "";
  std::string out;
  if (std::fabs(value) < (1 << 20) && value * 64 == std::floor(value * 64)) {
    out = Printed("%.17g", value);
    if (out.find('.') == std::string::npos) out += ".0";
    out += suffix;
  } else {
    const std::string shown = CDialect::FloatLiteral(type, std::fabs(value));
    out = Printed("%a", value) + suffix + " /* " + (value < 0 ? "-" : "") +
          shown.substr(0, shown.size() - suffix.size()) + " */";
  }
  return std::signbit(value) ? "(" + out + ")" : out;
}

std::string HostC::NonFinite(DataType, double value) {
  headers_.insert("math.h");
  return std::isnan(value) ? "NAN" : value < 0 ? "(-INFINITY)" : "INFINITY";
}

// A number that does not fit becomes the nearest one that does, and NaN becomes 0: in C, it is
// undefined.
std::string HostC::Convert(DataType to, DataType from, const std::string& x) {
  if (to == from) return x;
  if (to.is_bool()) return "(" + x + " != 0)";
  if (!from.is_float() || !to.is_integral()) return "((" + Type(to) + ")" + x + ")";
  const std::string name = "lathe_" + Word(to) + "_of_" + Word(from), t = Type(to), f = Type(from);
  const std::string bits = std::to_string(to.bits()), limit = "INT" + bits;
  const std::string s = from.bits() == 32 ? "f" : "";
  // The first power of two that is too large; it and the least number are exact in all floats.
  const std::string high = "0x1p" + std::to_string(to.bits() - (to.is_int() ? 1 : 0)) + s;
  const std::string low = to.is_int() ? "-" + high : "0.0" + s;
  const std::string least = to.is_int() ? limit + "_MIN" : "0";
  const std::string most = (to.is_int() ? "" : "U") + limit + "_MAX";
  return Helper(name, "static inline " + t + " " + name + "(" + f + " x) {\n  if (!(x > " + low +
                          ")) return x != x ? 0 : " + least + ";\n  return x < " + high + " ? (" +
                          t + ")x : " + most + ";\n}\n") +
         "(" + x + ")";
}

std::string HostC::Reinterpret(DataType to, DataType from, const std::string& x) {
  if (to == from) return x;
  if (to.is_handle() && from.is_integral()) return "((void*)(intptr_t)" + x + ")";
  if (from.is_handle() && to.is_integral()) return "((" + Type(to) + ")(intptr_t)" + x + ")";
  if (!to.is_scalar() || !from.is_scalar() || to.is_float() == from.is_float()) {
    if (to.is_bool()) return "(" + x + " != 0)";
    if (from.is_bool()) return "((" + Type(to) + ")" + x + ")";
    return CDialect::Reinterpret(to, from, x);
  }
  const DataType f = to.is_float() ? to : from, u = DataType::UInt(f.bits());
  const std::string name =
      to.is_float() ? "lathe_" + Word(f) + "_of_bits" : "lathe_bits_of_" + Word(f);
  const std::string given = to.is_float() ? Type(u) + " bits" : Type(f) + " value";
  Helper(name, "static inline " + Type(to.is_float() ? f : u) + " " + name + "(" + given +
                   ") {\n  const union {\n    " + Type(f) + " value;\n    " + Type(u) +
                   " bits;\n  } both = {." + (to.is_float() ? "bits = bits" : "value = value") +
                   "};\n  return both." + (to.is_float() ? "value" : "bits") + ";\n}\n");
  const std::string call = name + "(" + x + ")";
  return to.is_float() || to == u ? call : "((" + Type(to) + ")" + call + ")";
}

std::string HostC::MinMax(bool is_max, DataType type, const std::string& a, const std::string& b) {
  if (type.is_bool()) return "(" + a + (is_max ? " | " : " & ") + b + ")";
  if (!type.is_float()) return CDialect::MinMax(is_max, type, a, b);
  // As fmax and fmin, and compilers make vectors of it.
  const std::string name = std::string(is_max ? "lathe_max_" : "lathe_min_") + Word(type);
  const std::string t = Type(type);
  return Helper(name, "static inline " + t + " " + name + "(" + t + " a, " + t +
                          " b) {\n  return a " + (is_max ? ">" : "<") +
                          " b || b != b ? a : b;\n}\n") +
         "(" + a + ", " + b + ")";
}

std::string HostC::Math(std::string_view op, DataType type, const std::vector<std::string>& args) {
  if (op == ir::intrinsic::kPopcount || op == ir::intrinsic::kClz) {
    const bool zeros = op == ir::intrinsic::kClz;
    const std::string unsigned_x =
        "((" + Type(DataType::UInt(std::max(type.bits(), 8))) + ")" + args.at(0) + ")";
    const std::string name = zeros ? "lathe_clz" : "lathe_popcount";
    Helper(name, zeros ? "static inline int32_t lathe_clz(uint64_t x, int32_t bits) {\n"
                         "  for (; x != 0; x >>= 1) --bits;\n  return bits;\n}\n"
                       : "static inline int32_t lathe_popcount(uint64_t x) {\n"
                         "  int32_t n = 0;\n  for (; x != 0; x &= x - 1) ++n;\n  return n;\n}\n");
    return "((" + Type(type) + ")" + name + "(" + unsigned_x +
           (zeros ? ", " + std::to_string(type.bits()) : "") + "))";
  }
  if (type.is_float()) headers_.insert("math.h");
  // C has no such function.
  if (op == ir::intrinsic::kExp10)
    return CDialect::Math(ir::intrinsic::kPow, type, {FloatLiteral(type, 10), args.at(0)});
  return CDialect::Math(op, type, args);
}

std::string HostC::Array(const std::string& scope, DataType element, const std::string& name,
                         int64_t count, int64_t alignment) {
  if (scope != ir::memory_scope::kGlobal && scope != ir::memory_scope::kLocal)
    Unsupported("memory of scope \"" + scope + "\"");
  const std::string aligned =
      alignment > element.bytes() ? "_Alignas(" + std::to_string(alignment) + ") " : "";
  return aligned + MemoryType(element) + " " + name + "[" + std::to_string(count) + "];";
}

bool HostC::HasTypedConstants(DataType element) {
  return !element.is_bool() &&
         (element.is_integral() ? element.bits() >= 8 : HasArithmetic(element));
}

bool HostC::IsReserved(std::string_view name) {
  if (CDialect::IsReserved(name) || IsMathFunction(name)) return true;
  if (std::find(std::begin(kReserved), std::end(kReserved), name) != std::end(kReserved))
    return true;
  for (const std::string_view prefix : {"lathe_", "LATHE_", "DL", "INT", "UINT"})
    if (name.starts_with(prefix)) return true;
  // int32_t, uint_least8_t ...
  return (name.starts_with("int") || name.starts_with("uint")) && name.ends_with("_t");
}

std::string HostC::Prelude() {
  std::string out =
      "// Written by Lathe. The functions below are reached through lathe_artifact_v1, at the "
      "end.\n"
      "// C11; compile it with: cc -std=c11 -O2 -fno-strict-aliasing -fPIC -c\n\n";
  for (const std::string& header : headers_) out += "#include <" + header + ">\n";
  out += "\n";
  out += kAbiText;
  if (call_sites_ != 0)
    out += "static void* lathe_call_sites[" + std::to_string(call_sites_) + "];\n";
  for (const auto& [name, text] : externs_) out += text + "\n";
  for (const auto& [name, text] : helpers_) out += "\n" + text;
  return out;
}

}  // namespace lathe::c_backend

#include "backends/opencl/dialect.h"

#include <algorithm>
#include <iterator>

#include "ir/intrinsic_names.h"
#include "ir/names.h"

namespace lathe::opencl_backend {
namespace {

// Words of the language and functions of its library that users may choose as names of tensors.
constexpr std::string_view kReserved[] = {
    "abs",       "acos",      "acosh",    "acospi",     "all",       "any",     "asin",
    "asinh",     "atan",      "atanh",    "barrier",    "bitselect", "cbrt",    "ceil",
    "clamp",     "clz",       "constant", "copysign",   "cos",       "cosh",    "cospi",
    "cross",     "degrees",   "distance", "dot",        "erf",       "erfc",    "event",
    "exp",       "fabs",      "fdim",     "floor",      "fma",       "fmax",    "fmin",
    "fmod",      "fract",     "frexp",    "global",     "half",      "hypot",   "image",
    "isequal",   "isfinite",  "isinf",    "isnan",      "kernel",    "ldexp",   "length",
    "lgamma",    "local",     "log",      "logb",       "mad",       "main",    "max",
    "maxmag",    "min",       "minmag",   "mix",        "modf",      "nan",     "nextafter",
    "normalize", "pow",       "pown",     "powr",       "prefetch",  "printf",  "private",
    "radians",   "remainder", "remquo",   "rint",       "rootn",     "rotate",  "round",
    "rsqrt",     "sampler",   "select",   "shuffle",    "sign",      "signbit", "sin",
    "sincos",    "sinh",      "sinpi",    "smoothstep", "sqrt",      "step",    "tan",
    "tanh",      "tanpi",     "tgamma",   "trunc",      "uchar",     "uint",    "ulong",
    "unroll",    "upsample",  "ushort",   "vec",        "quad",      "complex", "imaginary",
    "pipe",      "popcount",  "bool",     "true",       "false",     "CLK",     "NAN",
    "INFINITY",  "HUGE",      "MAXFLOAT", "NULL",       "M",         "linux",   "unix",
};
constexpr std::string_view kPrefixes[] = {
    "as_",      "atom_",  "atomic_", "async_", "convert_", "get_",  "half_",   "image1",
    "image2",   "image3", "mad24",   "mad_",   "mem_",     "mul24", "mul_",    "native_",
    "read_",    "vload",  "vstore",  "wait_",  "write_",   "work_", "lgamma_", "fast_",
    "read_mem", "add_",   "hadd",    "rhadd",  "sub_",     "CLK_",  "FLT_",    "DBL_",
    "HALF_",    "CHAR_",  "INT_",    "LONG_",  "M_",       "cl_",   "POCL",    "pocl",
};

// float4, uint16 ...
bool IsVectorType(std::string_view name) {
  for (std::string_view element : {"char", "uchar", "short", "ushort", "int", "uint", "long",
                                   "ulong", "half", "float", "double", "bool"}) {
    if (!name.starts_with(element)) continue;
    const std::string_view rest = name.substr(element.size());
    if (rest == "2" || rest == "3" || rest == "4" || rest == "8" || rest == "16") return true;
  }
  return false;
}

std::string Call(const std::string& name, const std::vector<std::string>& args) {
  std::string out = name + "(";
  for (size_t i = 0; i < args.size(); ++i) out += (i == 0 ? "" : ", ") + args[i];
  return out + ")";
}

// The type of a comparison's result: integers of the operands' size.
DataType MaskOf(DataType type) { return DataType::Int(type.bits(), type.lanes()); }
// The type of bool vectors: int, 0 or -1.
DataType BoolLanes(DataType type) { return DataType::Int(32, type.lanes()); }

std::string AddressSpace(const std::string& scope) {
  if (scope.starts_with(ir::memory_scope::kShared)) return "__local ";
  if (scope == ir::memory_scope::kConstant) return "__constant ";
  return scope == ir::memory_scope::kLocal || scope == ir::memory_scope::kWarp ? "" : "__global ";
}

}  // namespace

std::string OpenClC::Type(DataType type) {
  if (type.is_bool()) {
    return type.is_scalar() ? "bool" : "int" + std::to_string(type.lanes());
  }
  std::string name;
  if (type.is_integral() && type.bits() >= 8) {
    const char* names[] = {"char", "short", "int", "long"};
    const int at = type.bits() == 8 ? 0 : type.bits() == 16 ? 1 : type.bits() == 32 ? 2 : 3;
    name = std::string(type.is_uint() ? "u" : "") + names[at];
  } else if (type.code() == kDLFloat) {
    name = type.bits() == 16 ? "half" : type.bits() == 32 ? "float" : "double";
    if (type.bits() == 16) fp16_ = true;
    if (type.bits() == 64) fp64_ = true;
  } else {
    Unsupported("type " + type.ToString());
  }
  return type.is_scalar() ? name : name + std::to_string(type.lanes());
}

std::string OpenClC::Pointer(const std::string& scope, DataType element, bool is_const) {
  return AddressSpace(scope) + (is_const ? "const " : "") + MemoryType(element) + "*";
}

bool OpenClC::HasArithmetic(DataType type) {
  return !type.is_float() || (type.code() == kDLFloat && type.bits() >= 16);
}

std::string OpenClC::FloatLiteral(DataType type, double value) {
  if (type == DataType::Float(64)) fp64_ = true;
  return CDialect::FloatLiteral(type, value);
}

std::string OpenClC::Convert(DataType to, DataType from, const std::string& x) {
  if (to == from) return x;
  if (to.is_scalar()) {
    if (to.is_bool()) return "(" + x + " != 0)";
    return "((" + Type(to) + ")" + x + ")";
  }
  if (to.is_bool()) {
    const DataType zero = from;
    return Compare("!=", from, x,
                   Splat(zero, zero.is_float() ? FloatLiteral(zero.element_of(), 0) : "0"));
  }
  // A true lane is -1.
  if (from.is_bool()) return Call("convert_" + Type(to), {"(" + x + " & 1)"});
  // A conversion to integers must truncate, as in C; one between floats rounds to nearest.
  return Call("convert_" + Type(to) + (from.is_float() && to.is_integral() ? "_rtz" : ""), {x});
}

std::string OpenClC::Reinterpret(DataType to, DataType from, const std::string& x) {
  return to == from ? x : Call("as_" + Type(to), {x});
}

std::string OpenClC::Compare(std::string_view op, DataType type, const std::string& a,
                             const std::string& b) {
  const std::string text = "(" + a + " " + std::string(op) + " " + b + ")";
  if (type.is_scalar() || type.bits() == 32 || type.is_bool()) return text;
  return Call("convert_" + Type(BoolLanes(type)), {text});
}

std::string OpenClC::Select(DataType type, const std::string& condition, const std::string& a,
                            const std::string& b) {
  if (type.is_scalar()) return "(" + condition + " ? " + a + " : " + b + ")";
  const DataType mask = MaskOf(type.is_bool() ? BoolLanes(type) : type);
  const std::string c = mask.bits() == 32 ? condition : Call("convert_" + Type(mask), {condition});
  return Call("select", {b, a, c});
}

std::string OpenClC::MinMax(bool is_max, DataType type, const std::string& a,
                            const std::string& b) {
  if (type.is_float()) return Call(is_max ? "fmax" : "fmin", {a, b});
  if (type.is_bool()) Unsupported("minimum of bool");
  return Call(is_max ? "max" : "min", {a, b});
}

std::string OpenClC::Math(std::string_view op, DataType type,
                          const std::vector<std::string>& args) {
  if (type.is_integral())
    return op == ir::intrinsic::kPopcount || op == ir::intrinsic::kClz ? Call(std::string(op), args)
                                                                       : "";
  std::string name(op);
  if (op == ir::intrinsic::kAbs) name = "fabs";
  if (op == ir::intrinsic::kNearbyint) name = "rint";
  return Call(name, args);
}

int OpenClC::PartLanes(int lanes) {
  for (const int width : {16, 8, 4, 2})
    if (lanes % width == 0) return width;
  return 1;
}

std::string OpenClC::Splat(DataType vector, const std::string& x) {
  // In a vector, true is -1; in a scalar it is 1.
  if (vector.is_bool()) return "((" + Type(vector) + ")(" + x + " ? -1 : 0))";
  return "((" + Type(vector) + ")(" + x + "))";
}

std::string OpenClC::Compose(DataType vector, const std::vector<std::string>& lanes) {
  std::vector<std::string> own = lanes;
  if (vector.is_bool())
    for (std::string& lane : own) lane = "(" + lane + " ? -1 : 0)";
  return "(" + Call("(" + Type(vector) + ")", own) + ")";
}

std::string OpenClC::Lane(DataType vector, const std::string& x, int lane) {
  const std::string text = x + ".s" + "0123456789abcdef"[lane];
  return vector.is_bool() ? "(" + text + " != 0)" : text;
}

int OpenClC::MemoryLanes(DataType, const std::string&, int lanes, int64_t) {
  return PartLanes(lanes);
}

std::string OpenClC::LoadVector(DataType vector, const std::string& scope,
                                const std::string& pointer, int64_t alignment) {
  if (alignment >= vector.bytes())
    return "(*(" + AddressSpace(scope) + "const " + Type(vector) + "*)" + pointer + ")";
  return Call("vload" + std::to_string(vector.lanes()), {"0", pointer});
}

std::string OpenClC::StoreVector(DataType vector, const std::string& scope,
                                 const std::string& pointer, const std::string& x,
                                 int64_t alignment) {
  if (alignment >= vector.bytes())
    return "*(" + AddressSpace(scope) + Type(vector) + "*)" + pointer + " = " + x;
  return Call("vstore" + std::to_string(vector.lanes()), {x, "0", pointer});
}

std::string OpenClC::LoadTexel(DataType vector, const std::string& image, const std::string& row,
                               const std::string& texel) {
  sampler_ = true;
  const bool f = vector.is_float();
  const std::string read = f && vector.bits() == 16 ? "read_imageh"
                           : f                      ? "read_imagef"
                           : vector.is_uint()       ? "read_imageui"
                                                    : "read_imagei";
  const std::string text =
      Call(read, {image, "lathe_sampler", "(int2)(" + texel + ", " + row + ")"});
  if (vector.is_integral() && vector.bits() < 32) return Call("convert_" + Type(vector), {text});
  return text;
}

std::string OpenClC::StoreTexel(DataType vector, const std::string& image, const std::string& row,
                                const std::string& texel, const std::string& x) {
  const bool f = vector.is_float();
  const std::string write = f && vector.bits() == 16 ? "write_imageh"
                            : f                      ? "write_imagef"
                            : vector.is_uint()       ? "write_imageui"
                                                     : "write_imagei";
  std::string value = x;
  if (vector.is_integral() && vector.bits() < 32)
    value = Call(vector.is_uint() ? "convert_uint4" : "convert_int4", {x});
  return Call(write, {image, "(int2)(" + texel + ", " + row + ")", value});
}

std::string OpenClC::Array(const std::string& scope, DataType element, const std::string& name,
                           int64_t count, int64_t alignment) {
  if (scope != ir::memory_scope::kShared && scope != ir::memory_scope::kLocal)
    Unsupported("memory of scope \"" + scope + "\" in a kernel");
  std::string out =
      AddressSpace(scope) + MemoryType(element) + " " + name + "[" + std::to_string(count) + "]";
  if (alignment > element.bytes())
    out += " __attribute__((aligned(" + std::to_string(alignment) + ")))";
  return out + ";";
}

std::string OpenClC::ConstantArray(DataType element, const std::string& name,
                                   const std::string& values) {
  return "__constant " + MemoryType(element) + " " + name + "[] = {" + values + "};";
}

sdk::CDialect::Dynamic OpenClC::DynamicShared(const std::string& name) {
  return {"__local uchar* restrict " + name, ""};
}

std::string OpenClC::KernelHead(const sdk::CKernel& kernel,
                                const std::vector<std::string>& parameters) {
  std::string out = "__kernel ";
  if (kernel.BlockThreads() > 0) {
    out += "__attribute__((reqd_work_group_size(" +
           std::to_string(kernel.ExtentOf(ir::thread_tag::kThreadX)) + ", " +
           std::to_string(kernel.ExtentOf(ir::thread_tag::kThreadY)) + ", " +
           std::to_string(kernel.ExtentOf(ir::thread_tag::kThreadZ)) + ")))\n";
  }
  return out + Call("void " + kernel.symbol, parameters);
}

std::string OpenClC::Parameter(const sdk::CParameter& p) {
  if (!p.is_pointer) return MemoryType(p.dtype) + " " + p.name;
  if (p.is_image) {
    if (p.is_read && p.is_written)
      Unsupported("images that a kernel both reads and writes, such as `" + p.name + "`",
                  "put the stages that write and read it in two kernels");
    return std::string(p.is_written ? "__write_only" : "__read_only") + " image2d_t " + p.name;
  }
  return Pointer(p.scope, p.dtype, !p.is_written) + (p.noalias ? " restrict " : " ") + p.name;
}

std::string OpenClC::ThreadIndex(const std::string& tag) {
  const bool block = tag.starts_with("blockIdx."), thread = tag.starts_with("threadIdx.");
  const int dimension = tag.back() - 'x';
  if ((!block && !thread) || dimension < 0 || dimension > 2)
    Unsupported("thread axis `" + tag + "`");
  return std::string(block ? "get_group_id(" : "get_local_id(") + std::to_string(dimension) + ")";
}

std::string OpenClC::Barrier(const std::string& scope) {
  // The threads of a block share global memory as well as the block's own.
  if (scope == ir::memory_scope::kShared)
    return "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)";
  if (scope == ir::memory_scope::kWarp)
    Unsupported("warps: barriers of scope \"warp\"", "use a barrier of scope \"shared\"");
  Unsupported("barrier over all blocks of a kernel", "cut the kernel in two there");
}

std::string OpenClC::Atomic(std::string_view op, DataType type, const std::string& scope,
                            const std::string& pointer, const std::vector<std::string>& args) {
  const std::string space = AddressSpace(scope);
  if (space.empty()) Unsupported("atomics on a thread's own memory");
  std::string name(op.substr(7));
  if (name == "exchange") name = "xchg";
  if (name == "compare_exchange") name = "cmpxchg";
  std::vector<std::string> all = {"(volatile " + space + Type(type) + "*)" + pointer};
  all.insert(all.end(), args.begin(), args.end());
  if (type.is_integral() && type.bits() == 32) return Call("atomic_" + name, all);
  if (type.is_integral() && type.bits() == 64) {
    long_atomics_ = true;
    return Call("atom_" + name, all);
  }
  if (type == DataType::Float(32)) {
    // Compare and exchange the bits.
    const std::string suffix = space == "__local " ? "local" : "global";
    const std::string function = "lathe_atomic_" + name + "_" + suffix;
    const std::string expected = name == "cmpxchg" ? ", float expected" : "";
    const std::string next = name == "add"    ? "old + value"
                             : name == "min"  ? "fmin(old, value)"
                             : name == "max"  ? "fmax(old, value)"
                             : name == "xchg" ? "value"
                                              : "old == expected ? value : old";
    float_atomics_.insert(
        "static inline float " + function + "(volatile " + space + "float* place" + expected +
        ", float value) {\n  volatile " + space + "uint* bits = (volatile " + space +
        "uint*)place;\n  uint seen = *bits;\n  for (;;) {\n    const float old = as_float(seen);\n"
        "    const uint found = atomic_cmpxchg(bits, seen, as_uint(" +
        next + "));\n    if (found == seen) return old;\n    seen = found;\n  }\n}\n");
    return Call(function, all);
  }
  Unsupported(std::string(op) + " on " + type.ToString());
}

bool OpenClC::IsReserved(std::string_view name) {
  if (CDialect::IsReserved(name) || IsVectorType(name)) return true;
  if (std::find(std::begin(kReserved), std::end(kReserved), name) != std::end(kReserved))
    return true;
  for (std::string_view prefix : kPrefixes)
    if (name.starts_with(prefix)) return true;
  // Names like exp10, atan2, log1p: letters and then digits.
  for (std::string_view known :
       {"exp10", "exp2", "expm1", "log10", "log1p", "log2", "atan2", "atan2pi", "atanpi", "asinpi",
        "ilogb", "islessgreater", "shuffle2", "image1d_t"})
    if (name == known) return true;
  return false;
}

std::string OpenClC::Prelude() {
  std::string out;
  if (fp16_) out += "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";
  if (fp64_) out += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
  if (long_atomics_)
    out +=
        "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
        "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n";
  if (sampler_)
    out +=
        "__constant sampler_t lathe_sampler =\n"
        "    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n";
  for (const std::string& function : float_atomics_) out += function;
  return out;
}

}  // namespace lathe::opencl_backend

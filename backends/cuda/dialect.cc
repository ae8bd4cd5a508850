#include "backends/cuda/dialect.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "backends/cuda/prelude.h"
#include "base/error.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "plugins/sdk/value.h"

namespace lathe::cuda {
namespace {

constexpr int kWidestAccess = 16;  // bytes that one instruction moves

bool IsHalf(DataType type) { return type.code() == kDLFloat && type.bits() == 16; }
// Types of the toolkit's headers, all of which convert to and from float.
bool IsNarrow(DataType type) { return IsHalf(type) || type.is_bfloat16() || type.is_float8(); }

// The name that cuda_fp8.h gives to a format with hardware support.
const char* Float8Format(DataType type) {
  switch (type.code()) {
    case kDLFloat8_e4m3fn:
      return "E4M3";
    case kDLFloat8_e5m2:
      return "E5M2";
    default:
      return nullptr;
  }
}

std::string Cast(const std::string& type, const std::string& x) {
  return "((" + type + ")" + x + ")";
}

std::string Called(const std::string& function, const std::vector<std::string>& args) {
  std::string out = function + "(";
  for (size_t i = 0; i < args.size(); ++i) out += (i == 0 ? "" : ", ") + args[i];
  return out + ")";
}

}  // namespace

int ArchNumber(const std::string& arch) {
  int number = 0;
  const char* begin = arch.data() + (arch.starts_with("sm_") ? 3 : 0);
  const char* end = arch.data() + arch.size();
  const auto [rest, error] = std::from_chars(begin, end, number);
  const std::string_view suffix(rest, static_cast<size_t>(end - rest));
  const bool known_suffix = suffix.empty() || ((suffix == "a" || suffix == "f") && number >= 90);
  if (error != std::errc() || begin == arch.data() || number < 75 || number > 999 ||
      !known_suffix) {
    throw sdk::Error(LATHE_INVALID_ARGUMENT, "cuda-bad-arch",
                     "`" + arch + "` is no architecture that kernels are made for",
                     "expected: sm_75, sm_80, sm_86, sm_87, sm_89, sm_90, sm_90a, sm_100, ...");
  }
  return number;
}

std::string CudaDialect::Type(DataType type) {
  if (type.is_vector() && !type.is_scalable()) {
    vectors_ = true;
    return "lathe_vector<" + Type(type.element_of()) + ", " + std::to_string(type.lanes()) + ">";
  }
  if (IsHalf(type)) {
    half_ = true;
    return "__half";
  }
  if (type.is_bfloat16()) {
    bfloat_ = true;
    return "__nv_bfloat16";
  }
  if (const char* format = Float8Format(type); format != nullptr) {
    float8_ = true;
    return std::string(type.code() == kDLFloat8_e4m3fn ? "__nv_fp8_e4m3" : "__nv_fp8_e5m2");
  }
  return sdk::CDialect::Type(type);
}

// An operation + - * / in 16 bits gives the same result as computing in float32 and rounding: 24
// bits of mantissa are enough for that.
bool CudaDialect::HasArithmetic(DataType type) {
  return IsHalf(type) || type.is_bfloat16() || sdk::CDialect::HasArithmetic(type);
}

std::string CudaDialect::Convert(DataType to, DataType from, const std::string& x) {
  if (!IsNarrow(to) && !IsNarrow(from)) return sdk::CDialect::Convert(to, from, x);
  Type(to), Type(from);  // asks for the headers
  // From a narrow type: first exactly to float, then to the result type.
  if (IsNarrow(from)) {
    const std::string wide = IsHalf(from)         ? "__half2float(" + x + ")"
                             : from.is_bfloat16() ? "__bfloat162float(" + x + ")"
                                                  : Cast("float", x);
    if (to == DataType::Float(32)) return wide;
    return Convert(to, DataType::Float(32), wide);
  }
  const bool wide_int = from.is_integral() && from.bits() >= 32;
  if (to.is_float8()) {
    // 32-bit integers are exact as doubles; larger ones are out of the format's range in any case.
    const bool is_double = from == DataType::Float(64) || wide_int;
    const std::string format = Float8Format(to);
    return "lathe_float8<" + Type(to) + ">(__nv_cvt_" + (is_double ? "double" : "float") +
           "_to_fp8(" + (from.is_float() ? x : Cast(is_double ? "double" : "float", x)) +
           ", __NV_NOSAT, __NV_" + format + "))";
  }
  // Rounds only once: converting through float32 would round large integers and float64 twice.
  const std::string target = IsHalf(to) ? "half" : "bfloat16";
  if (from == DataType::Float(64)) return "__double2" + target + "(" + x + ")";
  if (wide_int) {
    const std::string source =
        from.bits() == 64 ? (from.is_uint() ? "ull" : "ll") : (from.is_uint() ? "uint" : "int");
    return "__" + source + "2" + target + "_rn(" + x + ")";
  }
  return "__float2" + target + "_rn(" + (from == DataType::Float(32) ? x : Cast("float", x)) + ")";
}

std::string CudaDialect::Reinterpret(DataType to, DataType from, const std::string& x) {
  if (to == from) return x;
  const std::string target = Type(to);
  bits_ = true;
  return "lathe_bits<" + target + ">(" + x + ")";
}

std::string CudaDialect::MinMax(bool is_max, DataType type, const std::string& a,
                                const std::string& b) {
  if (IsHalf(type) || type.is_bfloat16())
    return std::string(is_max ? "__hmax(" : "__hmin(") + a + ", " + b + ")";
  if (type.is_integral() && type.bits() >= 32)
    return std::string(is_max ? "max(" : "min(") + a + ", " + b + ")";
  return sdk::CDialect::MinMax(is_max, type, a, b);
}

std::string CudaDialect::Math(std::string_view op, DataType type,
                              const std::vector<std::string>& args) {
  if (type.is_float()) {
    if (op == ir::intrinsic::kRsqrt)
      return Called(type.bits() == 32 ? "rsqrtf" : ir::intrinsic::kRsqrt, args);
    return sdk::CDialect::Math(op, type, args);
  }
  if (op == ir::intrinsic::kPopcount || op == ir::intrinsic::kClz) {
    const std::string function = std::string(op == ir::intrinsic::kPopcount ? "__popc" : "__clz") +
                                 (type.bits() == 64 ? "ll" : "");
    const std::string bits =
        Cast(Type(DataType::UInt(type.bits())), args[0]);  // without sign extension
    std::string out = Called(function, {bits});
    if (op == ir::intrinsic::kClz && type.bits() < 32)
      out = "(" + out + " - " + std::to_string(32 - type.bits()) + ")";
    return Cast(Type(type), out);
  }
  return "";
}

std::string CudaDialect::Compose(DataType vector, const std::vector<std::string>& lanes) {
  std::string out = Type(vector) + "{{";
  for (size_t i = 0; i < lanes.size(); ++i) out += (i == 0 ? "" : ", ") + lanes[i];
  return out + "}}";
}

std::string CudaDialect::Lane(DataType, const std::string& x, int lane) {
  return x + ".lanes[" + std::to_string(lane) + "]";
}

// A thread's own arrays stay in registers only as long as their addresses are not taken. For wide
// accesses to global memory with unknown alignment, a check of the address at run time pays off.
int CudaDialect::MemoryLanes(DataType element, const std::string& scope, int lanes,
                             int64_t alignment) {
  if (scope == ir::memory_scope::kLocal) return 1;
  int count = 1;
  while (lanes % (count * 2) == 0 && count * 2 * element.bytes() <= kWidestAccess &&
         (scope == ir::memory_scope::kGlobal || alignment % (count * 2 * element.bytes()) == 0))
    count *= 2;
  return count;
}

std::string CudaDialect::LoadVector(DataType vector, const std::string&, const std::string& pointer,
                                    int64_t alignment) {
  if (alignment % vector.bytes() != 0) {
    checked_ = true;
    return "lathe_load<" + Type(vector.element_of()) + ", " + std::to_string(vector.lanes()) +
           ">(" + pointer + ")";
  }
  return "(*(const " + Type(vector) + "*)(" + pointer + "))";
}

std::string CudaDialect::StoreVector(DataType vector, const std::string&,
                                     const std::string& pointer, const std::string& x,
                                     int64_t alignment) {
  if (alignment % vector.bytes() != 0) {
    Type(vector);
    checked_ = true;
    return "lathe_store(" + pointer + ", " + x + ")";
  }
  return "*(" + Type(vector) + "*)(" + pointer + ") = " + x;
}

std::string CudaDialect::Array(const std::string& scope, DataType element, const std::string& name,
                               int64_t count, int64_t alignment) {
  const std::string array = MemoryType(element) + " " + name + "[" + std::to_string(count) + "];";
  if (scope == ir::memory_scope::kLocal) return array;
  if (scope != ir::memory_scope::kShared)
    Unsupported("memory of scope \"" + scope + "\" in a kernel");
  return "__shared__ __align__(" + std::to_string(std::max<int64_t>(alignment, kWidestAccess)) +
         ") " + array;
}

// Constants are in global memory: tables may be larger than the 64 KiB of constant memory, and
// threads read different elements.
std::string CudaDialect::ConstantArray(DataType element, const std::string& name,
                                       const std::string& values) {
  return "static __device__ const " + MemoryType(element) + " " + name + "[] = {" + values + "};";
}

sdk::CDialect::Dynamic CudaDialect::DynamicShared(const std::string& name) {
  // The layout of the tensor cores' operands needs this alignment (wgmma.h).
  return {.parameter = "",
          .declaration = "extern __shared__ __align__(1024) unsigned char " + name + "[];"};
}

std::string CudaDialect::KernelHead(const sdk::CKernel& kernel,
                                    const std::vector<std::string>& parameters) {
  std::string out = "extern \"C\" __global__ void ";
  // The compiler accepts only one of the two.
  if (max_registers_ > 0)
    out += "__maxnreg__(" + std::to_string(max_registers_) + ") ";
  else if (const int64_t threads = kernel.BlockThreads(); threads > 0)
    out += "__launch_bounds__(" + std::to_string(threads) + ") ";
  std::vector<std::string> all = parameters;
  if (const auto added = added_.find(kernel.name); added != added_.end())
    all.insert(all.end(), added->second.begin(), added->second.end());
  return out + Called(kernel.symbol, all);
}

std::string CudaDialect::Parameter(const sdk::CParameter& parameter) {
  if (!parameter.is_pointer) return MemoryType(parameter.dtype) + " " + parameter.name;
  if (parameter.scope != ir::memory_scope::kGlobal)
    Unsupported("memory of scope \"" + parameter.scope + "\"");
  // A pointer that is only read and has no aliases is read through the read-only cache.
  return Pointer(parameter.scope, parameter.dtype, !parameter.is_written) +
         (parameter.noalias ? " __restrict__ " : " ") + parameter.name;
}

std::string CudaDialect::ThreadIndex(const std::string& tag) {
  constexpr std::array<std::string_view, 6> kTags = {
      ir::thread_tag::kBlockX,  ir::thread_tag::kBlockY,  ir::thread_tag::kBlockZ,
      ir::thread_tag::kThreadX, ir::thread_tag::kThreadY, ir::thread_tag::kThreadZ};
  if (std::find(kTags.begin(), kTags.end(), tag) == kTags.end()) Unsupported("axis " + tag);
  return tag;
}

std::string CudaDialect::Barrier(const std::string& scope) {
  if (scope == ir::memory_scope::kWarp) return "__syncwarp()";
  if (scope == ir::memory_scope::kShared) return "__syncthreads()";
  Unsupported("barrier of scope \"" + scope + "\"",
              "end the kernel there: the next launch sees what all blocks wrote");
}

std::string CudaDialect::Atomic(std::string_view op, DataType type, const std::string&,
                                const std::string& pointer, const std::vector<std::string>& args) {
  const std::string name = Type(type);
  const bool word = type.is_integral() && (type.bits() == 32 || type.bits() == 64);
  if (op == ir::intrinsic::kAtomicAdd) {
    // In two's complement, signed and unsigned addition are the same.
    if (type == DataType::Int(64))
      return Cast(name, "atomicAdd((unsigned long long*)(" + pointer + "), (unsigned long long)(" +
                            args[0] + "))");
    if (word || type == DataType::Float(32) || type == DataType::Float(64))
      return "atomicAdd(" + pointer + ", " + args[0] + ")";
  } else if (word && (op == ir::intrinsic::kAtomicMin || op == ir::intrinsic::kAtomicMax)) {
    return std::string(op == ir::intrinsic::kAtomicMin ? "atomicMin(" : "atomicMax(") + pointer +
           ", " + args[0] + ")";
  }
  if (type.bits() < 8 || type.is_bool()) Unsupported(std::string(op) + " on " + type.ToString());
  atomics_ = bits_ = true;
  // Works on the word: read, compute, and write if the word has not changed in between.
  const std::string update = op == ir::intrinsic::kAtomicAdd        ? "lathe_add"
                             : op == ir::intrinsic::kAtomicMin      ? "lathe_min"
                             : op == ir::intrinsic::kAtomicMax      ? "lathe_max"
                             : op == ir::intrinsic::kAtomicExchange ? "lathe_exchange"
                                                                    : "lathe_compare_exchange";
  return "lathe_atomic<" + name + ">(" + pointer + ", " + update + "<" + name + ">{" + args[0] +
         (args.size() > 1 ? ", " + args[1] : "") + "})";
}

std::string CudaDialect::Shuffle(std::string_view op, DataType type,
                                 const std::vector<std::string>& args) {
  const std::string function = op == ir::intrinsic::kWarpShuffle       ? "__shfl_sync"
                               : op == ir::intrinsic::kWarpShuffleUp   ? "__shfl_up_sync"
                               : op == ir::intrinsic::kWarpShuffleDown ? "__shfl_down_sync"
                                                                       : "__shfl_xor_sync";
  const bool direct = type == DataType::Float(32) || type == DataType::Float(64) ||
                      (type.is_integral() && type.bits() >= 32) || IsHalf(type) ||
                      type.is_bfloat16();
  const auto with = [&](const std::string& value) {
    return Called(function, {"(unsigned)(" + args[0] + ")", value, args[2], args[3]});
  };
  if (direct) return with(args[1]);
  if (!type.is_float()) return Cast(Type(type), with("(int)" + args[1]));
  bits_ = true;
  return "lathe_bits<" + Type(type) + ">((unsigned char)" +
         with("(int)lathe_bits<unsigned char>(" + args[1] + ")") + ")";
}

std::string CudaDialect::ActiveMask(DataType type) { return Cast(Type(type), "__activemask()"); }

std::string CudaDialect::AsyncCopy(DataType element, const std::string& to_scope,
                                   const std::string& to, const std::string& from_scope,
                                   const std::string& from, int64_t count, int64_t alignment) {
  const int64_t bytes = count * element.bytes();
  if (arch_ < 80 || !to_scope.starts_with(ir::memory_scope::kShared) ||
      from_scope != ir::memory_scope::kGlobal)
    return "";
  for (const int64_t piece : {16, 8, 4}) {
    if (bytes % piece != 0) continue;
    async_ = true;
    // If the alignment is not known, the kernel checks the addresses at run time.
    return std::string("lathe_async_copy") + (alignment % piece == 0 ? "" : "_checked") + "<" +
           std::to_string(piece) + ", " + std::to_string(bytes) + ">(" + to + ", " + from + ")";
  }
  return "";
}

std::string CudaDialect::AsyncCommit() {
  if (arch_ < 80) return "";
  async_ = true;
  return "lathe_async_commit()";
}

std::string CudaDialect::AsyncWait(int64_t groups) {
  if (arch_ < 80) return "";
  async_ = true;
  return "lathe_async_wait<" + std::to_string(groups) + ">()";
}

bool CudaDialect::IsReserved(std::string_view name) {
  static constexpr std::array<std::string_view, 12> kOwn = {
      "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "half",
      "max",       "min",      "abs",      "signbit", "isnan",    "isinf"};
  return sdk::CDialect::IsReserved(name) || name.starts_with("lathe_") ||
         name.starts_with("atomic") || std::find(kOwn.begin(), kOwn.end(), name) != kOwn.end();
}

std::string CudaDialect::Prelude() {
  std::string out;
  if (half_) out += "#include <cuda_fp16.h>\n";
  if (bfloat_) out += "#include <cuda_bf16.h>\n";
  if (float8_) out += "#include <cuda_fp8.h>\n";
  if (vectors_) out += kVectorPrelude;
  if (checked_) out += kCheckedAccessPrelude;
  if (bits_) out += kBitsPrelude;
  if (float8_) out += kFloat8Prelude;
  if (atomics_) out += kAtomicPrelude;
  if (async_) out += kAsyncPrelude;
  return out;
}

}  // namespace lathe::cuda

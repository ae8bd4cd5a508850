// Programs compiled through C, by the pinned clang, against the interpreter; what callers are told;
// and machines without a C compiler.
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "base/float_formats.h"
#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "ir/interpreter/interpreter.h"
#include "ir/text/parser.h"
#include "lathe/abi/kernel.h"
#include "runtime/registry.h"
#include "runtime/status.h"
#include "runtime/tensor.h"
#include "target/target.h"

namespace lathe::driver {
namespace {

using runtime::StatusName;
using runtime::Tensor;

// The runfiles' folder is the current one.
// What C leaves undefined ends the process.
std::string CTarget() {
  return "c -cc=" + std::filesystem::absolute("third_party/toolchain/test_cc.sh").string() +
         " -cc-options=-fsanitize=undefined,-fsanitize=float-cast-overflow,-fsanitize-trap=all";
}

runtime::Module BuildFor(const std::string& target, const std::string& text) {
  UseDefaultPlugins();
  auto built = Build(ir::ParseModule(text), target::ParseTarget(target), {});
  EXPECT_TRUE(built.ok()) << built.status();
  return *built;
}

// One argument: its type and extent, and whether it may differ by some units in the last place.
struct Argument {
  DataType dtype;
  int64_t extent;
};
struct Case {
  const char* name;
  std::vector<Argument> arguments;
  const char* body;
  double ulps = 0;
};

const DataType kF16 = DataType::Float(16), kBF16 = DataType::BFloat16(), kF32 = DataType::Float(32),
               kF64 = DataType::Float(64), kI8 = DataType::Int(8), kI16 = DataType::Int(16),
               kI32 = DataType::Int(32), kI64 = DataType::Int(64), kU8 = DataType::UInt(8),
               kU16 = DataType::UInt(16), kU32 = DataType::UInt(32), kU64 = DataType::UInt(64),
               kBool = DataType::Bool();

const std::vector<Case>& Cases() {
  static const auto& cases = *new std::vector<Case>{
      {"wrapping",
       {{kI32, 64}, {kI8, 64}, {kU16, 64}, {kI64, 64}},
       "for i in range(63) {\n A[i] = A[i] * A[i + 1] - A[i]\n B[i] = B[i] * B[i + 1] + B[i]\n"
       " C[i] = C[i] * C[i] * C[i]\n D[i] = D[i] * D[i + 1] - D[i]\n }"},
      {"floor_division",
       {{kI32, 64}, {kI8, 64}, {kI64, 64}, {kU32, 64}},
       "for i in range(32) {\n"
       " A[i] = A[i] // select(A[i + 32] == 0, 3, A[i + 32]) + A[i] % 7 + A[i] // 8\n"
       " B[i] = B[i] % select(B[i + 32] == int8(0), int8(3), B[i + 32])\n"
       " C[i] = C[i] // select(C[i + 32] == int64(0), int64(-5), C[i + 32])\n"
       " D[i] = D[i] % bitwise_or(D[i + 32], uint32(1))\n }"},
      {"saturating_casts",
       {{kF32, 64}, {kF64, 64}, {kI32, 64}, {kU8, 64}, {kI64, 64}, {kU32, 64}},
       "for i in range(64) {\n C[i] = int32(A[i] * 1000000000.0)\n D[i] = uint8(A[i] * 40.0)\n"
       " E[i] = int64(B[i] * float64(1e18))\n F[i] = uint32(B[i] * float64(100000000.0))\n }"},
      {"bits",
       {{kI32, 64}, {kU8, 64}, {kI16, 64}, {kU64, 64}},
       "for i in range(64) {\n"
       " A[i] = bitwise_xor(shift_left(A[i], bitwise_and(A[i], 31)), "
       "shift_right(A[i], bitwise_and(A[i], 15)))\n"
       " B[i] = popcount(B[i]) + clz(B[i])\n C[i] = bitwise_or(bitwise_not(C[i]), "
       "bitwise_and(C[i], int16(255)))\n"
       " D[i] = shift_right(D[i], bitwise_and(D[i], uint64(63))) + popcount(D[i]) + clz(D[i])\n }"},
      {"small_floats",
       {{kF16, 64}, {kBF16, 64}, {kF32, 64}},
       "for i in range(64) {\n A[i] = A[i] * A[i] + A[i]\n B[i] = B[i] / bfloat16(3.0)\n"
       " C[i] = float32(A[i]) + float32(B[i])\n }"},
      {"conditions",
       {{kF32, 64}, {kBool, 64}, {kI32, 64}},
       "for i in range(64) {\n"
       " B[i] = A[i] > 0.0 and not (C[i] == 3) or B[i]\n"
       " if B[i] {\n A[i] = max(A[i], 1.5)\n } else {\n A[i] = min(A[i], nan<float32>)\n }\n"
       " C[i] = if_then_else(i < 60, C[i % 60 + 4], 0)\n }"},
      {"vectors",
       {{kF32, 133}, {kF32, 133}},
       "for o in range(17) {\n vectorized for i in range(8) {\n if o * 8 + i < 133 {\n"
       " B[o * 8 + i] = A[o * 8 + i] * 0.1 + 2.0\n }\n }\n }"},
      {"parallel_workspace",
       {{kF32, 64}, {kF32, 64}},
       "parallel for i in range(64) {\n allocate T: float32[40000]\n"
       " for j in range(40000) {\n T[j] = A[i] + float32(j % 7)\n }\n"
       " B[i] = T[39999] * T[i]\n }"},
      {"functions",
       {{kF32, 64}, {kF64, 64}},
       "for i in range(64) {\n A[i] = exp(A[i]) + tanh(A[i]) * sqrt(abs(A[i])) + erf(A[i])\n"
       " B[i] = sin(B[i]) + exp10(B[i]) + rsqrt(abs(B[i]) + float64(1.0)) + floor(B[i])\n }",
       8},
  };
  return cases;
}

std::string Name(size_t i) { return std::string(1, static_cast<char>('A' + i)); }

std::string TextOf(const Case& one) {
  std::string out = std::string("func ") + one.name + "(";
  for (size_t i = 0; i < one.arguments.size(); ++i)
    out += (i == 0 ? "" : ", ") + Name(i) + ": " + one.arguments[i].dtype.ToString() + "[" +
           std::to_string(one.arguments[i].extent) + "]";
  return out + ") {\n" + one.body + "\n}\n";
}

// All cases in one module: one call of the compiler, and several functions in one text.
std::string AllPrograms() {
  std::string out;
  for (const Case& one : Cases()) out += TextOf(one);
  return out;
}

char* BytesOf(const Tensor& tensor) {
  return static_cast<char*>(tensor.dl().data) + tensor.dl().byte_offset;
}

// Numbers of both signs, small ones and large ones, extremes and NaN.
void Fill(Tensor& tensor, uint64_t state) {
  const DataType dtype = tensor.dtype();
  const auto size = static_cast<size_t>(dtype.bytes());
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    const auto pick = static_cast<int64_t>(state >> 33);
    uint64_t bits = state >> 7;
    if (dtype.is_float()) {
      const double special[] = {0.0, -0.0, 1e30, -1e30, std::nan("")};
      bits = EncodeFloat(i % 9 == 8 ? special[pick % 5] : static_cast<double>(pick % 81 - 40) / 16,
                         dtype);
    } else if (dtype.is_bool()) {
      bits &= 1;
    } else if (i % 7 == 6) {
      bits = uint64_t{1} << (dtype.bits() - 1);
    } else if (i % 2 == 0) {
      bits = static_cast<uint64_t>(pick % 21 - 10);
    }
    std::memcpy(BytesOf(tensor) + static_cast<size_t>(i) * size, &bits, size);
  }
}

void ExpectSame(const Case& one, const Tensor& got, const Tensor& want, const std::string& name) {
  const DataType dtype = got.dtype();
  const auto size = static_cast<size_t>(dtype.bytes());
  for (int64_t i = 0; i < got.num_elements(); ++i) {
    uint64_t a = 0, b = 0;
    std::memcpy(&a, BytesOf(got) + static_cast<size_t>(i) * size, size);
    std::memcpy(&b, BytesOf(want) + static_cast<size_t>(i) * size, size);
    if (a == b) continue;
    if (dtype.is_float()) {
      const double x = DecodeFloat(a, dtype), y = DecodeFloat(b, dtype);
      if (std::isnan(x) && std::isnan(y)) continue;
      const double apart = std::fabs(static_cast<double>(static_cast<int64_t>(a - b)));
      if (apart <= one.ulps) continue;
      ADD_FAILURE() << one.name << " " << name << "[" << i << "]: " << x << ", not " << y;
    } else {
      ADD_FAILURE() << one.name << " " << name << "[" << i << "]: " << a << ", not " << b;
    }
    return;
  }
}

TEST(CPrograms, ComputeWhatTheInterpreterComputes) {
  const std::string text = AllPrograms();
  const runtime::Module module = BuildFor(CTarget(), text);
  const ir::Module loops = ir::ParseModule(text);
  for (const Case& one : Cases()) {
    std::vector<Tensor> compiled, interpreted;
    std::vector<lathe_value> args;
    std::vector<runtime::Value> values;
    std::vector<ir::InterpValue> operands;
    for (size_t i = 0; i < one.arguments.size(); ++i) {
      const Argument& argument = one.arguments[i];
      compiled.push_back(*Tensor::Empty({argument.extent}, argument.dtype));
      interpreted.push_back(*Tensor::Empty({argument.extent}, argument.dtype));
      Fill(compiled[i], i);
      Fill(interpreted[i], i);
      values.emplace_back(compiled[i]);
      operands.emplace_back(
          ir::InterpTensor::Of(BytesOf(interpreted[i]), argument.dtype, {argument.extent}));
    }
    for (const runtime::Value& value : values) args.push_back(value.c());
    const auto function = module.GetFunction(one.name);
    ASSERT_TRUE(function.ok()) << function.status();
    const auto called = function->TryCallPacked(args.data(), static_cast<int32_t>(args.size()));
    ASSERT_TRUE(called.ok()) << one.name << ": " << called.status();
    ir::Interpret(loops, one.name, operands, {});
    for (size_t i = 0; i < compiled.size(); ++i)
      ExpectSame(one, compiled[i], interpreted[i], Name(i));
  }
}

constexpr const char* kAdd = R"(func f(n: int32, A: float32[n], B: float32[n]) {
  for i in range(n) {
    B[i] = A[i] + 1.0
  }
})";

// What is wrong with a call is said as target `llvm` says it.
TEST(CPrograms, ErrorsAreThoseOfOtherTargets) {
  const runtime::Module c = BuildFor(CTarget(), kAdd), other = BuildFor("llvm", kAdd);
  const Tensor a = *Tensor::Empty({4}, kF32), longer = *Tensor::Empty({5}, kF32),
               wrong = *Tensor::Empty({4}, kF64), square = *Tensor::Empty({2, 2}, kF32);
  const auto error = [](const runtime::Module& module, const auto&... args) {
    return std::string(module.FindFunction("f").TryCall(args...).status().message());
  };
  EXPECT_EQ(error(c, 4, a, a), "");
  const auto expect = [&](const char* name, const auto&... args) {
    const std::string said = error(c, args...);
    EXPECT_NE(said.find(name), std::string::npos) << said;
    EXPECT_EQ(said, error(other, args...));
  };
  expect("call-argument-count", a, a);
  expect("call-argument-dtype", 4, a, wrong);
  expect("call-argument-shape", 4, a, longer);
  expect("call-argument-rank", 4, square, a);
  expect("call-argument-kind", 4, a, 1.5);
  expect("call-argument-null", 4, nullptr, a);
}

TEST(CPrograms, CallRegisteredFunctions) {
  std::vector<std::string> seen;
  ASSERT_TRUE(runtime::RegisterGlobal("c_test.note",
                                      runtime::Function::From(
                                          [&](const runtime::Args& args, runtime::Value* ret) {
                                            const auto* tensor = args[0].As<const DLTensor*>();
                                            seen = {std::to_string(tensor->shape[0]),
                                                    args[1].As<std::string>(),
                                                    std::to_string(args[2].As<double>())};
                                            *ret = int64_t{7};
                                          },
                                          "c_test.note"))
                  .ok());
  const runtime::Module module = BuildFor(CTarget(), R"(func f(A: float32[3], B: int32[1]) {
  let got: int32 = call_packed<int32>("c_test.note", A, "a \"text\"??/", A[1])
  B[0] = got + 1
})");
  Tensor a = *Tensor::Empty({3}, kF32), b = *Tensor::Empty({1}, kI32);
  a.HostData<float>()[1] = 2.5f;
  (*module.GetFunction("f"))(a, b);
  EXPECT_EQ(b.HostData<int32_t>()[0], 8);
  EXPECT_EQ(seen, (std::vector<std::string>{"3", "a \"text\"?\?/", "2.500000"}));
  runtime::RemoveGlobal("c_test.note");
}

// As a vendor's compiler gets it: a warning is an error (but for what a function has and does not
// need). The interface that the text declares for
// itself is that of the headers.
TEST(CPrograms, TextIsCompleteAndClean) {
  UseDefaultPlugins();
  auto text = Compile(ir::ParseModule(AllPrograms()), target::ParseTarget("c"),
                      plugins::OutputKind::kSource, {});
  ASSERT_TRUE(text.ok()) << text.status();
#define LATHE_SAME(type, member)                                   \
  *text += "_Static_assert(offsetof(" #type ", " #member ") == " + \
           std::to_string(offsetof(type, member)) + ", \"" #type "." #member "\");\n"
  LATHE_SAME(DLTensor, device);
  LATHE_SAME(DLTensor, ndim);
  LATHE_SAME(DLTensor, dtype);
  LATHE_SAME(DLTensor, shape);
  LATHE_SAME(DLTensor, strides);
  LATHE_SAME(DLTensor, byte_offset);
  LATHE_SAME(DLDataType, bits);
  LATHE_SAME(DLDataType, lanes);
  LATHE_SAME(lathe_value, padding);
  LATHE_SAME(lathe_value, v_int);
  LATHE_SAME(lathe_runtime_table, parallel);
  LATHE_SAME(lathe_runtime_table, workspace_alloc);
  LATHE_SAME(lathe_runtime_table, workspace_free);
  LATHE_SAME(lathe_runtime_table, raise);
  LATHE_SAME(lathe_runtime_table, take_error);
  LATHE_SAME(lathe_runtime_table, call_packed);
  LATHE_SAME(lathe_runtime_table, set_device);
  LATHE_SAME(lathe_runtime_table, copy);
  LATHE_SAME(lathe_runtime_table, poll);
  LATHE_SAME(lathe_runtime_table, parallel_on);
  LATHE_SAME(lathe_runtime_table, thread_index);
  LATHE_SAME(lathe_artifact, kernel_abi);
  LATHE_SAME(lathe_artifact, table);
  LATHE_SAME(lathe_artifact, functions);
  LATHE_SAME(lathe_artifact, metadata);
  LATHE_SAME(lathe_artifact, imports);
  LATHE_SAME(lathe_artifact, parts);
  LATHE_SAME(lathe_artifact, entries);
  LATHE_SAME(lathe_artifact, call_sites);
  LATHE_SAME(lathe_artifact, num_call_sites);
#undef LATHE_SAME
  *text += "_Static_assert(sizeof(lathe_artifact) == " + std::to_string(sizeof(lathe_artifact)) +
           ", \"lathe_artifact\");\n";
  const std::string folder = std::getenv("TEST_TMPDIR");
  std::ofstream(folder + "/module.c") << *text;
  const std::string command =
      "third_party/toolchain/test_cc.sh -std=c11 -O1 -Wall -Wextra -Wno-unused-parameter "
      "-Wno-unused-variable -Werror -fPIC -c -o " +
      folder + "/module.o " + folder + "/module.c";
  EXPECT_EQ(std::system(command.c_str()), 0) << *text;
}

TEST(NoCompiler, ModulesCanBeReadAndSayWhatIsMissing) {
  const std::string compiler = std::string(std::getenv("TEST_TMPDIR")) + "/no-such-cc";
  const std::string target = "c -cc=" + compiler;
  const runtime::Module module = BuildFor(target, kAdd);
  const auto source = module->Source("");
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_NE(source->find("static int f(void* self"), std::string::npos) << *source;
  const Tensor a = *Tensor::Empty({4}, kF32);
  const absl::Status called = module.FindFunction("f").TryCall(4, a, a).status();
  EXPECT_EQ(StatusName(called), "c-no-compiler");
  for (const std::string& part : {compiler, std::string("-cc"), std::string("get_source()")})
    EXPECT_NE(called.message().find(part), std::string_view::npos) << called;
  EXPECT_EQ(StatusName(Compile(ir::ParseModule(kAdd), target::ParseTarget(target),
                               plugins::OutputKind::kObject, {})
                           .status()),
            "c-no-compiler");
  // Where there is a compiler by now, the cache's entry is made again.
  const auto saved = module->Save();
  ASSERT_TRUE(saved.ok()) << saved.status();
  EXPECT_TRUE(runtime::LoadModuleBytes("c", *saved).ok());
  std::ofstream(compiler) << "#!/bin/sh\nexit 1\n";
  chmod(compiler.c_str(), 0755);
  EXPECT_EQ(StatusName(runtime::LoadModuleBytes("c", *saved).status()), "module-recompile");
  EXPECT_EQ(StatusName(runtime::LoadModuleBytes("c", saved->substr(0, 40)).status()),
            "module-refused");
  EXPECT_EQ(StatusName(Build(ir::ParseModule(kAdd), target::ParseTarget(target), {}).status()),
            "c-compile-failed");
}

}  // namespace
}  // namespace lathe::driver

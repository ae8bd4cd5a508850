// Tensor intrinsics for dot products and tiles, and the products made of them: what they compute in
// the interpreter, with LLVM's functions as the manuals have them (llvm_functions.h), for every
// architecture; and on this processor where it has them.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "gtest/gtest.h"
#include "lower/pipeline.h"
#include "runtime/cpu_features.h"
#include "runtime/tensor.h"
#include "schedule/loop_nest.h"
#include "schedule/primitives/primitives.h"
#include "te/evaluator.h"
#include "tests/schedule/expect.h"
#include "tests/topi/llvm_functions.h"
#include "topi/cpu/dot_gemm.h"
#include "topi/cpu/dot_intrinsics.h"

namespace lathe::topi::cpu {
namespace {

constexpr DataType kU8 = DataType::UInt(8), kS8 = DataType::Int(8), kS32 = DataType::Int(32);
constexpr DataType kBf16 = DataType::BFloat16(), kF32 = DataType::Float(32);

// The arguments of a kernel: small numbers of every sign, so that sums are exact.
class Arguments {
 public:
  explicit Arguments(const Kernel& kernel) {
    for (const te::Tensor& tensor : kernel.args) {
      std::vector<int64_t> shape;
      for (const Expr& extent : tensor->shape()) shape.push_back(*ir::AsConstInt(extent));
      const bool input = ir::As<ir::PlaceholderOp>(tensor->op) != nullptr;
      tensors_.push_back(*runtime::Tensor::Empty(shape, tensor->dtype()));
      Fill(tensors_.back(), input, static_cast<int64_t>(tensors_.size()));
    }
  }
  std::vector<ir::InterpValue> values() const {
    std::vector<ir::InterpValue> out;
    for (const runtime::Tensor& tensor : tensors_) {
      const DLTensor& view = tensor.dl();
      out.emplace_back(
          ir::InterpTensor::Of(view.data, tensor.dtype(), {view.shape, view.shape + view.ndim}));
    }
    return out;
  }
  std::string result() const {
    const runtime::Tensor& c = tensors_.back();
    return {static_cast<const char*>(c.dl().data),
            static_cast<size_t>(c.num_elements() * c.dtype().bytes())};
  }
  const std::vector<runtime::Tensor>& tensors() const { return tensors_; }

 private:
  using Expr = ir::Expr;
  static void Fill(runtime::Tensor& tensor, bool input, int64_t seed) {
    for (int64_t i = 0; i < tensor.num_elements(); ++i) {
      // Extremes of 8 bits among them.
      const int64_t mixed = (i * 37 + seed * 11) % 101;
      const int64_t number = !input ? 77 : mixed == 0 ? -128 : mixed == 1 ? 127 : mixed % 19 - 9;
      if (tensor.dtype() == kBf16) {
        const float value = static_cast<float>(input ? mixed % 15 - 7 : 77);
        uint32_t bits;
        std::memcpy(&bits, &value, 4);
        tensor.HostData<uint16_t>()[i] = static_cast<uint16_t>(bits >> 16);
      } else if (tensor.dtype() == kF32) {
        tensor.HostData<float>()[i] = static_cast<float>(number);
      } else if (tensor.dtype().bits() == 32) {
        tensor.HostData<int32_t>()[i] = static_cast<int32_t>(number);
      } else {
        tensor.HostData<int8_t>()[i] = static_cast<int8_t>(number);
      }
    }
  }
  std::vector<runtime::Tensor> tensors_;
};

std::string Evaluated(const Kernel& kernel) {
  const Arguments arguments(kernel);
  te::Evaluate({kernel.args.begin(), kernel.args.end()}, arguments.values());
  return arguments.result();
}

// A product of matrices, plainly: exact, as the arguments are small.
std::string Multiplied(const Kernel& kernel) {
  const Arguments arguments(kernel);
  const std::vector<runtime::Tensor>& t = arguments.tensors();
  const int64_t m = t[0].dl().shape[0], k = t[0].dl().shape[1], n = t[1].dl().shape[1];
  const auto at = [](const runtime::Tensor& tensor, int64_t i) -> int64_t {
    if (tensor.dtype() == kU8) return tensor.HostData<uint8_t>()[i];
    if (tensor.dtype() == kS8) return tensor.HostData<int8_t>()[i];
    const uint32_t bits = static_cast<uint32_t>(tensor.HostData<uint16_t>()[i]) << 16;
    float value;
    std::memcpy(&value, &bits, 4);
    return static_cast<int64_t>(value);
  };
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      int64_t sum = 0;
      for (int64_t x = 0; x < k; ++x) sum += at(t[0], i * k + x) * at(t[1], x * n + j);
      const auto value = static_cast<float>(sum);
      uint32_t bits;
      std::memcpy(&bits, &value, 4);
      if (t[2].dtype() == kS32) {
        t[2].HostData<int32_t>()[i * n + j] = static_cast<int32_t>(sum);
      } else if (t[2].dtype() == kF32) {
        t[2].HostData<float>()[i * n + j] = value;
      } else {  // to the nearest, ties to even
        bits += 0x7fff + (bits >> 16 & 1);
        t[2].HostData<uint16_t>()[i * n + j] = static_cast<uint16_t>(bits >> 16);
      }
    }
  }
  return arguments.result();
}

// By the interpreter: the loops, and after all passes.
void ExpectRightInTheInterpreter(const Kernel& kernel, const std::string& expected) {
  const std::vector<ir::NodeRef> args(kernel.args.begin(), kernel.args.end());
  const ir::Func func = schedule::LowerSchedule(kernel.schedule, args, "f");
  for (const bool lowered : {false, true}) {
    SCOPED_TRACE(lowered ? "after all passes" : "loops");
    const Arguments arguments(kernel);
    LlvmFunctions functions;
    ir::InterpretOptions options;
    options.call_extern = [&](const ir::ExternCall& call) { return functions.Call(call); };
    const ir::Module module = ir::MakeModule({func});
    ir::Interpret(lowered ? lower::RunPasses(module, lower::AllPasses(), {}) : module, "f",
                  arguments.values(), options);
    EXPECT_TRUE(arguments.result() == expected);
  }
}

std::string Missing(const std::string& features) {
  std::istringstream list(features);
  std::string missing;
  for (std::string feature; std::getline(list, feature, ',');) {
    if (runtime::HostSupports(feature) != runtime::Support::kYes) missing += " " + feature;
  }
  return missing;
}

void ExpectRightOnThisProcessor(const Kernel& kernel, const std::string& expected) {
  const std::vector<ir::NodeRef> args(kernel.args.begin(), kernel.args.end());
  const auto module = driver::Build(driver::Lower(kernel.schedule, args, "f", {}),
                                    plugins::ParseTarget("llvm"), {});
  ASSERT_TRUE(module.ok()) << module.status();
  const Arguments arguments(kernel);
  const runtime::Function f = *module->GetFunction("f");
  f(arguments.tensors()[0], arguments.tensors()[1], arguments.tensors()[2]);
  EXPECT_TRUE(arguments.result() == expected);
}

// Some blocks of an intrinsic, one below and beside the other, over several steps of k.
Kernel OfIntrin(DataType a, DataType b, DataType sum, int64_t rows, int64_t columns, int64_t depth,
                const te::TensorIntrin& intrin) {
  using ir::Int;
  constexpr int64_t kDown = 3, kAcross = 2, kSteps = 3;
  const te::Tensor ta = te::Placeholder({Int(kDown), Int(kSteps), Int(rows), Int(depth)}, a, "A");
  const te::Tensor tb =
      te::Placeholder({Int(kAcross), Int(kSteps), Int(columns), Int(depth)}, b, "B");
  const ir::IterVar step = te::ReduceAxis(Int(0), Int(kSteps), "step"),
                    k = te::ReduceAxis(Int(0), Int(depth), "k");
  const te::Tensor c = te::Compute(
      {Int(kDown), Int(kAcross), Int(rows), Int(columns)},
      [&](const te::Indices& i) {
        return te::Sum(ir::MakeCast(sum, te::At(ta, {i[0], step->var, i[2], k->var})) *
                           ir::MakeCast(sum, te::At(tb, {i[1], step->var, i[3], k->var})),
                       {step, k});
      },
      "C");
  schedule::Schedule s = schedule::CreateSchedule({c->op});
  using schedule::AxisOf;
  schedule::Reorder(s[c], {AxisOf(c, 0), AxisOf(c, 1), schedule::ReduceAxisOf(c, 0), AxisOf(c, 2),
                           AxisOf(c, 3), schedule::ReduceAxisOf(c, 1)});
  schedule::Tensorize(s[c], AxisOf(c, 2), intrin, "llvm");
  return {s, {ta, tb, c}};
}

void CheckRow(const DotRow& row, bool on_this_architecture) {
  SCOPED_TRACE(row.name);
  const te::TensorIntrin intrin = DotIntrin(row);
  EXPECT_EQ(te::GetTensorIntrin(row.name, "llvm").get(), intrin.get());
  const Kernel kernel = OfIntrin(row.a, row.b, row.sum, row.rows, row.columns, row.depth, intrin);
  ExpectRightInTheInterpreter(kernel, Evaluated(kernel));
  if (!on_this_architecture) return;
  if (const std::string missing = Missing(row.features); !missing.empty()) {
    std::printf("NOT RUN on this processor, which lacks%s: %s\n", missing.c_str(), row.name);
    return;
  }
  std::printf("run on this processor: %s\n", row.name);
  ExpectRightOnThisProcessor(kernel, Evaluated(kernel));
}

#if defined(__x86_64__)
constexpr bool kIsX86 = true, kIsAArch64 = false;
#elif defined(__aarch64__)
constexpr bool kIsX86 = false, kIsAArch64 = true;
#else
constexpr bool kIsX86 = false, kIsAArch64 = false;
#endif

class DotIntrinsics : public testing::Test {
 protected:
  void SetUp() override { driver::UseDefaultPlugins(); }
};

TEST_F(DotIntrinsics, OfX86) {
  for (const DotRow& row : X86DotRows()) CheckRow(row, kIsX86);
}

TEST_F(DotIntrinsics, OfAArch64) {
  for (const DotRow& row : AArch64DotRows()) CheckRow(row, kIsAArch64);
}

TEST_F(DotIntrinsics, TilesOfX86) {
  using ir::Int;
  for (const TileRow& row : X86TileRows()) {
    for (const bool update : {false, true}) {
      SCOPED_TRACE(row.name);
      constexpr int64_t kBlocks = 2, kSteps = 3;
      const int64_t outer = update ? 2 : 1;
      const te::TensorIntrin intrin = TileIntrin(row, kBlocks, kSteps);
      const te::Tensor a = te::Placeholder(
          {Int(outer), Int(kBlocks), Int(kSteps), Int(kTileRows), Int(row.depth())}, row.a, "A");
      const te::Tensor b = te::Placeholder(
          {Int(outer), Int(kSteps), Int(kTileGroups), Int(kTileColumns), Int(row.group())}, row.b,
          "B");
      const ir::IterVar o = te::ReduceAxis(Int(0), Int(outer), "o"),
                        ko = te::ReduceAxis(Int(0), Int(kSteps), "ko"),
                        kq = te::ReduceAxis(Int(0), Int(kTileGroups), "kq"),
                        kr = te::ReduceAxis(Int(0), Int(row.group()), "kr");
      const te::Tensor c = te::Compute(
          {Int(kBlocks), Int(kTileRows), Int(kTileColumns)},
          [&](const te::Indices& i) {
            return te::Sum(
                ir::MakeCast(row.sum, te::At(a, {o->var, i[0], ko->var, i[1],
                                                 kq->var * row.group() + kr->var})) *
                    ir::MakeCast(row.sum, te::At(b, {o->var, ko->var, kq->var, i[2], kr->var})),
                {o, ko, kq, kr});
          },
          "C");
      schedule::Schedule s = schedule::CreateSchedule({c->op});
      using schedule::AxisOf;
      using schedule::ReduceAxisOf;
      schedule::Reorder(s[c], {ReduceAxisOf(c, 0), AxisOf(c, 0), AxisOf(c, 1), AxisOf(c, 2),
                               ReduceAxisOf(c, 1), ReduceAxisOf(c, 2), ReduceAxisOf(c, 3)});
      schedule::Tensorize(s[c], AxisOf(c, 0), intrin, "llvm");
      const Kernel kernel{s, {a, b, c}};
      ExpectRightInTheInterpreter(kernel, Evaluated(kernel));
      if (const std::string missing = Missing(row.features); !missing.empty()) {
        std::printf("NOT RUN on this processor, which lacks%s: %s\n", missing.c_str(), row.name);
      } else {
        ExpectRightOnThisProcessor(kernel, Evaluated(kernel));
      }
    }
  }
}

// -- Products. Machines by the features that choose the instruction.

struct NamedMachine {
  const char* name;
  const char* target;
};
constexpr NamedMachine kMachines[] = {
    {"Sse2", "llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64"},
    {"Avx2", "llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64-v3"},
    {"AvxVnni", "llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64-v3 -mattr=+avxvnni"},
    {"AvxVnniInt8", "llvm -mtriple=x86_64-linux-gnu -mcpu=sierraforest"},
    {"Avx512", "llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64-v4"},
    {"Avx512Vnni", "llvm -mtriple=x86_64-linux-gnu -mcpu=cooperlake"},
    {"Amx", "llvm -mtriple=x86_64-linux-gnu -mcpu=sapphirerapids"},
    {"Neon", "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72"},
    {"DotProd", "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a76"},
    {"I8mm", "llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-v1"},
    {"RiscV", "llvm -mtriple=riscv64-linux-gnu"},
};

class DotGemms : public testing::TestWithParam<NamedMachine> {
 protected:
  void SetUp() override {
    driver::UseDefaultPlugins();
    target_ = *driver::CanonicalTarget(plugins::ParseTarget(GetParam().target));
    machine_ = CpuMachineOf(target_.attributes);
  }
  plugins::Target target_;
  CpuMachine machine_;
};

INSTANTIATE_TEST_SUITE_P(Machines, DotGemms, testing::ValuesIn(kMachines),
                         [](const auto& info) { return info.param.name; });

std::vector<Kernel> KernelsOf(const GemmShape& shape, const CpuMachine& machine) {
  return {DotGemm(shape, kU8, kS8, kS32, machine), DotGemm(shape, kS8, kS8, kS32, machine),
          DotGemm(shape, kBf16, kBf16, kF32, machine),
          DotGemm(shape, kBf16, kBf16, kBf16, machine)};
}

std::string TextOf(const GemmShape& shape) {
  return std::to_string(shape.m) + "x" + std::to_string(shape.n) + "x" + std::to_string(shape.k);
}

TEST_P(DotGemms, AreRightInTheInterpreter) {
  for (const GemmShape& shape : {GemmShape{1, 1, 1}, GemmShape{5, 3, 2}, GemmShape{13, 37, 7},
                                 GemmShape{35, 70, 65}, GemmShape{16, 64, 128}}) {
    SCOPED_TRACE(TextOf(shape));
    for (const Kernel& kernel : KernelsOf(shape, machine_))
      ExpectRightInTheInterpreter(kernel, Multiplied(kernel));
  }
  // The program before it is scheduled, too.
  for (const Kernel& kernel : KernelsOf({5, 35, 9}, machine_))
    EXPECT_TRUE(Evaluated(kernel) == Multiplied(kernel));
}

// Code for this processor, of the loops for any machine whose instructions it has.
TEST_P(DotGemms, AreRightOnThisProcessor) {
  std::string missing;
  if (machine_.architecture != Architecture::kOther &&
      machine_.architecture != (kIsX86 ? Architecture::kX86 : Architecture::kAArch64)) {
    missing = " its architecture";
  } else {
    for (const DataType a : {kU8, kS8, kBf16}) {
      const DotChoice choice = ChooseDot(a, a == kBf16 ? kBf16 : kS8, 64, 64, machine_);
      if (choice.dot != nullptr) missing += Missing(choice.dot->features);
      if (choice.tile != nullptr) missing += Missing(choice.tile->features);
    }
  }
  if (!missing.empty()) GTEST_SKIP() << "NOT RUN on this processor, which lacks" << missing;
  for (const GemmShape& shape : {GemmShape{1, 1, 1}, GemmShape{13, 37, 7}, GemmShape{70, 99, 103},
                                 GemmShape{128, 192, 256}}) {
    SCOPED_TRACE(TextOf(shape));
    for (const Kernel& kernel : KernelsOf(shape, machine_))
      ExpectRightOnThisProcessor(kernel, Multiplied(kernel));
  }
}

TEST(DotGemm, RefusesWhatThereIsNot) {
  const CpuMachine machine;
  EXPECT_EQ(
      schedule::ErrorOf([&] { DotGemm({4, 4, 4}, kF32, kF32, kF32, machine); }).diagnostic().name,
      "topi-dot-types");
  EXPECT_EQ(
      schedule::ErrorOf([&] { DotGemm({4, 4, 4, 2}, kU8, kS8, kS32, machine); }).diagnostic().name,
      "topi-batch");
}

}  // namespace
}  // namespace lathe::topi::cpu

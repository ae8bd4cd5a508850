// Arguments that are slices: buffers with strides and offsets, bound to tensors when lowering.
// Compiled code and the interpreter must agree, also about what is between the elements.
#include <string>
#include <vector>

#include "base/error.h"
#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "gtest/gtest.h"
#include "ir/interpreter/interpreter.h"
#include "lower/option_names.h"
#include "lower/pipeline.h"
#include "runtime/status.h"
#include "schedule/primitives/primitives.h"
#include "target/target.h"
#include "te/operation.h"

namespace lathe::driver {
namespace {

using ir::Int;
using te::At;
using te::Indices;
using te::Tensor;

constexpr int64_t kRows = 5, kColumns = 37;  // of the slices

// A view of 32-bit floats.
struct Slice {
  std::vector<int64_t> shape, strides;
  int64_t offset = 0;  // in elements
  std::vector<float> memory = std::vector<float>(4096, -1.0f);

  float& At(int64_t i, int64_t j) {
    return memory.at(static_cast<size_t>(offset + i * strides[0] + j * strides[1]));
  }
};

class Strided : public testing::Test {
 protected:
  void SetUp() override { UseDefaultPlugins(); }

  // C = A * B, B broadcast along rows.
  Strided() {
    n = ir::MakeSizeVar("n");
    m = ir::MakeSizeVar("m");
    a = te::Placeholder({n, m}, DataType::Float(32), "A");
    b = te::Placeholder({n, m}, DataType::Float(32), "B");
    c = te::Compute(
        {n, m}, [&](const Indices& i) { return te::At(a, {i[0], i[1]}) * te::At(b, {i[0], i[1]}); },
        "C");
    s = schedule::CreateSchedule({c->op});
  }

  static ir::Buffer Declared(const Tensor& tensor, std::vector<ir::Expr> strides,
                             int64_t offset_factor = 0) {
    return ir::CopyBuffer(ir::MakeBuffer("any", tensor->dtype(), tensor->shape()),
                          [&](ir::BufferNode& copy) {
                            copy.strides = std::move(strides);
                            copy.offset_factor = offset_factor;
                          });
  }

  static ir::InterpValue View(Slice& slice, std::vector<float>* memory = nullptr) {
    ir::InterpTensor view = ir::InterpTensor::Of(
        (memory == nullptr ? slice.memory : *memory).data(), DataType::Float(32), slice.shape);
    view.strides = slice.strides;
    view.byte_offset = static_cast<uint64_t>(slice.offset * 4);
    return ir::InterpValue(std::move(view));
  }
  static std::string Interpreted(const ir::Module& module,
                                 const std::vector<ir::InterpValue>& values) {
    try {
      ir::Interpret(module, "f", values);
    } catch (const Error& e) {
      return std::string(e.name());
    }
    return "none";
  }

  // Calls the compiled function, then the interpreter, at both ends of lowering; "none", or the
  // name of the error.
  std::string Call(const schedule::TensorBuffers& binds, Slice& x, Slice& y, Slice& z) {
    const ir::Module loops = Lower(s, {a, b, c}, "f", {}, binds);
    const auto module = Build(loops, target::ParseTarget("llvm"), {});
    EXPECT_TRUE(module.ok()) << module.status();
    if (!module.ok()) return "no module";
    std::vector<float> compiled = z.memory, lowered = z.memory;
    std::vector<DLTensor> tensors;
    for (Slice* one : {&x, &y, &z}) {
      DLTensor& tensor = tensors.emplace_back();
      tensor.data = one == &z ? compiled.data() : one->memory.data();
      tensor.device = {kDLCPU, 0};
      tensor.ndim = 2;
      tensor.dtype = DataType::Float(32).dl();
      tensor.shape = one->shape.data();
      tensor.strides = one->strides.data();
      tensor.byte_offset = static_cast<uint64_t>(one->offset * 4);
    }
    const absl::Status status =
        module->FindFunction("f").TryCall(&tensors[0], &tensors[1], &tensors[2]).status();
    const std::string error = status.ok() ? "none" : std::string(runtime::StatusName(status));
    const ir::Module packed = lower::RunPasses(loops, lower::AllPasses(), {});
    EXPECT_EQ(Interpreted(packed, {View(x), View(y), View(z, &lowered)}), error);
    EXPECT_EQ(compiled, lowered);
    // A refused call has written nothing.
    if (error == "none") EXPECT_EQ(Interpreted(loops, {View(x), View(y), View(z)}), error);
    EXPECT_EQ(compiled, z.memory);
    return error;
  }

  // A fits, B is one row for all, C fits; `out` is of C.
  std::string Call(const schedule::TensorBuffers& binds, const Slice& out,
                   const std::vector<int64_t>& in_strides = {64, 1}) {
    Slice x = out, y = out, z = out;
    x.strides = in_strides;
    y.strides = {0, 1};
    for (int64_t i = 0; i < out.shape[0]; ++i) {
      for (int64_t j = 0; j < out.shape[1]; ++j) {
        x.At(i, j) = static_cast<float>(i + 2 * j);
        y.At(i, j) = static_cast<float>(j % 7);
      }
    }
    const std::string error = Call(binds, x, y, z);
    if (error != "none") return error;
    Slice expected = out;
    for (int64_t i = 0; i < out.shape[0]; ++i) {
      for (int64_t j = 0; j < out.shape[1]; ++j)
        expected.At(i, j) = static_cast<float>((i + 2 * j) * (j % 7));
    }
    EXPECT_EQ(z.memory, expected.memory);
    return error;
  }

  ir::Var n, m;
  Tensor a, b, c;
  schedule::Schedule s;
};

Slice Of(std::vector<int64_t> strides, int64_t offset = 0) {
  return {.shape = {kRows, kColumns}, .strides = std::move(strides), .offset = offset};
}

TEST_F(Strided, ConstantAndSymbolicStridesUnderEverySchedule) {
  const ir::Var row = ir::MakeVar("row"), step = ir::MakeVar("step");
  const schedule::TensorBuffers binds = {{a, Declared(a, {Int(64), Int(1)})},
                                         {b, Declared(b, {Int(0), Int(1)})},
                                         {c, Declared(c, {row, step})}};
  for (const int kind : {0, 1, 2}) {
    s = schedule::CreateSchedule({c->op});
    auto [outer, inner] = schedule::Split(s[c], schedule::AxisOf(c, 1), 8);
    (void)outer;
    if (kind == 1) schedule::Vectorize(s[c], inner);
    if (kind == 2) {
      schedule::Parallel(s[c], schedule::AxisOf(c, 0));
      schedule::Unroll(s[c], inner);
    }
    EXPECT_EQ(Call(binds, Of({100, 2}, 3)), "none");
    EXPECT_EQ(Call(binds, Of({1, 5})), "none");
  }
}

TEST_F(Strided, MisfitsAreRefusedAtTheCall) {
  const ir::Var row = ir::MakeVar("row"), column = ir::MakeVar("column");
  const schedule::TensorBuffers binds = {{a, Declared(a, {row, Int(1)})},
                                         {b, Declared(b, {Int(0), Int(1)})},
                                         {c, Declared(c, {row, column})}};
  EXPECT_EQ(Call(binds, Of({64, 1})), "none");
  EXPECT_EQ(Call(binds, Of({65, 1})), "call-argument-strides");           // not that of A
  EXPECT_EQ(Call(binds, Of({64, 1}), {64, 2}), "call-argument-strides");  // not 1
  EXPECT_EQ(Call(binds, Of({64, -1}, 64)), "call-argument-strides");
  EXPECT_EQ(Call(binds, Of({64, 0})), "call-argument-strides");  // elements share memory
  EXPECT_EQ(Call(binds, Of({64, 64})), "call-argument-strides");
  Slice one = Of({3, 1});
  one.shape[0] = 1;  // no step is made from its row to another
  EXPECT_EQ(Call(binds, one), "none");
}

TEST_F(Strided, OffsetsAreMultiplesOfTheFactor) {
  const schedule::TensorBuffers binds = {{a, Declared(a, {Int(64), Int(1)})},
                                         {b, Declared(b, {Int(0), Int(1)})},
                                         {c, Declared(c, {}, 4)}};
  EXPECT_EQ(Call(binds, Of({kColumns, 1}, 8)), "none");
  EXPECT_EQ(Call(binds, Of({kColumns, 1}, 6)), "call-argument-offset");
}

// The checked build takes disjoint slices of one memory for what they are.
TEST_F(Strided, TheCheckedBuildAgrees) {
  lower::PassContext context;
  context.Set(lower::option::kCheck, 1);
  const ir::Module loops = Lower(s, {a, b, c}, "f", context,
                                 {{a, Declared(a, {Int(64), Int(1)})},
                                  {b, Declared(b, {Int(0), Int(1)})},
                                  {c, Declared(c, {ir::MakeVar("row"), ir::MakeVar("step")})}});
  Slice x = Of({64, 1}), y = Of({0, 1}), z = Of({100, 2});
  x.memory.assign(4096, 3);
  y.memory.assign(4096, 2);
  const ir::Module packed = lower::RunPasses(loops, lower::AllPasses(), context);
  EXPECT_EQ(Interpreted(packed, {View(x), View(y), View(z)}), "none");
  EXPECT_EQ(z.At(kRows - 1, kColumns - 1), 6);
  EXPECT_EQ(z.memory[1], -1);
}

}  // namespace
}  // namespace lathe::driver

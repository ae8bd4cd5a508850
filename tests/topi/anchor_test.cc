// Templates find their operations by structure and annotations, under any names.
#include "topi/anchor.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "target/machine.h"
#include "te/canonical.h"
#include "te/operation.h"
#include "topi/cpu/conv2d.h"
#include "topi/cpu/dot_gemm.h"
#include "topi/cpu/gemm.h"
#include "topi/ops/rows.h"

namespace lathe::topi {
namespace {

using cpu::Kernel;

TEST(Anchor, IsFoundInEachTemplateUnderAnyNames) {
  const target::Machine machine;
  const DataType f32 = DataType::Float(32), s8 = DataType::Int(8);
  const cpu::Conv2dShape shape{
      .in_channels = 64, .height = 8, .width = 8, .out_channels = 64, .kernel = 3, .padding = 1};
  const std::vector<std::pair<std::string_view, Kernel>> kernels = {
      {kMatmul, cpu::Gemm({12, 64, 8}, f32, machine)},
      {kMatmul, cpu::Gemm({12, 64, 8, 2}, f32, machine)},
      {kMatmul, cpu::Gemv(16, 32, f32, machine)},
      {kMatmul, cpu::DotGemm({16, 32, 64}, s8, s8, DataType::Int(32), machine)},
      {kConv2d, cpu::Conv2dNCHWc(shape, machine)},
      {kDepthwiseConv2d, cpu::DepthwiseConv2dNCHWc(shape, machine)},
  };
  for (const auto& [kind, kernel] : kernels) {
    const ir::Op anchor = FindAnchor({kernel.args.back()->op}, kind);
    ASSERT_TRUE(anchor) << kind;
    EXPECT_EQ(AnchorOf(*anchor), kind);
    // The anchor reduces. The same program with other names has the same anchor.
    EXPECT_FALSE(ir::As<ir::ComputeOp>(anchor)->reduce_axis.empty()) << kind;
    const te::CanonicalProgram canonical =
        te::Canonicalize({kernel.args.begin(), kernel.args.end()});
    size_t at = 0;
    while (!canonical.ops[at].same_as(anchor)) ++at;
    EXPECT_TRUE(
        FindAnchor({canonical.program->ops.back()}, kind).same_as(canonical.program->ops[at]))
        << kind;
    EXPECT_NE(canonical.program->ops[at]->name, anchor->name);
  }
}

TEST(Anchor, MustBeTheOnlyOneOfItsKind) {
  const te::Tensor x = te::Placeholder({ir::Int(8)}, DataType::Float(32), "matmul");
  const auto layer = [](const te::Tensor& of, ir::Dict attrs) {
    return te::Compute({ir::Int(8)},
                       [&](const te::Indices& i) { return te::At(of, {i[0]}) * ir::Float(2); },
                       "matmul", {.attrs = std::move(attrs)});
  };
  const te::Tensor plain = layer(x, {});
  EXPECT_FALSE(FindAnchor({plain->op}, kMatmul));  // the name does not matter
  const te::Tensor one = layer(plain, AnchorAttrs(kMatmul));
  EXPECT_TRUE(FindAnchor({one->op}, kMatmul).same_as(one->op));
  EXPECT_FALSE(FindAnchor({one->op}, kConv2d));
  EXPECT_FALSE(FindAnchor({layer(one, AnchorAttrs(kMatmul))->op}, kMatmul));
}

// Two operators of the same kind in sequence: each has its own operations.
TEST(Operator, HasItsOwnOperations) {
  const te::Tensor x = te::Placeholder({ir::Int(4), ir::Int(8)}, DataType::Float(32), "x");
  const te::Tensor first = ops::Softmax(x), second = ops::Softmax(first);
  EXPECT_EQ(OperatorKind(*second->op), kSoftmax);
  const std::vector<ir::Op> of_first = OperatorOf(first->op), of_second = OperatorOf(second->op);
  EXPECT_EQ(of_first.size(), 5u);
  ASSERT_EQ(of_second.size(), 5u);
  EXPECT_TRUE(of_second.back().same_as(second->op));
  for (const ir::Op& op : of_second) {
    for (const ir::Op& other : of_first) EXPECT_FALSE(op.same_as(other)) << op->name;
  }
  EXPECT_EQ(PartOf(second->op, "sum")->name, "sum");
  EXPECT_FALSE(PartOf(second->op, "shift"));
  EXPECT_TRUE(OperatorOf(x->op).empty());

  // The operator's output comes after the anchor. A product before it belongs to another operator.
  const te::Tensor w = te::Placeholder({ir::Int(8), ir::Int(8)}, DataType::Float(32), "w");
  const te::Tensor plain = ops::Matmul(x, w), panels = ops::MatmulInPanels(plain, w, {2, 4});
  EXPECT_EQ(OperatorKind(*panels->op), kMatmul);
  EXPECT_EQ(OperatorOf(panels->op).size(), 3u);
  EXPECT_TRUE(PartOf(panels->op, "packed"));
  EXPECT_EQ(OperatorOf(plain->op).size(), 1u);
}

}  // namespace
}  // namespace lathe::topi

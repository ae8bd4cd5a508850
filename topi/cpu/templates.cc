#include "topi/cpu/templates.h"

#include "topi/anchor.h"
#include "topi/cpu/conv2d.h"
#include "topi/cpu/copy.h"
#include "topi/cpu/dot_conv2d.h"
#include "topi/cpu/dot_gemm.h"
#include "topi/cpu/dot_matmul.h"
#include "topi/cpu/gemm.h"
#include "topi/cpu/image.h"
#include "topi/cpu/matmul.h"
#include "topi/cpu/reduce.h"
#include "topi/cpu/rows.h"
#include "topi/cpu/stencil.h"
#include "topi/cpu/winograd.h"
#include "topi/part_names.h"

namespace lathe::topi::cpu {
namespace {

using ir::Op;
using target::Machine;

int64_t LanesOf(const Op& op, const Machine& machine) {
  return machine.Lanes(ir::OutputOf(op, 0)->dtype());
}

size_t RankOf(const Op& op) { return ir::OutputOf(op, 0)->shape().size(); }

std::string Always(const Op&, const Machine&) { return ""; }

std::string BlocksInRegisters(const Op& result, const Machine&) {
  return ir::OutputOf(result, 0)->dtype().bits() >= 32 ? "" : "elements of less than 32 bits";
}

std::string SeveralRows(const Op& result, const Machine&) {
  return ConstExtent(ir::OutputOf(result, 0), 0) >= 2 ? "" : "one row: there are none to keep";
}

std::string IsInPanels(const Op& result, const Machine& machine) {
  const Op packed = PartOf(result, part::kPacked);
  if (!packed) return "it is not described in panels";
  const ir::Tensor panels = ir::OutputOf(packed, 0);
  if (panels->shape().size() != RankOf(result) + 1) return "its panels hold more than columns";
  return ConstExtent(panels, panels->shape().size() - 1) % LanesOf(result, machine) == 0
             ? ""
             : "panels are not whole vectors";
}

std::string IsMatvec(const Op& result, const Machine&) {
  return RankOf(result) == 1 ? "" : "it gives no vector";
}

std::string WholeOrPartVectors(const Op& result, const Machine& machine) {
  if (RankOf(result) != 5) return "it is not in blocked layout";
  const int64_t block = ConstExtent(ir::OutputOf(result, 0), 4), lanes = LanesOf(result, machine);
  return block % lanes == 0 || (lanes % block == 0 && 4 * block >= lanes)
             ? ""
             : "blocks of channels are neither whole vectors nor a half or a quarter of one";
}

std::string UpToTwoVectors(const Op& result, const Machine& machine) {
  const std::string why_not = WholeOrPartVectors(result, machine);
  if (!why_not.empty()) return why_not;
  return ConstExtent(ir::OutputOf(result, 0), 4) <= 2 * LanesOf(result, machine)
             ? ""
             : "blocks of channels are more than two vectors";
}

constexpr Template kTemplates[] = {
    {"softmax", kSoftmax, Takes::kOperator, Always, ScheduleSoftmax},
    {"layer_norm", kLayerNorm, Takes::kOperator, Always, ScheduleLayerNorm},
    {"row_reduction", kRowReduction, Takes::kOperator, Always, ScheduleMatrixReductionByRows},
    {"column_reduction", kColumnReduction, Takes::kOperator, Always,
     ScheduleMatrixReductionByColumns},
    {"transpose", kTranspose, Takes::kOperatorOfArguments, BlocksInRegisters, ScheduleTranspose},
    {"concat_columns", kConcatColumns, Takes::kOperator, Always, ScheduleConcatColumns},
    {"interleaved", kInterleaved, Takes::kOperator, WhyNotInterleaved, ScheduleInterleaved},
    {"box_blurs", kBoxBlurs, Takes::kOperatorOfArguments, SeveralRows, ScheduleBoxBlurs},
    {"rgb_to_yuv", kRgbToYuv, Takes::kOperatorOfArguments, Always, ScheduleRgbToYuv},
    {"gemm", kMatmul, Takes::kOperatorOfArguments, IsInPanels, ScheduleMatmulInPanels},
    {"dot_gemm", kMatmul, Takes::kOperatorOfArguments, WhyNotDotGemm, ScheduleDotGemm},
    {"gemv", kMatmul, Takes::kOperator, IsMatvec, ScheduleMatvec},
    {"conv2d", kConv2d, Takes::kSums, UpToTwoVectors, ScheduleConv2dNCHWc},
    {"dot_conv2d", kDotConv2d, Takes::kSums, WhyNotDotConv2d, ScheduleDotConv2d},
    {"dot_matmul", kDotMatmul, Takes::kOperatorInReader, WhyNotDotMatmul, ScheduleDotMatmul},
    {"dot_panels", kDotPanels, Takes::kOperatorOfArguments, WhyNotDotPanels, ScheduleDotPanels},
    {"depthwise_conv2d", kDepthwiseConv2d, Takes::kSums, WholeOrPartVectors,
     ScheduleDepthwiseConv2dNCHWc},
    {"winograd", kWinograd, Takes::kOperatorInReader, WhyNotWinograd, ScheduleWinograd},
    {"matmul", kMatmul, Takes::kSums, WhyNotMatmul, ScheduleMatmul},
};

}  // namespace

std::span<const Template> Templates() { return kTemplates; }

}  // namespace lathe::topi::cpu

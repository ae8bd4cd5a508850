// Operators, and their schedules.
#include <map>
#include <string>
#include <vector>

#include "driver/auto_build.h"
#include "python/ffi/boxes.h"
#include "python/ffi/ffi.h"
#include "topi/ops/conv2d.h"
#include "topi/ops/copy.h"
#include "topi/ops/elementwise.h"
#include "topi/ops/image.h"
#include "topi/ops/matmul.h"
#include "topi/ops/reduce.h"
#include "topi/ops/rows.h"
#include "topi/ops/stencil.h"

namespace lathe::python {
namespace {

using runtime::Value;
using te::Tensor;
using Values = std::vector<Value>;

topi::ops::Along AlongOf(bool rows) {
  return rows ? topi::ops::Along::kRows : topi::ops::Along::kColumns;
}

Values TextsOf(const std::vector<std::string>& texts) {
  Values out;
  for (const std::string& text : texts) out.emplace_back(text);
  return out;
}

// [schedule, [[operation, template, [why others do not fit]]...],
//  [[knob, value, default value, lowest, highest, meaning]...]]
Values Unpacked(const topi::Scheduled& made) {
  Values choices, knobs;
  for (const topi::TemplateChoice& choice : made.choices) {
    Values one;
    one.emplace_back(choice.operation);
    one.emplace_back(choice.by);
    one.emplace_back(TextsOf(choice.not_by));
    choices.emplace_back(std::move(one));
  }
  for (const topi::KnobValue& knob : made.knobs) {
    Values one;
    one.emplace_back(knob.name);
    for (const int64_t number : {knob.value, knob.otherwise, knob.low, knob.high})
      one.emplace_back(number);
    one.emplace_back(knob.what);
    knobs.emplace_back(std::move(one));
  }
  Values out;
  out.emplace_back(Make<ScheduleObject>(made.schedule));
  out.emplace_back(std::move(choices));
  out.emplace_back(std::move(knobs));
  return out;
}

}  // namespace

void RegisterTopi() {
  namespace ops = topi::ops;
  // `set`: [[knob, value]...].
  Def("topi.schedule",
      [](const std::vector<ir::Op>& outputs, const TargetRef& target, const Values& set) {
        std::map<std::string, int64_t, std::less<>> knobs;
        for (const Value& item : set) {
          const auto pair = item.As<Values>();
          knobs[pair.at(0).As<std::string>()] = pair.at(1).As<int64_t>();
        }
        return Unpacked(OrThrow(driver::DefaultSchedule(outputs, target->item, /*cache=*/nullptr,
                                                        topi::Config(std::move(knobs)))));
      });
  Def("topi.matmul", [](const Tensor& a, const Tensor& b) { return ops::Matmul(a, b); });
  Def("topi.matvec", [](const Tensor& a, const Tensor& x) { return ops::Matvec(a, x); });
  Def("topi.matmul_in_panels", [](const Tensor& a, const Tensor& b, int64_t rows, int64_t columns) {
    return ops::MatmulInPanels(a, b, {rows, columns});
  });
  Def("topi.conv2d_NCHWc",
      [](const Tensor& data, const Tensor& weight, int64_t stride, int64_t padding) {
        return ops::Conv2dNCHWc(data, weight, {stride, padding});
      });
  Def("topi.depthwise_conv2d_NCHWc",
      [](const Tensor& data, const Tensor& weight, int64_t stride, int64_t padding) {
        return ops::DepthwiseConv2dNCHWc(data, weight, {stride, padding});
      });
  Def("topi.transpose", [](const Tensor& x) { return ops::Transpose(x); });
  Def("topi.concat_columns",
      [](const std::vector<Tensor>& inputs) { return ops::ConcatColumns(inputs); });
  Def("topi.gelu", [](const ir::Expr& x) { return ops::Gelu(x); });
  Def("topi.sum", [](const Tensor& x, bool rows) {
    return ops::Reduce(x, ops::Reduction::kSum, AlongOf(rows));
  });
  Def("topi.max", [](const Tensor& x, bool rows) {
    return ops::Reduce(x, ops::Reduction::kMax, AlongOf(rows));
  });
  Def("topi.argmax", [](const Tensor& x, bool rows) { return ops::ArgMax(x, AlongOf(rows)); });
  Def("topi.layer_norm", [](const Tensor& x, const Tensor& scale, const Tensor& shift,
                            double epsilon) { return ops::LayerNorm(x, scale, shift, epsilon); });
  Def("topi.rgb_to_yuv", [](const Tensor& x) { return ops::RgbToYuv(x); });
  Def("topi.box_blurs", [](const Tensor& x, int64_t blurs) { return ops::BoxBlurs(x, blurs); });
}

}  // namespace lathe::python

#include "graph/ops/gradients/gradients.h"

#include "base/error.h"

namespace lathe::graph::ops {

Gradients AllGradients() {
  Gradients all;
  for (Gradients (*family)() :
       {ElementwiseGradients, ActivationGradients, BroadcastGradients, ReductionGradients,
        LinearGradients, EinsumGradients, ConvolutionGradients, PoolGradients, NormGradients,
        LossGradients, ShapeGradients, PlaceGradients, ScatterGradients, ScanGradients,
        ImageGradients, AttentionGradients, RecurrentGradients}) {
    for (auto& [name, gradient] : family()) {
      const bool is_new = all.emplace(name, std::move(gradient)).second;
      LATHE_CHECK(is_new) << name << " has two gradients";
    }
  }
  return all;
}

std::string ReasonForNoGradient(std::string_view op) {
  struct Reason {
    std::string_view prefix, text;
  };
  static constexpr Reason kReasons[] = {
      {"qnn.", "quantised networks are not trained: train in floating numbers"},
      {"random.", "the result is drawn, and no function of floating arguments"},
      {"nn.contrib_", "passes make it of operators that have gradients"},
      {"call_packed", "what others compute has no gradient that is known here"},
      {"vision.roi_", "not written; image.crop_and_resize and image.grid_sample have one"},
      {"vision.", "boxes are chosen and compared, which has no useful derivative"},
  };
  for (const Reason& reason : kReasons) {
    if (op.starts_with(reason.prefix)) return std::string(reason.text);
  }
  return "nobody has written it";
}

}  // namespace lathe::graph::ops

#include "graph/import/tflite/windows.h"

#include "graph/import/tensorflow_rules.h"

namespace lathe::graph::tflite {

ir::NodeRef Window::Padding() const {
  std::vector<int64_t> all = before;
  all.insert(all.end(), after.begin(), after.end());
  return IntsAttr(std::move(all));
}

Window WindowOf(const OpContext& n, const GraphVar& image, int64_t padding,
                std::vector<int64_t> kernel, std::vector<int64_t> strides,
                std::vector<int64_t> dilations) {
  Window window{std::move(kernel), std::move(strides), std::move(dilations), {}, {}, {}};
  const size_t count = window.kernel.size();
  constexpr int64_t kMost = int64_t{1} << 24;  // so that products fit
  for (size_t d = 0; d < count; ++d) {
    for (const int64_t number : {window.kernel[d], window.strides[d], window.dilations[d]}) {
      if (number < 1 || number > kMost) {
        n.Fail("has an impossible window, stride or dilation", "1 and more",
               std::to_string(number));
      }
    }
  }
  if (padding != 0 && padding != 1) {
    n.Fail("has an unknown padding", "SAME (0) or VALID (1)", std::to_string(padding));
  }
  window.before.assign(count, 0);
  window.after.assign(count, 0);
  if (padding == 1) return window;
  for (size_t d = 0; d < count; ++d) {
    const Expr& extent = Maker::ShapeOf(image)[d + 1];
    const int64_t* number = ir::AsConstInt(extent);
    if (number == nullptr && window.strides[d] == 1) {
      // The frame does not depend on the extent.
      const int64_t total = (window.kernel[d] - 1) * window.dilations[d];
      window.before[d] = total / 2;
      window.after[d] = total - total / 2;
      continue;
    }
    if (number == nullptr) {
      n.Fail("has the padding SAME, and an image of unknown size", "a number",
             TypeText(image->type), "give the model's inputs a shape at import");
    }
    std::tie(window.before[d], window.after[d]) =
        SamePadding(*number, window.kernel[d], window.strides[d], window.dilations[d]);
  }
  return window;
}

void NeedRank(const OpContext& n, size_t input, int64_t rank, const char* what) {
  const GraphVar x = n.In(input);
  if (Maker::RankOf(x) == rank) return;
  n.Fail("has a wrong input " + std::to_string(input),
         std::string(what) + " of " + std::to_string(rank) + " dimensions", TypeText(x->type));
}

}  // namespace lathe::graph::tflite

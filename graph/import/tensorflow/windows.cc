#include "graph/import/tensorflow/windows.h"

#include "graph/import/tensorflow_rules.h"

namespace lathe::graph::tensorflow {

Layout LayoutOf(const NodeContext& n, size_t rank) {
  const std::string space = rank == 2 ? "HW" : "DHW";
  const std::string last = "N" + space + "C", first = "NC" + space;
  const std::string format = n.String("data_format", last);
  if (format == last) return {last, space, 1, rank + 1};
  if (format == first) return {first, space, 2, 1};
  n.Fail("has a data_format that is not supported", last + " or " + first, format);
}

std::vector<int64_t> OfSpace(const NodeContext& n, std::string_view attribute,
                             const Layout& layout) {
  const size_t rank = layout.space.size();
  const std::vector<int64_t> all = n.Ints(attribute);
  if (all.empty()) return std::vector<int64_t>(rank, 1);
  constexpr int64_t kMost = int64_t{1} << 24;  // so that products fit
  if (all.size() != rank + 2 || all[0] != 1 || all[layout.channels] != 1) {
    n.Fail("has " + std::string(attribute) + " along samples or channels",
           std::to_string(rank + 2) + " numbers with 1 there",
           std::to_string(all.size()) + " numbers");
  }
  std::vector<int64_t> space(all.begin() + static_cast<ptrdiff_t>(layout.first),
                             all.begin() + static_cast<ptrdiff_t>(layout.first + rank));
  for (const int64_t number : space) {
    if (number < 1 || number > kMost) {
      n.Fail("has impossible " + std::string(attribute), "1 and more", std::to_string(number));
    }
  }
  return space;
}

Window WindowOf(const NodeContext& n, const GraphVar& image, const Layout& layout,
                const std::vector<int64_t>& kernel, bool with_frame) {
  const size_t rank = layout.space.size();
  if (Maker::RankOf(image) != static_cast<int64_t>(rank) + 2) {
    n.Fail("has an image of the wrong rank", std::to_string(rank + 2), TypeText(image->type));
  }
  Window window{OfSpace(n, "strides", layout), OfSpace(n, "dilations", layout), {}};
  window.padding.assign(2 * rank, 0);
  for (const int64_t extent : kernel) {
    if (extent < 1 || extent > (int64_t{1} << 24)) n.Fail("has an impossible window");
  }
  const std::string padding = n.String("padding", "VALID");
  if (!with_frame || padding == "VALID") return window;
  if (padding == "EXPLICIT") {
    const std::vector<int64_t> all = n.Ints("explicit_paddings");
    if (all.size() != 2 * (rank + 2)) {
      n.Fail("has explicit_paddings of the wrong length", std::to_string(2 * (rank + 2)),
             std::to_string(all.size()));
    }
    for (size_t d = 0; d < rank; ++d) {
      window.padding[d] = all[2 * (layout.first + d)];
      window.padding[d + rank] = all[2 * (layout.first + d) + 1];
    }
    return window;
  }
  if (padding != "SAME") n.Fail("has an unknown padding", "SAME, VALID or EXPLICIT", padding);
  for (size_t d = 0; d < rank; ++d) {
    const int64_t* extent = ir::AsConstInt(Maker::ShapeOf(image)[layout.first + d]);
    if (extent == nullptr && window.strides[d] != 1) {
      n.Fail("has the padding SAME, and an image of unknown size", "a number",
             TypeText(image->type), "give the model's inputs a shape at import");
    }
    // With a stride of 1, the frame does not depend on the extent.
    const int64_t in = extent == nullptr ? int64_t{1} << 30 : *extent;
    std::tie(window.padding[d], window.padding[d + rank]) =
        SamePadding(in, kernel[d], window.strides[d], window.dilations[d]);
  }
  return window;
}

}  // namespace lathe::graph::tensorflow

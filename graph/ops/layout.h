// Layouts of images and filters: where each dimension stands ("NCHW", "OIHW").
#pragma once

#include <string>
#include <string_view>

#include "graph/ops/define.h"

namespace lathe::graph::ops {

// A letter for each dimension: N batch, C channels, O and I the channels of a filter's results and
// inputs, and the dimensions of space: W, or H and W, or D, H and W. A small letter is a block of
// the dimension; its extent is not kept (NCHW16c).
class Layout {
 public:
  explicit Layout(const std::string& text) {
    for (const char c : text) {
      if (c < '0' || c > '9') letters_ += c;
    }
  }
  // Where `letter` stands; it must be there.
  size_t At(char letter) const { return letters_.find(letter); }
  bool Has(char letter) const { return letters_.find(letter) != std::string::npos; }
  const std::string& letters() const { return letters_; }
  // `value` for each letter, in the layout's order.
  template <class T, class F>
  std::vector<T> Arrange(F value) const {
    std::vector<T> out;
    for (const char letter : letters_) out.push_back(value(letter));
    return out;
  }

 private:
  std::string letters_;
};

// The letters of `rank` dimensions of space: "W", "HW", "DHW".
inline std::string SpaceLetters(size_t rank) { return std::string("DHW").substr(3 - rank); }

// The attribute `layout` of a pool: channels second, last, or second in blocks (NCHW, NHWC,
// NCHW16c). Throws Error "graph-attribute"; `data` must have a dimension for each letter.
AttrDef LayoutAttr(size_t rank);
void CheckLayout(const TypeContext& c, size_t rank);

// A window that moves over the dimensions of space.
struct Window {
  std::vector<int64_t> strides, dilation;
  std::vector<std::pair<int64_t, int64_t>> padding;
};

// (extent + padding - dilation (kernel - 1) - 1) / stride + 1, rounded down; 64 bits.
Expr WindowPlaces(const Expr& extent, const Expr& kernel, int64_t stride, int64_t dilation,
                  std::pair<int64_t, int64_t> padding);

// `data` with a frame of `value` around the dimensions of space; itself if there is no padding.
Tensor PadSpace(const Tensor& data, const Layout& layout, const Window& window, const Expr& value,
                ir::Dict attrs = {});

}  // namespace lathe::graph::ops

#include "graph/import/onnx/windows.h"

#include <algorithm>

#include "arith/analyzer.h"

namespace lathe::graph::onnx {

ir::NodeRef Window::Padding() const {
  std::vector<int64_t> all = before;
  all.insert(all.end(), after.begin(), after.end());
  return IntsAttr(std::move(all));
}

void NeedImage(const NodeContext& n, const GraphVar& x) {
  const int64_t rank = NodeContext::RankOf(x);
  if (rank < 3 || rank > 5) {
    n.Fail("has a wrong input 0", "one to three dimensions after batch and channels",
           TypeText(x->type));
  }
}

namespace {

bool IsSame(const std::string& auto_pad) {
  return auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER";
}

// kernel_shape, strides and dilations.
Window WithoutFrame(const NodeContext& n, const GraphVar& x, std::vector<int64_t> kernel) {
  NeedImage(n, x);
  const auto count = static_cast<size_t>(NodeContext::RankOf(x) - 2);
  Window window;
  const auto numbers = [&](std::string_view name, std::vector<int64_t> fallback) {
    std::vector<int64_t> given = n.Ints(name, fallback);
    if (given.empty()) given = std::move(fallback);
    if (given.size() != count) {
      n.FailAttribute(name, "has the wrong number of entries", std::to_string(count),
                      std::to_string(given.size()));
    }
    for (const int64_t number : given) {
      if (number < 1)
        n.FailAttribute(name, "is out of range", "1 and more", std::to_string(number));
    }
    return given;
  };
  const std::vector<int64_t> ones(count, 1);
  window.kernel = numbers("kernel_shape", std::move(kernel));
  window.strides = numbers("strides", ones);
  window.dilations = numbers("dilations", ones);
  window.before.assign(count, 0);
  window.after.assign(count, 0);
  return window;
}

}  // namespace

Window WindowOf(const NodeContext& n, const GraphVar& x, std::vector<int64_t> kernel) {
  Window window = WithoutFrame(n, x, std::move(kernel));
  const size_t count = window.kernel.size();
  const std::string how = n.String("auto_pad", "NOTSET");
  std::vector<int64_t> pads = n.Ints("pads");
  if (pads.empty() || how != "NOTSET") pads.assign(2 * count, 0);
  if (pads.size() != 2 * count) {
    n.FailAttribute("pads", "has the wrong number of entries", std::to_string(2 * count),
                    std::to_string(pads.size()));
  }
  if (IsSame(how)) {
    for (size_t d = 0; d < count; ++d) {
      const int64_t* extent = ir::AsConstInt(NodeContext::ShapeOf(x)[d + 2]);
      const int64_t reach = (window.kernel[d] - 1) * window.dilations[d] + 1;
      int64_t total = 0;
      if (extent != nullptr) {
        const int64_t out = (*extent + window.strides[d] - 1) / window.strides[d];
        total = std::max<int64_t>(0, (out - 1) * window.strides[d] + reach - *extent);
      } else if (window.strides[d] == 1) {
        total = reach - 1;
      } else {
        n.Fail("has auto_pad " + how + " and a stride, for an image of unknown size",
               "a known size, or pads", TypeText(x->type), "give the input a shape at import");
      }
      const int64_t less = total / 2, more = total - less;
      pads[d] = how == "SAME_UPPER" ? less : more;
      pads[d + count] = how == "SAME_UPPER" ? more : less;
    }
  } else if (how != "NOTSET" && how != "VALID") {
    n.FailAttribute("auto_pad", "is out of range", "NOTSET, SAME_UPPER, SAME_LOWER or VALID", how);
  }
  window.before.assign(pads.begin(), pads.begin() + static_cast<ptrdiff_t>(count));
  window.after.assign(pads.begin() + static_cast<ptrdiff_t>(count), pads.end());
  return window;
}

Window WindowAndFrame(NodeContext& n, GraphVar* x, double fill, std::vector<int64_t> kernel) {
  Window window = WithoutFrame(n, *x, kernel);
  const std::string how = n.String("auto_pad", "NOTSET");
  const std::vector<Expr> shape = NodeContext::ShapeOf(*x);
  bool at_run = false;
  for (size_t d = 0; d < window.kernel.size(); ++d) {
    at_run = at_run || (ir::AsConstInt(shape[d + 2]) == nullptr && window.strides[d] != 1);
  }
  if (!at_run || !IsSame(how)) return WindowOf(n, *x, std::move(kernel));
  n.Ignore({"pads"});
  arith::Analyzer analyzer;
  std::vector<Expr> width(4, Int64(0));
  for (size_t d = 0; d < window.kernel.size(); ++d) {
    const Expr extent = ir::MakeCast(DataType::Int(64), shape[d + 2]);
    const int64_t stride = window.strides[d];
    const int64_t reach = (window.kernel[d] - 1) * window.dilations[d] + 1;
    const Expr last =
        (ir::FloorDivide(extent + Int64(stride - 1), stride) - Int64(1)) * Int64(stride);
    const Expr total = ir::MakeMax(last + Int64(reach) - extent, Int64(0));
    const Expr less = ir::FloorDivide(total, 2), more = total - less;
    width.push_back(analyzer.Simplify(how == "SAME_UPPER" ? less : more));
    width.push_back(analyzer.Simplify(how == "SAME_UPPER" ? more : less));
  }
  *x = n.Call("nn.pad", {*x, n.Scalar(fill, NodeContext::DTypeOf(*x))},
              {{"pad_width", ShapeAttr(width)}});
  return window;
}

GraphVar ChannelsToFront(const NodeContext& n, const GraphVar& x) {
  const int64_t rank = NodeContext::RankOf(x);
  std::vector<int64_t> order{0, rank - 1};
  for (int64_t d = 1; d + 1 < rank; ++d) order.push_back(d);
  return n.Transpose(x, order);
}

GraphVar ChannelsToBack(const NodeContext& n, const GraphVar& x) {
  std::vector<int64_t> order{0};
  for (int64_t d = 2; d < NodeContext::RankOf(x); ++d) order.push_back(d);
  order.push_back(1);
  return n.Transpose(x, order);
}

}  // namespace lathe::graph::onnx

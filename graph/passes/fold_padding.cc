// Frames of zeros become the padding of the window that reads them.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "graph/passes/pass.h"

namespace lathe::graph {
namespace {

using ir::As;
using ir::GraphVar;

// What an operator with a window over the dimensions of space says.
struct WindowOp {
  const char* name;
  size_t rank;
  const char* layout;  // the attribute
  bool is_mean;
};
constexpr WindowOp kWindows[] = {
    {"nn.conv1d", 1, "data_layout", false}, {"nn.conv2d", 2, "data_layout", false},
    {"nn.conv3d", 3, "data_layout", false}, {"nn.avg_pool1d", 1, "layout", true},
    {"nn.avg_pool2d", 2, "layout", true},   {"nn.avg_pool3d", 3, "layout", true},
};

const WindowOp* FindWindow(const std::string& op) {
  for (const WindowOp& window : kWindows) {
    if (op == window.name) return &window;
  }
  return nullptr;
}

class Folding {
 public:
  explicit Folding(Builder& builder) : b_(builder) {}

  GraphVar Rewritten(const ir::GraphCall& call, const std::string& name) {
    const WindowOp* window = FindWindow(call.op);
    const ir::GraphCall* pad = window == nullptr ? nullptr : ZeroPad(call.args[0]);
    if (pad == nullptr) return nullptr;
    const Attrs attrs(GetOp(call.op), call.attrs);
    std::vector<int64_t> padding = All(attrs.Ints("padding"), window->rank);
    ir::Dict changed = call.attrs;
    if (window->is_mean) {
      const bool has_own = std::ranges::any_of(padding, [](int64_t p) { return p != 0; });
      // The frame's zeros count. Its own padding would begin to count, or windows would end
      // elsewhere.
      if (attrs.Bool("ceil_mode") || (has_own && !attrs.Bool("count_include_pad"))) return nullptr;
      changed.insert_or_assign("count_include_pad", BoolAttr(true));
    }
    if (!Add(Attrs(GetOp(pad->op), pad->attrs).Shape("pad_width"), attrs.String(window->layout),
             padding) ||
        (window->is_mean && !FitsWindows(attrs, padding))) {
      return nullptr;
    }
    changed.insert_or_assign("padding", IntsAttr(std::move(padding)));
    std::vector<GraphVar> args = call.args;
    args[0] = pad->args[0];
    return b_.Call(call.op, std::move(args), std::move(changed), name);
  }

  void Remember(const GraphVar& var, const ir::NodeRef& value) {
    made_.insert_or_assign(var, value);
  }

 private:
  // The call that made `var`, if it is a frame of zeros.
  const ir::GraphCall* ZeroPad(const GraphVar& var) const {
    const auto at = made_.find(var);
    const auto* pad = at == made_.end() ? nullptr : As<ir::GraphCall>(at->second);
    if (pad == nullptr || pad->op != "nn.pad") return nullptr;
    if (Attrs(GetOp(pad->op), pad->attrs).String("pad_mode") != "constant") return nullptr;
    if (pad->args.size() == 1) return pad;
    const auto value = made_.find(pad->args[1]);
    const auto* constant = value == made_.end() ? nullptr : As<ir::Constant>(value->second);
    if (constant == nullptr) return nullptr;
    // Bits of zero; a frame of -0 gives the same sums.
    const std::string_view bytes = constant->data->bytes();
    return std::ranges::all_of(bytes, [](char byte) { return byte == 0; }) ? pad : nullptr;
  }

  // One number for each side: all before, then all after.
  static std::vector<int64_t> All(const std::vector<int64_t>& padding, size_t rank) {
    std::vector<int64_t> all;
    for (size_t side = 0; side < 2 * rank; ++side) {
      const bool each = padding.size() == 2 * rank;
      all.push_back(padding[padding.size() == 1 ? 0 : each ? side : side % rank]);
    }
    return all;
  }

  // No window of a pool lies in its padding alone.
  static bool FitsWindows(const Attrs& attrs, const std::vector<int64_t>& padding) {
    const std::vector<int64_t> sizes = attrs.Ints("pool_size"), dilation = attrs.Ints("dilation");
    for (size_t side = 0; side < padding.size(); ++side) {
      const size_t d = side % (padding.size() / 2);
      const int64_t size = sizes[sizes.size() == 1 ? 0 : d],
                    step = dilation[dilation.size() == 1 ? 0 : d];
      if (padding[side] >= size * step) return false;
    }
    return true;
  }

  // False if the frame is not only around space, cuts something off, or depends on sizes.
  static bool Add(const std::vector<ir::Expr>& widths, const std::string& layout,
                  std::vector<int64_t>& padding) {
    const std::string space = std::string("DHW").substr(3 - padding.size() / 2);
    if (widths.size() != 2 * layout.size()) return false;  // a layout in blocks
    for (size_t d = 0; d < layout.size(); ++d) {
      const size_t place = space.find(layout[d]);
      for (const size_t side : {0, 1}) {
        const int64_t* width = ir::AsConstInt(widths[2 * d + side]);
        if (width == nullptr || *width < 0) return false;
        if (*width == 0) continue;
        if (place == std::string::npos) return false;
        padding[place + side * space.size()] += *width;
      }
    }
    return true;
  }

  Builder& b_;
  std::unordered_map<GraphVar, ir::NodeRef, RefHash, RefEqual> made_;
};

}  // namespace

GraphFuncRef FoldPadding(const GraphFuncRef& func, const ir::GraphModule& module,
                         const GraphPassContext&) {
  std::optional<Folding> folding;
  return Rewrite(
      *func, module,
      [&](const ir::GraphBinding& before, const ir::NodeRef& value, Builder& builder) -> GraphVar {
        if (!folding) folding.emplace(builder);
        const auto* call = As<ir::GraphCall>(value);
        GraphVar var = call == nullptr ? nullptr : folding->Rewritten(*call, before.var->name);
        if (!var) {
          var = builder.Emit(value, before.var->name);
          folding->Remember(var, value);
        }
        return var;
      });
}

}  // namespace lathe::graph

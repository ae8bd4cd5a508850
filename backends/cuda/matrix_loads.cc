#include "backends/cuda/matrix_loads.h"

#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "backends/cuda/loop_items.h"
#include "backends/cuda/mma.h"
#include "backends/cuda/residue.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "ir/rewrite.h"

namespace lathe::cuda {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

constexpr int64_t kAligned = 8;  // elements of 16 bits

class MatrixLoads {
 public:
  explicit MatrixLoads(const FuncNode& kernel) {
    ForEach<DeclBuffer>(kernel.body,
                        [&](const DeclBuffer& view) { views_[view.buffer->data.get()] = &view; });
    PreOrder(kernel.body, [&](const Node& node) {
      if (const auto* let = As<LetStmt>(&node)) lets_.push_back(let);
      return true;
    });
    ForEach<For>(kernel.body, [&](const For& loop) {
      if (loop.for_kind != ForKind::kThread || !loop.thread_tag.starts_with("threadIdx.")) return;
      const auto axis = static_cast<size_t>(loop.thread_tag.back() - 'x');
      const int64_t* extent = AsConstInt(loop.extent);
      if (axis > 2 || extent == nullptr || !IsZero(loop.min)) return;
      extents_[axis] = *extent;
      threads_[loop.var.get()] = axis;
    });
  }

  // "", "<true>" or "<true, true>".
  std::string ArgumentsFor(const Call& call, std::string_view name) const {
    const Place a = PlaceOf(call.args[2]), b = PlaceOf(call.args[4]);
    if (!a.shared || !b.shared) return "";
    const bool is_tile = name.find("_m", std::string_view("lathe_mma").size()) != name.npos;
    if (!is_tile || !a.known || !b.known) return "<true>";
    const int64_t *lda = AsConstInt(call.arg(3)), *ldb = AsConstInt(call.arg(5));
    if (lda == nullptr || ldb == nullptr || *lda % kAligned != 0 || *ldb % kAligned != 0)
      return "<true>";
    const int64_t threads = extents_[0] * extents_[1] * extents_[2];
    for (int64_t thread = 0; thread < threads; ++thread) {
      const Residues known = Of(thread);
      const int64_t column = lathe_mma_column(static_cast<unsigned>(thread)) * 2;
      if (!IsResidue(Offset(a, known), kAligned, 0) ||
          !IsResidue(Offset(b, known), kAligned, column))
        return "<true>";
    }
    return "<true, true>";
  }

 private:
  // An address as a sum of indices, relative to memory that begins at a multiple of 16 bytes.
  struct Place {
    bool shared = false, known = false;
    std::vector<Expr> indices;
  };

  Place PlaceOf(const NodeRef& address) const {
    Place out;
    const auto* call = As<Call>(address);
    while (call != nullptr) {
      const BufferNode* buffer = nullptr;
      if (call->op == intrinsic::kAddressOf) {
        const auto* load = As<Load>(call->args.at(0));
        buffer = load == nullptr ? nullptr : As<BufferNode>(load->source);
        if (buffer == nullptr || load->indices.size() != 1) return out;
        out.indices.push_back(load->indices[0]);
      } else if (call->op == intrinsic::kAccessPtr) {
        buffer = As<BufferNode>(call->args.at(0));
        out.indices.push_back(call->arg(1));
      }
      if (buffer == nullptr) return out;
      const auto view = views_.find(buffer->data.get());
      const auto* of = view == views_.end() ? nullptr : As<Call>(view->second->data);
      if (of == nullptr) {
        // An array, or a part of the launch's memory: the flat index counts from its start.
        out.shared = ScopeOf(*buffer).starts_with(memory_scope::kShared);
        out.known = buffer->dtype.bytes() == 2;
        return out;
      }
      if (buffer->dtype.bytes() != 2) return out;
      call = of;
    }
    return out;
  }

  static Residue Offset(const Place& place, const Residues& known) {
    Expr sum = place.indices.at(0);
    for (size_t i = 1; i < place.indices.size(); ++i)
      sum = sum + MakeCast(sum->dtype, place.indices[i]);
    return ResidueOf(sum, known);
  }

  Residues Of(int64_t thread) const {
    const std::array<int64_t, 3> at = {thread % extents_[0], thread / extents_[0] % extents_[1],
                                       thread / extents_[0] / extents_[1]};
    Residues known;
    for (const auto& [var, axis] : threads_) known[var] = {0, at[axis]};
    // Definitions are visited before their uses.
    for (const LetStmt* let : lets_) {
      if (let->var->dtype.is_integral()) known[let->var.get()] = ResidueOf(let->value, known);
    }
    return known;
  }

  std::unordered_map<const Node*, const DeclBuffer*> views_;  // by their data
  std::unordered_map<const Node*, size_t> threads_;           // axes of variables
  std::array<int64_t, 3> extents_ = {1, 1, 1};
  std::vector<const LetStmt*> lets_;
};

}  // namespace

Func WithMatrixLoads(const Func& kernel) {
  bool calls = false;
  ForEach<Call>(kernel->body, [&](const Call& call) {
    calls = calls || ForeignName(call).starts_with("lathe_mma_");
  });
  if (!calls) return kernel;
  const MatrixLoads loads(*kernel);
  return WithBody(kernel, Rewrite(kernel->body, [&](const Call& call) -> Expr {
                    const std::string_view name = ForeignName(call);
                    if (!name.starts_with("lathe_mma_") || call.args.size() != 6) return nullptr;
                    const std::string arguments = loads.ArgumentsFor(call, name);
                    if (arguments.empty()) return nullptr;
                    std::vector<NodeRef> args = call.args;
                    args[0] = String(std::string(name) + arguments);
                    return MakeCall(call.dtype, call.op, std::move(args));
                  }));
}

}  // namespace lathe::cuda

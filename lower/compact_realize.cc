#include "lower/compact_realize.h"

#include <unordered_map>

#include "base/planted.h"
#include "ir/rewrite.h"

namespace lathe::lower {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

class Compacter final : public Mutator {
 public:
  Compacter() : Mutator(Memo::kPerRoot) {}

 protected:
  NodeRef Enter(const NodeRef& node) override {
    if (const auto* realize = As<Realize>(node)) {
      std::vector<Expr> shape, mins;
      for (const Range& range : realize->bounds) {
        shape.push_back(range->extent);
        mins.push_back(range->min);
      }
      Buffer compact = CopyBuffer(realize->buffer, [&](BufferNode& copy) {
        copy.shape = shape;
        copy.data = MakeVar(copy.name, DataType::Handle());
      });
      Rename(realize->buffer->data, compact->data);
      Rename(realize->buffer, compact);
      mins_[compact.get()] = std::move(mins);
      made_[realize->buffer.get()] = compact;
    } else if (auto it = made_.find(node.get()); it != made_.end()) {
      return it->second;
    }
    return nullptr;
  }

  NodeRef Leave(const NodeRef&, NodeRef after) override {
    if (const auto* realize = As<Realize>(after))
      return MakeAllocate(realize->buffer, realize->body);
    if (const auto* load = As<Load>(after)) {
      auto it = mins_.find(load->source.get());
      return it == mins_.end()
                 ? after
                 : NodeRef(MakeLoad(load->source, Rebased(load->indices, it->second), load->mask));
    }
    if (const auto* fetch = As<Prefetch>(after)) {
      auto it = mins_.find(fetch->buffer.get());
      if (it == mins_.end()) return after;
      std::vector<Range> bounds;
      for (size_t d = 0; d < fetch->bounds.size(); ++d) {
        const Range& range = fetch->bounds[d];
        bounds.push_back(MakeRange(range->min - it->second[d], range->extent));
      }
      return MakePrefetch(fetch->buffer, std::move(bounds));
    }
    if (const auto* store = As<Store>(after)) {
      auto it = mins_.find(store->buffer.get());
      return it == mins_.end()
                 ? after
                 : NodeRef(MakeStore(store->buffer, store->value,
                                     Rebased(store->indices, it->second), store->mask));
    }
    return after;
  }

 private:
  static std::vector<Expr> Rebased(const std::vector<Expr>& indices,
                                   const std::vector<Expr>& mins) {
    std::vector<Expr> out;
    for (size_t i = 0; i < indices.size(); ++i) out.push_back(indices[i] - mins[i]);
    if (Planted(PlantedBug::kRealizeNotRebased) && !out.empty()) out.back() = indices.back();
    return out;
  }

  std::unordered_map<const Node*, std::vector<Expr>> mins_;  // by compact buffer
  std::unordered_map<const Node*, Buffer> made_;             // by realised buffer
};

}  // namespace

Module CompactRealize(const Module& module, const PassContext&) {
  return MapFunctions(module,
                      [](const Func& func) { return WithBody(func, Compacter().Run(func->body)); });
}

}  // namespace lathe::lower

#include "schedule/apply_layouts.h"

#include "arith/analyzer.h"
#include "arith/region.h"

namespace lathe::schedule {
namespace {

using ir::Expr;
using ir::NodeRef;
using ir::Range;

class Applier final : public ir::Mutator {
 public:
  explicit Applier(const Layouts& layouts) : layouts_(layouts) {}

 protected:
  NodeRef Leave(const NodeRef&, NodeRef after) override {
    if (const auto* load = ir::As<ir::Load>(after)) {
      const Layout* layout = Find(load->source.get());
      if (layout == nullptr) return after;
      return NodeRef(ir::MakeLoad(layout->physical, Apply(layout->map, load->indices), load->mask));
    }
    if (const auto* store = ir::As<ir::Store>(after)) {
      const Layout* layout = Find(store->buffer.get());
      if (layout == nullptr) return after;
      return NodeRef(ir::MakeStore(layout->physical, store->value,
                                   Apply(layout->map, store->indices), store->mask));
    }
    if (const auto* realize = ir::As<ir::Realize>(after)) {
      const Layout* layout = Find(realize->buffer.get());
      if (layout == nullptr) return after;
      return NodeRef(
          ir::MakeRealize(layout->physical, Region(*layout, realize->bounds), realize->body));
    }
    if (const auto* prefetch = ir::As<ir::Prefetch>(after)) {
      const Layout* layout = Find(prefetch->buffer.get());
      if (layout == nullptr) return after;
      Ref<ir::Node> copy = ir::CloneNode(*prefetch);
      auto& changed = static_cast<ir::Prefetch&>(*copy);
      changed.buffer = layout->physical;
      changed.bounds = Region(*layout, prefetch->bounds);
      return NodeRef(copy.get());
    }
    return after;
  }

 private:
  const Layout* Find(const ir::Node* buffer) const {
    auto it = layouts_.find(buffer);
    return it == layouts_.end() ? nullptr : &it->second;
  }

  // The place of a region's elements in memory: an interval per physical dimension, never outside
  // memory.
  std::vector<Range> Region(const Layout& layout, const std::vector<Range>& logical) {
    arith::DomMap dom;
    for (size_t d = 0; d < logical.size(); ++d) {
      const DataType t = layout.map.vars[d]->dtype;
      dom[layout.map.vars[d]] = arith::IntSet::FromRange(
          ir::MakeRange(ir::MakeCast(t, logical[d]->min), ir::MakeCast(t, logical[d]->extent)));
    }
    std::vector<Range> out;
    for (size_t p = 0; p < layout.map.indices.size(); ++p) {
      const Expr& extent = layout.physical->shape[p];
      const Range whole = ir::MakeRange(ir::Const(0, extent->dtype), extent);
      const Range range = ToRange(EvalSet(layout.map.indices[p], dom, &analyzer_), &analyzer_);
      // If the range is not proved smaller than the dimension, the whole dimension is used.
      out.push_back(range && !analyzer_.CanProve(range->extent >= extent) ? range : whole);
    }
    return out;
  }

  const Layouts& layouts_;
  arith::Analyzer analyzer_;
};

}  // namespace

ir::Stmt ApplyLayouts(const ir::Stmt& body, const Layouts& layouts) {
  return layouts.empty() ? body : Applier(layouts).Run(body);
}

}  // namespace lathe::schedule

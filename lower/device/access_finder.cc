#include "lower/device/access_finder.h"

#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"
#include "ir/thread_scopes.h"
#include "ir/walk.h"
#include "lower/device/kernel_axes.h"

namespace lathe::lower {

using namespace ir;  // NOLINT: the nodes' names, in this file only

// The kind and place of an access.
struct AccessFinder::Access {
  const Node* origin;
  const AccessPlace* place;
  bool write = false, atomic = false, vague = false, async = false;
};

namespace {

// The distance between elements that are next to each other along each dimension.
std::vector<Expr> StridesOf(const BufferNode& buffer) {
  if (!buffer.strides.empty()) return {buffer.strides.begin(), buffer.strides.end()};
  std::vector<Expr> strides(buffer.shape.size());
  Expr stride = Int(1, DataType::Int(64));
  for (size_t d = strides.size(); d-- > 0;) {
    strides[d] = stride;
    stride = stride * MakeCast(DataType::Int(64), buffer.shape[d]);
  }
  return strides;
}

bool StartsAtData(const BufferNode& buffer) {
  return !buffer.elem_offset || IsZero(buffer.elem_offset);
}

}  // namespace

AccessFinder::AccessFinder(const For& kernel, arith::Analyzer* analyzer) : analyzer_(analyzer) {
  PreOrder(Stmt(&kernel), [&](const Node& node) {
    Note(node);
    return true;
  });
}

const BufferNode* AccessFinder::RootOf(const BufferNode* buffer) const {
  for (auto found = views_.find(buffer->data.get()); found != views_.end();
       found = views_.find(buffer->data.get()))
    buffer = found->second.viewed;
  return buffer;
}

std::optional<AccessFinder::Indices> AccessFinder::InRoot(const BufferNode& buffer,
                                                          const Indices& indices) const {
  const BufferNode* at = &buffer;
  Indices place = indices;
  for (auto found = views_.find(at->data.get()); found != views_.end();
       found = views_.find(at->data.get())) {
    // Another buffer on the view's memory may count otherwise.
    if (found->second.buffer != at) return std::nullopt;
    auto outer = InViewed(found->second, place);
    if (!outer) return std::nullopt;
    place = *std::move(outer);
    at = found->second.viewed;
  }
  return place;
}

std::optional<AccessFinder::Indices> AccessFinder::InViewed(const View& view,
                                                            const Indices& indices) const {
  const BufferNode& from = *view.buffer;
  const BufferNode& to = *view.viewed;
  if (!view.known || indices.size() != from.shape.size()) return std::nullopt;
  const std::vector<Expr> steps = StridesOf(from), strides = StridesOf(to);
  auto same = [&](const Expr& a, const Expr& b) {
    return IsZero(
        analyzer_->Simplify(MakeCast(DataType::Int(64), a) - MakeCast(DataType::Int(64), b)));
  };
  Indices place = view.base;
  std::vector<bool> moved(place.size());
  for (size_t d = 0; d < indices.size(); ++d) {
    if (IsOne(from.shape[d]) || IsZero(indices[d])) continue;
    if (!indices[d]->dtype.is_scalar()) return std::nullopt;
    // The dimension of the buffer behind it along which this one goes.
    size_t along = 0;
    while (along < place.size() && (IsOne(to.shape[along]) || !same(steps[d], strides[along])))
      ++along;
    if (along == place.size()) return std::nullopt;
    place[along] = place[along] + MakeCast(place[along]->dtype, indices[d]);
    moved[along] = true;
  }
  for (size_t d = 0; d < place.size(); ++d) {
    if (!moved[d]) continue;
    place[d] = analyzer_->Simplify(place[d]);
    // Past the end of a row lie the elements of the next, which have other indices.
    if (!analyzer_->CanProveGE(place[d], 0) || !analyzer_->CanProve(place[d] < to.shape[d]))
      return std::nullopt;
  }
  return place;
}

void AccessFinder::Note(const Node& node) {
  if (const auto* decl = As<DeclBuffer>(&node)) {
    const BufferNode* viewed = AddressedBuffer(decl->data);
    if (viewed != nullptr && decl->buffer->data.get() != viewed->data.get()) {
      View view{decl->buffer.get(), viewed, {}, false};
      // An address that depends on memory may be another one later.
      const auto& address = static_cast<const Call&>(*decl->data);
      const auto* first = As<Load>(address.args[0]);
      view.known = address.op == intrinsic::kAddressOf && first != nullptr &&
                   view.buffer->dtype == viewed->dtype && StartsAtData(*view.buffer);
      for (size_t d = 0; view.known && d < first->indices.size(); ++d) {
        view.base.push_back(first->indices[d]);
        view.known = first->indices[d]->dtype.is_scalar() &&
                     EffectOf(first->indices[d]) == CallEffect::kPure;
      }
      views_.emplace(view.buffer->data.get(), std::move(view));
    }
  }
  if (const auto* store = As<Store>(&node))
    written_.insert(RootOf(store->buffer.get())->data.get());
  if (const auto* load = As<Load>(&node)) {
    if (const auto* buffer = As<BufferNode>(load->source)) read_.insert(RootOf(buffer)->data.get());
  }
  const auto* call = As<Call>(&node);
  if (call == nullptr) return;
  const bool writes = EffectOf(*call) >= CallEffect::kWrites;
  for (const NodeRef& arg : call->args) {
    const auto* buffer = As<BufferNode>(arg);
    if (const auto* load = As<Load>(arg)) buffer = As<BufferNode>(load->source);
    if (buffer == nullptr) buffer = AddressedBuffer(RefExpr(arg));
    if (buffer == nullptr) continue;
    read_.insert(RootOf(buffer)->data.get());
    if (writes) written_.insert(RootOf(buffer)->data.get());
  }
}

bool AccessFinder::Matters(const BufferNode& buffer) const {
  const int rank = ScopeRank(buffer.scope);
  if (rank == 1) return true;
  if (rank != 0) return false;
  return written_.count(buffer.data.get()) != 0 && read_.count(buffer.data.get()) != 0;
}

void AccessFinder::Add(const Access& how, const BufferNode* buffer,
                       const std::vector<Expr>& indices, std::vector<ThreadAccess>* out) const {
  if (buffer == nullptr) return;
  const BufferNode* const root = RootOf(buffer);
  if (!Matters(*root)) return;
  ThreadAccess access;
  access.buffer = Buffer(root);
  // A view counts its elements from another start.
  const std::optional<Indices> place = how.vague ? std::nullopt : InRoot(*buffer, indices);
  access.indices = place ? *place : indices;
  access.write = how.write;
  access.atomic = how.atomic;
  access.async = how.async;
  access.vague = !place;
  access.origin = how.origin;
  access.pins = how.place->pins;
  access.guards = how.place->guards;
  for (const Expr& index : access.indices) access.vague |= !index->dtype.is_scalar();
  out->push_back(std::move(access));
}

void AccessFinder::InExpressions(const NodeRef& root, const Node* origin, const AccessPlace& place,
                                 std::vector<ThreadAccess>* out) {
  const Access base{.origin = origin, .place = &place};
  std::unordered_set<const Node*> targets;  // targets of copies: not read
  ForEach<Call>(root, [&](const Call& call) {
    if (call.op == intrinsic::kAsyncCopy) targets.insert(call.args[0].get());
  });
  PostOrder(root, [&](const Node& node) {
    if (const auto* load = As<Load>(&node)) {
      if (targets.count(load) != 0) return;
      Add(base, As<BufferNode>(load->source), load->indices, out);
    } else if (const auto* call = As<Call>(&node)) {
      AddCall(*call, base, out);
    }
  });
}

void AccessFinder::AddCall(const Call& call, const Access& base, std::vector<ThreadAccess>* out) {
  Access vague = base;
  vague.vague = true;
  if (call.op == intrinsic::kAsyncCopy) {
    const auto* to = As<Load>(call.args[0]);
    const auto* buffer = As<BufferNode>(to->source);
    vague.write = vague.async = true;
    Add(vague, buffer, to->indices, out);
    if (buffer != nullptr) copied_[buffer] = Buffer(buffer);
    return;
  }
  if (call.op == intrinsic::kAsyncWait) {
    // The copied data is there from here on: threads must synchronise after this.
    vague.write = vague.async = true;
    for (const auto& [node, buffer] : copied_) Add(vague, buffer.get(), {}, out);
    return;
  }
  if (call.op == intrinsic::kAccessPtr) {
    const int64_t* mask = AsConstInt(call.arg(3));
    vague.write = mask == nullptr || (*mask & 2) != 0;
    return Add(vague, As<BufferNode>(call.args[0]), {}, out);
  }
  const bool writes = EffectOf(call) >= CallEffect::kWrites;
  const bool atomic = call.op.starts_with(intrinsic::kAtomicPrefix);
  for (const NodeRef& arg : call.args) {
    const auto* address = As<Call>(arg);
    Access how = base;
    how.write = writes;
    how.vague = true;
    if (writes && address != nullptr && address->op == intrinsic::kAddressOf) {
      Add(how, AddressedBuffer(RefExpr(arg)), {}, out);
    } else if (const auto* load = As<Load>(arg); load != nullptr && writes) {
      how.atomic = atomic;
      how.vague = !atomic;
      Add(how, As<BufferNode>(load->source), load->indices, out);
    } else if (const auto* buffer = As<BufferNode>(arg)) {
      Add(how, buffer, {}, out);
    }
  }
}

void AccessFinder::OfLeaf(const NodeRef& stmt, const AccessPlace& place,
                          std::vector<ThreadAccess>* out) {
  InExpressions(stmt, stmt.get(), place, out);
  if (const auto* store = As<Store>(stmt))
    Add({.origin = stmt.get(), .place = &place, .write = true}, store->buffer.get(), store->indices,
        out);
}

}  // namespace lathe::lower

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

AccessFinder::AccessFinder(const For& kernel) {
  PreOrder(Stmt(&kernel), [&](const Node& node) {
    Note(node);
    return true;
  });
}

const BufferNode* AccessFinder::RootOf(const BufferNode* buffer) const {
  const auto found = roots_.find(buffer->data.get());
  return found == roots_.end() ? buffer : found->second;
}

void AccessFinder::Note(const Node& node) {
  if (const auto* view = As<DeclBuffer>(&node)) {
    const BufferNode* viewed = AddressedBuffer(view->data);
    if (viewed != nullptr && view->buffer->data.get() != viewed->data.get())
      roots_[view->buffer->data.get()] = RootOf(viewed);
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
  // A view counts its elements from another start.
  const BufferNode* const root = RootOf(buffer);
  if (!Matters(*root)) return;
  ThreadAccess access;
  access.buffer = Buffer(root);
  access.indices = indices;
  access.write = how.write;
  access.atomic = how.atomic;
  access.async = how.async;
  access.vague = how.vague || root != buffer;
  access.origin = how.origin;
  access.pins = how.place->pins;
  access.guards = how.place->guards;
  for (const Expr& index : indices) access.vague |= !index->dtype.is_scalar();
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

#include "lower/accesses.h"

#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"
#include "ir/walk.h"

namespace lathe::lower {

using namespace ir;  // NOLINT: the nodes' names, in this file only

Accesses::Accesses(const Stmt& stmt) {
  PreOrder(stmt, [&](const Node& node) {
    const auto* copy = As<Call>(&node);
    if (copy != nullptr && copy->op == intrinsic::kAsyncCopy) places_.insert(copy->args[0].get());
    const auto* decl = As<DeclBuffer>(&node);
    if (decl == nullptr) return true;
    const auto* call = As<Call>(decl->data);
    const auto* load =
        call != nullptr && call->op == intrinsic::kAddressOf ? As<Load>(call->arg(0)) : nullptr;
    if (load == nullptr) {
      opaque = true;
    } else {
      views_[decl->buffer.get()] = Root(load->source.get());
      memory_[decl->buffer->data.get()] = Root(load->source.get());
      places_.insert(load);
    }
    return true;
  });
  PostOrder(stmt, [&](const Node& node) { Visit(node); });
}

const Node* Accesses::Root(const Node* buffer) const {
  auto it = views_.find(buffer);
  return it == views_.end() ? buffer : it->second;
}

void Accesses::Visit(const Node& node) {
  if (const auto* load = As<Load>(&node)) {
    if (places_.count(load) == 0) reads.insert(Root(load->source.get()));
  } else if (const auto* store = As<Store>(&node)) {
    writes.insert(Root(store->buffer.get()));
  } else if (const auto* call = As<Call>(&node)) {
    VisitCall(*call);
  }
}

void Accesses::VisitCall(const Call& call) {
  if (call.op == intrinsic::kAccessPtr) {
    const Node* buffer = call.args[0].get();
    const int64_t* mask = AsConstInt(call.arg(3));
    if (mask == nullptr || (*mask & 1) != 0) reads.insert(Root(buffer));
    if (mask == nullptr || (*mask & 2) != 0) writes.insert(Root(buffer));
    if (views_.count(buffer) == 0) passed.insert(buffer);
    return;
  }
  if (call.op == intrinsic::kAsyncCopy) {  // reads its second argument's place, writes its first's
    writes.insert(Root(As<Load>(call.args[0])->source.get()));
    return;
  }
  const bool writing = EffectOf(call) >= CallEffect::kWrites;
  opaque = opaque || writing;
  for (const NodeRef& arg : call.args) {
    const Node* buffer = As<BufferNode>(arg);
    if (const auto* load = As<Load>(arg)) {
      // The load is an address (address_of, atomics, copies): its access counts for the call.
      if (places_.count(load) != 0) continue;
      if (call.op == intrinsic::kAddressOf || writing) buffer = load->source.get();
    } else if (const auto* var = As<VarNode>(arg); var != nullptr && var->dtype.is_handle()) {
      auto it = memory_.find(var);
      if (it == memory_.end())
        opaque = true;
      else
        buffer = it->second;
    }
    if (buffer == nullptr) continue;
    passed.insert(Root(buffer));
    reads.insert(Root(buffer));
    writes.insert(Root(buffer));
  }
}

}  // namespace lathe::lower

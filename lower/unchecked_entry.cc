#include "lower/unchecked_entry.h"

#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "ir/rewrite.h"
#include "lower/bind_arguments.h"
#include "lower/entry_parts.h"

namespace lathe::lower {

using namespace ir;  // NOLINT: the nodes' names, in this file only

namespace {

class EntryBinder {
 public:
  explicit EntryBinder(const Func& func) : func_(func) {
    LATHE_CHECK(IntAttr(func->attrs, func_attr::kDeviceType, kDLCPU) == kDLCPU)
        << "is for a device";
  }

  Func Run() {
    const std::vector<Var> sizes = EntrySizes(func_);
    std::unordered_set<const Node*> bound;
    for (size_t i = 0; i < sizes.size(); ++i) {
      bound.insert(sizes[i].get());
      Let(sizes[i],
          MakeCall(sizes[i]->dtype, intrinsic::kSlotLoad, {sizes_, Int(static_cast<int64_t>(i))}));
    }
    std::vector<Buffer> buffers;
    for (const NodeRef& param : func_->params) {
      const Buffer buffer = RefAs<BufferNode>(param);
      if (!buffer) continue;
      const auto number = static_cast<int64_t>(buffers.size());
      Let(buffer->data,
          MakeCall(DataType::Handle(), intrinsic::kPointerAt, {buffers_, Int(number)}));
      bound.insert(buffer->data.get());
      buffers.push_back(buffer);
    }
    for (const Var& var : FreeVars(func_->body)) {
      if (bound.count(var.get()) == 0) ThrowUnbound(func_, var);
    }
    Stmt body = MakeSeq(
        {func_->body, MakeEvaluate(MakeCall(DataType::Void(), intrinsic::kReturn, {Int(0)}))});
    for (size_t i = buffers.size(); i-- > 0;) body = ViewOf(buffers[i], body);
    if (CallsPacked(func_)) body = MakeAttr(nullptr, kDeviceIdKey, Int(0), body);
    for (size_t i = lets_.size(); i-- > 0;)
      body = MakeLetStmt(lets_[i].first, lets_[i].second, body);
    Dict attrs = func_->attrs;
    attrs[func_attr::kCallingConvention] = String(convention::kUnchecked);
    attrs[func_attr::kEntryOf] = String(func_->name);
    attrs.erase(func_attr::kWrites);
    return MakeFunc(func_->name + kUncheckedSuffix, {buffers_, sizes_, workspace_, threads_}, body,
                    attrs, DataType::Int(32));
  }

 private:
  void Let(const Var& var, const Expr& value) { lets_.emplace_back(var, value); }

  Func func_;
  Var buffers_ = MakeVar("buffers", DataType::Handle()),
      sizes_ = MakeVar("sizes", DataType::Handle());
  Var workspace_ = MakeVar("workspace", DataType::Handle()),
      threads_ = MakeVar("threads", DataType::Int(32));
  std::vector<std::pair<Var, Expr>> lets_;
};

}  // namespace

std::vector<Var> EntrySizes(const Func& func) {
  std::vector<Var> sizes;
  std::unordered_set<const Node*> known;
  const auto add = [&](const Expr& e) {
    if (!e) return;
    for (const Var& var : FreeVars(e)) {
      if (known.insert(var.get()).second) sizes.push_back(var);
    }
  };
  for (const NodeRef& param : func->params) {
    const Buffer buffer = RefAs<BufferNode>(param);
    if (!buffer) {
      add(RefExpr(param));
      continue;
    }
    for (const Expr& extent : buffer->shape) add(extent);
    for (const Expr& stride : buffer->strides) add(stride);
    add(buffer->elem_offset);
  }
  return sizes;
}

Func UncheckedEntry(const Func& func) { return EntryBinder(func).Run(); }

}  // namespace lathe::lower

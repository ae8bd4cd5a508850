#include "backends/cuda/wgmma_overlap.h"

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "backends/cuda/loop_items.h"
#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "ir/rewrite.h"

namespace lathe::cuda {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

Stmt CallStmt(const std::string& name, std::vector<NodeRef> args) {
  args.insert(args.begin(), String(name));
  return MakeEvaluate(MakeCall(DataType::Void(), intrinsic::kCallExtern, std::move(args)));
}

// The memory of a call's sums: the array and the position in it.
struct Sums {
  const BufferNode* array = nullptr;
  int64_t first = 0;
};

class Overlapper final : public Mutator {
 public:
  explicit Overlapper(const Stmt& body) : Mutator(Memo::kPerRoot) {
    ForEach<DeclBuffer>(body,
                        [&](const DeclBuffer& view) { views_[view.buffer->data.get()] = &view; });
  }

 protected:
  NodeRef Leave(const NodeRef&, NodeRef after) override {
    const auto* loop = As<For>(after);
    if (loop == nullptr || loop->for_kind != ForKind::kSerial) return after;
    const Stmt made = Overlapped(*loop);
    return made ? NodeRef(made) : after;
  }

 private:
  Stmt Overlapped(const For& loop) const {
    std::vector<Item> definitions;
    std::vector<Stmt> waits, loads, commits, calls;
    Stmt barrier;
    // By name: the function that waits for each of the sums.
    std::map<std::pair<const BufferNode*, int64_t>, std::pair<std::string, Expr>> drains;
    for (const Item& item : ItemsOf(loop.body)) {
      if (item.defines) {
        const auto* let = As<LetStmt>(item.stmt);
        if (let != nullptr && EffectOf(let->value) > CallEffect::kPure) return nullptr;
        definitions.push_back(item);
        continue;
      }
      const Call* call = CallOf(item.stmt);
      const std::string_view name = call == nullptr ? "" : ForeignName(*call);
      if (IsSharedBarrier(item.stmt)) {
        barrier = item.stmt;
      } else if (call != nullptr &&
                 (call->op == intrinsic::kAsyncWait || name == "lathe_tma_wait")) {
        if (!loads.empty() || !calls.empty()) return nullptr;
        waits.push_back(item.stmt);
      } else if (call != nullptr &&
                 (call->op == intrinsic::kAsyncCommit || name == "lathe_tma_commit")) {
        if (!calls.empty()) return nullptr;
        commits.push_back(item.stmt);
      } else if (name.starts_with("lathe_wgmma_f16_n") || name.starts_with("lathe_wgmma_bf16_n")) {
        Sums sums;
        if (!FindSums(call->args.at(1), &sums)) return nullptr;
        const std::string columns(name.substr(name.rfind('n')));
        const Expr address =
            CallIntrinsic(intrinsic::kAddressOf,
                          {MakeLoad(Buffer(sums.array), {Const(sums.first, DataType::Int(32))})});
        drains[{sums.array, sums.first}] = {"lathe_wgmma_drain_" + columns, address};
        std::vector<NodeRef> args = call->args;
        args[0] = String(std::string(name) + "_begin");
        calls.push_back(MakeEvaluate(MakeCall(call->dtype, call->op, std::move(args))));
      } else if (BeginsCopies(item.stmt)) {
        if (!calls.empty() || !commits.empty()) return nullptr;
        loads.push_back(item.stmt);
      } else {
        return nullptr;
      }
    }
    if (calls.empty() || waits.empty() || !barrier || loads.empty() != commits.empty())
      return nullptr;
    std::vector<Stmt> body = waits;
    body.insert(body.end(), calls.begin(), calls.end());
    // Without loads nothing is overwritten, so all calls may stay running.
    if (!loads.empty())
      body.push_back(CallStmt("lathe_wgmma_wait<" + std::to_string(calls.size()) + ">", {}));
    body.push_back(barrier);
    body.insert(body.end(), loads.begin(), loads.end());
    body.insert(body.end(), commits.begin(), commits.end());
    definitions.push_back({MakeSeq(std::move(body))});
    std::vector<Stmt> out = {MakeFor(loop.var, loop.min, loop.extent, loop.for_kind,
                                     BodyOf(definitions), loop.thread_tag, loop.annotations)};
    for (const auto& [place, drain] : drains) out.push_back(CallStmt(drain.first, {drain.second}));
    return MakeSeq(std::move(out));
  }

  // Finds where a call's first argument points; false if that is not the same in all iterations.
  bool FindSums(const NodeRef& address, Sums* out) const {
    const auto* call = As<Call>(address);
    const BufferNode* buffer = nullptr;
    int64_t first = 0;
    while (call != nullptr) {
      const int64_t* offset = nullptr;
      if (call->op == intrinsic::kAddressOf) {
        const auto* load = As<Load>(call->args.at(0));
        buffer = load == nullptr ? nullptr : As<BufferNode>(load->source);
        if (buffer == nullptr || load->indices.size() != 1) return false;
        offset = AsConstInt(load->indices[0]);
      } else if (call->op == intrinsic::kAccessPtr) {
        buffer = As<BufferNode>(call->args.at(0));
        offset = AsConstInt(call->arg(1));
      }
      if (buffer == nullptr || offset == nullptr || ScopeOf(*buffer) != memory_scope::kLocal)
        return false;
      first += *offset;
      const auto view = views_.find(buffer->data.get());
      if (view == views_.end()) {
        *out = {buffer, first};
        return true;
      }
      call = As<Call>(view->second->data);
    }
    return false;
  }

  std::unordered_map<const Node*, const DeclBuffer*> views_;
};

}  // namespace

Stmt OverlapWgmma(const Stmt& body) { return Overlapper(body).Run(body); }

}  // namespace lathe::cuda

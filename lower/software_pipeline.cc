#include "lower/software_pipeline.h"

#include <algorithm>
#include <unordered_set>

#include "arith/analyzer.h"
#include "base/error.h"
#include "base/planted.h"
#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "ir/rewrite.h"
#include "lower/accesses.h"

namespace lathe::lower {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

[[noreturn]] void RefusePipeline(const For& loop, std::string what, std::string expected,
                                 std::string found, std::string help) {
  throw Error(Diagnostic{.name = "pipeline-refused",
                         .message = "what loop `" + loop.var->name +
                                    "` needs cannot be computed ahead: " + std::move(what),
                         .expected = std::move(expected),
                         .found = std::move(found),
                         .help = std::move(help)});
}

struct Producer {
  Stmt body;
  int64_t versions;
  int64_t ahead() const { return versions - 1; }
};

bool IsProducer(const Attr* attr) {
  return attr != nullptr && attr->key == attr_key::kPipelineProducer;
}

bool HasProducers(const Stmt& stmt) {
  bool found = false;
  PreOrder(stmt, [&](const Node& node) {
    found = found || IsProducer(As<Attr>(&node));
    return !found;
  });
  return found;
}

class LoopPipeliner {
 public:
  LoopPipeliner(const For& loop, bool async) : loop_(loop), async_(async) {}

  Stmt Run() {
    FindProducers(loop_.body);
    for (const Producer& producer : producers_) {
      accesses_.emplace_back(producer.body);
      filled_.insert(accesses_.back().writes.begin(), accesses_.back().writes.end());
    }
    rest_ = Extract(loop_.body);
    if (!rest_) rest_ = Nop();
    Check();
    MakeVersions();
    Stmt out = async_ ? Asynchronous() : Plain();
    for (size_t i = hoisted_.size(); i-- > 0;)
      out = MakeAllocate(versions_.at(hoisted_[i]->buffer.get()).first, out,
                         hoisted_[i]->annotations);
    return out;
  }

 private:
  void FindProducers(const Stmt& stmt) {
    PreOrder(stmt, [&](const Node& node) {
      const auto* attr = As<Attr>(&node);
      if (!IsProducer(attr)) return true;
      producers_.push_back({attr->body, *AsConstInt(attr->value)});
      return false;
    });
  }

  // `stmt` without the producers and the allocations of their buffers. Allocations nest as deep as
  // the number of stages computed at this loop.
  Stmt Extract(const Stmt& stmt) {
    if (!HasProducers(stmt)) return stmt;
    if (IsProducer(As<Attr>(stmt))) return nullptr;
    if (const auto* seq = As<Seq>(stmt)) {
      std::vector<Stmt> stmts;
      for (const Stmt& part : seq->stmts) stmts.push_back(Extract(part));
      return MakeSeq(std::move(stmts));
    }
    if (const auto* allocate = As<Allocate>(stmt)) {
      Stmt body = Extract(allocate->body);
      if (!body) body = Nop();
      if (filled_.count(allocate->buffer.get()) == 0)
        return MakeAllocate(allocate->buffer, body, allocate->annotations);
      hoisted_.emplace_back(allocate);
      return body;
    }
    RefusePipeline(loop_, "its producers stand under a condition", "producers in the loop itself",
                   NodeKindName(stmt->node_kind()), "compute them at a loop of their own");
  }

  static std::string NameOf(const Node* buffer) {
    const auto* known = As<BufferNode>(buffer);
    return "`" + (known != nullptr ? known->name : std::string("memory")) + "`";
  }

  void Check() const {
    const Accesses rest(rest_);
    std::unordered_map<const Node*, size_t> producer_of;
    std::unordered_set<const Node*> hoisted;
    for (const Ref<const Allocate>& allocate : hoisted_) hoisted.insert(allocate->buffer.get());
    for (size_t k = 0; k < producers_.size(); ++k) {
      const Accesses& access = accesses_[k];
      if (access.opaque) {
        RefusePipeline(loop_, "a producer makes calls that may do anything", "loads and stores",
                       "such a call", "compute that stage without pipeline or double_buffer");
      }
      for (const Node* buffer : access.writes) {
        if (hoisted.count(buffer) == 0 || !producer_of.emplace(buffer, k).second) {
          RefusePipeline(loop_, "a producer writes " + NameOf(buffer),
                         "producers that fill buffers of their own, allocated in the loop",
                         NameOf(buffer), "compute that stage without pipeline or double_buffer");
        }
      }
      for (const Node* buffer : access.reads) {
        if (rest.writes.count(buffer) == 0) continue;
        RefusePipeline(loop_, "a producer reads " + NameOf(buffer) + ", which the loop writes",
                       "producers that read what does not change in the loop", NameOf(buffer),
                       "pipeline the stage that writes it as well, or neither");
      }
    }
    for (size_t k = 0; k < producers_.size(); ++k) {
      for (const Node* buffer : accesses_[k].reads) {
        auto it = producer_of.find(buffer);
        if (it == producer_of.end() || it->second == k) continue;
        if (it->second < k && producers_[it->second].versions >= producers_[k].versions) continue;
        RefusePipeline(loop_, "a producer needs " + NameOf(buffer) + " before it is there",
                       "at least as many stages for what it reads",
                       std::to_string(producers_[it->second].versions) + " against " +
                           std::to_string(producers_[k].versions),
                       "double-buffer both stages");
      }
    }
    for (const Ref<const Allocate>& allocate : hoisted_) {
      const BufferNode& buffer = *allocate->buffer;
      if (rest.writes.count(&buffer) != 0 || rest.passed.count(&buffer) != 0 ||
          UsesVar(rest_, buffer.data)) {
        RefusePipeline(loop_, NameOf(&buffer) + " is more than read by the rest of the loop",
                       "reads alone", "a write, or its address passed to a call",
                       "compute that stage without pipeline or double_buffer");
      }
      for (const auto* list : {&buffer.shape, &buffer.strides}) {
        for (const Expr& e : *list) {
          if (!UsesVar(e, loop_.var)) continue;
          RefusePipeline(loop_, "the size of " + NameOf(&buffer) + " changes in the loop",
                         "blocks of one size", "a size that depends on `" + loop_.var->name + "`",
                         "split by a factor that divides the extent");
        }
      }
    }
  }

  // -- Buffers with a dimension of versions in front.

  void MakeVersions() {
    for (const Ref<const Allocate>& allocate : hoisted_) {
      const Buffer& buffer = allocate->buffer;
      int64_t versions = 0;
      for (size_t k = 0; k < producers_.size(); ++k) {
        if (accesses_[k].writes.count(buffer.get()) != 0) versions = producers_[k].versions;
      }
      Buffer made = CopyBuffer(buffer, [&](BufferNode& copy) {
        const DataType t = buffer->shape.empty() ? DataType::Int(32) : buffer->shape[0]->dtype;
        copy.data = MakeVar(copy.name, DataType::Handle());
        if (!copy.strides.empty())
          copy.strides.insert(
              copy.strides.begin(),
              buffer->strides[0] * MakeCast(buffer->strides[0]->dtype, buffer->shape[0]));
        copy.shape.insert(copy.shape.begin(), Int(versions, t));
        for (Expr& separator : copy.axis_separators) separator = Int(*AsConstInt(separator) + 1);
      });
      versions_.emplace(buffer.get(), std::make_pair(made, versions));
    }
  }

  // `stmt` for the given iteration, with its own definitions.
  Stmt At(const Stmt& stmt, const Expr& index) const {
    auto versioned = [&](const NodeRef& buffer, const std::vector<Expr>& indices,
                         std::vector<Expr>* out) -> Buffer {
      auto it = versions_.find(buffer.get());
      if (it == versions_.end()) return nullptr;
      const auto& [made, count] = it->second;
      const DataType t = made->shape[0]->dtype;
      *out = {Planted(PlantedBug::kOneHalf) ? Const(0, t)
                                            : FloorModulo(MakeCast(t, index), Int(count, t))};
      out->insert(out->end(), indices.begin(), indices.end());
      return made;
    };
    const Stmt placed = Substitute(stmt, {{loop_.var, loop_.min + index}});
    return Refresh(Rewrite(
        placed,
        [&](const Load& load) -> Expr {
          std::vector<Expr> at;
          const Buffer made = versioned(load.source, load.indices, &at);
          return made ? MakeLoad(made, std::move(at), load.mask) : Expr();
        },
        [&](const Store& store) -> Stmt {
          std::vector<Expr> at;
          const Buffer made = versioned(store.buffer, store.indices, &at);
          return made ? MakeStore(made, store.value, std::move(at), store.mask) : Stmt();
        },
        [&](const Prefetch& fetch) -> Stmt {
          return versions_.count(fetch.buffer.get()) != 0 ? Nop() : Stmt();
        }));
  }

  // -- The loops.

  Expr N(int64_t value) const { return Int(value, loop_.var->dtype); }
  int64_t Furthest() const {
    int64_t most = 0;
    for (const Producer& producer : producers_) most = std::max(most, producer.ahead());
    return most;
  }
  template <class Body>
  Stmt Count(const char* name, const Expr& extent, Body body) const {
    const Var var = MakeVar(loop_.var->name + name, loop_.var->dtype);
    return MakeFor(var, N(0), extent, ForKind::kSerial, body(Expr(var)));
  }

  Stmt Plain() const {
    const Expr n = loop_.extent;
    const int64_t most = Furthest();
    std::vector<Stmt> out;
    for (const Producer& producer : producers_) {
      out.push_back(Count(".ahead", MakeMin(N(producer.ahead()), n),
                          [&](const Expr& p) { return At(producer.body, p); }));
    }
    const Expr steady = MakeMax(n - most, N(0));
    out.push_back(Count(".steady", steady, [&](const Expr& i) {
      std::vector<Stmt> step;
      for (const Producer& producer : producers_)
        step.push_back(At(producer.body, i + producer.ahead()));
      step.push_back(At(rest_, i));
      return MakeSeq(std::move(step));
    }));
    out.push_back(Count(".last", MakeMin(N(most), n), [&](const Expr& e) {
      const Expr i = e + steady;
      std::vector<Stmt> step;
      for (const Producer& producer : producers_) {
        if (producer.ahead() == most) continue;
        step.push_back(MakeIf(i + producer.ahead() < n, At(producer.body, i + producer.ahead())));
      }
      step.push_back(At(rest_, i));
      return MakeSeq(std::move(step));
    }));
    return MakeSeq(std::move(out));
  }

  Stmt Asynchronous() const {
    const Expr n = loop_.extent;
    const int64_t most = Furthest();
    for (const Producer& producer : producers_) {
      if (producer.ahead() == most) continue;
      RefusePipeline(loop_, "asynchronous producers are ahead by different numbers of iterations",
                     std::to_string(most + 1) + " stages", std::to_string(producer.versions),
                     "leave out double_buffer for stages of a pipeline");
    }
    // All copies of one step run at the same time.
    for (const Accesses& access : accesses_) {
      for (const Ref<const Allocate>& allocate : hoisted_) {
        if (access.reads.count(allocate->buffer.get()) == 0) continue;
        RefusePipeline(loop_,
                       "an asynchronous producer reads " + NameOf(allocate->buffer.get()) +
                           ", which another one fills in the same step",
                       "producers that copy what is there before the loop",
                       NameOf(allocate->buffer.get()),
                       "leave out `async`, or compute one of the stages further out");
      }
    }
    bool shared = false;
    for (const Ref<const Allocate>& allocate : hoisted_)
      shared = shared || ScopeOf(*allocate->buffer).starts_with(memory_scope::kShared);
    auto call = [](const char* name, std::vector<NodeRef> args) {
      return MakeEvaluate(CallIntrinsic(name, std::move(args)));
    };
    auto copies = [&](const Expr& index) {
      std::vector<Stmt> stmts;
      for (const Producer& producer : producers_) stmts.push_back(Copies(At(producer.body, index)));
      return MakeSeq(std::move(stmts));
    };
    auto wait = [&](int64_t groups) {
      std::vector<Stmt> stmts = {call(intrinsic::kAsyncWait, {Int(groups)})};
      if (shared) stmts.push_back(call(intrinsic::kBarrier, {String(memory_scope::kShared)}));
      return MakeSeq(std::move(stmts));
    };
    const Expr steady = MakeMax(n - most, N(0));
    return MakeSeq(
        {// As many groups as there are blocks ahead, empty ones where the loop is short.
         Count(".ahead", N(most),
               [&](const Expr& p) {
                 return MakeSeq({MakeIf(p < n, copies(p)), call(intrinsic::kAsyncCommit, {})});
               }),
         Count(".steady", steady,
               [&](const Expr& i) {
                 return MakeSeq({wait(most - 1), copies(i + most),
                                 call(intrinsic::kAsyncCommit, {}), At(rest_, i)});
               }),
         Count(".last", MakeMin(N(most), n),
               [&](const Expr& e) { return MakeSeq({wait(0), At(rest_, e + steady)}); })});
  }

  Stmt Copies(const Stmt& producer) const {
    const Stmt copies = Rewrite(producer, [&](const Store& store) -> Stmt {
      const auto* load = As<Load>(store.value);
      if (load == nullptr || load->mask || store.mask || !load->dtype.is_scalar()) {
        RefusePipeline(
            loop_,
            "an asynchronous producer of " + NameOf(store.buffer.get()) + " does more than copy",
            "one element stored as it is loaded", "a computation",
            "cache what it reads with cache_read, and pipeline the cache");
      }
      return MakeEvaluate(CallIntrinsic(
          intrinsic::kAsyncCopy, {MakeLoad(store.buffer, store.indices), store.value, Int(1)}));
    });
    // A vectorized loop over neighbouring elements becomes one copy.
    return Rewrite(copies, [&](const For& loop) -> Stmt {
      const auto* evaluate = As<Evaluate>(loop.body);
      const auto* call = evaluate != nullptr ? As<Call>(evaluate->value) : nullptr;
      const int64_t* lanes = AsConstInt(loop.extent);
      if (loop.for_kind != ForKind::kVectorized || lanes == nullptr || call == nullptr ||
          call->op != intrinsic::kAsyncCopy || !IsZero(loop.min) || !IsOne(call->arg(2)))
        return nullptr;
      std::vector<NodeRef> args;
      for (const size_t i : {size_t{0}, size_t{1}}) {
        const auto& place = static_cast<const Load&>(*call->args[i]);
        const std::vector<Expr> first = FirstOfNeighbours(place, loop);
        if (first.empty()) return nullptr;
        args.push_back(MakeLoad(place.source, first));
      }
      args.push_back(Int(*lanes));
      return MakeEvaluate(CallIntrinsic(intrinsic::kAsyncCopy, std::move(args)));
    });
  }

  // The indices at the loop's first iteration, if each further iteration accesses the next element
  // in memory; otherwise empty.
  static std::vector<Expr> FirstOfNeighbours(const Load& place, const For& loop) {
    const std::vector<Expr>& indices = place.indices;
    const auto* buffer = As<BufferNode>(place.source);
    if (buffer == nullptr) return {};
    // After storage_align of the last dimension, its elements have gaps.
    if (!buffer->strides.empty() && !IsOne(buffer->strides.back())) return {};
    arith::Analyzer analyzer;
    analyzer.Bind(loop.var, MakeRange(loop.min, loop.extent));
    std::vector<Expr> first;
    for (size_t d = 0; d < indices.size(); ++d) {
      first.push_back(
          analyzer.Simplify(Substitute(indices[d], {{loop.var, Const(0, loop.var->dtype)}})));
      Expr step = indices[d] - first.back();
      if (d + 1 == indices.size()) step = step - MakeCast(step->dtype, loop.var);
      if (!analyzer.CanProve(Equal(step, Const(0, step->dtype)))) return {};
    }
    return first;
  }

  const For& loop_;
  const bool async_;
  std::vector<Producer> producers_;
  std::vector<Accesses> accesses_;
  std::unordered_set<const Node*> filled_;
  std::vector<Ref<const Allocate>> hoisted_;
  std::unordered_map<const Node*, std::pair<Buffer, int64_t>> versions_;
  Stmt rest_;
};

class Pipeliner final : public Mutator {
 public:
  Pipeliner() : Mutator(Memo::kPerRoot) {}

 protected:
  NodeRef Leave(const NodeRef&, NodeRef after) override {
    const auto* loop = As<For>(after);
    if (loop == nullptr) return after;
    bool async = false;
    Ref<const For> plain(loop);
    if (auto it = loop->annotations.find(annotation::kPipelineStages);
        it != loop->annotations.end()) {
      if (auto flag = loop->annotations.find(annotation::kPipelineAsync);
          flag != loop->annotations.end())
        async = IsOne(RefExpr(flag->second));
      Dict annotations = loop->annotations;
      annotations.erase(annotation::kPipelineStages);
      annotations.erase(annotation::kPipelineAsync);
      const Stmt without = MakeFor(loop->var, loop->min, loop->extent, loop->for_kind, loop->body,
                                   loop->thread_tag, std::move(annotations));
      plain = RefAs<For>(NodeRef(without));
    }
    if (!HasProducers(plain->body)) return plain;
    return LoopPipeliner(*plain, async).Run();
  }
};

}  // namespace

Module SoftwarePipeline(const Module& module, const PassContext&) {
  return MapFunctions(module, [](const Func& func) {
    bool marked = false;
    PostOrder(func->body, [&](const Node& node) {
      const auto* loop = As<For>(&node);
      marked = marked || IsProducer(As<Attr>(&node)) ||
               (loop != nullptr && loop->annotations.count(annotation::kPipelineStages) != 0);
    });
    return marked ? WithBody(func, Pipeliner().Run(func->body)) : func;
  });
}

}  // namespace lathe::lower

#include "lower/outline_parallel.h"

#include <unordered_set>

#include "base/planted.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "ir/rewrite.h"

namespace lathe::lower {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

const DataType kI64 = DataType::Int(64);

// Buffers that `stmt` uses but does not define, in order of first use.
std::vector<Buffer> FreeBuffers(const Stmt& stmt) {
  class Finder final : public Visitor {
   public:
    Finder() : Visitor(Sharing::kOnce) {}
    std::vector<Buffer> used;
    std::unordered_set<const Node*> defined, seen;

   protected:
    void BeforeChild(const Edge& edge) override {
      defining_ = edge.field->role == FieldRole::kDefine;
    }
    bool Enter(const Node& node) override {
      if (node.node_kind() == NodeKind::kBufferNode && defining_) defined.insert(&node);
      if (const auto* load = As<Load>(&node)) Use(RefAs<BufferNode>(load->source));
      if (const auto* store = As<Store>(&node)) Use(store->buffer);
      if (const auto* fetch = As<Prefetch>(&node)) Use(fetch->buffer);
      if (const auto* call = As<Call>(&node)) {
        for (const NodeRef& arg : call->args) Use(RefAs<BufferNode>(arg));
      }
      return true;
    }

   private:
    void Use(const Buffer& buffer) {
      if (buffer && seen.insert(buffer.get()).second) used.push_back(buffer);
    }
    bool defining_ = false;
  };
  Finder finder;
  finder.Visit(stmt);
  std::erase_if(finder.used, [&](const Buffer& b) { return finder.defined.count(b.get()) != 0; });
  return finder.used;
}

// Replaces any number of buffers in one walk.
class Replacer final : public Mutator {
 public:
  Replacer() : Mutator(Memo::kOn) {}
  void Replace(const Buffer& from, const Buffer& to) { Rename(from, to); }
};

// Makes parallel loops inside an outlined loop serial.
class Serializer final : public Mutator {
 protected:
  NodeRef Enter(const NodeRef& node) override { return IsExpr(node.get()) ? node : nullptr; }
  NodeRef Leave(const NodeRef&, NodeRef after) override {
    const auto* loop = As<For>(after);
    if (loop == nullptr || loop->for_kind != ForKind::kParallel) return after;
    return MakeFor(loop->var, loop->min, loop->extent, ForKind::kSerial, loop->body, "",
                   loop->annotations);
  }
};

class Outliner final : public Mutator {
 public:
  Outliner(const Func& func, std::vector<Func>* made) : func_(func), made_(made) {}

 protected:
  NodeRef Enter(const NodeRef& node) override {
    if (IsExpr(node.get())) return node;
    const auto* loop = As<For>(node);
    if (loop == nullptr || loop->for_kind != ForKind::kParallel) return nullptr;
    return Outline(*loop);
  }

 private:
  Stmt Outline(const For& loop) {
    const std::string name = func_->name + "_parallel" + std::to_string(count_++);
    const Var closure = MakeVar("closure", DataType::Handle()), begin = MakeVar("begin", kI64),
              end = MakeVar("end", kI64);
    const Stmt serial = Serializer().Run(loop.body);
    const DataType t = loop.var->dtype;
    Stmt body =
        MakeFor(loop.var, loop.min + MakeCast(t, begin), MakeCast(t, Expr(end) - Expr(begin)),
                ForKind::kSerial, serial, "", loop.annotations);

    // Buffers first: their extents and addresses use variables, which must be captured, too.
    struct View {
      Buffer buffer;
      Var address;
    };
    std::vector<View> views;
    Replacer replacer;
    std::vector<std::pair<Buffer, Var>> declared;
    for (const Buffer& buffer : FreeBuffers(body)) {
      const Var address = MakeVar(buffer->name + ".address", DataType::Handle());
      Buffer inner = CopyBuffer(
          buffer, [&](BufferNode& copy) { copy.data = MakeVar(copy.name, DataType::Handle()); });
      replacer.Replace(buffer, inner);
      declared.emplace_back(inner, address);
      views.push_back({buffer, address});
    }
    body = replacer.Run(body);
    for (const auto& [inner, address] : declared) body = MakeDeclBuffer(inner, address, body);
    std::vector<Stmt> fill;
    int64_t slots = 0;
    const Var slots_var = MakeVar(name + ".closure", DataType::Handle());
    auto capture = [&](const Var& inside, const Expr& outside) {
      const Expr index = Int(slots++);
      fill.push_back(MakeEvaluate(
          MakeCall(DataType::Void(), intrinsic::kSlotStore, {slots_var, index, outside})));
      body = MakeLetStmt(inside, MakeCall(inside->dtype, intrinsic::kSlotLoad, {closure, index}),
                         body);
    };
    std::unordered_set<const Node*> own{closure.get(), begin.get(), end.get()};
    for (const View& view : views) own.insert(view.address.get());
    VarMap inside_of;
    std::vector<Var> captured;
    for (const Var& var : FreeVars(body)) {
      if (own.count(var.get()) != 0) continue;
      inside_of.emplace(var, MakeVar(var->name, var->dtype));
      captured.push_back(var);
    }
    body = Substitute(body, inside_of);
    for (const Var& var : captured) capture(RefAs<VarNode>(inside_of.at(var)), var);
    for (const View& view : views) capture(view.address, view.buffer->data);

    body = MakeSeq({body, MakeEvaluate(MakeCall(DataType::Void(), intrinsic::kReturn, {Int(0)}))});
    made_->push_back(MakeFunc(name, {closure, begin, end}, body,
                              {{func_attr::kCallingConvention, String(convention::kParallelBody)},
                               {func_attr::kTarget, Target()}},
                              DataType::Int(32)));

    std::vector<NodeRef> args = {
        String(runtime_entry::kParallel),
        MakeCall(DataType::Handle(), intrinsic::kFunctionAddress, {String(name)}), slots_var,
        MakeCast(kI64, loop.extent)};
    if (StringAttr(func_->attrs, func_attr::kCallingConvention) == convention::kUnchecked) {
      args[0] = String(runtime_entry::kParallelOn);
      args.push_back(func_->params[3]);
    }
    const Expr call = MakeCall(DataType::Int(32), intrinsic::kRuntimeCall, std::move(args));
    const Var status = MakeVar(name + ".status", DataType::Int(32));
    fill.push_back(MakeLetStmt(status, call, MakeAssert(Equal(status, Int(0)), "", "")));
    return MakeLetStmt(slots_var,
                       MakeCall(DataType::Handle(), intrinsic::kStackSlots,
                                {Int(Planted(PlantedBug::kClosureOneShort) ? slots - 1 : slots)}),
                       MakeSeq(std::move(fill)));
  }

  NodeRef Target() const {
    auto it = func_->attrs.find(func_attr::kTarget);
    return it == func_->attrs.end() ? NodeRef(String("")) : it->second;
  }

  Func func_;
  std::vector<Func>* made_;
  int count_ = 0;
};

}  // namespace

Module OutlineParallel(const Module& module, const PassContext&) {
  std::vector<Func> functions;
  for (const Func& func : module->functions) {
    std::vector<Func> made;
    functions.push_back(WithBody(func, Outliner(func, &made).Run(func->body)));
    functions.insert(functions.end(), made.begin(), made.end());
  }
  return WithFunctions(module, std::move(functions));
}

}  // namespace lathe::lower

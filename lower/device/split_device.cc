#include "lower/device/split_device.h"

#include <algorithm>
#include <sstream>
#include <unordered_map>
#include <unordered_set>

#include "arith/analyzer.h"
#include "base/planted.h"
#include "ir/constants.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "ir/rewrite.h"
#include "ir/thread_scopes.h"
#include "ir/walk.h"
#include "lower/device/kernel_axes.h"

namespace lathe::lower {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

const DataType kI64 = DataType::Int(64);

// The buffers that a statement uses and does not define, in order of first use; and whether it
// defines the variable of a buffer that it views.
class FreeBufferFinder final : public Visitor {
 public:
  FreeBufferFinder() : Visitor(Sharing::kOnce) {}

  std::vector<Buffer> used;

  std::vector<Buffer> Find(const Stmt& stmt) {
    Visit(stmt);
    std::erase_if(used, [&](const Buffer& b) { return defined_.count(b.get()) != 0; });
    return used;
  }

 protected:
  bool Enter(const Node& node) override {
    if (const auto* allocate = As<Allocate>(&node)) defined_.insert(allocate->buffer.get());
    if (const auto* constant = As<AllocConst>(&node)) defined_.insert(constant->buffer.get());
    if (const auto* view = As<DeclBuffer>(&node)) defined_.insert(view->buffer.get());
    if (const auto* load = As<Load>(&node)) Use(RefAs<BufferNode>(load->source));
    if (const auto* store = As<Store>(&node)) Use(store->buffer);
    if (const auto* prefetch = As<Prefetch>(&node)) Use(prefetch->buffer);
    if (const auto* call = As<Call>(&node)) {
      for (const NodeRef& arg : call->args) Use(RefAs<BufferNode>(arg));
    }
    return true;
  }

 private:
  void Use(const Buffer& buffer) {
    if (buffer && seen_.insert(buffer.get()).second) used.push_back(buffer);
  }
  std::unordered_set<const Node*> defined_, seen_;
};

class Splitter final : public Mutator {
 public:
  // `table`: the module's constants.
  Splitter(const Func& func, const std::vector<ConstantRef>& table, std::vector<Func>* made)
      : func_(func), table_(table), made_(made) {}

 protected:
  NodeRef Enter(const NodeRef& node) override {
    if (IsExpr(node.get())) return node;
    if (const auto* constant = As<AllocConst>(node))
      constants_[constant->buffer.get()] = constant->index;
    const auto* loop = As<For>(node);
    return loop != nullptr && IsHardwareLoop(*loop) ? Launch(*loop) : Stmt();
  }
  NodeRef Leave(const NodeRef&, NodeRef after) override {
    // If only kernels use it, and contain it now, the host needs it no more.
    const auto* constant = As<AllocConst>(after);
    if (constant == nullptr || UsesVar(constant->body, constant->buffer->data)) return after;
    for (const Buffer& used : FreeBufferFinder().Find(constant->body)) {
      if (used.same_as(constant->buffer)) return after;
    }
    return constant->body;
  }

 private:
  // A kernel under construction, and its launch.
  struct Kernel {
    Stmt body;
    std::vector<NodeRef> params, args;              // args begin with the name
    std::unordered_set<const Node*> pointers;       // parameters' variables
    std::vector<NodeRef> descriptions;              // shapes, strides and offsets of parameters
    std::vector<std::pair<Var, Buffer>> constants;  // large ones, and where their copies are
  };

  static Buffer WithDataOfItsOwn(const Buffer& buffer) {
    return CopyBuffer(
        buffer, [&](BufferNode& copy) { copy.data = MakeVar(copy.name, DataType::Handle()); });
  }

  // The buffers that the body uses become parameters; small constants become part of it.
  void TakeBuffers(Kernel* kernel) {
    for (const Buffer& buffer : FreeBufferFinder().Find(kernel->body)) {
      const Buffer inside = WithDataOfItsOwn(buffer);
      // A kernel cannot access the host's copy of a constant.
      const auto constant = constants_.find(buffer.get());
      const bool is_constant = constant != constants_.end();
      if (is_constant && BytesOf(constant->second) <= kMaxConstantInCode) {
        kernel->body =
            MakeAllocConst(inside, constant->second, ReplaceBuffer(kernel->body, buffer, inside));
        continue;
      }
      kernel->body = Substitute(ReplaceBuffer(kernel->body, buffer, inside),
                                VarMap{{buffer->data, Expr(inside->data)}});
      kernel->params.push_back(inside);
      kernel->pointers.insert(inside->data.get());
      if (is_constant) {
        kernel->constants.emplace_back(MakeVar(buffer->name + ".device", DataType::Handle()),
                                       buffer);
        kernel->args.push_back(kernel->constants.back().first);
      } else {
        kernel->args.push_back(buffer->data);
      }
      for (const std::vector<Expr>& list : {inside->shape, inside->strides})
        kernel->descriptions.insert(kernel->descriptions.end(), list.begin(), list.end());
      if (inside->elem_offset) kernel->descriptions.push_back(inside->elem_offset);
    }
  }

  // The scalars that the body and its buffers use become the last parameters, as new variables: a
  // function defines every variable once. The buffers become views of the pointers.
  static void TakeScalars(Kernel* kernel) {
    std::vector<Var> scalars = FreeVars(kernel->body);
    for (const NodeRef& part : kernel->descriptions) {
      for (const Var& var : FreeVars(part)) scalars.push_back(var);
    }
    VarMap inside;
    std::vector<NodeRef> tail;
    for (const Var& var : scalars) {
      if (kernel->pointers.count(var.get()) != 0 || inside.count(var) != 0) continue;
      const Var copy =
          var->is_size ? MakeSizeVar(var->name, var->dtype) : MakeVar(var->name, var->dtype);
      inside[var] = copy;
      tail.push_back(copy);
      kernel->args.push_back(var);
    }
    std::vector<std::pair<Buffer, Buffer>> views;
    for (NodeRef& param : kernel->params) {
      const Buffer buffer = RefAs<BufferNode>(param);
      const Buffer copy = CopyBuffer(buffer, [&](BufferNode& b) {
        b.data = MakeVar(b.name, DataType::Handle());
        for (Expr& e : b.shape) e = Substitute(e, inside);
        for (Expr& e : b.strides) e = Substitute(e, inside);
        if (b.elem_offset) b.elem_offset = Substitute(b.elem_offset, inside);
      });
      views.emplace_back(buffer, copy);
      param = buffer->data;
    }
    kernel->body = Substitute(kernel->body, inside);
    for (size_t i = views.size(); i-- > 0;) {
      const auto& [buffer, view] = views[i];
      kernel->body = MakeDeclBuffer(view, buffer->data, ReplaceBuffer(kernel->body, buffer, view));
    }
    if (Planted(PlantedBug::kKernelScalarsReversed)) std::reverse(tail.begin(), tail.end());
    kernel->params.insert(kernel->params.end(), tail.begin(), tail.end());
  }

  // The statement of the host in place of the kernel's loops.
  Stmt Launch(const For& loops) {
    Kernel kernel;
    kernel.body = Stmt(&loops);
    const std::string name = func_->name + "_kernel" + std::to_string(count_++);
    kernel.args = {String(name)};
    std::vector<Expr> extents;
    std::string tags;
    for (const For* loop = &loops; loop != nullptr && IsHardwareLoop(*loop);
         loop = As<For>(loop->body)) {
      tags += (tags.empty() ? "" : " ") + loop->thread_tag;
      extents.push_back(MakeCast(kI64, loop->extent));
    }
    Expr dynamic = Int(0, kI64);
    ForEach<Allocate>(kernel.body, [&](const Allocate& allocate) {
      if (allocate.buffer->scope == memory_scope::kSharedDynamic)
        dynamic = dynamic + MakeCast(kI64, allocate.buffer->shape[0]);
    });
    TakeBuffers(&kernel);
    TakeScalars(&kernel);
    Dict attrs = {{func_attr::kCallingConvention, String(convention::kKernel)},
                  {func_attr::kLaunch, String(tags)}};
    if (auto it = func_->attrs.find(func_attr::kTarget); it != func_->attrs.end())
      attrs[func_attr::kTarget] = it->second;
    made_->push_back(MakeFunc(name, std::move(kernel.params), kernel.body, std::move(attrs)));

    arith::Analyzer analyzer;
    std::vector<Expr> some;
    for (Expr& extent : extents) {
      extent = analyzer.Simplify(extent);
      kernel.args.push_back(extent);
      if (!analyzer.CanProveGE(extent, 1)) some.push_back(extent > Int(0, kI64));
    }
    kernel.args.push_back(analyzer.Simplify(dynamic));
    const Stmt launch = WithCopies(
        kernel.constants,
        MakeEvaluate(MakeCall(DataType::Void(), intrinsic::kCallPacked, std::move(kernel.args))));
    return some.empty() ? launch : MakeIf(Conjunction(some), launch);
  }

  // Asks for the device's copies of constants before `launch`.
  Stmt WithCopies(const std::vector<std::pair<Var, Buffer>>& constants, Stmt launch) const {
    for (size_t i = constants.size(); i-- > 0;) {
      const auto& [copy, buffer] = constants[i];
      const auto bytes = static_cast<int64_t>(BytesOf(constants_.at(buffer.get())));
      const Expr there =
          MakeCall(DataType::Handle(), intrinsic::kCallPacked,
                   {String(runtime_function::kDeviceConstant), buffer->data, Int(bytes, kI64)});
      launch = MakeLetStmt(copy, there, launch);
    }
    return launch;
  }

  // 0 if the module does not have its data, which only its holder can compile.
  size_t BytesOf(int64_t index) const {
    const auto at = static_cast<size_t>(index);
    return at < table_.size() ? table_[at]->data->size() : 0;
  }

  Func func_;
  const std::vector<ConstantRef>& table_;
  std::vector<Func>* made_;
  std::unordered_map<const Node*, int64_t> constants_;  // buffers of the AllocConsts around: index
  int count_ = 0;
};

}  // namespace

Module SplitDevice(const Module& module, const PassContext&) {
  const std::vector<ConstantRef> table = ConstantsIn(module->attrs);
  std::vector<Func> functions;
  for (const Func& func : module->functions) {
    if (IsKernel(func)) {
      functions.push_back(func);
      continue;
    }
    std::vector<Func> made;
    functions.push_back(WithBody(func, Splitter(func, table, &made).Run(func->body)));
    functions.insert(functions.end(), made.begin(), made.end());
  }
  return WithFunctions(module, std::move(functions));
}

bool IsKernel(const Func& func) {
  return StringAttr(func->attrs, func_attr::kCallingConvention) == convention::kKernel;
}

std::vector<std::string> LaunchTags(const Func& kernel) {
  std::istringstream text(StringAttr(kernel->attrs, func_attr::kLaunch));
  std::vector<std::string> tags;
  for (std::string tag; text >> tag;) tags.push_back(tag);
  return tags;
}

SplitModules Separate(const Module& module) {
  std::vector<Func> host, device;
  for (const Func& func : module->functions) (IsKernel(func) ? device : host).push_back(func);
  return {MakeModule(std::move(host), module->attrs), MakeModule(std::move(device), module->attrs)};
}

}  // namespace lathe::lower

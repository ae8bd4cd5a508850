// One kernel: its parameters, thread axes and shared memory; and the module.
#include <sstream>

#include "base/error.h"
#include "ir/imports.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "plugins/sdk/c_emitter.h"
#include "plugins/sdk/c_source.h"

namespace lathe::sdk {
namespace internal {

using ir::As;

// Finds which parameters the kernel reads and writes, and through which views.
void CEmitter::FindUses(const ir::FuncNode& kernel) {
  for (const ir::NodeRef& param : kernel.params) roots_[param.get()] = param.get();
  std::unordered_set<const ir::Node*> definitions;  // address_of that only defines a view
  const auto data_of = [](const ir::Expr& handle) -> const ir::Node* {
    if (As<ir::VarNode>(handle) != nullptr) return handle.get();
    const auto* call = As<ir::Call>(handle);
    if (call == nullptr || call->args.empty()) return nullptr;
    if (const auto* buffer = As<ir::BufferNode>(call->args[0])) return buffer->data.get();
    const auto* load = As<ir::Load>(call->arg(0));
    const auto* buffer = load == nullptr ? nullptr : As<ir::BufferNode>(load->source);
    return buffer == nullptr ? nullptr : buffer->data.get();
  };
  const auto use = [&](const ir::Node* buffer, bool reads, bool writes) {
    const auto* node = As<ir::BufferNode>(buffer);
    const auto root = node == nullptr ? roots_.end() : roots_.find(node->data.get());
    if (root == roots_.end()) return;
    if (reads) read_.insert(root->second);
    if (writes) written_.insert(root->second);
  };
  ir::PreOrder(kernel.body, [&](const ir::Node& node) {
    if (const auto* view = As<ir::DeclBuffer>(&node)) {
      const auto root = roots_.find(data_of(view->data));
      if (root != roots_.end()) {
        roots_[view->buffer->data.get()] = root->second;
        views_.try_emplace(root->second, view->buffer.get());
      }
      definitions.insert(view->data.get());
    } else if (const auto* load = As<ir::Load>(&node)) {
      use(load->source.get(), true, false);
    } else if (const auto* store = As<ir::Store>(&node)) {
      use(store->buffer.get(), false, true);
    } else if (const auto* call = As<ir::Call>(&node);
               call != nullptr && definitions.count(call) == 0) {
      for (size_t i = 0; i < call->args.size(); ++i) {
        const auto* place = As<ir::Load>(call->args[i]);
        const ir::Node* buffer = place == nullptr ? call->args[i].get() : place->source.get();
        // Memory may be written through an address.
        const bool writes = place == nullptr || call->op == ir::intrinsic::kAddressOf ||
                            call->op.starts_with(ir::intrinsic::kAtomicPrefix) ||
                            (call->op == ir::intrinsic::kAsyncCopy && i == 0);
        use(buffer, true, writes);
      }
    }
    return true;
  });
}

void CEmitter::DescribeParameters(const ir::FuncNode& kernel) {
  const auto noalias = kernel.attrs.find(ir::func_attr::kNoalias);
  const auto* flag = noalias == kernel.attrs.end() ? nullptr : As<ir::IntImm>(noalias->second);
  for (const ir::NodeRef& param : kernel.params) {
    const auto* var = As<ir::VarNode>(param);
    if (var == nullptr) NotFlat("a parameter is still a buffer");
    CParameter out{.name = NewName(var->name), .dtype = var->dtype};
    if (!var->dtype.is_handle()) {
      kernel_.parameters.push_back(std::move(out));
      continue;
    }
    out.is_pointer = true;
    out.is_read = read_.count(var) != 0;
    out.is_written = written_.count(var) != 0;
    out.noalias = flag == nullptr || flag->value != 0;
    out.dtype = DataType::UInt(8);
    out.scope = ir::memory_scope::kGlobal;
    Memory memory{.name = out.name, .parameter = var};
    if (const auto view = views_.find(var); view != views_.end()) {
      const ir::BufferNode& buffer = *view->second;
      out.dtype = buffer.dtype.element_of();
      out.scope = ir::ScopeOf(buffer);
      out.is_image = buffer.shape.size() == 2;
      if (out.is_image) {
        const int64_t *rows = ir::AsConstInt(buffer.shape[0]),
                      *columns = ir::AsConstInt(buffer.shape[1]);
        if (rows != nullptr) out.rows = *rows;
        if (columns != nullptr) out.columns = *columns * buffer.dtype.lanes();
      }
    }
    memory.element = out.dtype;
    memory.scope = out.scope;
    memory.is_image = out.is_image;
    memory.alignment = std::max<int64_t>(out.dtype.bytes(), d_.ArgumentAlignment());
    memory_[var] = std::move(memory);
    kernel_.parameters.push_back(std::move(out));
  }
}

void CEmitter::DescribeLaunch(const ir::FuncNode& kernel) {
  std::istringstream tags(ir::StringAttr(kernel.attrs, ir::func_attr::kLaunch));
  for (std::string tag; tags >> tag;) kernel_.launch.push_back({.tag = tag});
  ir::ForEach<ir::For>(kernel.body, [&](const ir::For& loop) {
    if (loop.for_kind != ir::ForKind::kThread) return;
    for (CLaunchAxis& axis : kernel_.launch) {
      const int64_t* extent = ir::AsConstInt(loop.extent);
      if (axis.tag == loop.thread_tag && extent != nullptr) axis.extent = *extent;
    }
  });
}

void CEmitter::DeclareShared(const ir::FuncNode& kernel) {
  ir::ForEach<ir::Allocate>(kernel.body, [&](const ir::Allocate& allocate) {
    const ir::BufferNode& buffer = *allocate.buffer;
    const std::string scope = ir::ScopeOf(buffer);
    if (scope != ir::memory_scope::kShared && scope != ir::memory_scope::kSharedDynamic) return;
    const std::string name = NewName(buffer.name);
    if (scope == ir::memory_scope::kSharedDynamic) {
      if (kernel_.dynamic_shared) NotFlat("dynamic shared memory is allocated twice");
      kernel_.dynamic_shared = true;
      dynamic_ = d_.DynamicShared(name);
      shared_[&buffer] = {name, 16};
      if (!dynamic_.declaration.empty()) out_.Add(dynamic_.declaration);
      return;
    }
    const int64_t* count = buffer.shape.size() == 1 ? ir::AsConstInt(buffer.shape[0]) : nullptr;
    if (count == nullptr) NotFlat("the size of `" + buffer.name + "` in shared memory varies");
    const int64_t elements = std::max<int64_t>(*count, 1) * buffer.dtype.lanes();
    const int64_t alignment = ArrayAlignment(buffer, elements);
    kernel_.shared_bytes += elements * buffer.dtype.element_of().bytes();
    shared_[&buffer] = {name, alignment};
    out_.Add(
        d_.Array(ir::memory_scope::kShared, buffer.dtype.element_of(), name, elements, alignment));
  });
}

// Functions outside of the module keep their names.
void CEmitter::TakeExternNames(const ir::FuncNode& function) {
  ir::ForEach<ir::Call>(function.body, [&](const ir::Call& call) {
    const bool names =
        call.op == ir::intrinsic::kCallExtern || call.op == ir::intrinsic::kCallPureExtern;
    const auto* name = names && !call.args.empty() ? As<ir::StringImm>(call.args[0]) : nullptr;
    if (name != nullptr) names_.Take(name->value);
  });
}

CKernel CEmitter::Run(const ir::FuncNode& kernel, const std::string& symbol) {
  kernel_.name = kernel.name;
  kernel_.symbol = symbol;
  TakeExternNames(kernel);
  FindUses(kernel);
  DescribeParameters(kernel);
  DescribeLaunch(kernel);
  std::vector<std::string> bools;
  for (size_t i = 0; i < kernel.params.size(); ++i) {
    const CParameter& parameter = kernel_.parameters[i];
    if (parameter.is_pointer) continue;
    std::string text = parameter.name;
    if (parameter.dtype.is_bool()) text = "(" + text + " != 0)";
    vars_[kernel.params[i].get()] = {
        .type = parameter.dtype, .parts = {text}, .depth = parameter.dtype.is_bool() ? 1 : 0};
  }
  out_.BeginCapture();
  DeclareShared(kernel);
  Visit(kernel.body);
  LATHE_CHECK(stack_.empty()) << "a value is left over";
  CLines::Captured body = out_.EndCapture();
  std::vector<std::string> parameters;
  for (const CParameter& parameter : kernel_.parameters)
    parameters.push_back(d_.Parameter(parameter));
  if (!dynamic_.parameter.empty()) parameters.push_back(dynamic_.parameter);
  out_.Open(d_.KernelHead(kernel_, parameters) + " {");
  out_.Add(std::move(body));
  out_.Close();
  return kernel_;
}

}  // namespace internal

CSource GenerateC(const ir::ModuleNode& module, CDialect& dialect,
                  std::span<const DLTensor* const> constants) {
  CSource out;
  internal::CHelpers helpers(dialect, constants);
  internal::CNames names(dialect);
  std::string heads, bodies;
  for (const ir::Func& func : module.functions) {
    const std::string symbol = names.New(func->name);
    helpers.AddSymbol(func->name, symbol);
    if (internal::IsKernel(*func)) continue;
    if (!dialect.HasHostFunctions()) {
      throw lathe::Error(Diagnostic{
          .name = "c-source-unsupported",
          .message = "`" + func->name + "` is no kernel, and this target runs nothing else",
          .help = "bind loops to thread axes, and give a host target beside this one"});
    }
    heads += dialect.FunctionHead(internal::DescribeFunction(*func, symbol)) + ";\n";
  }
  for (const ir::Func& func : module.functions) {
    internal::CLines lines;
    internal::CEmitter emitter(dialect, helpers, lines);
    const std::string& symbol = *helpers.SymbolOf(func->name);
    if (internal::IsKernel(*func)) {
      out.kernels.push_back(emitter.Run(*func, symbol));
    } else {
      out.functions.push_back(emitter.RunHost(*func, internal::DescribeFunction(*func, symbol)));
    }
    bodies += (bodies.empty() ? "" : "\n") + lines.ToString();
  }
  out.text = dialect.Prelude();
  if (!out.text.empty()) out.text += "\n";
  for (const std::string& source : ir::ImportsOf(module.attrs, "c")) {
    out.text += source;
    if (!source.ends_with('\n')) out.text += "\n";
    out.text += "\n";
  }
  out.text += helpers.ToString() + heads + (heads.empty() ? "" : "\n") + bodies;
  return out;
}

}  // namespace lathe::sdk

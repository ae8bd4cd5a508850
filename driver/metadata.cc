#include "driver/metadata.h"

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "driver/compile.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "ir/rewrite.h"
#include "ir/text/printer.h"
#include "ir/walk.h"
#include "lower/bind_arguments.h"
#include "lower/option_names.h"
#include "lower/unchecked_entry.h"
#include "lower/workspace.h"
#include "runtime/metadata_names.h"
#include "target/attribute_names.h"

namespace lathe::driver {
namespace {

std::string ExtentText(const ir::Expr& extent) {
  ir::PrintOptions options;
  options.short_form = true;
  return ir::ToText(extent, options);
}

runtime::ArgumentMetadata DescribeTensor(const ir::BufferNode& buffer) {
  runtime::ArgumentMetadata out;
  out.name = buffer.name;
  out.dtype = buffer.dtype.ToString();
  out.rank = static_cast<int>(buffer.shape.size());
  for (const ir::Expr& extent : buffer.shape) out.shape.push_back(ExtentText(extent));
  return out;
}

runtime::ArgumentMetadata DescribeScalar(const ir::VarNode& var) {
  runtime::ArgumentMetadata out;
  out.name = var.name;
  out.dtype = var.dtype.ToString();
  out.kind = var.dtype.is_float()    ? runtime::argument_kind::kFloat
             : var.dtype.is_bool()   ? runtime::argument_kind::kBool
             : var.dtype.is_handle() ? runtime::argument_kind::kHandle
                                     : runtime::argument_kind::kInt;
  return out;
}

// The parameters that a function writes: by stores, also through views, and by calls.
std::unordered_set<const ir::Node*> WrittenBuffers(const ir::Func& func) {
  std::unordered_map<const ir::Node*, const ir::Node*> owner;  // data variable -> buffer
  for (const ir::NodeRef& param : func->params) {
    if (const auto* buffer = ir::As<ir::BufferNode>(param)) owner[buffer->data.get()] = buffer;
  }
  // The buffer that a handle points into: the handle names the buffer's data variable or accesses
  // the buffer.
  auto buffer_of = [&](const ir::Expr& handle) -> const ir::Node* {
    const ir::Node* found = nullptr;
    auto look = [&](const ir::VarNode* data) {
      const auto it = owner.find(data);
      if (it != owner.end()) found = it->second;
    };
    ir::PreOrder(handle, [&](const ir::Node& node) {
      if (const auto* var = ir::As<ir::VarNode>(&node)) look(var);
      if (const auto* load = ir::As<ir::Load>(&node)) {
        if (const auto* buffer = ir::As<ir::BufferNode>(load->source)) look(buffer->data.get());
      }
      if (const auto* call = ir::As<ir::Call>(&node)) {
        for (const ir::NodeRef& arg : call->args) {
          if (const auto* buffer = ir::As<ir::BufferNode>(arg)) look(buffer->data.get());
        }
      }
      return found == nullptr;
    });
    return found;
  };
  std::unordered_set<const ir::Node*> written;
  ir::PreOrder(func, [&](const ir::Node& node) {
    if (const auto* view = ir::As<ir::DeclBuffer>(&node)) {
      if (const ir::Node* buffer = buffer_of(view->data)) owner[view->buffer->data.get()] = buffer;
    }
    if (const auto* store = ir::As<ir::Store>(&node)) {
      const auto it = owner.find(store->buffer->data.get());
      if (it != owner.end()) written.insert(it->second);
    }
    // Calls that write, such as hardware that moves memory by itself.
    const auto* call = ir::As<ir::Call>(&node);
    if (call != nullptr && call->op == ir::intrinsic::kAccessPtr) {
      const auto* mask = ir::As<ir::IntImm>(call->args[3]);
      const auto it = owner.find(ir::As<ir::BufferNode>(call->args[0])->data.get());
      if (it != owner.end() && (mask == nullptr || (mask->value & 2) != 0))
        written.insert(it->second);
    }
    return true;
  });
  // Attributes from the schedule: outputs that packed functions write.
  for (const size_t i : lower::WrittenParameters(func)) written.insert(func->params[i].get());
  return written;
}

// The names whose values a caller knows.
std::unordered_set<std::string> SizesOf(const runtime::FunctionMetadata& function) {
  std::unordered_set<std::string> names;
  for (const runtime::ArgumentMetadata& argument : function.arguments) {
    if (argument.kind == runtime::argument_kind::kInt) names.insert(argument.name);
    names.insert(argument.shape.begin(), argument.shape.end());
  }
  return names;
}

void DescribeWorkspace(const lower::WorkspaceUse& use, runtime::FunctionMetadata* function) {
  // Without names: programs that differ only in the names of intermediate results share one entry
  // of the compile cache.
  if (!use.unknown.empty()) {
    function->workspace_unknown = "a size does not follow from the arguments'";
    return;
  }
  const std::unordered_set<std::string> sizes = SizesOf(*function);
  for (const ir::Expr& bytes : {use.outside, use.per_thread}) {
    for (const ir::Var& var : ir::FreeVars(bytes)) {
      if (sizes.count(var->name) != 0) continue;
      function->workspace_unknown = "it depends on a size that no shape shows";
      return;
    }
  }
  function->workspace = ExtentText(use.outside);
  function->thread_workspace = ExtentText(use.per_thread);
}

// Tiles must be configured before any other use, so it is enough to look for that.
bool UsesTiles(const ir::Func& func) {
  bool found = false;
  ir::PostOrder(func, [&](const ir::Node& node) {
    const auto* call = ir::As<ir::Call>(&node);
    if (call == nullptr || call->op != ir::intrinsic::kLlvmIntrinsicWithEffects) return;
    const auto* name = ir::As<ir::StringImm>(call->arg(0));
    found = found || (name != nullptr && name->value == "llvm.x86.ldtilecfg");
  });
  return found;
}

// Decided by the processor's name in the triple. Without a triple the host is this process's
// machine.
bool Has64Bits(const target::Target& target) {
  const auto it = target.attributes.find(target::attribute::kMtriple);
  if (it == target.attributes.end() || it->second.empty()) return sizeof(void*) == 8;
  const std::string processor = it->second.substr(0, it->second.find('-'));
  return processor.find("64") != std::string::npos || processor == "s390x";
}

}  // namespace

runtime::Metadata DescribeModule(const ir::Module& module, const target::Target& target) {
  runtime::Metadata out;
  out.compiler = kVersion;
  out.target = target.ToString();
  for (const ir::Func& func : module->functions) {
    runtime::FunctionMetadata described;
    described.name = func->name;
    described.device = target.schema->device;
    const std::unordered_set<const ir::Node*> written = WrittenBuffers(func);
    for (const ir::NodeRef& param : func->params) {
      if (const auto* buffer = ir::As<ir::BufferNode>(param)) {
        described.arguments.push_back(DescribeTensor(*buffer));
        if (written.count(buffer) != 0) described.outputs.push_back(buffer->name);
      } else if (const auto* var = ir::As<ir::VarNode>(param)) {
        described.arguments.push_back(DescribeScalar(*var));
      }
    }
    if (out.needs.empty() && UsesTiles(func)) out.needs = {"amx-tile"};
    if (ir::IntAttr(func->attrs, ir::func_attr::kIsEntry) != 0 && out.entry.empty())
      out.entry = func->name;
    out.functions.push_back(std::move(described));
  }
  out.devices = {target.schema->device};
  return out;
}

bool WantsEntries(const target::Target& target, const lower::PassContext& context) {
  if ((context.Option(lower::option::kEntries) & lower::kUncheckedEntry) == 0) return false;
  if (target.schema->stage != target::ContractStage::kTile && target.schema->device == "cpu")
    return true;
  throw Error(
      Diagnostic{.name = "entries-unsupported",
                 .message = "functions for `" + target.kind + "` have no entries without checks",
                 .expected = "a target for processors whose arguments Lathe binds",
                 .found = "`" + target.ToString() + "`",
                 .help = "compile for this target with the option entries=1"});
}

void DescribeEntries(const ir::Module& module, runtime::Metadata* metadata) {
  for (const ir::Func& func : module->functions) {
    if (!ir::StringAttr(func->attrs, ir::func_attr::kCallingConvention).empty()) continue;
    for (runtime::FunctionMetadata& described : metadata->functions) {
      if (described.name != func->name) continue;
      described.unchecked = true;
      for (const ir::NodeRef& param : func->params) {
        if (const auto* buffer = ir::As<ir::BufferNode>(param))
          described.entry_buffers.push_back(buffer->name);
      }
      for (const ir::Var& size : lower::EntrySizes(func))
        described.entry_sizes.push_back(size->name);
    }
  }
}

ir::Module WithMetadata(const ir::Module& module, const runtime::Metadata& metadata) {
  ir::Dict attrs = module->attrs;
  attrs[ir::module_attr::kMetadata] = ir::String(metadata.ToJson());
  return ir::MakeModule(module->functions, std::move(attrs));
}

lower::PassContext NotingWorkspace(lower::PassContext context, runtime::Metadata* metadata) {
  context.workspace = [metadata](const lower::WorkspaceUse& use) {
    for (runtime::FunctionMetadata& function : metadata->functions) {
      if (function.name == use.function) DescribeWorkspace(use, &function);
    }
  };
  return context;
}

ir::Module WithWrites(const ir::Module& module, const target::Target& host) {
  if (!Has64Bits(host)) return module;
  return lower::MapFunctions(module, [](const ir::Func& func) -> ir::Func {
    if (!ir::StringAttr(func->attrs, ir::func_attr::kCallingConvention).empty()) return func;
    const std::unordered_set<const ir::Node*> written = WrittenBuffers(func);
    std::string numbers;
    for (size_t i = 0; i < func->params.size(); ++i) {
      if (written.count(func->params[i].get()) == 0) continue;
      numbers += (numbers.empty() ? "" : ",") + std::to_string(i);
    }
    return numbers.empty() ? func : ir::WithAttr(func, ir::func_attr::kWrites, ir::String(numbers));
  });
}

}  // namespace lathe::driver

#include "driver/metadata.h"

#include <unordered_set>

#include "driver/compile.h"
#include "ir/printer.h"
#include "ir/walk.h"

namespace lathe::driver {
namespace {

runtime::ArgumentMetadata DescribeTensor(const ir::BufferNode& buffer) {
  runtime::ArgumentMetadata out;
  out.name = buffer.name;
  out.dtype = buffer.dtype.ToString();
  out.rank = static_cast<int>(buffer.shape.size());
  for (const ir::Expr& extent : buffer.shape) {
    ir::PrintOptions options;
    options.short_form = true;
    out.shape.push_back(ir::ToText(extent, options));
  }
  return out;
}

runtime::ArgumentMetadata DescribeScalar(const ir::VarNode& var) {
  runtime::ArgumentMetadata out;
  out.name = var.name;
  out.dtype = var.dtype.ToString();
  out.kind = var.dtype.is_float()    ? "float"
             : var.dtype.is_bool()   ? "bool"
             : var.dtype.is_handle() ? "handle"
                                     : "int";
  return out;
}

}  // namespace

runtime::Metadata DescribeModule(const ir::Module& module, const plugins::Target& target) {
  runtime::Metadata out;
  out.compiler = kVersion;
  out.target = target.ToString();
  for (const ir::Func& func : module->functions) {
    runtime::FunctionMetadata described;
    described.name = func->name;
    std::unordered_set<const ir::Node*> written;
    ir::ForEach<ir::Store>(func,
                           [&](const ir::Store& store) { written.insert(store.buffer.get()); });
    for (const ir::NodeRef& param : func->params) {
      if (const auto* buffer = ir::As<ir::BufferNode>(param)) {
        described.arguments.push_back(DescribeTensor(*buffer));
        if (written.count(buffer) != 0) described.outputs.push_back(buffer->name);
      } else if (const auto* var = ir::As<ir::VarNode>(param)) {
        described.arguments.push_back(DescribeScalar(*var));
      }
    }
    if (ir::IntAttr(func->attrs, "is_entry") != 0 && out.entry.empty()) out.entry = func->name;
    out.functions.push_back(std::move(described));
  }
  out.devices = {"cpu"};
  return out;
}

}  // namespace lathe::driver

#include "plugins/host/intrinsics.h"

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "base/error.h"
#include "ir/intrinsic.h"
#include "ir/rewrite.h"
#include "ir/text/parser.h"

namespace lathe::plugins {
namespace {

struct Declared {
  std::string body;
  ir::Func function;  // null if there is no body
};
struct Table {
  std::mutex mutex;
  std::map<std::string, Declared, std::less<>> by_name;
};
Table& AllDeclared() {
  static auto* const table = new Table;
  return *table;
}

[[noreturn]] void FailIntrinsic(const target::Intrinsic& declared, const std::string& plugin,
                                std::string what, std::string expected, std::string found) {
  throw Error(Diagnostic{
      .name = "manifest-intrinsic",
      .message = "intrinsic `" + declared.name + "` of plugin " + plugin + ": " + std::move(what),
      .expected = std::move(expected),
      .found = std::move(found),
      .help = "see \"Memory, DMA, matrix units\" in the guide for backends"});
}

ir::CallEffect EffectNamed(const std::string& name) {
  if (name == "pure") return ir::CallEffect::kPure;
  if (name == "read") return ir::CallEffect::kReads;
  return name == "write" ? ir::CallEffect::kWrites : ir::CallEffect::kOpaque;
}

// Parses and checks the function of a body.
ir::Func ReadBody(const target::Intrinsic& declared, const std::string& plugin) {
  const ir::Module module = ir::ParseModule(declared.body, plugin + ":" + declared.name);
  if (module->functions.size() != 1)
    FailIntrinsic(declared, plugin, "its body", "one function",
                  std::to_string(module->functions.size()) + " functions");
  const ir::Func& function = module->functions[0];
  for (const ir::NodeRef& param : function->params) {
    const auto* buffer = ir::As<ir::BufferNode>(param);
    if (buffer == nullptr) continue;
    const bool flat = buffer->shape.size() == 1 &&
                      (ir::AsConstInt(buffer->shape[0]) || ir::As<ir::VarNode>(buffer->shape[0]));
    if (!flat || !buffer->strides.empty())
      FailIntrinsic(declared, plugin, "buffer `" + buffer->name + "` of its body",
                    "one dimension, a number or a variable, and no strides",
                    std::to_string(buffer->shape.size()) + " dimensions");
  }
  return function;
}

ir::ArgKind KindOf(const ir::NodeRef& param) {
  const auto* var = ir::As<ir::VarNode>(param);
  if (var == nullptr || var->dtype.is_handle()) return ir::ArgKind::kHandle;
  if (var->dtype.is_float()) return ir::ArgKind::kFloat;
  return var->dtype.is_bool() ? ir::ArgKind::kBool : ir::ArgKind::kInteger;
}

void Register(const target::Intrinsic& declared, const ir::Func& function) {
  ir::Intrinsic entry;
  entry.name = declared.name;
  entry.effect = EffectNamed(declared.effect);
  entry.doc = declared.doc.empty() ? "declared by a plugin" : declared.doc;
  entry.result_rule = ir::ResultRule::kCaller;
  if (function) {
    for (const ir::NodeRef& param : function->params) entry.args.push_back(KindOf(param));
    const bool is_void = function->return_type == DataType::Void();
    entry.result_rule = is_void ? ir::ResultRule::kVoid : ir::ResultRule::kFixed;
    if (!is_void) entry.result = function->return_type;
  } else {
    entry.variadic = true;
  }
  ir::RegisterIntrinsic(std::move(entry));
}

// The buffer that a body's parameter has for an address.
ir::InterpTensor View(const ir::ExternCall& call, const ir::ExternCall::Argument& arg,
                      const ir::BufferNode& buffer) {
  const auto element = static_cast<size_t>(buffer.dtype.bytes());
  const auto constant = ir::AsConstInt(buffer.shape[0]);
  const int64_t extent = constant ? *constant : static_cast<int64_t>(arg.bytes / element);
  if (static_cast<uint64_t>(extent) * element > arg.bytes) {
    throw Error(Diagnostic{
        .name = "interpret-out-of-bounds",
        .message = "`" + std::string(call.name) + "` uses " + std::to_string(extent) +
                   " elements of `" + buffer.name + "`, and its memory ends before",
        .expected =
            std::to_string(extent * static_cast<int64_t>(element)) + " bytes from the address on",
        .found = std::to_string(arg.bytes)});
  }
  return ir::InterpTensor::Of(arg.data, buffer.dtype, {extent});
}

void Run(const ir::Func& function, const ir::ExternCall& call) {
  if (call.args.size() != function->params.size()) {
    throw Error(Diagnostic{.name = "interpret-argument",
                           .message = "`" + std::string(call.name) + "` is called with " +
                                      std::to_string(call.args.size()) + " arguments",
                           .expected = std::to_string(function->params.size()),
                           .found = std::to_string(call.args.size())});
  }
  std::vector<ir::InterpValue> args;
  for (size_t i = 0; i < call.args.size(); ++i) {
    const ir::ExternCall::Argument& arg = call.args[i];
    if (const auto* buffer = ir::As<ir::BufferNode>(function->params[i])) {
      args.emplace_back(View(call, arg, *buffer));
    } else if (arg.type.is_float()) {
      args.push_back(ir::InterpValue::Float(arg.lanes[0].d));
    } else {
      args.push_back(ir::InterpValue::Int(arg.lanes[0].i));
    }
  }
  const ir::InterpValue value = ir::Interpret(function, args);
  if (call.result.empty()) return;
  if (call.type.is_float()) {
    call.result[0].d = value.d;
  } else {
    call.result[0].i = value.i;
  }
}

}  // namespace

void RegisterIntrinsics(const target::TargetSchema& schema, const std::string& plugin) {
  Table& table = AllDeclared();
  const std::lock_guard<std::mutex> lock(table.mutex);
  for (const target::Intrinsic& declared : schema.machine.intrinsics) {
    if (const auto known = table.by_name.find(declared.name); known != table.by_name.end()) {
      if (known->second.body != declared.body)
        FailIntrinsic(declared, plugin, "another plugin has one of this name and another body",
                      "a name of its own, such as `" + schema.kind + ".NAME`",
                      "`" + declared.name + "`");
      continue;
    }
    const ir::Func function = declared.body.empty() ? ir::Func() : ReadBody(declared, plugin);
    Register(declared, function);
    table.by_name[declared.name] = {declared.body, function};
  }
}

std::function<bool(const ir::ExternCall&)> ReferenceBodies(
    std::function<bool(const ir::ExternCall&)> next) {
  return [next = std::move(next)](const ir::ExternCall& call) {
    ir::Func function;
    {
      Table& table = AllDeclared();
      const std::lock_guard<std::mutex> lock(table.mutex);
      const auto found = table.by_name.find(call.name);
      if (found != table.by_name.end()) function = found->second.function;
    }
    if (!function) return next != nullptr && next(call);
    Run(function, call);
    return true;
  };
}

}  // namespace lathe::plugins

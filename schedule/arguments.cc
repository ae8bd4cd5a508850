#include "schedule/arguments.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "arith/analyzer.h"
#include "base/error.h"
#include "ir/names.h"
#include "ir/text/printer.h"
#include "schedule/in_place.h"
#include "te/operation.h"

namespace lathe::schedule {

using ir::Buffer;
using ir::BufferNode;

namespace {

[[noreturn]] void BadArguments(std::string message, std::string expected, std::string found) {
  throw Error(Diagnostic{.name = "schedule-arguments",
                         .message = std::move(message),
                         .expected = std::move(expected),
                         .found = std::move(found),
                         .help = "pass every placeholder and every output once, and the variables "
                                 "of symbolic shapes only where the caller gives them"});
}

[[noreturn]] void BadBuffer(const Tensor& tensor, const std::string& message, std::string expected,
                            std::string found, std::string help) {
  throw Error(Diagnostic{.name = "schedule-binds",
                         .message = "the buffer bound to `" + tensor->name() + "` " + message,
                         .expected = std::move(expected),
                         .found = std::move(found),
                         .help = std::move(help)});
}

std::string ShapeText(const std::vector<Expr>& shape) {
  ir::PrintOptions options;
  options.short_form = true;
  std::string out = "[";
  for (const Expr& extent : shape)
    out += (out.size() > 1 ? ", " : "") + ir::ToText(extent, options);
  return out + "]";
}

// The buffer of a placeholder without a stage; its name is one that no other argument has.
Buffer UnreadBuffer(const ScheduleNode& schedule, const Arguments& before, const Tensor& tensor) {
  const auto is_taken = [&](const std::string& name) {
    return schedule.FindByName(name) != nullptr ||
           std::ranges::any_of(before.buffers,
                               [&](const auto& other) { return other.second->name == name; });
  };
  std::string name = tensor->name();
  for (int i = 1; is_taken(name); ++i) name = tensor->name() + "." + std::to_string(i);
  return ir::MakeBuffer(name, tensor->dtype(), tensor->shape());
}

// A compact buffer in the layout of the tensor's stage.
Buffer CompactBuffer(const Tensor& tensor, const Stage& stage) {
  const bool one = ir::NumOutputs(*stage.op) == 1;
  std::vector<Expr> shape = tensor->shape(), separators;
  if (auto it = stage.layouts.find(tensor->value_index); it != stage.layouts.end()) {
    shape = PhysicalShape(it->second, shape).value();
    for (int64_t at : it->second.separators) separators.push_back(ir::Int(at));
  }
  const Buffer buffer =
      ir::MakeBuffer(one ? stage.name : stage.name + ".v" + std::to_string(tensor->value_index),
                     tensor->dtype(), std::move(shape));
  if (separators.empty()) return buffer;
  return ir::CopyBuffer(buffer,
                        [&](BufferNode& copy) { copy.axis_separators = std::move(separators); });
}

// `plain` in the layout of `given`: its strides, offset and alignment. The tensor keeps its name,
// by which errors and metadata speak of it. The memory is new, so that programs may share `given`.
Buffer BoundBuffer(const Tensor& tensor, const Buffer& plain, const BufferNode& given,
                   bool is_output) {
  if (const std::string problem = ir::CheckNode(given); !problem.empty())
    BadBuffer(tensor, "is malformed", "parts that fit together", problem, "declare it anew");
  arith::Analyzer analyzer;
  bool same = given.shape.size() == plain->shape.size();
  const DataType wide = DataType::Int(64);
  for (size_t d = 0; same && d < given.shape.size(); ++d)
    same = analyzer.CanProve(
        Equal(ir::MakeCast(wide, given.shape[d]), ir::MakeCast(wide, plain->shape[d])));
  if (!same) {
    BadBuffer(tensor, "has another shape", ShapeText(plain->shape), ShapeText(given.shape),
              "declare it with the tensor's shape");
  }
  if (given.dtype != plain->dtype) {
    BadBuffer(tensor, "has another element type", plain->dtype.ToString(), given.dtype.ToString(),
              "declare it with the tensor's type");
  }
  if (ir::ScopeOf(given) != ir::memory_scope::kGlobal) {
    BadBuffer(tensor, "has a memory scope of its own", "`global`, in which arguments are",
              "`" + given.scope + "`", "copy the argument to that scope with cache_read");
  }
  if (!plain->axis_separators.empty() || !given.axis_separators.empty()) {
    BadBuffer(tensor, "is in memory of several dimensions", "no axis separators", "axis separators",
              "leave the buffer out: such memory has no strides");
  }
  for (const Expr& stride : given.strides) {
    const int64_t* constant = ir::AsConstInt(stride);
    if (constant == nullptr || *constant >= 0) continue;
    BadBuffer(tensor, "has a negative stride", "strides of 0 or more", std::to_string(*constant),
              "make a compact copy of the argument");
  }
  for (size_t d = 0; is_output && d < given.strides.size(); ++d) {
    const int64_t* extent = ir::AsConstInt(given.shape[d]);
    if (!ir::IsZero(given.strides[d]) || (extent != nullptr && *extent <= 1)) continue;
    BadBuffer(tensor, "has all elements of dimension " + std::to_string(d) + " in one place",
              "an output whose elements do not share memory", "stride 0",
              "only inputs can be broadcast");
  }
  return ir::CopyBuffer(plain, [&](BufferNode& copy) {
    copy.strides = given.strides;
    copy.elem_offset = given.elem_offset;
    copy.alignment = given.alignment;
    copy.offset_factor = given.offset_factor;
    // A factor says something about an offset that the caller chooses.
    if (given.offset_factor > 0 && !given.elem_offset)
      copy.elem_offset = ir::MakeVar(copy.name + ".offset", DataType::Int(64));
  });
}

bool IsPlaceholder(const Tensor& tensor) {
  return ir::As<ir::PlaceholderOp>(tensor->op) != nullptr;
}

// Throws if two tensors cannot share a buffer: one is an input, and the other a result that takes
// over its memory.
void CheckSharing(const Schedule& normal, const Tensor& a, const Tensor& b) {
  const bool a_is_input = IsPlaceholder(a);
  const Tensor &from = a_is_input ? a : b, &to = a_is_input ? b : a;
  const char* const help = "declare a buffer for each";
  if (a_is_input == IsPlaceholder(b)) {
    BadBuffer(to, "is the one of `" + from->name() + "`, too", "an input and a result",
              a_is_input ? "two inputs" : "two results", help);
  }
  if (const std::string problem = WhyNotInPlace(normal, from, to); !problem.empty()) {
    BadBuffer(to,
              "is the one of `" + from->name() + "`, whose memory it cannot take over: " + problem,
              "a map that reads each element of `" + from->name() + "` only for its own",
              "`" + to->name() + "`", help);
  }
}

// The tensor that an argument is in the normalized schedule.
Tensor NormalOf(const Stage* stage, const Tensor& given) {
  return stage == nullptr ? given : ir::OutputOf(stage->op, given->value_index);
}

}  // namespace

Arguments MakeArguments(const Schedule& normal, const std::vector<NodeRef>& args,
                        const TensorBuffers& binds) {
  std::unordered_map<Tensor, const BufferNode*, ir::TensorHash, ir::TensorEqual> bound;
  for (const auto& [given, buffer] : binds) {
    const bool is_argument = std::ranges::any_of(args, [op = given->op](const NodeRef& arg) {
      const auto* tensor = ir::As<ir::TensorNode>(arg);
      return tensor != nullptr && tensor->op.same_as(op);
    });
    const Tensor tensor = NormalOf(
        is_argument ? normal->FindArgument(given->op) : &normal->Require(given->op), given);
    if (!bound.emplace(tensor, buffer.get()).second)
      BadBuffer(tensor, "is not the only one", "one buffer per tensor", "two", "leave one out");
  }
  Arguments out;
  std::unordered_map<const BufferNode*, std::pair<Tensor, Buffer>> made;  // for those in `bound`
  std::unordered_set<Tensor, ir::TensorHash, ir::TensorEqual> seen;
  for (const NodeRef& arg : args) {
    if (ir::As<ir::VarNode>(arg) != nullptr) {
      out.params.push_back(arg);
      continue;
    }
    const Tensor given = ir::RefAs<ir::TensorNode>(arg);
    if (!given)
      BadArguments("an argument is neither a tensor nor a variable", "tensors and variables",
                   arg ? ir::NodeKindName(arg->node_kind()) : "nothing");
    const Stage* stage = normal->FindArgument(given->op);
    const Tensor tensor = NormalOf(stage, given);
    if (!seen.insert(tensor).second)
      BadArguments("tensor `" + tensor->name() + "` is an argument twice", "each tensor once",
                   "`" + tensor->name() + "` again");
    Buffer buffer =
        stage == nullptr ? UnreadBuffer(*normal, out, tensor) : CompactBuffer(tensor, *stage);
    bool is_shared = false;
    if (const auto it = bound.find(tensor); it != bound.end()) {
      buffer = BoundBuffer(tensor, buffer, *it->second, !IsPlaceholder(tensor));
      const auto [other, is_new] = made.try_emplace(it->second, tensor, buffer);
      is_shared = !is_new;
      if (is_shared) CheckSharing(normal, other->second.first, tensor);
      buffer = other->second.second;
    }
    out.buffers.emplace_back(tensor, buffer);
    if (!is_shared) out.params.push_back(buffer);
  }
  for (const auto& [tensor, buffer] : bound) {
    if (seen.count(tensor) == 0)
      BadBuffer(tensor, "has no argument", "a tensor among the arguments",
                "`" + tensor->name() + "`, which is not", "add the tensor to the arguments");
  }
  for (const Ref<Stage>& stage : normal->stages) {
    if (!stage->is_output) continue;
    for (int64_t k = 0; k < ir::NumOutputs(*stage->op); ++k) {
      const Tensor tensor = ir::OutputOf(stage->op, k);
      if (seen.count(tensor) == 0)
        BadArguments("output `" + tensor->name() + "` is not among the arguments",
                     "every output of the schedule", "no argument for it");
    }
  }
  return out;
}

}  // namespace lathe::schedule

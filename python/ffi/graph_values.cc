// Values of graphs and patterns, to and from tagged values.
#include "python/ffi/graph_values.h"

#include <memory>
#include <unordered_map>

#include "base/error.h"
#include "python/ffi/ffi.h"
#include "runtime/tensor.h"

namespace lathe::python {

using graph::GraphValue;
using runtime::Tensor;
using runtime::Value;

// -- Matches.

graph::Pattern PatternOf(const Value& value) {
  const auto parts = value.As<Values>();
  const auto fields = [&](size_t at) {
    std::vector<graph::Pattern> patterns;
    for (const Value& field : parts.at(at).As<Values>()) patterns.push_back(PatternOf(field));
    return patterns;
  };
  switch (parts.at(0).As<int>()) {
    case 1:
      return graph::Pattern::Var();
    case 2:
      return graph::Pattern::Of(parts.at(1).As<std::string>(), fields(2));
    case 3:
      return graph::Pattern::Tuple(fields(1));
    default:
      return graph::Pattern::Any();
  }
}

Value ValueOf(const graph::Decision& decision) {
  using Kind = graph::Decision::Kind;
  const auto places = [](const std::vector<int>& numbers) {
    return Values(numbers.begin(), numbers.end());
  };
  if (decision.kind == Kind::kClause) {
    return Value(
        Row(std::string("clause"), static_cast<int64_t>(decision.clause), places(decision.places)));
  }
  if (decision.kind == Kind::kTuple) {
    const graph::Decision::Case& inner = decision.cases[0];
    return Value(
        Row(std::string("tuple"), decision.place, places(inner.fields), ValueOf(*inner.next)));
  }
  Values cases;
  for (const graph::Decision::Case& one : decision.cases)
    cases.emplace_back(Row(one.constructor, places(one.fields), ValueOf(*one.next)));
  return Value(Row(std::string("switch"), decision.place, std::move(cases)));
}

// -- Values of data types.

namespace {

// Values of data types may be deep (a list of 10,000 elements), so both ways keep a list of what is
// open instead of calling themselves. Tensors of the interpreter are shared.
GraphValue FromData(const runtime::vm::DataValue& root) {
  struct Open {
    const runtime::vm::DataValue* from;
    std::vector<GraphValue> fields;
  };
  std::vector<Open> open{{&root, {}}};
  while (true) {
    Open& last = open.back();
    if (last.fields.size() < last.from->fields.size()) {
      const Value& next = last.from->fields[last.fields.size()];
      if (const runtime::vm::DataValue* inner = runtime::vm::DataIn(next)) {
        open.push_back({inner, {}});
      } else {
        last.fields.push_back(GraphValueOf(next));
      }
      continue;
    }
    GraphValue made;
    if (last.from->is_tuple()) {
      made.kind = GraphValue::Kind::kTuple;
      made.fields = std::move(last.fields);
    } else {
      made = graph::MakeGraphData(last.from->constructor->name, std::move(last.fields));
    }
    open.pop_back();
    if (open.empty()) return made;
    open.back().fields.push_back(std::move(made));
  }
}

using Constructors =
    std::unordered_map<std::string, std::shared_ptr<const runtime::vm::Constructor>>;

Constructors ConstructorsOf(const ir::GraphModule& module) {
  Constructors out;
  out[""] = std::make_shared<const runtime::vm::Constructor>();  // of tuples
  for (const auto& type : module->datatypes) {
    int32_t tag = 0;
    for (const auto& constructor : type->constructors) {
      const std::string name = type->name + "." + constructor->name;
      out[name] = std::make_shared<const runtime::vm::Constructor>(
          runtime::vm::Constructor{name, tag++, constructor->fields.size()});
    }
  }
  return out;
}

Value ToData(const GraphValue& root, const ir::GraphModule& module) {
  const Constructors constructors = ConstructorsOf(module);
  struct Open {
    GraphValue from;
    Values fields;
  };
  std::vector<Open> open{{root, {}}};
  while (true) {
    Open& last = open.back();
    const bool is_data = last.from.kind == GraphValue::Kind::kData;
    const std::vector<GraphValue>& fields = is_data ? last.from.data().fields : last.from.fields;
    if (last.fields.size() < fields.size()) {
      const GraphValue& next = fields[last.fields.size()];
      if (next.kind == GraphValue::Kind::kData || next.kind == GraphValue::Kind::kTuple) {
        open.push_back({next, {}});
      } else {
        last.fields.push_back(ResultOf(next, module));
      }
      continue;
    }
    Ref<runtime::vm::DataValue> made = Make<runtime::vm::DataValue>();
    made->constructor = constructors.at(is_data ? last.from.data().constructor : "");
    made->fields = std::move(last.fields);
    open.pop_back();
    if (open.empty()) return runtime::vm::ValueOf(std::move(made));
    open.back().fields.push_back(runtime::vm::ValueOf(std::move(made)));
  }
}

}  // namespace

GraphValue GraphValueOf(const Value& value) {
  if (const runtime::vm::DataValue* data = runtime::vm::DataIn(value)) return FromData(*data);
  if (value.Is<Values>()) {
    GraphValue tuple;
    tuple.kind = GraphValue::Kind::kTuple;
    for (const Value& item : value.As<Values>()) tuple.fields.push_back(GraphValueOf(item));
    return tuple;
  }
  const auto tensor = value.As<Tensor>();
  // The result may be a part of an argument, and must not change with the caller's memory.
  return OrThrow(tensor.Clone());
}

Value ResultOf(const GraphValue& value, const ir::GraphModule& module) {
  if (value.kind == GraphValue::Kind::kTensor) return Value(value.tensor);
  if (value.kind == GraphValue::Kind::kFunction)
    throw Error(Diagnostic{.name = "graph-result-function",
                           .message = "the result of the graph is a function",
                           .expected = "a tensor, or a tuple of results",
                           .help = "call the function within the graph"});
  if (value.kind == GraphValue::Kind::kData) return ToData(value, module);
  Values fields;
  for (const GraphValue& field : value.fields) fields.push_back(ResultOf(field, module));
  return Value(std::move(fields));
}

}  // namespace lathe::python

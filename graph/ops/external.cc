// What others compute: functions that are called by name, and the marks around the parts of a graph
// that another code generator takes (Relay's annotations).
#include <numeric>

#include "absl/strings/str_split.h"
#include "graph/ops/define.h"
#include "graph/ops/families.h"

namespace lathe::graph::ops {
namespace {

// What the attributes of call_packed say of its results.
struct ResultTypes {
  std::vector<DataType> dtypes;
  std::vector<Shape> shapes;
};

ResultTypes ResultsOf(const TypeContext& c) {
  ResultTypes out;
  const std::string dtypes = c.attrs.String("dtypes");
  for (const std::string_view text : absl::StrSplit(dtypes, ',')) {
    DataType dtype = DataType::Void();
    if (!DataType::Parse(text, &dtype) || dtype.lanes() != 1 || dtype.is_handle()) {
      c.FailAttr("dtypes", "names no element type", "element types with commas between them",
                 "`" + dtypes + "`");
    }
    out.dtypes.push_back(dtype);
  }
  const std::vector<int64_t> ranks = c.attrs.Ints("ranks");
  const Shape extents = c.attrs.Shape("extents");
  if (ranks.size() != out.dtypes.size()) {
    c.FailAttr("ranks", "has another number of results",
               std::to_string(out.dtypes.size()) + ", as `dtypes` has",
               std::to_string(ranks.size()));
  }
  const int64_t sum = std::accumulate(ranks.begin(), ranks.end(), int64_t{0});
  if (sum != static_cast<int64_t>(extents.size())) {
    c.FailAttr("extents", "has another number of dimensions",
               std::to_string(sum) + ", as `ranks` says", std::to_string(extents.size()));
  }
  auto next = extents.begin();
  for (const int64_t rank : ranks) {
    out.shapes.emplace_back(next, next + rank);
    next += rank;
  }
  return out;
}

OpDef CallPacked() {
  return {
      .name = "call_packed",
      .doc =
          "The results of a packed function: it gets the inputs, then memory for its results, "
          "all as tensors on the host. It is searched in the modules that the compiled graph "
          "imports, then in the registry, and must depend on its inputs only.",
      .inputs = {{"data", "the inputs"}},
      .attrs = {Required(
                    {.name = "function", .type = AttrType::kString, .doc = "the function's name"}),
                Required({.name = "dtypes",
                          .type = AttrType::kString,
                          .doc = "the element type of each result: `float32,int8`"}),
                Required({.name = "ranks",
                          .type = AttrType::kInts,
                          .doc = "the number of dimensions of each result",
                          .least = 0,
                          .greatest = 32}),
                Required(Extents("extents", "the shapes of all results, one after the other"))},
      .kind = OpKind::kOpaque,
      .is_external = true,
      .optional_inputs = 1,
      .variadic = true,
      .type = [](const TypeContext& c) -> TypeResult {
        const ResultTypes results = ResultsOf(c);
        std::vector<ir::NodeRef> types;
        for (size_t i = 0; i < results.dtypes.size(); ++i) {
          types.push_back(TensorOf(results.dtypes[i], results.shapes[i]));
        }
        return types.size() == 1 ? types[0] : TupleOf(std::move(types));
      },
      .compute = [](const ComputeContext& c) -> Results {
        return te::Extern(
            c.output_shapes, c.output_dtypes, c.inputs,
            [&](const std::vector<ir::Buffer>& in, const std::vector<ir::Buffer>& out) {
              std::vector<ir::NodeRef> args{ir::String(c.attrs.String("function"))};
              args.insert(args.end(), in.begin(), in.end());
              args.insert(args.end(), out.begin(), out.end());
              return ir::MakeEvaluate(
                  ir::MakeCall(DataType::Void(), ir::intrinsic::kCallPacked, std::move(args)));
            },
            "packed");
      },
      .examples = {{{"float32[5, 3]"},
                    {{"function", StringAttr("example.copy")},
                     {"dtypes", StringAttr("float32")},
                     {"ranks", IntsAttr({2})},
                     {"extents", IntsAttr({5, 3})}}}}};
}

// A mark that cuts a graph for another code generator; without one, its input.
OpDef Mark(std::string name, std::string doc) {
  return {
      .name = std::move(name),
      .doc = std::move(doc),
      .inputs = {{"data", "the input"}},
      .attrs = {Required(
          {.name = "compiler", .type = AttrType::kString, .doc = "the code generator's name"})},
      .kind = OpKind::kElementwise,
      .type = SameType,
      .expand = [](Builder&, const std::vector<GraphVar>& args, const Attrs&) { return args[0]; },
      .examples = {{{"T[n, 3]"}, {{"compiler", StringAttr("example")}}}}};
}

}  // namespace

std::vector<OpDef> External() {
  return {CallPacked(),
          Mark("annotation.compiler_begin",
               "The input, which another code generator's part of the graph reads from here on."),
          Mark("annotation.compiler_end",
               "The input, as a result of another code generator's part of the graph.")};
}

}  // namespace lathe::graph::ops

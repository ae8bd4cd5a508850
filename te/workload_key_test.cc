#include "te/workload_key.h"

#include <chrono>
#include <cstdio>
#include <string>

#include "base/error.h"
#include "gtest/gtest.h"
#include "ir/constants.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "te/canonical.h"
#include "te/tags.h"

namespace lathe::te {
namespace {

std::string Key(const std::vector<ir::NodeRef>& args, const char* target = "") {
  return WorkloadKey(args, target).ToString();
}
std::string KeyOfText(const std::string& text) { return Key(ir::ParseProgram(text)->args); }

struct Layer {
  explicit Layer(const std::string& prefix, ComputeOptions options = {}) {
    x = Placeholder({ir::Int(8)}, DataType::Float(32), prefix + ".x");
    y = Compute(
        {ir::Int(8)}, [&](const Indices& i) { return At(x, {i[0]}) + ir::Float(1); }, prefix + ".y",
        options);
  }
  Tensor x, y;
  std::vector<ir::NodeRef> args() const { return {x, y}; }
};

// If this key changes, all records stored under earlier keys are useless.
TEST(WorkloadKey, IsTheSameOnEveryMachine) {
  EXPECT_EQ(Key(Layer("conv1").args(), "llvm -mcpu=znver4"), "213b7c3ddefaa0cac2dcd62b1f087179");
}

TEST(WorkloadKey, LayersBuiltTwiceHaveOne) {
  EXPECT_EQ(Key(Layer("conv1").args()), Key(Layer("conv2").args()));
  EXPECT_NE(Key(Layer("conv1").args(), "llvm"), Key(Layer("conv1").args(), "c"));
}

TEST(WorkloadKey, OrderOfMentionDoesNotCount) {
  const char* vars[] = {"var n: size var m: size", "var m: size var n: size"};
  const char* ops[] = {
      "compute C[i in range(n)] = A[i] * 2.0 compute D[i in range(m)] = B[i] + 1.0 ",
      "compute D[i in range(m)] = B[i] + 1.0 compute C[i in range(n)] = A[i] * 2.0 "};
  std::string first;
  for (const char* sizes : vars) {
    for (const char* order : ops) {
      const std::string key = KeyOfText(std::string("program p { ") + sizes +
                                        " placeholder B: float32[m] placeholder A: float32[n] " +
                                        order + "args [A, B, C, D] }");
      if (first.empty()) first = key;
      EXPECT_EQ(key, first);
    }
  }
  // Operations that no argument needs are not part of the key.
  EXPECT_EQ(first, KeyOfText("program p { var n: size var m: size placeholder A: float32[n] "
                             "placeholder B: float32[m] compute C[i in range(n)] = A[i] * 2.0 "
                             "compute D[i in range(m)] = B[i] + 1.0 "
                             "compute E[i in range(m)] = B[i] args [A, B, C, D] }"));
}

TEST(WorkloadKey, SizesThatAreEqualAreOne) {
  const std::string text =
      "program p { var n: size var m: size placeholder A: float32[n, m] "
      "compute C[i in range(n), j in range(m)] = A[i, j] args [A, C] }";
  const std::string square =
      "program p { var n: size placeholder A: float32[n, n] "
      "compute C[i in range(n), j in range(n)] = A[i, j] args [A, C] }";
  EXPECT_NE(KeyOfText(text), KeyOfText(square));
  // A size as an argument.
  const std::string given =
      "program p { var n: size placeholder A: float32[n, n] "
      "compute C[i in range(n), j in range(n)] = A[i, j] args [n, A, C] }";
  EXPECT_NE(KeyOfText(given), KeyOfText(square));
}

TEST(WorkloadKey, TagsAndAttributes) {
  const std::string plain = Key(Layer("l").args());
  EXPECT_EQ(Key(Layer("l", {.tag = "third layer"}).args()), plain);
  // Automatic inlining uses the tag.
  EXPECT_NE(Key(Layer("l", {.tag = std::string(kElementwise)}).args()), plain);
  EXPECT_NE(Key(Layer("l", {.attrs = {{"layout", ir::String("NCHW")}}}).args()), plain);
  EXPECT_NE(Key(Layer("l", {.attrs = {{"_private", ir::Int(1)}}}).args()), plain);
}

TEST(WorkloadKey, ConstantsCountByTheirData) {
  const auto key = [](const std::string& name, char first) {
    std::string data(32, '\0');
    data[0] = first;
    const Tensor c = Constant(Blob::Copy(data), {8}, DataType::Float(32), name);
    const Tensor y =
        Compute({ir::Int(8)}, [&](const Indices& i) { return At(c, {i[0]}) + ir::Float(1); }, "y");
    const CanonicalProgram canonical = Canonicalize({y});
    EXPECT_TRUE(IsConstant(*canonical.program->ops[0]));
    // The data is there.
    EXPECT_TRUE(canonical.program->ops[0]
                    ->attrs.at(ir::ConstantKey(0))
                    .same_as(c->op->attrs.at(ir::ConstantKey(0))));
    return Key({y});
  };
  EXPECT_EQ(key("weight", 1), key("w2", 1));
  EXPECT_NE(key("weight", 1), key("weight", 2));
}

// dst = 2 * src, on two elements.
TensorIntrin Double(const std::string& prefix) {
  const Tensor a = Placeholder({ir::Int(2)}, DataType::Float(32), prefix + "src");
  const Tensor b = Compute(
      {ir::Int(2)}, [&](const Indices& i) { return At(a, {i[0]}) * ir::Float(2); }, prefix + "dst");
  const Var stride = ir::MakeVar(prefix + "stride");
  return DeclTensorIntrin(
      "double2", b->op,
      [&](const std::vector<Buffer>& in, const std::vector<Buffer>& out) {
        const Var i = ir::MakeVar(prefix + "lane");
        return IntrinStmts{
            .body =
                ir::MakeFor(i, ir::Int(0), ir::Int(2), ir::ForKind::kSerial,
                            ir::MakeStore(out[0], ir::MakeLoad(in[0], {i}) * ir::Float(2), {i}))};
      },
      {.buffers = {IntrinBuffer(a, {.strides = {stride}}), {}}});
}

TEST(WorkloadKey, IntrinsicsCountByWhatTheyDoAndTheirName) {
  const auto key = [](const TensorIntrin& first, const TensorIntrin& second) {
    const Tensor x = Placeholder({ir::Int(8)}, DataType::Float(32), "x");
    const auto call = [](const Tensor& from, const TensorIntrin& intrin, const char* name) {
      return TensorCompute(
          {ir::Int(4)},
          [&](const Indices& i) {
            const ir::Range one = ir::MakeRange(i[0], ir::Int(1));
            const ir::Range all = ir::MakeRange(ir::Int(0), ir::Int(2));
            const bool flat = from->ndim() == 1;
            return IntrinCall{intrin,
                              {flat ? TensorRegion{from, {ir::MakeRange(i[0] * 2, ir::Int(2))}}
                                    : TensorRegion{from, {one, all}}},
                              {},
                              {}};
          },
          name)[0];
    };
    const Tensor y = call(x, first, "y");
    const Tensor z = call(y, second, "z");
    return Key({x, z});
  };
  const TensorIntrin one = Double("a.");
  // It does not matter whether an intrinsic was declared once or for each use.
  EXPECT_EQ(key(one, one), key(Double("b."), Double("c.")));
  Ref<ir::Node> other = ir::CloneNode(*one);
  static_cast<ir::TensorIntrinNode&>(*other).name = "twice2";
  EXPECT_NE(key(one, one), key(one, TensorIntrin(static_cast<ir::TensorIntrinNode*>(other.get()))));
}

// One reducer for two sums, compared with one reducer for each.
TEST(WorkloadKey, ReducersCountByWhatTheyDo) {
  const auto key = [](bool shared) {
    const Tensor x = Placeholder({ir::Int(8), ir::Int(8)}, DataType::Float(32), "x");
    const Reducer sum = SumReducer(DataType::Float(32));
    Tensor last = x;
    std::vector<ir::NodeRef> args = {x};
    for (int i = 0; i < 2; ++i) {
      const IterVar k = ReduceAxis(ir::Int(0), ir::Int(8), "k");
      args.emplace_back(Compute({ir::Int(8)}, [&](const Indices& at) {
        return ReduceWith(shared ? sum : SumReducer(DataType::Float(32)),
                          {At(x, {at[0], k->var}) + ir::Float(i)}, {k})[0];
      }));
    }
    return Key(args);
  };
  EXPECT_EQ(key(true), key(false));
}

TEST(WorkloadKey, ArgumentsAreTensorsAndSizes) {
  const Layer layer("l");
  for (const ir::NodeRef& wrong :
       {ir::NodeRef(ir::Int(3)), ir::NodeRef(layer.y->op), ir::NodeRef()}) {
    try {
      Key({layer.x, wrong});
      ADD_FAILURE();
    } catch (const Error& e) {
      EXPECT_EQ(e.name(), "workload-argument");
    }
  }
}

TEST(Canonicalize, NamesFollowFromStructure) {
  const ir::Program program = ir::ParseProgram(R"(program p {
  var len: size
  placeholder weight: float32[len]
  placeholder data: float32[4, len]
  compute dense[row in range(4)] over [c in range(len)] = sum(data[row, c] * weight[c], axis=[c])
  compute relu[row in range(4)] tag "elemwise" = max(dense[row], 0.0)
  args [weight, data, relu]
})");
  const CanonicalProgram canonical = Canonicalize(program->args);
  EXPECT_EQ(ir::ToText(canonical.program), R"(program workload {
  var n0: size
  placeholder t0: float32[n0]
  placeholder t1: float32[4, n0]
  compute t2[i0 in range(4)] over [k0 in range(n0)] = sum(t1[i0, k0] * t0[k0], axis=[k0])
  compute t3[i0 in range(4)] tag "elemwise" = max(t2[i0], 0.0)
  args [t0, t1, t3]
}
)");
  ASSERT_EQ(canonical.ops.size(), 4u);
  EXPECT_EQ(canonical.ops[1]->name, "data");
  ASSERT_EQ(canonical.vars.size(), 1u);
  EXPECT_EQ(canonical.vars[0]->name, "len");
}

// This tests growth, not speed, because machines are noisy: thirty stages take far less than a
// second.
TEST(WorkloadKey, ThirtyStages) {
  const Tensor x = Placeholder({ir::Int(64), ir::Int(64)}, DataType::Float(32), "x");
  Tensor last = x;
  for (int stage = 0; stage < 30; ++stage) {
    const IterVar k = ReduceAxis(ir::Int(0), ir::Int(64), "k");
    const Tensor from = last;
    last = stage % 3 == 0
               ? Compute({ir::Int(64), ir::Int(64)},
                         [&](const Indices& i) {
                           return Sum(At(from, {i[0], k->var}) * At(x, {k->var, i[1]}), {k});
                         })
               : Compute({ir::Int(64), ir::Int(64)}, [&](const Indices& i) {
                   return ir::MakeMax(At(from, {i[0], i[1]}) * ir::Float(2) + At(x, {i[0], i[1]}),
                                      ir::Float(0));
                 });
  }
  Key({x, last});
  double best = 1e9;
  for (int run = 0; run < 20; ++run) {
    const auto start = std::chrono::steady_clock::now();
    Key({x, last});
    best = std::min(
        best, std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
                  .count());
  }
  std::printf("key of 30 stages: %.0f us\n", best);
  RecordProperty("microseconds", std::to_string(best));
  EXPECT_LT(best, 100000);
}

}  // namespace
}  // namespace lathe::te

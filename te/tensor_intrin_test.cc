#include "te/tensor_intrin.h"

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/error.h"
#include "gtest/gtest.h"
#include "ir/interpreter/interpreter.h"
#include "ir/structural.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "te/evaluator.h"

namespace lathe::te {
namespace {

using namespace ir;  // NOLINT: tests read better

const DataType kI32 = DataType::Int(32);

InterpValue Of(std::vector<int32_t>& data, std::vector<int64_t> shape) {
  return InterpTensor::Of(data.data(), kI32, std::move(shape));
}

std::string NameOf(const std::function<void()>& action, std::string* message = nullptr) {
  try {
    action();
  } catch (const Error& error) {
    if (message != nullptr) *message = error.what();
    return error.name();
  }
  return "";
}

// c[i] = sum_k a[i, k] * b[k] * s on a block of 2 x 4.
struct MatVec {
  MatVec() {
    k = ReduceAxis(Int(0), Int(4), "k");
    a = Placeholder({Int(2), Int(4)}, kI32, "a");
    b = Placeholder({Int(4)}, kI32, "b");
    c = Compute(
        {Int(2)},
        [&](const Indices& i) {
          return Sum(At(a, {i[0], k->var}) * At(b, {k->var}) * Expr(s), {k});
        },
        "c");
  }
  TensorIntrin Declare(std::string name, IntrinBody body, std::vector<Buffer> buffers = {}) const {
    return DeclTensorIntrin(std::move(name), c->op, body,
                            {.buffers = std::move(buffers), .scalar_params = {s}});
  }
  TensorIntrin Declare(std::string name = "matvec") const {
    return Declare(std::move(name), [](const std::vector<Buffer>&, const std::vector<Buffer>& out) {
      return IntrinStmts{.body = MakeStore(out[0], Int(0), {Int(0)}), .reset = {}, .update = {}};
    });
  }
  Var s = MakeVar("s");
  IterVar k;
  Tensor a, b, c;
};

// C[i, :] = sum over blocks of 4 of A[2*i + (0, 1), :] * B * 3
struct Called {
  Called() {
    ko = ReduceAxis(Int(0), Int(3), "ko");
    c = TensorCompute(
        {Int(5)},
        [&](const Indices& i) {
          const Expr at = ko->var * 4;
          return IntrinCall{m.Declare(),
                            {{a, {MakeRange(i[0] * 2, Int(2)), MakeRange(at, Int(4))}},
                             {b, {MakeRange(at, Int(4))}}},
                            {Int(3)},
                            {ko}};
        },
        "C")[0];
  }
  MatVec m;
  Tensor a = Placeholder({Int(10), Int(12)}, kI32, "A"), b = Placeholder({Int(12)}, kI32, "B");
  IterVar ko;
  Tensor c;
};

TEST(TensorCompute, IsItsReference) {
  const Called f;
  EXPECT_EQ(f.c->ndim(), 2);
  std::vector<int32_t> a(120), b(12), c(10), expected(10);
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<int32_t>(i * 7 % 11) - 5;
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<int32_t>(i * 5 % 7) - 3;
  for (size_t i = 0; i < 10; ++i) {
    for (size_t k = 0; k < 12; ++k) expected[i] += a[i * 12 + k] * b[k] * 3;
  }
  const std::vector<InterpValue> values = {Of(a, {10, 12}), Of(b, {12}), Of(c, {5, 2})};
  Evaluate({f.a, f.b, f.c}, values);
  EXPECT_EQ(c, expected);
}

TEST(TensorCompute, TextRoundTrip) {
  const Called f;
  Ref<ProgramNode> program = Make<ProgramNode>();
  program->name = "p";
  program->ops = {f.a->op, f.b->op, f.c->op};
  program->args = {f.a, f.b, f.c};
  const std::string text = ToText(Program(program));
  const Program again = ParseProgram(text);
  EXPECT_EQ(StructuralDifference(Program(program), again, /*map_free=*/true), "") << text;
  EXPECT_EQ(ToText(again), text);
  std::vector<int32_t> a(120, 1), b(12, 2), c(10);
  const std::vector<InterpValue> values = {Of(a, {10, 12}), Of(b, {12}), Of(c, {5, 2})};
  Evaluate(again->args, values);
  EXPECT_EQ(c, std::vector<int32_t>(10, 72));
}

TEST(TensorCompute, MismatchedCalls) {
  const MatVec m;
  const TensorIntrin intrin = m.Declare();
  const Tensor a = Placeholder({Int(8), Int(8)}, kI32, "A");
  const Tensor f = Placeholder({Int(8), Int(8)}, DataType::Float(32), "F");
  const Range all = MakeRange(Int(0), Int(4)), two = MakeRange(Int(0), Int(2)),
              one = MakeRange(Int(0), Int(1));
  auto name = [&](std::vector<TensorRegion> inputs, std::vector<Expr> scalars,
                  const TensorIntrin& called) {
    return NameOf([&] {
      TensorCompute({Int(2)},
                    [&](const Indices&) { return IntrinCall{called, inputs, scalars, {}}; });
    });
  };
  const TensorRegion good = {a, {two, all}}, row = {a, {one, all}};
  EXPECT_EQ(name({good, row}, {Int(1)}, intrin), "");
  EXPECT_EQ(name({good, row}, {Int(1)}, nullptr), "tensor-call-mismatch");
  EXPECT_EQ(name({good}, {Int(1)}, intrin), "tensor-call-mismatch");
  EXPECT_EQ(name({good, {f, {one, all}}}, {Int(1)}, intrin), "tensor-call-mismatch");
  EXPECT_EQ(name({good, {a, {all}}}, {Int(1)}, intrin), "tensor-call-mismatch");
  EXPECT_EQ(name({good, {a, {all, one}}}, {Int(1)}, intrin), "");
  EXPECT_EQ(name({good, {a, {two, one}}}, {Int(1)}, intrin), "tensor-call-mismatch");
  EXPECT_EQ(name({{a, {all, two}}, row}, {Int(1)}, intrin), "tensor-call-mismatch");
  EXPECT_EQ(name({good, row}, {}, intrin), "tensor-call-mismatch");
  EXPECT_EQ(name({good, row}, {Float(1.0)}, intrin), "tensor-call-mismatch");
  EXPECT_EQ(name({good, row}, {At(a, {Int(0), Int(0)})}, intrin), "tensor-call-mismatch");
}

TEST(DeclTensorIntrin, WhatDoesNotFit) {
  const MatVec m;
  const Stmt nop = Nop();
  auto name = [&](IntrinStmts stmts, std::vector<Buffer> buffers = {}) {
    return NameOf([&] {
      m.Declare(
          "bad", [&](const std::vector<Buffer>&, const std::vector<Buffer>&) { return stmts; },
          std::move(buffers));
    });
  };
  EXPECT_EQ(name({nop, {}, {}}), "");
  EXPECT_EQ(name({{}, nop, nop}), "");
  EXPECT_EQ(name({nop, {}, nop}), "");
  const char* invalid = "tensor-intrin-invalid";
  EXPECT_EQ(name({}), invalid);
  EXPECT_EQ(name({{}, nop, {}}), invalid);
  EXPECT_EQ(name({{}, {}, nop}), invalid);
  EXPECT_EQ(name({nop, nop, {}}), invalid);
  EXPECT_EQ(name({nop, {}, {}}, {nullptr}), invalid);
  EXPECT_EQ(name({nop, {}, {}}, {nullptr, nullptr, MakeBuffer("c", kI32, {Int(3)})}), invalid);
  EXPECT_EQ(name({nop, {}, {}}, {nullptr, nullptr, MakeBuffer("c", DataType::Int(8), {Int(2)})}),
            invalid);
  EXPECT_EQ(
      name({nop, {}, {}}, {nullptr, nullptr, IntrinBuffer(m.c, {.strides = {Int(1), Int(1)}})}),
      invalid);
  EXPECT_EQ(name({nop, {}, {}}, {nullptr, nullptr, IntrinBuffer(m.c, {.strides = {m.s + 1}})}),
            invalid);
  const Buffer other = MakeBuffer("other", kI32, {Int(1)});
  EXPECT_EQ(name({MakeStore(other, Int(1), {Int(0)}), {}, {}}), invalid);
  EXPECT_EQ(name({MakeEvaluate(MakeVar("free")), {}, {}}), invalid);
  EXPECT_EQ(name({MakeEvaluate(At(m.a, {Int(0), Int(0)})), {}, {}}), invalid);

  // A reference that is invalid.
  auto body = [&](const std::vector<Buffer>&, const std::vector<Buffer>&) {
    return IntrinStmts{nop, {}, {}};
  };
  EXPECT_EQ(NameOf([&] { DeclTensorIntrin("bad", m.c->op, body); }),
            invalid);  // `s` is no parameter
  EXPECT_EQ(NameOf([&] { DeclTensorIntrin("bad", m.a->op, body); }), invalid);
  const Tensor chain = Compute({Int(2)}, [&](const Indices& i) { return At(m.c, {i[0]}); });
  EXPECT_EQ(NameOf([&] {
              DeclTensorIntrin("bad", chain->op, body, {.buffers = {}, .scalar_params = {m.s}});
            }),
            invalid);
  const Var n = MakeSizeVar("n");
  const Tensor open = Compute({n}, [&](const Indices&) { return Int(1); });
  EXPECT_EQ(NameOf([&] { DeclTensorIntrin("bad", open->op, body); }), invalid);
  const Tensor plain = Compute({Int(2)}, [&](const Indices&) { return Int(1); });
  auto parts = [&](const std::vector<Buffer>&, const std::vector<Buffer>&) {
    return IntrinStmts{nop, nop, nop};
  };
  EXPECT_EQ(NameOf([&] { DeclTensorIntrin("bad", plain->op, parts); }), invalid);
}

TEST(TensorIntrinRegistry, ByNameAndTarget) {
  const MatVec m;
  const TensorIntrin all = m.Declare("registry.mv"), vnni = m.Declare("registry.mv");
  RegisterTensorIntrin(all);
  RegisterTensorIntrin(all);
  RegisterTensorIntrin(vnni, "acme");
  EXPECT_EQ(NameOf([&] { RegisterTensorIntrin(vnni); }), "tensor-intrin-exists");
  const auto never = []() -> TensorIntrin { throw std::logic_error("it is there"); };
  EXPECT_TRUE(FindOrRegisterTensorIntrin(all->name, "", never).same_as(all));
  EXPECT_TRUE(FindOrRegisterTensorIntrin(vnni->name, "acme", never).same_as(vnni));
  EXPECT_TRUE(GetTensorIntrin("registry.mv").same_as(all));
  EXPECT_TRUE(GetTensorIntrin("registry.mv", "llvm").same_as(all));
  EXPECT_TRUE(GetTensorIntrin("registry.mv", "acme").same_as(vnni));
  EXPECT_FALSE(FindTensorIntrin("registry.mw"));
  std::string message;
  EXPECT_EQ(NameOf([&] { GetTensorIntrin("registry.mw"); }, &message), "unknown-tensor-intrin");
  EXPECT_NE(message.find("registry.mv"), std::string::npos) << message;
}

TEST(TensorIntrinRegistry, SeveralThreadsGetTheSameOne) {
  std::atomic<int> declared{0};
  std::vector<TensorIntrin> got(8);
  std::vector<std::thread> threads;
  for (TensorIntrin& mine : got) {
    threads.emplace_back([&] {
      mine = FindOrRegisterTensorIntrin("registry.once", "acme", [&] {
        ++declared;
        return MatVec().Declare("registry.once");
      });
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(declared.load(), 1);
  for (const TensorIntrin& each : got) EXPECT_TRUE(each && each.same_as(got[0]));
  EXPECT_TRUE(FindTensorIntrin("registry.once", "acme").same_as(got[0]));
  EXPECT_FALSE(FindTensorIntrin("registry.once"));
}

}  // namespace
}  // namespace lathe::te

// Sharing: walking, rewriting, comparing, checking, encoding or interpreting an expression costs as
// much as its distinct nodes. The trees here have 2^64 nodes or more, so a walk of the tree would
// never end.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "ir/binary.h"
#include "ir/interpreter/interpreter.h"
#include "ir/intrinsic.h"
#include "ir/rewrite.h"
#include "ir/structural.h"
#include "ir/text/printer.h"
#include "ir/verifier.h"
#include "ir/walk.h"

namespace lathe::ir {
namespace {

constexpr int kLevels = 64;

// Each level uses the one below twice.
Expr Shared(Expr below, int levels = kLevels) {
  for (int level = 0; level < levels; ++level)
    below = MakeBinary(level % 2 == 0 ? NodeKind::kAdd : NodeKind::kMul, below, below);
  return below;
}

// An equal tree with sharing at other levels: each level consists of two equal nodes, each used
// once, which both use the level below.
Expr SharedOtherwise(Expr below, int levels = kLevels) {
  for (int level = 0; level < levels; level += 2) {
    const Expr left = MakeBinary(NodeKind::kAdd, below, below);
    if (level + 1 == levels) return left;
    const Expr right = MakeBinary(NodeKind::kAdd, below, below);
    below = MakeBinary(NodeKind::kMul, left, right);
  }
  return below;
}

size_t Distinct(const NodeRef& root) {
  size_t count = 0;
  PostOrder(root, [&](const Node&) { ++count; });
  return count;
}

std::string NameOf(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.name();
  }
  return "";
}

// B[0] = shared(A[0])
Func Program(const std::function<Expr(const Expr&)>& value) {
  const Buffer a = MakeBuffer("A", DataType::Float(32), {Int(1)}),
               b = MakeBuffer("B", DataType::Float(32), {Int(1)});
  const Stmt body = MakeStore(b, value(MakeLoad(a, {Int(0)})), {Int(0)});
  return MakeFunc("f", {a, b}, body);
}

TEST(Sharing, WalksMeetANodeOnce) {
  const Var x = MakeVar("x");
  const Expr e = Shared(x);
  EXPECT_EQ(Distinct(e), kLevels + 1u);
  EXPECT_EQ(FreeVars(e).size(), 1u);
  EXPECT_TRUE(UsesVar(e, x));
  EXPECT_LT(CountNodes(e, 1000), 2000u);
}

TEST(Sharing, VisitorsThatSaySoMeetANodeOnce) {
  class Counter final : public Visitor {
   public:
    explicit Counter(Sharing sharing) : Visitor(sharing) {}
    size_t entered = 0;

   protected:
    bool Enter(const Node&) override { return ++entered < 100000; }
  };
  const Buffer b = MakeBuffer("B", DataType::Int(32), {Int(1)});
  const Expr e = Shared(MakeVar("x"));
  const Stmt two = MakeSeq({MakeStore(b, e, {Int(0)}), MakeStore(b, e, {Int(0)})});
  const auto entered = [&](Sharing sharing) {
    Counter counter(sharing);
    counter.Visit(two);
    return counter.entered;
  };
  EXPECT_LT(entered(Sharing::kOnce), 2u * kLevels);
  EXPECT_GT(entered(Sharing::kPerRoot), 2u * kLevels);  // in each statement
  EXPECT_LT(entered(Sharing::kPerRoot), 3u * kLevels);
  EXPECT_GE(entered(Sharing::kEachUse), 100000u);
}

TEST(Sharing, RewritersKeepIt) {
  const Var x = MakeVar("x"), y = MakeVar("y");
  const Expr e = Shared(x);
  EXPECT_EQ(Distinct(Substitute(e, {{x, y}})), kLevels + 1u);
  EXPECT_EQ(
      Distinct(Rewrite(e, [](const Add& add) { return MakeBinary(NodeKind::kSub, add.a, add.b); })),
      kLevels + 1u);
  const Buffer b = MakeBuffer("B", DataType::Int(32), {Int(1)});
  const Var i = MakeVar("i");
  const Stmt loop = MakeFor(i, Int(0), Int(4), ForKind::kSerial, MakeStore(b, Shared(i), {Int(0)}));
  EXPECT_EQ(Distinct(Refresh(loop)), Distinct(loop));
}

// If the results of a rewriter define something, each use gets its own; everything else is shared.
TEST(Sharing, DefinitionsAreKeptApart) {
  class Naming final : public Mutator {
   public:
    Naming() : Mutator(Memo::kPerRoot) {}

   protected:
    NodeRef Leave(const NodeRef&, NodeRef after) override {
      if (As<Call>(after) == nullptr) return after;
      KeepApart();
      const Var v = MakeVar("v", RefExpr(after)->dtype);
      return MakeLet(v, RefExpr(after), v);
    }
  };
  const Expr call = Exp(MakeVar("x", DataType::Float(32)));
  const Expr both = MakeBinary(NodeKind::kAdd, call * call, Shared(Float(1)));
  const Expr out = Naming().Run(both);
  size_t lets = 0;
  ForEach<Let>(out, [&](const Let&) { ++lets; });
  EXPECT_EQ(lets, 2u);
  EXPECT_LT(Distinct(out), kLevels + 20u);
}

TEST(Sharing, ComparisonAndHashLookThroughIt) {
  const Var x = MakeVar("x"), y = MakeVar("y");
  EXPECT_TRUE(StructuralEqual(Shared(x), Shared(x)));
  EXPECT_TRUE(StructuralEqual(Shared(x), SharedOtherwise(x)));
  EXPECT_FALSE(StructuralEqual(Shared(x), Shared(y)));
  EXPECT_TRUE(StructuralEqual(Shared(x), SharedOtherwise(y), /*map_free=*/true));
  EXPECT_FALSE(StructuralEqual(
      Shared(x), MakeBinary(NodeKind::kMul, Shared(x, kLevels - 1), Shared(y, kLevels - 1))));
  EXPECT_EQ(StructuralHash(Shared(x)), StructuralHash(SharedOtherwise(y)));
  EXPECT_NE(StructuralHash(Shared(x)), StructuralHash(Shared(x, kLevels - 2)));
}

// Trees around the size up to which an expression is hashed as a tree. Sharing does not change the
// hash here either.
TEST(Sharing, HashOfLargeTreesIsThatOfTheirGraphs) {
  const std::function<Expr(const Expr&, int)> tree = [&](const Expr& leaf, int levels) -> Expr {
    if (levels == 0) return leaf;
    return MakeBinary(levels % 2 == 1 ? NodeKind::kAdd : NodeKind::kMul, tree(leaf, levels - 1),
                      tree(leaf, levels - 1));
  };
  const Var x = MakeVar("x");
  for (const int levels : {8, 15, 16, 17})
    EXPECT_EQ(StructuralHash(tree(x, levels)), StructuralHash(Shared(x, levels))) << levels;
}

TEST(Sharing, DefinitionsChangeWhatIsEqual) {
  // The shared part refers to another variable in the second loop.
  const Buffer b = MakeBuffer("B", DataType::Int(32), {Int(8)});
  const Var i = MakeVar("i"), j = MakeVar("j"), k = MakeVar("k");
  const auto loops = [&](const Var& first, const Var& second, const Expr& in_second) {
    return MakeSeq(
        {MakeFor(first, Int(0), Int(8), ForKind::kSerial, MakeStore(b, Shared(first, 4), {first})),
         MakeFor(second, Int(0), Int(8), ForKind::kSerial, MakeStore(b, in_second, {second}))});
  };
  EXPECT_TRUE(StructuralEqual(loops(i, j, Shared(j, 4)), loops(j, k, Shared(k, 4))));
  EXPECT_FALSE(StructuralEqual(loops(i, j, Shared(j, 4)), loops(j, k, Shared(j, 4))));
}

TEST(Sharing, BytesHoldANodeOnce) {
  const Func f = Program([](const Expr& e) { return Shared(e, 24); });
  const std::string bytes = EncodeNode(f);
  EXPECT_LT(bytes.size(), 1000u);
  const NodeRef back = DecodeNode(bytes);
  EXPECT_TRUE(StructuralEqual(f, back));
  EXPECT_LE(Distinct(back), Distinct(f));
  // The sender of the bytes determines how large the tree is. The reader limits how large it may
  // be.
  EXPECT_EQ(
      NameOf([&] { DecodeNode(EncodeNode(Program([](const Expr& e) { return Shared(e); }))); }),
      "binary-limit");
}

TEST(Sharing, TheVerifierChecksANodeOnce) {
  VerifyFunc(Program([](const Expr& e) { return Shared(e); }), Stage::kTile);
}

TEST(Sharing, TheInterpreterComputesANodeOnce) {
  const Func f = Program([](const Expr& e) {
    Expr out = e;
    for (int level = 0; level < kLevels; ++level) out = (out + out) * Float(0.5);
    return out;
  });
  float a = 3, b = 0;
  const std::vector<InterpValue> args = {
      InterpTensor{.data = &a, .dtype = DataType::Float(32), .shape = {1}},
      InterpTensor{.data = &b, .dtype = DataType::Float(32), .shape = {1}}};
  Interpret(f, args);
  EXPECT_EQ(b, 3);
}

TEST(Sharing, TextHasALimitThatNamesTheFunction) {
  const Func f = Program([](const Expr& e) { return Shared(e); });
  try {
    ToText(f, {.max_bytes = 1 << 20});
    ADD_FAILURE() << "2^64 uses were printed";
  } catch (const Error& error) {
    EXPECT_EQ(error.name(), "text-too-large");
    EXPECT_NE(std::string(error.what()).find("function `f`"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace lathe::ir

#include "gtest/gtest.h"

#include "base/error.h"
#include "ir/module.h"
#include "ir/rewrite.h"
#include "ir/structural.h"
#include "ir/tensor_op.h"
#include "ir/walk.h"

namespace lathe::ir {
namespace {

Stmt Loop(const Buffer& b, ForKind kind = ForKind::kSerial) {
  Var i = MakeVar("i");
  return MakeFor(i, Int(0), Int(16), kind, MakeStore(b, MakeLoad(b, {i}) + Float(1), {i}));
}

TEST(Reflection, EveryKindIsMadeClonedAndNamed) {
  for (NodeKind kind : AllNodeKinds()) {
    Ref<Node> node = NewNode(kind);
    EXPECT_EQ(node->node_kind(), kind);
    EXPECT_EQ(CloneNode(*node)->node_kind(), kind);
    EXPECT_NE(std::string(NodeKindName(kind)), "");
    EXPECT_TRUE(IsNodeKind(static_cast<int>(kind)));
  }
  EXPECT_FALSE(IsNodeKind(0));
  EXPECT_FALSE(IsNodeKind(255));
  EXPECT_FALSE(IsNodeKind(-1));
}

TEST(Reflection, SettersRefuseWhatDoesNotFit) {
  Ref<Node> add = NewNode(NodeKind::kAdd);
  const FieldInfo& a = FieldsOf(NodeKind::kAdd)[1];
  EXPECT_STREQ(a.name, "a");
  EXPECT_FALSE(a.set_node(*add, Nop()));
  EXPECT_FALSE(a.set_node(*add, nullptr));
  EXPECT_TRUE(a.set_node(*add, Int(3)));
  EXPECT_EQ(a.node(*add)->node_kind(), NodeKind::kIntImm);
}

TEST(Expr, ConstantsThatDoNotFitKeepTheirType) {
  const Var u = MakeVar("u", DataType::UInt(8)), i = MakeVar("i");
  EXPECT_EQ((u - Int(128))->dtype, DataType::UInt(8));
  EXPECT_EQ((u + Int(300))->dtype, DataType::Int(32));
  EXPECT_EQ((Int(-1) + u)->dtype, DataType::Int(32));
  EXPECT_EQ((i + Int(int64_t{1} << 40, DataType::Int(64)))->dtype, DataType::Int(64));
  EXPECT_EQ((i + Int(1, DataType::Int(64)))->dtype, DataType::Int(32));
}

TEST(Expr, OperatorsPromoteAndFold) {
  Var x = MakeVar("x"), n = MakeVar("n", DataType::Int(64));
  EXPECT_EQ((x + n)->dtype, DataType::Int(64));
  EXPECT_EQ((x + 1)->dtype, DataType::Int(32));
  EXPECT_EQ((Expr(x) * Float(2))->dtype, DataType::Float(32));
  EXPECT_TRUE((Expr(x) + 0).same_as(Expr(x)));
  EXPECT_TRUE(IsConstInt(FloorDivide(Int(-7), Int(2)), -4));
  EXPECT_TRUE(IsConstInt(FloorModulo(Int(-7), Int(2)), 1));
  EXPECT_TRUE(IsConstInt(TruncDivide(Int(-7), Int(2)), -3));
  EXPECT_TRUE(IsConstInt(TruncModulo(Int(-7), Int(2)), -1));
  // Folding never overflows: the node stays instead.
  EXPECT_EQ(AsConstInt(Int(INT32_MAX) + Int(1)), nullptr);
  EXPECT_EQ(AsConstInt(FloorDivide(Int(1), Int(0))), nullptr);
  EXPECT_EQ((Expr(x) + MakeRamp(Int(0), Int(1), 4))->dtype, DataType::Int(32, 4));
}

template <class F>
std::string NameOf(F f) {
  try {
    f();
  } catch (const Error& e) {
    return e.name();
  }
  return "";
}

TEST(Expr, Diagnostics) {
  Var x = MakeVar("x");
  Expr f = Float(1), i8 = Int(1, DataType::Int(8, 4)), i2 = Int(1, DataType::Int(8, 2));
  EXPECT_EQ(NameOf([&] { x / x; }), "ambiguous-integer-division");
  EXPECT_EQ(NameOf([&] { Int(300, DataType::Int(8)); }), "constant-out-of-range");
  EXPECT_EQ(NameOf([&] { Const(0.5, DataType::Int(8)); }), "constant-out-of-range");
  EXPECT_EQ(NameOf([&] { LogicalAnd(x, x); }), "type-mismatch");
  EXPECT_EQ(NameOf([&] { i8 + i2; }), "type-mismatch");
  EXPECT_EQ(NameOf([&] { String("a") + x; }), "type-mismatch");
  EXPECT_EQ(NameOf([&] { MakeBinary(NodeKind::kAdd, x, f); }), "type-mismatch");
  Buffer b = MakeBuffer("b", DataType::Float(32), {Int(4)});
  EXPECT_EQ(NameOf([&] { MakeStore(b, x, {Int(0)}); }), "malformed-node");
  EXPECT_EQ(NameOf([&] { MakeStore(b, f, {}); }), "malformed-node");
}

TEST(Walk, FindsFreeVariables) {
  Var i = MakeVar("i"), n = MakeVar("n");
  Buffer b = MakeBuffer("b", DataType::Float(32), {Int(4)});
  Stmt s = MakeFor(i, Int(0), n, ForKind::kSerial, MakeStore(b, Float(0), {i + n}));
  std::vector<Var> free = FreeVars(s);
  ASSERT_EQ(free.size(), 1u);
  EXPECT_TRUE(free[0].same_as(n));
  EXPECT_TRUE(UsesVar(s, n));
}

TEST(Walk, DeepExpressionsTakeNoStack) {
  Expr deep = MakeVar("x");
  for (int i = 0; i < 300'000; ++i) deep = MakeBinary(NodeKind::kAdd, deep, Int(1));
  EXPECT_EQ(CountNodes(deep), 600'001u);
  Var y = MakeVar("y");
  Expr other = Substitute(deep, {{FreeVars(deep)[0], y}});
  EXPECT_TRUE(UsesVar(other, y));
  EXPECT_FALSE(StructuralEqual(deep, other));
  EXPECT_TRUE(StructuralEqual(deep, other, /*map_free=*/true));
  EXPECT_EQ(StructuralHash(deep), StructuralHash(other));
}

TEST(Rewrite, UnchangedInputReturnsTheSamePointer) {
  Buffer b = MakeBuffer("b", DataType::Float(32), {Int(16)});
  Stmt s = Loop(b);
  EXPECT_TRUE(Rewrite(s, [](const FloatImm&) -> Expr { return nullptr; }).same_as(s));
  Stmt t = Rewrite(s, [](const FloatImm& f) -> Expr { return Float(f.value + 1); });
  EXPECT_FALSE(t.same_as(s));
  EXPECT_EQ(StructuralDifference(s, t), "body.value.b: value: 1.000000 against 2.000000");
}

TEST(Rewrite, UsesFollowAReplacedDefinition) {
  Buffer b = MakeBuffer("b", DataType::Float(32), {Int(16)});
  Stmt s = MakeAllocate(b, Loop(b));
  Stmt t = Rewrite(s, [](const BufferNode& old) -> NodeRef {
    return CopyBuffer(Buffer(&old), [](BufferNode& copy) { copy.scope = "shared"; });
  });
  const auto* alloc = As<Allocate>(t);
  ASSERT_NE(alloc, nullptr);
  EXPECT_EQ(alloc->buffer->scope, "shared");
  ForEach<Load>(
      t, [&](const Load& load) { EXPECT_TRUE(load.source.same_as(NodeRef(alloc->buffer))); });
  ForEach<Store>(t, [&](const Store& store) { EXPECT_TRUE(store.buffer.same_as(alloc->buffer)); });
}

TEST(Rewrite, SequencesAreFlattenedAndEmptied) {
  Buffer b = MakeBuffer("b", DataType::Float(32), {Int(16)});
  Stmt s = MakeSeq({MakeStore(b, Float(0), {Int(0)}), MakeStore(b, Float(1), {Int(1)})});
  Stmt t = Rewrite(
      s, [](const Store& store) -> Stmt { return IsZero(store.indices[0]) ? Nop() : Stmt(); });
  EXPECT_NE(As<Store>(t), nullptr);
}

TEST(Structural, DefinedNamesDoNotMatterFreeOnesDo) {
  Buffer b = MakeBuffer("b", DataType::Float(32), {Int(16)});
  Buffer c = MakeBuffer("c", DataType::Float(32), {Int(16)});
  EXPECT_TRUE(StructuralEqual(Loop(b), Loop(b)));
  EXPECT_FALSE(StructuralEqual(Loop(b), Loop(c)));
  EXPECT_TRUE(StructuralEqual(MakeAllocate(b, Loop(b)), MakeAllocate(c, Loop(c))));
  EXPECT_EQ(StructuralHash(MakeAllocate(b, Loop(b))), StructuralHash(MakeAllocate(c, Loop(c))));
  EXPECT_FALSE(StructuralEqual(Loop(b), Loop(b, ForKind::kParallel)));
  Stmt fresh = Refresh(MakeAllocate(b, Loop(b)));
  EXPECT_TRUE(StructuralEqual(fresh, MakeAllocate(b, Loop(b))));
  EXPECT_FALSE(As<Allocate>(fresh)->buffer.same_as(b));
}

// Two variables of one side must not both correspond to one variable of the other.
TEST(Structural, CorrespondenceIsOneToOne) {
  Var x = MakeVar("x"), y = MakeVar("y");
  EXPECT_FALSE(StructuralEqual(Expr(x) + Expr(y), Expr(x) + Expr(x), true));
  EXPECT_FALSE(StructuralEqual(Expr(x) + Expr(x), Expr(x) + Expr(y), true));
}

}  // namespace
}  // namespace lathe::ir

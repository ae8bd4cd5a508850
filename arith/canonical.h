// Canonical linear form: integer expressions of index type as  c1 * t1 + c2 * t2 + ... + c  over
// atoms t.
//
// Atoms are what addition and multiplication by constants do not look into: variables, quotients,
// remainders, minima, loads, products of several atoms. Every expression belongs to a class,
// numbered by an Id; expressions that are equal by structure, or whose linear forms are equal,
// share it. A widening cast between index types is transparent: (int64)i is the atom i.
//
// Internal to arith/. Tables only grow; they hold the expressions they speak of.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "ir/expr.h"

namespace lathe::arith::internal {

using ir::Expr;
using ir::NodeKind;

using Id = int32_t;
inline constexpr Id kNoId = -1;

struct Term {
  Id atom;
  int64_t coeff;  // never 0
  friend bool operator==(const Term&, const Term&) = default;
};

// A sum of terms, sorted by atom, each atom once. `known` is false where a coefficient passed
// int64: nothing may be concluded from it.
struct Linear {
  absl::InlinedVector<Term, 4> terms;
  int64_t constant = 0;
  bool known = true;

  bool is_constant() const { return known && terms.empty(); }
  int64_t CoeffOf(Id atom) const;
  friend bool operator==(const Linear&, const Linear&) = default;
};

// Accumulates scaled sums; Take sorts and merges.
class LinearBuilder {
 public:
  void Add(const Linear& x, int64_t scale = 1);
  void AddTerm(Id atom, int64_t coeff);
  void AddConstant(int64_t value);
  Linear Take();

 private:
  Linear sum_;
};
Linear Combine(const Linear& a, int64_t scale_a, const Linear& b, int64_t scale_b);
Linear AddConstant(Linear a, int64_t value);

// int32 and int64 scalars: the types whose arithmetic never overflows.
inline bool IsIndex(DataType dtype) {
  return dtype.is_int() && dtype.is_scalar() && (dtype.bits() == 32 || dtype.bits() == 64);
}
// The same with fixed lanes.
inline bool IsIndexVector(DataType dtype) {
  return dtype.is_int() && dtype.is_vector() && (dtype.bits() == 32 || dtype.bits() == 64);
}

// By identity, for tables that look at all bits of a hash.
struct NodeHash {
  size_t operator()(const Expr& expr) const {
    const uint64_t mixed = reinterpret_cast<uintptr_t>(expr.get()) * 0x9e3779b97f4a7c15u;
    return static_cast<size_t>(mixed ^ (mixed >> 32));
  }
};
template <class Value>
using NodeMap = absl::flat_hash_map<Expr, Value, NodeHash, RefEqual>;

enum class ClassKind : uint8_t {
  kNode,     // an expression node of kind `kind` over classes `args`
  kSum,      // of index type: `linear`
  kProduct,  // of index type: the product of the atoms `args`, two or more, sorted
};

struct ClassInfo {
  ClassKind class_kind = ClassKind::kNode;
  NodeKind kind = NodeKind::kIntImm;
  DataType dtype;
  Expr expr;            // the first one seen; null for sums and products
  bool opaque = false;  // has effects: two of a class are still two
  std::vector<Id> args;
  Linear linear;
  Expr canonical;  // made when it is asked for
};

class TermTable {
 public:
  // The class of an expression; iterative.
  Id IdOf(const Expr& expr);
  // kNoId unless the expression (this very node) was numbered before.
  Id KnownId(const Expr& expr) const;
  const ClassInfo& info(Id id) const { return classes_[id]; }
  size_t size() const { return classes_.size(); }

  // An index expression as a sum; a class as a sum.
  Linear LinearOf(const Expr& expr) { return LinearOf(IdOf(expr)); }
  Linear LinearOf(Id id) const;
  // The class of a sum of type `dtype`.
  Id IdOf(const Linear& linear, DataType dtype);
  // The class of a sum, if it was seen.
  Id FindSum(const Linear& linear, DataType dtype) const;
  // The class of a binary node, if such a node was seen (kNoId otherwise); operands by class.
  Id FindBinary(NodeKind kind, DataType dtype, Id a, Id b) const;
  // The constant behind a class.
  bool IsConstant(Id id, int64_t* value) const;
  // Puts quotients and remainders together again (canonical_divmod.cc):
  //   k*(x//k) + x%k  -->  x        x - k*(x//k)  -->  x%k        k*((x//k)%c) + x%k  -->  x%(k*c)
  //   x//c - k*(x//(c*k))  -->  (x//c)%k
  Linear Recombine(Linear linear);
  // The product of two sums; unknown when it would have more than a few terms.
  Linear Multiply(const Linear& a, const Linear& b);
  // The product of atoms (products are flattened).
  Id ProductOf(std::vector<Id> factors);
  // Is `args`, a product's factors, what `factor` times `divisor` has?
  bool IsProductOf(const std::vector<Id>& args, Id factor, Id divisor) const;

  // Sum, product or atom as an expression of `dtype`, terms with positive coefficients first.
  Expr ToExpr(const Linear& linear, DataType dtype);
  Expr ToExpr(Id id, DataType dtype);

  // Is `expr` one that the linear form looks through: a constant, a sum, a difference, a product
  // with a constant, a widening cast, of index type?
  static bool IsLinearNode(const ir::ExprNode& expr);

  // The leaves of a linear region with their total coefficients, in order of first appearance. A
  // leaf is an operand that is not IsLinearNode. Constants are summed in `constant`. False on
  // overflow.
  struct Leaf {
    Expr expr;
    int64_t coeff = 0;
  };
  struct Region {
    std::vector<Leaf> leaves;
    int64_t constant = 0;
    bool known = true;
    // Is the region written the way ToExpr-like printing would write it, up to the order of its
    // terms?
    bool tidy = true;
  };
  static Region Flatten(const Expr& root, bool through_casts);

 private:
  using Key = absl::InlinedVector<int64_t, 8>;
  struct KeyHash {
    size_t operator()(const Key& key) const;
  };
  static Key SumKey(const Linear& linear, DataType dtype);
  Id Intern(Key key, ClassInfo info);
  // `region`: what Dependencies found of a linear node.
  Id MakeClass(const Expr& expr, const Region& region);
  Expr ProductExpr(const ClassInfo& info, DataType dtype) const;
  // Are all operands numbered? `region`: of a linear node, itself.
  bool Dependencies(const Expr& expr, Region* region, std::vector<Expr>* missing) const;
  int64_t StringNumber(std::string_view text);

  std::deque<ClassInfo> classes_;  // references to its elements stay valid
  absl::flat_hash_map<Key, Id, KeyHash> by_key_;
  NodeMap<Id> by_node_;
  std::unordered_map<std::string, int64_t> strings_;
};

}  // namespace lathe::arith::internal

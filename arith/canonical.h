// Canonical linear form: integer expressions of index type as  c1 * t1 + c2 * t2 + ... + c  over
// atoms t.
//
// Atoms are all other expressions, which the linear form treats as units: variables, quotients,
// remainders, minima, loads, products of several atoms. Every expression belongs to a class, which
// has an Id. Expressions share a class if they have the same structure or equal linear forms. A
// widening cast between index types is transparent: (int64)i is the atom i.
//
// Internal to arith/. Tables only grow. They keep references to the expressions of their classes.
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

// A sum of terms, sorted by atom, each atom once. `known` is false if a coefficient did not fit
// int64; then nothing may be concluded from the sum.
struct Linear {
  absl::InlinedVector<Term, 4> terms;
  int64_t constant = 0;
  bool known = true;

  bool is_constant() const { return known && terms.empty(); }
  int64_t CoeffOf(Id atom) const;
  friend bool operator==(const Linear&, const Linear&) = default;
};

// Adds up scaled sums. Take sorts and merges the terms.
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
// Vectors of these types with a fixed number of lanes.
inline bool IsIndexVector(DataType dtype) {
  return dtype.is_int() && dtype.is_vector() && (dtype.bits() == 32 || dtype.bits() == 64);
}

// Hash by identity, for tables that use all bits of a hash.
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
  kSum,      // of index type: the sum `linear`
  kProduct,  // of index type: the product of the atoms `args`, two or more, sorted
};

struct ClassInfo {
  ClassKind class_kind = ClassKind::kNode;
  NodeKind kind = NodeKind::kIntImm;
  DataType dtype;
  Expr expr;            // the first expression of the class; null for sums and products
  bool opaque = false;  // has effects: two equal calls are still two calls
  std::vector<Id> args;
  Linear linear;
  Expr canonical;  // made by the first call of ToExpr
};

class TermTable {
 public:
  // The class of an expression. Does not recurse.
  Id IdOf(const Expr& expr);
  // The class of this node (by identity), kNoId if it has none yet.
  Id KnownId(const Expr& expr) const;
  const ClassInfo& info(Id id) const { return classes_[id]; }
  size_t size() const { return classes_.size(); }

  // An index expression as a sum; a class as a sum.
  Linear LinearOf(const Expr& expr) { return LinearOf(IdOf(expr)); }
  Linear LinearOf(Id id) const;
  // The class of a sum of type `dtype`.
  Id IdOf(const Linear& linear, DataType dtype);
  // The class of a sum, kNoId if there is none yet.
  Id FindSum(const Linear& linear, DataType dtype) const;
  // The class of a binary node over the classes `a` and `b`, kNoId if there is none yet.
  Id FindBinary(NodeKind kind, DataType dtype, Id a, Id b) const;
  // True if the class is a constant, which goes to `*value`.
  bool IsConstant(Id id, int64_t* value) const;
  // Combines quotients and remainders where possible (canonical_divmod.cc):
  //   k*(x//k) + x%k  -->  x        x - k*(x//k)  -->  x%k        k*((x//k)%c) + x%k  -->  x%(k*c)
  //   x//c - k*(x//(c*k))  -->  (x//c)%k
  Linear Recombine(Linear linear);
  // How many terms of the sum are quotients or remainders.
  size_t QuotientsIn(const Linear& linear) const;
  // The product of two sums. Unknown if it would have too many terms.
  Linear Multiply(const Linear& a, const Linear& b);
  // The product of atoms (products are flattened).
  Id ProductOf(std::vector<Id> factors);
  // True if `args`, the factors of a product, are the factors of `factor` times `divisor`.
  bool IsProductOf(const std::vector<Id>& args, Id factor, Id divisor) const;

  // Sum, product or atom as an expression of `dtype`, terms with positive coefficients first.
  Expr ToExpr(const Linear& linear, DataType dtype);
  Expr ToExpr(Id id, DataType dtype);

  // True if the linear form includes this node itself: it is of index type and a constant, a sum, a
  // difference, a product with a constant, or a widening cast.
  static bool IsLinearNode(const ir::ExprNode& expr);

  // The leaves of a linear region with their total coefficients, in order of first appearance. A
  // leaf is an operand for which IsLinearNode is false. `constant` is the sum of the constants.
  // `known` is false on overflow.
  struct Leaf {
    Expr expr;
    int64_t coeff = 0;
  };
  struct Region {
    std::vector<Leaf> leaves;
    int64_t constant = 0;
    bool known = true;
    // True if the region has the form that ToExpr would give it, up to the order of its terms.
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
  // `region` is the result of Dependencies if `expr` is a linear node.
  Id MakeClass(const Expr& expr, const Region& region);
  Id MakeSumClass(const Expr& expr, const Region& region);
  Expr ProductExpr(const ClassInfo& info, DataType dtype) const;
  // True if all operands have classes; those without one are appended to `missing`. For a linear
  // node, `region` receives its flattened region, and the region's leaves count as its operands.
  bool Dependencies(const Expr& expr, Region* region, std::vector<Expr>* missing) const;
  int64_t StringNumber(std::string_view text);

  std::deque<ClassInfo> classes_;  // a deque, so that references to elements stay valid
  absl::flat_hash_map<Key, Id, KeyHash> by_key_;
  NodeMap<Id> by_node_;
  std::unordered_map<std::string, int64_t> strings_;
};

}  // namespace lathe::arith::internal

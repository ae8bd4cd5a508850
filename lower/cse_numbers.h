// Value numbers: expressions with the same value get the same number. Used by `lower/cse`.
//
// Numbers are dense, and children come before parents. A number stands for one value as long as the
// variables in it keep their values; for expressions that read memory, also as long as nothing
// writes to it. So numbering visits a function in the order of the program, and the caller reports
// writes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/stmt.h"
#include "lower/operands.h"

namespace lathe::lower {

class ValueNumbers {
 public:
  using Id = uint32_t;

  // The number of `expr` in the present state of memory. Near-linear in the number of new nodes;
  // `expr` must live as long as this object.
  Id Number(const ir::Expr& expr);

  // Reports a store into the buffer. Buffers with the same `data` variable, and views, share
  // memory.
  void Wrote(const ir::Buffer& buffer);
  // Reports that any memory may have been written.
  void WroteAnything() { ++state_; }
  // `data` of a view, or a handle variable, is computed from these buffers and handles.
  void Derive(const ir::Var& handle, const ir::Expr& from);
  // True if a call that may write was found since the last call of this method.
  bool TakeEffect();

  size_t size() const { return values_.size(); }
  // An expression with that number.
  const ir::Expr& ExprOf(Id id) const { return values_[id].expr; }
  std::span<const Id> ChildrenOf(Id id) const {
    return {children_.data() + values_[id].first_child, values_[id].num_children};
  }
  // True if the child is evaluated only under a condition.
  bool IsArm(Id id, size_t child) const { return values_[id].has_arms && child > 0; }
  // True if its value may be kept in a variable and is worth one.
  bool IsWorthy(Id id) const { return values_[id].worthy; }

 private:
  struct Value {
    ir::Expr expr;
    uint32_t first_child = 0, num_children = 0;
    uint32_t tree = 1;  // nodes, for IsWorth
    bool has_arms = false;
    bool worthy = false;
    bool local = false;      // depends on a variable of a Let expression
    bool volatile_ = false;  // has its number only in the present state
  };
  struct KeyHash {
    size_t operator()(const std::vector<uint64_t>& key) const;
  };
  Id Make(const ir::ExprNode& node, const std::vector<Id>& children, bool is_place);
  // False if the node is a value of its own, unequal to all others.
  bool KeyOf(const ir::ExprNode& node, const std::vector<Id>& children, std::vector<uint64_t>* key);
  // `tree`: the number of nodes, counting shared ones at every use, up to the limit that matters.
  bool IsWorth(const ir::ExprNode& node, size_t tree) const;
  uint64_t Intern(const std::string& text);
  const ir::Node* Memory(const ir::Node* handle);
  const Id* Remembered(const ir::Node* node) const;

  std::vector<Value> values_;
  std::vector<Id> children_;
  std::unordered_map<std::vector<uint64_t>, Id, KeyHash> by_key_;
  std::unordered_map<const ir::Node*, Id> stable_, present_;  // by node
  uint64_t present_state_ = 0;
  std::unordered_map<std::string, uint64_t> texts_;
  std::unordered_set<const ir::Node*> local_vars_;
  std::unordered_map<const ir::Node*, const ir::Node*> memory_;  // union-find over handles
  std::unordered_map<const ir::Node*, uint64_t> writes_;         // by memory
  uint64_t state_ = 0, stores_ = 0;
  bool effect_ = false;
};

}  // namespace lathe::lower

// Value numbers: expressions that have one value get one number. What `lower/cse` is built on.
//
// Numbers are dense and children come before parents. A number means one value as long as the
// variables in it keep theirs; for expressions that read memory also as long as nothing writes to
// it, so numbering walks a function in the order of the program and is told of writes.
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

  // The number of `expr` in the present state of memory. Near-linear in the nodes not seen before;
  // `expr` must live as long as this.
  Id Number(const ir::Expr& expr);

  // A store into the buffer. Buffers over one `data` variable, and views of one, are one memory.
  void Wrote(const ir::Buffer& buffer);
  // Anything may have been written.
  void WroteAnything() { ++state_; }
  // `data` of a view, or a handle variable, comes from these buffers and handles.
  void Derive(const ir::Var& handle, const ir::Expr& from);
  // Whether a call that may write was met since this was asked last.
  bool TakeEffect();

  size_t size() const { return values_.size(); }
  // An expression of that number.
  const ir::Expr& ExprOf(Id id) const { return values_[id].expr; }
  std::span<const Id> ChildrenOf(Id id) const {
    return {children_.data() + values_[id].first_child, values_[id].num_children};
  }
  // Is the child evaluated only where a condition takes it?
  bool IsArm(Id id, size_t child) const { return values_[id].has_arms && child > 0; }
  // May its value be kept in a variable, and is that worth one?
  bool IsWorthy(Id id) const { return values_[id].worthy; }

 private:
  struct Value {
    ir::Expr expr;
    uint32_t first_child = 0, num_children = 0;
    uint32_t tree = 1;  // as IsWorth takes it
    bool has_arms = false;
    bool worthy = false;
    bool local = false;      // depends on a variable of a Let expression
    bool volatile_ = false;  // has its number only in the present state
  };
  struct KeyHash {
    size_t operator()(const std::vector<uint64_t>& key) const;
  };
  Id Make(const ir::ExprNode& node, const std::vector<Id>& children, bool is_place);
  // False: the node is a value of its own.
  bool KeyOf(const ir::ExprNode& node, const std::vector<Id>& children, std::vector<uint64_t>* key);
  // `tree`: its nodes, shared ones at every use, as far as anybody asks.
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

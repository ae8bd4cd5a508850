// Data types of a module: constructors, and matches whose patterns may be nested.
//
//   type List { Nil, Cons(float32[], List) }
//
//   match %l { List.Nil => { ... } List.Cons(%h, %t) => { ... } }
//
// The nodes know only such matches: one case for each constructor, and variables for the fields.
// `Decide` turns clauses with nested patterns into a tree of them, and refuses clauses that miss a
// case. `EmitMatch` does this for programs that build graphs with a Builder.
//
// Data types have no type parameters: List of float32[] and List of int32[3] are two types, of two
// names. Extents within them are numbers. Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "graph/builder.h"

namespace lathe::graph {

// Throw Error "graph-datatype", with the nearest names, if there is none. `module` may be null.
const ir::GraphDataType& FindDataType(const ir::GraphModule& module, std::string_view name);
// `name` as in GraphConstruct: "List.Cons".
const ir::GraphConstructor& FindConstructor(const ir::GraphModule& module, std::string_view name);

ir::NodeRef MakeTypeRef(std::string name);
Ref<const ir::GraphDataType> MakeDataType(
    std::string name, std::vector<std::pair<std::string, std::vector<ir::NodeRef>>> constructors);

// What a value must look like.
struct Pattern {
  enum class Kind : uint8_t {
    kAny,          // anything
    kVar,          // anything; the clause gets it
    kConstructor,  // a value that `constructor` made, and whose fields match `fields`
    kTuple,        // a tuple whose fields match `fields`
  };
  Kind kind = Kind::kAny;
  std::string constructor;  // "List.Cons"
  std::vector<Pattern> fields;

  static Pattern Any() { return {}; }
  static Pattern Var() { return {Kind::kVar, "", {}}; }
  static Pattern Of(std::string constructor, std::vector<Pattern> fields = {}) {
    return {Kind::kConstructor, std::move(constructor), std::move(fields)};
  }
  static Pattern Tuple(std::vector<Pattern> fields) {
    return {Kind::kTuple, "", std::move(fields)};
  }
};

// What to do with a value. Places are numbered: 0 is the value itself, and each kTuple and each
// case of a kSwitch numbers the fields that it takes out.
struct Decision {
  enum class Kind : uint8_t {
    kClause,  // clause number `clause`, with the values at `places` for its kVar patterns, in order
    kTuple,   // the fields of the tuple at `place` are at `fields`; then `cases[0].next`
    kSwitch,  // on the constructor of the value at `place`: one case for each constructor
  };
  struct Case {
    std::string constructor;
    std::vector<int> fields;  // the places of its fields
    std::unique_ptr<Decision> next;
  };
  Kind kind = Kind::kClause;
  size_t clause = 0;
  std::vector<int> places;
  int place = 0;
  std::vector<Case> cases;
};

// The first clause whose pattern matches is chosen. Throws Error
//   graph-match-missing   no clause matches a value, which the error shows
//   graph-match-clause    a clause that is never chosen
//   graph-match-pattern   a pattern with another number of fields, or patterns of two types for one
//                         value
//   graph-datatype        a constructor that does not exist
// Clauses may be in several leaves of the tree.
std::unique_ptr<Decision> Decide(const ir::GraphModule& module,
                                 const std::vector<Pattern>& clauses);

// `body` is called with the values of the clause's kVar patterns, once for each leaf of the tree,
// while a block is open; it returns the clause's result.
struct MatchClause {
  Pattern pattern;
  std::function<ir::GraphVar(Builder& builder, const std::vector<ir::GraphVar>& vars)> body;
};
ir::GraphVar EmitMatch(Builder& builder, const ir::GraphVar& value,
                       const std::vector<MatchClause>& clauses, std::string name = "");

// The type of a construction; Builder's part. Throws Error "graph-type" and "graph-datatype".
ir::NodeRef TypeOfConstruct(const ir::GraphConstruct& construct, const ir::GraphModule& module);
// Checks the constructors and fields of a match. Returns the type of its first case, null if it has
// none; Builder joins the types of all cases. Throws Error "graph-type", "graph-match-missing" and
// "graph-datatype".
ir::NodeRef TypeOfFirstCase(const ir::GraphMatch& match, const ir::GraphModule& module);

}  // namespace lathe::graph

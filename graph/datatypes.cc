#include "graph/datatypes.h"

#include <algorithm>
#include <unordered_set>

#include "base/error.h"

namespace lathe::graph {

using ir::As;
using ir::GraphVar;
using ir::NodeRef;

namespace {

[[noreturn]] void Fail(const char* name, std::string message, std::string expected = "",
                       std::string found = "", std::string help = "") {
  throw Error(Diagnostic{.name = name,
                         .message = std::move(message),
                         .expected = std::move(expected),
                         .found = std::move(found),
                         .help = std::move(help)});
}

std::string DidYouMean(std::string_view name, const std::vector<std::string>& known) {
  const std::vector<std::string> near = NearestNames(name, known);
  return near.empty() ? "" : "did you mean " + QuotedList(near) + "?";
}

std::string NoVar(const GraphVar& var) { return "`%" + var->name + "`"; }

}  // namespace

const ir::GraphDataType& FindDataType(const ir::GraphModule& module, std::string_view name) {
  std::vector<std::string> known;
  if (module) {
    for (const auto& type : module->datatypes) {
      if (type->name == name) return *type;
      known.push_back(type->name);
    }
  }
  Fail("graph-datatype", "the module has no data type `" + std::string(name) + "`",
       known.empty() ? "a module with data types" : QuotedList(known),
       "`" + std::string(name) + "`", DidYouMean(name, known));
}

const ir::GraphConstructor& FindConstructor(const ir::GraphModule& module, std::string_view name) {
  const auto [type_name, constructor_name] = ir::SplitConstructor(name);
  const ir::GraphDataType& type = FindDataType(module, type_name);
  std::vector<std::string> known;
  for (const auto& constructor : type.constructors) {
    if (constructor->name == constructor_name) return *constructor;
    known.push_back(type.name + "." + constructor->name);
  }
  Fail("graph-datatype", "there is no constructor `" + std::string(name) + "`", QuotedList(known),
       "`" + std::string(name) + "`", DidYouMean(name, known));
}

NodeRef MakeTypeRef(std::string name) {
  Ref<ir::TypeRef> type = Make<ir::TypeRef>();
  type->name = std::move(name);
  return type;
}

Ref<const ir::GraphDataType> MakeDataType(
    std::string name, std::vector<std::pair<std::string, std::vector<NodeRef>>> constructors) {
  Ref<ir::GraphDataType> type = Make<ir::GraphDataType>();
  type->name = std::move(name);
  for (auto& [constructor_name, fields] : constructors) {
    Ref<ir::GraphConstructor> constructor = Make<ir::GraphConstructor>();
    constructor->name = std::move(constructor_name);
    constructor->fields = std::move(fields);
    type->constructors.push_back(std::move(constructor));
  }
  return type;
}

// -- Types.

NodeRef TypeOfConstruct(const ir::GraphConstruct& construct, const ir::GraphModule& module) {
  const ir::GraphConstructor& constructor = FindConstructor(module, construct.constructor);
  const std::string name = "`" + construct.constructor + "`";
  if (constructor.fields.size() != construct.args.size()) {
    Fail("graph-type", name + " is given the wrong number of fields",
         std::to_string(constructor.fields.size()), std::to_string(construct.args.size()));
  }
  for (size_t i = 0; i < construct.args.size(); ++i) {
    const NodeRef& found = construct.args[i]->type;
    if (SameType(constructor.fields[i], found)) continue;
    Fail("graph-type", "field " + std::to_string(i) + " of " + name + " has the wrong type",
         TypeText(constructor.fields[i]), TypeText(found));
  }
  return MakeTypeRef(std::string(ir::SplitConstructor(construct.constructor).first));
}

NodeRef TypeOfFirstCase(const ir::GraphMatch& match, const ir::GraphModule& module) {
  const auto* type_ref = As<ir::TypeRef>(match.value->type);
  if (type_ref == nullptr) {
    Fail("graph-type", NoVar(match.value) + " is matched", "a value of a data type",
         TypeText(match.value->type));
  }
  const ir::GraphDataType& type = FindDataType(module, type_ref->name);
  std::unordered_set<std::string> seen;
  for (const auto& arm : match.cases) {
    const ir::GraphConstructor& constructor = FindConstructor(module, arm->constructor);
    if (ir::SplitConstructor(arm->constructor).first != type.name) {
      Fail("graph-type", "a case of a match is of another data type than " + NoVar(match.value),
           "a constructor of `" + type.name + "`", "`" + arm->constructor + "`");
    }
    seen.insert(constructor.name);
    if (constructor.fields.size() != arm->vars.size()) {
      Fail("graph-type", "the case `" + arm->constructor + "` has the wrong number of variables",
           std::to_string(constructor.fields.size()), std::to_string(arm->vars.size()));
    }
    for (size_t i = 0; i < arm->vars.size(); ++i) {
      if (SameType(constructor.fields[i], arm->vars[i]->type)) continue;
      Fail("graph-type",
           NoVar(arm->vars[i]) + " of the case `" + arm->constructor + "` has the wrong type",
           TypeText(constructor.fields[i]), TypeText(arm->vars[i]->type));
    }
  }
  for (const auto& constructor : type.constructors) {
    if (seen.contains(constructor->name)) continue;
    Fail("graph-match-missing", "a match misses a case", "a case for each constructor",
         "no case for `" + type.name + "." + constructor->name + "`");
  }
  // Builder compares the other cases with the first.
  return match.cases.empty() ? NodeRef() : match.cases.front()->block->result->type;
}

// -- Nested patterns.

namespace {

// A clause while the tree is made: what is still to be checked, and what its variables are.
struct Row {
  size_t clause = 0;
  std::vector<std::pair<int, const Pattern*>> tests;  // (place, pattern), kAny left out
  std::vector<std::pair<const Pattern*, int>> vars;   // (kVar pattern, place)
};

class Decider {
 public:
  Decider(const ir::GraphModule& module, const std::vector<Pattern>& clauses)
      : module_(module), clauses_(clauses), used_(clauses.size()) {}

  std::unique_ptr<Decision> Run() {
    std::vector<Row> rows;
    for (size_t i = 0; i < clauses_.size(); ++i) {
      Row row{i, {}, {}};
      AddTest(row, 0, clauses_[i]);
      rows.push_back(std::move(row));
    }
    std::unique_ptr<Decision> tree = Make(std::move(rows));
    for (size_t i = 0; i < used_.size(); ++i) {
      if (used_[i]) continue;
      Fail("graph-match-clause", "clause " + std::to_string(i) + " of a match is never chosen",
           "a value that no clause before it matches", Text(clauses_[i]),
           "remove it, or put it in front of the more general clause");
    }
    return tree;
  }

 private:
  struct Place {
    std::string constructor;  // of the value, where it is known; "(" for a tuple
    std::vector<int> fields;  // of that constructor
  };

  static void AddTest(Row& row, int place, const Pattern& pattern) {
    if (pattern.kind == Pattern::Kind::kVar) row.vars.emplace_back(&pattern, place);
    if (pattern.kind == Pattern::Kind::kConstructor || pattern.kind == Pattern::Kind::kTuple)
      row.tests.emplace_back(place, &pattern);
  }

  // The variables of a pattern, in the order of the text.
  static void Vars(const Pattern& pattern, std::vector<const Pattern*>& out) {
    if (pattern.kind == Pattern::Kind::kVar) out.push_back(&pattern);
    for (const Pattern& field : pattern.fields) Vars(field, out);
  }

  std::unique_ptr<Decision> Leaf(const Row& row) {
    auto leaf = std::make_unique<Decision>();
    leaf->clause = row.clause;
    used_[row.clause] = true;
    std::vector<const Pattern*> vars;
    Vars(clauses_[row.clause], vars);
    for (const Pattern* var : vars) {
      const auto at =
          std::ranges::find_if(row.vars, [&](const auto& pair) { return pair.first == var; });
      leaf->places.push_back(at->second);
    }
    return leaf;
  }

  std::unique_ptr<Decision> Make(std::vector<Row> rows) {
    if (++size_ > kMostDecisions) {
      Fail("graph-match-pattern", "the patterns of a match need too many cases",
           "at most " + std::to_string(kMostDecisions), "more",
           "match in functions, one after the other");
    }
    if (rows.empty()) {
      Fail("graph-match-missing", "a match misses a case", "clauses that match every value",
           "no clause for " + Witness(0), "add a clause for it, or one that matches anything");
    }
    if (rows[0].tests.empty()) return Leaf(rows[0]);
    const auto [place, pattern] = rows[0].tests[0];
    const size_t at = static_cast<size_t>(place);
    if (places_.size() <= at) places_.resize(at + 1);
    auto node = std::make_unique<Decision>();
    node->place = place;
    if (pattern->kind == Pattern::Kind::kTuple) {
      node->kind = Decision::Kind::kTuple;
      node->cases.push_back(MakeCase("(", pattern->fields.size(), place, rows));
      places_[at] = {};
      return node;
    }
    node->kind = Decision::Kind::kSwitch;
    FindConstructor(module_, pattern->constructor);
    const ir::GraphDataType& type =
        FindDataType(module_, ir::SplitConstructor(pattern->constructor).first);
    for (const auto& constructor : type.constructors) {
      node->cases.push_back(
          MakeCase(type.name + "." + constructor->name, constructor->fields.size(), place, rows));
    }
    places_[at] = {};
    return node;
  }

  // What remains of the clauses if the value at `place` was made by this constructor.
  Decision::Case MakeCase(const std::string& constructor, size_t fields, int place,
                          const std::vector<Row>& rows) {
    Decision::Case made{constructor, {}, nullptr};
    for (size_t i = 0; i < fields; ++i) made.fields.push_back(next_place_++);
    places_.resize(std::max(places_.size(), static_cast<size_t>(next_place_)));
    places_[static_cast<size_t>(place)] = {constructor, made.fields};
    std::vector<Row> rest;
    for (const Row& row : rows) {
      Row left{row.clause, {}, row.vars};
      bool fits = true;
      for (const auto& [where, pattern] : row.tests) {
        if (where != place) {
          left.tests.emplace_back(where, pattern);
          continue;
        }
        fits = Fits(*pattern, constructor, fields);
        if (!fits) break;
        for (size_t i = 0; i < fields; ++i) AddTest(left, made.fields[i], pattern->fields[i]);
      }
      if (fits) rest.push_back(std::move(left));
    }
    made.next = Make(std::move(rest));
    return made;
  }

  // Also checks that both are patterns of one type.
  bool Fits(const Pattern& pattern, const std::string& constructor, size_t fields) const {
    const bool is_tuple = pattern.kind == Pattern::Kind::kTuple;
    if (is_tuple != (constructor == "(") ||
        (!is_tuple && ir::SplitConstructor(pattern.constructor).first !=
                          ir::SplitConstructor(constructor).first)) {
      Fail("graph-match-pattern", "patterns for one value are of two types",
           constructor == "(" ? "a tuple" : "a constructor as `" + constructor + "`",
           Text(pattern));
    }
    if (!is_tuple && pattern.constructor != constructor) {
      const size_t own = FindConstructor(module_, pattern.constructor).fields.size();
      CheckFields(pattern, own);
      return false;
    }
    CheckFields(pattern, fields);
    return true;
  }
  static void CheckFields(const Pattern& pattern, size_t fields) {
    if (pattern.fields.size() == fields) return;
    Fail("graph-match-pattern", "a pattern has the wrong number of fields",
         std::to_string(fields) + " fields", Text(pattern));
  }

  static std::string Text(const Pattern& pattern) {
    if (pattern.kind == Pattern::Kind::kAny) return "_";
    if (pattern.kind == Pattern::Kind::kVar) return "%x";
    std::string text = pattern.constructor;
    if (pattern.fields.empty() && !text.empty()) return text;
    text += "(";
    for (size_t i = 0; i < pattern.fields.size(); ++i)
      text += (i == 0 ? "" : ", ") + Text(pattern.fields[i]);
    return text + ")";
  }

  // What is known of the value at a place.
  std::string Witness(int place) const {
    const auto at = static_cast<size_t>(place);
    if (at >= places_.size() || places_[at].constructor.empty()) return "_";
    const Place& known = places_[at];
    std::string text = known.constructor == "(" ? "" : known.constructor;
    if (known.fields.empty() && !text.empty()) return text;
    text += "(";
    for (size_t i = 0; i < known.fields.size(); ++i)
      text += (i == 0 ? "" : ", ") + Witness(known.fields[i]);
    return text + ")";
  }

  static constexpr int kMostDecisions = 10000;

  const ir::GraphModule& module_;
  const std::vector<Pattern>& clauses_;
  std::vector<bool> used_;
  std::vector<Place> places_;
  int next_place_ = 1;
  int size_ = 0;
};

// Transcribes a tree of decisions into matches.
class MatchEmitter {
 public:
  MatchEmitter(Builder& builder, const std::vector<MatchClause>& clauses)
      : builder_(builder), clauses_(clauses) {}

  GraphVar Emit(const Decision& decision, const std::string& name) {
    if (decision.kind == Decision::Kind::kClause) {
      std::vector<GraphVar> vars;
      for (const int place : decision.places) vars.push_back(places_[static_cast<size_t>(place)]);
      return clauses_[decision.clause].body(builder_, vars);
    }
    const GraphVar value = places_[static_cast<size_t>(decision.place)];
    if (decision.kind == Decision::Kind::kTuple) {
      for (size_t i = 0; i < decision.cases[0].fields.size(); ++i)
        Put(decision.cases[0].fields[i], builder_.Get(value, static_cast<int64_t>(i)));
      return Emit(*decision.cases[0].next, name);
    }
    Ref<ir::GraphMatch> match = Make<ir::GraphMatch>();
    match->value = value;
    for (const Decision::Case& one : decision.cases) {
      Ref<ir::GraphCase> arm = Make<ir::GraphCase>();
      arm->constructor = one.constructor;
      const ir::GraphConstructor& constructor = FindConstructor(builder_.module(), one.constructor);
      for (size_t i = 0; i < one.fields.size(); ++i) {
        arm->vars.push_back(ir::MakeGraphVar("", constructor.fields[i]));
        Put(one.fields[i], arm->vars.back());
      }
      builder_.OpenBlock();
      GraphVar result = Emit(*one.next, "");
      arm->block = builder_.CloseBlock(std::move(result));
      match->cases.push_back(std::move(arm));
    }
    return builder_.Emit(std::move(match), name);
  }
  void Put(int place, GraphVar var) {
    const auto at = static_cast<size_t>(place);
    if (places_.size() <= at) places_.resize(at + 1);
    places_[at] = std::move(var);
  }

 private:
  Builder& builder_;
  const std::vector<MatchClause>& clauses_;
  std::vector<GraphVar> places_;
};

}  // namespace

std::unique_ptr<Decision> Decide(const ir::GraphModule& module,
                                 const std::vector<Pattern>& clauses) {
  return Decider(module, clauses).Run();
}

GraphVar EmitMatch(Builder& builder, const GraphVar& value, const std::vector<MatchClause>& clauses,
                   std::string name) {
  std::vector<Pattern> patterns;
  for (const MatchClause& clause : clauses) patterns.push_back(clause.pattern);
  const std::unique_ptr<Decision> tree = Decide(builder.module(), patterns);
  MatchEmitter emitter(builder, clauses);
  emitter.Put(0, value);
  return emitter.Emit(*tree, name);
}

}  // namespace lathe::graph

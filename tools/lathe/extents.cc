#include "tools/lathe/extents.h"

#include <charconv>
#include <optional>
#include <utility>

#include "arith/analyzer.h"
#include "base/error.h"
#include "ir/rewrite.h"
#include "ir/text/parser.h"
#include "ir/walk.h"
#include "runtime/status.h"

namespace lathe::cli {
namespace {

using runtime::MakeStatus;

bool StartsName(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool ContinuesName(char c) { return StartsName(c) || (c >= '0' && c <= '9') || c == '.'; }

// Parses an extent. Its names become 64-bit variables.
ir::Expr Parse(const std::string& text) {
  std::map<std::string, ir::NodeRef> names;
  for (size_t at = 0; at < text.size();) {
    if (text[at] >= '0' && text[at] <= '9') {
      while (at < text.size() && ContinuesName(text[at])) ++at;
      continue;
    }
    if (!StartsName(text[at])) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < text.size() && ContinuesName(text[end])) ++end;
    const std::string name = text.substr(at, end - at);
    while (end < text.size() && text[end] == ' ') ++end;
    // A name before "(" is a function's name.
    if (end >= text.size() || text[end] != '(')
      names.emplace(name, ir::MakeVar(name, DataType::Int(64)));
    at = end;
  }
  std::vector<ir::NodeRef> free;
  for (auto& [name, var] : names) free.push_back(var);
  return ir::ParseExpr(text, "extent", free);
}

std::optional<int64_t> ValueOf(const ir::Expr& expr, const std::map<std::string, int64_t>& values) {
  ir::VarMap map;
  for (const ir::Var& var : ir::FreeVars(expr)) {
    auto it = values.find(var->name);
    if (it != values.end()) map[var] = ir::Int(it->second, var->dtype);
  }
  arith::Analyzer analyzer;
  const ir::Expr simple = analyzer.Simplify(ir::Substitute(expr, map));
  const int64_t* value = ir::AsConstInt(simple);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

}  // namespace

void Extents::Bind(const std::string& name, int64_t value) { values_.emplace(name, value); }

void Extents::Solve(const std::vector<std::string>& texts, std::span<const int64_t> shape) {
  if (texts.size() != shape.size()) return;
  for (size_t axis = 0; axis < texts.size(); ++axis) {
    try {
      const ir::Expr expr = Parse(texts[axis]);
      std::vector<std::string> unknown;
      for (const ir::Var& var : ir::FreeVars(expr)) {
        if (values_.count(var->name) == 0) unknown.push_back(var->name);
      }
      if (unknown.size() != 1) continue;
      std::map<std::string, int64_t> values = values_;
      int64_t& name = values[unknown[0]];
      auto at = [&](int64_t value) {
        name = value;
        return ValueOf(expr, values);
      };
      const std::optional<int64_t> zero = at(0), one = at(1);
      if (!zero || !one || *one == *zero) continue;
      const int64_t value = (shape[axis] - *zero) / (*one - *zero);
      if (value >= 0 && at(value) == shape[axis]) Bind(unknown[0], value);
    } catch (const Error&) {
      // Not an expression with integers. Evaluate reports that if the value is needed.
    }
  }
}

absl::StatusOr<int64_t> Extents::Evaluate(const std::string& text) const {
  auto bad = [&](const std::string& why) {
    return MakeStatus(absl::StatusCode::kInvalidArgument, "run-bad-extent",
                      "extent `" + text + "` has no value: " + why +
                          "\n  expected: an integer >= 0\n  help: give the output's shape with "
                          "`--out-shape NAME=SHAPE`");
  };
  try {
    const ir::Expr expr = Parse(text);
    std::vector<std::string> unknown;
    for (const ir::Var& var : ir::FreeVars(expr)) {
      if (values_.count(var->name) == 0) unknown.push_back(var->name);
    }
    if (!unknown.empty()) {
      return MakeStatus(absl::StatusCode::kInvalidArgument, "run-unknown-extent",
                        "extent `" + text + "` of an output depends on " + QuotedList(unknown) +
                            "\n  expected: names that the shapes of the inputs determine"
                            "\n  help: give the output's shape with `--out-shape NAME=SHAPE`");
    }
    const std::optional<int64_t> value = ValueOf(expr, values_);
    if (!value) return bad("it is not a constant of the inputs' shapes");
    if (*value < 0) return bad("it is " + std::to_string(*value));
    return *value;
  } catch (const Error& error) {
    return bad(error.diagnostic().message);
  }
}

bool ParseShape(std::string_view text, std::vector<int64_t>* shape) {
  shape->clear();
  while (!text.empty()) {
    int64_t extent = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc() || extent < 0) return false;
    shape->push_back(extent);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    if (text.empty()) break;
    if ((text[0] != 'x' && text[0] != ',') || text.size() == 1) return false;
    text.remove_prefix(1);
  }
  return true;
}

}  // namespace lathe::cli

#include "schedule/primitives/pragma.h"

#include <algorithm>

#include "base/error.h"
#include "ir/names.h"
#include "schedule/trace.h"
#include "schedule/trace_names.h"

namespace lathe::schedule {
namespace {

struct KnownPragma {
  const char* key;
  bool nest;
  int64_t most;  // the greatest meaningful value
};
constexpr int64_t kMany = 1 << 16;
constexpr KnownPragma kPragmas[] = {
    {ir::pragma::kAutoUnrollMaxStep, true, kMany},   {ir::pragma::kAutoUnrollMaxDepth, true, kMany},
    {ir::pragma::kAutoUnrollMaxExtent, true, kMany}, {ir::pragma::kUnrollExplicit, true, 1},
    {ir::pragma::kLoopPartitionHint, false, 1},      {ir::pragma::kNontemporal, true, 1},
};
constexpr std::string_view kImport = "import_";

const KnownPragma& Find(const std::string& key) {
  for (const KnownPragma& pragma : kPragmas) {
    if (pragma.key == key) return pragma;
  }
  throw Error(
      Diagnostic{.name = "unknown-pragma",
                 .message = "pragma: there is no `" + key + "`",
                 .expected = NearOrAll(key, PragmaKeys()) + ", or import_LANGUAGE with a source",
                 .found = "`" + key + "`",
                 .help = "use a pragma that a pass knows; others would have no effect"});
}

[[noreturn]] void BadValue(const Stage& stage, const IterVar& axis, const std::string& key,
                           std::string expected, std::string found, std::string help) {
  throw Error(Diagnostic{.name = "pragma-value",
                         .message = "pragma `" + key + "` of loop `" + axis->var->name +
                                    "` of stage `" + stage.name + "`",
                         .expected = std::move(expected),
                         .found = std::move(found),
                         .help = std::move(help)});
}

}  // namespace

std::vector<std::string> PragmaKeys() {
  std::vector<std::string> keys;
  for (const KnownPragma& pragma : kPragmas) keys.emplace_back(pragma.key);
  return keys;
}

bool IsNestPragma(std::string_view key) {
  return std::any_of(std::begin(kPragmas), std::end(kPragmas),
                     [&](const KnownPragma& pragma) { return pragma.nest && pragma.key == key; });
}

bool IsImportPragma(std::string_view key) {
  return key.starts_with(kImport) && key.size() > kImport.size();
}

std::string ImportedLanguage(std::string_view key) {
  return std::string(key.substr(kImport.size()));
}

void Pragma(Stage& stage, const IterVar& axis, const std::string& key, int64_t value) {
  stage.RequireLeaf(axis, "pragma");
  if (IsImportPragma(key))
    BadValue(stage, axis, key, "the source to import, a string", std::to_string(value),
             "pass the source's text");
  const KnownPragma& known = Find(key);
  if (value < 0 || value > known.most)
    BadValue(stage, axis, key, "0 to " + std::to_string(known.most), std::to_string(value),
             "0 switches it off");
  stage.AttrOf(axis).annotations[key] = ir::Int(value);
  Record(*stage.schedule, primitive::kPragma, {},
         {{operand::kAxis, AxisOperand(stage, axis)},
          {operand::kKey, ir::String(key)},
          {operand::kValue, ir::Int(value)}});
}

void Pragma(Stage& stage, const IterVar& axis, const std::string& key, const std::string& source) {
  stage.RequireLeaf(axis, "pragma");
  if (!IsImportPragma(key)) {
    const KnownPragma& known = Find(key);
    BadValue(stage, axis, key, "0 to " + std::to_string(known.most), "a string",
             "only imports take strings");
  }
  stage.AttrOf(axis).annotations[key] = ir::String(source);
  Record(*stage.schedule, primitive::kPragma, {},
         {{operand::kAxis, AxisOperand(stage, axis)},
          {operand::kKey, ir::String(key)},
          {operand::kSource, ir::String(source)}});
}

}  // namespace lathe::schedule

#include "ir/imports.h"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "base/error.h"
#include "ir/expr.h"

namespace lathe::ir {
namespace {

constexpr std::string_view kPrefix = "import_";

bool IsImport(std::string_view key) { return key.starts_with(kPrefix); }

[[noreturn]] void Malformed(const std::string& key) {
  throw Error(Diagnostic{.name = "import-malformed",
                         .message = "attribute `" + key + "` is no import",
                         .expected = "import_LANGUAGE.NUMBER and a string",
                         .found = "`" + key + "`",
                         .help = "attach sources by the pragmas import_LANGUAGE"});
}

}  // namespace

std::vector<Import> ImportsIn(const Dict& attrs) {
  std::vector<std::tuple<std::string, int, std::string>> found;
  for (const auto& [key, value] : attrs) {
    if (!IsImport(key)) continue;
    const auto* source = As<StringImm>(value);
    const size_t dot = key.rfind('.');
    int number = -1;
    if (source == nullptr || dot == std::string::npos || dot <= kPrefix.size()) Malformed(key);
    const char* end = key.data() + key.size();
    const auto [rest, error] = std::from_chars(key.data() + dot + 1, end, number);
    if (error != std::errc() || rest != end || number < 0) Malformed(key);
    found.emplace_back(key.substr(kPrefix.size(), dot - kPrefix.size()), number, source->value);
  }
  std::sort(found.begin(), found.end());
  std::vector<Import> out;
  for (auto& [language, number, source] : found) out.push_back({language, std::move(source)});
  return out;
}

std::vector<std::string> ImportsOf(const Dict& attrs, std::string_view language) {
  std::vector<std::string> out;
  for (Import& import : ImportsIn(attrs)) {
    if (import.language == language) out.push_back(std::move(import.source));
  }
  return out;
}

void AddImport(Dict* attrs, const Import& import) {
  const std::vector<std::string> there = ImportsOf(*attrs, import.language);
  if (std::find(there.begin(), there.end(), import.source) != there.end()) return;
  // In hand-written modules, numbers may have gaps.
  size_t number = there.size();
  const std::string key = std::string(kPrefix) + import.language + ".";
  while (attrs->count(key + std::to_string(number)) != 0) ++number;
  (*attrs)[key + std::to_string(number)] = String(import.source);
}

Dict WithoutImports(Dict attrs) {
  std::erase_if(attrs, [](const auto& entry) { return IsImport(entry.first); });
  return attrs;
}

Module GatherImports(const Module& module) {
  Dict attrs = module->attrs;
  std::vector<Func> functions = module->functions;
  bool any = false;
  for (Func& func : functions) {
    const std::vector<Import> own = ImportsIn(func->attrs);
    if (own.empty()) continue;
    any = true;
    for (const Import& import : own) AddImport(&attrs, import);
    func = MakeFunc(func->name, func->params, func->body, WithoutImports(func->attrs),
                    func->return_type);
  }
  return any ? MakeModule(std::move(functions), std::move(attrs)) : module;
}

}  // namespace lathe::ir

#include "backends/c/codegen.h"

#include "backends/c/dialect.h"
#include "ir/imports.h"
#include "ir/names.h"
#include "plugins/sdk/c_source.h"

namespace lathe::c_backend {
namespace {

// A string constant of any bytes, in lines that people can read.
std::string LongString(const std::string& text) {
  constexpr size_t kLine = 96;
  std::string out;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(begin + kLine, text.size());
    // After a word, if there is one.
    if (const size_t gap = text.find_last_of(", ", end - 1);
        end < text.size() && gap != std::string::npos && gap >= begin + kLine / 2)
      end = gap + 1;
    out += (begin == 0 ? "" : "\n    ") + StringLiteral(text.substr(begin, end - begin));
    begin = end;
  }
  return out.empty() ? "\"\"" : out;
}

// {NAME, SYMBOL} for each function of a convention; "" if there are none.
std::string Table(const sdk::CSource& source, const char* type, const char* name,
                  const char* convention, size_t* count) {
  std::string rows;
  for (const sdk::CFunction& function : source.functions) {
    if (function.convention != convention) continue;
    const bool entry = !function.entry_of.empty();
    rows += "  {" + StringLiteral(entry ? function.entry_of : function.name) + ", " +
            function.symbol + "},\n";
    ++*count;
  }
  if (rows.empty()) return "";
  return std::string("static const ") + type + " " + name + "[] = {\n" + rows + "};\n";
}

}  // namespace

Generated Generate(const ir::ModuleNode& module, std::span<const DLTensor* const> constants) {
  std::string imports;
  for (const std::string& source : ir::ImportsOf(module.attrs, "c")) imports += source + "\n";
  HostC dialect(imports);
  sdk::CSource source = sdk::GenerateC(module, dialect, constants);
  Generated out{.source = std::move(source.text)};
  for (const sdk::CFunction& function : source.functions)
    if (function.convention == ir::convention::kPacked) out.functions.push_back(function.name);

  size_t functions = 0, entries = 0;
  std::string tail =
      Table(source, "lathe_artifact_function", "lathe_functions", ir::convention::kPacked,
            &functions) +
      Table(source, "lathe_artifact_entry", "lathe_entries", ir::convention::kUnchecked, &entries);
  const std::string metadata = ir::StringAttr(module.attrs, ir::module_attr::kMetadata);
  const std::string imported = ir::StringAttr(module.attrs, ir::module_attr::kImports);
  tail += "static const char lathe_metadata[] =\n    " + LongString(metadata) + ";\n";
  if (!imported.empty())
    tail += "static const unsigned char lathe_imports[] =\n    " + LongString(imported) + ";\n";
  const auto number = [](size_t value) { return std::to_string(value); };
  tail +=
      "\nconst lathe_artifact lathe_artifact_v1 = {\n    .struct_size = sizeof(lathe_artifact),\n";
  tail += "    .kernel_abi = " + std::to_string(dialect.kernel_abi()) + ",\n";
  tail += "    .table = &lathe_table,\n";
  if (functions != 0)
    tail += "    .functions = lathe_functions,\n    .num_functions = " + number(functions) + ",\n";
  tail +=
      "    .metadata = lathe_metadata,\n    .metadata_size = " + number(metadata.size()) + ",\n";
  if (!imported.empty())
    tail += "    .imports = lathe_imports,\n    .imports_size = " + number(imported.size()) + ",\n";
  if (entries != 0)
    tail += "    .entries = lathe_entries,\n    .num_entries = " + number(entries) + ",\n";
  if (dialect.call_sites() != 0)
    tail += "    .call_sites = lathe_call_sites,\n    .num_call_sites = " +
            number(dialect.call_sites()) + ",\n";
  out.source += "\n" + tail + "};\n";
  return out;
}

}  // namespace lathe::c_backend

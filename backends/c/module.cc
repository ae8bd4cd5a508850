#include "backends/c/module.h"

#include <algorithm>

#include "backends/c/compiler.h"
#include "lathe/abi/names.h"
#include "plugins/sdk/bytes.h"

namespace lathe::c_backend {
namespace {

constexpr std::string_view kMagic = "LATHEC01";
constexpr char kFormat[] = "c";

class Node final : public sdk::ModuleNode {
 public:
  explicit Node(SourceModule module) : module_(std::move(module)) {}

  sdk::Function GetFunction(std::string_view name) override {
    if (std::find(module_.functions.begin(), module_.functions.end(), name) ==
        module_.functions.end())
      return {};
    return [this](const sdk::Args&) -> sdk::Value { ThrowNoCompiler(module_.cc); };
  }
  std::string Save() override { return module_.Save(); }
  std::string Describe(std::string_view what) override {
    if (what == LATHE_DESCRIBE_METADATA) return module_.metadata;
    if (what == LATHE_DESCRIBE_FORMATS) return std::string(LATHE_DESCRIBE_SOURCE) + " " + kFormat;
    return what == LATHE_DESCRIBE_SOURCE || what == kFormat ? module_.source : "";
  }

 private:
  const SourceModule module_;
};

}  // namespace

std::string SourceModule::Save() const {
  sdk::Writer out(kMagic);
  out.Text(source);
  out.Text(metadata);
  out.Text(cc);
  out.Int(static_cast<int64_t>(functions.size()));
  for (const std::string& function : functions) out.Text(function);
  return out.Take();
}

SourceModule SourceModule::Load(std::string_view bytes) {
  sdk::Reader in(kMagic, bytes);
  SourceModule out;
  out.source = in.Text();
  out.metadata = in.Text();
  out.cc = in.Text();
  // A count that is too large ends at the end of the bytes.
  for (int64_t i = in.Int(); i > 0; --i) out.functions.push_back(in.Text());
  if (!in.done())
    throw sdk::Error(LATHE_DATA_LOSS, "module-damaged", "bytes behind the last function");
  return out;
}

std::unique_ptr<sdk::ModuleNode> LoadSourceModule(std::string_view bytes) {
  return std::make_unique<Node>(SourceModule::Load(bytes));
}

sdk::ProbeResult ProbeSourceModule(std::string_view bytes) {
  try {
    const std::string compiler = FindCompiler(SourceModule::Load(bytes).cc);
    if (compiler.empty()) return {};
    return {LATHE_PROBE_RECOMPILE,
            "it was made where there was no C compiler, and here is `" + compiler + "`"};
  } catch (const sdk::Error& error) {
    return {LATHE_PROBE_REFUSE, error.what()};
  }
}

}  // namespace lathe::c_backend

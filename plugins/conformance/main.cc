// Checks plugins: `main FILE...`. Exit code 0 where all pass, 1 where one fails, 2 for wrong usage.
#include <cstdio>
#include <string>

#include "plugins/conformance/hygiene.h"
#include "plugins/host/target_schema.h"
#include "runtime/plugin_loader/plugin_loader.h"

namespace {

using lathe::runtime::PluginInfo;
using lathe::runtime::PluginLoader;
using lathe::runtime::PluginOptions;

int g_failures = 0;

void Report(const std::string& what, const absl::Status& status) {
  std::printf("%-10s %s%s%s\n", what.c_str(), status.ok() ? "ok" : "FAILED",
              status.ok() ? "" : ": ", status.ok() ? "" : std::string(status.message()).c_str());
  if (!status.ok()) ++g_failures;
}

absl::Status Hygiene(const std::string& path) {
  const auto problems = lathe::plugins::CheckHygiene(path);
  if (!problems.ok()) return problems.status();
  std::string text;
  for (const std::string& problem : *problems) text += "\n  " + problem;
  return text.empty() ? absl::OkStatus() : absl::FailedPreconditionError(text);
}

absl::Status Manifest(const std::string& path) {
  const auto manifest = lathe::runtime::ReadManifest(path);
  if (!manifest.ok()) return manifest.status();
  return lathe::plugins::ReadTargetSchemas(*manifest).status();
}

absl::Status Shutdown(PluginLoader& loader) {
  const absl::Status first = loader.Shutdown();
  return first.ok() ? loader.Shutdown() : first;
}

void Check(const std::string& path) {
  std::printf("%s\n", path.c_str());
  Report("hygiene", Hygiene(path));
  Report("manifest", Manifest(path));
  PluginOptions options;  // no cache, no search: this file, now
  PluginLoader loader(options);
  Report("load", loader.Load(path));
  Report("shutdown", Shutdown(loader));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s PLUGIN.so...\n", argv[0]);
    return 2;
  }
  for (int i = 1; i < argc; ++i) Check(argv[i]);
  return g_failures == 0 ? 0 : 1;
}

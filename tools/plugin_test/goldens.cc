#include "tools/plugin_test/goldens.h"

#include <cstdio>
#include <fstream>

#include "ir/binary.h"
#include "tools/plugin_test/programs.h"

namespace lathe::kit {
namespace {

constexpr unsigned char kTileScale[] = {
#include "tools/plugin_test/goldens/tile-scale.inc"
};
constexpr unsigned char kTileMatmul[] = {
#include "tools/plugin_test/goldens/tile-matmul.inc"
};
constexpr unsigned char kFlatScale[] = {
#include "tools/plugin_test/goldens/flat-scale.inc"
};
constexpr unsigned char kFlatMatmul[] = {
#include "tools/plugin_test/goldens/flat-matmul.inc"
};
constexpr unsigned char kKernelsScale[] = {
#include "tools/plugin_test/goldens/kernels-scale.inc"
};
constexpr unsigned char kKernelsMatmul[] = {
#include "tools/plugin_test/goldens/kernels-matmul.inc"
};

template <size_t n>
std::string_view View(const unsigned char (&bytes)[n]) {
  return {reinterpret_cast<const char*>(bytes), n};
}

}  // namespace

std::span<const Golden> Goldens() {
  static const Golden all[] = {
      {"tile", "scale", 1, View(kTileScale)},       {"tile", "matmul", 1, View(kTileMatmul)},
      {"flat", "scale", 1, View(kFlatScale)},       {"flat", "matmul", 1, View(kFlatMatmul)},
      {"kernels", "scale", 1, View(kKernelsScale)}, {"kernels", "matmul", 1, View(kKernelsMatmul)},
  };
  return all;
}

std::string_view GoldenFormOf(const target::TargetSchema& schema) {
  if (!schema.machine.axes.empty()) return "kernels";
  return target::ContractStageName(schema.stage);
}

int WriteGoldens(const std::string& folder, const std::string& plugin) {
  Subject subject;
  subject.path = plugin;
  const auto manifest = runtime::ReadManifest(plugin);
  if (!manifest.ok()) return 2;
  subject.manifest = *manifest;
  const auto schemas = target::ReadTargetSchemas(*manifest);
  if (!schemas.ok() || schemas->empty()) return 2;
  subject.targets = *schemas;
  const std::string form(GoldenFormOf(subject.targets[0]));
  for (const auto& [name, program] :
       {std::pair("scale", ScaleProgram(subject)), std::pair("matmul", MatmulProgram(subject))}) {
    std::ofstream file(folder + "/" + form + "-" + name + ".bin", std::ios::binary);
    file << ir::EncodeModule(LoweredFor(subject, program));
    if (!file.good()) return 2;
  }
  return 0;
}

}  // namespace lathe::kit

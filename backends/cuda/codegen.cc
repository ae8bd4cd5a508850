#include "backends/cuda/codegen.h"

#include <algorithm>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/cuda/barriers.h"
#include "backends/cuda/device.h"
#include "backends/cuda/dialect.h"
#include "backends/cuda/driver.h"
#include "backends/cuda/image.h"
#include "backends/cuda/matrix_loads.h"
#include "backends/cuda/mma.h"
#include "backends/cuda/nvcc.h"
#include "backends/cuda/nvrtc.h"
#include "backends/cuda/prelude.h"
#include "backends/cuda/tensor_memory.h"
#include "backends/cuda/wgmma.h"
#include "base/error.h"
#include "plugins/sdk/c_source.h"
#include "plugins/sdk/ir.h"
#include "target/attribute_names.h"

namespace lathe::cuda {
namespace {

// Attributes of the target (manifest.json).
constexpr char kArch[] = "arch";
constexpr char kArgumentAlignment[] = "argument-alignment";
constexpr char kCode[] = "code";
constexpr char kCompiler[] = "compiler";
constexpr char kFastMath[] = "fast-math";
constexpr char kMaxRegisters[] = "max-registers";
// Values of them.
constexpr char kCodeIsPtx[] = "ptx";
constexpr char kCompilerIsNvcc[] = "nvcc";

// The most static shared memory that a kernel may declare; larger amounts are given by the launch.
constexpr int64_t kMostStaticShared = 48 << 10;

// Adds the functions of the manifest's tensor intrinsics (manifest.json), which generated code
// calls by name.
void AddTensorCores(const sdk::Target& target, std::string* text) {
  std::string functions;
  const auto calls = [&](const std::string& name) { return text->find(name) != text->npos; };
  if (calls("lathe_mma_")) functions += MmaMapping() + kMmaPrelude;
  if (calls("lathe_mma_bf16")) {
    if (ArchNumber(target.Get(kArch)) < 80)
      sdk::CDialect::Unsupported("tensor cores for bfloat16", "they are there from sm_80 on");
    functions += kMmaBfloatPrelude;
  }
  bool tiles = false;
  for (const char* type : {"f16", "bf16"}) {
    for (const MmaTile& tile : kMmaTiles) {
      const std::string rows = std::to_string(tile.rows), columns = std::to_string(tile.columns),
                        name = "lathe_mma_" + std::string(type) + "_m" + rows + "n" + columns;
      if (!calls(name)) continue;
      if (!tiles) functions += kMmaTilePrelude;
      tiles = true;
      functions += "LATHE_MMA_TILE(" + name + ", " +
                   (std::string_view(type) == "f16" ? "__half" : "__nv_bfloat16") + ", " + rows +
                   ", " + columns + ")\n";
    }
  }
  if (calls("lathe_wgmma_")) {
    functions += WgmmaPrelude();
    for (const int n : {64, 128, 256}) {
      const std::string columns = "_n" + std::to_string(n);
      std::string of_types;
      for (const char* type : {"f16", "bf16"}) {
        const std::string name = "lathe_wgmma_" + (type + columns);
        if (calls(name + "(") || calls(name + "_begin(")) of_types += WgmmaFunction(type, n);
      }
      if (!of_types.empty()) functions += WgmmaDrain(n) + of_types;
    }
  }
  *text = functions + *text;
}

// The target with its architecture. The compiler sends canonical targets, which have it; other
// callers of the plugin may not.
sdk::Target WithArch(sdk::Target target) {
  if (target.Get(kArch).empty()) {
    if (FindDriver() == nullptr) {
      throw sdk::Error(LATHE_UNAVAILABLE, "cuda-no-arch",
                       "target `cuda` means this machine's first device, and there is none",
                       "help: say which one the code is for: cuda -arch=sm_80");
    }
    target.attributes[kArch] = ArchOf(0);
  }
  return target;
}

// Adds the functions that load through tensor maps, which are kernel parameters: `lathe_map0`, ...
void AddTensorMaps(const std::vector<std::vector<TensorMap>>& maps, std::string* text) {
  std::set<std::string> macros;
  for (const std::vector<TensorMap>& of_kernel : maps) {
    for (size_t i = 0; i < of_kernel.size(); ++i)
      macros.insert("#define " + TmaFunction(i, of_kernel[i]) +
                    "(to, from, tensor, columns) lathe_tma_load<" +
                    std::to_string(of_kernel[i].box_rows) + ">(lathe_ring, &lathe_map" +
                    std::to_string(i) + ", to, from, tensor, columns)\n");
  }
  if (macros.empty()) return;
  std::string prelude = kTmaPrelude;
  for (const std::string& macro : macros) prelude += macro;
  *text = prelude + *text;
}

struct Generated {
  sdk::CSource source;
  std::vector<std::vector<TensorMap>> maps;  // for each kernel
};

Generated Generate(const ir::Module& module, const sdk::Target& target,
                   std::span<const DLTensor* const> constants) {
  Generated out;
  const std::string& arch = target.Get(kArch);
  CudaDialect dialect(ArchNumber(arch), target.GetInt(kMaxRegisters, 0),
                      target.GetInt(kArgumentAlignment, 1));
  std::vector<ir::Func> functions;
  for (const ir::Func& func : module->functions) {
    std::vector<TensorMap>& maps = out.maps.emplace_back();
    if (UsesWgmma(*func) && arch != "sm_90a") {
      sdk::CDialect::Unsupported("wgmma in code for " + arch,
                                 "Hopper alone has it: cuda -arch=sm_90a");
    }
    functions.push_back(WithoutIdleBarriers(WithMatrixLoads(WithTensorMaps(func, &maps))));
    for (size_t i = 0; i < maps.size(); ++i) {
      const std::string name = "lathe_map" + std::to_string(i);
      dialect.AddParameter(func->name, "const __grid_constant__ lathe_tensor_map " + name);
    }
  }
  out.source =
      sdk::GenerateC(*ir::MakeModule(std::move(functions), module->attrs), dialect, constants);
  sdk::CSource& source = out.source;
  AddTensorMaps(out.maps, &source.text);
  AddTensorCores(target, &source.text);
  for (const sdk::CKernel& kernel : source.kernels) {
    if (kernel.shared_bytes <= kMostStaticShared) continue;
    throw sdk::Error(
        LATHE_INVALID_ARGUMENT, "cuda-static-shared",
        "kernel `" + kernel.name + "` declares " + std::to_string(kernel.shared_bytes) +
            " bytes of shared memory",
        "expected: at most " + std::to_string(kMostStaticShared) +
            "\nhelp: give the stages the scope \"shared.dyn\", whose size the launch gives");
  }
  return out;
}

std::vector<std::string> OptionsOf(const sdk::Target& target) {
  std::vector<std::string> options;
  if (target.GetFlag(kFastMath)) options.push_back("--use_fast_math");
  return options;
}

// The lines of a compiler's log, without the statistics.
std::string Warnings(const std::string& log) {
  std::string out;
  for (size_t begin = 0; begin < log.size();) {
    const size_t end = std::min(log.find('\n', begin), log.size());
    const std::string line = log.substr(begin, end - begin);
    if (line.find("warning") != std::string::npos) out += line + "\n";
    begin = end + 1;
  }
  return out;
}

// The matrix units that the manifest's tensor intrinsics need: mma.sync on m16n8k16, and Hopper's
// wgmma with its loads.
std::string MatrixUnitsOf(const std::string& arch) {
  if (arch == "sm_90a") return "+mma,+tma,+wgmma";
  return ArchNumber(arch) >= 80 ? "+mma" : "";
}

class CudaCodeGen final : public sdk::CodeGenerator {
 public:
  sdk::Target Canonical(sdk::Target target) override {
    target = WithArch(std::move(target));
    const int arch = ArchNumber(target.Get(kArch));
    if (const std::string units = MatrixUnitsOf(target.Get(kArch));
        target.Get(target::attribute::kMattr).empty() && !units.empty())
      target.attributes[target::attribute::kMattr] = units;
    if (target.Get(target::attribute::kMaxSharedMemoryPerBlock).empty())
      target.attributes[target::attribute::kMaxSharedMemoryPerBlock] =
          std::to_string(SharedMemoryOf(arch));
    return target;
  }

  std::string Check(std::string_view ir, const sdk::Target& target) override {
    const ir::Module module = ir::DecodeModule(ir);
    try {
      Generate(module, WithArch(target), {});
    } catch (const lathe::Error& error) {
      return error.what();
    } catch (const sdk::Error& error) {
      return error.what();
    }
    return "";
  }

  sdk::CompileResult Compile(const sdk::CompileRequest& request) override {
    const ir::Module module = ir::DecodeModule(request.ir);
    const sdk::Target target = WithArch(request.target);
    Generated generated = Generate(module, target, {request.constants, request.num_constants});
    sdk::CSource& source = generated.source;
    sdk::CompileResult result;
    result.consumed.assign(request.num_constants, 1);  // the text contains them all
    if (request.output == LATHE_OUTPUT_SOURCE) {
      result.output = std::move(source.text);
      return result;
    }
    if (request.output != LATHE_OUTPUT_MODULE && request.output != LATHE_OUTPUT_ASSEMBLY)
      UnsupportedOutput(request);
    const std::string& arch = target.Get(kArch);
    const bool to_ptx = request.output == LATHE_OUTPUT_ASSEMBLY || target.Get(kCode) == kCodeIsPtx;
    const std::string virtual_arch = "compute_" + arch.substr(arch.find('_') + 1);
    const auto compile = target.Get(kCompiler) == kCompilerIsNvcc ? CompileByNvcc : CompileCuda;
    Compiled compiled =
        compile(source.text, "kernels.cu", to_ptx ? virtual_arch : arch, OptionsOf(target));
    result.log = Warnings(compiled.log);
    if (request.output == LATHE_OUTPUT_ASSEMBLY) {
      result.output = std::move(compiled.code);
      return result;
    }
    Image image;
    image.arch = arch;
    image.is_ptx = to_ptx;
    image.argument_alignment = target.GetInt(kArgumentAlignment, 1);
    image.code = std::move(compiled.code);
    image.source = std::move(source.text);
    image.log = std::move(compiled.log);
    image.metadata = sdk::MetadataOf(module);
    image.maps = std::move(generated.maps);
    for (size_t i = 0; i < module->functions.size(); ++i) {
      image.kernels.push_back(sdk::KernelOf(*module->functions[i]));
      image.symbols.push_back(source.kernels.at(i).symbol);
    }
    result.output = WriteImage(image);
    result.module_kind = "cuda";
    return result;
  }
};

}  // namespace

int64_t SharedMemoryOf(int arch) {
  switch (arch) {
    case 75:
      return 64 << 10;
    case 80:
    case 87:
      return 163 << 10;
    case 90:
    case 100:
    case 103:
      return 227 << 10;
    default:
      return 99 << 10;
  }
}

std::unique_ptr<sdk::CodeGenerator> MakeCudaCodeGen() { return std::make_unique<CudaCodeGen>(); }

}  // namespace lathe::cuda

#include "backends/opencl/codegen.h"

#include "backends/opencl/dialect.h"
#include "base/error.h"
#include "ir/names.h"
#include "plugins/sdk/ir.h"

namespace lathe::opencl_backend {
namespace {

constexpr std::string_view kMagic = "LOCL0001";
// Attributes of the target (manifest.json).
constexpr char kBuildOptions[] = "build-options";
constexpr char kFp64[] = "fp64";

// True if the target has this attribute set; the manifest has the default.
bool Has(const sdk::Target& target, const char* key) {
  return target.attributes.count(key) == 0 || target.GetFlag(key);
}

void Refuse(const char* name, const std::string& what, const char* key) {
  throw lathe::Error(Diagnostic{.name = name,
                                .message = what + ", which the target does not have",
                                .found = "-" + std::string(key) + "=0 in the target",
                                .help = "cast to float32 in the program"});
}

void CheckLimits(const sdk::CKernel& kernel, const sdk::Target& target) {
  const auto check = [&](const char* key, int64_t value, const char* what) {
    const int64_t most = target.GetInt(key, 0);
    if (most <= 0 || value <= most) return;
    throw lathe::Error(Diagnostic{
        .name = "device-limit",
        .message = "the kernel `" + kernel.name + "` needs " + std::to_string(value) + " " + what,
        .expected = "at most " + std::to_string(most) + " (-" + std::string(key) + ")",
        .found = std::to_string(value),
        .help = "split the loops that are bound to threads further"});
  };
  check("max-threads-per-block", kernel.BlockThreads(), "threads in a block");
  check("max-shared-memory-per-block", kernel.shared_bytes, "bytes of shared memory in a block");
}

}  // namespace

std::string Program::Save() const {
  sdk::Writer out(kMagic);
  out.Text(source);
  out.Text(metadata);
  out.Text(options);
  out.Int((fp16 ? 1 : 0) | (fp64 ? 2 : 0) | (long_atomics ? 4 : 0));
  out.Int(static_cast<int64_t>(kernels.size()));
  for (const KernelEntry& entry : kernels) {
    sdk::WriteKernel(entry.kernel, &out);
    out.Text(entry.symbol);
    for (const ImageParam& image : entry.images)
      out.Ints(
          {image.is_image ? 1 : 0, image.rows, image.columns, image.dtype.code, image.dtype.bits});
  }
  return out.Take();
}

Program Program::Load(std::string_view bytes) {
  sdk::Reader in(kMagic, bytes);
  Program out;
  out.source = in.Text();
  out.metadata = in.Text();
  out.options = in.Text();
  const int64_t flags = in.Int();
  out.fp16 = (flags & 1) != 0;
  out.fp64 = (flags & 2) != 0;
  out.long_atomics = (flags & 4) != 0;
  // A count that is too large ends at the end of the bytes.
  for (int64_t i = in.Int(); i > 0; --i) {
    KernelEntry& entry = out.kernels.emplace_back();
    entry.kernel = sdk::ReadKernel(&in);
    entry.symbol = in.Text();
    for (size_t p = 0; p < entry.kernel.params.size(); ++p) {
      const std::vector<int64_t> image = in.Ints();
      if (image.size() != 5)
        throw sdk::Error(
            LATHE_DATA_LOSS, "module-damaged",
            "a kernel's parameter is described by " + std::to_string(image.size()) + " numbers");
      entry.images.push_back(
          {.is_image = image[0] != 0,
           .rows = image[1],
           .columns = image[2],
           .dtype = {static_cast<uint8_t>(image[3]), static_cast<uint8_t>(image[4]), 1}});
    }
  }
  if (!in.done())
    throw sdk::Error(LATHE_DATA_LOSS, "module-damaged", "bytes behind the last kernel");
  return out;
}

Program Generate(const ir::ModuleNode& module, const sdk::Target& target,
                 std::span<const DLTensor* const> constants) {
  OpenClC dialect;
  sdk::CSource source = sdk::GenerateC(module, dialect, constants);
  Program out;
  out.source = std::move(source.text);
  out.fp16 = dialect.uses_fp16();
  out.fp64 = dialect.uses_fp64();
  out.long_atomics = dialect.uses_long_atomics();
  out.options = target.Get(kBuildOptions);
  out.metadata = ir::StringAttr(module.attrs, ir::module_attr::kMetadata);
  if (out.fp64 && !Has(target, kFp64))
    Refuse("opencl-no-fp64", "a kernel computes in float64", kFp64);
  for (size_t i = 0; i < source.kernels.size(); ++i) {
    const sdk::CKernel& kernel = source.kernels[i];
    CheckLimits(kernel, target);
    KernelEntry entry{.kernel = sdk::KernelOf(*module.functions[i]), .symbol = kernel.symbol};
    for (const sdk::CParameter& p : kernel.parameters)
      entry.images.push_back(
          {.is_image = p.is_image, .rows = p.rows, .columns = p.columns, .dtype = p.dtype.dl()});
    out.kernels.push_back(std::move(entry));
  }
  return out;
}

}  // namespace lathe::opencl_backend

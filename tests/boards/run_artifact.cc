// run_artifact ARTEFACT FUNCTION FILE.npy...: calls a compiled function with the runtime alone, as
// a board does: a kernel, or the plan of a graph. Every argument is a tensor, outputs included.
// Each file is written back afterwards.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "runtime/artifact/artifact_module.h"
#include "runtime/graph/plan_module.h"
#include "runtime/init.h"
#include "runtime/tensor.h"
#include "tools/lathe/npy.h"

namespace {

int Run(int argc, char** argv) {
  using namespace lathe;  // NOLINT: a program of one function
  if (argc < 3) {
    std::fprintf(stderr, "usage: run_artifact ARTEFACT FUNCTION FILE.npy...\n");
    return 2;
  }
  auto fail = [](const auto& status) {
    std::fprintf(stderr, "run_artifact: %s\n", std::string(status.message()).c_str());
    return 1;
  };
  runtime::Initialize();
  if (const absl::Status status = runtime::graph::RegisterGraph(); !status.ok())
    return fail(status);
  const auto module = runtime::LoadArtifact(argv[1]);
  if (!module.ok()) return fail(module.status());
  const auto function = module->GetFunction(argv[2]);
  if (!function.ok()) return fail(function.status());
  std::vector<runtime::Tensor> tensors;
  for (int i = 3; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const auto tensor = cli::DecodeNpy(bytes, argv[i]);
    if (!tensor.ok()) return fail(tensor.status());
    tensors.push_back(*tensor);
  }
  std::vector<lathe_value> values;
  for (const runtime::Tensor& tensor : tensors) {
    values.push_back(runtime::internal::Outgoing<runtime::Tensor>(tensor).value);
  }
  const auto result = function->TryCallPacked(values.data(), static_cast<int32_t>(values.size()));
  if (!result.ok()) return fail(result.status());
  for (size_t i = 0; i < tensors.size(); ++i) {
    const auto bytes = cli::EncodeNpy(tensors[i]);
    if (!bytes.ok()) return fail(bytes.status());
    std::ofstream(argv[i + 3], std::ios::binary | std::ios::trunc) << *bytes;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return Run(argc, argv); }

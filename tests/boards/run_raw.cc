// run_raw ARTEFACT FUNCTION [DTYPE,EXTENT,...=FILE]...: like run_artifact, for tensors of any
// element type. Each file holds the elements as they lie in memory, and is written back afterwards.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/artifact/artifact_module.h"
#include "runtime/init.h"
#include "runtime/tensor.h"

namespace {

int Fail(const std::string& message) {
  std::fprintf(stderr, "run_raw: %s\n", message.c_str());
  return 1;
}

int Run(int argc, char** argv) {
  using namespace lathe;  // NOLINT: a program of one function
  if (argc < 3) return Fail("usage: run_raw ARTEFACT FUNCTION [DTYPE,EXTENT,...=FILE]...");
  runtime::Initialize();
  const auto module = runtime::LoadArtifact(argv[1]);
  if (!module.ok()) return Fail(std::string(module.status().message()));
  const auto function = module->GetFunction(argv[2]);
  if (!function.ok()) return Fail(std::string(function.status().message()));
  std::vector<runtime::Tensor> tensors;
  std::vector<std::string> files;
  for (int i = 3; i < argc; ++i) {
    const std::string text = argv[i];
    const size_t equals = text.find('=');
    std::istringstream parts(text.substr(0, equals));
    std::string part;
    std::getline(parts, part, ',');
    DataType dtype;
    if (equals == std::string::npos || !DataType::Parse(part, &dtype)) return Fail("bad " + text);
    std::vector<int64_t> shape;
    while (std::getline(parts, part, ',')) shape.push_back(std::atoll(part.c_str()));
    tensors.push_back(*runtime::Tensor::Empty(shape, dtype));
    files.push_back(text.substr(equals + 1));
    std::ifstream file(files.back(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const auto wanted = static_cast<size_t>(tensors.back().num_elements() * dtype.bytes());
    if (bytes.size() != wanted) return Fail("another size: " + text);
    std::memcpy(tensors.back().dl().data, bytes.data(), wanted);
  }
  std::vector<lathe_value> values;
  for (const runtime::Tensor& tensor : tensors) {
    values.push_back(runtime::internal::Outgoing<runtime::Tensor>(tensor).value);
  }
  const auto result = function->TryCallPacked(values.data(), static_cast<int32_t>(values.size()));
  if (!result.ok()) return Fail(std::string(result.status().message()));
  for (size_t i = 0; i < tensors.size(); ++i) {
    std::ofstream(files[i], std::ios::binary | std::ios::trunc)
        .write(static_cast<const char*>(tensors[i].dl().data),
               tensors[i].num_elements() * tensors[i].dtype().bytes());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return Run(argc, argv); }

// run_artifact FILE KIND: loads what the test exported, with the runtime alone, and runs its
// function "scale" (A, B: float32[n], B = A * 2 + 1) on KIND:1. Prints "right" if the result is
// right.
#include <cstdio>
#include <vector>

#include "runtime/init.h"
#include "runtime/module.h"
#include "runtime/status.h"
#include "runtime/tensor.h"

constexpr int64_t kShape[] = {1000};

int main(int argc, char** argv) {
  using namespace lathe::runtime;  // NOLINT: a small program
  if (argc != 3) return 2;
  Initialize();
  const auto module = LoadModuleFile(argv[1]);
  if (!module.ok()) {
    std::puts(module.status().ToString().c_str());
    return 1;
  }
  const Device device = Device::Parse(argv[2]);
  std::vector<float> values(1000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const auto a = Tensor::FromHost(values.data(), values.size() * 4, kShape,
                                  lathe::DataType::Float(32), device);
  const auto b = Tensor::Empty(kShape, lathe::DataType::Float(32), device);
  if (!a.ok() || !b.ok()) return 1;
  const auto function = module->GetFunction("scale");
  if (!function.ok()) return 1;
  const auto called = function->TryCall(*a, *b);
  if (!called.ok()) {
    std::puts(called.status().ToString().c_str());
    return 1;
  }
  const auto host = Tensor::Empty(kShape, lathe::DataType::Float(32));
  if (!host.ok() || !host->CopyFrom(*b).ok()) return 1;
  const float* got = static_cast<const float*>(host->dl().data);
  for (size_t i = 0; i < values.size(); ++i)
    if (got[i] != values[i] * 2 + 1) return 1;
  std::puts("right");
  return 0;
}

#include "tests/cuda/run_case.h"

#include <cstring>
#include <stdexcept>

#include "runtime/device.h"
#include "runtime/status.h"
#include "te/evaluator.h"
#include "tests/cuda/reference.h"

namespace lathe {

using runtime::Tensor;

DeviceArguments::DeviceArguments(const lower::TestArguments& from, const std::string& device) {
  for (const ir::InterpValue& value : from.values) {
    if (value.tensor == nullptr) {
      values.push_back({LATHE_VALUE_INT, 0, {.v_int = value.i}});
      tensors.emplace_back();
      continue;
    }
    const ir::InterpTensor& tensor = *value.tensor;
    uint64_t bytes = static_cast<uint64_t>(tensor.dtype.bytes());
    for (const int64_t extent : tensor.shape) bytes *= static_cast<uint64_t>(extent);
    auto made = Tensor::FromHost(tensor.data, bytes, tensor.shape, tensor.dtype,
                                 runtime::Device::Parse(device));
    if (!made.ok()) throw std::runtime_error(std::string(made.status().message()));
    tensors.push_back(*made);
    values.push_back({LATHE_VALUE_OBJECT, 0, {.v_object = &made->get()->object}});
  }
}

absl::Status DeviceArguments::Call(const runtime::Module& module,
                                   const std::string& function) const {
  return module.FindFunction(function)
      .TryCallPacked(values.data(), static_cast<int32_t>(values.size()))
      .status();
}

std::string CheckCase(const Case& test, const runtime::Module& module, const ir::Module& loops,
                      const std::string& device) {
  const lower::TestArguments given = lower::MakeArguments(loops->functions[0], test.sizes, 7);
  lower::TestArguments expected = lower::MakeArguments(loops->functions[0], test.sizes, 7);
  ir::InterpretOptions options;
  options.call_extern = CallCuda;
  te::Evaluate(test.args, expected.values, options);
  const DeviceArguments arguments(given, device);
  if (const absl::Status called = arguments.Call(module, test.name); !called.ok())
    return std::string(called.message());
  for (size_t i = 0; i < arguments.tensors.size(); ++i) {
    if (arguments.tensors[i].get() == nullptr) continue;
    const uint64_t bytes = arguments.tensors[i].num_bytes();
    std::vector<char> got(bytes);
    const absl::Status copied = arguments.tensors[i].CopyToHost(got.data(), bytes);
    if (!copied.ok()) return std::string(copied.message());
    if (std::memcmp(got.data(), expected.memory[i].data(), bytes) != 0) {
      return test.name + ": argument " + std::to_string(i) + " on " + device + "\n" +
             module->imports().at(0)->Source("source").value_or("");
    }
  }
  return "";
}

}  // namespace lathe

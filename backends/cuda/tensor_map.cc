#include "backends/cuda/tensor_map.h"

#include <string>

#include "plugins/sdk/value.h"

namespace lathe::cuda {
namespace {

constexpr cuuint32_t kBoxColumns = 64;
constexpr uint64_t kElement = 2;  // bytes

int64_t ValueOf(const LaunchNumber& number, const sdk::Kernel& kernel, const sdk::Launch& launch) {
  int64_t value = number.constant;
  for (const int64_t param : number.params) {
    const auto i = static_cast<size_t>(param);
    const uint64_t raw = launch.values.at(i);
    value *= kernel.params.at(i).dtype.bits == 32 ? static_cast<int32_t>(raw)
                                                  : static_cast<int64_t>(raw);
  }
  return value;
}

}  // namespace

std::vector<CUtensorMap> EncodeTensorMaps(const std::vector<TensorMap>& maps,
                                          const sdk::Kernel& kernel, const sdk::Launch& launch,
                                          Context& context) {
  std::vector<CUtensorMap> out(maps.size());
  for (size_t i = 0; i < maps.size(); ++i) {
    const TensorMap& map = maps[i];
    const auto param = static_cast<size_t>(map.param);
    const int64_t columns = ValueOf(map.columns, kernel, launch),
                  elements = ValueOf(map.elements, kernel, launch);
    const auto refuse = [&](const std::string& why) {
      throw sdk::Error(LATHE_INVALID_ARGUMENT, "cuda-tensor-map",
                       "kernel `" + kernel.name + "`: TMA cannot read parameter `" +
                           kernel.params[param].name + "`, rows of " + std::to_string(columns) +
                           " elements of 16 bits: " + why,
                       "expected: memory that begins at a multiple of 16 bytes, rows of a multiple "
                       "of 8 elements");
    };
    if (context.driver().cuTensorMapEncodeTiled == nullptr) refuse("the driver is older than 12.0");
    if (columns <= 0 || elements <= 0) refuse("it has no elements");
    const cuuint64_t shape[] = {static_cast<cuuint64_t>(columns),
                                static_cast<cuuint64_t>((elements + columns - 1) / columns)};
    const cuuint64_t strides[] = {static_cast<cuuint64_t>(columns) * kElement};
    const cuuint32_t box[] = {kBoxColumns, static_cast<cuuint32_t>(map.box_rows)};
    const cuuint32_t steps[] = {1, 1};
    const CUresult result = context.driver().cuTensorMapEncodeTiled(
        &out[i],
        map.is_bfloat16 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2,
        reinterpret_cast<void*>(launch.values.at(param)), shape, strides, box, steps,
        CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
        CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result == CUDA_ERROR_INVALID_VALUE) refuse(ErrorText(context.driver(), result));
    context.Check(result, "describing a tensor for TMA");
  }
  return out;
}

}  // namespace lathe::cuda

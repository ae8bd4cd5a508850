#include "runtime/device_words.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "runtime/device_api.h"
#include "runtime/registry.h"
#include "runtime/status.h"
#include "runtime/tensor.h"
#include "runtime/test_device.h"

namespace lathe::runtime {
namespace {

class DeviceWords : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ASSERT_TRUE(RegisterDeviceWords().ok());
    auto* api = new TestDevice(RegisterDeviceKind("words_test").value(), /*strided=*/false);
    ASSERT_TRUE(RegisterDeviceAPI(api).ok());
  }
  static absl::StatusOr<Value> Load(const Tensor& words, int64_t index) {
    return FindGlobal(kDeviceLoad).TryCall(words, index);
  }
  static absl::StatusOr<Value> Store(const Tensor& words, int64_t index, int64_t value) {
    return FindGlobal(kDeviceStore).TryCall(words, index, value);
  }
};

TEST_F(DeviceWords, GoThereAndBack) {
  for (const Device device : {Device::Cpu(), Device::Parse("words_test")}) {
    for (const int bits : {32, 64}) {
      const Tensor words = *Tensor::Empty({3}, DataType::Int(bits), device);
      const int64_t large = bits == 64 ? int64_t{1} << 40 : 1 << 30;
      ASSERT_TRUE(Store(words, 0, 1).ok());
      ASSERT_TRUE(Store(words, 2, -large).ok());
      ASSERT_TRUE(Store(words, 1, large).ok());
      EXPECT_EQ(Load(words, 0)->As<int64_t>(), 1);
      EXPECT_EQ(Load(words, 1)->As<int64_t>(), large);
      EXPECT_EQ(Load(words, 2)->As<int64_t>(), -large);
    }
  }
}

TEST_F(DeviceWords, OtherTensorsAndPlacesAreRefused) {
  const Tensor words = *Tensor::Empty({3}, DataType::Int(32));
  EXPECT_EQ(StatusName(Load(words, 3).status()), "device-word");
  EXPECT_EQ(StatusName(Store(words, -1, 0).status()), "device-word");
  EXPECT_EQ(StatusName(Load(*Tensor::Empty({3}, DataType::Float(32)), 0).status()), "device-word");
  EXPECT_EQ(StatusName(Load(*Tensor::Empty({3, 1}, DataType::Int(32)), 0).status()), "device-word");
}

}  // namespace
}  // namespace lathe::runtime

#include "runtime/device_constants.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "runtime/device_api.h"
#include "runtime/launch.h"
#include "runtime/status.h"
#include "runtime/tensor.h"
#include "runtime/test_device.h"

namespace lathe::runtime {
namespace {

class DeviceConstants : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    api_ = new TestDevice(RegisterDeviceKind("constants_test").value(), /*strided=*/false);
    ASSERT_TRUE(RegisterDeviceAPI(api_).ok());
  }
  void SetUp() override {
    api_->set_limit(1 << 20);
    SetLaunchDevice({api_->kind(), 0, 0});
  }
  void* CopyOf(const std::string& data) {
    return function_(static_cast<void*>(const_cast<char*>(data.data())),
                     static_cast<int64_t>(data.size()))
        .As<void*>();
  }

  static inline TestDevice* api_;
  const std::string first_ = std::string(5000, 'a'), second_ = std::string(6000, 'b');
  Function function_ = MakeDeviceConstants();
};

TEST_F(DeviceConstants, AreCopiedOncePerDevice) {
  const int before = api_->copies();
  void* const there = CopyOf(first_);
  EXPECT_EQ(CopyOf(first_), there);
  EXPECT_EQ(api_->copies(), before + 1);
  EXPECT_NE(CopyOf(second_), there);
  SetLaunchDevice({api_->kind(), 1, 0});
  EXPECT_NE(CopyOf(first_), there);
  EXPECT_EQ(api_->copies(), before + 3);
  // What the device has is the constant.
  std::string back(first_.size(), ' ');
  const int64_t shape[] = {static_cast<int64_t>(back.size())};
  const Tensor copy = Tensor::Wrap(
      there, 0, shape, {}, DataType::UInt(8), {api_->kind(), 0, 0}, [](void*) {}, nullptr);
  ASSERT_TRUE(copy.CopyToHost(back.data(), back.size()).ok());
  EXPECT_EQ(back, first_);
}

TEST_F(DeviceConstants, LiveAsLongAsTheFunction) {
  const size_t before = api_->live();
  CopyOf(first_), CopyOf(second_);
  EXPECT_EQ(api_->live(), before + 2);
  const Function other = function_;
  function_ = nullptr;
  EXPECT_EQ(api_->live(), before + 2);
  const_cast<Function&>(other) = nullptr;
  EXPECT_EQ(api_->live(), before);
  EXPECT_EQ(api_->bad_frees(), 0);
}

TEST_F(DeviceConstants, AFullDeviceIsAskedAgain) {
  api_->set_limit(5500);
  CopyOf(first_);
  const auto failed = function_.TryCall(static_cast<void*>(const_cast<char*>(second_.data())),
                                        static_cast<int64_t>(second_.size()));
  EXPECT_EQ(StatusName(failed.status()), "device-out-of-memory");
  api_->set_limit(1 << 20);
  EXPECT_NE(CopyOf(second_), nullptr);
}

TEST_F(DeviceConstants, ThreadsGetOneCopy) {
  const int before = api_->copies();
  std::vector<void*> found(8);
  std::vector<std::thread> threads;
  for (void*& one : found) {
    threads.emplace_back([&] {
      SetLaunchDevice({api_->kind(), 0, 0});
      one = CopyOf(first_);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(found, std::vector<void*>(8, found[0]));
  EXPECT_EQ(api_->copies(), before + 1);
}

}  // namespace
}  // namespace lathe::runtime

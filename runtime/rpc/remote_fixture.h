// For tests of a session whose far side is another thread of this process.
#pragma once

#include <gtest/gtest.h>

#include <numeric>
#include <utility>
#include <vector>

#include "runtime/registry.h"
#include "runtime/rpc/remote_session.h"
#include "runtime/rpc/testing.h"
#include "runtime/status.h"
#include "runtime/tensor.h"

namespace lathe::runtime::rpc {

inline constexpr DataType kFloat = DataType::Float(32);

// 0, 1, 2, ... on the device.
inline Tensor Iota(std::vector<int64_t> shape, const Device& device) {
  Tensor tensor = *Tensor::Empty(shape, kFloat);
  std::iota(tensor.HostData<float>(), tensor.HostData<float>() + tensor.num_elements(), 0.0f);
  return *tensor.To(device);
}
inline float First(const Tensor& tensor) {
  return *tensor.To(Device::Cpu())->HostData<const float>();
}

template <class F>
void Export(const char* name, F&& body) {
  ASSERT_TRUE(RegisterGlobal(name, Function::From(std::forward<F>(body), name), Override::kReplace,
                             Exported::kYes)
                  .ok());
}

struct Remote : testing::Test {
  ~Remote() override {
    session->Close();
    EXPECT_EQ(StatusName(far.Join()), "link-lost");
  }
  FarSide far;
  Ref<RemoteSession> session = far.Connect();
  Device device = session->device(kDLCPU);
};

}  // namespace lathe::runtime::rpc

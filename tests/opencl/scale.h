// B = A * 2 + 1 over blocks of threads: the smallest program that launches a kernel.
#pragma once

#include <string>
#include <vector>

#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "gtest/gtest.h"
#include "runtime/device_api.h"
#include "runtime/module.h"
#include "runtime/status.h"
#include "runtime/tensor.h"
#include "schedule/primitives/primitives.h"
#include "target/target.h"
#include "te/operation.h"

namespace lathe::opencl_tests {

struct Scale {
  using Body = std::function<ir::Expr(const ir::Expr&)>;
  explicit Scale(
      int64_t threads = 32, DataType dtype = DataType::Float(32),
      const Body& body = [](const ir::Expr& x) { return x * 2 + 1; }) {
    n = ir::MakeSizeVar("n");
    a = te::Placeholder({n}, dtype, "A");
    b = te::Compute({n}, [&](const te::Indices& i) { return body(te::At(a, {i[0]})); }, "B");
    s = schedule::CreateSchedule({b->op});
    auto [io, ii] = schedule::Split(s[b], schedule::AxisOf(b, 0), threads);
    schedule::Bind(s[b], io, schedule::ThreadAxis("blockIdx.x"));
    schedule::Bind(s[b], ii, schedule::ThreadAxis("threadIdx.x"));
  }
  ir::Module Loops() const { return driver::Lower(s, {a, b}, "scale", {}); }
  absl::StatusOr<runtime::Module> Build(const std::string& attributes = "",
                                        const std::string& kind = "opencl") const {
    return driver::Build(Loops(), target::ParseTarget(kind + attributes), {});
  }
  ir::Var n;
  te::Tensor a, b;
  schedule::Schedule s;
};

inline runtime::Device OpenCl(int id = 0) {
  runtime::Device device = runtime::Device::Parse("opencl");
  device.id = id;
  return device;
}

inline runtime::Tensor OnDevice(const std::vector<float>& values, int id = 0) {
  const int64_t shape[] = {static_cast<int64_t>(values.size())};
  auto tensor = runtime::Tensor::FromHost(values.data(), values.size() * 4, shape,
                                          DataType::Float(32), OpenCl(id));
  EXPECT_TRUE(tensor.ok()) << tensor.status();
  return *tensor;
}

inline std::vector<float> ToHost(const runtime::Tensor& tensor) {
  int64_t count = 1;
  for (int64_t extent : tensor.shape()) count *= extent;
  std::vector<float> out(static_cast<size_t>(count));
  const absl::Status status = tensor.CopyToHost(out.data(), out.size() * 4);
  EXPECT_TRUE(status.ok()) << status;
  return out;
}

}  // namespace lathe::opencl_tests

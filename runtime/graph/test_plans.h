// Writes plans in a few lines, for tests.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "runtime/graph/plan.h"

namespace lathe::runtime::graph {

// Every method returns the number of the new entry.
class PlanBuilder {
 public:
  explicit PlanBuilder(std::string name = "main") { plan.name = std::move(name); }

  int32_t Constant(int64_t value) { return Add(plan.sizes, {PlanSize::Kind::kConstant, value}); }
  int32_t Real(double value) { return Constant(std::bit_cast<int64_t>(value)); }
  int32_t Extent(int32_t input, int32_t axis) {
    return Add(plan.sizes, {PlanSize::Kind::kExtent, 0, input, axis});
  }
  int32_t Size(PlanSize::Kind kind, int32_t a, int32_t b) {
    return Add(plan.sizes, {kind, 0, a, b});
  }

  // Tensors of float32, if not stated otherwise.
  int32_t Input(const std::string& name, std::vector<int32_t> shape) {
    const int32_t tensor = Tensor(name, std::move(shape), PlanTensor::Memory::kInput,
                                  static_cast<int32_t>(plan.inputs.size()));
    plan.inputs.push_back({name, tensor});
    return tensor;
  }
  int32_t Weight(const std::string& name, std::vector<int32_t> shape, Digest digest = {}) {
    const int32_t tensor = Tensor(name, std::move(shape), PlanTensor::Memory::kConstant,
                                  static_cast<int32_t>(plan.constants.size()));
    plan.constants.push_back({name, tensor, digest});
    return tensor;
  }
  int32_t Arena(std::vector<int32_t> shape, DataType dtype = DataType::Float(32)) {
    const int32_t tensor = Tensor("", std::move(shape), PlanTensor::Memory::kArena, 0);
    plan.tensors.back().dtype = dtype;
    return tensor;
  }
  int32_t Alias(int32_t of, std::vector<int32_t> shape) {
    return Tensor("", std::move(shape), PlanTensor::Memory::kAlias, of);
  }
  int32_t Tensor(const std::string& name, std::vector<int32_t> shape, PlanTensor::Memory memory,
                 int32_t index) {
    return Add(plan.tensors, {name, DataType::Float(32), std::move(shape), memory, index, 0});
  }

  // A further device; tensors are on the host until OnDevice says otherwise.
  int32_t Device(const std::string& kind, int32_t slot = 0) {
    return Add(plan.devices, {kind, slot});
  }
  // Returns the tensor.
  int32_t OnDevice(int32_t tensor, int32_t device) {
    plan.tensors[static_cast<size_t>(tensor)].device = device;
    return tensor;
  }

  // The last buffer is written.
  int32_t Step(const std::string& kernel, std::vector<int32_t> buffers,
               std::vector<std::pair<std::string, int32_t>> sizes = {}) {
    PlanStep step;
    step.kernel = kernel;
    step.writes.assign(buffers.size(), 0);
    if (!buffers.empty()) step.writes.back() = 1;
    step.buffers = std::move(buffers);
    for (auto& [name, size] : sizes) {
      step.size_names.push_back(name);
      step.sizes.push_back(size);
    }
    step.location = kernel + "_" + std::to_string(plan.steps.size());
    return Add(plan.steps, std::move(step));
  }

  int32_t Prefix(int32_t of, std::vector<int32_t> shape) {
    return Tensor("", std::move(shape), PlanTensor::Memory::kPrefix, of);
  }
  int32_t Part(int32_t of, std::vector<int32_t> shape, uint64_t offset) {
    const int32_t part = Tensor("", std::move(shape), PlanTensor::Memory::kPart, of);
    plan.tensors.back().offset = offset;
    return part;
  }
  int32_t Run() { return Add(plan.sizes, {PlanSize::Kind::kRun}); }

  int32_t Copy(int32_t from, int32_t to) {
    const int32_t step = Step("", {from, to});
    plan.steps.back().kind = PlanStep::Kind::kCopy;
    return step;
  }
  int32_t Bind(int32_t tensor, int32_t size, int64_t element = 0) {
    const int32_t step = Step("", {tensor}, {{"", size}});
    plan.steps.back().kind = PlanStep::Kind::kBindSize;
    plan.steps.back().writes = {0};
    plan.steps.back().element = element;
    return step;
  }
  // The blocks add their steps when they are called.
  template <class First, class Second>
  void Blocks(PlanStep::Kind kind, int32_t condition, First first, Second second) {
    const auto step = static_cast<size_t>(Step("", {condition}));
    plan.steps[step].kind = kind;
    plan.steps[step].writes = {0};
    first();
    const size_t middle = plan.steps.size();
    second();
    plan.steps[step].first = static_cast<int32_t>(middle - step - 1);
    plan.steps[step].second = static_cast<int32_t>(plan.steps.size() - middle);
  }
  template <class Then, class Else>
  void If(int32_t condition, Then then_block, Else else_block) {
    Blocks(PlanStep::Kind::kIf, condition, then_block, else_block);
  }
  template <class Condition, class Body>
  void Loop(int32_t condition, Condition condition_block, Body body) {
    Blocks(PlanStep::Kind::kLoop, condition, condition_block, body);
  }

  Plan plan;

 private:
  template <class T>
  static int32_t Add(std::vector<T>& list, T item) {
    list.push_back(std::move(item));
    return static_cast<int32_t>(list.size()) - 1;
  }
};

}  // namespace lathe::runtime::graph

// The checks of a plan. Each table is checked against those before it, each entry once.
#include <set>
#include <string>
#include <unordered_set>
#include <utility>

#include "runtime/graph/check_plan.h"
#include "runtime/graph/plan.h"
#include "runtime/graph/sizes.h"
#include "runtime/status.h"
#include "runtime/tensor.h"

namespace lathe::runtime::graph {
namespace {

using Memory = PlanTensor::Memory;

constexpr uint32_t kMaxAlignment = 64;
constexpr int32_t kMaxSlot = 1023;
constexpr std::string_view kHostKind = "cpu";

class Checker {
 public:
  explicit Checker(const Plan& plan) : plan_(plan) {}

  absl::Status Run() {
    LATHE_RETURN_IF_ERROR(CheckDevices());
    LATHE_RETURN_IF_ERROR(CheckSizes());
    known_ = KnownSizes(plan_);
    runs_ = RunSizes(plan_);
    LATHE_RETURN_IF_ERROR(CheckTensors());
    LATHE_RETURN_IF_ERROR(CheckInputs());
    LATHE_RETURN_IF_ERROR(CheckConstants());
    LATHE_RETURN_IF_ERROR(CheckConditions());
    return CheckSteps(plan_, roots_, bytes_);
  }

 private:
  absl::Status CheckDevices() const {
    if (plan_.devices.empty()) return Malformed("device", 0, "the host is missing");
    std::set<std::pair<std::string_view, int32_t>> seen;
    for (size_t i = 0; i < plan_.devices.size(); ++i) {
      const PlanDevice& device = plan_.devices[i];
      if ((device.kind == kHostKind) != (i == 0))
        return Malformed("device", i, "the host is number 0, and no other one");
      if (device.kind.empty()) return Malformed("device", i, "it has no kind");
      if (device.slot < 0 || device.slot > (i == 0 ? 0 : kMaxSlot))
        return Malformed("device", i, "there is no such slot");
      if (!seen.emplace(device.kind, device.slot).second)
        return Malformed("device", i, "another entry is the same device");
    }
    return absl::OkStatus();
  }

  // Extents of inputs are checked with the inputs.
  absl::Status CheckSizes() {
    for (size_t i = 0; i < plan_.sizes.size(); ++i) {
      const PlanSize& size = plan_.sizes[i];
      if (size.kind > PlanSize::Kind::kRun) return Malformed("size", i, "its kind is unknown");
      if (size.kind == PlanSize::Kind::kConstant || size.kind == PlanSize::Kind::kRun) continue;
      if (size.kind == PlanSize::Kind::kExtent) {
        if (!IsBelow(size.a, plan_.inputs.size()))
          return Malformed("size", i, "there is no such input");
        const int32_t tensor = plan_.inputs[static_cast<size_t>(size.a)].tensor;
        if (!IsBelow(tensor, plan_.tensors.size()) ||
            !IsBelow(size.b, plan_.tensors[static_cast<size_t>(tensor)].shape.size()))
          return Malformed("size", i, "the input has no such dimension");
      } else if (!IsBelow(size.a, i) || !IsBelow(size.b, i)) {
        return Malformed("size", i, "it refers to a size that is not before it");
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckTensors() {
    roots_.resize(plan_.tensors.size());
    bytes_.resize(plan_.tensors.size());
    ends_of_parts_.resize(plan_.tensors.size());
    for (size_t i = 0; i < plan_.tensors.size(); ++i) {
      const PlanTensor& tensor = plan_.tensors[i];
      if (!IsElementType(tensor.dtype)) return Malformed("tensor", i, "its element type");
      if (tensor.shape.size() > static_cast<size_t>(kMaxRank))
        return Malformed("tensor", i, "it has too many dimensions");
      for (const int32_t size : tensor.shape) {
        if (!IsBelow(size, plan_.sizes.size()))
          return Malformed("tensor", i, "there is no such size");
      }
      if (tensor.alignment > kMaxAlignment || (tensor.alignment & (tensor.alignment - 1)) != 0)
        return Malformed("tensor", i, "its alignment is no power of two up to 64");
      if (!IsBelow(tensor.device, plan_.devices.size()))
        return Malformed("tensor", i, "there is no such device");
      const std::optional<bool> counts = IsCountable(tensor);
      if (counts && !*counts)
        return Malformed("tensor", i, "an extent is negative, or its bytes do not fit 63 bits");
      roots_[i] = static_cast<int32_t>(i);
      switch (tensor.memory) {
        case Memory::kInput:
          if (!IsBelow(tensor.index, plan_.inputs.size()) ||
              plan_.inputs[static_cast<size_t>(tensor.index)].tensor != static_cast<int32_t>(i))
            return Malformed("tensor", i, "it is not the tensor of its input");
          break;
        case Memory::kConstant:
          if (!IsBelow(tensor.index, plan_.constants.size()) ||
              plan_.constants[static_cast<size_t>(tensor.index)].tensor != static_cast<int32_t>(i))
            return Malformed("tensor", i, "it is not the tensor of its constant");
          break;
        case Memory::kArena:
          break;
        case Memory::kPrefix:
        case Memory::kAlias: {
          if (!IsBelow(tensor.index, i))
            return Malformed("tensor", i, "it views a tensor that is not before it");
          if (plan_.tensors[static_cast<size_t>(tensor.index)].device != tensor.device)
            return Malformed("tensor", i, "it views a tensor on another device");
          const std::optional<uint64_t> own = KnownBytes(tensor);
          const std::optional<uint64_t> viewed =
              KnownBytes(plan_.tensors[static_cast<size_t>(tensor.index)]);
          const bool fits = !own || !viewed || *own == *viewed ||
                            (tensor.memory == Memory::kPrefix && *own < *viewed);
          if (!fits)
            return Malformed("tensor", i, "it has other bytes than the tensor that it views");
          roots_[i] = roots_[static_cast<size_t>(tensor.index)];
          break;
        }
        case Memory::kPart:
          LATHE_RETURN_IF_ERROR(CheckPart(i));
          break;
        default:
          return Malformed("tensor", i, "its kind of memory is unknown");
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckPart(size_t i) {
    const PlanTensor& part = plan_.tensors[i];
    if (!IsBelow(part.index, i))
      return Malformed("tensor", i, "it is a part of a tensor that is not before it");
    const auto whole = static_cast<size_t>(part.index);
    const PlanTensor& of = plan_.tensors[whole];
    if (of.memory != Memory::kArena && of.memory != Memory::kPart)
      return Malformed("tensor", i, "it is a part of a tensor that is not in the arena");
    if (part.device != 0 || of.device != 0)
      return Malformed("tensor", i, "it is a part, and not on the host");
    const std::optional<uint64_t> own = KnownBytes(part), all = KnownBytes(of);
    if (!own || !all) return Malformed("tensor", i, "it is a part, and its place is not known");
    uint64_t& end = ends_of_parts_[whole];
    if (part.offset != end || part.offset % kMaxAlignment != 0)
      return Malformed("tensor", i, "it does not begin where the part before it ends");
    if (*own > *all - end)
      return Malformed("tensor", i, "it ends behind the tensor of which it is a part");
    end += *own;
    bytes_[i] = *own;
    bytes_[whole] = *all;
    roots_[i] = roots_[whole];
    return absl::OkStatus();
  }

  absl::Status CheckConditions() const {
    for (size_t i = 0; i < plan_.conditions.size(); ++i) {
      const PlanCondition& condition = plan_.conditions[i];
      if (condition.kind > PlanCondition::Kind::kAtMost)
        return Malformed("condition", i, "its kind is unknown");
      for (const int32_t size : {condition.a, condition.b})
        if (!IsBelow(size, plan_.sizes.size()))
          return Malformed("condition", i, "there is no such size");
    }
    return absl::OkStatus();
  }

  absl::Status CheckInputs() {
    std::unordered_set<std::string_view> names;
    for (size_t i = 0; i < plan_.inputs.size(); ++i) {
      const PlanInput& input = plan_.inputs[i];
      if (!IsBelow(input.tensor, plan_.tensors.size()))
        return Malformed("input", i, "there is no such tensor");
      const PlanTensor& tensor = plan_.tensors[static_cast<size_t>(input.tensor)];
      if (tensor.memory != Memory::kInput || tensor.index != static_cast<int32_t>(i))
        return Malformed("input", i, "its tensor is not of this input");
      for (const int32_t size : tensor.shape) {
        if (runs_[static_cast<size_t>(size)] != 0)
          return Malformed("input", i, "its shape is known only while running");
      }
      if (input.name.empty()) return Malformed("input", i, "it has no name");
      if (!names.insert(input.name).second)
        return Malformed("input", i, "another input has its name");
    }
    return absl::OkStatus();
  }

  absl::Status CheckConstants() {
    std::unordered_set<std::string_view> names;
    for (size_t i = 0; i < plan_.constants.size(); ++i) {
      const PlanConstant& constant = plan_.constants[i];
      if (!IsBelow(constant.tensor, plan_.tensors.size()))
        return Malformed("constant", i, "there is no such tensor");
      const PlanTensor& tensor = plan_.tensors[static_cast<size_t>(constant.tensor)];
      if (tensor.memory != Memory::kConstant || tensor.index != static_cast<int32_t>(i))
        return Malformed("constant", i, "its tensor is not of this constant");
      if (!KnownBytes(tensor)) return Malformed("constant", i, "its shape depends on the inputs");
      if (!constant.name.empty() && !names.insert(constant.name).second)
        return Malformed("constant", i, "another constant has its name");
    }
    return absl::OkStatus();
  }

  // Whether the bytes can be counted; empty if that is not known yet.
  std::optional<bool> IsCountable(const PlanTensor& tensor) const {
    std::vector<int64_t> extents;
    bool all = true;
    for (const int32_t size : tensor.shape) {
      const std::optional<int64_t> value = known_[static_cast<size_t>(size)];
      if (value && *value < 0) return false;
      all = all && value;
      if (value) extents.push_back(*value);
    }
    if (!all) return std::nullopt;
    return BytesOf(tensor.dtype, extents).has_value();
  }

  std::optional<uint64_t> KnownBytes(const PlanTensor& tensor) const {
    std::vector<int64_t> extents;
    for (const int32_t size : tensor.shape) {
      const std::optional<int64_t> value = known_[static_cast<size_t>(size)];
      if (!value) return std::nullopt;
      extents.push_back(*value);
    }
    return BytesOf(tensor.dtype, extents);
  }

  const Plan& plan_;
  std::vector<std::optional<int64_t>> known_;
  std::vector<int32_t> roots_;           // of each tensor, the tensor whose memory it has
  std::vector<uint64_t> bytes_;          // of parts, and of tensors that have parts
  std::vector<uint64_t> ends_of_parts_;  // of each tensor: where its last part until now ends
  std::vector<uint8_t> runs_;            // of each size: known only while running
};

}  // namespace

absl::Status Malformed(std::string_view entry, size_t number, std::string_view what) {
  return MakeStatus(absl::StatusCode::kInvalidArgument, "plan-malformed",
                    {"the plan is not sound: ", entry, " ", std::to_string(number), ": ", what});
}

absl::Status CheckPlan(const Plan& plan) { return Checker(plan).Run(); }

}  // namespace lathe::runtime::graph

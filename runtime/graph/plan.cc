// Plans as bytes:
//
//   "LATHEPLN"  u32 version  name  constants' entry
//   u32 devices:    kind  i32 slot
//   u32 sizes:      u8 kind  then, by kind: i64 value; or i32 a, i32 b
//   u32 tensors:    name  u8 code, u8 bits, u16 lanes  u32 rank, i32 each  u8 memory  i32 index
//                   u32 alignment  i32 device  of a part: u64 offset
//   u32 inputs:     name  i32 tensor
//   u32 constants:  name  i32 tensor  16 byte digest
//   u32 steps:      u8 kind  kernel  location  u32 buffers: i32 tensor, u8 writes
//                   u32 sizes: name, i32 size  i32 first  i32 second  i64 element
//   u32 outputs:    i32 tensor
//   16 byte digest of everything before
//
// Little endian; a text is its u32 size and its characters.
#include "runtime/graph/plan.h"

#include <algorithm>
#include <utility>

#include "runtime/graph/bytes.h"
#include "runtime/status.h"

namespace lathe::runtime::graph {
namespace {

constexpr std::string_view kMagic = "LATHEPLN";
constexpr uint32_t kVersionWithoutParts = 2;

bool HasOperands(PlanSize::Kind kind) {
  return kind != PlanSize::Kind::kConstant && kind != PlanSize::Kind::kRun;
}

void Put32(std::string& out, int64_t number) { PutNumber(out, static_cast<uint64_t>(number), 4); }

void PutTensor(std::string& out, const PlanTensor& tensor) {
  PutText(out, tensor.name);
  const DLDataType dtype = tensor.dtype.dl();
  PutNumber(out, dtype.code, 1);
  PutNumber(out, dtype.bits, 1);
  PutNumber(out, dtype.lanes, 2);
  PutNumber(out, tensor.shape.size(), 4);
  for (const int32_t size : tensor.shape) Put32(out, size);
  PutNumber(out, static_cast<uint64_t>(tensor.memory), 1);
  Put32(out, tensor.index);
  PutNumber(out, tensor.alignment, 4);
  Put32(out, tensor.device);
  if (tensor.memory == PlanTensor::Memory::kPart) PutNumber(out, tensor.offset, 8);
}

void PutStep(std::string& out, const PlanStep& step) {
  PutNumber(out, static_cast<uint64_t>(step.kind), 1);
  PutText(out, step.kernel);
  PutText(out, step.location);
  PutNumber(out, step.buffers.size(), 4);
  for (size_t i = 0; i < step.buffers.size(); ++i) {
    Put32(out, step.buffers[i]);
    PutNumber(out, step.writes[i], 1);
  }
  PutNumber(out, step.sizes.size(), 4);
  for (size_t i = 0; i < step.sizes.size(); ++i) {
    PutText(out, step.size_names[i]);
    Put32(out, step.sizes[i]);
  }
  Put32(out, step.first);
  Put32(out, step.second);
  PutNumber(out, static_cast<uint64_t>(step.element), 8);
}

absl::Status Corrupt(size_t at, std::string_view what) {
  return MakeStatus(absl::StatusCode::kDataLoss, "plan-corrupt",
                    {"the plan is damaged at byte ", std::to_string(at), ": ", what});
}

absl::Status OtherVersion(uint64_t found) {
  return MakeStatus(
      absl::StatusCode::kUnimplemented, "plan-version",
      {"the plan is of another version\nexpected: ", std::to_string(kVersionWithoutParts), " or ",
       std::to_string(kPlanVersion), "\nfound: ", std::to_string(found),
       "\nhelp: compile the model again, or use the runtime of the compiler that "
       "compiled it"});
}

// Each Read... reads one entry and returns false at the first thing that is not there.
bool ReadDevice(ByteReader& reader, PlanDevice* device) {
  return reader.Text(&device->kind) && reader.Int32(&device->slot);
}

bool ReadSize(ByteReader& reader, PlanSize* size) {
  uint64_t kind = 0;
  if (!reader.Number(1, &kind) || kind > static_cast<uint64_t>(PlanSize::Kind::kRun)) return false;
  size->kind = static_cast<PlanSize::Kind>(kind);
  if (!HasOperands(size->kind)) return reader.Int64(&size->value);
  return reader.Int32(&size->a) && reader.Int32(&size->b);
}

bool ReadTensor(ByteReader& reader, PlanTensor* tensor) {
  uint64_t code = 0, bits = 0, lanes = 0, memory = 0, alignment = 0;
  size_t rank = 0;
  if (!reader.Text(&tensor->name) || !reader.Number(1, &code) || !reader.Number(1, &bits) ||
      !reader.Number(2, &lanes) || !reader.Count(4, &rank))
    return false;
  tensor->dtype = DataType(DLDataType{static_cast<uint8_t>(code), static_cast<uint8_t>(bits),
                                      static_cast<uint16_t>(lanes)});
  tensor->shape.resize(rank);
  for (int32_t& size : tensor->shape)
    if (!reader.Int32(&size)) return false;
  if (!reader.Number(1, &memory) || memory > static_cast<uint64_t>(PlanTensor::Memory::kPart) ||
      !reader.Int32(&tensor->index) || !reader.Number(4, &alignment) ||
      !reader.Int32(&tensor->device))
    return false;
  tensor->memory = static_cast<PlanTensor::Memory>(memory);
  if (tensor->memory == PlanTensor::Memory::kPart && !reader.Number(8, &tensor->offset))
    return false;
  tensor->alignment = static_cast<uint32_t>(alignment);
  return true;
}

bool ReadInput(ByteReader& reader, PlanInput* input) {
  return reader.Text(&input->name) && reader.Int32(&input->tensor);
}

bool ReadConstant(ByteReader& reader, PlanConstant* constant) {
  return reader.Text(&constant->name) && reader.Int32(&constant->tensor) &&
         reader.ReadDigest(&constant->digest);
}

bool ReadStep(ByteReader& reader, PlanStep* step) {
  size_t buffers = 0, sizes = 0;
  uint64_t kind = 0;
  if (!reader.Number(1, &kind) || kind > static_cast<uint64_t>(PlanStep::Kind::kBindSize))
    return false;
  step->kind = static_cast<PlanStep::Kind>(kind);
  if (!reader.Text(&step->kernel) || !reader.Text(&step->location) || !reader.Count(5, &buffers))
    return false;
  step->buffers.resize(buffers);
  step->writes.resize(buffers);
  for (size_t i = 0; i < buffers; ++i) {
    uint64_t writes = 0;
    if (!reader.Int32(&step->buffers[i]) || !reader.Number(1, &writes)) return false;
    step->writes[i] = static_cast<uint8_t>(writes);
  }
  if (!reader.Count(8, &sizes)) return false;
  step->size_names.resize(sizes);
  step->sizes.resize(sizes);
  for (size_t i = 0; i < sizes; ++i)
    if (!reader.Text(&step->size_names[i]) || !reader.Int32(&step->sizes[i])) return false;
  return reader.Int32(&step->first) && reader.Int32(&step->second) && reader.Int64(&step->element);
}

bool ReadCondition(ByteReader& reader, PlanCondition* condition) {
  uint64_t kind = 0;
  if (!reader.Number(1, &kind) || kind > static_cast<uint64_t>(PlanCondition::Kind::kAtMost))
    return false;
  condition->kind = static_cast<PlanCondition::Kind>(kind);
  return reader.Int32(&condition->a) && reader.Int32(&condition->b) &&
         reader.Text(&condition->what);
}

bool ReadOutput(ByteReader& reader, int32_t* output) { return reader.Int32(output); }

// `least` is the fewest bytes that an entry takes.
template <class T>
absl::Status ReadList(ByteReader& reader, const char* what, size_t least,
                      bool (*read)(ByteReader&, T*), std::vector<T>* out) {
  size_t count = 0;
  const size_t begin = reader.at();
  if (!reader.Count(least, &count))
    return Corrupt(begin, std::string("it ends inside the list of ") + what);
  out->reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const size_t at = reader.at();
    if (!read(reader, &out->emplace_back()))
      return Corrupt(at, "entry " + std::to_string(i) + " of the list of " + what);
  }
  return absl::OkStatus();
}

}  // namespace

std::string EncodePlan(const Plan& plan) {
  const bool has_parts = std::ranges::any_of(plan.tensors, [](const PlanTensor& tensor) {
    return tensor.memory == PlanTensor::Memory::kPart;
  });
  std::string out(kMagic);
  PutNumber(out, has_parts ? kPlanVersion : kVersionWithoutParts, 4);
  PutText(out, plan.name);
  PutText(out, plan.constants_entry);
  PutNumber(out, plan.devices.size(), 4);
  for (const PlanDevice& device : plan.devices) {
    PutText(out, device.kind);
    Put32(out, device.slot);
  }
  PutNumber(out, plan.sizes.size(), 4);
  for (const PlanSize& size : plan.sizes) {
    PutNumber(out, static_cast<uint64_t>(size.kind), 1);
    if (HasOperands(size.kind)) {
      Put32(out, size.a);
      Put32(out, size.b);
    } else {
      PutNumber(out, static_cast<uint64_t>(size.value), 8);
    }
  }
  PutNumber(out, plan.tensors.size(), 4);
  for (const PlanTensor& tensor : plan.tensors) PutTensor(out, tensor);
  PutNumber(out, plan.inputs.size(), 4);
  for (const PlanInput& input : plan.inputs) {
    PutText(out, input.name);
    Put32(out, input.tensor);
  }
  PutNumber(out, plan.constants.size(), 4);
  for (const PlanConstant& constant : plan.constants) {
    PutText(out, constant.name);
    Put32(out, constant.tensor);
    PutDigest(out, constant.digest);
  }
  PutNumber(out, plan.steps.size(), 4);
  for (const PlanStep& step : plan.steps) PutStep(out, step);
  PutNumber(out, plan.conditions.size(), 4);
  for (const PlanCondition& condition : plan.conditions) {
    PutNumber(out, static_cast<uint64_t>(condition.kind), 1);
    Put32(out, condition.a);
    Put32(out, condition.b);
    PutText(out, condition.what);
  }
  PutNumber(out, plan.outputs.size(), 4);
  for (const int32_t output : plan.outputs) Put32(out, output);
  PutDigest(out, DigestOf(out));
  return out;
}

absl::StatusOr<Plan> DecodePlan(std::string_view bytes) {
  LATHE_ASSIGN_OR_RETURN(
      ByteReader body,
      ReadSealed(bytes, kMagic, {kVersionWithoutParts, kPlanVersion}, {Corrupt, OtherVersion}));
  Plan plan;
  if (!body.Text(&plan.name) || !body.Text(&plan.constants_entry))
    return Corrupt(body.at(), "its name");
  plan.devices.clear();
  LATHE_RETURN_IF_ERROR(ReadList(body, "devices", 8, ReadDevice, &plan.devices));
  LATHE_RETURN_IF_ERROR(ReadList(body, "sizes", 9, ReadSize, &plan.sizes));
  LATHE_RETURN_IF_ERROR(ReadList(body, "tensors", 25, ReadTensor, &plan.tensors));
  LATHE_RETURN_IF_ERROR(ReadList(body, "inputs", 8, ReadInput, &plan.inputs));
  LATHE_RETURN_IF_ERROR(ReadList(body, "constants", 24, ReadConstant, &plan.constants));
  LATHE_RETURN_IF_ERROR(ReadList(body, "steps", 33, ReadStep, &plan.steps));
  LATHE_RETURN_IF_ERROR(ReadList(body, "conditions", 13, ReadCondition, &plan.conditions));
  LATHE_RETURN_IF_ERROR(ReadList(body, "outputs", 4, ReadOutput, &plan.outputs));
  if (body.left() != 0) return Corrupt(body.at(), "its parts do not fill it");
  LATHE_RETURN_IF_ERROR(CheckPlan(plan));
  return plan;
}

}  // namespace lathe::runtime::graph

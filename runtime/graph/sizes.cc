#include "runtime/graph/sizes.h"

#include <algorithm>

#include "runtime/status.h"

namespace lathe::runtime::graph {

using Kind = PlanSize::Kind;

std::optional<int64_t> ApplySize(Kind kind, int64_t a, int64_t b) {
  int64_t out = 0;
  switch (kind) {
    case Kind::kAdd:
      return __builtin_add_overflow(a, b, &out) ? std::nullopt : std::optional(out);
    case Kind::kSub:
      return __builtin_sub_overflow(a, b, &out) ? std::nullopt : std::optional(out);
    case Kind::kMul:
      return __builtin_mul_overflow(a, b, &out) ? std::nullopt : std::optional(out);
    case Kind::kFloorDiv:
      if (b <= 0) return std::nullopt;
      return a / b - (a % b < 0 ? 1 : 0);
    case Kind::kFloorMod:
      if (b <= 0) return std::nullopt;
      return a % b + (a % b < 0 ? b : 0);
    case Kind::kMin:
      return std::min(a, b);
    case Kind::kMax:
      return std::max(a, b);
    case Kind::kConstant:
    case Kind::kExtent:
    case Kind::kRun:
      break;
  }
  return std::nullopt;
}

std::vector<std::optional<int64_t>> KnownSizes(const Plan& plan) {
  std::vector<std::optional<int64_t>> known;
  known.reserve(plan.sizes.size());
  for (const PlanSize& size : plan.sizes) {
    std::optional<int64_t> value;
    if (size.kind == Kind::kConstant) {
      value = size.value;
    } else if (size.kind != Kind::kExtent && size.kind != Kind::kRun) {
      const auto a = known[static_cast<size_t>(size.a)], b = known[static_cast<size_t>(size.b)];
      if (a && b) value = ApplySize(size.kind, *a, *b);
    }
    known.push_back(value);
  }
  return known;
}

std::vector<uint8_t> RunSizes(const Plan& plan) {
  std::vector<uint8_t> runs;
  runs.reserve(plan.sizes.size());
  for (const PlanSize& size : plan.sizes) {
    const bool has_operands =
        size.kind != Kind::kConstant && size.kind != Kind::kExtent && size.kind != Kind::kRun;
    const bool run =
        size.kind == Kind::kRun || (has_operands && (runs[static_cast<size_t>(size.a)] != 0 ||
                                                     runs[static_cast<size_t>(size.b)] != 0));
    runs.push_back(run ? 1 : 0);
  }
  return runs;
}

absl::Status ComputeSize(const Plan& plan, size_t number, std::vector<int64_t>* values) {
  const PlanSize& size = plan.sizes[number];
  const auto value = ApplySize(size.kind, (*values)[static_cast<size_t>(size.a)],
                               (*values)[static_cast<size_t>(size.b)]);
  if (!value)
    return MakeStatus(absl::StatusCode::kInvalidArgument, "graph-size-overflow",
                      {"size ", std::to_string(number), " of `", plan.name,
                       "` cannot be computed from these inputs: it has more than 63 bits, or "
                       "divides by 0"});
  (*values)[number] = *value;
  return absl::OkStatus();
}

absl::Status ComputeSizes(const Plan& plan, std::span<const std::span<const int64_t>> shapes,
                          std::vector<int64_t>* out) {
  const std::vector<uint8_t> runs = RunSizes(plan);
  out->assign(plan.sizes.size(), 0);
  for (size_t i = 0; i < plan.sizes.size(); ++i) {
    const PlanSize& size = plan.sizes[i];
    if (runs[i] != 0) continue;
    if (size.kind == Kind::kConstant) {
      (*out)[i] = size.value;
    } else if (size.kind == Kind::kExtent) {
      (*out)[i] = shapes[static_cast<size_t>(size.a)][static_cast<size_t>(size.b)];
    } else {
      LATHE_RETURN_IF_ERROR(ComputeSize(plan, i, out));
    }
  }
  return absl::OkStatus();
}

bool IsElementType(DataType dtype) {
  return !dtype.is_void() && !dtype.is_scalable() && dtype.lanes() > 0 && dtype.bits() > 0;
}

std::optional<uint64_t> BytesOf(DataType dtype, std::span<const int64_t> extents) {
  int64_t bytes = dtype.bytes();
  bool empty = false;
  for (const int64_t extent : extents) {
    if (extent < 0) return std::nullopt;
    empty = empty || extent == 0;
  }
  if (empty) return 0;
  for (const int64_t extent : extents)
    if (__builtin_mul_overflow(bytes, extent, &bytes)) return std::nullopt;
  return static_cast<uint64_t>(bytes);
}

}  // namespace lathe::runtime::graph

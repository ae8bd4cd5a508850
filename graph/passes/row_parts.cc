#include "graph/passes/row_parts.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <string>
#include <string_view>

#include "base/blob_memory.h"
#include "base/error.h"
#include "graph/devices.h"
#include "graph/op.h"
#include "runtime/tensor.h"

namespace lathe::graph {
namespace {

using ir::GraphVar;

// Where the rows of the source are in a value: index i of dimension `axis` has the rows from
// i * unit on.
struct Place {
  size_t axis;
  int64_t unit;
};

int64_t ExtentOf(const GraphVar& var, size_t axis) {
  const auto& type = static_cast<const ir::TensorType&>(*var->type);
  const int64_t* extent = axis < type.shape.size() ? ir::AsConstInt(type.shape[axis]) : nullptr;
  return extent == nullptr ? 0 : *extent;
}

std::optional<Place> Transposed(const Attrs& attrs, size_t rank, Place place) {
  std::vector<int64_t> axes = attrs.Ints("axes");
  if (axes.empty()) return Place{rank - 1 - place.axis, place.unit};
  for (size_t d = 0; d < axes.size(); ++d) {
    const int64_t axis = axes[d] < 0 ? axes[d] + static_cast<int64_t>(rank) : axes[d];
    if (axis == static_cast<int64_t>(place.axis)) return Place{d, place.unit};
  }
  return std::nullopt;
}

// The dimensions of a layout, each a letter: "OI32o" has O, I, o.
std::string LettersOf(const std::string& layout) {
  std::string letters;
  for (const char c : layout) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) letters += c;
  }
  return letters;
}

std::optional<Place> InLayout(const Attrs& attrs, const GraphVar& result, Place place) {
  const std::string from = LettersOf(attrs.String("src_layout")),
                    to = LettersOf(attrs.String("dst_layout"));
  if (place.axis >= from.size()) return std::nullopt;
  const char whole = from[place.axis];
  const auto block = static_cast<char>(std::tolower(static_cast<unsigned char>(whole)));
  const size_t axis = to.find(whole), inner = to.find(block);
  // Rows that are blocks already, or become blocks, are not side by side.
  if (whole == block || from.find(block) != std::string::npos || axis == std::string::npos)
    return std::nullopt;
  if (inner == std::string::npos) return Place{axis, place.unit};
  const int64_t rows_of_block = ExtentOf(result, inner);
  return Place{axis, place.unit * rows_of_block};
}

bool IsFramed(const Attrs& attrs, size_t axis) {
  const std::vector<int64_t> widths = attrs.Ints("pad_width");
  return 2 * axis + 1 >= widths.size() || widths[2 * axis] != 0 || widths[2 * axis + 1] != 0;
}

// Where the rows are in the result of the call; nothing if it does not keep them apart.
std::optional<Place> After(const ir::GraphCall& call, const GraphVar& result, Place place) {
  if (call.args.size() != 1) return std::nullopt;
  const OpDef& op = GetOp(call.op);
  const Attrs attrs(op, call.attrs);
  const size_t rank = static_cast<const ir::TensorType&>(*call.args[0]->type).shape.size();
  if (op.kind == OpKind::kElementwise) return place;
  if (call.op == "transpose") return Transposed(attrs, rank, place);
  if (call.op == "layout_transform") return InLayout(attrs, result, place);
  if (call.op == "nn.pad" && !IsFramed(attrs, place.axis)) return place;
  return std::nullopt;
}

}  // namespace

std::optional<RowParts> FindRowParts(const ir::Constant& source,
                                     std::vector<Ref<const ir::GraphCall>> calls,
                                     const std::vector<GraphVar>& results, int64_t part_bytes) {
  const std::vector<int64_t> shape = ir::ShapeOf(source);
  if (shape.empty() || shape[0] == 0 || calls.empty()) return std::nullopt;
  Place place{0, 1};
  for (size_t i = 0; i < calls.size(); ++i) {
    const std::optional<Place> next = After(*calls[i], results[i], place);
    if (!next || next->unit == 0 || ExtentOf(results[i], next->axis) * next->unit != shape[0])
      return std::nullopt;
    place = *next;
  }
  // As many rows as are wanted, in whole units, and so that each part is aligned as blobs are.
  const int64_t row_bytes = static_cast<int64_t>(source.data->size()) / shape[0];
  int64_t rows = 0;
  for (int64_t some = place.unit; some <= shape[0] && some * row_bytes <= part_bytes;
       some += place.unit) {
    const bool aligned = some * row_bytes % static_cast<int64_t>(Blob::kAlignment) == 0;
    if (aligned && shape[0] % some == 0) rows = some;
  }
  // Small parts would cost more time than they are worth.
  if (rows * row_bytes * 8 < part_bytes) return std::nullopt;
  RowParts parts{.dtype = source.dtype,
                 .shape = shape,
                 .parts = shape[0] / rows,
                 .axis = place.axis,
                 .extent = rows / place.unit,
                 .calls = std::move(calls)};
  parts.shape[0] = rows;
  return parts;
}

ir::Dict AttrsHere(const ir::GraphCall& call) {
  ir::Dict attrs = call.attrs;
  // Operators with an attribute of this name keep theirs.
  const std::vector<AttrDef>& own = GetOp(call.op).attrs;
  const auto is_device = [](const AttrDef& attr) { return attr.name == kDeviceAttr; };
  if (std::ranges::none_of(own, is_device)) attrs.erase(kDeviceAttr);
  return attrs;
}

GraphFuncRef FunctionOfPart(const RowParts& parts) {
  Builder builder("part");
  std::vector<ir::Expr> extents;
  for (const int64_t extent : parts.shape) extents.push_back(Int64(extent));
  GraphVar now = builder.Input("rows", parts.dtype, std::move(extents));
  for (const Ref<const ir::GraphCall>& call : parts.calls) {
    now = builder.Call(call->op, {now}, AttrsHere(*call));
  }
  LATHE_CHECK(ExtentOf(now, parts.axis) == parts.extent) << "the rows are somewhere else";
  return builder.Finish(builder.Tuple({now}));
}

Ref<const Blob> ComputeParts(const RowParts& parts, const Computation& computation,
                             Ref<const Blob> source, size_t result_bytes) {
  SpentBlob spent(std::move(source));
  const size_t source_bytes = spent.bytes().size() / static_cast<size_t>(parts.parts);
  BlobMemory result(result_bytes);
  const size_t part_bytes = result_bytes / static_cast<size_t>(parts.parts);
  for (size_t part = 0; part < static_cast<size_t>(parts.parts); ++part) {
    const char* const rows = spent.bytes().data() + part * source_bytes;
    const runtime::Tensor operand = runtime::Tensor::Wrap(
        const_cast<char*>(rows), 0, parts.shape, {}, parts.dtype,  // NOLINT: it is read only
        runtime::Device::Cpu(), [](void*) {}, nullptr, /*read_only=*/true);
    const runtime::Tensor made = computation({operand}).at(0);
    LATHE_CHECK(made.num_bytes() == part_bytes) << "parts of different sizes";
    // The part's slices of the dimensions before `axis`, and where they are in the result.
    size_t slices = 1;
    for (size_t d = 0; d < parts.axis; ++d) slices *= static_cast<size_t>(made.shape()[d]);
    const size_t slice_bytes = part_bytes / slices;
    const char* const data = static_cast<const char*>(made.dl().data) + made.dl().byte_offset;
    for (size_t slice = 0; slice < slices; ++slice) {
      std::memcpy(result.data() + slice * (result_bytes / slices) + part * slice_bytes,
                  data + slice * slice_bytes, slice_bytes);
    }
    spent.DropBefore((part + 1) * source_bytes);
  }
  return std::move(result).Finish();
}

}  // namespace lathe::graph

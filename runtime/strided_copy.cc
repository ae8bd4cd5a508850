#include "runtime/strided_copy.h"

#include <cstring>
#include <vector>

#include "base/dtype.h"

namespace lathe::runtime {
namespace {

struct Axis {
  int64_t extent;
  int64_t from_stride;  // bytes
  int64_t to_stride;
};

// Axes outermost first, without those of extent 1; neighbouring axes are merged if both layouts
// allow.
std::vector<Axis> MergedAxes(const DLTensor& from, const DLTensor& to, int64_t bytes) {
  std::vector<Axis> axes;
  int64_t compact = bytes;
  std::vector<Axis> reversed;
  for (int i = from.ndim - 1; i >= 0; --i) {
    const int64_t extent = from.shape[i];
    const int64_t from_stride = from.strides == nullptr ? compact : from.strides[i] * bytes;
    const int64_t to_stride = to.strides == nullptr ? compact : to.strides[i] * bytes;
    compact *= extent;
    if (extent == 1) continue;
    if (!reversed.empty()) {
      Axis& inner = reversed.back();
      if (from_stride == inner.from_stride * inner.extent &&
          to_stride == inner.to_stride * inner.extent) {
        inner.extent *= extent;
        continue;
      }
    }
    reversed.push_back({extent, from_stride, to_stride});
  }
  axes.assign(reversed.rbegin(), reversed.rend());
  return axes;
}

template <class T>
void CopyElements(const char* from, char* to, const Axis& axis) {
  for (int64_t i = 0; i < axis.extent; ++i) {
    T element;
    std::memcpy(&element, from + i * axis.from_stride, sizeof(T));
    std::memcpy(to + i * axis.to_stride, &element, sizeof(T));
  }
}

void CopyRow(const char* from, char* to, const Axis& axis, int64_t bytes) {
  if (axis.from_stride == bytes && axis.to_stride == bytes) {
    std::memmove(to, from, static_cast<size_t>(axis.extent * bytes));
    return;
  }
  switch (bytes) {
    case 1:
      return CopyElements<uint8_t>(from, to, axis);
    case 2:
      return CopyElements<uint16_t>(from, to, axis);
    case 4:
      return CopyElements<uint32_t>(from, to, axis);
    case 8:
      return CopyElements<uint64_t>(from, to, axis);
    default:
      for (int64_t i = 0; i < axis.extent; ++i)
        std::memcpy(to + i * axis.to_stride, from + i * axis.from_stride,
                    static_cast<size_t>(bytes));
  }
}

}  // namespace

void CopyStridedHost(const DLTensor& from, const DLTensor& to) {
  for (int i = 0; i < from.ndim; ++i)
    if (from.shape[i] == 0) return;
  const int64_t bytes = DataType(from.dtype).bytes();
  const char* source = HostBytes(from);
  char* target = HostBytes(to);
  std::vector<Axis> axes = MergedAxes(from, to, bytes);
  if (axes.empty()) {
    std::memmove(target, source, static_cast<size_t>(bytes));
    return;
  }
  const Axis row = axes.back();
  axes.pop_back();
  std::vector<int64_t> at(axes.size(), 0);
  while (true) {
    CopyRow(source, target, row, bytes);
    size_t i = axes.size();
    while (i > 0) {
      --i;
      source += axes[i].from_stride;
      target += axes[i].to_stride;
      if (++at[i] < axes[i].extent) break;
      source -= axes[i].from_stride * axes[i].extent;
      target -= axes[i].to_stride * axes[i].extent;
      at[i] = 0;
      if (i == 0) return;
    }
    if (axes.empty()) return;
  }
}

}  // namespace lathe::runtime

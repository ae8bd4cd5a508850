// Where values are: operators of graphs for several devices. Both return their input.
#include "graph/devices.h"
#include "graph/ops/define.h"
#include "graph/ops/families.h"
#include "te/tags.h"

namespace lathe::graph::ops {
namespace {

OpDef Placed(std::string name, std::string doc, std::vector<AttrDef> attrs, OpKind kind,
             std::vector<OpExample> examples) {
  return {.name = std::move(name),
          .doc = std::move(doc),
          .inputs = {{"data", "the input"}},
          .attrs = std::move(attrs),
          .kind = kind,
          .is_view = true,
          .type = [](const TypeContext& c) -> TypeResult {
            for (const AttrDef& attr : c.op.attrs) {
              const std::string device = c.attrs.String(attr.name);
              if (SlotOfDevice(device) >= 0) continue;
              c.FailAttr(attr.name, "names no device", "a kind, or a kind and a number: `opencl:1`",
                         "`" + device + "`", "the host is `cpu`");
            }
            TypeResult result = SameType(c);
            result.value = c.values[0];
            return result;
          },
          .compute =
              [](const ComputeContext& c) {
                return One(
                    c.shape(), [&](const Indices& i) { return At(c.in(0), AsExprs(i)); }, "y",
                    te::kElementwise);
              },
          .examples = std::move(examples)};
}

AttrDef DeviceNamed(std::string name, std::string doc) {
  return {.name = std::move(name), .type = AttrType::kString, .doc = std::move(doc)};
}

}  // namespace

std::vector<OpDef> Placement() {
  return {
      Placed("on_device",
             "The input, computed on a device; and so is what it is computed from, up to other "
             "annotations.",
             {DeviceNamed(kDeviceAttr, "a kind, or a kind and a number: `opencl:1`")},
             OpKind::kElementwise, {{{"T[n, 3]"}, {{kDeviceAttr, StringAttr(kHostDevice)}}}}),
      Placed(
          "device_copy", "The input, copied from one device to another.",
          {DeviceNamed("src_device", "where the input is"),
           DeviceNamed("dst_device", "where the result is")},
          OpKind::kOpaque,
          {{{"T[n, 3]"},
            {{"src_device", StringAttr(kHostDevice)}, {"dst_device", StringAttr(kHostDevice)}}}})};
}

}  // namespace lathe::graph::ops

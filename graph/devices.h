// Where the calls of a graph run, when it is compiled for several devices.
//
// A device has a name: a kind (runtime/device.h), or a kind and a slot: "cpu", "opencl",
// "opencl:1". Any call may have the attribute `device`; without it, it runs on the main device of
// the build. PlaceDevices (passes/pass.h) writes the attribute, Builder hands it on to what passes
// make of a call, and the plan reads it.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace lathe::graph {

inline constexpr char kDeviceAttr[] = "device";
inline constexpr char kHostDevice[] = "cpu";

// The devices of a build.
struct GraphDevices {
  std::string main = kHostDevice;  // where a call runs if nothing says otherwise
  std::set<std::string, std::less<>> kinds = {kHostDevice};  // for which there is a target
  // Why a call cannot run on a device of this kind; "" if it can. Null: all can.
  std::function<std::string(const ir::GraphCall& call, const ir::NodeRef& type,
                            std::string_view kind)>
      why_not;
  // Gets what users should know: calls that run on the host because of `why_not`. May be null.
  std::function<void(const std::string& text)> note;
};

// on_device and device_copy: views that say where values are, so no rule may look through them.
bool IsPlacement(std::string_view op);

// "opencl" of "opencl:1".
std::string_view KindOfDevice(std::string_view device);
// 1 of "opencl:1", 0 of "opencl"; -1 if the name is no device's.
int SlotOfDevice(std::string_view device);
// The attribute `device` of a call; "" if it has none.
std::string DeviceAttrOf(const ir::GraphCall& call);
// Where a call runs.
std::string DeviceOf(const ir::GraphCall& call, const GraphDevices& devices);

}  // namespace lathe::graph

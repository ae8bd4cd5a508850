#include <map>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "graph/passes/pass.h"

namespace lathe::graph {
namespace {

using ir::As;
using ir::GraphVar;
using ir::NodeRef;

constexpr char kOnDevice[] = "on_device", kDeviceCopy[] = "device_copy";
constexpr char kFrom[] = "src_device", kTo[] = "dst_device";

// The device of a constant: it is wherever it is read.
constexpr char kAnywhere[] = "";

std::string TextAttr(const ir::GraphCall& call, const char* name) {
  return static_cast<const ir::StringImm&>(*call.attrs.at(name)).value;
}

// The device of each call, before anything is changed. Values are visited from the last to the
// first, so that the readers of a value come before it.
class Placement {
 public:
  Placement(const ir::GraphFunc& func, const GraphDevices& devices) : devices_(devices) {
    Visit(*func.body);
    for (const auto& [op, why] : on_host_) {
      if (devices.note) {
        devices.note("`" + op + "` runs on the host, not on `" + why.first + "`: " + why.second);
      }
    }
    FindReaders(*func.body);
    for (const GraphVar& param : func.params) {
      const auto readers = readers_.find(param.get());
      const auto said = wanted_.find(param.get());
      std::string device = devices.main;
      if (said != wanted_.end() && said->second.by_user) {
        device = said->second.device;
      } else if (readers != readers_.end() && readers->second.size() == 1) {
        device = *readers->second.begin();
      }
      params_.emplace(param.get(), std::move(device));
    }
  }

  const std::string& OfCall(const ir::GraphVar& result) const { return calls_.at(result.get()); }
  const std::string& OfParam(const GraphVar& param) const { return params_.at(param.get()); }

 private:
  struct Wanted {
    std::string device;
    bool by_user = false;  // an on_device of this value says so
  };

  void Visit(const ir::GraphBlock& block) {
    for (size_t i = block.bindings.size(); i-- > 0;) {
      const ir::GraphBinding& binding = *block.bindings[i];
      if (const auto* call = As<ir::GraphCall>(binding.value)) {
        VisitCall(*call, binding.var);
      } else if (const auto* tuple = As<ir::GraphTuple>(binding.value)) {
        const auto wanted = wanted_.find(binding.var.get());
        if (wanted == wanted_.end()) continue;
        for (const GraphVar& field : tuple->fields)
          wanted_.try_emplace(field.get(), wanted->second);
      } else if (const auto* get = As<ir::GraphTupleGet>(binding.value)) {
        const auto wanted = wanted_.find(binding.var.get());
        if (wanted != wanted_.end()) wanted_.try_emplace(get->tuple.get(), wanted->second);
      } else {
        ForEachBlock(*binding.value, [this](const ir::GraphBlock& inner) { Visit(inner); });
      }
    }
  }

  void VisitCall(const ir::GraphCall& call, const GraphVar& result) {
    if (call.op == kOnDevice) {
      const std::string device = TextAttr(call, kDeviceAttr);
      RequireTarget(device, result);
      wanted_.insert_or_assign(call.args[0].get(), Wanted{device, true});
      aliases_.emplace(result.get(), call.args[0].get());
      return;
    }
    if (call.op == kDeviceCopy) {
      RequireTarget(TextAttr(call, kFrom), result);
      RequireTarget(TextAttr(call, kTo), result);
      wanted_.insert_or_assign(call.args[0].get(), Wanted{TextAttr(call, kFrom), true});
      return;
    }
    std::string device = DeviceAttrOf(call);
    const auto wanted = wanted_.find(result.get());
    bool by_user = !device.empty();
    bool hands_on = by_user;
    if (device.empty() && wanted != wanted_.end()) {
      device = wanted->second.device;
      by_user = wanted->second.by_user;
      hands_on = true;
    }
    if (device.empty()) device = devices_.main;
    if (by_user) RequireTarget(device, result);
    const std::string why = WhyNot(call, result, device);
    if (!why.empty() && by_user) {
      throw Error(Diagnostic{.name = "graph-device-operator",
                             .message = "`%" + result->name + "` = " + call.op +
                                        " cannot run on `" + device + "`: " + why,
                             .expected = "an operator that has kernels for threads",
                             .found = call.op,
                             .help = "leave out on_device: the call then runs on the host, and "
                                     "what it needs is copied"});
    }
    if (!why.empty()) {
      on_host_.try_emplace(call.op, device, why);
      device = kHostDevice;
    } else if (hands_on) {
      for (const GraphVar& arg : call.args) wanted_.try_emplace(arg.get(), Wanted{device, false});
    }
    calls_.insert_or_assign(result.get(), std::move(device));
  }

  std::string WhyNot(const ir::GraphCall& call, const GraphVar& result,
                     const std::string& device) const {
    if (device == kHostDevice || !devices_.why_not || GetOp(call.op).is_view) return "";
    return devices_.why_not(call, result->type, KindOfDevice(device));
  }

  void RequireTarget(const std::string& device, const GraphVar& var) const {
    if (SlotOfDevice(device) >= 0 && devices_.kinds.contains(KindOfDevice(device))) return;
    std::string known;
    for (const std::string& kind : devices_.kinds)
      known += (known.empty() ? "`" : ", `") + kind + "`";
    throw Error(Diagnostic{
        .name = "graph-no-target",
        .message =
            "`%" + var->name + "` is placed on `" + device + "`, for which there is no target",
        .expected = known,
        .found = "`" + device + "`",
        .help = "give a target for each kind of device when the graph is built"});
  }

  // The devices of the calls that read each value, through on_device.
  void FindReaders(const ir::GraphBlock& block) {
    for (const Ref<const ir::GraphBinding>& binding : block.bindings) {
      if (const auto* call = As<ir::GraphCall>(binding->value)) {
        if (call->op == kOnDevice) continue;
        const std::string device =
            call->op == kDeviceCopy ? TextAttr(*call, kFrom) : calls_.at(binding->var.get());
        for (const GraphVar& arg : call->args) {
          const ir::Node* of = arg.get();
          for (auto at = aliases_.find(of); at != aliases_.end(); at = aliases_.find(of))
            of = at->second;
          readers_[of].insert(device);
        }
      } else {
        ForEachBlock(*binding->value, [this](const ir::GraphBlock& inner) { FindReaders(inner); });
      }
    }
  }

  template <class F>
  static void ForEachBlock(const ir::Node& value, F visit) {
    if (const auto* node = As<ir::GraphIf>(&value)) {
      visit(*node->then_block);
      visit(*node->else_block);
    } else if (const auto* loop = As<ir::GraphLoop>(&value)) {
      visit(*loop->condition);
      visit(*loop->body);
    } else if (const auto* func = As<ir::GraphFunc>(&value)) {
      visit(*func->body);
    } else if (const auto* match = As<ir::GraphMatch>(&value)) {
      for (const Ref<const ir::GraphCase>& one : match->cases) visit(*one->block);
    }
  }

  const GraphDevices& devices_;
  std::unordered_map<const ir::Node*, Wanted> wanted_;
  std::unordered_map<const ir::Node*, const ir::Node*> aliases_;  // result of on_device -> input
  std::unordered_map<const ir::Node*, std::string> calls_;        // by their results
  std::unordered_map<const ir::Node*, std::set<std::string>> readers_;
  std::unordered_map<const ir::Node*, std::string> params_;
  std::map<std::string, std::pair<std::string, std::string>> on_host_;  // operator -> device, why
};

// The function that is built: writes the attribute, and copies what is read elsewhere.
class Placing {
 public:
  Placing(const Placement& placement, const GraphDevices& devices, Builder& builder)
      : placement_(placement), devices_(devices), b_(builder) {}

  void AddParam(const GraphVar& before, const GraphVar& now) {
    if (As<ir::TensorType>(now->type) != nullptr)
      places_[now] = std::vector<std::string>{placement_.OfParam(before)};
  }

  GraphVar Placed(const ir::GraphBinding& before, const NodeRef& value) {
    const std::string& name = before.var->name;
    if (const auto* call = As<ir::GraphCall>(value)) {
      if (call->op == kOnDevice) return call->args[0];
      if (call->op == kDeviceCopy) return CopyOn(*call, name);
      return PlacedCall(*call, placement_.OfCall(before.var), name);
    }
    GraphVar var;
    if (const auto* invoke = As<ir::GraphInvoke>(value)) {
      Ref<ir::GraphInvoke> copy = CopyOf(*invoke);
      for (GraphVar& arg : copy->args) arg = On(arg, devices_.main);
      return b_.Emit(std::move(copy), name);
    }
    var = b_.Emit(value, name);
    if (As<ir::Constant>(value) != nullptr) {
      places_[var] = {kAnywhere};
    } else if (const auto* tuple = As<ir::GraphTuple>(value)) {
      std::vector<std::string>& all = places_[var];
      for (const GraphVar& field : tuple->fields) {
        const std::vector<std::string> of = PlacesOf(field);
        all.insert(all.end(), of.begin(), of.end());
      }
    } else if (const auto* get = As<ir::GraphTupleGet>(value)) {
      const auto& type = static_cast<const ir::TupleType&>(*get->tuple->type);
      size_t first = 0;
      for (int64_t i = 0; i < get->index; ++i)
        first += Tensors(type.fields[static_cast<size_t>(i)]);
      const std::vector<std::string> all = PlacesOf(get->tuple);
      const auto begin = all.begin() + static_cast<ptrdiff_t>(first);
      places_[var] = {begin, begin + static_cast<ptrdiff_t>(Tensors(var->type))};
    }
    return var;
  }

 private:
  static size_t Tensors(const NodeRef& type) {
    const auto* tuple = As<ir::TupleType>(type);
    if (tuple == nullptr) return 1;
    size_t count = 0;
    for (const NodeRef& field : tuple->fields) count += Tensors(field);
    return count;
  }
  // Of each tensor of a value. What control flow hands on is on the main device.
  std::vector<std::string> PlacesOf(const GraphVar& var) const {
    const auto at = places_.find(var);
    return at == places_.end() ? std::vector<std::string>(Tensors(var->type), devices_.main)
                               : at->second;
  }

  GraphVar PlacedCall(const ir::GraphCall& before, const std::string& device,
                      const std::string& name) {
    Ref<ir::GraphCall> call = CopyOf(before);
    b_.SetDevice("");
    for (GraphVar& arg : call->args) arg = On(arg, device);
    call->attrs.erase(kDeviceAttr);
    if (device != devices_.main) call->attrs[kDeviceAttr] = StringAttr(device);
    GraphVar var = b_.Emit(std::move(call), name);
    places_[var] = std::vector<std::string>(Tensors(var->type), device);
    return var;
  }

  // A copy that the program has.
  GraphVar CopyOn(const ir::GraphCall& call, const std::string& name) {
    const std::string from = TextAttr(call, kFrom), to = TextAttr(call, kTo);
    const GraphVar input = On(call.args[0], from);
    GraphVar var = b_.Call(kDeviceCopy, {input}, call.attrs, name);
    places_[var] = {to};
    return var;
  }

  // `var` on a device.
  GraphVar On(const GraphVar& var, const std::string& device) {
    if (As<ir::TensorType>(var->type) == nullptr) return var;
    const std::string place = PlacesOf(var)[0];
    if (place == device || place == kAnywhere) return var;
    // What is copied in a block is not visible outside of it.
    const bool outer = b_.OpenBlocks() == 1;
    const auto made = copies_.find({var.get(), device});
    if (made != copies_.end()) return made->second;
    GraphVar copy = b_.Call(kDeviceCopy, {var},
                            {{kFrom, StringAttr(place)}, {kTo, StringAttr(device)}}, var->name);
    places_[copy] = {device};
    if (outer) copies_.emplace(std::pair(var.get(), device), copy);
    return copy;
  }

  const Placement& placement_;
  const GraphDevices& devices_;
  Builder& b_;
  std::unordered_map<GraphVar, std::vector<std::string>, RefHash, RefEqual> places_;
  std::map<std::pair<const ir::Node*, std::string>, GraphVar> copies_;
};

// Nothing is to be decided: one device, and no annotations.
bool HasOneDevice(const ir::GraphFunc& func, const GraphDevices& devices) {
  bool one = devices.kinds.size() == 1;
  std::vector<const ir::GraphBlock*> blocks = {func.body.get()};
  while (one && !blocks.empty()) {
    const ir::GraphBlock& block = *blocks.back();
    blocks.pop_back();
    for (const Ref<const ir::GraphBinding>& binding : block.bindings) {
      const auto* call = As<ir::GraphCall>(binding->value);
      one = one && (call == nullptr || (call->op != kOnDevice && call->op != kDeviceCopy &&
                                        !call->attrs.contains(kDeviceAttr)));
      if (const auto* node = As<ir::GraphIf>(binding->value)) {
        blocks.insert(blocks.end(), {node->then_block.get(), node->else_block.get()});
      } else if (const auto* loop = As<ir::GraphLoop>(binding->value)) {
        blocks.insert(blocks.end(), {loop->condition.get(), loop->body.get()});
      }
    }
  }
  return one;
}

}  // namespace

GraphFuncRef PlaceDevices(const GraphFuncRef& func, const ir::GraphModule& module,
                          const GraphPassContext& context) {
  if (HasOneDevice(*func, context.devices)) return func;
  const Placement placement(*func, context.devices);
  std::optional<Placing> placing;
  return Rewrite(
      *func, module,
      [&](const ir::GraphBinding& before, const NodeRef& value, Builder& builder) -> GraphVar {
        if (!placing) {
          placing.emplace(placement, context.devices, builder);
          for (size_t i = 0; i < func->params.size(); ++i)
            placing->AddParam(func->params[i], builder.Inputs()[i]);
        }
        return placing->Placed(before, value);
      });
}

}  // namespace lathe::graph

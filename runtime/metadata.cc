#include "runtime/metadata.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/dtype.h"
#include "runtime/cpu_features.h"
#include "runtime/device.h"
#include "runtime/device_api.h"
#include "runtime/json.h"
#include "runtime/metadata_names.h"
#include "runtime/registry.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

constexpr size_t kMaxFunctions = 65536;
constexpr size_t kMaxArguments = 4096;
constexpr int64_t kMaxAxes = 32;
constexpr size_t kMaxLaunchAxes = 32;

absl::Status Invalid(const Json& at, const std::string& what) {
  return MakeStatus(
      absl::StatusCode::kDataLoss, "metadata-invalid",
      {"the artefact's metadata is invalid",
       (at.line() > 0 ? " at line " + std::to_string(at.line()) : std::string()), ": ", what});
}

// Reads optional members of one object; stops at the first member of a wrong kind.
class Reader {
 public:
  Reader(const Json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object.is_object())
      status_ = Invalid(object, where_ + " is " + object.kind_name() + ", not an object");
  }
  const absl::Status& status() const { return status_; }

  void Text(std::string_view key, std::string* out) {
    if (const Json* found = Find(key, "a string", [](const Json& j) { return j.is_string(); }))
      *out = found->string();
  }
  void Integer(std::string_view key, int64_t* out) {
    if (const Json* found = Find(key, "an integer", [](const Json& j) { return j.is_int(); }))
      *out = found->int_value();
  }
  void Boolean(std::string_view key, bool* out) {
    if (const Json* found = Find(key, "a boolean", [](const Json& j) { return j.is_bool(); }))
      *out = found->bool_value();
  }
  void Texts(std::string_view key, std::vector<std::string>* out) {
    const Json* found = List(key);
    if (found == nullptr) return;
    for (const Json& item : found->items()) {
      if (item.is_int()) {  // an extent
        out->push_back(std::to_string(item.int_value()));
      } else if (item.is_string()) {
        out->push_back(item.string());
      } else {
        status_ = Invalid(item, where_ + ": `" + std::string(key) + "` holds " + item.kind_name());
        return;
      }
    }
  }
  // A number or an expression; null counts as absent.
  void Extent(std::string_view key, std::string* out) {
    const Json* found = Find(key, "a number or a string", [](const Json& j) {
      return j.is_string() || j.is_null() || (j.is_int() && j.int_value() >= 0);
    });
    if (found == nullptr || found->is_null()) return;
    *out = found->is_int() ? std::to_string(found->int_value()) : found->string();
  }
  const Json* Member(std::string_view key) {
    return Find(key, "an object", [](const Json& j) { return j.is_object(); });
  }
  const Json* List(std::string_view key) {
    return Find(key, "an array", [](const Json& j) { return j.is_array(); });
  }

 private:
  template <class F>
  const Json* Find(std::string_view key, const char* wanted, F fits) {
    if (!status_.ok()) return nullptr;
    const Json* found = object_.Find(key);
    if (found == nullptr || fits(*found)) return found;
    status_ = Invalid(*found, where_ + ": `" + std::string(key) + "` is " + found->kind_name() +
                                  ", not " + wanted);
    return nullptr;
  }

  const Json& object_;
  std::string where_;
  absl::Status status_;
};

absl::Status ReadArgument(const Json& json, const std::string& where, ArgumentMetadata* out) {
  static constexpr std::string_view kKinds[] = {
      argument_kind::kTensor, argument_kind::kInt,    argument_kind::kFloat, argument_kind::kBool,
      argument_kind::kHandle, argument_kind::kString, argument_kind::kStream};
  Reader reader(json, where);
  int64_t rank = -1;
  reader.Text(metadata_key::kName, &out->name);
  reader.Text(metadata_key::kKind, &out->kind);
  reader.Text(metadata_key::kDtype, &out->dtype);
  reader.Integer(metadata_key::kRank, &rank);
  reader.Texts(metadata_key::kShape, &out->shape);
  LATHE_RETURN_IF_ERROR(reader.status());
  if (std::find(std::begin(kKinds), std::end(kKinds), out->kind) == std::end(kKinds))
    return Invalid(json, where + ": no argument is of kind `" + out->kind + "`");
  DataType dtype;
  if (!out->dtype.empty() && !DataType::Parse(out->dtype, &dtype))
    return Invalid(json, where + ": `" + out->dtype + "` is no element type");
  if (rank < -1 || rank > kMaxAxes)
    return Invalid(json, where + ": a rank of " + std::to_string(rank));
  if (!out->shape.empty() && rank != static_cast<int64_t>(out->shape.size()))
    return Invalid(json, where + ": " + std::to_string(out->shape.size()) +
                             " extents for a rank of " + std::to_string(rank));
  out->rank = static_cast<int>(rank);
  return absl::OkStatus();
}

absl::Status ReadFunction(const Json& json, const std::string& where, FunctionMetadata* out) {
  Reader reader(json, where);
  reader.Text(metadata_key::kName, &out->name);
  reader.Text(metadata_key::kDevice, &out->device);
  reader.Texts(metadata_key::kOutputs, &out->outputs);
  reader.Texts(metadata_key::kLaunch, &out->launch);
  reader.Boolean(metadata_key::kDynamicShared, &out->dynamic_shared);
  reader.Extent(metadata_key::kWorkspace, &out->workspace);
  reader.Extent(metadata_key::kThreadWorkspace, &out->thread_workspace);
  reader.Text(metadata_key::kWorkspaceUnknown, &out->workspace_unknown);
  if (const Json* entry = reader.Member(metadata_key::kUnchecked)) {
    Reader inner(*entry, where + ": `unchecked`");
    inner.Texts(metadata_key::kBuffers, &out->entry_buffers);
    inner.Texts(metadata_key::kSizes, &out->entry_sizes);
    LATHE_RETURN_IF_ERROR(inner.status());
    if (out->entry_buffers.size() > kMaxArguments || out->entry_sizes.size() > kMaxArguments)
      return Invalid(*entry, where + " has too many buffers or sizes");
    out->unchecked = true;
  }
  const Json* arguments = reader.List(metadata_key::kArguments);
  LATHE_RETURN_IF_ERROR(reader.status());
  if (out->launch.size() > kMaxLaunchAxes)
    return Invalid(json, where + " is launched over too many axes");
  if (out->name.empty()) return Invalid(json, where + " has no name");
  if (arguments == nullptr) return absl::OkStatus();
  if (arguments->items().size() > kMaxArguments)
    return Invalid(*arguments, where + " has too many arguments");
  for (const Json& argument : arguments->items()) {
    LATHE_RETURN_IF_ERROR(ReadArgument(
        argument, "argument " + std::to_string(out->arguments.size()) + " of `" + out->name + "`",
        &out->arguments.emplace_back()));
  }
  return absl::OkStatus();
}

// Writes extents that are numbers as numbers.
Json ExtentJson(const std::string& extent) {
  const bool digits =
      !extent.empty() && extent.size() < 19 &&
      std::all_of(extent.begin(), extent.end(), [](char c) { return c >= '0' && c <= '9'; });
  return digits ? Json(static_cast<int64_t>(std::stoll(extent))) : Json(extent);
}

Json TextsJson(const std::vector<std::string>& texts) {
  Json list = Json::Array();
  for (const std::string& text : texts) list.Append(text);
  return list;
}

}  // namespace

std::string FunctionMetadata::Signature() const {
  std::string text = name + "(";
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ArgumentMetadata& argument = arguments[i];
    if (i > 0) text += ", ";
    text += argument.name.empty() ? "_" : argument.name;
    text += ": " + (argument.dtype.empty() ? argument.kind : argument.dtype);
    if (argument.kind != argument_kind::kTensor) continue;
    text += "[";
    if (argument.shape.empty() && argument.rank != 0)
      text += argument.rank < 0 ? "..." : "rank " + std::to_string(argument.rank);
    for (size_t j = 0; j < argument.shape.size(); ++j)
      text += (j > 0 ? ", " : "") + argument.shape[j];
    text += "]";
  }
  return text + ")";
}

void Metadata::Append(Metadata part) {
  if (target.empty()) target = std::move(part.target);
  if (compiler.empty()) compiler = std::move(part.compiler);
  if (kind.empty()) kind = std::move(part.kind);
  if (entry.empty()) entry = std::move(part.entry);
  const auto unite = [](std::vector<std::string>& all, std::vector<std::string>& more) {
    for (std::string& one : more) {
      if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(std::move(one));
    }
  };
  unite(devices, part.devices);
  unite(needs, part.needs);
  std::move(part.functions.begin(), part.functions.end(), std::back_inserter(functions));
}

const FunctionMetadata* Metadata::FindFunction(std::string_view function) const {
  for (const FunctionMetadata& candidate : functions)
    if (candidate.name == function) return &candidate;
  return nullptr;
}

std::string Metadata::ToJson() const {
  Json json = Json::Object();
  json.Set(metadata_key::kLathe, version);
  json.Set(metadata_key::kCompiler, compiler);
  json.Set(metadata_key::kTarget, target);
  json.Set(metadata_key::kKind, kind);
  if (!entry.empty()) json.Set(metadata_key::kEntry, entry);
  json.Set(metadata_key::kDevices, TextsJson(devices));
  if (!needs.empty()) json.Set(metadata_key::kNeeds, TextsJson(needs));
  Json list = Json::Array();
  for (const FunctionMetadata& function : functions) {
    Json item = Json::Object();
    item.Set(metadata_key::kName, function.name);
    item.Set(metadata_key::kDevice, function.device);
    Json arguments = Json::Array();
    for (const ArgumentMetadata& argument : function.arguments) {
      Json one = Json::Object();
      one.Set(metadata_key::kName, argument.name);
      one.Set(metadata_key::kKind, argument.kind);
      if (!argument.dtype.empty()) one.Set(metadata_key::kDtype, argument.dtype);
      if (argument.rank >= 0) one.Set(metadata_key::kRank, argument.rank);
      if (!argument.shape.empty()) {
        Json shape = Json::Array();
        for (const std::string& extent : argument.shape) shape.Append(ExtentJson(extent));
        one.Set(metadata_key::kShape, std::move(shape));
      }
      arguments.Append(std::move(one));
    }
    item.Set(metadata_key::kArguments, std::move(arguments));
    if (!function.outputs.empty()) item.Set(metadata_key::kOutputs, TextsJson(function.outputs));
    if (!function.launch.empty()) item.Set(metadata_key::kLaunch, TextsJson(function.launch));
    if (function.dynamic_shared) item.Set(metadata_key::kDynamicShared, true);
    if (function.unchecked) {
      Json entry = Json::Object();
      entry.Set(metadata_key::kBuffers, TextsJson(function.entry_buffers));
      entry.Set(metadata_key::kSizes, TextsJson(function.entry_sizes));
      item.Set(metadata_key::kUnchecked, std::move(entry));
    }
    if (!function.workspace_unknown.empty()) {
      item.Set(metadata_key::kWorkspace, Json());
      item.Set(metadata_key::kThreadWorkspace, Json());
      item.Set(metadata_key::kWorkspaceUnknown, function.workspace_unknown);
    } else if (!function.workspace.empty()) {
      item.Set(metadata_key::kWorkspace, ExtentJson(function.workspace));
      item.Set(metadata_key::kThreadWorkspace, ExtentJson(function.thread_workspace));
    }
    list.Append(std::move(item));
  }
  json.Set(metadata_key::kFunctions, std::move(list));
  return json.Dump();
}

absl::StatusOr<Metadata> Metadata::FromJson(std::string_view text) {
  absl::StatusOr<Json> json = Json::Parse(text, size_t{64} << 20);
  if (!json.ok())
    return MakeStatus(absl::StatusCode::kDataLoss, "metadata-invalid",
                      {"the artefact's metadata is no JSON: ", StatusText(json.status())});
  Metadata metadata;
  Reader reader(*json, "the metadata");
  int64_t version = 0;
  reader.Integer(metadata_key::kLathe, &version);
  LATHE_RETURN_IF_ERROR(reader.status());
  if (version != kMetadataVersion)
    return MakeStatus(
        absl::StatusCode::kUnimplemented, "metadata-version",
        {"the artefact's metadata is of another version\nexpected: ",
         std::to_string(kMetadataVersion), "\nfound: ", std::to_string(version),
         "\nhelp: compile it again, or use the runtime of the compiler that made it"});
  reader.Text(metadata_key::kCompiler, &metadata.compiler);
  reader.Text(metadata_key::kTarget, &metadata.target);
  reader.Text(metadata_key::kKind, &metadata.kind);
  reader.Text(metadata_key::kEntry, &metadata.entry);
  reader.Texts(metadata_key::kDevices, &metadata.devices);
  reader.Texts(metadata_key::kNeeds, &metadata.needs);
  const Json* functions = reader.List(metadata_key::kFunctions);
  LATHE_RETURN_IF_ERROR(reader.status());
  if (functions == nullptr) return metadata;
  if (functions->items().size() > kMaxFunctions) return Invalid(*functions, "too many functions");
  for (const Json& function : functions->items()) {
    LATHE_RETURN_IF_ERROR(ReadFunction(function,
                                       "function " + std::to_string(metadata.functions.size()),
                                       &metadata.functions.emplace_back()));
  }
  return metadata;
}

absl::Status CheckMetadata(const Metadata& metadata) {
  // The plugins of other devices check their code themselves.
  const bool on_cpu =
      metadata.devices.empty() ||
      std::find(metadata.devices.begin(), metadata.devices.end(), "cpu") != metadata.devices.end();
  if (on_cpu) LATHE_RETURN_IF_ERROR(CheckTargetRunsHere(metadata.target));
  for (const std::string& state : metadata.needs)
    LATHE_RETURN_IF_ERROR(RequestProcessorState(state));
  for (const std::string& name : metadata.devices) {
    int32_t kind = 0;
    absl::Status status;
    if (!FindDeviceKind(name, &kind)) {
      // A plugin that is not loaded yet may provide the kind.
      status = FindOrLoadGlobal("device_api." + name).status();
      if (status.ok()) continue;
    } else {
      status = GetDeviceAPI(kind).status();
    }
    if (status.ok()) continue;
    return MakeStatus(absl::StatusCode::kUnavailable, "module-missing-device",
                      {"the module needs a device that is not here\nexpected: device kind `", name,
                       "` (compiled for `", metadata.target, "`)\nfound: ", StatusText(status)});
  }
  return absl::OkStatus();
}

}  // namespace lathe::runtime

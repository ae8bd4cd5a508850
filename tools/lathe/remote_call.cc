#include "tools/lathe/remote_call.h"

#include <cstdio>
#include <tuple>
#include <utility>

#include "driver/read_artifact.h"
#include "runtime/graph/plan_module.h"
#include "runtime/rpc/connect.h"
#include "runtime/rpc/tracker_client.h"
#include "runtime/status.h"
#include "runtime/timer.h"
#include "tools/lathe/call.h"
#include "tools/lathe/model_inputs.h"
#include "tools/lathe/progress.h"
#include "tools/lathe/run_model.h"
#include "tools/rpc/options.h"

namespace lathe::cli {
namespace {

using runtime::MakeStatus;
using runtime::Tensor;
using runtime::Value;
using runtime::graph::Plan;
using runtime::rpc::RemoteSession;

std::pair<std::string, int> AddressOf(const std::string& what, const std::string& text) {
  std::string host;
  int port = 0;
  if (!rpc_tools::ParseAddress(text, &host, &port))
    throw UsageError(Diagnostic{.name = "cli-bad-value",
                                .message = what + " names no address",
                                .expected = "HOST:PORT",
                                .found = "`" + text + "`",
                                .help = "for example `127.0.0.1:9090`"});
  return {host, port};
}

absl::StatusOr<std::optional<runtime::rpc::Secret>> SecretOf(const Arguments& arguments) {
  if (!arguments.Has("--secret-file")) return runtime::rpc::SecretOfEnvironment();
  LATHE_ASSIGN_OR_RETURN(const runtime::rpc::Secret secret,
                         runtime::rpc::ReadSecret(arguments.Get("--secret-file")));
  return std::optional<runtime::rpc::Secret>(secret);
}

// On standard error, where people look.
void SayPlace(uint64_t place) {
  std::fprintf(stderr, "waiting for a device: number %llu in the queue\n",
               static_cast<unsigned long long>(place));
}

// The plans of an artefact, which may be for any machine.
absl::StatusOr<std::vector<Plan>> PlansOf(std::string bytes) {
  std::vector<Plan> plans;
  for (const runtime::ModulePart& part : driver::TakeImports(&bytes)) {
    if (part.kind != runtime::graph::kPlanKind) continue;
    LATHE_ASSIGN_OR_RETURN(plans.emplace_back(), runtime::graph::DecodePlan(part.bytes));
  }
  return plans;
}

absl::Status RunFunctionThere(const Arguments& arguments, const RemoteModule& there,
                              std::span<const std::string> given) {
  LATHE_ASSIGN_OR_RETURN(const runtime::FunctionMetadata* const described,
                         ChooseFunction(there.module, there.path, &given));
  RemoteCall remote;
  LATHE_ASSIGN_OR_RETURN(remote.function, there.module.GetFunction(described->name));
  Call call(arguments, *described, there.session->device(kDLCPU));
  LATHE_RETURN_IF_ERROR(call.Bind(given));
  remote.values = call.values();
  remote.device = call.device();
  LATHE_RETURN_IF_ERROR(CallThere(remote).status());
  LATHE_RETURN_IF_ERROR(call.WriteOutputs());
  return arguments.Has("--time") ? TimeThere(arguments, *there.session, remote) : absl::OkStatus();
}

absl::Status RunModelThere(const Arguments& arguments, const RemoteModule& there,
                           std::span<const std::string> given) {
  if (!given.empty())
    throw UsageError(Diagnostic{.name = "cli-bad-value",
                                .message = "`" + there.path + "` is a model: its inputs have names",
                                .expected = "`--input NAME=VALUE` for each",
                                .found = "`" + given[0] + "`",
                                .help = "`lathe inspect` shows the inputs"});
  LATHE_ASSIGN_OR_RETURN(const WantedOutputs wanted, WantedOutputsOf(arguments, *there.plan));
  LATHE_ASSIGN_OR_RETURN(const std::vector<Tensor> inputs,
                         InputsOf(arguments, *there.plan, Missing::kError));
  LATHE_ASSIGN_OR_RETURN(const RemoteCall call, ModelCall(there, inputs));
  LATHE_ASSIGN_OR_RETURN(const Value result, CallThere(call));
  LATHE_ASSIGN_OR_RETURN(const std::vector<Tensor> outputs, TensorsOf(result, there));
  LATHE_RETURN_IF_ERROR(WriteOutputs(arguments, *there.plan, wanted, outputs));
  return arguments.Has("--time") ? TimeThere(arguments, *there.session, call) : absl::OkStatus();
}

}  // namespace

absl::StatusOr<Ref<RemoteSession>> OpenSession(const Arguments& arguments,
                                               const std::string& address, const std::string& key) {
  if (arguments.Has("--tracker") && arguments.Has("--host"))
    throw UsageError(Diagnostic{.name = "cli-bad-value",
                                .message = "`--tracker` and `--host` are two ways to a device",
                                .expected = "one of them",
                                .found = "both",
                                .help = "with `--tracker`, `--key` says which device"});
  LATHE_ASSIGN_OR_RETURN(const std::optional<runtime::rpc::Secret> secret, SecretOf(arguments));
  if (arguments.Has("--tracker")) {
    runtime::rpc::TrackerAddress tracker;
    std::tie(tracker.host, tracker.port) = AddressOf("`--tracker`", arguments.Get("--tracker"));
    tracker.secret = secret;
    runtime::rpc::DeviceRequest request;
    request.key = arguments.Get("--key", key);
    request.queued = SayPlace;
    return runtime::rpc::RequestDevice(tracker, request);
  }
  runtime::rpc::ConnectOptions options;
  std::tie(options.host, options.port) = AddressOf("`--host`", arguments.Get("--host", address));
  options.control.key = arguments.Get("--key");
  options.control.secret = secret;
  options.queued = SayPlace;
  return runtime::rpc::Connect(std::move(options));
}

absl::StatusOr<RemoteModule> LoadThere(const Arguments& arguments, Ref<RemoteSession> session,
                                       const std::string& path, const std::string& bytes) {
  RemoteModule there{std::move(session), path, {}, {}};
  LATHE_ASSIGN_OR_RETURN(std::vector<Plan> plans, PlansOf(bytes));
  if (!plans.empty()) {
    const std::string wanted =
        arguments.Get("--function", plans.size() == 1 ? plans[0].name : "main");
    std::string names;
    for (Plan& plan : plans) {
      names += (names.empty() ? "`" : ", `") + plan.name + "`";
      if (plan.name == wanted) there.plan = std::move(plan);
    }
    if (!there.plan)
      return MakeStatus(absl::StatusCode::kInvalidArgument, "model-plan",
                        {"`", path, "` has no compiled model `", wanted, "`\n  expected: one of ",
                         names, "\n  help: `--function NAME` chooses one"});
  }
  const std::string name = path.substr(path.rfind('/') + 1);
  Progress progress;
  there.session->caller().OnProgress([&](uint64_t done, uint64_t total) {
    progress.Show("uploading " + name + ": " + std::to_string(done >> 20) + " of " +
                  std::to_string(total >> 20) + " MiB");
  });
  const absl::Status uploaded = there.session->files().Upload(name, bytes);
  there.session->caller().OnProgress(nullptr);
  progress.Clear();
  LATHE_RETURN_IF_ERROR(uploaded);
  LATHE_ASSIGN_OR_RETURN(there.module, there.session->LoadUploaded(name));
  return there;
}

absl::StatusOr<Value> CallThere(const RemoteCall& call) {
  std::vector<lathe_value> values;
  for (const Value& value : call.values) values.push_back(value.c());
  return call.function.TryCallPacked(values.data(), static_cast<int32_t>(values.size()));
}

absl::Status TimeThere(const Arguments& arguments, RemoteSession& session, const RemoteCall& call) {
  runtime::TimerOptions options;
  options.number = arguments.Integer("--number", 1, 1, int64_t{1} << 40);
  options.repeat = arguments.Integer("--repeat", 10, 1, 1 << 20);
  LATHE_ASSIGN_OR_RETURN(const runtime::TimerResult result,
                         session.Time(call.function, call.values, call.device, options, nullptr));
  std::printf("time: %s\n", result.ToString().c_str());
  return absl::OkStatus();
}

absl::StatusOr<RemoteCall> ModelCall(const RemoteModule& there, std::span<const Tensor> inputs) {
  RemoteCall call;
  call.device = there.session->device(kDLCPU);
  LATHE_ASSIGN_OR_RETURN(call.function, there.module.GetFunction(there.plan->name));
  for (const Tensor& input : inputs) {
    LATHE_ASSIGN_OR_RETURN(Tensor copy, input.To(call.device));
    call.values.emplace_back(std::move(copy));
  }
  return call;
}

absl::StatusOr<std::vector<Tensor>> TensorsOf(const Value& result, const RemoteModule& there) {
  std::vector<Tensor> tensors;
  if (result.Is<Tensor>()) {
    tensors.push_back(result.As<Tensor>());
  } else if (result.Is<std::vector<Value>>()) {
    for (const Value& item : result.As<std::vector<Value>>())
      if (item.Is<Tensor>()) tensors.push_back(item.As<Tensor>());
  }
  if (tensors.size() == there.plan->outputs.size()) return tensors;
  return MakeStatus(absl::StatusCode::kInternal, "rpc-unexpected",
                    {"the model gave ", std::to_string(tensors.size()), " tensors; its plan has ",
                     std::to_string(there.plan->outputs.size())});
}

absl::Status RunThere(const Arguments& arguments, const RemoteModule& there,
                      std::span<const std::string> given) {
  if (there.plan) return RunModelThere(arguments, there, given);
  for (const char* option : {"--input", "--top"}) {
    if (!arguments.Has(option)) continue;
    throw UsageError(Diagnostic{.name = "cli-bad-value",
                                .message = std::string("`") + option + "` is for models",
                                .expected = "arguments in the order of the function",
                                .found = "an option of models",
                                .help = "`lathe inspect` shows the functions of an artefact"});
  }
  return RunFunctionThere(arguments, there, given);
}

}  // namespace lathe::cli

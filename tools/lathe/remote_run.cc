// `lathe remote run`: calls a function on another machine, as `lathe run` does on this one.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "runtime/rpc/connect.h"
#include "runtime/rpc/tracker_client.h"
#include "runtime/status.h"
#include "runtime/timer.h"
#include "tools/lathe/call.h"
#include "tools/lathe/files.h"
#include "tools/lathe/remote.h"
#include "tools/rpc/options.h"

namespace lathe::cli {
namespace {

using runtime::rpc::RemoteSession;

// Of an artefact, at most: what a session takes.
constexpr uint64_t kMostBytes = uint64_t{4} << 30;

constexpr Option kOptions[] = {
    {"--host", "HOST:PORT", "a server, or a proxy (127.0.0.1:9090)"},
    {"--tracker", "HOST:PORT", "a tracker, which lends a device of --key"},
    {"--key", "KEY", "the kind of device"},
    {"--secret-file", "FILE",
     "the secret of the other side; else the environment's, LATHE_REMOTE_SECRET_FILE"},
    {"--out", "[NAME=]FILE", "write an output as .npy; without NAME the outputs in order"},
    kOutShapeOption,
    kExtentOption,
    {"--time", nullptr, "measure the call, by the other machine's clock"},
    {"--number", "N", "with --time: calls per sample (1)"},
    {"--repeat", "N", "with --time: samples (10)"},
};

std::pair<std::string, int> AddressOf(const Arguments& arguments, const char* option) {
  const std::string text = arguments.Get(option);
  std::string host;
  int port = 0;
  if (!rpc_tools::ParseAddress(text, &host, &port))
    throw UsageError(Diagnostic{.name = "cli-bad-value",
                                .message = std::string("`") + option + "` names no address",
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

// "waiting, 2 before" on standard error, where people look.
void SayPlace(uint64_t before) {
  std::fprintf(stderr, "waiting, %llu before\n", static_cast<unsigned long long>(before));
}

absl::StatusOr<Ref<RemoteSession>> OpenSession(const Arguments& arguments) {
  LATHE_ASSIGN_OR_RETURN(const std::optional<runtime::rpc::Secret> secret, SecretOf(arguments));
  if (arguments.Has("--tracker")) {
    runtime::rpc::TrackerAddress tracker;
    std::tie(tracker.host, tracker.port) = AddressOf(arguments, "--tracker");
    tracker.secret = secret;
    runtime::rpc::DeviceRequest request;
    request.key = arguments.Get("--key");
    request.queued = SayPlace;
    return runtime::rpc::RequestDevice(tracker, request);
  }
  runtime::rpc::ConnectOptions options;
  if (arguments.Has("--host"))
    std::tie(options.host, options.port) = AddressOf(arguments, "--host");
  options.control.key = arguments.Get("--key");
  options.control.secret = secret;
  options.queued = SayPlace;
  return runtime::rpc::Connect(std::move(options));
}

absl::Status Time(const Arguments& arguments, RemoteSession& session,
                  const runtime::Function& function, const Call& call) {
  runtime::TimerOptions options;
  options.number = arguments.Integer("--number", 1, 1, int64_t{1} << 40);
  options.repeat = arguments.Integer("--repeat", 10, 1, 1 << 20);
  LATHE_ASSIGN_OR_RETURN(const runtime::TimerResult result,
                         session.Time(function, call.values(), call.device(), options, nullptr));
  std::printf("time: %s\n", result.ToString().c_str());
  return absl::OkStatus();
}

absl::Status Run(const Arguments& arguments) {
  const std::string& path = arguments.positional()[0];
  std::span<const std::string> given = std::span(arguments.positional()).subspan(1);
  LATHE_ASSIGN_OR_RETURN(const std::string bytes, ReadInput(path, kMostBytes));
  LATHE_ASSIGN_OR_RETURN(const Ref<RemoteSession> session, OpenSession(arguments));
  const std::string name = path.substr(path.rfind('/') + 1);
  LATHE_RETURN_IF_ERROR(session->files().Upload(name, bytes));
  LATHE_ASSIGN_OR_RETURN(const runtime::Module module, session->LoadUploaded(name));
  LATHE_ASSIGN_OR_RETURN(const runtime::FunctionMetadata* const described,
                         ChooseFunction(module, path, &given));
  LATHE_ASSIGN_OR_RETURN(const runtime::Function function, module.GetFunction(described->name));
  Call call(arguments, *described, session->device(kDLCPU));
  LATHE_RETURN_IF_ERROR(call.Bind(given));
  std::vector<lathe_value> values;
  for (const runtime::Value& value : call.values()) values.push_back(value.c());
  LATHE_RETURN_IF_ERROR(
      function.TryCallPacked(values.data(), static_cast<int32_t>(values.size())).status());
  LATHE_RETURN_IF_ERROR(call.WriteOutputs());
  if (arguments.Has("--time")) return Time(arguments, *session, function, call);
  return absl::OkStatus();
}

}  // namespace

const Command kRemoteRun = {
    .name = "remote run",
    .arguments = "ARTEFACT [FUNCTION] ARGUMENT...",
    .what = "call a compiled function on another machine",
    .details =
        "ARTEFACT is a .o, .so or .tar file that was compiled for that machine. It is uploaded, "
        "and\n"
        "its function is called there. Arguments and outputs are as for `lathe run`: an ARGUMENT "
        "is\n"
        "a .npy file, `random` or `zeros` (with a shape: `random:2x3`), or a number.\n",
    .example =
        "  lathe compile add.lathe --target \"llvm -mtriple=aarch64-linux-gnu\" -o add.tar\n"
        "  lathe remote run add.tar random:1000 random --host rk3399.lab:9090 --time\n",
    .options = kOptions,
    .fewest = 1,
    .most = 1 << 20,
    .run = Run,
};

}  // namespace lathe::cli

// What `lathe remote run`, `lathe remote shell` and `lathe board run` share: a session with another
// machine, an artefact that is loaded there, and calls of it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/graph/plan.h"
#include "runtime/module.h"
#include "runtime/rpc/remote_session.h"
#include "runtime/tensor.h"
#include "runtime/value.h"
#include "tools/lathe/command.h"

namespace lathe::cli {

// Opens a session as --host, --tracker, --key and --secret-file say. `address` (HOST:PORT) is used
// if there is neither --host nor --tracker; `key` is what a tracker is asked for if there is no
// --key. Prints on standard error the place in the queue. Throws UsageError
// `cli-bad-value`; fails as Connect and RequestDevice do.
absl::StatusOr<Ref<runtime::rpc::RemoteSession>> OpenSession(
    const Arguments& arguments, const std::string& address = "127.0.0.1:9090",
    const std::string& key = {});

// An artefact on the other machine, and what this machine knows of it.
struct RemoteModule {
  Ref<runtime::rpc::RemoteSession> session;
  std::string path;                          // for messages
  runtime::Module module;                    // of the session
  std::optional<runtime::graph::Plan> plan;  // if it is a compiled model
};
// Uploads the artefact `bytes` under the name of the file `path`, and loads it there. Of several
// plans it takes the one of --function. Fails with `model-plan`, and as the session does.
absl::StatusOr<RemoteModule> LoadThere(const Arguments& arguments,
                                       Ref<runtime::rpc::RemoteSession> session,
                                       const std::string& path, const std::string& bytes);

// A call of the other machine: a function with values, which may be called again.
struct RemoteCall {
  runtime::Function function;
  std::vector<runtime::Value> values;
  runtime::Device device;
};
absl::StatusOr<runtime::Value> CallThere(const RemoteCall& call);
// Measures the call by the other machine's clock, as --number and --repeat say, and prints it.
absl::Status TimeThere(const Arguments& arguments, runtime::rpc::RemoteSession& session,
                       const RemoteCall& call);

// The model with these inputs (of any machine; they are copied), and the tensors of its result.
absl::StatusOr<RemoteCall> ModelCall(const RemoteModule& there,
                                     std::span<const runtime::Tensor> inputs);
absl::StatusOr<std::vector<runtime::Tensor>> TensorsOf(const runtime::Value& result,
                                                       const RemoteModule& there);

// Calls the function or the model as `lathe run` does: `given` are the words after the artefact.
// Prints or writes the outputs, and with --time the times.
absl::Status RunThere(const Arguments& arguments, const RemoteModule& there,
                      std::span<const std::string> given);

// The options of OpenSession.
inline constexpr Option kHostOption = {"--host", "HOST:PORT", "a server, or a proxy"};
inline constexpr Option kTrackerOption = {"--tracker", "HOST:PORT",
                                          "a tracker, which lends a device of --key"};
inline constexpr Option kKeyOption = {"--key", "KEY", "the kind of device"};
inline constexpr Option kSecretFileOption = {
    "--secret-file", "FILE",
    "the secret of the other side; else the environment's, LATHE_REMOTE_SECRET_FILE"};

// Of an artefact, at most: what a session takes.
inline constexpr uint64_t kMostArtifactBytes = uint64_t{4} << 30;

}  // namespace lathe::cli

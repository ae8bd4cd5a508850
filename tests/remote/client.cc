#include "tests/remote/client.h"

#include <cstdio>
#include <cstring>
#include <iostream>
#include <numeric>
#include <optional>
#include <utility>

#include "runtime/rpc/connect.h"
#include "runtime/rpc/secret.h"
#include "runtime/rpc/tracker_client.h"
#include "runtime/status.h"
#include "runtime/tensor.h"

namespace lathe::runtime::rpc {
namespace {

constexpr int64_t kBytes = 8 << 20;  // more than all buffers on the way

void Say(const std::string& line) {
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

// Waits until the test says so.
void WaitForGo() {
  std::string line;
  std::getline(std::cin, line);
}

std::string Pattern() {
  std::string bytes(kBytes, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 31 + (i >> 9));
  return bytes;
}

absl::StatusOr<Ref<RemoteSession>> Enter(const Entrance& door) {
  std::optional<Secret> secret;
  if (!door.secret_file.empty()) secret = *ReadSecret(door.secret_file);
  const auto queued = [](uint64_t) { Say("queued"); };
  if (door.tracker)
    return RequestDevice({.host = door.host, .port = door.port, .secret = secret},
                         {.key = kKey, .queued = queued});
  ConnectOptions options;
  options.host = door.host;
  options.port = door.port;
  options.control.key = kKey;
  options.control.secret = secret;
  options.queued = queued;
  return Connect(std::move(options));
}

absl::Status Append(RemoteSession& session, const std::string& journal, int number) {
  LATHE_ASSIGN_OR_RETURN(const Function append, session.GetFunction("test.append"));
  LATHE_RETURN_IF_ERROR(append.TryCall(journal, std::to_string(number)).status());
  Say("ack " + std::to_string(number));
  return absl::OkStatus();
}

absl::Status GoThrough(RemoteSession& session, const std::string& point,
                       const std::string& journal) {
  if (point == "open" || point == "closing") {
    Say("reached");
    WaitForGo();
  } else if (point == "upload") {
    const std::string bytes = Pattern();
    LATHE_RETURN_IF_ERROR(session.files().Upload("file", bytes));
    LATHE_ASSIGN_OR_RETURN(const std::string back, session.files().Download("file"));
    if (back != bytes) Say("wrong bytes of a file");
  } else if (point == "call") {
    LATHE_ASSIGN_OR_RETURN(const Function slow, session.GetFunction("test.slow"));
    LATHE_RETURN_IF_ERROR(slow.TryCall(journal, "100", 1.0).status());
    Say("ack 100");
  } else if (point == "callback") {
    LATHE_ASSIGN_OR_RETURN(const Function call_back, session.GetFunction("test.call_back"));
    const Function here = Function::From([](int64_t x) {
      Say("reached");
      WaitForGo();
      return x + 1;
    });
    LATHE_ASSIGN_OR_RETURN(const Value sum, call_back.TryCall(here, 41));
    if (sum.As<int64_t>() != 42) Say("wrong result of a callback");
  } else if (point == "copy") {
    LATHE_ASSIGN_OR_RETURN(const Tensor there,
                           Tensor::Empty({kBytes}, DataType::UInt(8), session.device(kDLCPU)));
    const std::string bytes = Pattern();
    std::string back(bytes.size(), '\0');
    LATHE_RETURN_IF_ERROR(there.CopyFromHost(bytes.data(), bytes.size()));
    LATHE_RETURN_IF_ERROR(there.CopyToHost(back.data(), back.size()));
    if (back != bytes) Say("wrong elements of a tensor");
  }
  return absl::OkStatus();
}

absl::Status Go(const std::string& point, const Entrance& door, const std::string& journal) {
  LATHE_ASSIGN_OR_RETURN(const Ref<RemoteSession> session, Enter(door));
  for (int i = 0; i < 5; ++i) LATHE_RETURN_IF_ERROR(Append(*session, journal, i));
  LATHE_RETURN_IF_ERROR(GoThrough(*session, point, journal));
  // A session that lives is one that works.
  if (point != "closing") {
    for (int i = 5; i < 8; ++i) LATHE_RETURN_IF_ERROR(Append(*session, journal, i));
  }
  session->Close();
  return absl::OkStatus();
}

}  // namespace

std::vector<std::string> ClientWords(const std::string& point, const Entrance& door,
                                     const std::string& journal) {
  return {"--client",
          point,
          door.host,
          std::to_string(door.port),
          door.tracker ? "tracker" : "device",
          journal,
          door.secret_file};
}

int RunClient(int argc, char** argv) {
  if (argc != 8) return 2;
  const Entrance door{argv[3], std::atoi(argv[4]), std::strcmp(argv[5], "tracker") == 0, argv[7]};
  const absl::Status end = Go(argv[2], door, argv[6]);
  Say("status " + (end.ok() ? "ok" : std::string(StatusName(end))) + " " +
      std::string(end.message().substr(0, end.message().find('\n'))));
  return 0;
}

}  // namespace lathe::runtime::rpc

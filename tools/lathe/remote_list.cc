// `lathe remote ls`: how a tracker, a server or a proxy is.
#include <cstdio>
#include <string>

#include "runtime/json.h"
#include "runtime/rpc/tracker_client.h"
#include "runtime/status.h"
#include "tools/lathe/remote.h"
#include "tools/rpc/options.h"

namespace lathe::cli {
namespace {

using runtime::Json;

constexpr char kHelp[] =
    R"(PROGRAM: what a tracker lends and who waits, or how a server or a proxy is

usage: PROGRAM [options]

  --tracker HOST:PORT   a tracker (127.0.0.1:9190)
  --host HOST:PORT      a server, or a proxy
  --secret-file FILE    if the other side has a secret; also by the environment,
                        LATHE_REMOTE_SECRET_FILE
  --json                for programs

Asking needs no session and disturbs none. The exit code is 0 if all is well, and 3 if nobody
answers or something is wrong, which is printed.

example: PROGRAM --tracker 10.0.0.7:9190 --secret-file ~/.lathe-secret
example: PROGRAM --host rk3399.lab:9090 --json
)";

std::string TextOf(const Json& item, const char* name) {
  const Json* const member = item.Find(name);
  return member == nullptr || !member->is_string() ? "" : member->string();
}
int64_t IntegerOf(const Json& item, const char* name) {
  const Json* const member = item.Find(name);
  return member == nullptr || !member->is_number() ? 0 : static_cast<int64_t>(member->number());
}
const Json& ListOf(const Json& item, const char* name) {
  static const Json kNone = Json::Array();
  const Json* const member = item.Find(name);
  return member == nullptr || !member->is_array() ? kNone : *member;
}

// "2 h 5 min", "12 s".
std::string Duration(int64_t seconds) {
  if (seconds >= 86400)
    return std::to_string(seconds / 86400) + " d " + std::to_string(seconds % 86400 / 3600) + " h";
  if (seconds >= 3600)
    return std::to_string(seconds / 3600) + " h " + std::to_string(seconds % 3600 / 60) + " min";
  if (seconds >= 60) return std::to_string(seconds / 60) + " min";
  return std::to_string(seconds) + " s";
}

void PrintWaiting(const Json& summary) {
  for (const Json& client : ListOf(summary, "waiting").items())
    std::printf("waiting    %s %s for %s\n", TextOf(client, "key").c_str(),
                TextOf(client, "from").c_str(), Duration(IntegerOf(client, "seconds")).c_str());
}

void PrintTracker(const Json& summary) {
  const Json &devices = ListOf(summary, "devices"), &requests = ListOf(summary, "waiting");
  if (devices.items().empty() && requests.items().empty()) {
    std::printf("no devices, and nobody waits\n");
    return;
  }
  std::printf("%-20s %-28s %s\n", "key", "server", "state");
  for (const Json& device : devices.items()) {
    const int64_t lease = IntegerOf(device, "lease");
    const std::string where =
        TextOf(device, "host") + ":" + std::to_string(IntegerOf(device, "port"));
    std::printf("%-20s %-28s %s\n", TextOf(device, "key").c_str(), where.c_str(),
                lease == 0 ? "free" : ("lent (" + std::to_string(lease) + ")").c_str());
  }
  PrintWaiting(summary);
  if (const int64_t more = IntegerOf(summary, "left_out"); more > 0)
    std::printf("and %lld more\n", static_cast<long long>(more));
}

void PrintHead(const Json& summary) {
  const std::string key = TextOf(summary, "key");
  std::printf("%-10s %s%s, %s, runtime %s, up %s\n", TextOf(summary, "kind").c_str(), key.c_str(),
              key.empty() ? "without a key" : "", TextOf(summary, "target").c_str(),
              TextOf(summary, "version").c_str(), Duration(IntegerOf(summary, "uptime")).c_str());
}

void PrintServer(const Json& summary) {
  PrintHead(summary);
  for (const Json& session : ListOf(summary, "sessions").items())
    std::printf("session    %lld, %s, from %s for %s\n",
                static_cast<long long>(IntegerOf(session, "session")),
                TextOf(session, "state").c_str(), TextOf(session, "from").c_str(),
                Duration(IntegerOf(session, "seconds")).c_str());
  if (ListOf(summary, "sessions").items().empty()) std::printf("session    none: it is free\n");
  PrintWaiting(summary);
  std::printf("so far     %lld sessions, %lld crashes\n",
              static_cast<long long>(IntegerOf(summary, "sessions_ever")),
              static_cast<long long>(IntegerOf(summary, "crashes_ever")));
  if (const Json* const last = summary.Find("last_end"); last != nullptr && last->is_object())
    std::printf("last end   session %lld, %s ago: %s\n",
                static_cast<long long>(IntegerOf(*last, "session")),
                Duration(IntegerOf(*last, "seconds")).c_str(), TextOf(*last, "reason").c_str());
  std::printf("files      in %s, %lld MiB free\n", TextOf(summary, "folder").c_str(),
              static_cast<long long>(IntegerOf(summary, "free_bytes") >> 20));
}

void PrintProxy(const Json& summary) {
  PrintHead(summary);
  for (const Json& devices : ListOf(summary, "devices").items())
    std::printf("devices    %s: %lld free, %lld with clients\n", TextOf(devices, "key").c_str(),
                static_cast<long long>(IntegerOf(devices, "waiting")),
                static_cast<long long>(IntegerOf(devices, "paired")));
  if (ListOf(summary, "devices").items().empty()) std::printf("devices    none\n");
  PrintWaiting(summary);
  std::printf("so far     %lld clients, %lld MiB passed\n",
              static_cast<long long>(IntegerOf(summary, "clients_ever")),
              static_cast<long long>(IntegerOf(summary, "bytes") >> 20));
}

// What the other side says that is wrong with it.
absl::Status HealthOf(const Json& summary) {
  std::string problems;
  for (const Json& problem : ListOf(summary, "problems").items())
    if (problem.is_string()) problems += "\n  found: " + problem.string();
  if (problems.empty()) return absl::OkStatus();
  return runtime::MakeStatus(
      absl::StatusCode::kUnavailable, "remote-unhealthy",
      {"something is wrong there", problems, "\n  help: the log of that program says more"});
}

}  // namespace

absl::Status ListRemote(int argc, char** argv) {
  rpc_tools::Options options(argc, argv, "lathe remote ls", kHelp);
  runtime::rpc::TrackerAddress address;
  std::string secret_file;
  bool json = false, tracker = false, host = false;
  while (options.Next()) {
    if (options.Is("--json")) {
      json = true;
    } else if (options.TakeAddress("--tracker", &address.host, &address.port)) {
      tracker = true;
    } else if (options.TakeAddress("--host", &address.host, &address.port)) {
      host = true;
    } else if (!options.Take("--secret-file", &secret_file)) {
      options.WrongOption();
    }
  }
  if (tracker && host) options.Wrong("--tracker, --host: expected one of them, found both");
  address.secret = options.SecretOf(secret_file);
  LATHE_ASSIGN_OR_RETURN(const std::string text, runtime::rpc::SummaryOf(address));
  LATHE_ASSIGN_OR_RETURN(const Json summary, Json::Parse(text));
  const std::string kind = TextOf(summary, "kind");
  if (json) {
    std::printf("%s\n", text.c_str());
  } else if (kind == "server") {
    PrintServer(summary);
  } else if (kind == "proxy") {
    PrintProxy(summary);
  } else {
    PrintTracker(summary);
  }
  return HealthOf(summary);
}

}  // namespace lathe::cli

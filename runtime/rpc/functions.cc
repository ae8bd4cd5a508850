#include "runtime/rpc/functions.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/registry.h"
#include "runtime/rpc/connect.h"
#include "runtime/rpc/secret.h"
#include "runtime/rpc/server.h"
#include "runtime/rpc/tracker_client.h"
#include "runtime/rpc/worker_thread.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

absl::StatusOr<std::optional<Secret>> SecretOf(const std::string& file) {
  if (file.empty()) return SecretOfEnvironment();
  LATHE_ASSIGN_OR_RETURN(const Secret secret, ReadSecret(file));
  return std::optional<Secret>(secret);
}

// What programs hold by numbers. Thread-safe.
template <class T>
class Held {
 public:
  Held(const char* error, const char* what) : error_(error), what_(what) {}
  int64_t Add(T item) {
    const std::lock_guard lock(mutex_);
    items_[++last_] = std::move(item);
    return last_;
  }
  // Gives it up if `take`.
  absl::StatusOr<T> Find(int64_t number, bool take = false) {
    const std::lock_guard lock(mutex_);
    const auto at = items_.find(number);
    if (at == items_.end())
      return MakeStatus(absl::StatusCode::kFailedPrecondition, error_,
                        {what_, " ", std::to_string(number), " is not open in this process"});
    T item = at->second;
    if (take) items_.erase(at);
    return item;
  }
  // Gives it up, if it is there.
  void Drop(int64_t number) {
    T item;  // Goes after the lock: the last reference to a session ends it, which takes time.
    const std::lock_guard lock(mutex_);
    const auto at = items_.find(number);
    if (at == items_.end()) return;
    item = std::move(at->second);
    items_.erase(at);
  }

 private:
  const char* const error_;
  const char* const what_;
  std::mutex mutex_;
  int64_t last_ = 0;
  std::map<int64_t, T> items_;
};

// Neither is destroyed: their threads may outlive static destructors.
Held<Ref<Session>>& Sessions() {
  static auto* const sessions = new Held<Ref<Session>>("session-closed", "session");
  return *sessions;
}
Held<std::shared_ptr<Server>>& Servers() {
  static auto* const servers = new Held<std::shared_ptr<Server>>("rpc-server-closed", "server");
  return *servers;
}

// --- Sessions -------------------------------------------------------------------------------

absl::StatusOr<Ref<Session>> SessionOf(int64_t number) { return Sessions().Find(number); }

absl::StatusOr<int64_t> ConnectTo(const std::string& host, int port, const std::string& key,
                                  double session_timeout, const std::string& secret_file) {
  ConnectOptions options;
  options.host = host;
  options.port = port;
  options.control.key = key;
  options.control.session_timeout = session_timeout;
  LATHE_ASSIGN_OR_RETURN(options.control.secret, SecretOf(secret_file));
  LATHE_ASSIGN_OR_RETURN(const Ref<RemoteSession> session, Connect(std::move(options)));
  return Sessions().Add(session);
}

absl::StatusOr<int64_t> Request(const std::string& host, int port, const std::string& key,
                                int64_t priority, double session_timeout,
                                const std::string& secret_file) {
  TrackerAddress tracker;
  tracker.host = host;
  tracker.port = port;
  LATHE_ASSIGN_OR_RETURN(tracker.secret, SecretOf(secret_file));
  DeviceRequest request;
  request.key = key;
  request.priority = priority;
  request.session_timeout = session_timeout;
  LATHE_ASSIGN_OR_RETURN(const Ref<RemoteSession> session, RequestDevice(tracker, request));
  return Sessions().Add(session);
}

absl::StatusOr<std::vector<Value>> Time(int64_t number, const Function& function,
                                        const Device& device, int64_t calls, int64_t repeat,
                                        double min_repeat_ms, const std::vector<Value>& args) {
  LATHE_ASSIGN_OR_RETURN(const Ref<Session> session, SessionOf(number));
  TimerOptions options;
  options.number = calls;
  options.repeat = repeat;
  options.min_repeat_ms = min_repeat_ms;
  LATHE_ASSIGN_OR_RETURN(const TimerResult result,
                         session->Time(function, args, device, std::move(options), Function()));
  return std::vector<Value>(result.seconds.begin(), result.seconds.end());
}

// --- Servers --------------------------------------------------------------------------------

absl::StatusOr<int64_t> Start(ServerOptions options, const std::string& key,
                              const std::string& secret_file) {
  options.supervisor.key = key;
  LATHE_ASSIGN_OR_RETURN(options.supervisor.secret, SecretOf(secret_file));
  options.supervisor.machine = ThisMachine();
  options.start_worker = WorkerThread::Start;
  LATHE_ASSIGN_OR_RETURN(std::shared_ptr<Server> server, Server::Start(std::move(options)));
  return Servers().Add(std::move(server));
}

absl::StatusOr<int64_t> Serve(const std::string& host, int port, const std::string& key,
                              const std::string& secret_file, bool insecure) {
  ServerOptions options;
  options.host = host;
  options.port = port;
  options.supervisor.insecure = insecure;
  return Start(std::move(options), key, secret_file);
}

absl::StatusOr<int64_t> ServeAtProxy(const std::string& host, int port, const std::string& key,
                                     const std::string& secret_file) {
  ServerOptions options;
  options.proxy_host = host;
  options.proxy_port = port;
  return Start(std::move(options), key, secret_file);
}

// --------------------------------------------------------------------------------------------

template <class F>
void Register(const char* name, F body) {
  ThrowIfError(RegisterGlobal(name, Function::From(std::move(body), name), Override::kReplace));
}

void RegisterSessions() {
  Register("rpc.connect", ConnectTo);
  Register("rpc.request", Request);
  Register("rpc.session.device",
           [](int64_t number, int32_t kind, int32_t id) -> absl::StatusOr<Device> {
             LATHE_ASSIGN_OR_RETURN(const Ref<Session> session, SessionOf(number));
             return session->device(kind, id);
           });
  Register("rpc.session.function",
           [](int64_t number, const std::string& name) -> absl::StatusOr<Function> {
             LATHE_ASSIGN_OR_RETURN(const Ref<Session> session, SessionOf(number));
             return session->GetFunction(name);
           });
  Register("rpc.session.upload",
           [](int64_t number, const std::string& name, const std::string& bytes) -> absl::Status {
             LATHE_ASSIGN_OR_RETURN(const Ref<Session> session, SessionOf(number));
             return session->files().Upload(name, bytes);
           });
  Register("rpc.session.download",
           [](int64_t number, const std::string& name) -> absl::StatusOr<Value> {
             LATHE_ASSIGN_OR_RETURN(const Ref<Session> session, SessionOf(number));
             LATHE_ASSIGN_OR_RETURN(const std::string bytes, session->files().Download(name));
             return Value::Bytes(bytes);
           });
  Register("rpc.session.files", [](int64_t number) -> absl::StatusOr<std::vector<Value>> {
    LATHE_ASSIGN_OR_RETURN(const Ref<Session> session, SessionOf(number));
    LATHE_ASSIGN_OR_RETURN(const std::vector<std::string> names, session->files().List());
    return std::vector<Value>(names.begin(), names.end());
  });
  Register("rpc.session.remove", [](int64_t number, const std::string& name) -> absl::Status {
    LATHE_ASSIGN_OR_RETURN(const Ref<Session> session, SessionOf(number));
    return session->files().Remove(name);
  });
  Register("rpc.session.load",
           [](int64_t number, const std::string& name) -> absl::StatusOr<Module> {
             LATHE_ASSIGN_OR_RETURN(const Ref<Session> session, SessionOf(number));
             return session->LoadUploaded(name);
           });
  Register("rpc.session.time", Time);
  Register("rpc.session.close", [](int64_t number) -> absl::Status {
    LATHE_ASSIGN_OR_RETURN(const Ref<Session> session, Sessions().Find(number, true));
    session->Close();
    return absl::OkStatus();
  });
  Register("rpc.session.drop", [](int64_t number) { Sessions().Drop(number); });
}

void RegisterServers() {
  Register("rpc.serve", Serve);
  Register("rpc.serve_at_proxy", ServeAtProxy);
  Register("rpc.server.port", [](int64_t number) -> absl::StatusOr<int64_t> {
    LATHE_ASSIGN_OR_RETURN(const std::shared_ptr<Server> server, Servers().Find(number));
    return server->port();
  });
  Register("rpc.server.stop", [](int64_t number) -> absl::Status {
    LATHE_ASSIGN_OR_RETURN(const std::shared_ptr<Server> server, Servers().Find(number, true));
    server->Stop();
    server->Wait();
    return absl::OkStatus();
  });
}

}  // namespace

void RegisterRpcFunctions() {
  static std::once_flag once;
  std::call_once(once, [] {
    RegisterSessions();
    RegisterServers();
  });
}

}  // namespace lathe::runtime::rpc

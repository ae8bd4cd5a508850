// Sessions, with this process and with others: the functions that each offers; and servers.
#include "runtime/session/session.h"

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "python/ffi/boxes.h"
#include "python/ffi/ffi.h"
#include "runtime/rpc/chain.h"
#include "runtime/rpc/connect.h"
#include "runtime/rpc/log_file.h"
#include "runtime/rpc/proxy_server.h"
#include "runtime/rpc/secret.h"
#include "runtime/rpc/server.h"
#include "runtime/rpc/tracker_client.h"
#include "runtime/rpc/tracker_server.h"
#include "runtime/rpc/worker.h"
#include "runtime/session/loopback_session.h"

namespace lathe::python {
namespace {

using runtime::Session;

SessionRef Boxed(Ref<Session> session) { return Make<SessionObject>(std::move(session)); }

using ServerObject = Box<std::shared_ptr<runtime::rpc::Server>, kServerBox>;
using ServerRef = Ref<ServerObject>;

// From the file, else as the environment says; "" for none.
std::optional<runtime::rpc::Secret> SecretOf(const std::string& file) {
  if (!file.empty()) return OrThrow(runtime::rpc::ReadSecret(file));
  return OrThrow(runtime::rpc::SecretOfEnvironment());
}

SessionRef Connect(const std::string& host, int port, const std::string& key,
                   double session_timeout, const std::string& secret_file, bool log,
                   const runtime::Function& queued, double queued_after,
                   const std::string& constructor,
                   const std::vector<runtime::Value>& constructor_arguments) {
  runtime::rpc::ConnectOptions options;
  options.host = host;
  options.port = port;
  options.control.key = key;
  options.control.session_timeout = session_timeout;
  options.control.secret = SecretOf(secret_file);
  options.constructor = constructor;
  options.constructor_arguments = constructor_arguments;
  if (log) {
    options.queued = [host, port](uint64_t place) {
      std::fprintf(stderr, "%s:%d: waiting, number %llu in the queue\n", host.c_str(), port,
                   static_cast<unsigned long long>(place));
    };
  } else {
    options.queued = [&queued](uint64_t place) { queued(static_cast<int64_t>(place)); };
    options.queued_after = queued_after;
  }
  return Boxed(OrThrow(runtime::rpc::Connect(std::move(options))));
}

SessionRef Popen(const std::string& program) {
  runtime::rpc::ServerOptions server;
  server.supervisor.machine = runtime::rpc::ThisMachine();
  server.worker = {program};
  auto started = OrThrow(runtime::rpc::Server::Start(std::move(server)));
  runtime::rpc::ConnectOptions options;
  options.port = started->port();
  Ref<runtime::rpc::RemoteSession> session = OrThrow(runtime::rpc::Connect(std::move(options)));
  session->Keep(std::move(started));
  return Boxed(std::move(session));
}

using TrackerObject = Box<std::shared_ptr<runtime::rpc::TrackerServer>, kTrackerBox>;
using TrackerRef = Ref<TrackerObject>;
using ProxyObject = Box<std::shared_ptr<runtime::rpc::ProxyServer>, kProxyBox>;
using ProxyRef = Ref<ProxyObject>;

// `log` is "" for none, "-" for standard error, else a file.
runtime::rpc::LogWriter LogTo(const std::string& log) {
  if (log.empty()) return nullptr;
  if (log != "-") return OrThrow(runtime::rpc::LogToFile(log));
  return [](std::string_view line) {
    std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
  };
}

ServerRef Serve(const std::string& host, int port, int port_end, const std::string& key,
                const std::string& secret_file, bool insecure, double session_timeout,
                int max_sessions, const std::vector<std::string>& worker, const std::string& log,
                const std::string& tracker_host, int tracker_port,
                const std::string& tracker_address, const std::string& proxy_host, int proxy_port,
                int64_t session_memory, bool confined) {
  runtime::rpc::ServerOptions options;
  options.host = host;
  options.port = port;
  options.port_end = port_end;
  options.tracker_host = tracker_host;
  options.tracker_port = tracker_port;
  options.tracker_address = tracker_address;
  options.proxy_host = proxy_host;
  options.proxy_port = proxy_port;
  options.supervisor.key = key;
  options.supervisor.secret = SecretOf(secret_file);
  options.supervisor.insecure = insecure;
  options.supervisor.session_timeout = session_timeout;
  options.supervisor.max_sessions = static_cast<size_t>(max_sessions);
  options.supervisor.machine = runtime::rpc::ThisMachine();
  options.worker = worker;
  options.limits = {.memory = static_cast<uint64_t>(session_memory), .confined = confined};
  options.log = LogTo(log);
  return Make<ServerObject>(std::shared_ptr<runtime::rpc::Server>(
      OrThrow(runtime::rpc::Server::Start(std::move(options)))));
}

TrackerRef Track(const std::string& host, int port, int port_end, const std::string& secret_file,
                 bool insecure, const std::string& log) {
  runtime::rpc::TrackerOptions options;
  options.listen = {host, port, port_end};
  options.door.secret = SecretOf(secret_file);
  options.door.insecure = insecure;
  options.door.machine = runtime::rpc::ThisMachine();
  options.log = LogTo(log);
  return Make<TrackerObject>(std::shared_ptr<runtime::rpc::TrackerServer>(
      OrThrow(runtime::rpc::TrackerServer::Start(std::move(options)))));
}

ProxyRef RunProxy(const std::string& host, int port, int port_end, const std::string& secret_file,
                  bool insecure, const std::string& log) {
  runtime::rpc::ProxyOptions options;
  options.listen = {host, port, port_end};
  options.door.secret = SecretOf(secret_file);
  options.door.insecure = insecure;
  options.door.machine = runtime::rpc::ThisMachine();
  options.log = LogTo(log);
  return Make<ProxyObject>(std::shared_ptr<runtime::rpc::ProxyServer>(
      OrThrow(runtime::rpc::ProxyServer::Start(std::move(options)))));
}

runtime::rpc::TrackerAddress TrackerAt(const std::string& host, int port,
                                       const std::string& secret_file) {
  runtime::rpc::TrackerAddress address;
  address.host = host;
  address.port = port;
  address.secret = SecretOf(secret_file);
  return address;
}

SessionRef RequestDevice(const std::string& host, int port, const std::string& secret_file,
                         const std::string& key, int64_t priority, double session_timeout) {
  runtime::rpc::DeviceRequest request;
  request.key = key;
  request.priority = priority;
  request.session_timeout = session_timeout;
  return Boxed(OrThrow(runtime::rpc::RequestDevice(TrackerAt(host, port, secret_file), request)));
}

}  // namespace

void RegisterSessions() {
  runtime::LocalSession();  // registers what sessions offer
  Def("session.open_local", [] { return Boxed(runtime::OpenLocalSession()); });
  Def("session.name", [](const SessionRef& session) { return std::string(session->item->name()); });
  Def("session.device",
      [](const SessionRef& session, int kind, int id) { return session->item->device(kind, id); });
  Def("session.upload",
      [](const SessionRef& session, const std::string& name, const std::string& bytes) {
        runtime::ThrowIfError(session->item->files().Upload(name, bytes));
      });
  Def("session.download", [](const SessionRef& session, const std::string& name) {
    return runtime::Value::Bytes(OrThrow(session->item->files().Download(name)));
  });
  Def("session.list_files",
      [](const SessionRef& session) { return OrThrow(session->item->files().List()); });
  Def("session.remove", [](const SessionRef& session, const std::string& name) {
    runtime::ThrowIfError(session->item->files().Remove(name));
  });
  Def("session.load_uploaded", [](const SessionRef& session, const std::string& name) {
    return OrThrow(session->item->LoadUploaded(name));
  });
  Def("session.load_bytes",
      [](const SessionRef& session, const std::string& kind, const std::string& bytes) {
        return OrThrow(session->item->LoadBytes(kind, bytes));
      });
  Def("session.load_linked", [](const SessionRef& session, const std::string& name) {
    return OrThrow(session->item->LoadLinked(name));
  });
  Def("session.get_function", [](const SessionRef& session, const std::string& name) {
    return OrThrow(session->item->GetFunction(name));
  });
  Def("session.on_progress", [](const SessionRef& session, const Any& given) {
    const runtime::Function told =
        given.is_none() ? runtime::Function() : given.As<runtime::Function>();
    auto* remote = dynamic_cast<runtime::rpc::RemoteSession*>(session->item.get());
    if (remote == nullptr) return;
    runtime::rpc::Progress progress;
    if (told)
      progress = [told](uint64_t done, uint64_t total) {
        told(static_cast<int64_t>(done), static_cast<int64_t>(total));
      };
    remote->caller().OnProgress(std::move(progress));
  });
  Def("rpc.connect", Connect);
  Def("rpc.serve", Serve);
  // A session with a worker that is started for it alone; both end with what came from the session.
  Def("rpc.popen", Popen);
  Def("rpc.server_port", [](const ServerRef& server) { return server->item->port(); });
  // Waits for the end of its sessions, too.
  Def("rpc.server_stop", [](const ServerRef& server) {
    server->item->Stop();
    server->item->Wait();
  });
  Def("rpc.track", Track);
  Def("rpc.tracker_port", [](const TrackerRef& tracker) { return tracker->item->port(); });
  Def("rpc.tracker_stop", [](const TrackerRef& tracker) {
    tracker->item->Stop();
    tracker->item->Wait();
  });
  Def("rpc.proxy", RunProxy);
  Def("rpc.proxy_port", [](const ProxyRef& proxy) { return proxy->item->port(); });
  Def("rpc.proxy_stop", [](const ProxyRef& proxy) {
    proxy->item->Stop();
    proxy->item->Wait();
  });
  Def("rpc.request_device", RequestDevice);
  Def("rpc.tracker_summary", [](const std::string& host, int port, const std::string& secret_file) {
    return OrThrow(runtime::rpc::SummaryOf(TrackerAt(host, port, secret_file),
                                           runtime::rpc::ProgramRole::kTracker));
  });
  Def("rpc.limit_worker", runtime::rpc::LimitWorker);
  Def("rpc.run_worker", [](int descriptor) {
    runtime::ThrowIfError(runtime::rpc::RunWorker(descriptor, runtime::rpc::ConstructSession));
  });
  Def("rpc.keygen",
      [](const std::string& file) { runtime::ThrowIfError(runtime::rpc::WriteNewSecret(file)); });
  Def("session.close", [](const SessionRef& session) { session->item->Close(); });
  // Behaves like a session with another process.
  Def("testing.loopback_session", [] { return Boxed(OrThrow(runtime::LoopbackSession::Open())); });
}

}  // namespace lathe::python

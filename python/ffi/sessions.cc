// Sessions, with this process and with others: the functions that each offers.
#include "runtime/session/session.h"

#include <string>
#include <utility>

#include "python/ffi/ffi.h"
#include "python/ffi/traits.h"
#include "runtime/session/loopback_session.h"

namespace lathe::python {
namespace {

using runtime::Session;
using SessionObject = Box<Ref<Session>, kSessionBox>;
using SessionRef = Ref<SessionObject>;

SessionRef Boxed(Ref<Session> session) { return Make<SessionObject>(std::move(session)); }

}  // namespace

void RegisterSessions() {
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
  Def("session.get_function", [](const SessionRef& session, const std::string& name) {
    return OrThrow(session->item->GetFunction(name));
  });
  Def("session.close", [](const SessionRef& session) { session->item->Close(); });
  // Behaves like a session with another process.
  Def("testing.loopback_session", [] { return Boxed(OrThrow(runtime::LoopbackSession::Open())); });
}

}  // namespace lathe::python

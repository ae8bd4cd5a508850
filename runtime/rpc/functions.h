// Sessions and servers as functions of the registry: for programs in languages that have the C API
// (c_api.h) and nothing else. They call what lathe_global_find gives them.
//
//   rpc.connect(host, port, key, session_timeout, secret_file) -> session
//   rpc.request(tracker_host, tracker_port, key, priority, session_timeout, secret_file) -> session
//   rpc.session.device(session, device_type, id) -> device
//   rpc.session.function(session, name) -> function
//   rpc.session.upload(session, name, bytes)
//   rpc.session.download(session, name) -> bytes
//   rpc.session.files(session) -> list of names
//   rpc.session.remove(session, name)
//   rpc.session.load(session, name) -> module
//   rpc.session.time(session, function, device, number, repeat, min_repeat_ms, list of arguments)
//       -> list of seconds for a call, one for each repeat
//   rpc.session.close(session)
//   rpc.session.drop(session): gives the number up; nothing if it is not open
//   rpc.serve(host, port, key, secret_file, insecure) -> server
//   rpc.serve_at_proxy(proxy_host, proxy_port, key, secret_file) -> server
//   rpc.server.port(server) -> port; 0 behind a proxy
//   rpc.server.stop(server)
//
// Sessions and servers are numbers here, which are never used again; one that is not open (any
// more) is refused with `session-closed` or `rpc-server-closed`. A session is open until
// rpc.session.close, also if its server is gone; or, after rpc.session.drop, until the last of its
// functions, modules and tensors is gone, which are ordinary ones. Times are in seconds, a timeout
// of 0 is none; a file of a secret "" means the one that the environment names, if it names one.
// Servers run their sessions on threads of this process (worker_thread.h); rpc.server.stop waits
// for functions that still run. Every function may be called from any thread, and none may be
// called by remote sessions. The errors are those of connect.h, tracker_client.h, server.h and
// session.h.
#pragma once

namespace lathe::runtime::rpc {

// A second call does nothing.
void RegisterRpcFunctions();

}  // namespace lathe::runtime::rpc

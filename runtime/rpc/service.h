// The far side of a session: carries out the requests of a data connection with a session of its
// own process, or with one that leads further.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/cancel.h"
#include "runtime/rpc/connection.h"
#include "runtime/session/session.h"

namespace lathe::runtime::rpc {

// Requests that run within callbacks of others, at most.
inline constexpr size_t kMostRequestDepth = 16;

// Makes a session that is served instead of the service's own; see chain.h.
using SessionConstructor = std::function<absl::StatusOr<Ref<Session>>(
    const std::string& constructor, const std::vector<Value>& arguments)>;

// Trusts nothing that arrives: handles are looked up, sizes are checked, views are checked by the
// session. One thread runs it; Cancel, CancelAll and Running may be called from any.
class Service {
 public:
  // `session` must treat handles as LoopbackSession does. Without `constructor` a client that asks
  // for another session is refused (`rpc-constructor`).
  Service(Ref<Session> session, std::unique_ptr<Transport> transport,
          SessionConstructor constructor = {});
  ~Service();

  // Tells the client that the session is there, and on what it runs: the answer to its Attach.
  void Attached(uint64_t request, Machine machine);
  // Carries out requests until the client closes the connection or it breaks, and returns why.
  // `go_on`, unless it is empty, is asked at least every 50 ms while no request runs; its error
  // ends the service.
  absl::Status Run(const std::function<absl::Status()>& go_on = {});

  // Asks a request, and those in its callbacks, to end. False if it does not run (any more).
  bool Cancel(uint64_t request);
  // All that run now.
  void CancelAll();
  // False, too, while a request waits for the link or for its client, and if another machine
  // carries it out: who watches that a cancelled request ends cannot blame this process then.
  bool Running(uint64_t request) const;

 private:
  struct Active;
  struct ClientFunction;
  struct Link;
  class Waiting;
  // The answer to a request, as a frame. An error is the request's failure.
  using Outcome = absl::StatusOr<std::string>;

  // Reads the next frame and carries it out; false if none came within 50 ms.
  bool Step();
  // Takes the frame's body, for which there is no memory, and says so.
  void RefuseForMemory(const Header& header);
  void Handle(const Frame& frame);
  Outcome Perform(const Frame& frame);
  void Answer(uint64_t request, const Outcome& outcome);

  Outcome Construct(const Frame& frame);

  // Bytes of requests and answers (service_data.cc).
  Outcome Load(const Frame& frame);
  Outcome Upload(const Frame& frame);
  Outcome Download(const Frame& frame);
  Outcome Write(const Frame& frame);
  Outcome Read(const Frame& frame);
  absl::Status WriteElements(const rpc::Write& write, uint64_t request, uint64_t* left);
  // Calls `take`, which reads bytes of the request and counts `*left` down, and then skips those
  // that it has not read: nobody would understand what follows them.
  absl::Status TakeBytes(uint64_t request, uint64_t* left, absl::FunctionRef<absl::Status()> take);
  // The header of the next chunk. Whoever calls it reads the chunk's body, with TakeBody. Fails
  // with `cancelled` if the client sends an empty one: it was interrupted, and no more will come.
  absl::StatusOr<Header> NextChunk(uint64_t request, uint64_t* left);
  absl::Status TakeBody(const Header& header, char* to);
  // `take` reads the body of each chunk.
  absl::Status ReadChunks(uint64_t request, uint64_t* left,
                          absl::FunctionRef<absl::Status(const Header& header)> take);
  char* Staging();
  absl::StatusOr<std::string> ReadText(uint64_t request, uint64_t* left, uint64_t most);
  // Result with the number of bytes; the chunks follow.
  void Announce(uint64_t request, uint64_t bytes);
  // Fails with `cancelled` between two chunks: the client waits for the failure then.
  absl::Status SendChunks(uint64_t request, std::string_view bytes);

  // Calls (service_calls.cc).
  Outcome Call(const Frame& frame);
  Outcome Time(const Frame& frame);
  Outcome Find(const Frame& frame);
  absl::StatusOr<Value> CallClient(uint64_t function, std::span<const lathe_value> args);
  void Release(const Frame& frame);

  // Devices (service_devices.cc).
  Outcome AskDevice(const Frame& frame);
  void TellDevice(const Frame& frame);
  absl::StatusOr<DeviceAPI*> FindDevice(int64_t kind, int64_t id);

  // Values (service_calls.cc).
  absl::StatusOr<Value> MakeValue(const Item& item);
  absl::StatusOr<std::vector<Value>> MakeValues(const std::vector<Item>& items);
  absl::StatusOr<Item> MakeItem(const lathe_value& value);
  Outcome ItemResult(const Value& value, uint64_t request);
  // A function or a module that the client has a handle of.
  template <class T>
  absl::StatusOr<T> ObjectOf(uint64_t object) const;
  uint64_t Keep(Value value);
  // Drops what was kept since `object` was the last one: the client does not hear of it.
  void ForgetAfter(uint64_t object);

  // Keeps the first error of the connection, which ends the service.
  absl::Status Lost(absl::Status status);
  void Send(std::string_view frame);

  Ref<Session> session_;
  SessionConstructor constructor_;
  bool used_ = false;  // by a request
  Connection connection_;
  absl::Status lost_;
  std::thread::id thread_;  // that runs it; with the link's mutex
  uint64_t last_object_ = 0;
  std::map<uint64_t, Value> objects_;
  std::map<uint64_t, Frame> callback_answers_;
  std::unique_ptr<char[]> staging_;  // one chunk; null before it is used
  std::shared_ptr<Link> link_;

  mutable std::mutex mutex_;  // what follows
  std::vector<Active*> active_;
  bool waits_ = false;    // for the link or the client
  bool chained_ = false;  // the session leads further
};

}  // namespace lathe::runtime::rpc

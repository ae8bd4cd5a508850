// The client's end of a data connection: sends requests, and gives each thread its answers.
//
// There is no thread that reads. A thread that waits for its answer reads for all, if no other
// thread does; so one call costs no change of threads.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/rpc/connection.h"
#include "runtime/value.h"

namespace lathe::runtime::rpc {

// What the data connection needs of the control connection. Thread-safe.
class Control {
 public:
  virtual ~Control() = default;
  // Ends a request of the data connection; the worker does not survive if it cannot be ended.
  virtual void Cancel(uint64_t request) = 0;
  // Why the session ended, for an error of the data connection. Waits for that, about a second.
  virtual absl::Status WhyEnded(const absl::Status& link) = 0;
  // Ends the session. A second call does nothing.
  virtual void Close() = 0;
};

// Where the bytes of an answer go: to memory of exactly their size, or to a text that grows.
struct Sink {
  char* memory = nullptr;
  uint64_t size = 0;
  std::string* text = nullptr;
  uint64_t most = 0;  // of the text
};

// For an answer that is a number of something made, and that nobody takes because the caller was
// interrupted: the message that releases it.
using Undo = std::function<std::string(uint64_t made)>;

// Told how far a transfer is, in bytes, after each chunk: of what a request sends or receives, if
// that is more than a chunk. Called by the thread whose request it is. What it throws interrupts
// the request, and goes on to the caller. Its own requests to the session fail with `session-busy`
// while bytes are sent.
using Progress = std::function<void(uint64_t done, uint64_t total)>;

// The depth of callbacks within callbacks.
inline constexpr int kMostCallbackDepth = 8;

// Thread-safe. Calls are interrupted as base/poll.h says: the far side is told to end the request,
// and the interruption goes on when it has. Bytes under way end after the chunk that has begun.
class Caller {
 public:
  // A function of this process that the far side calls: takes the arguments, returns the result.
  // Called by the thread whose request it belongs to. `kept` lives until the answer is sent: the
  // far side's object that a result is must not be released before.
  struct Returned {
    Item item;
    Value kept;
  };
  using Callback = std::function<absl::StatusOr<Returned>(uint64_t function,
                                                          const std::vector<Item>& arguments)>;
  // Told which functions of this process the far side does not use any more. Any thread.
  using Released = std::function<void(const Numbers& functions)>;

  Caller(std::unique_ptr<Transport> transport, std::unique_ptr<Control> control, Callback callback,
         Released released);
  // No request may be under way.
  ~Caller();

  // A request that was sent.
  class Request {
   public:
    // The answer; waits for it. Once. Fails with `session-busy` in a function that is told of
    // progress while this thread sends bytes: the far side may need an answer from here first.
    absl::StatusOr<Frame> Wait() { return caller_.Finish(*this); }
    // Waits too, because the answer's place is here.
    ~Request();
    // False if it was refused here, and the far side never hears of it.
    bool sent() const { return number_ != 0; }
    Request(const Request&) = delete;
    Request& operator=(const Request&) = delete;

   private:
    friend class Caller;
    Request(Caller& caller, Sink sink, Undo undo)
        : caller_(caller), sink_(sink), undo_(std::move(undo)) {}

    Caller& caller_;
    Sink sink_;
    Undo undo_;
    uint64_t number_ = 0;
    uint64_t expected_ = 0, got_ = 0;  // bytes of the sink
    bool announced_ = false;           // `expected_` is known
    bool done_ = false, waited_ = false;
    bool filling_ = false;  // a reader writes to the sink now
    Frame answer_;
    absl::Status status_;
    std::shared_ptr<const Progress> progress_;
    std::deque<Frame> callbacks_;
    // Of the thread whose request it is: what interrupted it, and when the far side was told last.
    std::exception_ptr interruption_;
    std::chrono::steady_clock::time_point cancelled_;
  };

  // Sends a message and `payload` in chunks. Failures are given by Wait.
  template <class Message>
  std::unique_ptr<Request> Start(const Message& message, std::string_view payload = {},
                                 Sink sink = {}, Undo undo = {}) {
    std::string body(kHeaderBytes, '\0');
    Encode(message, &body);
    return Start(Message::kType, std::move(body), payload, sink, std::move(undo));
  }
  // The same, and waits. A Failed answer is its status.
  template <class Message>
  absl::StatusOr<Frame> Ask(const Message& message, std::string_view payload = {}, Sink sink = {},
                            Undo undo = {}) {
    return Start(message, payload, sink, std::move(undo))->Wait();
  }
  // A message without an answer, sent before the next request. Never blocks: for destructors.
  template <class Message>
  void Queue(const Message& message) {
    Enqueue(EncodeFrame(message));
  }
  // Sends of what is queued as much as is taken at once, unless another thread is sending.
  void Flush();

  // For requests that begin afterwards; null for none.
  void OnProgress(Progress progress);

  // Every request fails with `reason` from now on.
  void Break(const absl::Status& reason);
  // True in a child of the process that made this.
  bool forked() const { return getpid() != process_; }
  Control& control() { return *control_; }

 private:
  class Writing;

  std::unique_ptr<Request> Start(uint16_t type, std::string frame, std::string_view payload,
                                 Sink sink, Undo undo);
  // The frame and the payload, when it is this thread's turn; of an interrupted request only a part
  // of that, or nothing.
  absl::Status SendRequest(Request& request, std::string_view frame, std::string_view payload);
  absl::StatusOr<Frame> Finish(Request& request);
  // Waits until the request has ended. If the caller is interrupted meanwhile (base/poll.h), the
  // far side is told to end the request. Does not throw that: a destructor waits, too.
  void Await(Request& request);
  // Looks whether the caller is interrupted, until it is.
  void Look(Request& request);
  // Calls the request's progress, until it is interrupted.
  void Tell(Request& request, uint64_t done, uint64_t total);
  // Tells the far side of an interruption, again and again: it forgets what it is told of a request
  // that has not begun there.
  void TellOfInterruption(Request& request);
  // Releases what the answer has given that nobody takes.
  void Drop(const Request& request);
  // Drops the functions that the far side has released. Any code may run then, so not with locks.
  void DropReleased();
  // What was queued, and then `frame`.
  absl::Status WriteInTurn(std::string_view frame, const std::function<absl::Status()>& stalled);
  void Enqueue(std::string frame);
  // Reads one frame, if one comes within 50 ms. The calling thread has the reader's role.
  void ReadOne();
  absl::Status ReadOneOrFail();
  absl::Status TakeChunk(const Header& header);
  absl::Status TakeAnswer(Frame frame);
  absl::Status Stalled();
  absl::StatusOr<Returned> CallHere(const Frame& frame);
  void RunCallback(const Frame& frame);
  void EndReading();
  // Ends all requests, after asking the control connection for the reason.
  void Lost(const absl::Status& link);

  const pid_t process_ = getpid();
  Connection connection_;
  std::unique_ptr<Control> control_;
  Callback callback_;
  Released released_;

  std::string unsent_;  // the writer's: what Flush has begun, before all others

  std::mutex mutex_;  // what follows
  std::condition_variable turn_, writers_turn_;
  std::thread::id writer_;  // who writes a whole request now, with its payload; none: nobody
  bool reading_ = false;    // a thread has the reader's role
  bool losing_ = false;
  absl::Status broken_;
  uint64_t last_ = 0;
  std::map<uint64_t, Request*> requests_;
  std::string queue_;
  std::shared_ptr<const Progress> progress_;
  Numbers dropped_;  // functions of this process that the far side has released
};

}  // namespace lathe::runtime::rpc

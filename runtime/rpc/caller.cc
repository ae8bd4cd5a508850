#include "runtime/rpc/caller.h"

#include <chrono>
#include <utility>

#include "base/error.h"
#include "base/poll.h"
#include "runtime/error_object.h"
#include "runtime/rpc/items.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

constexpr auto kSlice = std::chrono::milliseconds(50);
constexpr auto kCancelAgain = std::chrono::milliseconds(500);

// How many callbacks this thread is in.
constinit thread_local int callback_depth = 0;

absl::Status OddAnswer(const Frame& frame) {
  return MakeStatus(absl::StatusCode::kInvalidArgument, "rpc-unexpected",
                    {MessageName(frame.type), " arrived for request ",
                     std::to_string(frame.request), ", which does not expect it"});
}

// The far side's objects of an answer.
void AddObjects(const Item& item, Numbers& objects) {
  const auto kind = static_cast<ItemKind>(item.kind);
  const bool owns =
      kind == ItemKind::kTensor || kind == ItemKind::kFunction || kind == ItemKind::kModule;
  if (owns && item.object.value_or(0) != 0) objects.push_back(static_cast<int64_t>(*item.object));
  for (const Item& part : item.items) AddObjects(part, objects);
}

absl::Status NoMemory() {
  return MakeStatus(absl::StatusCode::kResourceExhausted, "out-of-memory",
                    "this process has no memory for what the session sent");
}

}  // namespace

Caller::Caller(std::unique_ptr<Transport> transport, std::unique_ptr<Control> control,
               Callback callback, Released released)
    : connection_(std::move(transport)),
      control_(std::move(control)),
      callback_(std::move(callback)),
      released_(std::move(released)) {
  // A frame that has begun and does not end keeps its thread until the session is broken.
  connection_.waiting = [this] {
    std::lock_guard lock(mutex_);
    return broken_;
  };
}

Caller::~Caller() {
  connection_.transport().Shutdown();
  control_.reset();  // a thread of its may be in Flush
}

// The turn to write.
class Caller::Writing {
 public:
  explicit Writing(Caller& caller) : caller_(caller) {}
  ~Writing() {
    if (!has_) return;
    {
      const std::lock_guard lock(caller_.mutex_);
      caller_.writer_ = std::thread::id();
    }
    caller_.writers_turn_.notify_one();
  }
  Writing(const Writing&) = delete;

  // Takes it if nobody has it.
  bool Try() {
    const std::lock_guard lock(caller_.mutex_);
    return TryLocked();
  }
  // Waits for it. False if `request`, unless it is null, is interrupted before.
  bool Wait(Request* request) {
    std::unique_lock lock(caller_.mutex_);
    while (!TryLocked()) {
      caller_.writers_turn_.wait_for(lock, kSlice);
      if (request == nullptr) continue;
      lock.unlock();
      caller_.Look(*request);
      lock.lock();
      if (request->interruption_) return false;
    }
    return true;
  }

 private:
  bool TryLocked() {
    if (caller_.writer_ != std::thread::id()) return false;
    caller_.writer_ = std::this_thread::get_id();
    return has_ = true;
  }

  Caller& caller_;
  bool has_ = false;
};

namespace {

absl::Status Busy(std::string_view what) {
  return MakeStatus(absl::StatusCode::kFailedPrecondition, "session-busy",
                    {what,
                     " is asked for while this thread sends bytes to the same session: by the "
                     "function that is told of progress, or by a signal's handler\nhelp: use the "
                     "session afterwards"});
}

}  // namespace

Caller::Request::~Request() {
  if (waited_) return;
  caller_.Await(*this);
  caller_.Drop(*this);
}

std::unique_ptr<Caller::Request> Caller::Start(uint16_t type, std::string frame,
                                               std::string_view payload, Sink sink, Undo undo) {
  std::unique_ptr<Request> request(new Request(*this, sink, std::move(undo)));
  // Until others know of it, so that nobody waits for an answer if memory runs out before.
  request->done_ = true;
  const size_t body = frame.size() - kHeaderBytes;
  if (forked()) {
    request->status_ = MakeStatus(
        absl::StatusCode::kFailedPrecondition, "session-forked",
        "this process was made by fork after the session was opened, which stays its parent's"
        "\nhelp: open a session here, or start processes by `spawn`");
    return request;
  }
  {
    std::lock_guard lock(mutex_);
    request->status_ = writer_ == std::this_thread::get_id() ? Busy(MessageName(type)) : broken_;
    if (request->status_.ok() && body > kMostBodyBytes)
      request->status_ = TooLarge(MessageName(type), body);
    if (!request->status_.ok()) return request;
    requests_.emplace(last_ + 1, request.get());
    request->number_ = ++last_;
    request->progress_ = progress_;
    request->done_ = false;
  }
  PutHeader(type, request->number_, std::string_view(frame).substr(kHeaderBytes), frame.data());
  absl::Status sent;
  try {
    sent = SendRequest(*request, frame, payload);
  } catch (const std::bad_alloc&) {
    // Nobody knows how much of it is sent.
    sent = NoMemory();
  }
  if (!sent.ok()) Lost(sent);
  DropReleased();
  return request;
}

absl::Status Caller::SendRequest(Request& request, std::string_view frame,
                                 std::string_view payload) {
  Writing writing(*this);
  if (!writing.Wait(&request)) {
    const std::lock_guard lock(mutex_);
    requests_.erase(request.number_);
    request.number_ = 0;
    request.done_ = true;
    return absl::OkStatus();
  }
  const auto stalled = [&] {
    Look(request);
    return Stalled();
  };
  const auto go_on = [&](uint64_t done) {
    Tell(request, done, payload.size());
    Look(request);
    return !request.interruption_;
  };
  LATHE_RETURN_IF_ERROR(WriteInTurn(frame, stalled));
  LATHE_ASSIGN_OR_RETURN(const uint64_t written,
                         connection_.WriteChunks(request.number_, payload, stalled, go_on));
  // An empty chunk says that the rest does not come.
  return written == payload.size()
             ? absl::OkStatus()
             : connection_.Write(EncodeFrame(Chunk{}, request.number_), stalled);
}

void Caller::Enqueue(std::string frame) {
  if (forked()) return;
  std::lock_guard lock(mutex_);
  if (broken_.ok()) queue_ += frame;
}

absl::Status Caller::WriteInTurn(std::string_view frame,
                                 const std::function<absl::Status()>& stalled) {
  {
    std::lock_guard lock(mutex_);
    unsent_ += queue_;
    queue_.clear();
  }
  if (unsent_.empty()) return connection_.Write(frame, stalled);
  // Together, so that they are one packet. Without memory nothing of what waits is lost.
  unsent_ += frame;
  const absl::Status sent = connection_.Write(unsent_, stalled);
  unsent_.clear();
  return sent;
}

void Caller::Flush() {
  absl::StatusOr<size_t> sent = 0;
  {
    Writing writing(*this);
    if (!writing.Try()) return;
    {
      std::lock_guard lock(mutex_);
      unsent_ += queue_;
      queue_.clear();
    }
    if (unsent_.empty()) return;
    // Does not wait: the thread that calls this keeps the session alive.
    sent = connection_.WriteSome(unsent_);
    if (sent.ok()) unsent_.erase(0, *sent);
  }
  if (!sent.ok()) Lost(sent.status());
}

// While the far side takes nothing, it may wait until its answers are taken.
absl::Status Caller::Stalled() {
  bool read = false;
  {
    std::lock_guard lock(mutex_);
    if (!broken_.ok()) return broken_;
    read = !std::exchange(reading_, true);
  }
  connection_.transport().WaitToSend(read);
  if (read) {
    if (connection_.transport().Receivable()) ReadOne();
    EndReading();
  }
  return absl::OkStatus();
}

void Caller::EndReading() {
  {
    std::lock_guard lock(mutex_);
    reading_ = false;
  }
  turn_.notify_all();
}

void Caller::OnProgress(Progress progress) {
  auto made = progress ? std::make_shared<const Progress>(std::move(progress)) : nullptr;
  const std::lock_guard lock(mutex_);
  progress_.swap(made);
}

void Caller::Look(Request& request) {
  if (request.interruption_) return;
  try {
    PollNow();
  } catch (...) {
    request.interruption_ = std::current_exception();
  }
}

void Caller::Tell(Request& request, uint64_t done, uint64_t total) {
  if (request.progress_ == nullptr || total <= kMostChunkBytes || request.interruption_) return;
  try {
    (*request.progress_)(done, total);
  } catch (...) {
    request.interruption_ = std::current_exception();
  }
}

void Caller::TellOfInterruption(Request& request) {
  const auto now = std::chrono::steady_clock::now();
  if (!request.interruption_ || now - request.cancelled_ < kCancelAgain) return;
  request.cancelled_ = now;
  control_->Cancel(request.number_);
}

void Caller::Await(Request& request) {
  request.waited_ = true;
  uint64_t told = 0;
  std::unique_lock lock(mutex_);
  while (!request.done_ || request.filling_) {
    if (!request.callbacks_.empty() && !request.done_) {
      const Frame callback = std::move(request.callbacks_.front());
      request.callbacks_.pop_front();
      lock.unlock();
      try {
        RunCallback(callback);
      } catch (const std::bad_alloc&) {
        Lost(NoMemory());
      }
      lock.lock();
      continue;
    }
    if (reading_) {
      turn_.wait_for(lock, kSlice);
    } else {
      reading_ = true;
      lock.unlock();
      ReadOne();
      lock.lock();
      reading_ = false;
      turn_.notify_all();
    }
    const uint64_t got = request.got_, expected = request.expected_;
    if (got != std::exchange(told, got)) {
      lock.unlock();
      Tell(request, got, expected);
      lock.lock();
    }
    if (request.done_) continue;
    lock.unlock();
    DropReleased();
    Look(request);
    TellOfInterruption(request);
    lock.lock();
  }
  requests_.erase(request.number_);
  lock.unlock();
  DropReleased();
}

void Caller::DropReleased() {
  Numbers dropped;
  {
    const std::lock_guard lock(mutex_);
    dropped.swap(dropped_);
  }
  try {
    if (!dropped.empty()) released_(dropped);
  } catch (const std::bad_alloc&) {
    // They stay until the session ends.
  }
}

void Caller::Drop(const Request& request) {
  const Frame& answer = request.answer_;
  try {
    Numbers objects;
    if (Result result; answer.type == Result::kType && Decode(answer.body, &result).ok()) {
      AddObjects(result.item, objects);
      if (const auto made = result.item.integer; request.undo_ && made && *made != 0)
        Enqueue(request.undo_(static_cast<uint64_t>(*made)));
    } else if (Loaded loaded; answer.type == Loaded::kType && Decode(answer.body, &loaded).ok()) {
      objects.push_back(static_cast<int64_t>(loaded.module));
    }
    if (!objects.empty()) Queue(Release{std::move(objects)});
  } catch (const std::bad_alloc&) {
    // They stay until the session ends.
  }
}

absl::StatusOr<Frame> Caller::Finish(Request& request) {
  {
    const std::lock_guard lock(mutex_);
    if (writer_ == std::this_thread::get_id()) return Busy("an answer");
  }
  Await(request);
  if (request.interruption_) {
    Drop(request);
    std::rethrow_exception(request.interruption_);
  }
  LATHE_RETURN_IF_ERROR(request.status_);
  if (request.answer_.type != Failed::kType) return std::move(request.answer_);
  Failed failed;
  LATHE_RETURN_IF_ERROR(Decode(request.answer_.body, &failed));
  if (failed.failure.code == 0) return OddAnswer(request.answer_);
  return FromFailure(failed.failure);
}

absl::StatusOr<Caller::Returned> Caller::CallHere(const Frame& frame) {
  rpc::Callback call;
  LATHE_RETURN_IF_ERROR(Decode(frame.body, &call));
  if (callback_depth >= kMostCallbackDepth)
    return MakeStatus(
        absl::StatusCode::kResourceExhausted, "rpc-callback-depth",
        {"callbacks are more than ", std::to_string(kMostCallbackDepth), " deep in callbacks"});
  ++callback_depth;
  absl::StatusOr<Returned> result;
  try {
    result = callback_(call.function, call.arguments);
  } catch (...) {
    result = StatusFromError(*ErrorFromCurrentException().get());
  }
  --callback_depth;
  return result;
}

void Caller::RunCallback(const Frame& frame) {
  absl::StatusOr<Returned> result = CallHere(frame);
  std::string answer;
  if (result.ok()) {
    const Result returned{std::move(result->item)};
    answer = EncodeFrame(returned, frame.request);
    if (answer.size() > kHeaderBytes + kMostBodyBytes) {
      released_(CallbacksOf({returned.item}));
      result = TooLarge("the result of a callback", answer.size());
    }
  }
  if (!result.ok()) answer = EncodeFrame(Failed{ToFailure(result.status())}, frame.request);
  absl::Status sent;
  {
    Writing writing(*this);
    writing.Wait(nullptr);
    sent = WriteInTurn(answer, [this] { return Stalled(); });
  }
  if (!sent.ok()) Lost(sent);
}

void Caller::ReadOne() {
  absl::Status status;
  try {
    status = ReadOneOrFail();
  } catch (const std::bad_alloc&) {
    // In the middle of a frame: what follows could not be read.
    status = NoMemory();
  }
  if (!status.ok()) Lost(status);
}

absl::Status Caller::ReadOneOrFail() {
  Header header;
  LATHE_ASSIGN_OR_RETURN(const bool there, connection_.ReadHeader(&header));
  if (!there) return absl::OkStatus();
  if (header.type == Chunk::kType) return TakeChunk(header);
  LATHE_ASSIGN_OR_RETURN(Frame frame, connection_.ReadFrame(header));
  if (frame.type != Release::kType) return TakeAnswer(std::move(frame));
  Release release;
  LATHE_RETURN_IF_ERROR(Decode(frame.body, &release));
  const std::lock_guard lock(mutex_);
  dropped_.insert(dropped_.end(), release.objects.begin(), release.objects.end());
  return absl::OkStatus();
}

absl::Status Caller::TakeChunk(const Header& header) {
  Request* request = nullptr;
  {
    std::lock_guard lock(mutex_);
    const auto at = requests_.find(header.request);
    if (at != requests_.end()) request = at->second;
    if (request == nullptr || request->done_ || !request->announced_ || header.length == 0 ||
        header.length > request->expected_ - request->got_)
      return broken_.ok() ? OddAnswer({header.type, header.request, {}}) : broken_;
    request->filling_ = true;  // the place stays, even if the session breaks meanwhile
  }
  char* to = request->sink_.memory;
  if (request->sink_.text != nullptr) {
    try {
      request->sink_.text->resize(request->got_ + header.length);
      to = request->sink_.text->data();
    } catch (const std::bad_alloc&) {
      to = nullptr;  // this request fails, and the session goes on
    }
  }
  absl::Status read = to == nullptr ? connection_.SkipBody(header)
                                    : connection_.ReadBody(header, to + request->got_);
  std::lock_guard lock(mutex_);
  request->filling_ = false;
  if (to == nullptr && request->status_.ok()) request->status_ = NoMemory();
  LATHE_RETURN_IF_ERROR(read);
  request->got_ += header.length;
  request->done_ = request->done_ || request->got_ == request->expected_;
  return absl::OkStatus();
}

absl::Status Caller::TakeAnswer(Frame frame) {
  std::lock_guard lock(mutex_);
  const auto at = requests_.find(frame.request);
  // Only a failure may come while bytes are expected.
  if (at == requests_.end() || at->second->done_ ||
      (at->second->announced_ && frame.type != Failed::kType))
    return OddAnswer(frame);
  Request& request = *at->second;
  if (frame.type == rpc::Callback::kType) {
    request.callbacks_.push_back(std::move(frame));
    return absl::OkStatus();
  }
  const Sink& sink = request.sink_;
  if (frame.type == Result::kType && (sink.text != nullptr || sink.size != 0)) {
    // The number of bytes that follow.
    Result result;
    LATHE_RETURN_IF_ERROR(Decode(frame.body, &result));
    const auto bytes = static_cast<uint64_t>(result.item.integer.value_or(-1));
    const bool fits = sink.text != nullptr ? bytes <= sink.most : bytes == sink.size;
    if (!fits) return OddAnswer(frame);
    request.expected_ = bytes;
    request.announced_ = bytes != 0;
    request.done_ = bytes == 0;
  } else {
    request.done_ = true;
  }
  request.answer_ = std::move(frame);
  return absl::OkStatus();
}

void Caller::Lost(const absl::Status& link) {
  {
    std::lock_guard lock(mutex_);
    if (losing_ || !broken_.ok()) return;
    losing_ = true;
  }
  Break(control_->WhyEnded(link));
}

void Caller::Break(const absl::Status& reason) {
  {
    std::lock_guard lock(mutex_);
    if (broken_.ok()) broken_ = reason;
    for (const auto& [number, request] : requests_) {
      if (!request->done_) request->status_ = broken_;
      request->done_ = true;
    }
    queue_.clear();
  }
  connection_.transport().Shutdown();
  turn_.notify_all();
}

}  // namespace lathe::runtime::rpc

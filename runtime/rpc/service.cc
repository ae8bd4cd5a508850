#include "runtime/rpc/service.h"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "runtime/error_object.h"
#include "runtime/rpc/service_parts.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {

Service::Service(Ref<Session> session, std::unique_ptr<Transport> transport,
                 SessionConstructor constructor)
    : session_(std::move(session)),
      constructor_(std::move(constructor)),
      connection_(std::move(transport)),
      link_(std::make_shared<Link>(this)) {}

Service::~Service() {
  {
    const std::lock_guard lock(link_->mutex);
    link_->service = nullptr;
  }
  objects_.clear();
  session_->Close();
}

absl::Status Service::Lost(absl::Status status) {
  if (lost_.ok()) lost_ = status;
  return status;
}

void Service::Attached(uint64_t request, Machine machine) {
  Send(EncodeFrame(Done{std::move(machine)}, request));
}

absl::Status Service::Run(const std::function<absl::Status()>& go_on) {
  {
    const std::lock_guard lock(link_->mutex);
    thread_ = std::this_thread::get_id();
  }
  while (lost_.ok()) {
    if (!Step() && lost_.ok() && go_on) Lost(go_on()).IgnoreError();
  }
  connection_.transport().Shutdown();
  return lost_;
}

bool Service::Step() {
  Header header;
  const absl::StatusOr<bool> there = connection_.ReadHeader(&header);
  if (!there.ok()) Lost(there.status()).IgnoreError();
  if (!there.ok() || !*there) return false;
  absl::StatusOr<Frame> frame;
  try {
    frame = connection_.ReadFrame(header);
  } catch (const std::bad_alloc&) {
    RefuseForMemory(header);
    return true;
  }
  if (frame.ok()) {
    Handle(*frame);
  } else {
    Lost(frame.status()).IgnoreError();
  }
  return true;
}

void Service::RefuseForMemory(const Header& header) {
  if (!Lost(connection_.SkipBody(header)).ok()) return;
  const absl::Status why = MakeStatus(absl::StatusCode::kResourceExhausted, "out-of-memory",
                                      {"the worker has no memory for ", MessageName(header.type),
                                       " of ", std::to_string(header.length), " bytes"});
  // The result of a callback is for whoever waits here; the rest are requests.
  if (header.type == Result::kType || header.type == Failed::kType) {
    Frame failed{Failed::kType, header.request, {}};
    Encode(Failed{ToFailure(why)}, &failed.body);
    callback_answers_[header.request] = std::move(failed);
  } else {
    Answer(header.request, why);
  }
}

void Service::Handle(const Frame& frame) {
  switch (frame.type) {
    case Result::kType:
    case Failed::kType:
      // Whoever waits for it is below on the stack.
      callback_answers_[frame.request] = frame;
      return;
    case rpc::Release::kType:
      Release(frame);
      return;
    case Free::kType:
    case FreeStream::kType:
      TellDevice(frame);
      return;
    default:
      break;
  }
  Active active{frame.request};
  {
    std::lock_guard lock(mutex_);
    active_.push_back(&active);
  }
  Outcome outcome;
  {
    const CancelScope scope(active.cancellation);
    const Waiting runs(*this, false);
    try {
      outcome = Perform(frame);
    } catch (...) {
      outcome = StatusFromError(*ErrorFromCurrentException().get());
    }
  }
  {
    std::lock_guard lock(mutex_);
    active_.pop_back();
  }
  Numbers released;
  {
    const std::lock_guard lock(link_->mutex);
    released.swap(link_->released);
  }
  if (!released.empty()) Send(EncodeFrame(rpc::Release{std::move(released)}));
  Answer(frame.request, outcome);
}

Service::Outcome Service::Construct(const Frame& frame) {
  rpc::Construct construct;
  LATHE_RETURN_IF_ERROR(Lost(Decode(frame.body, &construct)));
  if (used_)
    return MakeStatus(absl::StatusCode::kFailedPrecondition, "rpc-constructor",
                      "the session is in use: a constructor comes before all other requests");
  if (!constructor_)
    return MakeStatus(
        absl::StatusCode::kUnimplemented, "rpc-constructor",
        {"this worker makes no sessions by a constructor (`", construct.constructor, "`)"});
  LATHE_ASSIGN_OR_RETURN(const std::vector<Value> arguments, MakeValues(construct.arguments));
  LATHE_ASSIGN_OR_RETURN(const Ref<Session> made, constructor_(construct.constructor, arguments));
  session_->Close();
  session_ = made;
  const std::lock_guard lock(mutex_);
  chained_ = true;
  return EncodeFrame(Done{}, frame.request);
}

Service::Outcome Service::Perform(const Frame& frame) {
  if (frame.type == rpc::Construct::kType) return Construct(frame);
  used_ = true;
  switch (frame.type) {
    case rpc::Call::kType:
      return Call(frame);
    case rpc::Write::kType:
      return Write(frame);
    case rpc::Read::kType:
      return Read(frame);
    case rpc::Load::kType:
      return Load(frame);
    case rpc::Upload::kType:
      return Upload(frame);
    case rpc::Download::kType:
      return Download(frame);
    case FindFunction::kType:
      return Find(frame);
    case rpc::Time::kType:
      return Time(frame);
    case ListFiles::kType: {
      LATHE_ASSIGN_OR_RETURN(const std::vector<std::string> names, session_->files().List());
      return ItemResult(Value(std::vector<Value>(names.begin(), names.end())), frame.request);
    }
    case RemoveFile::kType: {
      RemoveFile remove;
      LATHE_RETURN_IF_ERROR(Lost(Decode(frame.body, &remove)));
      LATHE_RETURN_IF_ERROR(session_->files().Remove(remove.name));
      return EncodeFrame(Done{}, frame.request);
    }
    default:
      return AskDevice(frame);
  }
}

void Service::Send(std::string_view frame) {
  // Also after a request that ends the service, so that the client learns why.
  if (frame.empty()) return;
  Lost(connection_.Write(frame, [this] {
    connection_.transport().WaitToSend(false);
    return absl::OkStatus();
  })).IgnoreError();
}

void Service::Answer(uint64_t request, const Outcome& outcome) {
  if (!outcome.ok()) {
    Send(EncodeFrame(Failed{ToFailure(outcome.status())}, request));
  } else if (outcome->size() > kHeaderBytes + kMostBodyBytes) {
    Answer(request, TooLarge("a result", outcome->size()));
  } else {
    Send(*outcome);
  }
}

bool Service::Cancel(uint64_t request) {
  std::lock_guard lock(mutex_);
  const auto at = std::find_if(active_.begin(), active_.end(),
                               [&](const Active* one) { return one->request == request; });
  for (auto above = at; above != active_.end(); ++above) (*above)->cancellation.Cancel();
  return at != active_.end();
}

void Service::CancelAll() {
  const std::lock_guard lock(mutex_);
  for (Active* const one : active_) one->cancellation.Cancel();
}

bool Service::Running(uint64_t request) const {
  std::lock_guard lock(mutex_);
  return !waits_ && !chained_ &&
         std::any_of(active_.begin(), active_.end(),
                     [&](const Active* one) { return one->request == request; });
}

}  // namespace lathe::runtime::rpc

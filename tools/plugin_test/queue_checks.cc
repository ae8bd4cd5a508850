// Streams and events.
#include <string>

#include "runtime/stream.h"
#include "runtime/tensor.h"
#include "tools/plugin_test/device_subject.h"

namespace lathe::kit {
namespace {

using runtime::EventHandle;
using runtime::StreamHandle;
using runtime::StreamKind;
using runtime::Tensor;

bool Lacks(const absl::Status& status) { return status.code() == absl::StatusCode::kUnimplemented; }

absl::Status SyncDefault(const Dev& dev) { return dev.api->SyncStream(0, nullptr); }

// Runs `body` with a stream, then frees the stream. Does not apply if the device has no streams.
absl::Status WithStream(const Dev& dev, StreamKind kind,
                        const std::function<absl::Status(StreamHandle)>& body) {
  const auto stream = dev.api->NewStream(0, kind);
  if (Lacks(stream.status())) return NotApplicable("the device has no streams");
  if (!stream.ok()) return stream.status();
  const absl::Status status = body(*stream);
  const absl::Status freed = dev.api->FreeStream(0, *stream);
  return status.ok() ? freed : status;
}

template <StreamKind kKind>
absl::Status Streams(const Dev& dev) {
  return WithStream(dev, kKind,
                    [&](StreamHandle stream) { return dev.api->SyncStream(0, stream); });
}

absl::Status ManyStreams(const Dev& dev) {
  std::vector<StreamHandle> streams;
  for (int i = 0; i < 16; ++i) {
    const auto stream = dev.api->NewStream(0, StreamKind::kCompute);
    if (Lacks(stream.status())) return NotApplicable("the device has no streams");
    if (!stream.ok()) return stream.status();
    streams.push_back(*stream);
  }
  for (StreamHandle stream : streams) KIT_RETURN_IF_ERROR(dev.api->SyncStream(0, stream));
  for (StreamHandle stream : streams) KIT_RETURN_IF_ERROR(dev.api->FreeStream(0, stream));
  return absl::OkStatus();
}

// Copies on one stream run in order.
absl::Status StreamOrder(const Dev& dev) {
  return WithStream(dev, StreamKind::kCompute, [&](StreamHandle handle) -> absl::Status {
    const runtime::StreamScope scope(dev.device(), runtime::Stream::Borrowed(dev.device(), handle));
    const std::string first(100000, 'a'), second(100000, 'b');
    const int64_t shape[] = {100000};
    const auto a = Tensor::FromHost(first.data(), first.size(), shape, DataType::UInt(8),
                                    dev.device()),
               b = Tensor::FromHost(second.data(), second.size(), shape, DataType::UInt(8),
                                    dev.device()),
               c = Tensor::Empty(shape, DataType::UInt(8), dev.device());
    if (!a.ok() || !b.ok() || !c.ok()) return Failed("no memory");
    for (int i = 0; i < 10; ++i) {
      KIT_RETURN_IF_ERROR(c->CopyFrom(*a));
      KIT_RETURN_IF_ERROR(c->CopyFrom(*b));
    }
    std::string got(second.size(), '\0');
    KIT_RETURN_IF_ERROR(c->CopyToHost(got.data(), got.size()));
    return Require(got == second, "the last copy is not what is there");
  });
}

absl::Status WithEvents(const Dev& dev,
                        const std::function<absl::Status(EventHandle, EventHandle)>& body) {
  const auto first = dev.api->NewEvent(0);
  if (Lacks(first.status())) return NotApplicable("the device has no events");
  if (!first.ok()) return first.status();
  const auto second = dev.api->NewEvent(0);
  if (!second.ok()) return second.status();
  const absl::Status status = body(*first, *second);
  KIT_RETURN_IF_ERROR(dev.api->FreeEvent(0, *first));
  KIT_RETURN_IF_ERROR(dev.api->FreeEvent(0, *second));
  return status;
}

absl::Status Events(const Dev& dev) {
  return WithEvents(dev, [](EventHandle, EventHandle) { return absl::OkStatus(); });
}

absl::Status EventPasses(const Dev& dev) {
  return WithEvents(dev, [&](EventHandle event, EventHandle) -> absl::Status {
    KIT_RETURN_IF_ERROR(dev.api->RecordEvent(0, event, nullptr));
    return dev.api->SyncEvent(0, event);
  });
}

absl::Status Elapsed(const Dev& dev) {
  return WithEvents(dev, [&](EventHandle begin, EventHandle end) -> absl::Status {
    KIT_RETURN_IF_ERROR(dev.api->RecordEvent(0, begin, nullptr));
    const std::string text(1 << 20, 'a');
    const int64_t shape[] = {1 << 20};
    const auto tensor =
        Tensor::FromHost(text.data(), text.size(), shape, DataType::UInt(8), dev.device());
    if (!tensor.ok()) return tensor.status();
    KIT_RETURN_IF_ERROR(dev.api->RecordEvent(0, end, nullptr));
    KIT_RETURN_IF_ERROR(dev.api->SyncEvent(0, end));
    const auto time = dev.api->ElapsedNanoseconds(0, begin, end);
    if (!time.ok()) return time.status();
    return Require(*time >= 0 && *time < 60e9,
                   "the time between two events is " + std::to_string(*time) + " ns");
  });
}

absl::Status ElapsedOfNothing(const Dev& dev) {
  return WithEvents(dev, [&](EventHandle begin, EventHandle end) {
    return Require(!dev.api->ElapsedNanoseconds(0, begin, end).ok(),
                   "events that were never recorded have a time between them");
  });
}

absl::Status StreamsWait(const Dev& dev) {
  return WithEvents(dev, [&](EventHandle event, EventHandle) {
    return WithStream(dev, StreamKind::kCopy, [&](StreamHandle other) -> absl::Status {
      KIT_RETURN_IF_ERROR(dev.api->RecordEvent(0, event, nullptr));
      KIT_RETURN_IF_ERROR(dev.api->WaitEvent(0, event, other));
      return dev.api->SyncStream(0, other);
    });
  });
}

absl::Status RecordAgain(const Dev& dev) {
  return WithEvents(dev, [&](EventHandle event, EventHandle) -> absl::Status {
    for (int i = 0; i < 20; ++i) {
      KIT_RETURN_IF_ERROR(dev.api->RecordEvent(0, event, nullptr));
      KIT_RETURN_IF_ERROR(dev.api->SyncEvent(0, event));
    }
    return absl::OkStatus();
  });
}

}  // namespace

void AddQueueChecks(const Subject& subject, Checks* checks) {
  AddFor(subject, checks,
         {{"stream-sync-default", SyncDefault},
          {"stream-compute", Streams<StreamKind::kCompute>},
          {"stream-copy", Streams<StreamKind::kCopy>},
          {"stream-high-priority", Streams<StreamKind::kHighPriority>},
          {"stream-many", ManyStreams},
          {"stream-order", StreamOrder},
          {"event-new-and-free", Events},
          {"event-passes", EventPasses},
          {"event-elapsed", Elapsed},
          {"event-elapsed-of-nothing", ElapsedOfNothing},
          {"event-streams-wait", StreamsWait},
          {"event-record-again", RecordAgain}});
}

}  // namespace lathe::kit

// Requests and answers with bytes: files, modules and the elements of tensors.
#include <algorithm>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "base/digest.h"
#include "runtime/error_object.h"
#include "runtime/rpc/items.h"
#include "runtime/rpc/service_parts.h"
#include "runtime/status.h"
#include "runtime/stream.h"
#include "runtime/tensor.h"

namespace lathe::runtime::rpc {
namespace {

// `size` bytes of a compact tensor from byte `begin` on, as a tensor of rank 1.
struct Piece {
  Piece(const DLTensor& of, uint64_t begin, uint64_t size) : extent(static_cast<int64_t>(size)) {
    view = of;
    view.ndim = 1;
    view.dtype = {kDLUInt, 8, 1};
    view.shape = &extent;
    view.strides = nullptr;
    view.byte_offset = of.byte_offset + begin;
  }
  Piece(const Piece&) = delete;
  int64_t extent;
  DLTensor view;
};

DLTensor HostBytes(char* data, Piece& like) {
  DLTensor view = like.view;
  view.data = data;
  view.byte_offset = 0;
  view.device = Device::Cpu().packed();
  return view;
}

// The elements, if the host may access them; else null.
char* OnHost(DeviceAPI* api, const Tensor& tensor) {
  const DLTensor& dl = tensor.dl();
  const absl::StatusOr<void*> data =
      api->ExportHost(dl.device.device_id, dl.data, dl.byte_offset + tensor.num_bytes());
  return data.ok() ? static_cast<char*>(*data) + dl.byte_offset : nullptr;
}

absl::Status Damaged(const Upload& upload, const std::string& digest) {
  return MakeStatus(absl::StatusCode::kDataLoss, "rpc-damaged",
                    {"the file ", upload.name, " arrived damaged: its digest is ", digest,
                     " instead of ", upload.digest});
}

// Of the request that runs on this thread.
absl::Status Interruption() {
  try {
    PollNow();
  } catch (const Interrupted&) {
    return StatusFromError(*ErrorFromCurrentException().get());
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Service::TakeBytes(uint64_t request, uint64_t* left,
                                absl::FunctionRef<absl::Status()> take) {
  absl::Status status;
  try {
    status = take();
  } catch (...) {
    status = StatusFromError(*ErrorFromCurrentException().get());
  }
  if (lost_.ok()) {
    const Waiting waits(*this);
    ReadChunks(request, left, [this](const Header& header) {
      return Lost(connection_.SkipBody(header));
    }).IgnoreError();
  }
  return status;
}

absl::StatusOr<Header> Service::NextChunk(uint64_t request, uint64_t* left) {
  const Waiting waits(*this);
  Header header;
  for (bool there = false; !there;) {
    const absl::StatusOr<bool> read = connection_.ReadHeader(&header);
    if (!read.ok()) return Lost(read.status());
    there = *read;
  }
  if (header.type != Chunk::kType || header.request != request || header.length > *left)
    return Lost(Unexpected({header.type, header.request, {}}, "the rest of a request's bytes"));
  if (header.length == 0) {
    LATHE_RETURN_IF_ERROR(Lost(connection_.SkipBody(header)));
    *left = 0;
    return MakeStatus(absl::StatusCode::kCancelled, "cancelled",
                      "the client was interrupted while it sent bytes");
  }
  *left -= header.length;
  return header;
}

absl::Status Service::TakeBody(const Header& header, char* to) {
  const Waiting waits(*this);
  return Lost(connection_.ReadBody(header, to));
}

absl::Status Service::ReadChunks(uint64_t request, uint64_t* left,
                                 absl::FunctionRef<absl::Status(const Header& header)> take) {
  while (*left > 0) {
    LATHE_ASSIGN_OR_RETURN(const Header header, NextChunk(request, left));
    LATHE_RETURN_IF_ERROR(take(header));
  }
  return absl::OkStatus();
}

char* Service::Staging() {
  if (staging_ == nullptr) staging_ = std::make_unique<char[]>(kMostChunkBytes);
  return staging_.get();
}

absl::StatusOr<std::string> Service::ReadText(uint64_t request, uint64_t* left, uint64_t most) {
  if (*left > most)
    return MakeStatus(
        absl::StatusCode::kResourceExhausted, "session-files-too-large",
        {std::to_string(*left), " bytes; a session takes at most ", std::to_string(most)});
  // Grows as bytes arrive: a number alone costs no memory.
  const uint64_t size = *left;
  std::string text;
  LATHE_RETURN_IF_ERROR(ReadChunks(request, left, [&](const Header& header) {
    const size_t at = text.size();
    try {
      text.resize(at + header.length);
    } catch (const std::bad_alloc&) {
      // The chunk's bytes must be taken, or nobody understands what follows.
      text = {};
      const Waiting waits(*this);
      LATHE_RETURN_IF_ERROR(Lost(connection_.SkipBody(header)));
      return MakeStatus(absl::StatusCode::kResourceExhausted, "out-of-memory",
                        {"the worker has no memory for more than ", std::to_string(at), " of ",
                         std::to_string(size), " bytes"});
    }
    return TakeBody(header, text.data() + at);
  }));
  return text;
}

void Service::Announce(uint64_t request, uint64_t bytes) {
  Item item;
  item.kind = static_cast<uint64_t>(ItemKind::kInteger);
  item.integer = static_cast<int64_t>(bytes);
  Send(EncodeFrame(Result{std::move(item)}, request));
}

absl::Status Service::SendChunks(uint64_t request, std::string_view bytes) {
  LATHE_RETURN_IF_ERROR(lost_);
  if (bytes.empty()) return absl::OkStatus();  // what was announced was the whole answer
  const Waiting waits(*this);
  const auto stalled = [this] {
    connection_.transport().WaitToSend(false);
    return absl::OkStatus();
  };
  absl::Status interruption;
  const auto go_on = [&](uint64_t done) {
    if (done == bytes.size()) return true;
    interruption = Interruption();
    return interruption.ok();
  };
  // Pieces of one answer come in several calls.
  LATHE_RETURN_IF_ERROR(Interruption());
  LATHE_RETURN_IF_ERROR(Lost(connection_.WriteChunks(request, bytes, stalled, go_on).status()));
  return interruption;
}

Service::Outcome Service::Load(const Frame& frame) {
  rpc::Load load;
  LATHE_RETURN_IF_ERROR(Lost(Decode(frame.body, &load)));
  uint64_t left = load.bytes;
  absl::StatusOr<Module> module;
  LATHE_RETURN_IF_ERROR(TakeBytes(frame.request, &left, [&] {
    switch (static_cast<LoadFrom>(load.from)) {
      case LoadFrom::kBytes: {
        absl::StatusOr<std::string> bytes = ReadText(frame.request, &left, kMostSessionBytes);
        module = bytes.ok() ? session_->LoadBytes(load.name, *bytes) : bytes.status();
        break;
      }
      case LoadFrom::kUploaded:
        module = session_->LoadUploaded(load.name);
        break;
      case LoadFrom::kPath:
        module = session_->LoadFile(load.name);
        break;
      case LoadFrom::kLinked:
        module = session_->LoadLinked(load.name);
        break;
      default:
        module = MakeStatus(absl::StatusCode::kInvalidArgument, "rpc-malformed",
                            "a module cannot be loaded from there");
    }
    return module.status();
  }));
  Loaded loaded;
  loaded.kind = (*module)->kind();
  loaded.functions = (*module)->FunctionNames();
  const Metadata& metadata = (*module)->metadata();
  if (!metadata.empty()) loaded.metadata = metadata.ToJson();
  loaded.module = Keep(Value(*std::move(module)));
  return EncodeFrame(loaded, frame.request);
}

Service::Outcome Service::Upload(const Frame& frame) {
  rpc::Upload upload;
  LATHE_RETURN_IF_ERROR(Lost(Decode(frame.body, &upload)));
  uint64_t left = upload.bytes;
  std::string digests;
  const auto check = [&] {
    if (left > 0) return absl::OkStatus();
    const std::string digest = DigestOf(digests).ToString();
    return digest == upload.digest ? absl::OkStatus() : Damaged(upload, digest);
  };
  const auto next = [&]() -> absl::StatusOr<std::string_view> {
    char* const staging = Staging();
    LATHE_ASSIGN_OR_RETURN(const Header header, NextChunk(frame.request, &left));
    LATHE_RETURN_IF_ERROR(TakeBody(header, staging));
    const std::string_view piece(staging, header.length);
    digests += DigestOf(piece).ToString();
    LATHE_RETURN_IF_ERROR(check());
    return piece;
  };
  LATHE_RETURN_IF_ERROR(TakeBytes(frame.request, &left, [&] {
    LATHE_RETURN_IF_ERROR(check());
    return session_->files().UploadPieces(upload.name, left, next);
  }));
  return EncodeFrame(Done{}, frame.request);
}

Service::Outcome Service::Download(const Frame& frame) {
  rpc::Download download;
  LATHE_RETURN_IF_ERROR(Lost(Decode(frame.body, &download)));
  LATHE_ASSIGN_OR_RETURN(const std::string bytes, session_->files().Download(download.name));
  Announce(frame.request, bytes.size());
  LATHE_RETURN_IF_ERROR(SendChunks(frame.request, bytes));
  return std::string();
}

Service::Outcome Service::Write(const Frame& frame) {
  rpc::Write write;
  LATHE_RETURN_IF_ERROR(Lost(Decode(frame.body, &write)));
  uint64_t left = write.bytes;
  LATHE_RETURN_IF_ERROR(
      TakeBytes(frame.request, &left, [&] { return WriteElements(write, frame.request, &left); }));
  return EncodeFrame(Done{}, frame.request);
}

absl::Status Service::WriteElements(const rpc::Write& write, uint64_t request, uint64_t* left) {
  LATHE_ASSIGN_OR_RETURN(const Tensor to, FromView(write.to, session_->id().number));
  LATHE_ASSIGN_OR_RETURN(DeviceAPI * api, FindDevice(write.to.kind, write.to.id));
  const uint64_t bytes = to.num_bytes();
  if (*left != bytes)
    return MakeStatus(absl::StatusCode::kInvalidArgument, "rpc-malformed",
                      {std::to_string(*left), " bytes for a tensor of ", std::to_string(bytes)});
  if (bytes == 0) return absl::OkStatus();
  const Device device = to.device();
  const StreamScope scope(device, Stream::Borrowed(device, UnpackHandle(write.stream)));
  if (!to.is_compact()) {
    LATHE_ASSIGN_OR_RETURN(const Tensor packed, Tensor::Empty(to.shape(), to.dtype()));
    auto* next = static_cast<char*>(packed.dl().data);
    LATHE_RETURN_IF_ERROR(ReadChunks(request, left, [&](const Header& header) {
      char* const at = std::exchange(next, next + header.length);
      return TakeBody(header, at);
    }));
    return CopyTensor(packed.dl(), to.dl());
  }
  if (char* next = OnHost(api, to)) {
    return ReadChunks(request, left, [&](const Header& header) {
      char* const at = std::exchange(next, next + header.length);
      return TakeBody(header, at);
    });
  }
  char* const staging = Staging();
  uint64_t begin = 0;
  return ReadChunks(request, left, [&](const Header& header) {
    LATHE_RETURN_IF_ERROR(TakeBody(header, staging));
    Piece piece(to.dl(), std::exchange(begin, begin + header.length), header.length);
    return CopyTensor(HostBytes(staging, piece), piece.view);
  });
}

Service::Outcome Service::Read(const Frame& frame) {
  rpc::Read read;
  LATHE_RETURN_IF_ERROR(Lost(Decode(frame.body, &read)));
  LATHE_ASSIGN_OR_RETURN(Tensor from, FromView(read.from, session_->id().number));
  LATHE_ASSIGN_OR_RETURN(DeviceAPI * api, FindDevice(read.from.kind, read.from.id));
  const Device device = from.device();
  const StreamScope scope(device, Stream::Borrowed(device, UnpackHandle(read.stream)));
  const uint64_t bytes = from.num_bytes();
  const bool direct = from.is_compact();
  if (bytes != 0 && direct) {
    if (char* data = OnHost(api, from)) {
      Announce(frame.request, bytes);
      LATHE_RETURN_IF_ERROR(SendChunks(frame.request, {data, static_cast<size_t>(bytes)}));
      return std::string();
    }
    char* const staging = Staging();
    for (uint64_t begin = 0; begin < bytes;) {
      const uint64_t size = std::min<uint64_t>(bytes - begin, kMostChunkBytes);
      Piece piece(from.dl(), begin, size);
      LATHE_RETURN_IF_ERROR(CopyTensor(piece.view, HostBytes(staging, piece)));
      if (begin == 0) Announce(frame.request, bytes);
      LATHE_RETURN_IF_ERROR(SendChunks(frame.request, {staging, static_cast<size_t>(size)}));
      begin += size;
    }
    return std::string();
  }
  LATHE_ASSIGN_OR_RETURN(const Tensor packed, Tensor::Empty(from.shape(), from.dtype()));
  LATHE_RETURN_IF_ERROR(CopyTensor(from.dl(), packed.dl()));
  Announce(frame.request, bytes);
  LATHE_RETURN_IF_ERROR(SendChunks(
      frame.request, {static_cast<const char*>(packed.dl().data), static_cast<size_t>(bytes)}));
  return std::string();
}

}  // namespace lathe::runtime::rpc

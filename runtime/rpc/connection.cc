#include "runtime/rpc/connection.h"

#include <algorithm>
#include <cstring>

#include "base/digest.h"
#include "runtime/rpc/crc32c.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {

absl::Status Connection::ReadExactly(char* out, size_t size) {
  while (size > 0) {
    if (begin_ < end_) {
      const size_t take = std::min(size, end_ - begin_);
      std::memcpy(out, buffer_ + begin_, take);
      begin_ += take;
      out += take;
      size -= take;
      continue;
    }
    // Large bodies go to their place without a stop in the buffer.
    const bool direct = size >= sizeof(buffer_);
    LATHE_ASSIGN_OR_RETURN(const size_t got, direct
                                                 ? transport_->Receive(out, size)
                                                 : transport_->Receive(buffer_, sizeof(buffer_)));
    if (got == 0 && waiting) LATHE_RETURN_IF_ERROR(waiting());
    if (direct) {
      out += got;
      size -= got;
    } else {
      begin_ = 0;
      end_ = got;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> Connection::ReadHeader(Header* header) {
  LATHE_RETURN_IF_ERROR(read_broken_);
  const auto broken = [&](absl::Status status) { return read_broken_ = std::move(status); };
  if (begin_ == end_) {
    const absl::StatusOr<size_t> got = transport_->Receive(buffer_, sizeof(buffer_));
    if (!got.ok()) return broken(got.status());
    if (*got == 0) return false;
    begin_ = 0;
    end_ = *got;
  }
  if (absl::Status status = ReadExactly(header_, kHeaderBytes); !status.ok())
    return broken(std::move(status));
  absl::StatusOr<Header> read = rpc::ReadHeader(header_, kMostBodyBytes);
  if (!read.ok()) return broken(read.status());
  *header = *read;
  return true;
}

absl::Status Connection::ReadBody(const Header& header, char* out) {
  LATHE_RETURN_IF_ERROR(read_broken_);
  absl::Status status = ReadExactly(out, header.length);
  if (status.ok()) status = CheckBody(header_, std::string_view(out, header.length));
  return read_broken_ = std::move(status);
}

absl::Status Connection::SkipBody(const Header& header) {
  LATHE_RETURN_IF_ERROR(read_broken_);
  char part[4096];
  uint32_t sum = SumOfHeader(header_);
  for (size_t left = header.length; left > 0;) {
    const size_t size = std::min(left, sizeof(part));
    if (absl::Status status = ReadExactly(part, size); !status.ok())
      return read_broken_ = std::move(status);
    sum = Crc32c(sum, std::string_view(part, size));
    left -= size;
  }
  return read_broken_ = CheckSum(header_, sum);
}

absl::StatusOr<Frame> Connection::ReadFrame(const Header& header) {
  Frame frame{header.type, header.request, std::string(header.length, '\0')};
  LATHE_RETURN_IF_ERROR(ReadBody(header, frame.body.data()));
  return frame;
}

absl::Status Connection::WriteAll(std::span<iovec> pieces,
                                  const std::function<absl::Status()>& stalled) {
  LATHE_RETURN_IF_ERROR(write_broken_);
  while (!pieces.empty()) {
    absl::StatusOr<size_t> sent = transport_->Send(pieces);
    if (!sent.ok()) return write_broken_ = sent.status();
    if (*sent == 0) {
      // Half a frame is none: nothing that follows could be understood.
      if (absl::Status go_on = stalled(); !go_on.ok()) return write_broken_ = go_on;
      continue;
    }
    size_t left = *sent;
    while (!pieces.empty() && left >= pieces.front().iov_len) {
      left -= pieces.front().iov_len;
      pieces = pieces.subspan(1);
    }
    if (!pieces.empty()) {
      pieces.front().iov_base = static_cast<char*>(pieces.front().iov_base) + left;
      pieces.front().iov_len -= left;
    }
  }
  return absl::OkStatus();
}

absl::Status Connection::Write(std::string_view bytes,
                               const std::function<absl::Status()>& stalled) {
  iovec piece{const_cast<char*>(bytes.data()), bytes.size()};
  return WriteAll({&piece, 1}, stalled);
}

absl::StatusOr<size_t> Connection::WriteSome(std::string_view bytes) {
  LATHE_RETURN_IF_ERROR(write_broken_);
  const iovec piece{const_cast<char*>(bytes.data()), bytes.size()};
  absl::StatusOr<size_t> sent = transport_->Send({&piece, 1});
  if (!sent.ok()) write_broken_ = sent.status();
  return sent;
}

absl::StatusOr<uint64_t> Connection::WriteChunks(uint64_t request, std::string_view bytes,
                                                 const std::function<absl::Status()>& stalled,
                                                 const std::function<bool(uint64_t done)>& go_on) {
  uint64_t done = 0;
  while (!bytes.empty()) {
    const std::string_view chunk = bytes.substr(0, kMostChunkBytes);
    bytes.remove_prefix(chunk.size());
    char header[kHeaderBytes];
    PutHeader(Chunk::kType, request, chunk, header);
    iovec pieces[] = {{header, kHeaderBytes}, {const_cast<char*>(chunk.data()), chunk.size()}};
    LATHE_RETURN_IF_ERROR(WriteAll(pieces, stalled));
    done += chunk.size();
    if (go_on && !go_on(done)) break;
  }
  return done;
}

std::string Connection::DigestOfChunks(std::string_view bytes) {
  std::string digests;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kMostChunkBytes)))
    digests += DigestOf(bytes.substr(0, kMostChunkBytes)).ToString();
  return DigestOf(digests).ToString();
}

}  // namespace lathe::runtime::rpc

// Whatever a client sends to a worker: an answer or the connection's end, never a crash; memory
// that was not allocated is not touched.
//
// Input: messages: u16 type, u16 length, body. Their numbers are 1, 2, ...; a Chunk has that of the
// message before it.
#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "runtime/init.h"
#include "runtime/registry.h"
#include "runtime/rpc/service.h"
#include "runtime/session/loopback_session.h"

namespace {

using namespace lathe::runtime;  // NOLINT: a test

// What takes time or memory because it was asked for, or runs code that was sent.
bool Skipped(uint16_t type, std::string_view body) {
  if (type == rpc::Time::kType || type == rpc::Load::kType) return true;
  rpc::Alloc alloc;
  return type == rpc::Alloc::kType && Decode(body, &alloc).ok() && alloc.bytes > 1 << 16;
}

bool Prepare() {
  Initialize();
  RegisterGlobal("fuzz.same", Function::From([](const Args& args, Value* result) {
                   if (args.size() > 0) *result = args[0].ToValue();
                 }),
                 Override::kReplace, Exported::kYes)
      .IgnoreError();
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool prepared = Prepare();
  static_cast<void>(prepared);
  std::string_view input(reinterpret_cast<const char*>(data), size);
  std::string stream;
  uint64_t request = 0;
  while (input.size() >= 4 && stream.size() < 60000) {
    uint16_t type = 0, length = 0;
    std::memcpy(&type, input.data(), 2);
    std::memcpy(&length, input.data() + 2, 2);
    input.remove_prefix(4);
    const std::string_view body = input.substr(0, length);
    input.remove_prefix(body.size());
    if (Skipped(type, body)) continue;
    if (type != rpc::Chunk::kType) ++request;
    std::string frame(rpc::kHeaderBytes, '\0');
    rpc::PutHeader(type, request, body, frame.data());
    stream.append(frame).append(body);
  }
  auto [near, far] = *rpc::NewSocketPair();
  // Answers that nobody reads must not stop the worker: they fit here, or the end is an error.
  const int room = 1 << 20;
  setsockopt(far.get(), SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
  LATHE_CHECK(lathe::WriteAll(near.get(), stream).ok()) << "a pair of sockets takes 60 kB";
  shutdown(near.get(), SHUT_WR);
  rpc::Service service(*LoopbackSession::Open(), rpc::NewSocketTransport(std::move(far)));
  LATHE_CHECK(!service.Run().ok()) << "a service ends with a reason";
  return 0;
}

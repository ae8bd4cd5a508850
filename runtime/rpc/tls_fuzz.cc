// Whatever somebody puts into a connection under TLS: an error, or nothing; never bytes that the
// other side did not send, and never a crash.
//
// Input: u8 after how many flights of the handshake (bits 0 to 2), to which side (bit 3), and
// whether what follows replaces the flight or comes before it (bit 4); then bytes as they are.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "runtime/rpc/tls.h"

namespace {

namespace rpc = lathe::runtime::rpc;

constexpr std::string_view kSent = "what was sent";

// Feeds, and checks what can be read.
void Take(rpc::Tls& tls, std::string_view wire) {
  tls.Feed(wire);
  std::string text;
  for (;;) {
    char bytes[64];
    const absl::StatusOr<size_t> got = tls.Read(bytes, sizeof(bytes));
    if (!got.ok() || *got == 0) break;
    text.append(bytes, *got);
  }
  LATHE_CHECK(text.empty() || text == kSent) << "bytes that nobody sent";
  static_cast<void>(tls.wanted());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view strange(reinterpret_cast<const char*>(data) + 1, size - 1);
  const unsigned flights = data[0] & 7;
  const bool to_server = (data[0] & 8) != 0, replaces = (data[0] & 16) != 0;
  rpc::Tls client(rpc::TlsSide::kClient, {}), server(rpc::TlsSide::kServer, {});
  for (unsigned flight = 0; flight <= flights; ++flight) {
    rpc::Tls& from = flight % 2 == 0 ? client : server;
    rpc::Tls& to = flight % 2 == 0 ? server : client;
    // Once: what is read must be that, or nothing.
    if (flight == flights && from.ready()) from.Write(kSent).IgnoreError();
    const std::string wire = from.TakeOutput();
    const bool here = flight == flights && (&to == &server) == to_server;
    if (here) Take(to, strange);
    if (!here || !replaces) Take(to, wire);
  }
  return 0;
}

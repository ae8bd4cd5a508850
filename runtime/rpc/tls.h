// TLS 1.2 with a key that both sides have, over bytes that somebody else carries: no I/O.
//
// One cipher suite: ECDHE-PSK (X25519) with ChaCha20-Poly1305 (RFC 8442, RFC 7905). Who learns the
// key later cannot read what was recorded earlier. The library is mbedTLS; nothing outside tls.cc
// knows that.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/rpc/secret.h"

namespace lathe::runtime::rpc {

enum class TlsSide { kClient, kServer };

// One end of a connection. After an error it does nothing more, and gives that error again. Not
// thread-safe.
class Tls {
 public:
  // The client's first message is in the output at once.
  Tls(TlsSide side, const Secret& key);
  ~Tls();
  Tls(const Tls&) = delete;
  Tls& operator=(const Tls&) = delete;

  // Bytes of the other side, in any pieces.
  void Feed(std::string_view wire);
  // Goes on with the handshake, and takes the lock off what was fed: up to `size` bytes, 0 if there
  // are none so far. Fails with `rpc-tls`.
  absl::StatusOr<size_t> Read(char* out, size_t size);
  // Puts bytes under the lock. Only when it is ready. Fails with `rpc-tls`.
  absl::Status Write(std::string_view plain);
  // Tells the other side that nothing more comes under the lock.
  void End();
  // What is to be sent, also after an error: then it tells the other side.
  std::string TakeOutput();

  bool ready() const { return ready_; }  // the handshake is complete
  bool ended() const { return ended_; }  // the other side called End
  // How many bytes the record that has begun still needs, as far as is known. Who feeds no more
  // than that never has bytes of the next one.
  size_t wanted() const;
  // True if Read has something to take.
  bool waiting() const;
  // What was fed after the other side's end.
  std::string TakeRest();

 private:
  struct Library;
  absl::Status Fail(int code);
  int Give(unsigned char* out, size_t size);

  std::unique_ptr<Library> library_;
  std::string wire_, output_;
  size_t begin_ = 0;        // of `wire_`, taken
  size_t record_left_ = 0;  // of the record that is being taken
  bool ready_ = false, ended_ = false;
  absl::Status broken_;
};

}  // namespace lathe::runtime::rpc

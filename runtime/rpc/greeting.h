// The handshake that begins every control connection: versions, machines, and the proof of the
// secret. Both sides as state machines; servers, trackers and their clients share them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/rpc/codec.h"
#include "runtime/rpc/machine.h"
#include "runtime/rpc/secret.h"

namespace lathe::runtime::rpc {

// Whether a server may name its kind of device so: 1 to 255 characters, without spaces, quotes and
// backslashes.
bool IsKey(std::string_view key);
// For a key that another side sent: OK if it is empty or a key, else `rpc-key`. The error does not
// repeat it: it may be long.
absl::Status CheckKey(std::string_view key);

// Who connected, for the side that listens.
struct Peer {
  std::string address;     // for messages
  bool same_user = false;  // a process of this machine and of this user
};

// Whom the listening side takes.
struct DoorOptions {
  std::string key;               // the kind of device, for clients that ask for one; empty: none
  std::optional<Secret> secret;  // clients must prove that they have it
  bool insecure = false;         // without a secret, take anybody, not only this user's processes
  Machine machine;               // told to clients
  ProgramRole role = ProgramRole::kServer;  // a proxy takes clients for devices of any key
};

// What both sides said before the proofs, as these cover it: whoever changes a byte on the way, so
// that the sides do without a secret or take another version, is found.
std::string Transcript(std::string_view hello_body, std::string_view welcome_body);

// One connection, seen from the side that listens.
class Door {
 public:
  // `nonce`: 16 random bytes.
  Door(const DoorOptions& options, Peer peer, std::string nonce)
      : options_(options), peer_(std::move(peer)), server_nonce_(std::move(nonce)) {}

  // Takes Hello or Authenticate. The answer, as a frame; an error is the reason to refuse:
  // `rpc-version`, `rpc-machine`, `rpc-secret`, `rpc-no-device`, `rpc-malformed`, `rpc-unexpected`.
  absl::StatusOr<std::string> OnFrame(const Frame& frame);
  // True if the handshake is complete.
  bool open() const { return stage_ == Stage::kOpen; }
  // True before the first message.
  bool fresh() const { return stage_ == Stage::kNew; }
  const Peer& peer() const { return peer_; }
  // If there is a secret: for TLS, once the door is open.
  const std::optional<Secret>& key() const { return tls_key_; }

 private:
  enum class Stage { kNew, kAuthenticating, kOpen };
  absl::StatusOr<std::string> OnHello(const Frame& frame);
  absl::StatusOr<std::string> OnAuthenticate(const Frame& frame);

  const DoorOptions& options_;
  Peer peer_;
  std::string server_nonce_, transcript_;
  std::optional<Secret> tls_key_;
  Stage stage_ = Stage::kNew;
};

// One connection, seen from the side that connected.
class Greeting {
 public:
  // `nonce`: 16 random bytes. `key`: of the device that is asked for; empty for any.
  Greeting(std::optional<Secret> secret, std::string key, Machine machine, std::string nonce);

  // The first message.
  std::string Begin() const;
  // Takes Welcome or Authenticated. What is to be sent, which may be nothing; an error is
  // `rpc-secret`, `rpc-version`, `rpc-unexpected` or `rpc-malformed`.
  absl::StatusOr<std::string> OnFrame(const Frame& frame);
  bool done() const { return done_; }
  const Machine& server() const { return server_; }
  // What the other side is. If it is a proxy, another greeting, of the device, comes after Reach.
  ProgramRole role() const { return role_; }
  // OK if it is a `wanted`, or a proxy where a server is wanted; else `rpc-role`.
  absl::Status CheckRole(ProgramRole wanted) const;
  // If there is a secret: for TLS, once the greeting is done.
  const std::optional<Secret>& key() const { return tls_key_; }

 private:
  std::optional<Secret> secret_;
  std::string key_;
  Machine machine_, server_;
  std::string nonce_, hello_, transcript_;  // hello_: its body
  std::optional<Secret> tls_key_;
  bool welcomed_ = false, done_ = false;
  ProgramRole role_ = ProgramRole::kServer;
};

}  // namespace lathe::runtime::rpc

// The secret that client and server share, and proofs that a side has it. It never crosses the
// wire.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lathe::runtime::rpc {

// 32 random bytes. There are no passphrases: a secret cannot be guessed.
using Secret = std::array<uint8_t, 32>;

// HMAC-SHA256 (RFC 2104) over `text`.
std::string Hmac(const Secret& secret, std::string_view text);
// Takes the same time wherever the texts differ.
bool SameText(std::string_view a, std::string_view b);

// What each side proves: that it knew the secret when both had said what is in `greeting`, nonces
// among it.
std::string ClientProof(const Secret& secret, std::string_view greeting);
std::string ServerProof(const Secret& secret, std::string_view greeting);
// The key for TLS after that greeting.
Secret GreetingKey(const Secret& secret, std::string_view greeting);
// Of 32 bytes.
Secret SecretFrom(std::string_view bytes);

// From the system.
std::string RandomBytes(size_t size);

// A file holds 64 hexadecimal digits and a line's end.
//
// Fails with `rpc-secret-file` unless the file is a regular one of this user or root that nobody
// else may read or write, and holds a secret.
absl::StatusOr<Secret> ReadSecret(const std::string& path);
absl::StatusOr<Secret> ParseSecret(std::string_view text);
// Makes a new secret and its file, which only the user may read. Fails with `rpc-secret-file`
// and leaves no file then; never replaces a file.
absl::Status WriteNewSecret(const std::string& path);
// From the file that the environment names in LATHE_REMOTE_SECRET_FILE; none if it names none.
absl::StatusOr<std::optional<Secret>> SecretOfEnvironment();

}  // namespace lathe::runtime::rpc

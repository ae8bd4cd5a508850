#include "runtime/rpc/secret.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/error.h"
#include "base/file.h"
#include "mbedtls/md.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

constexpr size_t kDigits = 2 * sizeof(Secret);

absl::Status BadFile(const std::string& path, std::string_view problem) {
  return MakeStatus(absl::StatusCode::kFailedPrecondition, "rpc-secret-file",
                    {"the secret's file ", path, ": ", problem,
                     "\nexpected: 64 hexadecimal digits, in a file that only its owner may read "
                     "and write\nhelp: `lathe remote keygen FILE`, or `lathe-rpc-server --keygen "
                     "FILE`, makes one; copy it to each machine, and `chmod 600` it there"});
}

absl::Status NotMade(const std::string& path, std::string_view problem, std::string_view help) {
  return MakeStatus(absl::StatusCode::kFailedPrecondition, "rpc-secret-file",
                    {"the secret's file ", path, problem, "\nhelp: ", help});
}

std::string Digits(const Secret& secret) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  for (const uint8_t byte : secret) {
    text.push_back(kHex[byte >> 4]);
    text.push_back(kHex[byte & 15]);
  }
  return text;
}

int DigitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string Proof(const Secret& secret, std::string_view who, std::string_view greeting) {
  return Hmac(secret, std::string(who).append(greeting));
}

}  // namespace

std::string Hmac(const Secret& secret, std::string_view text) {
  std::string out(32, '\0');
  const int problem =
      mbedtls_md_hmac(mbedtls_md_info_from_type(MBEDTLS_MD_SHA256), secret.data(), secret.size(),
                      reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                      reinterpret_cast<unsigned char*>(out.data()));
  LATHE_CHECK(problem == 0) << "HMAC";
  return out;
}

bool SameText(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char different = 0;
  for (size_t i = 0; i < a.size(); ++i)
    different = static_cast<unsigned char>(different | (a[i] ^ b[i]));
  return different == 0;
}

std::string ClientProof(const Secret& secret, std::string_view greeting) {
  return Proof(secret, "lathe client", greeting);
}

std::string ServerProof(const Secret& secret, std::string_view greeting) {
  return Proof(secret, "lathe server", greeting);
}

Secret GreetingKey(const Secret& secret, std::string_view greeting) {
  return SecretFrom(Proof(secret, "lathe tls", greeting));
}

Secret SecretFrom(std::string_view bytes) {
  Secret secret;
  LATHE_CHECK(bytes.size() == secret.size()) << "the size of a secret";
  std::memcpy(secret.data(), bytes.data(), secret.size());
  return secret;
}

std::string RandomBytes(size_t size) {
  std::string bytes(size, '\0');
  for (size_t got = 0; got < size;) {
    const ssize_t more =
        Uninterrupted([&] { return getrandom(bytes.data() + got, size - got, 0); });
    LATHE_CHECK(more > 0) << "the system has no random bytes: " << std::strerror(errno);
    got += static_cast<size_t>(more);
  }
  return bytes;
}

absl::StatusOr<Secret> ParseSecret(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  Secret secret;
  bool good = text.size() == kDigits;
  for (size_t i = 0; good && i < secret.size(); ++i) {
    const int high = DigitOf(text[2 * i]), low = DigitOf(text[2 * i + 1]);
    good = high >= 0 && low >= 0;
    secret[i] = static_cast<uint8_t>(high << 4 | low);
  }
  if (good) return secret;
  return MakeStatus(absl::StatusCode::kInvalidArgument, "rpc-secret-file",
                    "a secret has 64 hexadecimal digits");
}

absl::StatusOr<Secret> ReadSecret(const std::string& path) {
  FileProblem problem;
  const FileHandle file = OpenFile(path, &problem);
  if (!problem.ok()) return BadFile(path, problem.text);
  struct stat state{};
  if (fstat(file.get(), &state) != 0) return BadFile(path, std::strerror(errno));
  if (state.st_uid != geteuid() && state.st_uid != 0) return BadFile(path, "another user owns it");
  // systemd gives a service its credentials in a folder that nobody else may enter; the files there
  // are root's, and some versions let a group read them (0440).
  const char* const credentials = secure_getenv("CREDENTIALS_DIRECTORY");
  const bool given = credentials != nullptr && state.st_uid == 0 &&
                     path.starts_with(std::string(credentials) + "/");
  if ((state.st_mode & (given ? 037 : 077)) != 0)
    return BadFile(path, "other users may read or write it");
  std::string text;
  problem = ReadFile(file, 1024, &text);
  if (!problem.ok()) return BadFile(path, problem.text);
  absl::StatusOr<Secret> secret = ParseSecret(text);
  if (!secret.ok()) return BadFile(path, "it holds no secret");
  return secret;
}

absl::Status WriteNewSecret(const std::string& path) {
  const Secret secret = SecretFrom(RandomBytes(sizeof(Secret)));
  const FileHandle file(Uninterrupted(
      [&] { return open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600); }));
  if (!file.is_open() && errno == EEXIST)
    return NotMade(path, " exists: it is not replaced", "name a new file, or remove it");
  if (!file.is_open())
    return NotMade(path, std::string(" cannot be made: ") + std::strerror(errno),
                   "name a file in a folder that exists, and that you may write to");
  const FileProblem problem = WriteAll(file.get(), Digits(secret) + "\n");
  if (problem.ok()) return absl::OkStatus();
  unlink(path.c_str());  // nobody takes a part of a secret for one
  return NotMade(path, " cannot be written: " + problem.text, "name a file on another disk");
}

absl::StatusOr<std::optional<Secret>> SecretOfEnvironment() {
  const char* const path = secure_getenv("LATHE_REMOTE_SECRET_FILE");
  if (path == nullptr || *path == '\0') return std::nullopt;
  return ReadSecret(path);
}

}  // namespace lathe::runtime::rpc

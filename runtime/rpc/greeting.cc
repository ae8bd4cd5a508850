#include "runtime/rpc/greeting.h"

#include <algorithm>
#include <utility>

#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

constexpr size_t kNonceBytes = 16;

absl::Status Denied(std::initializer_list<std::string_view> text) {
  return MakeStatus(absl::StatusCode::kPermissionDenied, "rpc-secret", text);
}

}  // namespace

bool IsKey(std::string_view key) {
  constexpr size_t kMostKeyBytes = 255;
  return !key.empty() && key.size() <= kMostKeyBytes &&
         std::all_of(key.begin(), key.end(),
                     [](unsigned char c) { return c > 32 && c != 127 && c != '"' && c != '\\'; });
}

std::string Transcript(std::string_view hello_body, std::string_view welcome_body) {
  std::string text;
  for (int shift = 0; shift < 32; shift += 8)
    text.push_back(static_cast<char>(hello_body.size() >> shift & 255));
  return text.append(hello_body).append(welcome_body);
}

absl::Status CheckKey(std::string_view key) {
  if (key.empty() || IsKey(key)) return absl::OkStatus();
  return MakeStatus(absl::StatusCode::kInvalidArgument, "rpc-key",
                    {"a device's key has at most 255 characters, without spaces, quotes and "
                     "backslashes; found one of ",
                     std::to_string(key.size()),
                     " bytes that is not so\nhelp: name the kind of "
                     "device as its server does (`lathe-rpc-server --key`)"});
}

absl::StatusOr<std::string> Door::OnFrame(const Frame& frame) {
  if (stage_ == Stage::kNew) return OnHello(frame);
  if (stage_ == Stage::kAuthenticating) return OnAuthenticate(frame);
  return Unexpected(frame, "another message");
}

absl::StatusOr<std::string> Door::OnHello(const Frame& frame) {
  Hello hello;
  LATHE_RETURN_IF_ERROR(DecodeFrame(frame, &hello));
  // Nobody is known yet: what is quoted of it is short.
  constexpr size_t kMostQuoted = 100;
  hello.machine.runtime.resize(std::min(hello.machine.runtime.size(), kMostQuoted));
  hello.machine.target.resize(std::min(hello.machine.target.size(), kMostQuoted));
  if (hello.least > kNewestVersion || hello.most < kOldestVersion)
    return MakeStatus(
        absl::StatusCode::kFailedPrecondition, "rpc-version",
        {"the client speaks versions ", std::to_string(hello.least), " to ",
         std::to_string(hello.most), " of the protocol, the server ",
         std::to_string(kOldestVersion), " to ", std::to_string(kNewestVersion), "\nfound: client ",
         hello.machine.runtime, ", server ", options_.machine.runtime});
  if (hello.machine.little_endian != 1)
    return MakeStatus(absl::StatusCode::kFailedPrecondition, "rpc-machine",
                      {"the client's machine, ", hello.machine.target,
                       ", stores numbers in another order of bytes than the protocol"});
  if (hello.nonce.size() != kNonceBytes)
    return MakeStatus(absl::StatusCode::kInvalidArgument, "rpc-malformed",
                      "Hello has a nonce of another size than 16 bytes");
  LATHE_RETURN_IF_ERROR(CheckKey(hello.key.value_or("")));
  if (!options_.secret && !options_.insecure && !peer_.same_user)
    return Denied(
        {"the server has no secret, so it takes only processes of its own user on its "
         "own machine; you are ",
         peer_.address,
         "\nhelp: start it with --secret-file, and give the client the same secret"});
  if (options_.role != ProgramRole::kProxy && !hello.key.value_or("").empty() &&
      *hello.key != options_.key)
    return MakeStatus(absl::StatusCode::kNotFound, "rpc-no-device",
                      {"the client asks for a device with the key `", *hello.key,
                       "`; the server's key is `", options_.key, "`"});
  Welcome welcome;
  welcome.version = std::min<uint64_t>(hello.most, kNewestVersion);
  welcome.nonce = server_nonce_;
  welcome.machine = options_.machine;
  welcome.key = options_.key;
  welcome.secret = options_.secret ? 1 : 0;
  if (options_.role != ProgramRole::kServer) welcome.role = static_cast<uint64_t>(options_.role);
  stage_ = options_.secret ? Stage::kAuthenticating : Stage::kOpen;
  std::string answer = EncodeFrame(welcome);
  transcript_ = Transcript(frame.body, std::string_view(answer).substr(kHeaderBytes));
  return answer;
}

absl::StatusOr<std::string> Door::OnAuthenticate(const Frame& frame) {
  Authenticate authenticate;
  LATHE_RETURN_IF_ERROR(DecodeFrame(frame, &authenticate));
  if (!SameText(authenticate.proof, ClientProof(*options_.secret, transcript_)))
    return Denied({"the client has another secret than the server"});
  stage_ = Stage::kOpen;
  tls_key_ = GreetingKey(*options_.secret, transcript_);
  return EncodeFrame(Authenticated{ServerProof(*options_.secret, transcript_)});
}

Greeting::Greeting(std::optional<Secret> secret, std::string key, Machine machine,
                   std::string nonce)
    : secret_(secret),
      key_(std::move(key)),
      machine_(std::move(machine)),
      nonce_(std::move(nonce)) {
  Hello hello;
  hello.least = kOldestVersion;
  hello.most = kNewestVersion;
  hello.nonce = nonce_;
  hello.machine = machine_;
  if (!key_.empty()) hello.key = key_;
  Encode(hello, &hello_);
}

std::string Greeting::Begin() const {
  std::string frame(kHeaderBytes, '\0');
  PutHeader(Hello::kType, 0, hello_, frame.data());
  return frame + hello_;
}

absl::StatusOr<std::string> Greeting::OnFrame(const Frame& frame) {
  if (welcomed_) {
    Authenticated proof;
    LATHE_RETURN_IF_ERROR(DecodeFrame(frame, &proof));
    if (done_) return Unexpected(frame, "another message");
    if (!SameText(proof.proof, ServerProof(*secret_, transcript_)))
      return Denied({"the server has another secret than this client"});
    done_ = true;
    tls_key_ = GreetingKey(*secret_, transcript_);
    return std::string();
  }
  Welcome welcome;
  LATHE_RETURN_IF_ERROR(DecodeFrame(frame, &welcome));
  if (welcome.version < kOldestVersion || welcome.version > kNewestVersion)
    return MakeStatus(absl::StatusCode::kFailedPrecondition, "rpc-version",
                      {"the server chose version ", std::to_string(welcome.version),
                       " of the protocol, the client speaks ", std::to_string(kOldestVersion),
                       " to ", std::to_string(kNewestVersion), "\nfound: client ", machine_.runtime,
                       ", server ", welcome.machine.runtime});
  if (welcome.nonce.size() != kNonceBytes)
    return MakeStatus(absl::StatusCode::kInvalidArgument, "rpc-malformed",
                      "Welcome has a nonce of another size than 16 bytes");
  server_ = welcome.machine;
  transcript_ = Transcript(hello_, frame.body);
  if (welcome.secret != 0 && !secret_)
    return Denied(
        {"the server asks for a secret, and this client has none\nhelp: name its file in "
         "LATHE_REMOTE_SECRET_FILE; `lathe remote keygen FILE`, or `lathe-rpc-server --keygen "
         "FILE`, makes one"});
  if (secret_ && welcome.secret == 0)
    return Denied(
        {"this client has a secret, and the server does not ask for it, so it may be "
         "another server than you think\nhelp: start the server with --secret-file, or "
         "the client without a secret"});
  welcomed_ = true;
  const uint64_t role = welcome.role.value_or(0);
  if (role > static_cast<uint64_t>(ProgramRole::kTracker))
    return MakeStatus(absl::StatusCode::kInvalidArgument, "rpc-malformed",
                      "Welcome has a role that is not known here");
  role_ = static_cast<ProgramRole>(role);
  if (welcome.secret != 0) return EncodeFrame(Authenticate{ClientProof(*secret_, transcript_)});
  done_ = true;
  return std::string();
}

absl::Status Greeting::CheckRole(ProgramRole wanted) const {
  if (role_ == wanted || (wanted == ProgramRole::kServer && role_ == ProgramRole::kProxy))
    return absl::OkStatus();
  static constexpr std::string_view kNames[] = {"a server", "a proxy", "a tracker"};
  static constexpr std::string_view kUse[] = {
      "a server is used with `rpc.connect(host, port)` or `lathe remote run --host HOST:PORT`",
      "devices behind a proxy are used with `rpc.connect(host, port, key)` or `lathe remote run "
      "--host HOST:PORT --key KEY`",
      "a tracker is asked with `rpc.connect_tracker(host, port).request(key)` or `lathe remote run "
      "--tracker HOST:PORT --key KEY`"};
  const auto found = static_cast<size_t>(role_), expected = static_cast<size_t>(wanted);
  return MakeStatus(
      absl::StatusCode::kFailedPrecondition, "rpc-role",
      {"another program listens there\nexpected: ", kNames[expected],
       wanted == ProgramRole::kServer ? " or a proxy" : "", "\nfound: ", kNames[found],
       "\nhelp: give the address of ", kNames[expected], "; ", kUse[found]});
}

}  // namespace lathe::runtime::rpc

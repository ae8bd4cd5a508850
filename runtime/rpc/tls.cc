#include "runtime/rpc/tls.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "mbedtls/ssl.h"
#include "mbedtls/ssl_ciphersuites.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

constexpr size_t kHeader = 5;  // of a record: kind, version, length
constexpr size_t kMostRecord = 16384 + 256;
constexpr int kSuites[] = {MBEDTLS_TLS_ECDHE_PSK_WITH_CHACHA20_POLY1305_SHA256, 0};
constexpr mbedtls_ecp_group_id kCurves[] = {MBEDTLS_ECP_DP_CURVE25519, MBEDTLS_ECP_DP_NONE};
// Which key is meant: there is one.
constexpr std::string_view kKeyName = "lathe";

int GiveRandom(void*, unsigned char* out, size_t size) {
  const std::string bytes = RandomBytes(size);
  std::memcpy(out, bytes.data(), size);
  return 0;
}

std::string Reason(int code) {
  switch (code) {
    case MBEDTLS_ERR_SSL_INVALID_MAC:
      return "a record is not as it was sent, or the other side has another key";
    case MBEDTLS_ERR_SSL_INVALID_RECORD:
      return "what arrived is no record of TLS 1.2";
    case MBEDTLS_ERR_SSL_FATAL_ALERT_MESSAGE:
      return "the other side found a record that is not as it was sent, or has another key";
    default:
      char text[48];
      std::snprintf(text, sizeof(text), "error -0x%04x of the TLS library",
                    static_cast<unsigned>(-code));
      return text;
  }
}

}  // namespace

struct Tls::Library {
  mbedtls_ssl_config config;
  mbedtls_ssl_context context;

  Library() {
    mbedtls_ssl_config_init(&config);
    mbedtls_ssl_init(&context);
  }
  ~Library() {
    mbedtls_ssl_free(&context);
    mbedtls_ssl_config_free(&config);
  }
};

Tls::Tls(TlsSide side, const Secret& key) : library_(std::make_unique<Library>()) {
  mbedtls_ssl_config& config = library_->config;
  // Not mbedtls_ssl_config_defaults, which allows more.
  config.endpoint = side == TlsSide::kClient ? MBEDTLS_SSL_IS_CLIENT : MBEDTLS_SSL_IS_SERVER;
  config.transport = MBEDTLS_SSL_TRANSPORT_STREAM;
  config.extended_ms = MBEDTLS_SSL_EXTENDED_MS_ENABLED;
  mbedtls_ssl_conf_min_version(&config, MBEDTLS_SSL_MAJOR_VERSION_3, MBEDTLS_SSL_MINOR_VERSION_3);
  mbedtls_ssl_conf_max_version(&config, MBEDTLS_SSL_MAJOR_VERSION_3, MBEDTLS_SSL_MINOR_VERSION_3);
  mbedtls_ssl_conf_ciphersuites(&config, kSuites);
  mbedtls_ssl_conf_curves(&config, kCurves);
  mbedtls_ssl_conf_rng(&config, GiveRandom, nullptr);
  const int keyed = mbedtls_ssl_conf_psk(&config, key.data(), key.size(),
                                         reinterpret_cast<const unsigned char*>(kKeyName.data()),
                                         kKeyName.size());
  LATHE_CHECK(keyed == 0) << "TLS: the key";
  LATHE_CHECK(mbedtls_ssl_setup(&library_->context, &config) == 0) << "TLS: out of memory";
  mbedtls_ssl_set_bio(
      &library_->context, this,
      [](void* self, const unsigned char* bytes, size_t size) {
        static_cast<Tls*>(self)->output_.append(reinterpret_cast<const char*>(bytes), size);
        return static_cast<int>(size);
      },
      [](void* self, unsigned char* out, size_t size) {
        return static_cast<Tls*>(self)->Give(out, size);
      },
      nullptr);
  if (side == TlsSide::kClient) Read(nullptr, 0).IgnoreError();
}

Tls::~Tls() = default;

void Tls::Feed(std::string_view wire) {
  // In a long transfer the last record is hardly ever whole: what was taken must go nevertheless.
  if (begin_ == wire_.size() || begin_ > kMostRecord) {
    wire_.erase(0, begin_);
    begin_ = 0;
  }
  wire_.append(wire);
}

size_t Tls::wanted() const {
  const size_t there = wire_.size() - begin_;
  if (there < kHeader) return kHeader - there;
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(wire_[begin_ + i]); };
  const size_t record = kHeader + static_cast<size_t>(byte(3) << 8 | byte(4));
  return record > there ? record - there : 0;
}

bool Tls::waiting() const {
  const bool whole = wire_.size() - begin_ >= kHeader && wanted() == 0;
  return whole || (ready_ && mbedtls_ssl_get_bytes_avail(&library_->context) > 0);
}

// The library gets whole records only, so that what follows the last one stays here.
int Tls::Give(unsigned char* out, size_t size) {
  if (record_left_ == 0) {
    const size_t there = wire_.size() - begin_;
    if (there < kHeader) return MBEDTLS_ERR_SSL_WANT_READ;
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(wire_[begin_ + i]); };
    const size_t length = static_cast<size_t>(byte(3) << 8 | byte(4));
    // Stricter than the library, which takes older versions before the handshake's end.
    if (byte(0) < MBEDTLS_SSL_MSG_CHANGE_CIPHER_SPEC ||
        byte(0) > MBEDTLS_SSL_MSG_APPLICATION_DATA || byte(1) != 3 || byte(2) != 3 || length == 0 ||
        length > kMostRecord)
      return MBEDTLS_ERR_SSL_INVALID_RECORD;
    if (there < kHeader + length) return MBEDTLS_ERR_SSL_WANT_READ;
    record_left_ = kHeader + length;
  }
  const size_t take = std::min(size, record_left_);
  std::memcpy(out, wire_.data() + begin_, take);
  begin_ += take;
  record_left_ -= take;
  return static_cast<int>(take);
}

absl::Status Tls::Fail(int code) {
  // So that the other side need not wait. The library says only some of its reasons itself.
  if (code != MBEDTLS_ERR_SSL_FATAL_ALERT_MESSAGE)
    mbedtls_ssl_send_alert_message(&library_->context, MBEDTLS_SSL_ALERT_LEVEL_FATAL,
                                   MBEDTLS_SSL_ALERT_MSG_BAD_RECORD_MAC);
  const std::string_view when = ready_ ? "" : " while it was set up";
  broken_ = MakeStatus(
      absl::StatusCode::kDataLoss, "rpc-tls",
      {"the protected connection broke", when, ": ", Reason(code),
       "\nhelp: is somebody, or a device, between the two sides that changes what they send?"});
  return broken_;
}

absl::StatusOr<size_t> Tls::Read(char* out, size_t size) {
  LATHE_RETURN_IF_ERROR(broken_);
  if (ended_) return size_t{0};
  mbedtls_ssl_context* const context = &library_->context;
  if (!ready_) {
    const int code = mbedtls_ssl_handshake(context);
    if (code == MBEDTLS_ERR_SSL_WANT_READ) return size_t{0};
    if (code != 0) return Fail(code);
    ready_ = true;
  }
  size_t got = 0;
  while (got < size) {
    const int code =
        mbedtls_ssl_read(context, reinterpret_cast<unsigned char*>(out) + got, size - got);
    if (code > 0) {
      got += static_cast<size_t>(code);
    } else if (code == MBEDTLS_ERR_SSL_WANT_READ) {
      break;
    } else if (code == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY) {
      ended_ = true;
      break;
    } else {
      Fail(code == 0 ? MBEDTLS_ERR_SSL_INVALID_RECORD : code).IgnoreError();
      // What came before is good.
      if (got > 0) break;
      return broken_;
    }
  }
  return got;
}

absl::Status Tls::Write(std::string_view plain) {
  LATHE_RETURN_IF_ERROR(broken_);
  LATHE_CHECK(ready_) << "TLS: bytes before the handshake's end";
  while (!plain.empty()) {
    const int code = mbedtls_ssl_write(
        &library_->context, reinterpret_cast<const unsigned char*>(plain.data()), plain.size());
    if (code <= 0) return Fail(code);
    plain.remove_prefix(static_cast<size_t>(code));
  }
  return absl::OkStatus();
}

void Tls::End() {
  // It takes no answer, and cannot fail: the output has room.
  if (ready_ && broken_.ok()) mbedtls_ssl_close_notify(&library_->context);
}

std::string Tls::TakeOutput() { return std::exchange(output_, {}); }

std::string Tls::TakeRest() {
  std::string rest = wire_.substr(begin_);
  wire_.clear();
  begin_ = 0;
  return rest;
}

}  // namespace lathe::runtime::rpc

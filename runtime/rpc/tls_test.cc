// TLS between two ends in memory: what is changed, cut off or meant for another key is an error.
#include "runtime/rpc/tls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "mbedtls/chachapoly.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

Secret KeyOf(uint8_t first) {
  Secret key{};
  key[0] = first;
  return key;
}

// One end, and what it has read.
struct End {
  explicit End(TlsSide side, Secret key = KeyOf(1)) : tls(side, key) {}

  // Fails with the end's error.
  absl::Status Take(std::string_view wire) {
    tls.Feed(wire);
    for (;;) {
      char bytes[1000];
      const absl::StatusOr<size_t> got = tls.Read(bytes, sizeof(bytes));
      if (!got.ok() || *got == 0) return got.status();
      text.append(bytes, *got);
    }
  }
  Tls tls;
  std::string text;
};

struct Pair {
  explicit Pair(Secret server_key = KeyOf(1)) : server(TlsSide::kServer, server_key) {}
  End client{TlsSide::kClient}, server;

  // Passes bytes until there are none. `change` sees each flight, and the number of it.
  template <class Change>
  absl::Status Talk(const Change& change) {
    for (int flight = 0;; ++flight) {
      const bool from_client = flight % 2 == 0;
      std::string wire = (from_client ? client : server).tls.TakeOutput();
      if (wire.empty() && flight > 0) return absl::OkStatus();
      change(flight, &wire);
      LATHE_RETURN_IF_ERROR((from_client ? server : client).Take(wire));
    }
  }
  absl::Status Talk() {
    return Talk([](int, std::string*) {});
  }
};

TEST(Mbedtls, ChaChaPolyIsRfc8439) {
  // Section 2.8.2.
  const std::string plain =
      "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, "
      "sunscreen would be it.";
  unsigned char key[32], nonce[12] = {7, 0, 0, 0, 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47};
  for (int i = 0; i < 32; ++i) key[i] = static_cast<unsigned char>(0x80 + i);
  const unsigned char more[] = {0x50, 0x51, 0x52, 0x53, 0xc0, 0xc1,
                                0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7};
  const unsigned char expected[16] = {0x1a, 0xe1, 0x0b, 0x59, 0x4f, 0x09, 0xe2, 0x6a,
                                      0x7e, 0x90, 0x2e, 0xcb, 0xd0, 0x60, 0x06, 0x91};
  unsigned char tag[16];
  std::string secret(plain.size(), '\0');
  auto* const out = reinterpret_cast<unsigned char*>(secret.data());
  mbedtls_chachapoly_context context;
  mbedtls_chachapoly_init(&context);
  ASSERT_EQ(mbedtls_chachapoly_setkey(&context, key), 0);
  ASSERT_EQ(mbedtls_chachapoly_encrypt_and_tag(&context, plain.size(), nonce, more, sizeof(more),
                                               reinterpret_cast<const unsigned char*>(plain.data()),
                                               out, tag),
            0);
  EXPECT_TRUE(std::equal(tag, tag + 16, expected));
  EXPECT_EQ(mbedtls_chachapoly_auth_decrypt(&context, secret.size(), nonce, more, sizeof(more), tag,
                                            out, out),
            0);
  EXPECT_EQ(secret, plain);
  mbedtls_chachapoly_free(&context);
}

TEST(Tls, CarriesBytesBothWays) {
  Pair pair;
  ASSERT_TRUE(pair.Talk().ok());
  ASSERT_TRUE(pair.client.tls.ready() && pair.server.tls.ready());
  const std::string large(100000, 'x');
  ASSERT_TRUE(pair.client.tls.Write("to the server" + large).ok());
  ASSERT_TRUE(pair.server.tls.Write("to the client").ok());
  const std::string wire = pair.client.tls.TakeOutput();
  EXPECT_EQ(wire.find("to the server"), std::string::npos);
  EXPECT_EQ(wire.find("xxxxxxxx"), std::string::npos);
  ASSERT_TRUE(pair.server.Take(wire).ok());
  ASSERT_TRUE(pair.client.Take(pair.server.tls.TakeOutput()).ok());
  EXPECT_EQ(pair.server.text, "to the server" + large);
  EXPECT_EQ(pair.client.text, "to the client");
}

TEST(Tls, AnotherKeyIsRefusedByBoth) {
  Pair pair(KeyOf(2));
  EXPECT_EQ(StatusName(pair.Talk()), "rpc-tls");
  EXPECT_FALSE(pair.server.tls.ready());
  // The server says so.
  EXPECT_EQ(StatusName(pair.client.Take(pair.server.tls.TakeOutput())), "rpc-tls");
  EXPECT_FALSE(pair.client.tls.ready());
}

TEST(Tls, BytesComeInAnyPieces) {
  std::minstd_rand random(7);
  for (int i = 0; i < 200; ++i) {
    SCOPED_TRACE(i);
    Pair pair;
    const auto pass = [&](Tls& from, End& to) {
      const std::string wire = from.TakeOutput();
      for (size_t at = 0; at < wire.size();) {
        const size_t size = random() % 3 == 0 ? 1 : 1 + random() % 700;
        ASSERT_TRUE(to.Take(std::string_view(wire).substr(at, size)).ok());
        at += size;
      }
    };
    for (int flight = 0; flight < 4; ++flight) {
      pass(pair.client.tls, pair.server);
      pass(pair.server.tls, pair.client);
    }
    ASSERT_TRUE(pair.client.tls.ready() && pair.server.tls.ready());
    ASSERT_TRUE(pair.client.tls.Write(std::string(20000, 'a')).ok());
    ASSERT_TRUE(pair.server.tls.Write("b").ok());
    pass(pair.client.tls, pair.server);
    pass(pair.server.tls, pair.client);
    EXPECT_EQ(pair.server.text, std::string(20000, 'a'));
    EXPECT_EQ(pair.client.text, "b");
  }
}

// Where the records of a flight begin.
std::vector<size_t> Records(const std::string& wire) {
  std::vector<size_t> begins;
  for (size_t at = 0; at < wire.size();) {
    begins.push_back(at);
    at += 5 + static_cast<size_t>(static_cast<unsigned char>(wire[at + 3]) << 8 |
                                  static_cast<unsigned char>(wire[at + 4]));
  }
  return begins;
}

// Each kind of byte of each record of the handshake: no end is ready that has read something else
// than the other one sent.
TEST(Tls, AChangedHandshakeIsRefused) {
  std::vector<std::string> flights;
  ASSERT_TRUE(Pair().Talk([&](int, std::string* wire) { flights.push_back(*wire); }).ok());
  ASSERT_GE(flights.size(), 4u);
  int changes = 0;
  for (size_t changed = 0; changed < 4; ++changed) {
    const std::vector<size_t> records = Records(flights[changed]);
    for (size_t i = 0; i < records.size(); ++i) {
      const size_t end = i + 1 < records.size() ? records[i + 1] : flights[changed].size();
      for (size_t at = records[i]; at < end; at += at < records[i] + 12 ? 1 : 11) {
        SCOPED_TRACE(std::to_string(changed) + ": byte " + std::to_string(at));
        ++changes;
        Pair pair;
        const absl::Status end_status = pair.Talk([&](int flight, std::string* wire) {
          if (static_cast<size_t>(flight) == changed) (*wire)[at] ^= 0x10;
        });
        // A length that grew waits for bytes that never come.
        if (!end_status.ok()) EXPECT_EQ(StatusName(end_status), "rpc-tls");
        EXPECT_FALSE(pair.client.tls.ready() && pair.server.tls.ready());
      }
    }
  }
  EXPECT_GT(changes, 50);
}

TEST(Tls, AChangedRecordIsRefused) {
  const auto read = [](auto change) {
    Pair pair;
    EXPECT_TRUE(pair.Talk().ok());
    EXPECT_TRUE(pair.client.tls.Write("first").ok());
    const std::string first = pair.client.tls.TakeOutput();
    EXPECT_TRUE(pair.client.tls.Write("second").ok());
    const std::string second = pair.client.tls.TakeOutput();
    const absl::Status end = pair.server.Take(change(first, second));
    // And it stays so, whatever comes.
    if (!end.ok()) EXPECT_FALSE(pair.server.Take(first + second).ok());
    return std::pair(pair.server.text, std::string(StatusName(end)));
  };
  using Read = std::pair<std::string, std::string>;
  using Text = const std::string&;
  EXPECT_EQ(read([](Text a, Text b) { return a + b; }), Read("firstsecond", ""));
  EXPECT_EQ(read([](Text a, Text b) { return b + a; }), Read("", "rpc-tls"));
  EXPECT_EQ(read([](Text a, Text) { return a + a; }).first, "first");
  EXPECT_EQ(read([](Text, Text b) { return b; }), Read("", "rpc-tls"));
  EXPECT_EQ(read([](Text, Text) { return std::string("GET / HTTP/1.1"); }), Read("", "rpc-tls"));
  for (size_t at = 0; at < 5 + 5 + 16 + 8; ++at) {
    SCOPED_TRACE(at);
    const Read got = read([&](std::string a, Text b) {
      if (at < a.size()) a[at] = static_cast<char>(a[at] ^ 1);
      return at < a.size() ? a + b : a + b.substr(0, 3);
    });
    const bool changed = at < 5 + 5 + 16;
    EXPECT_EQ(got.first, changed ? "" : "first");
    EXPECT_TRUE(!changed || got.second == "rpc-tls" || got.second.empty()) << got.second;
  }
}

// An end that is cut off anywhere gives what came whole, and no word that it is complete.
TEST(Tls, CutOffIsNoEnd) {
  Pair pair;
  ASSERT_TRUE(pair.Talk().ok());
  ASSERT_TRUE(pair.client.tls.Write("all").ok());
  pair.client.tls.End();
  const std::string wire = pair.client.tls.TakeOutput();
  ASSERT_TRUE(pair.server.Take(std::string_view(wire).substr(0, wire.size() - 1)).ok());
  EXPECT_EQ(pair.server.text, "all");
  EXPECT_FALSE(pair.server.tls.ended());
  EXPECT_EQ(pair.server.tls.wanted(), 1u);
  ASSERT_TRUE(pair.server.Take(wire.substr(wire.size() - 1) + "not under TLS").ok());
  EXPECT_TRUE(pair.server.tls.ended());
  EXPECT_EQ(pair.server.tls.TakeRest(), "not under TLS");
}

}  // namespace
}  // namespace lathe::runtime::rpc

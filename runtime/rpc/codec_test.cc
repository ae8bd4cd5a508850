#include "runtime/rpc/codec.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "runtime/rpc/crc32c.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

std::string Hex(std::string_view bytes) {
  std::string text;
  char digits[3];
  for (const char byte : bytes) {
    std::snprintf(digits, sizeof(digits), "%02x", static_cast<unsigned char>(byte));
    text += digits;
  }
  return text;
}

template <class Message>
std::string NameOf(std::string_view bytes) {
  Message message;
  return std::string(StatusName(Decode(bytes, &message)));
}

Call SomeCall() {
  Call call;
  call.function = 7;
  Item tensor;
  tensor.kind = static_cast<uint64_t>(ItemKind::kTensor);
  tensor.view = View{3, 1, 0, 64, 0x12002, {2, 3}, {}, 0};
  Item list;
  list.kind = static_cast<uint64_t>(ItemKind::kList);
  list.items = {tensor};
  call.arguments = {tensor, list, Item{}};
  return call;
}

TEST(Codec, ChecksumOfTheStandard) {
  EXPECT_EQ(Crc32c(0, "123456789"), 0xe3069283u);
  EXPECT_EQ(Crc32c(0, std::string(32, '\0')), 0x8a9136aau);  // RFC 3720, B.4
  std::mt19937 random(1);
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(Crc32c(7, bytes), Crc32cByTables(7, bytes));
    EXPECT_EQ(Crc32c(Crc32c(0, bytes), "more"), Crc32c(0, bytes + "more"));
    bytes.push_back(static_cast<char>(random()));
  }
  // Where the way by the processor's instruction changes.
  while (bytes.size() < 30000) bytes.push_back(static_cast<char>(random()));
  for (const size_t size : {12287, 12288, 12289, 12299, 24575, 24576, 24577, 29999}) {
    const std::string_view part = std::string_view(bytes).substr(1, size);
    EXPECT_EQ(Crc32c(5, part), Crc32cByTables(5, part)) << size;
  }
}

// What version 1 sends, for good: an old client must be understood.
TEST(Codec, BytesOfVersion1) {
  EXPECT_EQ(Hex(EncodeFrame(Heartbeat{258}, 3)),
            "4c525043"  // LRPC
            "0100"
            "0800"              // version, Heartbeat
            "0000000000000000"  // flags, stream
            "0300000000000000"  // request
            "0e000000"          // length
            "2f7873f5"          // checksum
            "0100"
            "08000000"
            "0201000000000000");
  std::string body;
  Encode(Fill{1, 2, 3, 4, 5, 6, 1, 0}, &body);
  EXPECT_EQ(body.size(), 8u * 14);
  body.clear();
  Encode(Release{{1, -1}}, &body);
  EXPECT_EQ(Hex(body),
            "0100"
            "10000000"
            "0100000000000000"
            "ffffffffffffffff");
}

// The table of messages, a line for each message, part and field.
std::vector<std::string> Table() {
  return {
#define LATHE_PART(Name, doc) "part " #Name,
#define LATHE_MESSAGE(Name, number, doc) "message " #Name " " #number,
#define LATHE_FIELD(Name, tag, type, name, doc) "field " #Name " " #tag " " #type " " #name,
#define LATHE_END(Name)
#include "runtime/rpc/messages.def"
#undef LATHE_PART
#undef LATHE_MESSAGE
#undef LATHE_FIELD
#undef LATHE_END
  };
}

// What version 1 has stays: no number, tag, type or name changes, and none goes. What is added must
// be optional or a list, since an old side does not send it.
TEST(Codec, TheTableOfVersion1) {
  const std::vector<std::string> now = Table();
  std::set<std::string> added(now.begin(), now.end());
  std::ifstream golden("runtime/rpc/testdata/version_1.txt");
  int lines = 0;
  for (std::string line; std::getline(golden, line); ++lines)
    EXPECT_EQ(added.erase(line), 1u) << "version 1 has `" << line << "`";
  EXPECT_GT(lines, 200) << "the file is missing";
  for (const std::string& line : added) {
    if (line.rfind("field ", 0) != 0) continue;
    EXPECT_TRUE(line.find(" std::optional<") != std::string::npos ||
                line.find(" std::vector<") != std::string::npos ||
                line.find(" Numbers ") != std::string::npos ||
                line.find(" Samples ") != std::string::npos ||
                added.count("message " + line.substr(6, line.find(' ', 6) - 6)) != 0)
        << line;
  }
}

TEST(Codec, WhatIsWrittenIsRead) {
  std::string body;
  Encode(SomeCall(), &body);
  Call call;
  ASSERT_TRUE(Decode(body, &call).ok());
  EXPECT_EQ(call.function, 7u);
  ASSERT_EQ(call.arguments.size(), 3u);
  EXPECT_EQ(call.arguments[0].view->shape, (Numbers{2, 3}));
  EXPECT_EQ(call.arguments[1].items[0].view->offset, 64u);
  EXPECT_FALSE(call.arguments[2].integer.has_value());
  std::string again;
  Encode(call, &again);
  EXPECT_EQ(again, body);
}

TEST(Codec, FieldsThatAreNotKnown) {
  std::string body;
  Encode(Heartbeat{5}, &body);
  const std::string later(
      "\x09\x00\x03\x00\x00\x00"
      "abc",
      9);
  const std::string critical("\x09\x80\x00\x00\x00\x00", 6);
  EXPECT_EQ(NameOf<Heartbeat>(body), "");
  EXPECT_EQ(NameOf<Heartbeat>(later + body), "");
  EXPECT_EQ(NameOf<Heartbeat>(body + critical), "rpc-malformed");
}

TEST(Codec, WhatIsNoMessage) {
  std::string body;
  Encode(Heartbeat{5}, &body);
  EXPECT_EQ(NameOf<Heartbeat>(""), "rpc-malformed");  // the field is missing
  EXPECT_EQ(NameOf<Heartbeat>(body + body), "rpc-malformed");
  EXPECT_EQ(NameOf<Heartbeat>(body.substr(0, 9)), "rpc-malformed");
  EXPECT_EQ(NameOf<Heartbeat>(body.substr(0, 3)), "rpc-malformed");
  body[2] = 7;  // a number of 7 bytes
  EXPECT_EQ(NameOf<Heartbeat>(body.substr(0, 13)), "rpc-malformed");
  // Lists within lists within lists...
  Item item;
  for (int depth = 0; depth < 6; ++depth) {
    Item outer;
    outer.kind = static_cast<uint64_t>(ItemKind::kList);
    outer.items = {item};
    item = outer;
  }
  body.clear();
  Encode(Result{item}, &body);
  EXPECT_EQ(NameOf<Result>(body), "rpc-malformed");
}

TEST(Codec, EveryBitOfAFrameCounts) {
  const std::string frame = EncodeFrame(SomeCall(), 9);
  for (size_t bit = 0; bit < 8 * frame.size(); ++bit) {
    std::string bad = frame;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    FrameReader reader(kMostBodyBytes);
    reader.Feed(bad);
    const auto next = reader.Next();
    // A longer body is waited for.
    EXPECT_TRUE(!next.ok() || !next->has_value()) << bit;
  }
}

TEST(Codec, FramesInPieces) {
  std::string stream;
  for (uint64_t i = 0; i < 1000; ++i) stream += EncodeFrame(Heartbeat{i}, i);
  std::mt19937 random(1);
  FrameReader reader(kMostControlBytes);
  uint64_t next = 0;
  for (size_t at = 0; at < stream.size();) {
    const size_t size = std::min<size_t>(random() % 100, stream.size() - at);
    reader.Feed(std::string_view(stream).substr(at, size));
    at += size;
    for (auto frame = *reader.Next(); frame.has_value(); frame = *reader.Next()) {
      Heartbeat beat;
      ASSERT_TRUE(DecodeFrame(*frame, &beat).ok());
      ASSERT_EQ(beat.number, next++);
    }
  }
  EXPECT_EQ(next, 1000u);
  EXPECT_EQ(reader.waiting(), 0u);
}

TEST(Codec, FramesThatAreRefused) {
  const auto name = [](std::string frame, size_t most = kMostBodyBytes) {
    FrameReader reader(most);
    reader.Feed(frame);
    const std::string first(StatusName(reader.Next().status()));
    reader.Feed(EncodeFrame(Heartbeat{1}));
    EXPECT_EQ(StatusName(reader.Next().status()), first);  // nothing can follow
    return first;
  };
  EXPECT_EQ(name("GET / HTTP/1.1\r\nHost: lathe\r\n\r\n    "), "rpc-malformed");
  std::string frame = EncodeFrame(Heartbeat{1});
  frame[4] = 9;
  EXPECT_EQ(name(frame), "rpc-version");
  frame = EncodeFrame(Heartbeat{1});
  frame[27] = 0x40;  // a gigabyte
  EXPECT_EQ(name(frame), "rpc-too-large");
  frame = EncodeFrame(Heartbeat{1});
  frame[9] = 1;
  EXPECT_EQ(name(frame), "rpc-malformed");
  frame = EncodeFrame(Heartbeat{1});
  frame.back() = 1;
  EXPECT_EQ(name(frame), "rpc-damaged");
  Upload upload;
  EXPECT_EQ(StatusName(DecodeFrame({Heartbeat::kType, 0, {}}, &upload)), "rpc-unexpected");
}

TEST(Codec, StatusesKeepTheirNames) {
  const absl::Status status = MakeStatus(absl::StatusCode::kNotFound, "a-name", "text");
  EXPECT_EQ(FromFailure(ToFailure(status)), status);
  EXPECT_TRUE(FromFailure({0, ""}).ok());
  EXPECT_EQ(FromFailure({99, "x"}).code(), absl::StatusCode::kUnknown);
}

// Any error fits into a message of a control connection.
TEST(Failures, LongTextsAreCut) {
  std::string text;
  while (text.size() < 200000) text += "\u00e4\u20ac";
  const Failure failure = ToFailure(absl::InternalError(text));
  EXPECT_LT(failure.text.size(), kMostControlBytes);
  EXPECT_TRUE(failure.text.ends_with("\u00e4 ...") || failure.text.ends_with("\u20ac ..."));
  EXPECT_EQ(ToFailure(absl::InternalError("short")).text, "short");
}

}  // namespace
}  // namespace lathe::runtime::rpc

#include "base/blob.h"

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace lathe {
namespace {

TEST(Blob, EqualBytesAreOne) {
  const Ref<const Blob> a = Blob::Copy("some bytes"), b = Blob::Copy("other bytes");
  EXPECT_TRUE(a.same_as(Blob::Copy("some bytes")));
  EXPECT_FALSE(a.same_as(b));
  EXPECT_TRUE(a.same_as(Blob::Find(a->digest())));
  EXPECT_EQ(a->bytes(), "some bytes");
  EXPECT_EQ(a->digest(), DigestOf("some bytes"));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(a->data()) % Blob::kAlignment, 0u);
}

TEST(Blob, EmptyBytesAreABlobToo) {
  const Ref<const Blob> empty = Blob::Copy("");
  EXPECT_EQ(empty->size(), 0u);
  EXPECT_TRUE(empty.same_as(Blob::Copy({})));
}

TEST(Blob, IsForgottenWithItsLastReference) {
  const Digest digest = DigestOf("short-lived");
  {
    const Ref<const Blob> blob = Blob::Copy("short-lived");
  }
  EXPECT_FALSE(Blob::Find(digest));
}

TEST(Blob, ViewsKeepBytesWhereTheyLie) {
  alignas(Blob::kAlignment) static const char bytes[128] = "viewed";
  int released = 0;
  {
    const Ref<const Blob> blob = Blob::View({bytes, sizeof bytes}, [&] { ++released; });
    EXPECT_EQ(blob->data(), bytes);
    // There already is a view of the same content, so this one is released at once.
    EXPECT_TRUE(blob.same_as(Blob::View({bytes, sizeof bytes}, [&] { ++released; })));
    EXPECT_EQ(released, 1);
  }
  EXPECT_EQ(released, 2);
}

TEST(Blob, UnalignedViewsAreCopied) {
  alignas(Blob::kAlignment) static const char bytes[128] = "?unaligned";
  int released = 0;
  const Ref<const Blob> blob = Blob::View({bytes + 1, 64}, [&] { ++released; });
  EXPECT_EQ(released, 1);
  EXPECT_NE(blob->data(), bytes + 1);
  EXPECT_EQ(blob->bytes(), std::string_view(bytes + 1, 64));
}

TEST(Blob, IsMadeAndForgottenByManyThreadsAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 2000; ++i) {
        const std::string bytes = "content " + std::to_string(i % 3);
        const Ref<const Blob> blob = Blob::Copy(bytes);
        EXPECT_EQ(blob->bytes(), bytes);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(Blob::Find(DigestOf("content 0")));
}

TEST(Digest, TextIsReadWholeOrNotAtAll) {
  const Digest digest = DigestOf("bytes");
  Digest read;
  ASSERT_TRUE(Digest::Parse(digest.ToString(), &read));
  EXPECT_EQ(read, digest);
  const std::string text = DigestOf("other bytes").ToString();
  for (const std::string& wrong :
       {std::string(), text.substr(1), text + "0", text.substr(0, 31) + "g", "-" + text.substr(1),
        text.substr(0, 16) + "+" + text.substr(17)}) {
    EXPECT_FALSE(Digest::Parse(wrong, &read)) << wrong;
    EXPECT_EQ(read, digest) << "unchanged by " << wrong;
  }
}

}  // namespace
}  // namespace lathe

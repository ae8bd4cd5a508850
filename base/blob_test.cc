#include "base/blob.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/blob_memory.h"
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

// Some megabytes, the last page not whole; not equal to those of other seeds.
Ref<const Blob> Large(char seed) {
  BlobMemory memory((size_t{9} << 20) + 77);
  std::memset(memory.data(), 'x', memory.size());
  memory.data()[5] = seed;
  return std::move(memory).Finish();
}

TEST(BlobMemory, BecomesABlobWithoutACopy) {
  BlobMemory memory(100000);
  const char* const data = memory.data();
  EXPECT_EQ(data[0], 0);
  std::memset(memory.data(), 'y', memory.size());
  const Ref<const Blob> blob = std::move(memory).Finish();
  EXPECT_EQ(blob->data(), data);
  EXPECT_EQ(blob->bytes(), std::string(100000, 'y'));
  EXPECT_TRUE(blob.same_as(Blob::Copy(std::string(100000, 'y'))));
}

TEST(BlobMemory, PiecesAreAllBytesInTheirOrder) {
  const std::string bytes((size_t{9} << 20) + 77, 'x');
  const std::string_view part = std::string_view(bytes).substr(3);
  const char* next = part.data();
  size_t pieces = 0;
  for (const std::string_view piece : PiecesOf(part)) {
    EXPECT_EQ(piece.data(), next);
    next += piece.size();
    ++pieces;
  }
  EXPECT_EQ(next, part.data() + part.size());
  EXPECT_GT(pieces, 2u);
}

TEST(SpentBlob, GivesItsMemoryBackAndCannotBeFound) {
  Ref<const Blob> blob = Large('1');
  const Digest digest = blob->digest();
  {
    SpentBlob spent(std::move(blob));
    EXPECT_FALSE(Blob::Find(digest));
    spent.DropBefore(5 << 20);
    // Memory that was given back has zeros.
    EXPECT_EQ(spent.bytes()[4 << 20], 0);
    EXPECT_EQ(spent.bytes()[6 << 20], 'x');
    spent.DropBefore(spent.bytes().size());
    EXPECT_EQ(spent.bytes()[6 << 20], 0);
    // The same content again is another blob, and outlives this one.
    blob = Large('1');
  }
  EXPECT_TRUE(blob.same_as(Blob::Find(digest)));
  EXPECT_EQ(DigestOf(blob->bytes()), digest);
}

TEST(SpentBlob, KeepsWhatOthersNeed) {
  const Ref<const Blob> shared = Large('2');
  {
    SpentBlob spent(shared);
    spent.DropBefore(8 << 20);
  }
  EXPECT_EQ(DigestOf(shared->bytes()), shared->digest());
  EXPECT_TRUE(shared.same_as(Blob::Find(shared->digest())));
  // Memory that a blob only views is its owner's.
  alignas(Blob::kAlignment) static char bytes[1 << 16];
  std::memset(bytes, 'v', sizeof bytes);
  {
    SpentBlob spent(Blob::View({bytes, sizeof bytes}, nullptr));
    spent.DropBefore(sizeof bytes);
  }
  EXPECT_EQ(bytes[20000], 'v');
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

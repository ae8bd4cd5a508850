// Memory of large blobs, for code that must not have two copies of a network's weights at once.
//
//   BlobMemory copy(bytes.size());                // filled piece by piece
//   for (std::string_view piece : PiecesOf(bytes)) {
//     std::memcpy(copy.data() + (piece.data() - bytes.data()), piece.data(), piece.size());
//     DropMappedPages(piece);                     // a mapped file's pages need not stay
//   }
//   Ref<const Blob> blob = std::move(copy).Finish();
//
//   SpentBlob spent(std::move(blob));             // nobody needs the blob after this
//   Use(spent.bytes().substr(0, n));
//   spent.DropBefore(n);                          // so its memory goes while it is read
//
// All functions are thread-safe; an object is used by one thread.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/blob.h"
#include "base/object.h"

namespace lathe {

// Memory that becomes a Blob once it is filled. It begins as zeros, which take no memory until they
// are written.
class BlobMemory {
 public:
  explicit BlobMemory(size_t size);
  BlobMemory(const BlobMemory&) = delete;
  BlobMemory& operator=(const BlobMemory&) = delete;
  ~BlobMemory();

  char* data() const { return data_; }
  size_t size() const { return size_; }
  // The Blob of these bytes. The memory is its own, and this object is empty.
  Ref<const Blob> Finish() &&;

 private:
  char* data_;
  size_t size_;
};

// States that the bytes are a file that is mapped for reading only, until ForgetMappedFile.
void NoteMappedFile(std::string_view bytes);
void ForgetMappedFile(std::string_view bytes);
// Gives back the memory of the whole pages in `bytes` if they are of a file that was noted: they
// are read again when somebody needs them. Does nothing for other memory.
void DropMappedPages(std::string_view bytes);

// `bytes` in pieces of some megabytes, in their order. Inner borders are at multiples of a page in
// memory.
std::vector<std::string_view> PiecesOf(std::string_view bytes);

// A blob that its last owner reads from the beginning to the end. What was read gives its memory
// back at once, if it is memory of a BlobMemory that nobody else refers to, or of a mapped file.
class SpentBlob {
 public:
  explicit SpentBlob(Ref<const Blob> blob);
  SpentBlob(const SpentBlob&) = delete;
  SpentBlob& operator=(const SpentBlob&) = delete;
  ~SpentBlob();

  std::string_view bytes() const { return bytes_; }
  // The first `end` bytes are not read any more.
  void DropBefore(size_t end);

 private:
  std::string_view bytes_;
  Ref<const Blob> shared_;       // others may refer to it
  const Blob* alone_ = nullptr;  // nobody else does, and nobody can find it any more
  size_t dropped_ = 0;
};

}  // namespace lathe

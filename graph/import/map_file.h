// Files whose bytes are mapped, so that weights need not be copied.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/blob.h"
#include "base/file.h"
#include "base/object.h"

namespace lathe::graph {

struct MappedFile {
  std::string_view bytes;
  std::shared_ptr<const void> owner;  // unmaps the file when the last copy is gone
};

// A regular file that is not empty. It must not change as long as it is mapped. Unlike the mapped
// artefacts of the runtime (runtime/artifact/artifact_bytes.h), the memory is known to
// base/blob_memory.h, so that pages which were read can be dropped. Thread-safe.
FileProblem MapFile(const std::string& path, Links links, MappedFile* out);
// The same for importers. Fails with the status `error`, as "onnx-file". Thread-safe.
absl::StatusOr<MappedFile> MapFileOrFail(const std::string& path, Links links,
                                         std::string_view error);

// Bytes of a file as the data of a constant: a view if they are aligned as blobs are, else a copy.
// What was read of a mapped file takes no memory afterwards. Thread-safe.
Ref<const Blob> DataOf(const MappedFile& part);

}  // namespace lathe::graph

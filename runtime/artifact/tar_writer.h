// Writes tar archives of objects: the form in which several objects are saved as one artefact.
#pragma once

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/pieces.h"
#include "runtime/artifact/tar.h"

namespace lathe::runtime {

// An archive (ustar) that ReadTar and every tar program read; it borrows the entries' contents. The
// same entries give the same bytes: no time, owner or mode of any file goes in. Fails with
// `archive-name` for a name that is not plain (IsPlainEntryName), too long or used twice, and
// `archive-too-large` for contents of 8 GiB or more.
absl::StatusOr<Pieces> WriteTar(absl::Span<const TarEntry> entries);

}  // namespace lathe::runtime

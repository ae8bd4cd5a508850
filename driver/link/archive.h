// Writes tar archives of objects: the form in which several objects are saved as one artefact.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/artifact/tar.h"

namespace lathe::driver {

// An archive (ustar) that runtime::ReadTar and every tar program read. The same entries give the
// same bytes: no time, owner or mode of any file goes in. Fails with `archive-name` for a name that
// is not plain (runtime::IsPlainEntryName), too long or used twice, and `archive-too-large` for
// contents of 8 GiB or more.
absl::StatusOr<std::string> WriteTar(absl::Span<const runtime::TarEntry> entries);

}  // namespace lathe::driver

// Where plugins are looked for: paths and folders.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lathe::runtime {

bool IsFolder(const std::string& path);
// Absolute, links resolved; "" where there is no such file.
std::string RealPath(const std::string& path);
// "." for a bare name.
std::string FolderOf(const std::string& path);
// Files that end in ".so", sorted; none where the folder cannot be read.
std::vector<std::string> SharedLibrariesIn(const std::string& folder);
// The parts between ':', empty ones left out.
std::vector<std::string> SplitPath(std::string_view path);
// The file of the program or library that holds `code`, a function's address: absolute, links
// resolved. "" where that is not known for certain: never a name that depends on the current folder
// or on how the program was called.
std::string FileOfCode(const void* code);
// Where an installation has its plugins, beside the library or program that this code is in; for
// Bazel's programs among their runfiles. "" where there is no such folder.
std::string FindInstallationFolder();

}  // namespace lathe::runtime

// The paths and folders in which plugins are searched.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lathe::runtime {

bool IsFolder(const std::string& path);
// The absolute path with links resolved; "" if there is no such file.
std::string RealPath(const std::string& path);
// "." for a name without a folder.
std::string FolderOf(const std::string& path);
// The files that end in ".so", sorted; empty if the folder cannot be read.
std::vector<std::string> SharedLibrariesIn(const std::string& folder);
// The parts between ':', without empty ones.
std::vector<std::string> SplitPath(std::string_view path);
// The file of the program or library that contains `code`, a function's address: absolute, links
// resolved. "" if it is not known for certain: the result never depends on the current folder or on
// how the program was called.
std::string FileOfCode(const void* code);
// The installation's plugin folder, beside the library or program that contains this code; for
// Bazel's programs in their runfiles. "" if there is no such folder.
std::string FindInstallationFolder();

}  // namespace lathe::runtime

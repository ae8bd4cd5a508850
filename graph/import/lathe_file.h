// Graphs with their weights in one file, `NAME.lathe`: what an import keeps.
//
// The layout, all numbers little-endian:
//
//   12 bytes  "lathe model\n"
//    4        version
//    8        where the constants begin
//    8        bytes of the graph
//    8        number of constants
//   32 each   of each constant: offset in the file, bytes, digest (base/digest.h)
//             the graph (ir/binary.h)
//   16        digest of all bytes before
//             the constants, each at a multiple of 64 bytes
//
// Constants of a file that is read are views of its mapping: nothing is copied. All functions are
// thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "base/file.h"
#include "graph/import/map_file.h"
#include "ir/graph.h"

namespace lathe::graph {

inline constexpr uint32_t kLatheFileVersion = 1;

// Do the bytes begin as such a file?
bool IsLatheFile(std::string_view bytes);
// The file appears whole or not at all. The same graph gives the same bytes.
FileProblem WriteLatheFile(const ir::GraphModule& module, const std::string& path);
// Safe for any bytes. `name` is for messages. Throws Error
//   model-file-version  another version
//   model-file-corrupt  the file is cut off or damaged; weights are checked, too
//   and those of ir::DecodeNode.
ir::GraphModule ReadLatheFile(const MappedFile& file, const std::string& name);

}  // namespace lathe::graph

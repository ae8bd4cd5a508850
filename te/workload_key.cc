#include "te/workload_key.h"

#include <string>

#include "ir/binary.h"
#include "te/canonical.h"

namespace lathe::te {

Digest WorkloadKey(const std::vector<ir::NodeRef>& args, std::string_view target) {
  const std::string program =
      ir::EncodeNode(Canonicalize(args).program, {.keep_private = true, .for_digest = true});
  std::string all = "workload " + std::to_string(target.size()) + " ";
  all += target;
  all += program;
  return DigestOf(all);
}

}  // namespace lathe::te

#include "ir/thread_scopes.h"

namespace lathe::ir {
namespace {

bool IsKindOf(std::string_view scope, std::string_view base) {
  return scope.substr(0, base.size()) == base &&
         (scope.size() == base.size() || scope[base.size()] == '.');
}

}  // namespace

int ScopeRank(std::string_view scope) {
  if (IsKindOf(scope, "shared")) return 1;
  if (IsKindOf(scope, "warp")) return 2;
  if (IsKindOf(scope, "local")) return 3;
  return 0;
}

bool IsBlockAxis(std::string_view tag) { return IsKindOf(tag, "blockIdx"); }

int ThreadRank(std::string_view tag) { return IsBlockAxis(tag) ? 0 : 1; }

bool SharedAmong(std::string_view scope, std::string_view tag) {
  const int rank = ScopeRank(scope);
  if (rank == 2 && tag == "threadIdx.x") return true;
  return rank <= ThreadRank(tag);
}

}  // namespace lathe::ir

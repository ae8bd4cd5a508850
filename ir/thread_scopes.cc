#include "ir/thread_scopes.h"

#include "ir/names.h"

namespace lathe::ir {
namespace {

bool IsKindOf(std::string_view scope, std::string_view base) {
  return scope.substr(0, base.size()) == base &&
         (scope.size() == base.size() || scope[base.size()] == '.');
}

}  // namespace

int ScopeRank(std::string_view scope) {
  if (IsKindOf(scope, memory_scope::kShared)) return 1;
  if (IsKindOf(scope, memory_scope::kWarp)) return 2;
  if (IsKindOf(scope, memory_scope::kLocal)) return 3;
  return 0;
}

bool IsBlockAxis(std::string_view tag) { return IsKindOf(tag, "blockIdx"); }

int ThreadRank(std::string_view tag) { return IsBlockAxis(tag) ? 0 : 1; }

bool SharedAmong(std::string_view scope, std::string_view tag) {
  const int rank = ScopeRank(scope);
  if (rank == 2 && tag == thread_tag::kThreadX) return true;
  return rank <= ThreadRank(tag);
}

}  // namespace lathe::ir

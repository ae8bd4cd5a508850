// Finds which elements of shared memory a kernel's statements access. Internal to lower/.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "arith/analyzer.h"
#include "ir/stmt.h"
#include "lower/device/thread_access.h"

namespace lathe::lower {

// Where a statement stands: see ThreadAccess.
struct AccessPlace {
  std::shared_ptr<const std::unordered_map<const ir::Node*, ir::Expr>> pins;
  std::shared_ptr<const std::vector<ir::Expr>> guards;
};

// For one kernel, whose statements must be visited in order. The memory that an asynchronous copy
// writes counts as accessed at the wait, too. Reports only shared memory, and global memory that
// the kernel both reads and writes.
//
// An access through a view of an address is an access of the buffer behind it: with
// `V = address_of(C[i, 4*j])`, V[k] is C[i, 4*j + k] if that is proved to lie in C's row, and an
// unknown place in C otherwise.
class AccessFinder {
 public:
  // `analyzer` must know the ranges of the loops around a statement when that is asked about.
  AccessFinder(const ir::For& kernel, arith::Analyzer* analyzer);

  // The reads and calls in the expressions of `root`; `origin` is the statement.
  void InExpressions(const ir::NodeRef& root, const ir::Node* origin, const AccessPlace& place,
                     std::vector<ThreadAccess>* out);
  // For a statement that contains no others.
  void OfLeaf(const ir::NodeRef& stmt, const AccessPlace& place, std::vector<ThreadAccess>* out);

 private:
  struct Access;
  // A view and what it is a view of.
  struct View {
    const ir::BufferNode* buffer;
    const ir::BufferNode* viewed;
    std::vector<ir::Expr> base;  // the indices of the first element in `viewed`
    bool known = false;          // false if `base` does not tell the place
  };
  using Indices = std::vector<ir::Expr>;

  bool Matters(const ir::BufferNode& buffer) const;
  // The buffer behind a view of its address (an operand of a tensor intrinsic); for others the
  // buffer itself.
  const ir::BufferNode* RootOf(const ir::BufferNode* buffer) const;
  // The place of an element of `buffer` in the buffer behind it; nothing if it is not known.
  std::optional<Indices> InRoot(const ir::BufferNode& buffer, const Indices& indices) const;
  std::optional<Indices> InViewed(const View& view, const Indices& indices) const;
  void Note(const ir::Node& node);
  void Add(const Access& access, const ir::BufferNode* buffer, const std::vector<ir::Expr>& indices,
           std::vector<ThreadAccess>* out) const;
  void AddCall(const ir::Call& call, const Access& base, std::vector<ThreadAccess>* out);

  arith::Analyzer* analyzer_;
  std::unordered_set<const ir::Node*> written_, read_;      // data variables
  std::unordered_map<const ir::Node*, View> views_;         // by a view's data variable
  std::unordered_map<const ir::Node*, ir::Buffer> copied_;  // by async_copy
};

}  // namespace lathe::lower

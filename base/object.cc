#include "base/object.h"

#include <vector>

namespace lathe {

void Object::DropLater(Object* object) {
  // A chain of a million nodes must not take a million stack frames. Trivially destroyed on
  // purpose: an object may be dropped by another thread_local's destructor.
  thread_local std::vector<Object*>* pending = nullptr;
  if (pending != nullptr) {
    pending->push_back(object);
    return;
  }
  std::vector<Object*> queue;
  pending = &queue;
  object->drop(object);
  while (!queue.empty()) {
    Object* next = queue.back();
    queue.pop_back();
    next->drop(next);
  }
  pending = nullptr;
}

}  // namespace lathe

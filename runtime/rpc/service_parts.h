// What the files of Service share.
#pragma once

#include <cstdint>
#include <mutex>

#include "runtime/cancel.h"
#include "runtime/rpc/service.h"

namespace lathe::runtime::rpc {

// A request that runs; on the stack of the service's thread.
struct Service::Active {
  explicit Active(uint64_t number) : request(number) {}
  uint64_t request;
  Cancellation cancellation;
  // Its bytes are on their way, at the speed of the link, with the service's mutex.
  bool transfers = false;
};

// As long as it lives, the innermost request only waits for the link.
class Service::Transfer {
 public:
  explicit Transfer(Service& service) : service_(service) { Set(true); }
  ~Transfer() { Set(false); }
  Transfer(const Transfer&) = delete;

 private:
  void Set(bool transfers) {
    const std::lock_guard lock(service_.mutex_);
    if (!service_.active_.empty()) service_.active_.back()->transfers = transfers;
  }
  Service& service_;
};

// What functions of the client have of the service. They may outlive it: code of a session may keep
// them anywhere.
struct Service::Link {
  explicit Link(Service* own) : service(own) {}
  std::mutex mutex;
  Service* service;  // null when it has ended
  Numbers released;  // functions of the client that are not used any more
};

}  // namespace lathe::runtime::rpc

// What the files of Service share.
#pragma once

#include <cstdint>
#include <mutex>
#include <utility>

#include "runtime/cancel.h"
#include "runtime/rpc/service.h"

namespace lathe::runtime::rpc {

// A request that runs; on the stack of the service's thread.
struct Service::Active {
  explicit Active(uint64_t number) : request(number) {}
  uint64_t request;
  Cancellation cancellation;
};

// As long as it lives, the service's thread only waits for the link or for the client (or, if
// `waits` is false, runs a request again that came meanwhile).
class Service::Waiting {
 public:
  explicit Waiting(Service& service, bool waits = true) : service_(service), before_(Set(waits)) {}
  ~Waiting() { Set(before_); }
  Waiting(const Waiting&) = delete;

 private:
  bool Set(bool waits) {
    const std::lock_guard lock(service_.mutex_);
    return std::exchange(service_.waits_, waits);
  }
  Service& service_;
  const bool before_;
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

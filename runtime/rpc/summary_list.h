// Lists in the summaries of servers, trackers and proxies.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "runtime/json.h"

namespace lathe::runtime::rpc {

// A list of which a part alone may be told: a summary is a control message, which has at most 64
// KiB, and a key or an address may be long.
class SummaryList {
 public:
  void Add(Json entry) {
    const size_t bytes = entry.Dump().size();
    if (left_out_ > 0 || bytes > left_) {
      ++left_out_;
      return;
    }
    left_ -= bytes;
    list_.Append(std::move(entry));
  }
  const Json& list() const { return list_; }
  int64_t left_out() const { return left_out_; }  // how many more there are

 private:
  Json list_ = Json::Array();
  size_t left_ = 16 << 10;
  int64_t left_out_ = 0;
};

}  // namespace lathe::runtime::rpc

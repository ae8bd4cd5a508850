// How a tracker is, for those who ask.
#include <map>
#include <string>

#include "runtime/json.h"
#include "runtime/rpc/summary_list.h"
#include "runtime/rpc/tracker.h"

namespace lathe::runtime::rpc {

std::string Tracker::Summary(double now) const {
  struct OfKey {
    int64_t free = 0, lent = 0, waiting = 0;
  };
  std::map<std::string, OfKey> by_key;
  SummaryList devices, waiting, keys;
  for (const auto& [id, connection] : connections_) {
    Json entry = Json::Object();
    entry.Set("key", connection.key);
    if (connection.role == Role::kServer) {
      OfKey& of_key = by_key[connection.key];
      ++(connection.lease == 0 ? of_key.free : of_key.lent);
      entry.Set("host", connection.host);
      entry.Set("port", static_cast<int64_t>(connection.port));
      entry.Set("lease", static_cast<int64_t>(connection.lease));
      devices.Add(std::move(entry));
    } else if (connection.role == Role::kWaits) {
      ++by_key[connection.key].waiting;
      entry.Set("priority", connection.priority);
      entry.Set("seconds", now - connection.asked);
      entry.Set("from", connection.door.peer().address);
      waiting.Add(std::move(entry));
    }
  }
  for (const auto& [key, count] : by_key) {
    Json entry = Json::Object();
    entry.Set("key", key);
    entry.Set("free", count.free);
    entry.Set("lent", count.lent);
    entry.Set("waiting", count.waiting);
    keys.Add(std::move(entry));
  }
  Json all = Json::Object();
  all.Set("kind", "tracker");
  all.Set("version", door_.machine.runtime);
  all.Set("target", door_.machine.target);
  all.Set("uptime", now - started_.value_or(now));
  all.Set("healthy", true);
  all.Set("problems", Json::Array());
  all.Set("keys", keys.list());
  all.Set("devices", devices.list());
  all.Set("waiting", waiting.list());
  all.Set("left_out", keys.left_out() + devices.left_out() + waiting.left_out());
  return all.Dump();
}

}  // namespace lathe::runtime::rpc

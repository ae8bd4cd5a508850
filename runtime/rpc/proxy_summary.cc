// How a proxy is, for those who ask.
#include <map>
#include <string>
#include <utility>

#include "runtime/json.h"
#include "runtime/rpc/proxy.h"
#include "runtime/rpc/summary_list.h"

namespace lathe::runtime::rpc {
void Proxy::TellSummary(uint64_t id, const ProxyFacts& facts, double now) {
  const auto at = connections_.find(id);
  if (at == connections_.end() || at->second.role != Role::kGreeting) return;
  Send(id, rpc::Summary{Summary(facts, now)});
}

std::string Proxy::Summary(const ProxyFacts& facts, double now) const {
  std::map<std::string, size_t> clients_of;  // by the device's number
  int64_t clients = 0;
  for (const auto& [number, pair] : pairs_) {
    if (!pair.control) continue;
    ++clients_of[pair.device];
    ++clients;
  }
  struct Devices {
    int64_t waiting = 0, paired = 0;
  };
  std::map<std::string, Devices> by_key;
  for (const auto& [id, connection] : connections_) {
    if (connection.role != Role::kDevice) continue;
    Devices& devices = by_key[connection.key];
    ++(clients_of.count(connection.device) != 0 ? devices.paired : devices.waiting);
  }
  SummaryList devices, waiting;
  for (const auto& [key, of_key] : by_key) {
    Json entry = Json::Object();
    entry.Set("key", key);
    entry.Set("waiting", of_key.waiting);
    entry.Set("paired", of_key.paired);
    devices.Add(std::move(entry));
  }
  for (const uint64_t id : queue_) {
    const Connection& client = connections_.at(id);
    Json entry = Json::Object();
    entry.Set("key", client.key);
    entry.Set("from", client.door.peer().address);
    entry.Set("seconds", now - client.asked);
    waiting.Add(std::move(entry));
  }
  Json all = Json::Object();
  all.Set("kind", "proxy");
  all.Set("version", door_.machine.runtime);
  all.Set("target", door_.machine.target);
  all.Set("uptime", facts.uptime);
  all.Set("healthy", true);
  all.Set("problems", Json::Array());
  all.Set("devices", devices.list());
  all.Set("clients", clients);
  all.Set("waiting", waiting.list());
  all.Set("clients_ever", static_cast<int64_t>(clients_));
  all.Set("bytes", static_cast<int64_t>(facts.bytes));
  return all.Dump();
}

}  // namespace lathe::runtime::rpc

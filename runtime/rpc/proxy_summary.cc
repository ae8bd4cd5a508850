// How a proxy is, for those who ask.
#include <map>
#include <string>
#include <utility>

#include "runtime/json.h"
#include "runtime/rpc/proxy.h"

namespace lathe::runtime::rpc {
namespace {

// A summary is a control message, which has at most 64 KiB.
constexpr size_t kMostListed = 100;

}  // namespace

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
  Json devices = Json::Array(), waiting = Json::Array();
  for (const auto& [key, of_key] : by_key) {
    if (devices.items().size() == kMostListed) break;
    Json entry = Json::Object();
    entry.Set("key", key);
    entry.Set("waiting", of_key.waiting);
    entry.Set("paired", of_key.paired);
    devices.Append(std::move(entry));
  }
  for (const uint64_t id : queue_) {
    if (waiting.items().size() == kMostListed) break;
    const Connection& client = connections_.at(id);
    Json entry = Json::Object();
    entry.Set("key", client.key);
    entry.Set("from", client.door.peer().address);
    entry.Set("seconds", now - client.asked);
    waiting.Append(std::move(entry));
  }
  Json all = Json::Object();
  all.Set("kind", "proxy");
  all.Set("version", door_.machine.runtime);
  all.Set("target", door_.machine.target);
  all.Set("uptime", facts.uptime);
  all.Set("healthy", true);
  all.Set("problems", Json::Array());
  all.Set("devices", std::move(devices));
  all.Set("clients", clients);
  all.Set("waiting", std::move(waiting));
  all.Set("clients_ever", static_cast<int64_t>(clients_));
  all.Set("bytes", static_cast<int64_t>(facts.bytes));
  return all.Dump();
}

}  // namespace lathe::runtime::rpc

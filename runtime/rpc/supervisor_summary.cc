// How a server is, for those who ask.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/json.h"
#include "runtime/rpc/summary_list.h"
#include "runtime/rpc/supervisor.h"

namespace lathe::runtime::rpc {
namespace {

// The first line, which is not long: a reason may go on with what a worker printed.
std::string FirstLine(std::string_view text) {
  constexpr size_t kMostBytes = 500;
  return std::string(text.substr(0, std::min(text.find('\n'), kMostBytes)));
}

}  // namespace

void Supervisor::Answer(uint64_t id, const ServerFacts& facts, double now) {
  const auto at = connections_.find(id);
  if (at == connections_.end() || at->second.state == State::kDone) return;
  Send(id, rpc::Summary{Summary(facts, now)});
}

std::string Supervisor::Summary(const ServerFacts& facts, double now) const {
  SummaryList sessions, waiting;
  Json problems = Json::Array();
  int64_t stuck = 0;
  for (const auto& [number, session] : sessions_) {
    const bool is_stuck = IsStuck(session, now);
    stuck += is_stuck ? 1 : 0;
    Json entry = Json::Object();
    entry.Set("session", static_cast<int64_t>(number));
    entry.Set("from", session.address);
    entry.Set("seconds", now - session.opened);
    entry.Set("state", is_stuck ? "stuck" : session.ending ? "ending" : "open");
    sessions.Add(std::move(entry));
  }
  for (const uint64_t id : queue_) {
    const Connection& connection = connections_.at(id);
    Json entry = Json::Object();
    entry.Set("from", connection.door.peer().address);
    entry.Set("seconds", now - connection.asked);
    waiting.Add(std::move(entry));
  }
  if (stuck > 0)
    problems.Append("workers that cannot be killed have the device: " + std::to_string(stuck));
  if (!worker_problem_.empty())
    problems.Append("the worker for the next session " + FirstLine(worker_problem_));
  if (!facts.tracker.empty() && !facts.registered)
    problems.Append("not connected with the tracker at " + facts.tracker);

  Json all = Json::Object();
  all.Set("kind", "server");
  all.Set("version", options_.machine.runtime);
  all.Set("target", options_.machine.target);
  all.Set("key", options_.key);
  all.Set("uptime", facts.uptime);
  all.Set("healthy", problems.items().empty());
  all.Set("problems", std::move(problems));
  all.Set("most_sessions", static_cast<int64_t>(options_.max_sessions));
  all.Set("sessions", sessions.list());
  all.Set("waiting", waiting.list());
  all.Set("sessions_ever", static_cast<int64_t>(last_session_));
  all.Set("crashes_ever", static_cast<int64_t>(crashes_));
  all.Set("stuck", stuck);
  Json last;
  if (ended_session_ != 0) {
    last = Json::Object();
    last.Set("session", static_cast<int64_t>(ended_session_));
    last.Set("reason", ended_reason_.empty() ? "closed by its client" : FirstLine(ended_reason_));
    last.Set("seconds", now - ended_);
  }
  all.Set("last_end", std::move(last));
  all.Set("folder", facts.folder);
  all.Set("free_bytes", facts.free_bytes);
  all.Set("tracker", facts.tracker);
  all.Set("lease", static_cast<int64_t>(lease_));
  return all.Dump();
}

}  // namespace lathe::runtime::rpc

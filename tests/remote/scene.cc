#include "tests/remote/scene.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <set>
#include <utility>

#include "runtime/cancel.h"
#include "runtime/rpc/connect.h"
#include "runtime/rpc/process_testing.h"
#include "runtime/rpc/secret.h"
#include "runtime/rpc/tracker_client.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kStartLimit{10000};
constexpr milliseconds kPause{2000};  // of slow readers and dribbles
constexpr auto kLoopback = "127.0.0.1", kLoopbackToo = "127.0.0.3";

std::string Folders(const std::string& place) {
  std::string names;
  for (const auto& entry : std::filesystem::directory_iterator(place))
    names += " " + entry.path().filename().string();
  return names;
}

// The workers of a server, for example.
std::vector<pid_t> ChildPids(pid_t parent) {
  std::vector<pid_t> pids;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid > 0 && ParentOf(pid) == parent) pids.push_back(pid);
  }
  return pids;
}

absl::StatusOr<Ref<RemoteSession>> OpenSession(const Entrance& door) {
  std::optional<Secret> secret;
  if (!door.secret_file.empty()) secret = *ReadSecret(door.secret_file);
  if (door.tracker)
    return RequestDevice({.host = door.host, .port = door.port, .secret = secret}, {.key = kKey});
  ConnectOptions options;
  options.host = door.host;
  options.port = door.port;
  options.control.key = kKey;
  options.control.secret = secret;
  return Connect(std::move(options));
}

}  // namespace

Scene::Scene(const Cell& cell, const Programs& programs, const std::string& folder)
    : cell_(cell), programs_(programs), folder_(folder) {
  std::filesystem::create_directories(folder_ + "/sessions");
  if (cell_.needs_network()) {
    if (const std::string problem = cable_.emplace().Plug(); !problem.empty()) throw problem;
    secret_ = folder_ + "/secret";
    if (!WriteNewSecret(secret_).ok()) throw std::string("no secret can be written");
  }
  const std::string tap_address = cable_ ? kNearToo : kLoopbackToo;
  // Unconfined: what ran, workers tell in a file of the test.
  std::vector<std::string> server = {programs_.server, "--worker", programs_.worker,
                                     "--key",          kKey,       "--unconfined"};
  if (cell_.way != Way::kDirect) {
    const Party party = cell_.way == Way::kTracker ? Party::kTracker : Party::kProxy;
    const bool tracker = party == Party::kTracker;
    services_.push_back({{tracker ? programs_.tracker : programs_.proxy}, party, {}});
    const int port = Start(services_.back());
    uplink_ = std::make_unique<Tap>(tap_address, 0, AddressOf(party), port);
    door_ = std::make_unique<Tap>(tap_address, 0, AddressOf(party), port);
    door_port_ = port;
    server.insert(server.end(), {tracker ? "--tracker" : "--proxy",
                                 tap_address + ":" + std::to_string(uplink_->port())});
    // Clients that the tracker sends come by a tap, too, which has the same port.
    if (tracker) server.insert(server.end(), {"--custom-addr", tap_address});
  }
  services_.push_back({std::move(server), Party::kServer, {}});
  server_port_ = Start(services_.back());
  if (cell_.way == Way::kDirect) door_port_ = server_port_;
  if (cell_.way != Way::kProxy) {
    auto& tap = cell_.way == Way::kDirect ? door_ : session_;
    tap = std::make_unique<Tap>(tap_address, server_port_, AddressOf(Party::kServer), server_port_);
  }
  if (const absl::Status first = Next(kStartLimit); !first.ok()) throw first.ToString();
  Settle();
}

Scene::~Scene() = default;

bool Scene::IsFar(Party party) const {
  if (!cable_) return false;
  return party == cell_.party;
}

std::string Scene::AddressOf(Party party) const {
  if (!cable_) return kLoopback;
  return IsFar(party) ? kFar : kNear;
}

// With an address and, if the network is to be trusted less, a secret.
std::vector<std::string> Scene::Safely(std::vector<std::string> words) const {
  if (!secret_.empty()) words.insert(words.end(), {"--secret-file", secret_});
  return words;
}

int Scene::Start(Service& service) {
  std::vector<std::string> words = Safely(service.words);
  const bool first = service.program == nullptr;
  const int port = service.party == Party::kServer ? server_port_ : door_port_;
  words.insert(words.end(),
               {"--host", AddressOf(service.party), "--port", std::to_string(first ? 0 : port)});
  // A port that is not free any more is to be an error, not another port.
  if (!first) words.insert(words.end(), {"--port-end", std::to_string(port + 1)});
  service.program = std::make_unique<Program>(Program::Options{
      std::move(words), IsFar(service.party) ? cable_->far() : -1, folder_ + "/sessions"});
  const bool dials = service.party == Party::kServer && cell_.way == Way::kProxy;
  const std::string begin = dials ? "dialling " : "listening on " + AddressOf(service.party) + ":";
  const auto line = service.program->LineAfter(begin, kStartLimit);
  if (!line) throw "a program does not start: " + service.words[0];
  return dials ? 0 : std::atoi(line->c_str());
}

// Remembers what the programs have while nobody uses them.
void Scene::Settle() {
  for (Service& service : services_) {
    size_t before = 0;
    // The pairs of a proxy stay a moment.
    Within(milliseconds(15000), [&] {
      const size_t now = DescriptorsOf(service.program->pid());
      return std::exchange(before, now) == now && door_->Empty();
    });
    service.descriptors = before;
  }
}

Entrance Scene::EntranceForHere() const {
  const Party party = services_[0].party;
  return {AddressOf(party), door_port_, party == Party::kTracker, secret_};
}

Program& Scene::StartClient() {
  const Party party = services_[0].party;
  const Entrance door{cable_ ? kNearToo : kLoopbackToo, door_->port(), party == Party::kTracker,
                      secret_};
  std::vector<std::string> words = ClientWords(NameOf(cell_.point), door, journal());
  words.insert(words.begin(), "/proc/self/exe");
  client_ = std::make_unique<Program>(
      Program::Options{std::move(words), IsFar(Party::kClient) ? cable_->far() : -1});
  return *client_;
}

absl::Status Scene::Next(milliseconds limit) const {
  Cancellation stop;
  stop.SetDeadline(steady_clock::now() + limit);
  const CancelScope scope(stop);
  try {
    LATHE_ASSIGN_OR_RETURN(const Ref<RemoteSession> session, OpenSession(EntranceForHere()));
    LATHE_ASSIGN_OR_RETURN(const Function add, session->GetFunction("test.add"));
    LATHE_ASSIGN_OR_RETURN(const Value sum, add.TryCall(1, 2));
    session->Close();
    return sum.As<int64_t>() == 3 ? absl::OkStatus() : absl::InternalError("another sum");
  } catch (const Interrupted&) {
    return absl::DeadlineExceededError("the next client does not get the device");
  }
}

std::shared_ptr<void> Scene::Occupy() const {
  absl::StatusOr<Ref<RemoteSession>> session = OpenSession(EntranceForHere());
  if (!session.ok()) throw "a session that is in the way: " + session.status().ToString();
  return std::make_shared<Ref<RemoteSession>>(*std::move(session));
}

std::vector<pid_t> Scene::Victims() const {
  if (cell_.party == Party::kClient) return {client_->pid()};
  const pid_t server = services_.back().program->pid();
  // All of them: the spare one stays a spare one.
  if (cell_.party == Party::kWorker) return ChildPids(server);
  return {cell_.party == Party::kServer ? server : services_[0].program->pid()};
}

void Scene::Do(Fault fault) {
  const bool worker = cell_.party == Party::kWorker;
  // Of a session's two connections the worker has the second one.
  Tap& tap = worker ? session() : door();
  const size_t first = worker ? session().lines() - 1 : 0;
  const bool serves = cell_.party == Party::kTracker || cell_.party == Party::kProxy;
  switch (fault) {
    case Fault::kKill:
    case Fault::kStop:
      for (const pid_t pid : Victims()) kill(pid, fault == Fault::kKill ? SIGKILL : SIGSTOP);
      for (const pid_t pid : Victims()) {
        if (fault == Fault::kStop && !Within(milliseconds(5000), [&] { return Stopped(pid); }))
          throw std::string("a process does not stop");
      }
      break;
    case Fault::kReset:
      tap.Reset(first);
      if (session_ && !serves) session_->Reset(0);
      if (uplink_ && cell_.party != Party::kClient && !worker) uplink_->Reset(0);
      break;
    case Fault::kSlow:
      tap.Pause(first, kPause);
      if (session_ && !serves) session_->Pause(0, kPause);
      if (uplink_ && serves) uplink_->Pause(0, kPause);
      break;
    case Fault::kDribble:
      tap.Dribble(first, kPause);
      if (session_ && !serves) session_->Dribble(0, kPause);
      if (uplink_ && serves) uplink_->Dribble(0, kPause);
      break;
    case Fault::kHalfOpen:
    case Fault::kPartition:
      if (const std::string problem = cable_->Cut(); !problem.empty()) throw problem;
      if (fault == Fault::kPartition) break;
      for (const pid_t pid : Victims()) kill(pid, SIGKILL);
      break;
  }
}

void Scene::Undo() {
  if (cell_.fault == Fault::kStop) {
    for (const pid_t pid : Victims()) kill(pid, SIGCONT);
  }
  if (cell_.fault == Fault::kPartition) {
    if (const std::string problem = cable_->Join(); !problem.empty()) throw problem;
  }
  if (cell_.fault != Fault::kKill && cell_.fault != Fault::kHalfOpen) return;
  if (cell_.party == Party::kClient) client_->Wait(kStartLimit);
  for (Service& service : services_) {
    if (service.party == cell_.party) service.program->Wait(kStartLimit);
  }
  // Its workers must be gone, too, before the machine can.
  if (cable_ && !Within(kStartLimit, [&] { return OrphansEnded(); }))
    throw std::string("workers outlive their server");
  if (cable_) {
    if (const std::string problem = cable_->Replace(); !problem.empty()) throw problem;
  }
  for (Service& service : services_) {
    if (service.party == cell_.party) Start(service);
  }
}

bool Scene::OrphansEnded() const {
  std::set<pid_t> known;
  if (client_) known.insert(client_->pid());
  for (const Service& service : services_) known.insert(service.program->pid());
  bool ended = true;
  // Processes whose parents have ended are this one's children.
  for (const pid_t pid : ChildPids(getpid()))
    ended = (known.count(pid) == 1 || waitpid(pid, nullptr, WNOHANG) != 0) && ended;
  return ended;
}

std::string Scene::Leftovers() {
  std::string rest;
  for (Service& service : services_) {
    const pid_t pid = service.program->pid();
    const size_t workers = service.party == Party::kServer ? 1 : 0;  // the spare one
    size_t descriptors = 0;
    std::string children;
    if (Within(milliseconds(15000), [&] {
          descriptors = DescriptorsOf(pid);
          children = ChildrenOf(pid);
          return descriptors <= service.descriptors && children.size() <= workers &&
                 children.find('Z') == std::string::npos;
        }))
      continue;
    rest += service.words[0] + " has " + std::to_string(descriptors) + " descriptors instead of " +
            std::to_string(service.descriptors) + ", and children in the states `" + children +
            "`\n";
  }
  return rest;
}

std::string Scene::End() {
  std::string rest;
  if (client_ && !client_->Wait(milliseconds(5000))) rest += "the client does not end\n";
  for (auto at = services_.rbegin(); at != services_.rend(); ++at) {
    at->program->Send(SIGTERM);
    const std::optional<int> status = at->program->Wait(milliseconds(8000));
    if (!status) rest += at->words[0] + " does not end\n";
    if (status && *status != 0) rest += at->words[0] + ": status " + std::to_string(*status) + "\n";
  }
  if (!Within(milliseconds(3000), [&] { return OrphansEnded(); })) rest += "processes are left\n";
  if (const std::string names = Folders(folder_ + "/sessions"); !names.empty())
    rest += "left in TMPDIR:" + names + "\n";
  return rest;
}

std::string Scene::Printed() {
  std::string all;
  for (Service& service : services_)
    all += "-- " + service.words[0] + "\n" + service.program->output();
  if (!client_) return all;
  const std::optional<int> status = client_->Wait(milliseconds(0));
  all += "-- the client" + (status ? ", status " + std::to_string(*status) : ", which runs") +
         "\n" + client_->output();
  return all;
}

}  // namespace lathe::runtime::rpc

// Whatever a stranger sends to a supervisor or a proxy, or a server to a client's control
// connection: an answer or a reason, never a crash; and what can be decoded is encoded to the same
// again.
//
// Input: u8 kind (bit 0: messages as they are, else raw bytes), then messages: u16 type, u16
// length, body. Frames get right headers and checksums, which random bytes would not have.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "runtime/rpc/control_client.h"
#include "runtime/rpc/proxy.h"
#include "runtime/rpc/supervisor.h"

namespace {

namespace rpc = lathe::runtime::rpc;

template <class Message>
void TryMessage(std::string_view bytes) {
  Message message;
  if (!Decode(bytes, &message).ok()) return;
  std::string first, second;
  Encode(message, &first);
  Message again;
  LATHE_CHECK(Decode(first, &again).ok()) << "what was encoded";
  Encode(again, &second);
  LATHE_CHECK(first == second) << "encoding";
}

void TryAll(std::string_view body) {
#define LATHE_PART(Name, doc) TryMessage<rpc::Name>(body);
#define LATHE_MESSAGE(Name, number, doc) TryMessage<rpc::Name>(body);
#define LATHE_FIELD(Name, tag, type, name, doc)
#define LATHE_END(Name)
#include "runtime/rpc/messages.def"
#undef LATHE_PART
#undef LATHE_MESSAGE
#undef LATHE_FIELD
#undef LATHE_END
}

std::string Framed(std::string_view input) {
  std::string stream;
  while (input.size() >= 4) {
    uint16_t type = 0, length = 0;
    std::memcpy(&type, input.data(), 2);
    std::memcpy(&length, input.data() + 2, 2);
    input.remove_prefix(4);
    const std::string_view body = input.substr(0, length);
    input.remove_prefix(body.size());
    std::string frame(rpc::kHeaderBytes, '\0');
    rpc::PutHeader(type, 1, body, frame.data());
    stream.append(frame).append(body);
    TryAll(body);
  }
  return stream;
}

// As its server does: no more bytes at once than the proxy reads. A device is there.
void TryProxy(std::string_view stream, bool secret) {
  rpc::DoorOptions door;
  door.insecure = true;
  if (secret) door.secret = rpc::Secret{};
  rpc::Proxy proxy(door, [](size_t count) { return std::string(count, 'r'); });
  rpc::Machine machine;
  machine.little_endian = 1;
  const std::string number(16, 'd');
  proxy.OnConnect(1, {"device", false}, 0);
  proxy.OnBytes(1, rpc::Greeting(std::nullopt, "", machine, number).Begin(), 0);
  if (!secret) proxy.OnBytes(1, EncodeFrame(rpc::Offer{"", number, 1}), 0);
  proxy.OnConnect(2, {"stranger", false}, 0);
  for (size_t wanted = 1; !stream.empty() && wanted > 0;) {
    wanted = std::min(proxy.Wanted(2), stream.size());
    if (wanted > 0) proxy.OnBytes(2, stream.substr(0, wanted), 0);
    stream.remove_prefix(wanted);
  }
  proxy.OnTick(60);
  proxy.OnClosed(1, 60);
  proxy.OnClosed(2, 60);
  LATHE_CHECK(proxy.connections() == 0 && proxy.waiting() == 0) << "a connection stays";
  LATHE_CHECK(proxy.visits() == 0) << "a visit stays";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string stream = (data[0] & 1) != 0 ? Framed(input) : std::string(input);

  TryProxy(stream, (data[0] & 2) != 0);

  rpc::SupervisorOptions options;
  options.insecure = true;
  if ((data[0] & 2) != 0) options.secret = rpc::Secret{};
  rpc::Supervisor supervisor(options, [](size_t count) { return std::string(count, 'r'); });
  supervisor.OnConnect(1, {"stranger", false}, 0);
  supervisor.OnBytes(1, stream, 0);
  supervisor.OnTick(60);
  supervisor.OnClosed(1, 60);
  for (const auto& action : supervisor.TakeActions()) {
    if (action.kind == rpc::Supervisor::Action::Kind::kStartWorker)
      supervisor.OnWorkerEnded(action.worker, {true, 9, "words"}, 61);
  }
  LATHE_CHECK(supervisor.sessions() == 0) << "a session stays";

  rpc::ControlOptions control;
  if ((data[0] & 2) != 0) control.secret = rpc::Secret{};
  rpc::ControlClient client(control, [](size_t size) { return std::string(size, 'n'); }, 0);
  client.OnBytes(stream, 0);
  client.OnTick(60);
  client.OnClosed();
  LATHE_CHECK(client.state() == rpc::ControlClient::State::kEnded) << "a client without an end";
  return 0;
}

#include "runtime/rpc/chain.h"

#include <utility>

#include "runtime/rpc/connect.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

constexpr size_t kFirstOfNext = 4;  // of a further constructor

absl::Status Wrong(const std::string& found) {
  return MakeStatus(
      absl::StatusCode::kInvalidArgument, "rpc-constructor",
      {"a session cannot be made like that\nexpected: \"rpc.Connect\", host, port, and, "
       "if need be, key, enable_logging, and another constructor with its arguments"
       "\nfound: ",
       found});
}

}  // namespace

absl::StatusOr<Ref<Session>> ConstructSession(const std::string& constructor,
                                              const std::vector<Value>& arguments) {
  if (constructor != "rpc.Connect") return Wrong("`" + constructor + "`");
  if (arguments.size() < 2) return Wrong(std::to_string(arguments.size()) + " arguments");
  const auto is_text = [&](size_t i) {
    return arguments.size() <= i || arguments[i].Is<std::string>();
  };
  if (!is_text(0) || !arguments[1].Is<int32_t>() || !is_text(2) || !is_text(kFirstOfNext))
    return Wrong("an argument of another kind");
  ConnectOptions options;
  options.host = arguments[0].As<std::string>();
  options.port = arguments[1].As<int32_t>();
  if (arguments.size() > 2) options.control.key = arguments[2].As<std::string>();
  if (arguments.size() > kFirstOfNext) {
    options.constructor = arguments[kFirstOfNext].As<std::string>();
    options.constructor_arguments.assign(arguments.begin() + kFirstOfNext + 1, arguments.end());
  }
  LATHE_ASSIGN_OR_RETURN(options.control.secret, SecretOfEnvironment());
  LATHE_ASSIGN_OR_RETURN(const Ref<RemoteSession> session, Connect(std::move(options)));
  return Ref<Session>(session);
}

}  // namespace lathe::runtime::rpc

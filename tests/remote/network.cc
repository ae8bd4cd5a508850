#include "tests/remote/network.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace lathe::runtime::rpc {
namespace {

constexpr char kNearName[] = "near0", kFarName[] = "far0",
               kOwnNetwork[] = "/proc/thread-self/ns/net";

std::string Problem(const char* what) { return std::string(what) + ": " + std::strerror(errno); }

bool WriteFile(const char* path, const std::string& text) {
  const FileHandle file(open(path, O_WRONLY | O_CLOEXEC));
  return write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

FileHandle AskingSocket() { return FileHandle(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)); }

ifreq Named(const std::string& name) {
  ifreq request{};
  std::strncpy(request.ifr_name, name.c_str(), IFNAMSIZ - 1);
  return request;
}

bool Raise(int socket, const char* name) {
  ifreq request = Named(name);
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  return ioctl(socket, SIOCSIFFLAGS, &request) == 0;
}

void PutAddress(sockaddr* to, const char* text) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  inet_pton(AF_INET, text, &address.sin_addr);
  std::memcpy(to, &address, sizeof(address));
}

bool Give(int socket, const std::string& name, const char* address,
          const char* mask = "255.255.255.0") {
  ifreq request = Named(name);
  PutAddress(&request.ifr_addr, address);
  if (ioctl(socket, SIOCSIFADDR, &request) != 0) return false;
  PutAddress(&request.ifr_addr, mask);
  return ioctl(socket, SIOCSIFNETMASK, &request) == 0;
}

// A request to the system about interfaces.
class LinkRequest {
 public:
  explicit LinkRequest(uint16_t type, int flags) {
    header()->nlmsg_type = type;
    header()->nlmsg_flags = static_cast<uint16_t>(NLM_F_REQUEST | NLM_F_ACK | flags);
    size_ = NLMSG_HDRLEN;
    AddInterface();
  }
  ifinfomsg* AddInterface() {
    auto* const at = reinterpret_cast<ifinfomsg*>(bytes_ + size_);
    size_ += NLMSG_ALIGN(sizeof(ifinfomsg));
    return at;
  }
  size_t Begin(uint16_t type) {
    const size_t at = size_;
    auto* const attribute = reinterpret_cast<rtattr*>(bytes_ + at);
    attribute->rta_type = type;
    size_ += RTA_LENGTH(0);
    return at;
  }
  void End(size_t at) {
    reinterpret_cast<rtattr*>(bytes_ + at)->rta_len = static_cast<uint16_t>(size_ - at);
    size_ = RTA_ALIGN(size_);
  }
  void Add(uint16_t type, const void* data, size_t size) {
    const size_t at = Begin(type);
    std::memcpy(bytes_ + size_, data, size);
    size_ += size;
    End(at);
  }
  // 0 or errno.
  int Send() {
    header()->nlmsg_len = static_cast<uint32_t>(size_);
    const FileHandle socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
    if (send(socket.get(), bytes_, size_, 0) < 0) return errno;
    alignas(nlmsghdr) char answer[4096];
    if (recv(socket.get(), answer, sizeof(answer), 0) < 0) return errno;
    return -static_cast<nlmsgerr*>(NLMSG_DATA(reinterpret_cast<nlmsghdr*>(answer)))->error;
  }

 private:
  nlmsghdr* header() { return reinterpret_cast<nlmsghdr*>(bytes_); }
  alignas(nlmsghdr) char bytes_[1024] = {};
  size_t size_ = 0;
};

// A pair of interfaces, the second of which is in another network.
int MakePair(int far_network) {
  LinkRequest request(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL);
  request.Add(IFLA_IFNAME, kNearName, sizeof(kNearName));
  const size_t info = request.Begin(IFLA_LINKINFO);
  request.Add(IFLA_INFO_KIND, "veth", 4);
  const size_t data = request.Begin(IFLA_INFO_DATA);
  const size_t peer = request.Begin(VETH_INFO_PEER);
  request.AddInterface();
  request.Add(IFLA_IFNAME, kFarName, sizeof(kFarName));
  request.Add(IFLA_NET_NS_FD, &far_network, sizeof(far_network));
  request.End(peer);
  request.End(data);
  request.End(info);
  return request.Send();
}

// Where `socket`'s side believes that `address` is.
bool Believe(int socket, const char* interface, const char* address, const sockaddr& place) {
  arpreq request{};
  PutAddress(&request.arp_pa, address);
  request.arp_ha = place;
  request.arp_flags = ATF_COM | ATF_PERM;
  std::strncpy(request.arp_dev, interface, sizeof(request.arp_dev) - 1);
  return ioctl(socket, SIOCSARP, &request) == 0;
}

}  // namespace

std::string EnterNetwork() {
  const std::string user = std::to_string(getuid()), group = std::to_string(getgid());
  if (unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS) != 0) return Problem("unshare");
  WriteFile("/proc/self/setgroups", "deny");
  if (!WriteFile("/proc/self/uid_map", user + " " + user + " 1") ||
      !WriteFile("/proc/self/gid_map", group + " " + group + " 1"))
    return Problem("uid_map");
  return Raise(AskingSocket().get(), "lo") ? "" : Problem("the loopback interface");
}

std::string Cable::Plug() {
  near_ = FileHandle(open(kOwnNetwork, O_RDONLY | O_CLOEXEC));
  near_socket_ = AskingSocket();
  // The near machine keeps its addresses, and its connections with itself, while it has no cable.
  constexpr char kHost[] = "255.255.255.255";
  if (!Give(near_socket_.get(), "lo:1", kNear, kHost) ||
      !Give(near_socket_.get(), "lo:2", kNearToo, kHost))
    return Problem("addresses");
  return MakeFar();
}

std::string Cable::MakeFar() {
  if (unshare(CLONE_NEWNET) != 0) return Problem("unshare");
  far_ = FileHandle(open(kOwnNetwork, O_RDONLY | O_CLOEXEC));
  far_socket_ = AskingSocket();
  if (setns(near_.get(), CLONE_NEWNET) != 0) return Problem("setns");
  if (const int error = MakePair(far_.get()); error != 0)
    return std::string("a pair of interfaces: ") + std::strerror(error);
  if (!Raise(far_socket_.get(), "lo") || !Give(near_socket_.get(), kNearName, kNear) ||
      !Give(near_socket_.get(), std::string(kNearName) + ":1", kNearToo) ||
      !Give(far_socket_.get(), kFarName, kFar) || !Raise(near_socket_.get(), kNearName) ||
      !Raise(far_socket_.get(), kFarName))
    return Problem("addresses");
  return Teach(true);
}

// A packet for a machine that is not on the cable is dropped at its other end: nobody is told.
std::string Cable::Teach(bool truth) {
  ifreq near = Named(kNearName), far = Named(kFarName);
  if (ioctl(near_socket_.get(), SIOCGIFHWADDR, &near) != 0 ||
      ioctl(far_socket_.get(), SIOCGIFHWADDR, &far) != 0)
    return Problem("hardware addresses");
  if (!truth) near.ifr_hwaddr.sa_data[5] = static_cast<char>(~near.ifr_hwaddr.sa_data[5]);
  if (!truth) far.ifr_hwaddr.sa_data[5] = static_cast<char>(~far.ifr_hwaddr.sa_data[5]);
  const bool done = Believe(near_socket_.get(), kNearName, kFar, far.ifr_hwaddr) &&
                    Believe(far_socket_.get(), kFarName, kNear, near.ifr_hwaddr) &&
                    Believe(far_socket_.get(), kFarName, kNearToo, near.ifr_hwaddr);
  return done ? "" : Problem("neighbours");
}

std::string Cable::Replace() {
  LinkRequest gone(RTM_DELLINK, 0);
  gone.Add(IFLA_IFNAME, kNearName, sizeof(kNearName));
  if (const int error = gone.Send(); error != 0)
    return std::string("removing an interface: ") + std::strerror(error);
  return MakeFar();
}

}  // namespace lathe::runtime::rpc

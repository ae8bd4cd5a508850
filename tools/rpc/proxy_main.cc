// lathe-rpc-proxy, as a program of its own: a device needs it without the compiler.
#include "tools/rpc/programs.h"

int main(int argc, char** argv) {
  return lathe::rpc_tools::ProxyProgram(argc, argv, "lathe-rpc-proxy");
}

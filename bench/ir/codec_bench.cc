// The cost per node of the IR's text and binary forms, on a module of the size of a tuning
// candidate and on a larger one. Budget: 14 ns a node to encode, 20 ns to decode. Prints the median
// of 21 runs, in CPU time of this thread.

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "ir/binary.h"
#include "ir/module.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/walk.h"

namespace lathe::ir {
namespace {

// `loops` nests of a blocked, vectorised multiply-add.
Module MakeInput(int loops) {
  const Var n = MakeSizeVar("n");
  std::vector<Buffer> buffers;
  for (const char* name : {"A", "B", "C"})
    buffers.push_back(MakeBuffer(name, DataType::Float(32), {n}));
  std::vector<Stmt> nests;
  for (int k = 0; k < loops; ++k) {
    const Var i = MakeVar("i"), j = MakeVar("j");
    auto at = [&](int offset) { return MakeRamp((i * 64 + j) * 16 + Int(offset + k), Int(1), 16); };
    std::vector<Stmt> body;
    for (int u = 0; u < 4; ++u) {
      body.push_back(
          MakeStore(buffers[2],
                    MakeLoad(buffers[2], {at(u)}) +
                        MakeLoad(buffers[0], {at(u + 1)}) * MakeLoad(buffers[1], {at(u + 2)}),
                    {at(u)}));
    }
    nests.push_back(MakeFor(i, Int(0), n, ForKind::kSerial,
                            MakeFor(j, Int(0), Int(64), ForKind::kSerial, MakeSeq(body))));
  }
  return MakeModule({MakeFunc("main", {buffers[0], buffers[1], buffers[2], n}, MakeSeq(nests))});
}

double CpuNanoseconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

double Median(const std::function<void()>& run, int repeat) {
  std::vector<double> times;
  for (int i = 0; i < 21; ++i) {
    const double start = CpuNanoseconds();
    for (int k = 0; k < repeat; ++k) run();
    times.push_back((CpuNanoseconds() - start) / repeat);
  }
  std::nth_element(times.begin(), times.begin() + 10, times.end());
  return times[10];
}

void Measure(int loops, int repeat) {
  const Module module = MakeInput(loops);
  size_t uses = 0, distinct = 0;
  PostOrder(module, [&](const Node&) { ++uses; }, Sharing::kEachUse);
  PostOrder(module, [&](const Node&) { ++distinct; }, Sharing::kOnce);
  const std::string bytes = EncodeModule(module), text = ToText(module);
  const double encode = Median([&] { EncodeModule(module); }, repeat);
  const double decode = Median([&] { DecodeModule(bytes); }, repeat);
  const double print = Median([&] { ToText(module); }, std::max(1, repeat / 8));
  const double parse = Median([&] { ParseModule(text); }, std::max(1, repeat / 8));
  const auto per = [&](double time) { return time / static_cast<double>(distinct); };
  std::printf("%zu nodes (%zu uses), %zu bytes binary, %zu bytes text\n", distinct, uses,
              bytes.size(), text.size());
  std::printf("  encode %8.1f us %6.1f ns/node\n  decode %8.1f us %6.1f ns/node\n", encode / 1e3,
              per(encode), decode / 1e3, per(decode));
  std::printf("  print  %8.1f us %6.1f ns/node\n  parse  %8.1f us %6.1f ns/node\n", print / 1e3,
              per(print), parse / 1e3, per(parse));
}

}  // namespace
}  // namespace lathe::ir

int main() {
  lathe::ir::Measure(4, 256);
  lathe::ir::Measure(400, 4);
}

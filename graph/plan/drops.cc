// Which registers are empty after which instruction.
#include <algorithm>
#include <set>

#include "graph/plan/function_code.h"

namespace lathe::graph {

using runtime::vm::Instruction;
using Op = Instruction::Op;

namespace {

std::vector<size_t> Following(const std::vector<Instruction>& code, size_t i) {
  const Instruction& instruction = code[i];
  std::vector<size_t> next;
  const bool goes_on =
      instruction.op != Op::kReturn && instruction.op != Op::kJump && instruction.op != Op::kSwitch;
  if (goes_on) next.push_back(i + 1);
  for (const int32_t target : instruction.targets) next.push_back(static_cast<size_t>(target));
  return next;
}

}  // namespace

// What is read later, from the last instruction to the first; loops need more than one walk. A
// register that only some ways behind a jump read is emptied where the others begin.
void FunctionCode::FindDrops() {
  const size_t count = code_.size();
  std::vector<std::set<int32_t>> before(count), after(count);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = count; i-- > 0;) {
      std::set<int32_t> live;
      for (const size_t next : Following(code_, i))
        live.insert(before[next].begin(), before[next].end());
      after[i] = live;
      for (const int32_t reg : code_[i].results) live.erase(reg);
      live.insert(code_[i].args.begin(), code_[i].args.end());
      if (live == before[i]) continue;
      before[i] = std::move(live);
      changed = true;
    }
  }
  for (size_t i = 0; i < count; ++i) {
    Instruction& instruction = code_[i];
    if (instruction.op == Op::kReturn || instruction.op == Op::kJump) continue;
    std::set<int32_t> dead(instruction.args.begin(), instruction.args.end());
    dead.insert(instruction.results.begin(), instruction.results.end());
    if (const auto from = arms_.find(i); from != arms_.end())
      dead.insert(after[from->second].begin(), after[from->second].end());
    for (const int32_t reg : dead) {
      if (!after[i].contains(reg)) instruction.drops.push_back(reg);
    }
  }
}

}  // namespace lathe::graph

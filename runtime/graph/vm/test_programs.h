// Writes programs in a few lines, for tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/graph/vm/program.h"

namespace lathe::runtime::vm {

using Op = Instruction::Op;

inline Instruction Make1(Op op, std::vector<int32_t> args, std::vector<int32_t> results,
                         int32_t index = 0, std::vector<int32_t> targets = {},
                         std::vector<int32_t> drops = {}) {
  Instruction made;
  made.op = op;
  made.index = index;
  made.args = std::move(args);
  made.results = std::move(results);
  made.targets = std::move(targets);
  made.drops = std::move(drops);
  return made;
}

// type List { Nil, Cons(element, List) }, and functions that need no kernels:
//   main(list): its reverse, by `onto`, which calls itself at its end
//   onto(list, done)
//   endless(x): a call of itself in the middle
//   call(f, x): f(x), for a closure f
//   adder(x): a closure that gives the pair of x and its argument
//   spin(): a loop without end
inline Program TestProgram() {
  Program program;
  program.name = "test";
  program.types = {{"List", {{"Nil", 0}, {"Cons", 2}}}};
  program.functions = {
      {"main",
       1,
       3,
       {Make1(Op::kConstruct, {}, {1}, 0), Make1(Op::kCall, {0, 1}, {2}, 1),
        Make1(Op::kReturn, {2}, {})}},
      {"onto",
       2,
       6,
       {Make1(Op::kSwitch, {0}, {}, 0, {1, 2}), Make1(Op::kReturn, {1}, {}),
        Make1(Op::kField, {0}, {2}, 0), Make1(Op::kField, {0}, {3}, 1, {}, {0}),
        Make1(Op::kConstruct, {2, 1}, {4}, 1, {}, {1, 2}), Make1(Op::kCall, {3, 4}, {5}, 1),
        Make1(Op::kReturn, {5}, {})}},
      {"endless",
       1,
       3,
       {Make1(Op::kCall, {0}, {1}, 2), Make1(Op::kTuple, {0, 1}, {2}),
        Make1(Op::kReturn, {2}, {})}},
      {"call", 2, 3, {Make1(Op::kInvoke, {0, 1}, {2}), Make1(Op::kReturn, {2}, {})}},
      {"adder", 1, 2, {Make1(Op::kClosure, {0}, {1}, 5), Make1(Op::kReturn, {1}, {})}},
      {"pair", 2, 3, {Make1(Op::kTuple, {0, 1}, {2}), Make1(Op::kReturn, {2}, {})}},
      {"spin", 0, 0, {Make1(Op::kJump, {}, {}, 0, {0})}},
  };
  program.entries = {{0, {{"l", "List"}}},
                     {2, {{"x", "float32[]"}}},
                     {3, {{"f", ""}, {"x", ""}}},
                     {4, {{"x", "float32[]"}}},
                     {6, {}}};
  return program;
}

}  // namespace lathe::runtime::vm

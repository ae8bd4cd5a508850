// Workload keys and canonical traces of random programs.

#include "te/workload_key.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "gtest/gtest.h"
#include "ir/binary.h"
#include "ir/rewrite.h"
#include "ir/structural.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "schedule/canonical_trace.h"
#include "schedule/loop_nest.h"
#include "te/canonical.h"
#include "tests/prove/random.h"
#include "tests/prove/random_schedule.h"
#include "tests/prove/rename.h"

namespace lathe::prove {
namespace {

using ir::Op;
using ir::Program;

constexpr uint64_t kPrograms = 1000;

std::string KeyOf(const std::vector<ir::NodeRef>& args) {
  return te::WorkloadKey(args, "llvm").ToString();
}
Program ProgramOf(const TestProgram& test) {
  return schedule::ToProgram(schedule::CreateSchedule(test.outputs), test.args, "f");
}

TEST(WorkloadKey, RenamedProgramsHaveTheSame) {
  for (uint64_t seed = 0; seed < kPrograms; ++seed) {
    const TestProgram test = RandomProgram(seed), renamed = RandomProgram(seed);
    RenameAll(renamed, seed);
    const std::string key = KeyOf(test.args);
    ASSERT_EQ(KeyOf(renamed.args), key) << seed << ir::ToText(ProgramOf(test));
    // A program that was printed and read again consists of other objects.
    const Program read = ir::ParseProgram(ir::ToText(ProgramOf(renamed)));
    ASSERT_EQ(KeyOf(read->args), key) << seed << ir::ToText(read);
    // A canonical program is its own canonical form.
    const Program canonical = te::Canonicalize(test.args).program;
    ASSERT_EQ(KeyOf(canonical->args), key) << seed << ir::ToText(canonical);
  }
}

TEST(WorkloadKey, DifferentProgramsHaveDifferentOnes) {
  std::unordered_map<std::string, Program> by_key;
  std::unordered_map<uint64_t, std::vector<std::pair<Program, std::string>>> by_hash;
  size_t equal = 0;
  for (uint64_t seed = 0; seed < kPrograms; ++seed) {
    const TestProgram test = RandomProgram(seed);
    const Program program = ProgramOf(test);
    const std::string key = KeyOf(test.args);
    const auto [known, is_new] = by_key.try_emplace(key, program);
    if (!is_new) {
      ++equal;
      EXPECT_TRUE(ir::StructuralEqual(known->second, program, true))
          << seed << ir::ToText(program) << ir::ToText(known->second);
    }
    auto& bucket = by_hash[ir::StructuralHash(program)];
    for (const auto& [other, its_key] : bucket) {
      EXPECT_EQ(ir::StructuralEqual(other, program, true), its_key == key) << seed;
    }
    bucket.emplace_back(program, key);
  }
  EXPECT_LT(equal, kPrograms / 20);
}

// -- Changes of meaning, made in place: the nodes are the test's own.

template <class T>
T& Mutable(const T* node) {
  return const_cast<T&>(*node);
}

struct Mutation {
  const char* name;
  // Returns false if the program has nothing of this kind.
  std::function<bool(TestProgram&, Random&)> apply;
};

template <class T>
std::vector<const T*> OpsOf(const TestProgram& test) {
  std::vector<const T*> found;
  for (const Op& op : te::Canonicalize(test.args).ops) {
    if (const T* one = ir::As<T>(op)) found.push_back(one);
  }
  return found;
}
// A compute with a single body.
const ir::ComputeOp* SomeCompute(const TestProgram& test, Random& random, bool reduces) {
  std::vector<const ir::ComputeOp*> found;
  for (const ir::ComputeOp* op : OpsOf<ir::ComputeOp>(test)) {
    if (op->body.size() == 1 && (!reduces || !op->reduce_axis.empty())) found.push_back(op);
  }
  return found.empty() ? nullptr : random.Pick(found);
}

bool ChangeExtent(TestProgram& test, Random& random) {
  std::vector<const ir::PlaceholderOp*> found;
  for (const ir::PlaceholderOp* op : OpsOf<ir::PlaceholderOp>(test)) {
    if (!op->shape.empty()) found.push_back(op);
  }
  if (found.empty()) return false;
  auto& op = Mutable(random.Pick(found));
  ir::Expr& extent = op.shape[random.Below(op.shape.size())];
  extent = extent + 1;
  return true;
}

bool ChangeType(TestProgram& test, Random& random) {
  const auto found = OpsOf<ir::PlaceholderOp>(test);
  if (found.empty()) return false;
  auto& op = Mutable(random.Pick(found));
  op.dtype = op.dtype == DataType::Float(16) ? DataType::Float(64) : DataType::Float(16);
  return true;
}

bool ChangeOperator(TestProgram& test, Random& random) {
  const ir::ComputeOp* op = SomeCompute(test, random, false);
  if (op == nullptr) return false;
  ir::Expr& body = Mutable(op).body[0];
  const ir::Expr changed = ir::Rewrite(
      body,
      [](const ir::Max& node) -> ir::Expr {
        return ir::MakeBinary(ir::NodeKind::kMin, node.a, node.b);
      },
      [](const ir::Mul& node) -> ir::Expr {
        return ir::MakeBinary(ir::NodeKind::kSub, node.a, node.b);
      });
  if (changed.same_as(body)) return false;
  body = changed;
  return true;
}

bool ChangeReductionOrder(TestProgram& test, Random& random) {
  const ir::ComputeOp* op = SomeCompute(test, random, true);
  if (op == nullptr || op->reduce_axis.size() < 2) return false;
  const auto* reduce = ir::As<ir::Reduce>(op->body[0]);
  std::swap(Mutable(op).reduce_axis[0], Mutable(op).reduce_axis[1]);
  std::swap(Mutable(reduce).axis[0], Mutable(reduce).axis[1]);
  return true;
}

// Exchanges an input and an output, because two outputs may be equal.
bool ChangeArgumentOrder(TestProgram& test, Random&) {
  const auto is_input = [](const ir::NodeRef& arg) {
    const auto* tensor = ir::As<ir::TensorNode>(arg);
    return tensor != nullptr && ir::As<ir::PlaceholderOp>(tensor->op) != nullptr;
  };
  if (!is_input(test.args.front()) || is_input(test.args.back())) return false;
  std::swap(test.args.front(), test.args.back());
  return true;
}

bool ChangeCondition(TestProgram& test, Random& random) {
  const ir::ComputeOp* op = SomeCompute(test, random, true);
  if (op == nullptr) return false;
  const auto* reduce = ir::As<ir::Reduce>(op->body[0]);
  const ir::Expr axis = op->reduce_axis[0]->var;
  Mutable(reduce).condition =
      ir::LogicalAnd(reduce->condition, ir::NotEqual(axis, ir::Const(3, axis->dtype)));
  return true;
}

bool ChangeTensorRead(TestProgram& test, Random& random) {
  const ir::ComputeOp* op = SomeCompute(test, random, false);
  if (op == nullptr) return false;
  std::vector<const ir::Load*> loads;
  ir::ForEach<ir::Load>(op->body[0], [&](const ir::Load& load) { loads.push_back(&load); });
  if (loads.empty()) return false;
  const ir::Load* load = random.Pick(loads);
  const auto* source = ir::As<ir::TensorNode>(load->source);
  for (const ir::PlaceholderOp* other : OpsOf<ir::PlaceholderOp>(test)) {
    if (other == source->op.get()) continue;
    Mutable(load).source = ir::OutputOf(Op(other), 0);
    return true;
  }
  return false;
}

// Replaces one tensor that is read twice by two tensors that are computed in the same way.
bool ComputeTwice(TestProgram& test, Random& random) {
  const ir::ComputeOp* op = SomeCompute(test, random, false);
  if (op == nullptr) return false;
  std::vector<const ir::Load*> loads;
  ir::ForEach<ir::Load>(op->body[0], [&](const ir::Load& load) {
    const auto* source = ir::As<ir::TensorNode>(load.source);
    if (ir::As<ir::ComputeOp>(source->op) != nullptr) loads.push_back(&load);
  });
  if (loads.size() < 2 || !ir::SameTensor(ir::RefAs<ir::TensorNode>(loads[0]->source),
                                          ir::RefAs<ir::TensorNode>(loads[1]->source)))
    return false;
  const auto* source = ir::As<ir::TensorNode>(loads[1]->source);
  const Ref<ir::Node> twin = ir::CloneNode(*source->op);
  Mutable(loads[1]).source =
      ir::OutputOf(Op(static_cast<const ir::OpNode*>(twin.get())), source->value_index);
  return true;
}

TEST(WorkloadKey, ChangesOfMeaningChangeIt) {
  const Mutation mutations[] = {
      {"extent", ChangeExtent},
      {"type", ChangeType},
      {"operator", ChangeOperator},
      {"order of a reduction", ChangeReductionOrder},
      {"order of arguments", ChangeArgumentOrder},
      {"condition", ChangeCondition},
      {"tensor read", ChangeTensorRead},
      {"computed twice", ComputeTwice},
  };
  std::map<std::string, int> applied;
  for (uint64_t seed = 0; seed < kPrograms; ++seed) {
    const TestProgram original = RandomProgram(seed);
    const std::string key = KeyOf(original.args);
    for (const Mutation& mutation : mutations) {
      TestProgram changed = RandomProgram(seed);
      Random random(seed);
      if (!mutation.apply(changed, random)) continue;
      ++applied[mutation.name];
      EXPECT_NE(KeyOf(changed.args), key)
          << mutation.name << " " << seed << ir::ToText(ProgramOf(original));
    }
  }
  for (const Mutation& mutation : mutations) {
    std::printf("%s: %d programs\n", mutation.name, applied[mutation.name]);
    EXPECT_GE(applied[mutation.name], 20) << mutation.name;
  }
}

// -- Traces.

struct Lowered {
  ir::Func func;
  std::string refused;  // the diagnostic's name
};

Lowered Lower(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args) {
  try {
    return {schedule::LowerSchedule(schedule, args, "f"), ""};
  } catch (const Error& e) {
    return {nullptr, e.name()};
  }
}

void CheckTrace(uint64_t seed, const std::function<void(schedule::Schedule&)>& apply,
                int* lowered) {
  const TestProgram test = RandomProgram(seed), twin = RandomProgram(seed);
  RenameAll(twin, seed);
  schedule::Schedule s = schedule::CreateSchedule(test.outputs);
  apply(s);
  const Program canonical = schedule::CanonicalWithTrace(schedule::ToProgram(s, test.args, "f"));
  const std::string bytes = ir::EncodeNode(canonical, {.keep_private = true});
  const std::string text =
      std::to_string(seed) + ir::ToText(schedule::ToProgram(s, test.args, "f"));

  schedule::Schedule replayed = schedule::CreateSchedule(twin.outputs);
  schedule::Replay(replayed,
                   schedule::TraceFor(schedule::ToProgram(replayed, twin.args, "f"), canonical));
  const Program again = schedule::CanonicalWithTrace(schedule::ToProgram(replayed, twin.args, "f"));
  ASSERT_EQ(ir::EncodeNode(again, {.keep_private = true}), bytes)
      << text << ir::StructuralDifference(canonical, again);

  const Lowered expected = Lower(s, test.args), found = Lower(replayed, twin.args);
  ASSERT_EQ(found.refused, expected.refused) << text;
  if (!expected.func) return;
  ++*lowered;
  ASSERT_EQ(ir::StructuralDifference(expected.func, found.func, /*map_free=*/true), "") << text;
}

TEST(CanonicalTrace, GivesTheSameLoopsForRenamedPrograms) {
  ScheduleCounts counts;
  int lowered = 0;
  for (uint64_t seed = 0; seed < kPrograms; ++seed) {
    CheckTrace(
        seed, [&](schedule::Schedule& s) { ApplyRandomSteps(s, seed, 18, &counts); }, &lowered);
    if (HasFatalFailure()) return;
  }
  EXPECT_GE(lowered, 500);
  for (const char* primitive :
       {"split", "fuse", "reorder", "cache_read", "cache_write", "rfactor", "compute_at",
        "create_group", "tensorize", "transform_layout", "set_store_predicate", "prefetch"})
    EXPECT_GE(counts.applied[primitive], 20) << primitive;
}

TEST(CanonicalTrace, GivesTheSameLoopsForRenamedKernels) {
  ScheduleCounts counts;
  int lowered = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    CheckTrace(
        seed, [&](schedule::Schedule& s) { ApplyKernelSteps(s, seed, &counts, seed % 2 == 0); },
        &lowered);
    if (HasFatalFailure()) return;
  }
  EXPECT_GE(lowered, 100);
  EXPECT_GE(counts.applied["bind"], 20);
}

}  // namespace
}  // namespace lathe::prove

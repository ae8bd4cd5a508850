// Random schedules of the primitives that rewrite dataflow, compared with te's evaluator. The
// programs have a stencil, a reduction and a stage that reads both. A schedule may be refused with
// one of its diagnostics, but it must not compute wrong results.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <random>

#include "base/address_sanitizer.h"
#include "gtest/gtest.h"
#include "schedule/normalize.h"
#include "schedule/primitives/primitives.h"
#include "te/operation.h"
#include "tests/check/check_schedule.h"

namespace lathe::schedule {
namespace {

using namespace te;  // NOLINT: tests read better
using ir::Int;

class Case {
 public:
  explicit Case(uint32_t seed) : random_(seed) {
    n_ = Pick(2) == 0 ? Expr(Int(5 + Pick(9))) : Expr(ir::MakeSizeVar("n"));
    const int64_t m = 4 + Pick(8);
    x_ = Placeholder({n_ + 2, Int(m)}, DataType::Int(32), "X");
    b_ = Compute(
        {n_ + 2, Int(m)}, [&](const Indices& i) { return At(x_, {i[0], i[1]}) * 2 - 1; }, "B");
    k_ = te::ReduceAxis(Int(0), Int(3), "k");
    l_ = te::ReduceAxis(Int(0), Int(m), "l");
    const bool window = Pick(2) == 0;
    c_ = Compute(
        {n_},
        [&](const Indices& i) {
          return Sum(At(b_, {i[0] + k_->var, l_->var}), {k_, l_},
                     window ? Expr(l_->var) < Int(m - 1) : Expr());
        },
        "C");
    z_ = Compute(
        {n_, Int(m)},
        [&](const Indices& i) {
          return At(c_, {i[0]}) + At(b_, {i[0], i[1]}) * At(b_, {i[0] + 1, i[1]});
        },
        "Z");
    schedule_ = CreateSchedule({z_->op});
  }

  // Applies one random step. Returns its name, or "" if it was refused.
  std::string Step() {
    using Action = std::function<void()>;
    const std::vector<std::pair<std::string, Action>> actions = {
        {"split",
         [&] {
           Stage& stage = AnyStage();
           Split(stage, AnyLeaf(), 2 + Pick(4));
         }},
        {"fuse",
         [&] {
           Stage& stage = AnyStage();
           if (stage.leaf_axes.size() > 1) Fuse(stage, {stage.leaf_axes[0], stage.leaf_axes[1]});
         }},
        {"reorder",
         [&] {
           Stage& stage = AnyStage();
           std::vector<IterVar> leaves = stage.leaf_axes;
           std::shuffle(leaves.begin(), leaves.end(), random_);
           Reorder(stage, leaves);
         }},
        {"parallel",
         [&] {
           Stage& stage = AnyStage();
           Parallel(stage, AnyLeaf());
         }},
        {"compute_at", [&] { Attach(); }},
        {"compute_at", [&] { Attach(); }},
        {"compute_at", [&] { Attach(); }},
        {"compute_inline", [&] { ComputeInline(AnyStage()); }},
        {"rfactor",
         [&] {
           Stage& stage = AnyStage();
           RFactor(schedule_, Out(stage), AnyLeaf(), Pick(3) - 1);
         }},
        {"cache_read",
         [&] {
           CacheRead(schedule_, std::vector<Tensor>{Out(*schedule_->stages[Any()])}, "local", {});
         }},
        {"cache_write", [&] { CacheWrite(schedule_, {Out(AnyStage())}, "local"); }},
        {"set_scope", [&] { SetScope(AnyStage(), "local"); }},
        {"create_group",
         [&] {
           const Tensor out = Out(AnyStage());
           CreateGroup(schedule_, {out}, {Out(*schedule_->stages[Any()])}, Pick(2) == 0);
         }},
        {"attach_group", [&] { AttachGroup(); }},
        {"attach_group", [&] { AttachGroup(); }},
        {"transform_layout",
         [&] {
           const Stage& stage = *schedule_->stages[Any()];
           TransformLayout(schedule_, Out(stage), [&](const std::vector<ir::Var>& d) {
             std::vector<Expr> places;
             for (const ir::Var& var : d) {
               if (Pick(2) == 0) {
                 places.emplace_back(var);
               } else {
                 places.push_back(ir::FloorModulo(var, Int(3)));
                 places.insert(places.begin(), ir::FloorDivide(var, Int(3)));
               }
             }
             return places;
           });
         }},
        {"rolling_buffer", [&] { RollingBuffer(Attach()); }},
        {"rolling_buffer", [&] { RollingBuffer(Attach()); }},
        {"rolling_buffer", [&] { RollingBuffer(schedule_[b_]); }},
    };
    const auto& [name, action] =
        actions[static_cast<size_t>(Pick(static_cast<int>(actions.size())))];
    const size_t steps = schedule_->trace.size();
    try {
      action();
    } catch (const Error& error) {
      EXPECT_TRUE(error.name().starts_with("schedule-")) << error.what();
      // `rolling_buffer` attaches a stage first, and may be refused after that.
      EXPECT_LE(schedule_->trace.size(), steps + 1) << "a refused step was recorded";
      return "";
    }
    return schedule_->trace.size() > steps ? name : "";
  }

  Schedule& schedule() { return schedule_; }
  // Includes the size, because the shape of a tiled argument does not determine it.
  std::vector<NodeRef> args() const {
    if (!symbolic()) return {x_, z_};
    return {n_, x_, z_};
  }
  bool symbolic() const { return ir::AsConstInt(n_) == nullptr; }

 private:
  int Pick(int count) { return static_cast<int>(random_() % static_cast<uint32_t>(count)); }
  size_t Any() { return static_cast<size_t>(Pick(static_cast<int>(schedule_->stages.size()))); }
  Stage& AnyStage() {
    do {
      stage_ = schedule_->stages[Any()].get();
    } while (stage_->is_placeholder());
    return *stage_;
  }
  // A loop of the last chosen stage.
  IterVar AnyLeaf() {
    return stage_->leaf_axes[static_cast<size_t>(Pick(static_cast<int>(stage_->leaf_axes.size())))];
  }
  // Attaches a stage to a loop of one of its readers.
  Stage& Attach() {
    Stage& stage = AnyStage();
    const std::vector<Stage*> readers = ReadersOf(*schedule_, stage.op);
    if (!readers.empty()) {
      stage_ = readers[static_cast<size_t>(Pick(static_cast<int>(readers.size())))];
      ComputeAt(stage, *stage_, AnyLeaf());
    }
    return stage;
  }
  void AttachGroup() {
    if (schedule_->groups.empty()) return;
    stage_ = &schedule_[z_];
    ComputeAt(*schedule_->groups.back(), *stage_, AnyLeaf());
  }
  static Tensor Out(const Stage& stage) { return ir::OutputOf(stage.op, 0); }

  std::mt19937 random_;
  Expr n_;
  Tensor x_, b_, c_, z_;
  IterVar k_, l_;
  Schedule schedule_;
  Stage* stage_ = nullptr;
};

TEST(RandomSchedules, AreRightOrRefused) {
  std::map<std::string, int> used;
  int right = 0;
  constexpr int kCases = kAddressSanitizer ? 80 : 400;
  for (uint32_t seed = 0; seed < kCases; ++seed) {
    Case a_case(seed);
    std::map<std::string, int> steps;
    for (int i = 0; i < 8; ++i) {
      // If lowering refuses the schedule after a step, the step is undone.
      const Schedule before = CopySchedule(a_case.schedule());
      const std::string name = a_case.Step();
      if (ErrorName([&] { LoopsOf(a_case.schedule(), a_case.args()); }) != "no error")
        a_case.schedule() = before;
      else if (!name.empty())
        ++steps[name];
    }
    std::vector<std::vector<int64_t>> sizes = {{}};
    if (a_case.symbolic()) sizes = {{0}, {1}, {7}};
    for (const std::vector<int64_t>& size : sizes) {
      const std::string wrong = WhatIsWrong(a_case.schedule(), a_case.args(), size, seed);
      ASSERT_EQ(wrong, "") << "seed " << seed << ", size " << (size.empty() ? -1 : size[0]);
    }
    ++right;
    for (const auto& [name, count] : steps) ++used[name];
  }
  EXPECT_EQ(right, kCases);
  if (kAddressSanitizer) return;  // too few of them to use everything
  EXPECT_EQ(used.size(), 14u);
  for (const auto& [name, count] : used) {
    std::printf("%-18s %d of %d\n", name.c_str(), count, kCases);
    EXPECT_GE(count, kCases / 80) << name;
  }
}

}  // namespace
}  // namespace lathe::schedule

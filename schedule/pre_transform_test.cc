#include "schedule/pre_transform.h"

#include <gtest/gtest.h>

#include <string>

#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "schedule/trace.h"

namespace lathe::schedule {
namespace {

// A product with this schedule.
Loaded Product(const std::string& steps) {
  return FromProgram(
      ir::ParseProgram("program p { placeholder A: float32[4, 6] placeholder B: float32[6, 32] "
                       "compute C[i in range(4), j in range(32)] over [k in range(6)] = "
                       "sum(A[i, k] * B[k, j], axis=[k]) args [A, B, C] schedule { " +
                       steps + " } }"));
}

// The schedule's steps afterwards, one line each.
std::string Steps(const std::string& steps, std::vector<Tensor>* transformed = nullptr) {
  const Loaded loaded = Product(steps);
  const Tensor b = ir::RefAs<ir::TensorNode>(loaded.args[1]);
  const Schedule made = PreTransform(loaded.schedule, {b}, transformed);
  std::string text;
  for (const Ref<const ir::StepNode>& step : made->trace) text += ir::ToText(step) + "\n";
  return text;
}

constexpr char kCopy[] =
    "B.global = cache_read(stage=B, output=0, scope=\"global\", readers=(list<handle>(\"C\"))) ";
constexpr char kLayout[] =
    "transform_layout(stage=B.global, output=0, map=(list<handle>(\"d1 // 16\", \"d0\", "
    "\"d1 % 16\")), separators=(list<handle>())) ";

TEST(PreTransform, TheArgumentGetsTheLayoutOfItsCopy) {
  std::vector<Tensor> transformed;
  const std::string steps =
      Steps(std::string(kCopy) + kLayout +
                "B.global.j.outer, B.global.j.inner = split(axis=B.global.j, factor=16) "
                "parallel(axis=B.global.j.outer) C.j.outer, C.j.inner = split(axis=C.j, factor=16)",
            &transformed);
  EXPECT_EQ(steps,
            "transform_layout(map=(list<handle>(\"d1 // 16\", \"d0\", \"d1 % 16\")), output=0, "
            "separators=(list<handle>()), stage=B)\n"
            "C.j.outer, C.j.inner = split(axis=C.j, factor=16)\n");
  ASSERT_EQ(transformed.size(), 1u);
  EXPECT_EQ(transformed[0]->name(), "B");
}

TEST(PreTransform, TheScheduleThatIsGivenStays) {
  const Loaded loaded = Product(std::string(kCopy) + kLayout);
  const Schedule made = PreTransform(loaded.schedule, {ir::RefAs<ir::TensorNode>(loaded.args[1])});
  EXPECT_EQ(loaded.schedule->trace.size(), 2u);
  EXPECT_EQ(loaded.schedule->stages.size(), 4u);
  EXPECT_EQ(made->stages.size(), 3u);
}

TEST(PreTransform, OtherCopiesStay) {
  std::vector<Tensor> transformed;
  // In the same order: there is nothing to do before.
  EXPECT_NE(Steps(kCopy, &transformed).find("cache_read"), std::string::npos);
  // Made again for each row: not as a whole.
  EXPECT_NE(Steps(std::string(kCopy) + kLayout + "compute_at(stage=B.global, target=C, axis=C.i)",
                  &transformed)
                .find("cache_read"),
            std::string::npos);
  // A copy of the copy.
  EXPECT_NE(Steps(std::string(kCopy) + kLayout +
                      "B.global.local = cache_read(stage=B.global, output=0, scope=\"local\", "
                      "readers=(list<handle>(\"C\")))",
                  &transformed)
                .find("cache_read"),
            std::string::npos);
  EXPECT_TRUE(transformed.empty());
  // Of an argument that must stay as it is.
  const Loaded loaded = Product(std::string(kCopy) + kLayout);
  EXPECT_EQ(PreTransform(loaded.schedule, {})->stages.size(), 4u);
}

}  // namespace
}  // namespace lathe::schedule

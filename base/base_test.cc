#include "base/dtype.h"
#include "base/error.h"
#include "base/message.h"
#include "base/object.h"
#include "gtest/gtest.h"
#include "lathe/abi/value.h"

namespace lathe {
namespace {

struct Link : Object {
  explicit Link(Ref<Link> next) : Object(1), next(std::move(next)) { ++alive; }
  ~Link() { --alive; }
  Ref<Link> next;
  static inline int alive = 0;
};

TEST(Object, DroppingALongChainTakesNoStack) {
  Ref<Link> head;
  for (int i = 0; i < 2'000'000; ++i) head = Make<Link>(std::move(head));
  EXPECT_EQ(Link::alive, 2'000'000);
  head = nullptr;
  EXPECT_EQ(Link::alive, 0);
}

TEST(Object, CountsReferences) {
  Ref<Link> a = Make<Link>(nullptr);
  EXPECT_TRUE(a->unique());
  {
    Ref<const Link> b = a;
    EXPECT_FALSE(a->unique());
    EXPECT_TRUE(b.same_as(a));
  }
  EXPECT_TRUE(a->unique());
  Ref<Link> moved = std::move(a);
  EXPECT_TRUE(moved->unique());
}

TEST(DataType, NamesRoundTrip) {
  for (const char* name :
       {"bool", "int1", "int4", "uint1", "uint4", "int8x16", "uint64", "float16", "float32x4",
        "float64", "bfloat16x2", "float8_e4m3fn", "float8_e5m2fnuz", "float8_e3m4",
        "float8_e8m0fnu", "handle", "void", "float32xvscalex4", "boolx8"}) {
    DataType t;
    ASSERT_TRUE(DataType::Parse(name, &t)) << name;
    EXPECT_EQ(t.ToString(), name);
  }
  DataType t = DataType::Int(8);
  for (const char* bad : {"", "int", "int33", "float", "float12", "int8x", "int8x0", "int32x99999",
                          "floaty", "boolx", "uint8y"}) {
    EXPECT_FALSE(DataType::Parse(bad, &t)) << bad;
  }
  EXPECT_EQ(t, DataType::Int(8));
}

TEST(DataType, ScalableLanesAreKept) {
  const DataType t = DataType::Float(32).with_scalable_lanes(4);
  EXPECT_TRUE(t.is_scalable());
  EXPECT_EQ(t.lanes(), 4);
  EXPECT_FALSE(t.is_scalar());
}

TEST(Error, ShowsWhereAndWhatToDo) {
  const Error error(Diagnostic{.name = "test-name",
                               .message = "something is off",
                               .expected = "this",
                               .found = "that",
                               .help = "do it",
                               .notes = {"a\nb"},
                               .where = {"prog.lathe", 12, 5, "let y = x"}});
  EXPECT_STREQ(error.what(),
               "error[test-name]: something is off\n"
               "  --> prog.lathe:12:5\n"
               "   |\n"
               "12 | let y = x\n"
               "   |     ^\n"
               "  expected: this\n"
               "  found: that\n"
               "  note: a\n    b\n"
               "  help: do it");
}

TEST(Error, ChecksThrowAndSayWhy) {
  try {
    LATHE_CHECK(1 == 2) << "reason " << 7;
    FAIL();
  } catch (const InternalError& e) {
    EXPECT_NE(std::string(e.what()).find("reason 7"), std::string::npos);
  }
}

TEST(Message, PlacesAreWhatIsSpelledLikeThem) {
  const auto print = [](size_t i, ShownAs as) {
    return "<" + std::to_string(i) + (as == ShownAs::kItself ? "" : "?") + ">";
  };
  EXPECT_EQ(FillPlaces("{0} {1:kind}{2:dtype}, {3:device}", 4, print), "<0> <1?><2?>, <3?>");
  for (const char* text :
       {"{", "{}", "{0", "{8}", "{a}", "{0:kin}", "{0:kind", "{0:}", "{ 0}", "{2}", "{2:kind}"})
    EXPECT_EQ(FillPlaces(text, 2, print), text);
}

TEST(Message, KindsHaveNames) {
  EXPECT_EQ(ValueKindText(LATHE_VALUE_INT), "an integer");
  EXPECT_EQ(ValueKindText(LATHE_VALUE_STRING), "a string");
  EXPECT_EQ(ValueKindText(LATHE_VALUE_OBJECT), "an object");
  for (const int64_t unknown : {-1, 10, 63, 65})
    EXPECT_EQ(ValueKindText(unknown), "an unknown kind (" + std::to_string(unknown) + ")");
}

TEST(Error, NearestNames) {
  EXPECT_EQ(NearestNames("splt", {"fuse", "split", "tile"}).front(), "split");
  EXPECT_TRUE(NearestNames("zzzzzz", {"fuse", "split"}).empty());
  EXPECT_EQ(QuotedList({"a", "b", "c"}), "`a`, `b` or `c`");
}

}  // namespace
}  // namespace lathe

#include "runtime/value.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "runtime/error_object.h"
#include "runtime/function.h"
#include "runtime/raise.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

// Returns the name of the diagnostic that `body` throws; "" if it throws none.
template <class F>
std::string Thrown(F body) {
  try {
    body();
  } catch (const Error& error) {
    return error.name();
  }
  return "";
}

TEST(Value, HoldsEveryKind) {
  EXPECT_TRUE(Value().is_none());
  EXPECT_TRUE(Value(nullptr).is_none());
  EXPECT_EQ(Value(42).As<int64_t>(), 42);
  EXPECT_EQ(Value(42).As<double>(), 42.0);
  EXPECT_EQ(Value(true).kind(), LATHE_VALUE_BOOL);
  EXPECT_EQ(Value(1.5).As<float>(), 1.5f);
  EXPECT_EQ(Value("text").As<std::string>(), "text");
  EXPECT_EQ(Value(std::string("a\0b", 3)).As<std::string>().size(), 3u);
  EXPECT_EQ(Value::Bytes(std::string_view("\0\1", 2)).As<std::string_view>().size(), 2u);
  EXPECT_EQ(Value(DataType::Float(32)).As<DataType>(), DataType::Float(32));
  EXPECT_EQ(Value("int4x2").As<DataType>(), DataType::Int(4, 2));
  const Device device{kDLCUDA, 3, 7};
  EXPECT_EQ(Value(device).As<Device>(), device);
  const std::vector<Value> items = {1, "two", 3.0};
  EXPECT_EQ(Value(items).As<std::vector<Value>>()[1].As<std::string>(), "two");
  EXPECT_EQ(Value(items).As<std::vector<Value>>().size(), 3u);
  EXPECT_EQ(Value().As<std::optional<int>>(), std::nullopt);
  EXPECT_EQ(Value(7).As<std::optional<int>>(), 7);
  int there = 0;
  EXPECT_EQ(Value(static_cast<void*>(&there)).As<void*>(), &there);
}

TEST(Value, WrongKindAndRangeAreNamed) {
  EXPECT_EQ(Thrown([] { Value("x").As<int>(); }), "value-wrong-kind");
  EXPECT_EQ(Thrown([] { Value(1.5).As<int>(); }), "value-wrong-kind");
  EXPECT_EQ(Thrown([] { Value().As<std::string>(); }), "value-wrong-kind");
  EXPECT_EQ(Thrown([] { Value(int64_t{1} << 40).As<int32_t>(); }), "value-out-of-range");
  EXPECT_EQ(Thrown([] { Value(-1).As<uint8_t>(); }), "value-out-of-range");
  EXPECT_EQ(Thrown([] { Value(2).As<bool>(); }), "value-out-of-range");
  EXPECT_EQ(Thrown([] { Value(~uint64_t{0}); }), "value-out-of-range");
  try {
    Value(300).As<int8_t>();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.diagnostic().expected, "a value that fits int8");
    EXPECT_EQ(error.diagnostic().found, "int 300");
  }
}

TEST(Value, SharesObjectsAndDropsThemOnce) {
  auto text = MakeStringObject("shared");
  EXPECT_EQ(text.get()->object.refs, 1u);
  {
    Value a = Value::CopyOf(internal::ObjectValue(text.get()));
    Value b = a;
    Value c = std::move(a);
    EXPECT_EQ(text.get()->object.refs, 3u);
    b = c;
    EXPECT_EQ(text.get()->object.refs, 3u);
  }
  EXPECT_EQ(text.get()->object.refs, 1u);
}

TEST(Value, CopiesWhatIsBorrowed) {
  std::string text = "borrowed";
  Value copy = Value::CopyOf(ValueTraits<const char*>::Borrow(text.c_str()));
  text[0] = 'X';
  EXPECT_EQ(copy.As<std::string>(), "borrowed");
  DLTensor tensor{};
  EXPECT_EQ(Thrown([&] { Value::CopyOf(ValueTraits<const DLTensor*>::Borrow(&tensor)); }),
            "value-borrowed-tensor");
}

TEST(Value, DropsDeepNestingWithoutRecursion) {
  Value nested;
  for (int i = 0; i < 1000000; ++i) nested = Value(std::vector<Value>{std::move(nested)});
  nested = Value();
}

TEST(Function, ConvertsArgumentsAndResult) {
  Function add =
      Function::From([](int64_t a, double b) { return static_cast<double>(a) + b; }, "add");
  EXPECT_EQ(add(1, 2.5).As<double>(), 3.5);
  Function join =
      Function::From([](const std::string& a, std::string_view b) { return a + std::string(b); });
  EXPECT_EQ(join("a", std::string("b")).As<std::string>(), "ab");
  EXPECT_EQ(join(std::string("x\0y", 3), std::string_view("zz").substr(1)).As<std::string>(),
            std::string("x\0yz", 4));
  Function nothing = Function::From([] {});
  EXPECT_TRUE(nothing().is_none());
  Function packed = Function::From([](const Args& args, Value* result) { *result = args.size(); });
  EXPECT_EQ(packed(1, nullptr, "three").As<int>(), 3);
  Function apply = Function::From([](Function f, int x) { return f(x); });
  EXPECT_EQ(apply(Function::From([](int x) { return x * 2; }), 21).As<int>(), 42);
}

TEST(Function, NamesTheArgumentThatDoesNotFit) {
  Function add = Function::From([](int32_t a, int32_t b) { return a + b; }, "add");
  try {
    add(1, "two");
    FAIL();
  } catch (const CallError& error) {
    EXPECT_EQ(error.name(), "call-wrong-argument-kind");
    EXPECT_EQ(error.diagnostic().message, "argument 1 of `add` is of another kind");
    EXPECT_EQ(error.diagnostic().expected, "int32");
    EXPECT_EQ(error.diagnostic().found, "string \"two\"");
    EXPECT_EQ(error.code(), absl::StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(Thrown([&] { add(1, int64_t{1} << 40); }), "call-argument-out-of-range");
  EXPECT_EQ(Thrown([&] { add(1); }), "call-wrong-argument-count");
  EXPECT_EQ(Thrown([&] { add(1, 2, 3); }), "call-wrong-argument-count");
  EXPECT_EQ(Thrown([&] { Function()(); }), "call-null-function");
  EXPECT_EQ(StatusName(Function().TryCall().status()), "call-null-function");
}

TEST(Function, ExceptionsBecomeErrorsAtTheBorder) {
  Function diagnostic = Function::From([] {
    throw Error({.name = "some-name",
                 .message = "m",
                 .expected = "e",
                 .found = "f",
                 .help = "h",
                 .notes = {"n"}});
  });
  try {
    diagnostic();
    FAIL();
  } catch (const CallError& error) {
    EXPECT_EQ(error.diagnostic().ToString(), Error({.name = "some-name",
                                                    .message = "m",
                                                    .expected = "e",
                                                    .found = "f",
                                                    .help = "h",
                                                    .notes = {"n"}})
                                                 .diagnostic()
                                                 .ToString());
  }
  EXPECT_EQ(Thrown([] { Function::From([] { throw std::runtime_error("plain"); })(); }),
            "exception");
  EXPECT_EQ(Thrown([] { Function::From([] { throw 3; })(); }), "exception");
  EXPECT_EQ(Thrown([] { Function::From([] { throw std::bad_alloc(); })(); }), "out-of-memory");
  EXPECT_EQ(Thrown([] { Function::From([] { LATHE_CHECK(false) << "bug"; })(); }),
            "internal-error");
  // The failure of an inner call arrives unchanged.
  Function outer = Function::From([&] { diagnostic(); });
  EXPECT_EQ(Thrown([&] { outer(); }), "some-name");
}

TEST(Function, StatusesTravelBothWays) {
  Function missing = Function::From(
      [](int fail) -> absl::StatusOr<int> {
        if (fail == 0) return 5;
        return MakeStatus(absl::StatusCode::kNotFound, "file-missing",
                          "no such file\nhelp: look elsewhere");
      },
      "missing");
  EXPECT_EQ(missing(0).As<int>(), 5);
  const absl::Status status = missing.TryCall(1).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(StatusName(status), "file-missing");
  EXPECT_EQ(StatusText(status), "no such file\nhelp: look elsewhere");
  try {
    missing(1);
    FAIL();
  } catch (const CallError& error) {
    EXPECT_EQ(error.code(), absl::StatusCode::kNotFound);
    EXPECT_EQ(error.diagnostic().help, "look elsewhere");
  }
  EXPECT_TRUE(Function::From([] { return absl::OkStatus(); }).TryCall().ok());
}

TEST(Function, KeepsTheOriginThroughSeveralBorders) {
  Function inner = Function::From([] {
    ThrowError(
        *MakeErrorObject(LATHE_UNAVAILABLE, "device-lost", "gone", "", "plugin acme 1.2").get());
  });
  Function outer = Function::From([&] { inner(); });
  try {
    outer();
    FAIL();
  } catch (const CallError& error) {
    EXPECT_EQ(error.origin(), "plugin acme 1.2");
    EXPECT_EQ(error.diagnostic().notes, std::vector<std::string>{"reported by plugin acme 1.2"});
    EXPECT_EQ(error.code(), absl::StatusCode::kUnavailable);
  }
}

TEST(Function, AProviderThatFailsWithoutAnErrorIsNamed) {
  struct Bare {
    lathe_function function = {{1, LATHE_OBJECT_FUNCTION, [](lathe_object*) {}},
                               [](void*, const lathe_value*, int32_t, lathe_value*) { return -1; },
                               nullptr};
  } bare;
  EXPECT_EQ(Thrown([&] { Function{&bare.function}(); }), "call-failed-without-error");
}

TEST(Function, DropsItsCaptures) {
  auto witness = std::make_shared<int>(1);
  {
    Function holds = Function::From([witness] { return *witness; });
    Function other = holds;  // NOLINT(performance-unnecessary-copy-initialization)
    EXPECT_EQ(witness.use_count(), 2);
    EXPECT_EQ(other().As<int>(), 1);
  }
  EXPECT_EQ(witness.use_count(), 1);
}

TEST(Raise, NamesKindsTypesAndDevices) {
  const DLDataType dtype = DataType::Float(16).dl();
  const lathe_value values[] = {
      ValueTraits<int>::Borrow(LATHE_VALUE_OBJECT), ValueTraits<int>::Borrow(65),
      ValueTraits<int>::Borrow(dtype.code | dtype.bits << 8 | dtype.lanes << 16),
      ValueTraits<int64_t>::Borrow(kDLCPU | int64_t{3} << 32),
      ValueTraits<const char*>::Borrow("text")};
  Raise("n", "{0:kind}, {1:kind}, {2:dtype}, {3:device}, {4:kind}, {5:kind}", values, 5);
  EXPECT_STREQ(TakePendingError().get()->message,
               "an object, an unknown kind (65), float16, cpu:3, text, {5:kind}");
}

TEST(Raise, FormatsAndKeepsTheFirst) {
  const lathe_value values[] = {ValueTraits<int>::Borrow(3), ValueTraits<const char*>::Borrow("A"),
                                ValueTraits<DataType>::Borrow(DataType::Int(8))};
  EXPECT_EQ(
      Raise("call-wrong-rank", "argument {1} has rank {0} of {2} {9} {\nexpected: 2", values, 3),
      -1);
  EXPECT_EQ(Raise("later", "ignored", nullptr, 0), -1);
  EXPECT_TRUE(HasPendingError());
  const ErrorRef error = TakePendingError();
  EXPECT_STREQ(error.get()->name, "call-wrong-rank");
  EXPECT_STREQ(error.get()->message, "argument A has rank 3 of int8 {9} {");
  EXPECT_STREQ(error.get()->notes, "expected: 2");
  EXPECT_FALSE(HasPendingError());
  EXPECT_STREQ(TakePendingError().get()->name, "unknown-failure");
}

}  // namespace
}  // namespace lathe::runtime

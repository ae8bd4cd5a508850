#include "runtime/graph/size_expression.h"

#include <algorithm>
#include <limits>

#include "runtime/graph/sizes.h"
#include "runtime/status.h"

namespace lathe::runtime::graph {
namespace {

constexpr size_t kMaxText = 65536;
constexpr int kMaxDepth = 64;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

}  // namespace

// By recursive descent, to a depth of kMaxDepth.
class SizeExpression::Parser {
 public:
  Parser(std::string_view text, std::span<const std::string> names) : text_(text), names_(names) {}

  absl::StatusOr<SizeExpression> Run() {
    if (text_.size() > kMaxText || !Sum() || (Space(), at_ != text_.size()))
      return MakeStatus(
          absl::StatusCode::kInvalidArgument, "size-expression-invalid",
          {"`", text_.substr(0, 200), "` cannot be read at character ", std::to_string(at_),
           "\nexpected: numbers, sizes, + - * // %, min, max, truncdiv, truncmod"});
    SizeExpression out;
    out.code_ = std::move(code_);
    return out;
  }

 private:
  void Space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool Take(std::string_view token) {
    Space();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  bool Add(Op op, int64_t number = 0) {
    code_.push_back({op, number});
    return true;
  }

  bool Sum() {
    if (!Product()) return false;
    for (;;) {
      if (Take("+")) {
        if (!Product()) return false;
        Add(Op::kAdd);
      } else if (Take("-")) {
        if (!Product()) return false;
        Add(Op::kSub);
      } else {
        return true;
      }
    }
  }
  bool Product() {
    if (!Operand()) return false;
    for (;;) {
      const Op op = Take("*")    ? Op::kMul
                    : Take("//") ? Op::kFloorDiv
                    : Take("%")  ? Op::kFloorMod
                                 : Op::kNumber;
      if (op == Op::kNumber) return true;
      if (!Operand()) return false;
      Add(op);
    }
  }
  bool Operand() {
    if (++depth_ > kMaxDepth) return false;
    const bool good = Inner();
    --depth_;
    return good;
  }
  bool Inner() {
    if (Take("(")) return Sum() && Take(")");
    if (Take("-")) return Add(Op::kNumber, 0) && Operand() && Add(Op::kSub);
    Space();
    if (at_ == text_.size()) return false;
    if (IsDigit(text_[at_])) return Number();
    if (text_[at_] == '`') {
      const size_t end = text_.find('`', at_ + 1);
      if (end == std::string_view::npos) return false;
      const std::string_view name = text_.substr(at_ + 1, end - at_ - 1);
      return Size(name, end + 1);
    }
    if (!IsNameStart(text_[at_])) return false;
    size_t end = at_;
    while (end < text_.size() &&
           (IsNameStart(text_[end]) || IsDigit(text_[end]) || text_[end] == '.'))
      ++end;
    const std::string_view name = text_.substr(at_, end - at_);
    if (end < text_.size() && text_[end] == '(') return Call(name, end + 1);
    return Size(name, end);
  }
  bool Number() {
    int64_t value = 0;
    for (; at_ < text_.size() && IsDigit(text_[at_]); ++at_) {
      if (__builtin_mul_overflow(value, 10, &value) ||
          __builtin_add_overflow(value, text_[at_] - '0', &value))
        return false;
    }
    // A suffix with the type.
    for (const std::string_view suffix : {"i64", "i32", "u64", "u32"})
      if (text_.substr(at_, suffix.size()) == suffix) {
        at_ += suffix.size();
        break;
      }
    return Add(Op::kNumber, value);
  }
  bool Size(std::string_view name, size_t end) {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) return false;
    at_ = end;
    return Add(Op::kSize, found - names_.begin());
  }
  bool Call(std::string_view name, size_t begin) {
    for (const std::string_view cast : {"int64", "int32", "uint64", "uint32"}) {
      if (name != cast) continue;
      at_ = begin;
      return Sum() && Take(")");
    }
    const Op op = name == "min"        ? Op::kMin
                  : name == "max"      ? Op::kMax
                  : name == "truncdiv" ? Op::kTruncDiv
                  : name == "truncmod" ? Op::kTruncMod
                                       : Op::kNumber;
    if (op == Op::kNumber) return false;
    at_ = begin;
    return Sum() && Take(",") && Sum() && Take(")") && Add(op);
  }

  std::string_view text_;
  std::span<const std::string> names_;
  size_t at_ = 0;
  int depth_ = 0;
  std::vector<Instruction> code_;
};

absl::StatusOr<SizeExpression> SizeExpression::Parse(std::string_view text,
                                                     std::span<const std::string> names) {
  return Parser(text, names).Run();
}

std::optional<int64_t> SizeExpression::Evaluate(std::span<const int64_t> values) const {
  std::vector<int64_t> stack;
  for (const Instruction& step : code_) {
    if (step.op == Op::kNumber || step.op == Op::kSize) {
      stack.push_back(step.op == Op::kNumber ? step.number
                                             : values[static_cast<size_t>(step.number)]);
      continue;
    }
    const int64_t b = stack.back();
    stack.pop_back();
    const int64_t a = stack.back();
    std::optional<int64_t> out;
    switch (step.op) {
      case Op::kAdd:
        out = ApplySize(PlanSize::Kind::kAdd, a, b);
        break;
      case Op::kSub:
        out = ApplySize(PlanSize::Kind::kSub, a, b);
        break;
      case Op::kMul:
        out = ApplySize(PlanSize::Kind::kMul, a, b);
        break;
      case Op::kFloorDiv:
        out = ApplySize(PlanSize::Kind::kFloorDiv, a, b);
        break;
      case Op::kFloorMod:
        out = ApplySize(PlanSize::Kind::kFloorMod, a, b);
        break;
      case Op::kMin:
        out = std::min(a, b);
        break;
      case Op::kMax:
        out = std::max(a, b);
        break;
      case Op::kTruncDiv:
        if (b > 0) out = a / b;
        break;
      case Op::kTruncMod:
        if (b > 0) out = a % b;
        break;
      case Op::kNumber:
      case Op::kSize:
        break;
    }
    if (!out) return std::nullopt;
    stack.back() = *out;
  }
  return stack.back();
}

}  // namespace lathe::runtime::graph

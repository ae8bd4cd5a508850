// One operator of a model while it is converted: what all formats have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/import/maker.h"

namespace lathe::graph {

class OperatorContext : public Maker {
 public:
  OperatorContext(Values& values, std::string name)
      : Maker(values, std::move(name)), values_(values) {}
  virtual ~OperatorContext() = default;

  // -- Inputs. Those that are needed and not there are errors.
  virtual bool Has(size_t i) const = 0;
  virtual ir::GraphVar In(size_t i) const = 0;
  // The extents as numbers. Calls Fail if one is not known; `what` names the tensor.
  std::vector<int64_t> FixedShape(const ir::GraphVar& var, const char* what) const;

  // -- Values that must be known, or FailValue is called. `what` names the input: "axes".
  // Nothing if the input is not known or not there.
  std::optional<TensorValue> Known(size_t i) const;
  std::vector<int64_t> Ints(size_t i, const char* what) const;
  std::vector<double> Floats(size_t i, const char* what) const;
  int64_t Int(size_t i, const char* what) const;
  // Are the integers of the input known, as numbers or as expressions over sizes?
  bool AreKnown(size_t i) const;
  // These integers, as int64.
  std::vector<ir::Expr> Extents(size_t i, const char* what) const;

  // An axis of `rank` dimensions, counted from the end if it is negative.
  int64_t Axis(int64_t axis, int64_t rank) const;
  std::vector<int64_t> Axes(std::vector<int64_t> axes, int64_t rank) const;

  // -- Errors.
  // "node `conv1` (Conv, opset 13)".
  virtual std::string Title() const = 0;
  // Throws Error: the title and the problem ("lacks input 1").
  [[noreturn]] void Fail(const std::string& problem, std::string expected = "",
                         std::string found = "", std::string help = "") const {
    Throw(problem, std::move(expected), std::move(found), std::move(help));
  }
  // Throws Error: the value of input `i`, which `what` names, is not known.
  [[noreturn]] virtual void FailValue(size_t i, const char* what) const = 0;

 private:
  // Fail, with the format's own name of the error.
  [[noreturn]] virtual void Throw(const std::string& problem, std::string expected,
                                  std::string found, std::string help) const = 0;

  Values& values_;
};

}  // namespace lathe::graph

// The common reducers, by name.
//
//   sum, prod, min, max     of numbers
//   all, any                of bool
//   argmin, argmax          of (index, value) pairs: the value's index; the smaller index of equal
//                           values
//
// The identities are: for sum 0 and for prod 1; for min and max the infinity of a floating type
// that has one, else the type's largest or smallest value; for all true and for any false; for
// argmin and argmax the largest index, together with the identity of min or max.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/buffer.h"

namespace lathe::ir {

namespace reducer_name {
inline constexpr char kSum[] = "sum";
inline constexpr char kProd[] = "prod";
inline constexpr char kMin[] = "min";
inline constexpr char kMax[] = "max";
inline constexpr char kAny[] = "any";
inline constexpr char kAll[] = "all";
inline constexpr char kArgmin[] = "argmin";
inline constexpr char kArgmax[] = "argmax";
}  // namespace reducer_name

// Makes a new reducer. Returns null if there is no reducer `name`, or none for values of these
// types.
Reducer NamedReducer(std::string_view name, const std::vector<DataType>& types);
bool IsReducerName(std::string_view name);
std::vector<std::string> ReducerNames();
// Is `reducer` equal to the one that NamedReducer makes under its name? Names of variables may
// differ.
bool IsNamedReducer(const ReducerNode& reducer);

}  // namespace lathe::ir

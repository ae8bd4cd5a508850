// Programs without a schedule, scheduled by AutoSchedule for two machines.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/address_sanitizer.h"
#include "gtest/gtest.h"
#include "te/operation.h"
#include "tests/schedule/expect.h"
#include "topi/cpu/auto/auto_schedule.h"

namespace lathe::topi::cpu {

// Parameters: the bytes of a vector, the number of vector registers.
class AutoScheduled : public testing::TestWithParam<std::pair<int, int>> {
 protected:
  target::Machine machine() const {
    target::Machine out;
    out.vector_bytes = GetParam().first;
    out.vector_registers = GetParam().second;
    out.l2.bytes = l2_bytes_;
    return out;
  }
  int64_t l2_bytes_ = 512 * 1024;
  schedule::Schedule Of(const std::vector<te::Tensor>& outputs) const {
    std::vector<ir::Op> ops;
    for (const te::Tensor& output : outputs) ops.push_back(output->op);
    return AutoSchedule(ops, machine());
  }
  // `args`: the inputs, then `outputs` outputs.
  void Check(const std::vector<te::Tensor>& args, size_t outputs = 1,
             const std::vector<ir::Var>& vars = {},
             std::vector<std::vector<int64_t>> sizes = {{}}) const {
    const std::vector<te::Tensor> last(args.end() - static_cast<ptrdiff_t>(outputs), args.end());
    schedule::ExpectSameAnswers(Of(last), {args.begin(), args.end()}, vars, std::move(sizes));
  }
};

// Two machines; one under the address sanitizer, for which both take the same ways.
inline const auto kAutoScheduledMachines =
    testing::ValuesIn(kAddressSanitizer ? std::vector{std::pair{64, 32}}
                                        : std::vector{std::pair{16, 32}, std::pair{64, 32}});
inline std::string AutoScheduledName(const testing::TestParamInfo<std::pair<int, int>>& info) {
  return "Vectors" + std::to_string(8 * info.param.first);
}

}  // namespace lathe::topi::cpu

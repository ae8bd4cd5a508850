#include "tune/shipped_records.h"

#include <string_view>

#include "tune/journal.h"
#include "tune/shipped_text.h"

namespace lathe::tune {

std::shared_ptr<const BestRecords> ShippedRecords() {
  static const std::shared_ptr<const BestRecords> shipped = [] {
    auto records = std::make_shared<BestRecords>();
    // All of them are good: //tune:shipped_records_test.
    for (const std::string_view line : kShippedLines) {
      ReadJournalText(line, [&](std::string_view text, int64_t) {
        if (absl::StatusOr<Record> record = RecordFromText(text); record.ok())
          records->Add(*std::move(record));
      });
    }
    return records;
  }();
  return shipped;
}

}  // namespace lathe::tune

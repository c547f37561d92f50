// SPDX-License-Identifier: BSD-3-Clause
// Ramulator 2 traces of address vectors (src/frontend/impl/memory_trace/readwrite_trace.cpp,
// ReadWriteTrace): R or W, and a number for each level of the DRAM, from channel to column,
// separated by commas. Ramulator 2 passes the vectors to its controllers unchanged. Here the user
// gives the number of elements at each level, and a vector becomes its index in that mixed-radix
// order. Lines with adjacent columns are adjacent.
#include <utility>

#include "core/archive.h"
#include "core/types.h"
#include "traces/text_trace.h"
#include "traces/trace_formats.h"

namespace hmsim {

namespace {

constexpr const char* kLine = "R|W <channel>,...,<column>";

class VectorTrace final : public AccessSource {
 public:
  VectorTrace(TraceReader reader, AddressLevels levels)
      : levels_(std::move(levels)),
        text_(std::move(reader), kLine, 1 + levels_.size(), 1 + levels_.size(), " \t,") {}

  bool next(Access& access) override {
    access = Access();
    if (!text_.next()) {
      return false;
    }
    access.write = text_.either(0, "R", "W");
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      const std::uint64_t number = text_.number(i + 1, "the number");
      if (number >= levels_[i]) {
        text_.fail("number " + std::to_string(number) + " of level " + std::to_string(i) +
                   " must be below the " + std::to_string(levels_[i]) + " of 'levels'");
      }
      access.address = access.address * levels_[i] + number;
    }
    access.address *= static_cast<std::uint64_t>(kLineBytes.value());
    text_.accept();
    return true;
  }
  void rewind() override { text_.rewind(); }
  double fraction() const override { return text_.fraction(); }
  void serialize(Archive& archive) override { text_.serialize(archive); }

 private:
  AddressLevels levels_;
  TextTrace text_;
};

}  // namespace

extern const FormatDescriptor kFormat_ramulator2_rw{
    "ramulator2_rw",
    kLine,
    TimeUnit::none,
    false,
    [](const TraceStart& start) {
      return start.fields() == 2 && (start.field(0) == "R" || start.field(0) == "W") &&
             start.field(1).find_first_not_of("0123456789,") == std::string_view::npos;
    },
    [](TraceReader reader, const AddressLevels& levels) -> std::unique_ptr<AccessSource> {
      return std::make_unique<VectorTrace>(std::move(reader), levels);
    },
    1,
    false,
    false,
    true};

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
// DRAMSim2's mase traces (DRAMSim2, TraceBasedSim.cpp): an address after 0x, IFETCH, READ or WRITE,
// and a decimal cycle. Lines with other words are skipped, as in DRAMSim2, and counted.
#include <utility>

#include "core/archive.h"
#include "traces/access_words.h"
#include "traces/text_trace.h"
#include "traces/trace_formats.h"

namespace hmsim {

namespace {

constexpr const char* kLine = "0x<address> IFETCH|READ|WRITE <cycle>";
constexpr AccessWords kWords{"IFETCH|READ", "WRITE"};

class MaseTrace final : public AccessSource {
 public:
  explicit MaseTrace(TraceReader reader) : text_(std::move(reader), kLine, 3, 3) {}

  bool next(Access& access) override {
    access = Access();
    while (text_.next()) {
      if (is_access_word(text_.field(1), kWords)) {
        check_prefix(text_);
        read_access_line(text_, kWords, "", access);
        text_.accept();
        return true;
      }
      ++skipped_;
    }
    return false;
  }
  std::uint64_t skipped() const override { return skipped_; }
  void rewind() override {
    text_.rewind();
    skipped_ = 0;
  }
  double fraction() const override { return text_.fraction(); }
  void serialize(Archive& archive) override { archive(text_, skipped_); }

 private:
  TextTrace text_;
  std::uint64_t skipped_ = 0;
};

}  // namespace

extern const FormatDescriptor kFormat_dramsim2_mase{
    "dramsim2_mase",
    kLine,
    TimeUnit::cycles,
    false,
    [](const TraceStart& start) { return start.fields() == 3 && start.field(1) == "IFETCH"; },
    open_with<AccessSource, MaseTrace, const AddressLevels&>};

}  // namespace hmsim

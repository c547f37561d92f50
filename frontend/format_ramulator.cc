// SPDX-License-Identifier: BSD-3-Clause
// Ramulator's filtered CPU traces: a line a load that missed the last-level cache, preceded by the
// number of other instructions, with the write-back it caused, if any.
#include <utility>

#include "frontend/text_trace.h"
#include "frontend/trace_formats.h"

namespace hmsim {

namespace {

class RamulatorTrace final : public MissSource {
 public:
  explicit RamulatorTrace(TraceReader reader)
      : text_(std::move(reader), "<instructions> <read address> [<write-back address>]", 2, 3) {}

  bool next(Miss& miss) override {
    miss = Miss();
    if (!text_.next()) {
      return false;
    }
    const std::uint64_t others = text_.number(0, "the number of instructions");
    if (others >= kMaxGap) {
      text_.fail("more than 2^48 instructions lie before one read");
    }
    miss.gap = static_cast<std::int64_t>(others) + 1;
    miss.load = true;
    miss.load_address = text_.number(1, "the read address");
    if (text_.fields() == 3) {
      miss.write = true;
      miss.write_address = text_.number(2, "the write-back address");
    }
    return true;
  }

  void rewind() override { text_.rewind(); }
  double fraction() const override { return text_.fraction(); }
  void serialize(Archive& archive) override { text_.serialize(archive); }

 private:
  TextTrace text_;
};

}  // namespace

const MissFormat kRamulatorFormat{
    "ramulator", "<instructions> <read address> [<write-back address>], decimal or 0x", false,
    [](TraceReader reader, std::int64_t) -> std::unique_ptr<MissSource> {
      return std::make_unique<RamulatorTrace>(std::move(reader));
    }};

}  // namespace hmsim

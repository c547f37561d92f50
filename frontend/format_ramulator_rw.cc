// SPDX-License-Identifier: BSD-3-Clause
// Ramulator's memory traces: a hexadecimal address (0x may be missing, as Ramulator reads it) and
// R or W.
#include <utility>

#include "frontend/text_trace.h"
#include "frontend/trace_formats.h"

namespace hmsim {

namespace {

class RamulatorRwTrace final : public AccessSource {
 public:
  explicit RamulatorRwTrace(TraceReader reader)
      : text_(std::move(reader), "<hexadecimal address> R|W", 2, 2) {}

  bool next(Access& access) override {
    access = Access();
    if (!text_.next()) {
      return false;
    }
    access.address = text_.hexadecimal(0, "the address");
    access.write = text_.field(1) == "W";
    if (!access.write && text_.field(1) != "R") {
      text_.fail("'" + shown(text_.field(1)) + "' is neither R nor W");
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

const AccessFormat kRamulatorRwFormat{
    "ramulator_rw", "<hexadecimal address> R|W", false,
    [](TraceReader reader) -> std::unique_ptr<AccessSource> {
      return std::make_unique<RamulatorRwTrace>(std::move(reader));
    }};

}  // namespace hmsim

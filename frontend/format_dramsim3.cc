// SPDX-License-Identifier: BSD-3-Clause
// DRAMsim3's traces: a hexadecimal address (0x may be missing, as DRAMsim3 reads it), the kind of
// access and the clock cycle of its arrival.
#include <utility>

#include "frontend/text_trace.h"
#include "frontend/trace_formats.h"

namespace hmsim {

namespace {

class Dramsim3Trace final : public AccessSource {
 public:
  explicit Dramsim3Trace(TraceReader reader)
      : text_(std::move(reader), "<hexadecimal address> READ|WRITE <cycle>", 3, 3) {}

  bool next(Access& access) override {
    access = Access();
    if (!text_.next()) {
      return false;
    }
    access.address = text_.hexadecimal(0, "the address");
    access.write = text_.field(1) == "WRITE";
    if (!access.write && text_.field(1) != "READ") {
      text_.fail("'" + shown(text_.field(1)) + "' is neither READ nor WRITE");
    }
    access.cycle = text_.number(2, "the cycle");
    return true;
  }

  void rewind() override { text_.rewind(); }
  double fraction() const override { return text_.fraction(); }
  void serialize(Archive& archive) override { text_.serialize(archive); }

 private:
  TextTrace text_;
};

}  // namespace

const AccessFormat kDramsim3Format{"dramsim3", "<hexadecimal address> READ|WRITE <cycle>", true,
                                   [](TraceReader reader) -> std::unique_ptr<AccessSource> {
                                     return std::make_unique<Dramsim3Trace>(std::move(reader));
                                   }};

}  // namespace hmsim

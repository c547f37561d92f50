// SPDX-License-Identifier: BSD-3-Clause
// MQSim's block traces: arrival (ns), device, first sector, number of sectors, type (0 is a write,
// 1 a read). A sector has 512 bytes.
#include <utility>

#include "frontend/text_trace.h"
#include "frontend/trace_formats.h"

namespace hmsim {

namespace {

class MqsimTrace final : public BlockSource {
 public:
  explicit MqsimTrace(TraceReader reader)
      : text_(std::move(reader),
              "<arrival ns> <device> <first sector> <sectors> <type: 0 write, 1 read>", 5, 5) {}

  bool next(BlockRequest& request) override {
    request = BlockRequest();
    if (!text_.next()) {
      return false;
    }
    request.arrival_ns = text_.number(0, "the arrival");
    request.device = text_.number(1, "the device");
    request.sector = text_.number(2, "the first sector");
    request.sectors = text_.number(3, "the number of sectors");
    const std::uint64_t type = text_.number(4, "the type");
    if (request.sectors == 0) {
      text_.fail("a request of 0 sectors");
    }
    if (request.sectors > kMaxSectors) {
      text_.fail("a request of " + std::to_string(request.sectors) +
                 " sectors exceeds the limit of " + std::to_string(kMaxSectors) + " (1 GiB)");
    }
    if (type > 1) {
      text_.fail("type " + std::to_string(type) + " is neither 0 (write) nor 1 (read)");
    }
    request.write = type == 0;
    return true;
  }

  void rewind() override { text_.rewind(); }
  double fraction() const override { return text_.fraction(); }
  void serialize(Archive& archive) override { text_.serialize(archive); }

 private:
  TextTrace text_;
};

}  // namespace

const BlockFormat kMqsimFormat{
    "mqsim", "<arrival ns> <device> <first sector> <sectors> <type: 0 write, 1 read>",
    [](TraceReader reader) -> std::unique_ptr<BlockSource> {
      return std::make_unique<MqsimTrace>(std::move(reader));
    }};

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "policies/page_placement.h"

namespace hmsim {

// Counts the writes of each page, and halves all counts after each period. Stream 0 takes pages
// with at least `threshold` writes, stream 1 those with half as many, and so on. The last stream
// takes the rest. Copies follow the same rule. The counts are exact, unlike those of the source,
// which pages share by hashing.
class HotColdFrequency final : public PagePlacement {
 public:
  void declare(ParameterSet& parameters) override {
    parameters.integer("threshold", threshold_, {1, kMost}, "writes",
                       {"writes that make a page hot", "Hsieh et al., 2006: 4"});
    parameters.real("period", period_, 0.001, 1000, "logical capacities",
                    {"host writes after which the counts are halved", "assumed"});
  }
  void connect(const PlacementShape& shape) override {
    const double pages = period_ * static_cast<double>(shape.pages);
    length_ = std::max<std::uint64_t>(static_cast<std::uint64_t>(pages + 0.5), 1);
    last_ = shape.streams - 1;
    counts_.assign(shape.pages, Count());
  }
  std::uint32_t host(const HostWrite& write) const override {
    return stream_of(writes_of(write.page, write.time) + 1);
  }
  void on_write(const HostWrite& write) override {
    const std::uint32_t writes = std::min(writes_of(write.page, write.time) + 1, kMost);
    counts_[write.page] = {static_cast<std::uint16_t>(writes),
                           static_cast<std::uint16_t>(write.time / length_)};
  }
  std::uint32_t copy(const CopiedPage& page) const override {
    return stream_of(writes_of(page.page, page.time));
  }
  void serialize(Archive& archive) override { archive.fixed(counts_); }

 private:
  static constexpr std::uint32_t kMost = 255;
  static constexpr std::uint32_t kBits = 8;  // more halvings than these leave nothing

  // `period`: number of the period of the latest write, modulo 2^16.
  struct Count {
    std::uint16_t writes = 0;
    std::uint16_t period = 0;

    void serialize(Archive& archive) {
      archive(writes, period);
      archive.check(writes <= kMost, "too many writes of a page");
    }
  };

  std::uint32_t writes_of(std::uint64_t page, std::uint64_t time) const {
    const Count& count = counts_[page];
    const auto halvings = static_cast<std::uint16_t>(time / length_ - count.period);
    return halvings > kBits ? 0 : std::uint32_t{count.writes} >> halvings;
  }
  std::uint32_t stream_of(std::uint32_t writes) const {
    std::uint32_t stream = 0;
    for (auto enough = static_cast<std::uint32_t>(threshold_);
         stream < last_ && (enough == 0 || writes < enough); enough /= 2) {
      ++stream;
    }
    return stream;
  }

  std::int64_t threshold_ = 4;
  double period_ = 1;
  std::uint64_t length_ = 1;  // of a period
  std::uint32_t last_ = 0;    // stream
  std::vector<Count> counts_;
};

extern const PolicyDescriptor kPolicy_hot_cold_frequency{
    PolicyKind::page_placement, "hot_cold_frequency",
    "streams by the number of recent writes of a page",
    "after Hsieh, Kuo and Chang, Efficient identification of hot data, ACM TOS 2006",
    make_policy<HotColdFrequency>};

}  // namespace hmsim

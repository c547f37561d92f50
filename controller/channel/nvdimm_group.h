// SPDX-License-Identifier: BSD-3-Clause
// The NVDIMMs of one channel as its slow memory.
#pragma once

#include <cstddef>
#include <vector>

#include "controller/channel/slow_memory.h"

namespace hmsim {

class NvdimmGroup final : public SlowMemory {
 public:
  // `whole`: all `modules` as one.
  NvdimmGroup(NvdimmModule& whole, const NvdimmModules& modules)
      : whole_(whole), modules_(modules) {}

  // Registers them over all NVDIMMs; with several per channel, also over those with the same
  // number.
  void register_statistics(StatisticRegistry& registry,
                           const std::vector<SlowMemory*>& all) override;
  NvdimmModules modules() const override { return modules_; }
  MemoryPort::Collections collections() const override {
    return {whole_.collections_begun(), whole_.collections_ended()};
  }
  std::int64_t trim(LogicalPage page, Tick now) override {
    return whole_.trim(Address(page.value() * kPageBytes.value()), kPageBytes, now);
  }
  void write_before(const std::vector<LogicalPage>& pages) override { whole_.write_before(pages); }
  void hold_read(const std::vector<LogicalPage>& pages) override { whole_.hold_read(pages); }
  void hold_written(const std::vector<LogicalPage>& pages) override { whole_.hold_written(pages); }
  void serialize_start(Archive& archive) override { whole_.serialize_start(archive); }

  LineBytes peek(Address line) const override { return whole_.peek(line); }
  bool spares_writes() const override { return true; }
  void spare(Address line, const LineData& data) override { whole_.spare(line, data); }
  void power_fail(const PowerFailure& failure, std::size_t first) override;
  bool is_off() const override { return whole_.off(); }
  bool restore(SlowMemory& before, Tick now, Tick recover_for) override {
    return whole_.restore(static_cast<NvdimmGroup&>(before).whole_, now, recover_for);
  }

 private:
  NvdimmModule& whole_;
  NvdimmModules modules_;
};

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
// Device defined only by its times per operation and size.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/event_queue.h"
#include "core/parameters.h"
#include "storage/queued_device.h"
#include "storage/server.h"
#include "storage/time_table.h"

namespace hmsim {

struct TableParameters {
  std::string read = "4KiB=100us";
  std::string write = "4KiB=100us";
  Tick flush = kMicrosecond;
  std::int64_t channels = 1;

  void declare(ParameterSet& set);  // under "storage.table."
  std::vector<ParameterError> check(Bytes capacity) const;
};

// Device with `channels` channels; each operation occupies one, in FIFO order. 1 is a serial
// device. A flush only waits for a channel, because everything completed is durable.
class TableDevice final : public QueuedDevice<TableDevice> {
 public:
  // `parameters` passed check(). `capacity` is in whole sectors.
  TableDevice(const TableParameters& parameters, Bytes capacity);

  void begin(std::uint32_t place, Tick now);  // for QueuedDevice
  void register_statistics(StatisticRegistry& registry, const std::string& path) override;

  Tick next_event() const override { return ends_.next_time(); }
  Tick advance(Tick now) override;
  void serialize(Archive& archive) override;

 private:
  enum class Event : std::uint8_t { end, last = end };

  Tick time_of_request(std::uint32_t place) const;
  void serve(std::uint32_t place, Tick now);

  const TimeTable read_;
  const TimeTable write_;
  const Tick flush_;
  Slots<std::uint32_t> channels_;
  EventQueue<Event> ends_;
};

}  // namespace hmsim

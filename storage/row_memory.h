// SPDX-License-Identifier: BSD-3-Clause
// Memory controllers over cells that are accessed in rows.
#pragma once

#include <cstdint>
#include <vector>

#include "core/parameters.h"
#include "core/statistics.h"
#include "storage/server.h"

namespace hmsim {

struct RowMemoryParameters {
  std::int64_t controllers = 4;
  Bytes capacity{std::int64_t{16} << 30};  // per controller
  Bytes queue{8'192};  // per controller, for data to write and again for data read
  Bytes row{8'192};
  Tick read_time{48'000};  // of the cells, per row
  Tick write_time{150'000};
  Tick read_base{2'952'000};  // per transfer
  Tick write_base{2'750'000};
  Tick read_per_kib{115'000};
  Tick write_per_kib{90'000};
  Tick wake_up{0};               // of a controller that was idle
  std::int64_t start_gap = 100;  // row writes between two moves of a controller's gap; 0: off
  bool selective_writes = false;

  void declare(ParameterSet& parameters);  // under "memory."
  Bytes whole() const { return controllers * capacity; }
};

struct RowMemoryCounts {
  Counter rows_read = 0;
  Counter rows_written = 0;
  Counter gap_moves = 0;
  Counter wake_ups = 0;
  Counter cell_bytes_read = 0;
  Counter cell_bytes_written = 0;
  Counter buffer_bytes_read = 0;  // of row buffers
  Counter buffer_bytes_written = 0;

  void serialize(Archive& archive) {
    archive(rows_read, rows_written, gap_moves, wake_ups, cell_bytes_read, cell_bytes_written,
            buffer_bytes_read, buffer_bytes_written);
  }
};

// Set of controllers. A controller serves one transfer at a time, for its whole latency. Rows are
// closed after each transfer, so each row that a transfer touches costs one cell access, and writes
// do not combine in a row buffer. Start-gap wear levelling moves the gap every `start_gap` row
// writes, which costs one row read and one row write.
class RowMemory {
 public:
  struct Controller {
    Controller(std::int64_t queue) : in(queue), out(queue) {}
    Slots<std::uint32_t> in;   // bytes for data to be written
    Slots<std::uint32_t> out;  // bytes for data read
    Server<std::uint32_t> server;
    std::uint64_t since_gap_move = 0;  // row writes since the last gap move
    void serialize(Archive& archive) { archive(in, out, server, since_gap_move); }
  };

  explicit RowMemory(const RowMemoryParameters& parameters);

  std::size_t size() const { return controllers_.size(); }
  Controller& operator[](std::size_t index) { return controllers_[index]; }
  const Controller& operator[](std::size_t index) const { return controllers_[index]; }

  // Takes a controller's dies out of power-down. Returns how long it takes.
  Tick wake_up() {
    ++counts_.wake_ups;
    return parameters_.wake_up;
  }
  // Starts a transfer within one controller's address range. Returns how long it takes.
  Tick start(std::size_t controller, std::uint64_t offset, std::uint64_t bytes, bool write);

  const RowMemoryParameters& parameters() const { return parameters_; }
  const RowMemoryCounts& counts() const { return counts_; }
  double busy() const;  // mean share over controllers
  void register_statistics(StatisticRegistry& registry, const std::string& path);
  void serialize(Archive& archive);

 private:
  const RowMemoryParameters parameters_;
  std::vector<Controller> controllers_;
  RowMemoryCounts counts_;
};

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
// Memory controllers over cells that are read and written in rows.
#pragma once

#include <cstdint>
#include <vector>

#include "core/parameters.h"
#include "core/statistics.h"
#include "storage/server.h"

namespace hmsim {

struct RowMemoryParameters {
  std::int64_t controllers = 4;
  Bytes capacity{std::int64_t{16} << 30};  // of each
  Bytes queue{8'192};                      // of each, for data to be written, and for data read
  Bytes row{8'192};
  Tick read_time{48'000};  // of the cells of a row
  Tick write_time{150'000};
  Tick read_base{2'952'000};  // of a transfer
  Tick write_base{2'750'000};
  Tick read_per_kib{115'000};
  Tick write_per_kib{90'000};
  std::int64_t start_gap = 100;  // writes of rows between two moves of a controller's gap; 0: off
  bool selective_writes = false;

  void declare(ParameterSet& parameters);  // under "memory."
  Bytes whole() const { return controllers * capacity; }
};

struct RowMemoryCounts {
  Counter rows_read = 0;
  Counter rows_written = 0;
  Counter gap_moves = 0;
  Counter cell_bytes_read = 0;
  Counter cell_bytes_written = 0;
  Counter buffer_bytes_read = 0;  // of row buffers
  Counter buffer_bytes_written = 0;

  void serialize(Archive& archive) {
    archive(rows_read, rows_written, gap_moves, cell_bytes_read, cell_bytes_written,
            buffer_bytes_read, buffer_bytes_written);
  }
};

// A controller serves one transfer at a time, for all of its latency. Rows are closed behind each:
// the cells' time is paid once for each row that a transfer touches, and writes never meet in a
// row buffer. Every so many writes of rows the gap of start-gap wear levelling moves on, which
// reads a row and writes it.
class RowMemory {
 public:
  struct Controller {
    Controller(std::int64_t queue) : in(queue), out(queue) {}
    Slots<std::uint32_t> in;   // bytes for data to be written
    Slots<std::uint32_t> out;  // bytes for data that are read
    Server<std::uint32_t> server;
    std::uint64_t until_gap = 0;  // rows written since the gap moved
    void serialize(Archive& archive) { archive(in, out, server, until_gap); }
  };

  explicit RowMemory(const RowMemoryParameters& parameters);

  std::size_t size() const { return controllers_.size(); }
  Controller& operator[](std::size_t index) { return controllers_[index]; }
  const Controller& operator[](std::size_t index) const { return controllers_[index]; }

  // A transfer starts, whose bytes lie in a row of addresses of one controller; returns how long it
  // lasts.
  Tick start(std::size_t controller, std::uint64_t offset, std::uint64_t bytes, bool write);

  const RowMemoryParameters& parameters() const { return parameters_; }
  RowMemoryCounts& counts() { return counts_; }
  const RowMemoryCounts& counts() const { return counts_; }
  double busy() const;  // share, mean over controllers
  void account(Tick now);
  void reset(Tick now);
  void serialize(Archive& archive);

 private:
  const RowMemoryParameters parameters_;
  std::vector<Controller> controllers_;
  RowMemoryCounts counts_;
};

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
#include "storage/row_memory.h"

namespace hmsim {

void RowMemoryParameters::declare(ParameterSet& parameters) {
  const ParameterSet::Scope scope(parameters, "memory");
  constexpr const char* kPaper = "Caulfield et al. 2010";
  constexpr const char* kFitted = "fitted to Caulfield et al. 2010, Fig. 3";
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;
  parameters.integer("controllers", controllers, {1, 256}, "controllers",
                     {"memory controllers, over which stripes rotate", kPaper});
  parameters.size("capacity", capacity, {512, kMostBytes}, {"capacity of each controller", kPaper});
  parameters.size(
      "queue", queue, {512, std::int64_t{1} << 30},
      {"queue of each controller: room for data to write, and the same for read data", kPaper});
  parameters.size("row", row, {512, std::int64_t{1} << 30},
                  {"bytes that the cells read or write at once", kPaper});
  parameters.time("read_time", read_time, {"read time of the cells of a row", kPaper},
                  kMillisecond);
  parameters.time("write_time", write_time, {"write time of the cells of a row", kPaper},
                  kMillisecond);
  parameters.time(
      "read_base", read_base,
      {"fixed time of a read transfer, added to the times of its rows and bytes", kFitted});
  parameters.time(
      "write_base", write_base,
      {"fixed time of a write transfer, added to the times of its rows and bytes", kFitted});
  parameters.time("read_per_kib", read_per_kib, {"time per KiB of a read transfer", kFitted},
                  kMillisecond);
  parameters.time("write_per_kib", write_per_kib, {"time per KiB of a write transfer", kFitted},
                  kMillisecond);
  parameters.time("wake_up", wake_up,
                  {"additional time of a transfer that finds its controller idle, whose dies have "
                   "entered power-down; 0s: none",
                   "Caulfield et al. 2010, V-D, without a number; two clocks, 8ns, are assumed"},
                  kMillisecond);
  parameters.integer_or(
      "start_gap", start_gap, {1, 1'000'000'000}, "off", 0, "writes",
      {"writes of rows after which a controller's gap moves by one row; off: no wear levelling",
       "Qureshi et al. 2009"});
  parameters.boolean("selective_writes", selective_writes,
                     {"whether only the bytes of a row that change are written, which takes less "
                      "energy and the same time",
                      kPaper});
}

RowMemory::RowMemory(const RowMemoryParameters& parameters) : parameters_(parameters) {
  controllers_.assign(static_cast<std::size_t>(parameters.controllers),
                      Controller(parameters.queue.value()));
}

Tick RowMemory::start(std::size_t controller, std::uint64_t offset, std::uint64_t bytes,
                      bool write) {
  const auto row = static_cast<std::uint64_t>(parameters_.row.value());
  const std::uint64_t rows = (offset + bytes - 1) / row - offset / row + 1;
  const auto times = static_cast<std::int64_t>(rows);
  if (!write) {
    counts_.rows_read += rows;
    counts_.cell_bytes_read += rows * row;
    counts_.buffer_bytes_read += bytes;
    return parameters_.read_base + time_of(bytes, parameters_.read_per_kib) +
           times * parameters_.read_time;
  }
  Tick time = parameters_.write_base + time_of(bytes, parameters_.write_per_kib) +
              times * parameters_.write_time;
  counts_.rows_written += rows;
  counts_.cell_bytes_written += parameters_.selective_writes ? bytes : rows * row;
  counts_.buffer_bytes_written += bytes;
  if (parameters_.start_gap > 0) {
    const auto between = static_cast<std::uint64_t>(parameters_.start_gap);
    std::uint64_t& until = controllers_[controller].since_gap_move;
    until += rows;
    const std::uint64_t moves = until / between;
    until %= between;
    counts_.gap_moves += moves;
    counts_.cell_bytes_read += moves * row;
    counts_.cell_bytes_written += moves * row;
    time += static_cast<std::int64_t>(moves) * (parameters_.read_time + parameters_.write_time);
  }
  return time;
}

double RowMemory::busy() const {
  double sum = 0;
  for (const Controller& each : controllers_) {
    sum += each.server.level().mean();
  }
  return sum / static_cast<double>(controllers_.size());
}

void RowMemory::register_statistics(StatisticRegistry& registry, const std::string& path) {
  const StatisticGroup group(registry, path);
  group.gauge("controllers.busy", "", "busy share of time, mean over controllers",
              [this] { return busy(); });
  group.counter("rows_read", "rows", "rows opened for reads", counts_.rows_read);
  group.counter("rows_written", "rows", "rows written, without wear levelling",
                counts_.rows_written);
  group.counter("gap_moves", "rows", "rows moved by wear levelling", counts_.gap_moves);
  group.counter("wake_ups", "transfers", "transfers that found their controller idle",
                counts_.wake_ups);
  registry.on_reset([this](Tick) { counts_ = RowMemoryCounts(); });
  for (Controller& each : controllers_) {
    registry.track(each.in.level());
    registry.track(each.out.level());
    registry.track(each.server.level());
  }
}

void RowMemory::serialize(Archive& archive) {
  for (Controller& each : controllers_) {
    each.serialize(archive);
  }
  counts_.serialize(archive);
}

}  // namespace hmsim

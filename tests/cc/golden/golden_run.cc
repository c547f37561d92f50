// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cc/golden/golden_run.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "tests/cc/agents/harness.h"

namespace hmsim::testing {

namespace {

constexpr std::int64_t kMostRows = 10'000'000;

constexpr int kBurstsPerPart = 20;  // in runs without agents

// Statistics that a golden file shows as plain numbers. A statistic is omitted if the configuration
// lacks the part that it describes.
constexpr std::array kShown{
    "sim.requests",
    "dram.read_latency_ns",
    "dram.row_hits",
    "dram.refreshes",
    "dram.energy.total_j",
    "bus.turnarounds",
    "nvdimm.line_latency_ns",
    "nvdimm.flushes",
    "nvdimm.buffer.read_hit_ratio",
    "nvdimm.ftl.waf",
    "nvdimm.gc.count",
    "nvdimm.media.writes",
    "nvdimm.power.recovery_us",
};

// The parts of a histogram's summary that are compared with the golden file.
constexpr std::array kSummary{"mean", "p50", "p95", "p99", "p999", "max"};

std::unique_ptr<Simulation> make(const GoldenCase& golden, Tick length) {
  RunOptions options;
  options.seed = 11;
  options.check = true;
  options.log_commands = golden.agents.empty() ? 0 : kMostRows;
  // Unless a case states otherwise, commands are lines, and flash works on demand.
  Assignments config = joined<Assignments::value_type>({{"nvdimm.access", "line"},
                                                        {"nvdimm.buffer.manager", "on_demand"},
                                                        {"nvdimm.nand.suspend", "none"}},
                                                       golden.config);
  if (!golden.agents.empty()) {
    config.emplace_back("frontend.time_limit", format_time(length));
  }
  return std::make_unique<Simulation>(config, golden.agents, options, text_source(""));
}

std::string plain(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", number);
  return text.data();
}

std::string shown(const Statistic& statistic) {
  if (!statistic.present) {
    return "-";
  }
  switch (statistic.kind) {
    case StatisticKind::counter:
      return std::to_string(statistic.count);
    case StatisticKind::histogram:
      return "mean " + plain(statistic.summary.front().second) + " max " +
             plain(statistic.summary.back().second);
    default:
      return plain(statistic.value);
  }
}

void add_to(Digest& digest, const Statistic& statistic) {
  digest.add(statistic.value);
  digest.add(statistic.count);
  digest.add(static_cast<std::uint64_t>(statistic.present));
  for (const auto& [name, value] : statistic.summary) {
    if (std::find(kSummary.begin(), kSummary.end(), name) != kSummary.end()) {
      digest.add(value);
    }
  }
}

std::string check_of(const Digest& digest) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "%04x", static_cast<unsigned>(digest.hash() & 0xFFFF));
  return text.data();
}

}  // namespace

void Digest::add(double number) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &number, sizeof bits);
  add(bits);
}

void Digest::add(const std::string& text) {
  add(static_cast<std::uint64_t>(text.size()));
  for (const char letter : text) {
    add(static_cast<std::uint64_t>(static_cast<unsigned char>(letter)));
  }
}

std::string Tally::text() const {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%" PRIu64 " %016" PRIx64, count, sum);
  return text.data();
}

GoldenRun::GoldenRun(const GoldenCase& golden, Tick length)
    : length_(length), simulation_(make(golden, length)), by_hand_(golden.agents.empty()) {}

GoldenRun::GoldenRun(GoldenRun& before, const GoldenCase& golden)
    : length_(before.length_),
      part_(before.part_),
      simulation_(make(golden, length_)),
      by_hand_(before.by_hand_),
      random_(before.random_) {
  simulation_->load(before.save());
  seen_ = before.seen_;
}

void GoldenRun::do_part() {
  ++part_;
  if (by_hand_) {
    requests_by_hand();
  } else if (part_ < kParts) {
    simulation_->advance(length_ * part_ / kParts);
  } else {
    simulation_->run(~std::uint64_t{0});
  }
  watch();
}

// Power fails between two parts, so that checkpoints hold the state after a failure.
void GoldenRun::requests_by_hand() {
  if (part_ > 1) {
    power_returns();
  }
  for (int i = 0; i < kBurstsPerPart; ++i) {
    burst();
    const std::uint64_t longest = random_.below(6) == 0 ? 30 : 2;  // microseconds
    const auto pause = static_cast<std::int64_t>(random_.below(longest * 1'000'000));
    simulation_->advance(simulation_->now() + Tick(pause));
  }
  if (part_ < kParts) {
    power_fails();
  }
}

// Sends requests to few lines of few pages, so that they merge, are ordered, and share frames. One
// draw per statement, so that every compiler generates the same requests.
void GoldenRun::burst() {
  const std::int64_t dram = simulation_->memory().capacity(MemoryClass::dram).value();
  const std::int64_t page = kPageBytes.value();
  const std::int64_t pages = simulation_->memory().capacity(MemoryClass::nvdimm).value() / page;
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(bound)));
  };
  for (std::int64_t left = below(24); left > 0; --left) {
    const bool to_nvdimm = below(4) != 0;
    const bool write = below(2) == 0;
    const bool near = below(2) == 0;
    const std::int64_t place = to_nvdimm ? dram + below(near ? 24 : pages) * page : below(8) * page;
    const std::int64_t line = below(4) * kLineBytes.value();
    const std::int64_t offset = below(8);
    const std::int64_t size = 1 + below(kLineBytes.value() - offset);
    const auto source = static_cast<std::uint16_t>(below(4));
    simulation_->enqueue(Address(place + line + offset), size, write, source, std::nullopt);
  }
  const std::int64_t other = below(12);
  if (other == 0) {
    simulation_->flush(0);
  } else if (other == 1) {
    simulation_->trim(Address(dram + below(pages - 4) * page + below(3) * kLineBytes.value()),
                      Bytes(3 * page));
  }
}

// The first of two saves is interrupted, and so is the first of two recoveries.
void GoldenRun::power_fails() {
  watch();
  for (const Statistic& each : simulation_->statistics()) {
    add_to(seen_.lost_statistics[each.path], each);
  }
  const Tick soon = part_ == 1 ? 200 * kNanosecond : 10 * kMicrosecond;
  simulation_->power_fail(part_ % 2 == 1 ? soon : kNever);
}

void GoldenRun::power_returns() {
  for (Tick wait = part_ % 2 == 0 ? 15 * kMicrosecond : kNever; !simulation_->power_on(wait);
       wait = kNever) {
    simulation_->power_fail();
  }
}

void GoldenRun::watch() {
  for (const Completion& each : simulation_->take_completions()) {
    Digest digest;
    digest.add(each.id);
    digest.add(each.arrival.value());
    digest.add(each.finish.value());
    digest.add(each.data.value_or(""));
    seen_.completions.add(digest);
  }
  if (by_hand_) {
    return;
  }
  const auto add_rows = [](const auto& columns, Tally& tally) {
    for (std::size_t row = 0; row < columns.front().size(); ++row) {
      Digest digest;
      for (const auto& column : columns) {
        digest.add(column[row]);
      }
      tally.add(digest);
    }
  };
  add_rows(simulation_->command_log()->commands().take(), seen_.commands);
  add_rows(simulation_->command_log()->modules().take(), seen_.module_stages);
}

void GoldenRun::run_on(Tick time, std::uint64_t steps) {
  simulation_->advance(simulation_->now() + time, steps);
  simulation_->statistics();
  simulation_->save();
}

GoldenResult GoldenRun::result() {
  GoldenResult result;
  GoldenValues& values = result.values;
  if (by_hand_) {
    values.emplace_back("completions", seen_.completions.text());
  } else {
    values.emplace_back("commands", seen_.commands.text());
    values.emplace_back("stages in modules", seen_.module_stages.text());
  }
  const std::vector<Statistic> statistics = simulation_->statistics();
  for (const Statistic& each : statistics) {
    Digest digest = seen_.lost_statistics[each.path];
    add_to(digest, each);
    result.statistics[each.path] = check_of(digest);
  }
  for (const char* const path : kShown) {
    for (const Statistic& each : statistics) {
      if (each.path == path) {
        values.emplace_back(path, shown(each));
      }
    }
  }
  return result;
}

}  // namespace hmsim::testing

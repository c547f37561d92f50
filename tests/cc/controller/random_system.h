// SPDX-License-Identifier: BSD-3-Clause
// Random channels: every protocol feature beside every page policy, refresh mode and power mode.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/random.h"
#include "dram/standard.h"
#include "tests/cc/controller/harness.h"
#include "tests/cc/controller/random_traffic.h"

namespace hmsim::testing {

struct Choice {
  const char* name;
  std::vector<const char*> values;  // repeated values are drawn more often
  bool of_nvdimm = false;
  std::size_t plain = 0;  // plain channels draw only the first values; 0: all values
};

// Plain channels have only values with which they need no features, or only changing keys, because
// only these use all the shortcuts.
inline const std::vector<Choice> kChoices{
    {"dram.preset",
     {"ddr3_1600_4gb_x8", "ddr3_1600_8gb_x8", "ddr4_2400r_8gb_x8", "ddr4_3200aa_16gb_x16",
      "ddr5_4800b_16gb_x8", "ddr5_6400b_16gb_x8", "ddr5_4800b_prac_16gb_x8", "lpddr5_6400_16gb_x16",
      "hbm3_6400_8h_4gb_x32"},
     false,
     5},
    {"nvdimm.kind", {"flash", "flash", "pcm"}, true, 1},
    {"controller.queues", {"unified", "split"}, true},
    {"controller.ack", {"grant", "auto", "nvdimm_p"}, true, 2},
    {"nvdimm.access", {"line", "block"}, true, 1},
    {"controller.nvdimm_p.credits", {"64", "1", "8"}, true},
    {"controller.ack_slots", {"0", "1"}, true},
    {"controller.outstanding", {"1", "8", "24"}, true},
    {"nvdimm.count", {"1", "1", "1", "2", "3"}, true},
    {"nvdimm.interleave", {"page", "page", "range", "device"}, true},
    {"nvdimm.interleave_size", {"16KiB"}, true},
    {"nvdimm.unmapped_read", {"zero", "zero", "flash"}, true},
    {"nvdimm.ack_order", {"ready", "ready", "command"}, true},
    {"nvdimm.buffer.port", {"serial", "pipelined"}, true},
    {"nvdimm.buffer.lookup", {"0ns", "7ns", "52ns"}, true},
    {"controller.nvdimm_scheduler", {"fr_fcfs", "fcfs", "pas"}, true},
    {"controller.scheduler",
     {"fr_fcfs", "fr_fcfs", "fr_fcfs", "fr_fcfs", "fcfs", "fr_fcfs_cap", "par_bs", "bliss", "atlas",
      "tcm", "firm"}},
    {"controller.arbiter", {"scheduler_order", "round_robin", "dram_first", "oldest_first"}},
    {"controller.contest", {"ready", "legal"}},
    {"controller.starvation_limit", {"0s", "0s", "0s", "2us"}},
    {"controller.queue_depth", {"4", "32", "128"}},
    {"controller.structure", {"flat", "flat", "two_level"}, false, 2},
    {"controller.writes", {"mixed", "drained"}, false, 1},
    {"controller.page_policy",
     {"open_page", "closed_page", "capped_page", "timeout_page"},
     false,
     1},
    {"controller.bank_hash", {"none", "xor"}},
    {"dram.ranks", {"1", "2", "4"}},
    {"dram.ranks_per_dimm", {"all", "1", "2"}},
    {"dram.register_delay", {"0", "0", "1", "3"}},
    {"dram.command_rate", {"1N", "2N"}, false, 1},
    {"dram.precharge_delay", {"jedec", "jedec", "paper"}},
    {"dram.refresh", {"true", "true", "true", "false"}},
    {"dram.refresh_mode", {"all_bank", "all_bank", "same_bank"}},
    {"dram.refresh_management", {"false", "true", "true", "true"}, false, 1},
    {"dram.RAAIMT", {"16", "32"}},
    {"dram.refresh_postpone", {"0", "3", "8"}, false, 1},
    {"dram.refresh_pull_in", {"0", "2", "8"}, false, 1},
    {"dram.power_down", {"none", "fast"}, false, 1},
    {"dram.power_down_idle", {"20ns", "300ns"}},
    {"dram.self_refresh", {"false", "false", "true"}, false, 2},
    {"dram.self_refresh_idle", {"500ns", "2us"}},
};

struct RandomSystem {
  Assignments assignments;
  SystemConfig config;
};

// Sets `system` up. Assignments that do not fit the others leave. Returns false if the rest does
// not fit either.
inline bool fit(RandomSystem& system) {
  for (;;) {
    system.config = SystemConfig();
    const std::vector<ParameterError> errors = configure(system.config, system.assignments);
    if (errors.empty()) {
      return true;
    }
    Assignments& all = system.assignments;
    const auto rest = std::remove_if(all.begin(), all.end(), [&](const Assignment& each) {
      return std::any_of(errors.begin(), errors.end(),
                         [&](const ParameterError& error) { return error.name == each.first; });
    });
    if (rest == all.end()) {
      return false;
    }
    all.erase(rest, all.end());
  }
}

inline RandomSystem draw_system(Random& random, bool plain) {
  RandomSystem system;
  do {
    system.assignments.clear();
    bool nvdimm = random.below(3) != 0;
    for (const Choice& each : kChoices) {
      const std::size_t values = plain && each.plain != 0 ? each.plain : each.values.size();
      const char* const value = each.values[random.below(values)];
      if (each.name == std::string_view("dram.preset")) {
        nvdimm = nvdimm && dram_preset(value).standard->protocol == nullptr;
        system.assignments = nvdimm ? kSmallNvdimm : kDramOnly;
      }
      if (nvdimm || !each.of_nvdimm) {
        system.assignments.emplace_back(each.name, value);
      }
    }
  } while (!fit(system));
  return system;
}

// Sets a system with drawn times up, which are its last assignments. Without times it is valid.
inline void fit_times(RandomSystem& system) {
  while (!fit(system)) {
    system.assignments.pop_back();
  }
}

// Draws times of the system's part, so that each rule in turn is the binding one. Parts with
// several slots a command keep their latencies and bursts, which depend on each other.
inline void draw_times(Random& random, RandomSystem& system) {
  const auto draw = [&](const char* name, std::uint64_t low, std::uint64_t high) {
    system.assignments.emplace_back(std::string("dram.timing.") + name,
                                    std::to_string(low + random.below(high - low + 1)));
  };
  const DramParameters& dram = system.config.dram;
  const bool same_bank = dram.refresh_mode == RefreshMode::same_bank;
  const bool slots = dram.standard->protocol != nullptr;
  if (!slots) {
    draw("CL", 10, 24);
    draw("CWL", 1, 10);
    draw("tCCD", 5, 12);
    draw("burst", 1, 5);
    draw("tRTRS", 0, 5);
  }
  draw("tRCD", 1, 20);
  draw("tRP", 1, 20);
  draw("tRAS", 1, 30);
  draw("tRC", 30, 60);
  draw("tRRD", 1, 12);
  draw("tFAW", 1, 60);
  draw("tWR", 1, 20);
  draw("tWTR", 0, 12);
  draw("tRTP", 1, 12);
  draw("tRFC", 1, 150);
  draw("tREFI", same_bank ? 6000 : 900, same_bank ? 9000 : 2000);
  draw("tCKE", 1, 12);
  draw("tXP", 1, 12);
  draw("tCKESR", 1, 20);
  draw("tXS", 1, 300);
  draw("tXSDLL", 300, 600);
  fit_times(system);
  // Times of one standard; some are at least as long as another time.
  for (const OptionalTime& time : dram.standard->own_times()) {
    const std::int64_t least = time.at_least == nullptr ? 1 : dram.timing.*time.at_least;
    const bool latency = time.time == &DramTiming::twck_rd || time.time == &DramTiming::twck_wr;
    const bool of_slots = slots && time.at_least == &DramTiming::tccd;
    if (!latency && !of_slots && time.time != &DramTiming::burst_gap) {
      draw(time.name, static_cast<std::uint64_t>(least), static_cast<std::uint64_t>(least + 12));
    }
  }
  fit_times(system);
}

inline std::string text_of(const Assignments& assignments) {
  std::string text;
  for (const auto& [name, value] : assignments) {
    text += name + '=' + value + ' ';
  }
  return text;
}

}  // namespace hmsim::testing

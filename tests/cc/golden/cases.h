// SPDX-License-Identifier: BSD-3-Clause
// Configurations of the golden runs, in groups; each group has a file of results next to it.
#pragma once

#include <string>
#include <vector>

#include "core/parameters.h"
#include "core/types.h"

namespace hmsim::testing {

struct GoldenCase {
  std::string name;
  Assignments config;
  std::vector<Assignments> agents;
};

struct GoldenGroup {
  std::string name;  // of its file NAME.txt
  Tick length;       // of its runs
  std::vector<GoldenCase> cases;
};

GoldenGroup golden_queues();
GoldenGroup golden_dram();
GoldenGroup golden_flash();
GoldenGroup golden_collection();
GoldenGroup golden_modules();
inline std::vector<GoldenGroup> golden_groups() {
  return {golden_queues(), golden_dram(), golden_flash(), golden_collection(), golden_modules()};
}

// Workloads of the agents in these runs.
namespace agents {

using List = std::vector<Assignments>;

inline Assignments of_core(const char* core, Assignments keys) {
  keys.emplace_back("core", core);
  return keys;
}
inline Assignments program(const char* core, const char* pattern, const char* reads) {
  return of_core(core, {{"kind", "synthetic_core"},
                        {"pattern", pattern},
                        {"rpki", reads},
                        {"wpki", "12"},
                        {"footprint", "1MiB"}});
}
inline Assignments lines(const char* core, const char* target, const char* footprint,
                         const char* read_ratio, const char* outstanding = "12") {
  return of_core(core, {{"kind", "synthetic"},
                        {"target", target},
                        {"footprint", footprint},
                        {"read_ratio", read_ratio},
                        {"outstanding", outstanding}});
}
// Infrequent lines, so that ranks are idle in between.
inline Assignments seldom(const char* core, const char* target, const char* interval) {
  Assignments keys = lines(core, target, "512KiB", "0.6");
  keys.emplace_back("interval", interval);
  return keys;
}
inline Assignments blocks(const char* core, const char* access, const char* read_share,
                          const char* flush_every = "0") {
  return of_core(core, {{"kind", "io_pattern"},
                        {"access", access},
                        {"read_share", read_share},
                        {"size", "512B/3, 4KiB/2, 16KiB"},
                        {"threads", "2"},
                        {"depth", "2"},
                        {"window", "8"},
                        {"flush_every", flush_every},
                        {"footprint", "768KiB"},
                        {"request_time", "500ns"},
                        {"software_time", "50ns"}});
}

// Programs of different intensity and locality, lines with much reuse, and blocks.
inline List mix() {
  return {program("0", "random", "40"),
          program("1", "pointer_chase", "25"),
          program("2", "stream", "2"),
          lines("3", "dram", "16KiB", "0.5"),
          lines("4", "nvdimm", "256KiB", "0.6", "6"),
          blocks("5", "zipf", "0.5")};
}
inline List dram_only() {
  return {program("0", "random", "40"), program("1", "stream", "30"),
          lines("2", "dram", "32KiB", "0.5"), seldom("3", "dram", "150ns")};
}
inline List nvdimm_only() {
  return {lines("0", "nvdimm", "512KiB", "0.5", "20"), blocks("1", "sequential", "0.4"),
          seldom("2", "dram", "100ns")};
}
inline List writes() {
  return {lines("0", "nvdimm", "768KiB", "0.2", "20"), blocks("1", "zipf", "0.2"),
          lines("2", "nvdimm", "128KiB", "0.9", "4"), seldom("3", "dram", "200ns")};
}

}  // namespace agents

template <class T>
std::vector<T> joined(std::vector<T> list, const std::vector<T>& more) {
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

// Small, fast and full flash with small queues and a small buffer, so that all of them fill and
// blocks are collected within microseconds.
inline const Assignments kGoldenFlash{{"nvdimm.capacity", "2MiB"},
                                      {"nvdimm.command_queue", "160"},
                                      {"nvdimm.buffer.read_size", "64KiB"},
                                      {"nvdimm.buffer.write_size", "64KiB"},
                                      {"nvdimm.ftl.over_provisioning", "80"},
                                      {"nvdimm.nand.channels", "2"},
                                      {"nvdimm.nand.chips", "1"},
                                      {"nvdimm.nand.pages_per_block", "16"},
                                      {"nvdimm.nand.bus_rate", "4GT/s"},
                                      {"nvdimm.nand.command_time", "30ns"},
                                      {"nvdimm.nand.read_time", "500ns"},
                                      {"nvdimm.nand.program_time", "1500ns"},
                                      {"nvdimm.nand.erase_time", "4us"},
                                      {"nvdimm.precondition.fill", "1"},
                                      {"nvdimm.precondition.overwrite", "1"},
                                      {"controller.queue_depth", "48"},
                                      {"controller.nvdimm_queue_depth", "24"}};

}  // namespace hmsim::testing

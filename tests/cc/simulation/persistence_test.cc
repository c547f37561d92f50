// SPDX-License-Identifier: BSD-3-Clause
// Does data acknowledged by fences and syncs of jobs survive power failures, wherever a written
// line counts as safe?
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "simulation/configuration.h"
#include "tests/cc/assignments.h"
#include "tests/cc/simulation/job_rig.h"
#include "tests/cc/simulation/values.h"

namespace hmsim::testing {
namespace {

const char* name_of(Persistence persistence) {
  return persistence == Persistence::controller ? "controller" : "module";
}

// Data mode; a job's requests carry their ids as data.
Assignments small_data(Persistence persistence, const char* kind) {
  return {{"system.store_data", "true"},
          {"nvdimm.kind", kind},
          {"nvdimm.access", "line"},
          {"nvdimm.capacity", "8MiB"},
          {"nvdimm.ftl.over_provisioning", "60"},
          {"nvdimm.buffer.read_size", "64KiB"},
          {"nvdimm.buffer.write_size", "64KiB"},
          {"nvdimm.nand.pages_per_block", "8"},
          {"nvdimm.nand.program_time", "20us"},
          {"nvdimm.nand.read_time", "5us"},
          {"frontend.node.copy_instructions", "1"},
          {"frontend.node.persistence", name_of(persistence)}};
}

// A write to the NVDIMM that a run has sent.
struct Write {
  std::int64_t address = 0;
  std::int64_t core = 0;
  bool accepted = false;
  bool done = false;
};

// A run up to a given time, and the writes sent by then, in order.
struct CutRun {
  CutRun(const Assignments& system, const std::string& program, const Assignments& more, Tick until)
      : config(system) {
    Assignments keys = with({{"kind", "job"}, {"path", "x.job"}, {"format", "job"}}, more);
    RunOptions options;
    options.log_requests = true;
    simulation = std::make_unique<Simulation>(config, std::vector<Assignments>{keys}, options,
                                              text_source(program));
    simulation->advance(until);
    EXPECT_EQ(value_of(*simulation, "agent.0.finished"), 0);
    const RequestLog::Columns log = simulation->request_log()->take();
    const auto column = [&log](const char* name) -> const std::vector<std::int64_t>& {
      return column_of(log, name);
    };
    for (std::size_t i = 0; i < log.front().size(); ++i) {
      if (column("write")[i] == 1 && column("class")[i] == 1) {
        writes[static_cast<std::uint64_t>(column("id")[i])] = {column("address")[i],
                                                               column("source")[i], true, true};
      }
    }
    for (const Requester::Outstanding& each : simulation->memory().outstanding()) {
      const Request& request = each.request;
      if (request.write && request.memory == MemoryClass::nvdimm) {
        writes[request.id] = {request.address.value(), request.source, each.admitted, false};
      }
    }
  }

  bool holds(const MemorySystem& memory, std::uint64_t id) const {
    Request request;
    request.id = id;
    struct Numbers final : Requester {
      void on_complete(const Request& /*request*/, Tick /*now*/) override {}
    };
    const LineData data = Numbers().write_data(request);
    return memory.peek(MemoryClass::nvdimm, Address(writes.at(id).address)) == data.bytes;
  }

  // Fails power and recovers. Returns how many of the writes selected by `counts` are lost, and how
  // many are kept.
  template <class Counts>
  std::array<int, 2> after_failure(Persistence persistence, const Counts& counts) {
    MemorySystem& before = simulation->memory();
    if (persistence == Persistence::controller) {
      before.spare_writes();
    }
    before.power_fail(simulation->now());
    spared = value_of(*simulation, "nvdimm.power.spared_lines");
    Kernel kernel;
    MemorySystem after(Configuration(config).system(), kernel, 1);
    std::array<int, 2> result{};
    for (const auto& [id, write] : writes) {
      held[id] = holds(before, id);
    }
    EXPECT_TRUE(after.restore(before, Tick(0)));
    for (const auto& [id, write] : writes) {
      EXPECT_EQ(holds(after, id), held[id]) << id;
      if (counts(id, write)) {
        ++result[held[id] ? 1 : 0];
      }
    }
    return result;
  }

  Assignments config;
  std::unique_ptr<Simulation> simulation;
  std::map<std::uint64_t, Write> writes;  // by id, in order of sending
  std::map<std::uint64_t, bool> held;     // by id: whether it survived a failure
  double spared = 0;                      // lines spared by the failure
};

// Returns a program whose threads write pages that the cores copy. No two threads share a page, and
// each page is written once.
std::string writers(int threads, int pages) {
  std::string program;
  for (int thread = 0; thread < threads; ++thread) {
    program += "thread writer\nload 0\n";
    for (int page = 0; page < pages; ++page) {
      program += "write " + std::to_string(page * threads + thread) + "\n";
    }
  }
  return program;
}

// Returns the writes that a core's fences have acknowledged: all to pages before its last written
// page, because no line of that page may be stored before the fence.
std::vector<std::uint64_t> fenced(const CutRun& cut) {
  std::map<std::int64_t, std::vector<std::uint64_t>> by_core;
  for (const auto& [id, write] : cut.writes) {
    by_core[write.core].push_back(id);
  }
  std::vector<std::uint64_t> ids;
  for (const auto& [core, sent] : by_core) {
    const std::int64_t last_page = cut.writes.at(sent.back()).address / 4'096;
    std::copy_if(sent.begin(), sent.end(), std::back_inserter(ids),
                 [&](std::uint64_t id) { return cut.writes.at(id).address / 4'096 != last_page; });
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

CutRun run_of_writers(Persistence persistence, const char* kind, int moment) {
  Assignments config = small_data(persistence, kind);
  config.emplace_back("controller.queue_depth", moment % 2 == 0 ? "16" : "128");
  return CutRun(config, writers(2, 200), {{"cores", "0-1"}, {"flushers", "0"}},
                Tick(97'311) * (1 + moment * moment));
}

TEST(Persistence, WritesAcknowledgedByAFenceSurvive) {
  for (const Persistence persistence : {Persistence::controller, Persistence::module}) {
    for (const char* kind : {"flash", "pcm"}) {
      SCOPED_TRACE(std::string(name_of(persistence)) + " " + kind);
      int survived = 0;
      for (int moment = 1; moment < 16; ++moment) {
        CutRun cut = run_of_writers(persistence, kind, moment);
        const std::vector<std::uint64_t> ids = fenced(cut);
        const auto [lost, kept] =
            cut.after_failure(persistence, [&](std::uint64_t id, const Write&) {
              return std::binary_search(ids.begin(), ids.end(), id);
            });
        EXPECT_EQ(lost, 0) << moment;
        survived += kept;
      }
      EXPECT_GT(survived, 1'000);
    }
  }
}

// Power failures spare all writes with a queue entry, or none.
TEST(Persistence, EntriesOfTheQueueAreSparedIfTheyCountAsSafe) {
  for (const Persistence persistence : {Persistence::controller, Persistence::module}) {
    for (const char* kind : {"flash", "pcm"}) {
      SCOPED_TRACE(std::string(name_of(persistence)) + " " + kind);
      int entries = 0;
      int outside = 0;
      for (int moment = 1; moment < 16; ++moment) {
        CutRun cut = run_of_writers(persistence, kind, moment);
        const auto [lost, kept] = cut.after_failure(
            persistence,
            [](std::uint64_t, const Write& write) { return write.accepted && !write.done; });
        EXPECT_EQ(persistence == Persistence::controller ? lost : kept, 0) << moment;
        entries += lost + kept;
        for (const auto& [id, write] : cut.writes) {
          EXPECT_TRUE(!write.done || cut.held[id]);
          EXPECT_TRUE(write.accepted || !cut.held[id]);
          outside += write.accepted ? 0 : 1;
        }
        EXPECT_EQ(cut.spared, kept);
      }
      EXPECT_GT(entries, 100);
      EXPECT_GT(outside, persistence == Persistence::controller ? 100 : 0);
    }
  }
}

// Fences that wait only for acceptance acknowledge too early if a power failure empties the queue.
TEST(Persistence, FencesAndPowerFailuresMustMeanTheSame) {
  int lost_of_all = 0;
  for (int moment = 1; moment < 16; ++moment) {
    CutRun cut = run_of_writers(Persistence::controller, "flash", moment);
    const std::vector<std::uint64_t> ids = fenced(cut);
    lost_of_all += cut.after_failure(Persistence::module, [&](std::uint64_t id, const Write&) {
      return std::binary_search(ids.begin(), ids.end(), id);
    })[0];
  }
  EXPECT_GT(lost_of_all, 100);
}

// A thread that syncs writes the next pages only when its previous writes are safe, whichever
// thread performs them and whatever fences wait for.
TEST(Persistence, WritesAcknowledgedByASyncSurvive) {
  constexpr int kGroup = 3;  // pages
  std::string program = "thread a\nload 0\n";
  for (int page = 0; page < 120; ++page) {
    program += "write " + std::to_string(page) + (page % kGroup == 2 ? "\nsync\n" : "\n");
  }
  for (const Persistence persistence : {Persistence::controller, Persistence::module}) {
    for (const char* flushers : {"0", "2"}) {
      for (const char* machine : {"table3", "dma"}) {
        for (const char* channels : {"1", "4"}) {
          SCOPED_TRACE(std::string(name_of(persistence)) + flushers + machine + channels);
          int survived = 0;
          for (int moment = 1; moment < 9; ++moment) {
            Assignments config = small_data(persistence, "flash");
            config.emplace_back("frontend.node.machine", machine);
            config.emplace_back("controller.channels", channels);
            CutRun cut(config, program, {{"cores", "0-1"}, {"flushers", flushers}},
                       Tick(237'311) * moment * moment);
            std::int64_t synced = 0;  // pages
            std::vector<int> lines(120);
            for (const auto& [id, write] : cut.writes) {
              const std::int64_t page = write.address / 4'096;
              synced = std::max(synced, page / kGroup * kGroup);
              ++lines[static_cast<std::size_t>(page)];
            }
            for (std::int64_t page = 0; page < synced; ++page) {
              EXPECT_EQ(lines[static_cast<std::size_t>(page)], 64) << page;
            }
            const auto [lost, kept] = cut.after_failure(
                persistence,
                [&](std::uint64_t, const Write& write) { return write.address / 4'096 < synced; });
            EXPECT_EQ(lost, 0) << moment;
            survived += kept;
          }
          EXPECT_GT(survived, 500);
        }
      }
    }
  }
}

// According to the request log, the first line of a page is stored in exactly the core slot in
// which the last line of the previous page is safe. The line itself needs a slot.
TEST(Persistence, AFenceWaitsUntilAllLinesAreSafe) {
  constexpr int kPages = 12;  // the last two are still queued when all are stored
  double makespan[2] = {};
  for (const Persistence persistence : {Persistence::controller, Persistence::module}) {
    Assignments config = kSmall;
    config.emplace_back("frontend.node.persistence", name_of(persistence));
    config.emplace_back("dram.refresh", "false");
    RunOptions options;
    options.log_requests = true;
    Simulation simulation(config,
                          {{{"kind", "job"}, {"path", "x"}, {"format", "job"}, {"flushers", "0"}}},
                          options, text_source(writers(1, kPages)));
    run_to_end(simulation);
    makespan[persistence == Persistence::module ? 1 : 0] =
        value_of(simulation, "agent.0.makespan_us") * 1e3;
    const RequestLog::Columns log = simulation.request_log()->take();
    std::map<std::int64_t, std::int64_t> stored;  // by page: when its first line was stored
    std::map<std::int64_t, std::int64_t> last_stored;
    std::map<std::int64_t, std::int64_t> safe;
    std::map<std::int64_t, int> lines;
    const auto at = [&](const char* name, std::size_t row) { return column_of(log, name)[row]; };
    const char* const until = persistence == Persistence::controller ? "admitted_ps" : "done_ps";
    for (std::size_t i = 0; i < log.front().size(); ++i) {
      if (at("write", i) == 0) {
        continue;
      }
      const std::int64_t page = at("address", i) / 4'096;
      const std::int64_t arrival = at("arrival_ps", i);
      stored[page] = stored.count(page) == 0 ? arrival : std::min(stored[page], arrival);
      last_stored[page] = std::max(last_stored[page], arrival);
      safe[page] = std::max(safe[page], at(until, i));
      ++lines[page];
    }
    for (std::int64_t page = 0; page < 8; ++page) {
      constexpr std::int64_t kSlot = 125;  // picoseconds
      ASSERT_EQ(lines[page], 64);
      const std::int64_t next = std::max(last_stored[page] + kSlot, safe[page]);
      EXPECT_EQ(stored[page + 1], (next + kSlot - 1) / kSlot * kSlot)
          << name_of(persistence) << page;
    }
  }
  // A write takes 56 cycles of 1.25 ns through an idle channel; lines follow each other every 5 to
  // 6.25 ns. The last page is stored after the fence of the page before it. If the queue counts as
  // safe (makespan[0]), the fence ends when all but 128 of the earlier writes are done. Otherwise
  // (makespan[1]) it ends when all earlier pages are done, one after another.
  constexpr int kFenced = kPages - 1;
  const auto page_ns = [](int lines, double line_ns) { return 70 + (lines - 1) * line_ns; };
  EXPECT_GE(makespan[0], page_ns(64 * kFenced - 128, 5));
  EXPECT_LE(makespan[0], page_ns(64 * kFenced - 128, 6.25) + 10);
  EXPECT_GE(makespan[1], kFenced * page_ns(64, 5));
  EXPECT_LE(makespan[1], kFenced * (page_ns(64, 6.25) + 2) + 10);
}

}  // namespace
}  // namespace hmsim::testing

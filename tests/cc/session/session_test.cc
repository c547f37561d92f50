// SPDX-License-Identifier: BSD-3-Clause
// Requests to any memory, by the C library and by a simulation without agents.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "core/random.h"
#include "embed/named_values.h"
#include "session/hmsim.h"
#include "simulation/simulation.h"
#include "tests/cc/assignments.h"

namespace hmsim::testing {
namespace {

const std::string kNvdimm =
    "nvdimm.capacity=256MiB nvdimm.ftl.over_provisioning=28 nvdimm.buffer.read_size=256KiB "
    "nvdimm.buffer.write_size=256KiB controller.queue_depth=16 frontend.block.threads=400 ";
const std::string kDrive =
    "storage.kind=flash storage.capacity=4MiB storage.flash.capacity=8MiB "
    "storage.flash.ftl.over_provisioning=40 storage.flash.nand.channels=2 "
    "storage.flash.nand.pages_per_block=16 storage.flash.buffer.read_size=64KiB "
    "storage.flash.buffer.write_size=64KiB ";
const std::string kArray = "storage.kind=array storage.capacity=1GiB ";
const std::string kPolled = "storage.path.driver=nvme_poll storage.path.max_request=16KiB ";
const std::string kHbf =
    "nvdimm.attach=hbf nvdimm.capacity=128MiB nvdimm.nand.preset=hbf_256 "
    "dram.preset=hbm3_6400_4h_2gb_x32 dram.ranks=2 controller.queues=split "
    "controller.arbiter=oldest_first controller.nvdimm_queue_depth=512 frontend.block.threads=400 ";
const std::string kCxl = kNvdimm + "nvdimm.attach=cxl controller.queues=split ";
const std::vector<std::string> kSystems{
    kNvdimm, kNvdimm + kDrive, kCxl + kArray + kPolled,   kHbf + kArray,
    kHbf,    kNvdimm + kArray, kCxl + "storage.kind=disk"};

std::string lines_of(const std::string& words) {
  std::string lines;
  for (const auto& [name, value] : keys_from(words)) {
    lines += std::string(name).append("=").append(value).append("\n");
  }
  return lines;
}

// A program that keeps what it is called with.
struct Program {
  explicit Program(const std::string& words, bool check = true) {
    const hmsim_host host{this, on_done, nullptr, nullptr};
    EXPECT_EQ(hmsim_create(lines_of(words).c_str(), 1, check ? 1 : 0, &host, &memory), HMSIM_OK)
        << hmsim_error(memory);
    EXPECT_EQ(hmsim_receipts(memory, on_receipt), HMSIM_OK);
  }
  ~Program() { hmsim_destroy(memory); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  hmsim_status submit(const std::vector<hmsim_entry>& entries, std::int64_t now) {
    return hmsim_submit(memory, entries.data(), entries.size(), now, &taken);
  }
  void run(std::int64_t now) { ASSERT_EQ(hmsim_run(memory, now), HMSIM_OK) << hmsim_error(memory); }
  void drain() {
    while (hmsim_idle(memory) == 0 && hmsim_next_event(memory) != HMSIM_NEVER) {
      last = std::max(last, hmsim_next_event(memory));
      run(last);
    }
  }
  std::map<std::string, double> statistics(std::int64_t now) {
    std::map<std::string, double> all;
    const auto visit = [](void* context, const char* name, const char*, double value) {
      (*static_cast<std::map<std::string, double>*>(context))[name] = value;
    };
    EXPECT_EQ(hmsim_statistics(memory, now, visit, &all), HMSIM_OK) << hmsim_error(memory);
    return all;
  }

  static void on_done(void* context, std::uint64_t id, hmsim_answer answer, std::int64_t time) {
    auto& self = *static_cast<Program*>(context);
    ++self.ends[id];
    EXPECT_EQ(self.receipts.at(id).ended, time);
    EXPECT_EQ(self.receipts.at(id).answer, static_cast<int>(answer));
    self.last = std::max(self.last, time);
    if (self.call) {
      self.call(id, time);
    }
  }
  static void on_receipt(void* context, const hmsim_receipt* receipt) {
    static_cast<Program*>(context)->receipts[receipt->id] = *receipt;
    const auto* const parts = receipt->parts;
    EXPECT_EQ(std::accumulate(parts, parts + HMSIM_CAUSES, std::int64_t{0}),
              receipt->ended - receipt->submitted);
    EXPECT_GE(*std::min_element(parts, parts + HMSIM_CAUSES), 0);
  }

  hmsim_memory* memory = nullptr;
  std::uint64_t taken = 0;
  std::map<std::uint64_t, int> ends;
  std::map<std::uint64_t, hmsim_receipt> receipts;
  std::map<std::uint64_t, std::vector<std::uint64_t>> after;  // ids that random requests follow
  std::function<void(std::uint64_t, std::int64_t)> call;      // within each done()
  std::int64_t last = 0;
};

hmsim_entry entry(std::uint64_t id, int memory, std::uint64_t address, std::uint64_t size,
                  bool write = false, int operation = HMSIM_ACCESS) {
  return {{id, address, size, memory, write ? 1 : 0, 0}, operation, 0, 0, nullptr};
}

// --- The same load as a run

struct Load {  // a run's block requests, and its statistics at its end
  std::vector<SessionRequest> requests;
  std::vector<Tick> times;
  std::map<std::string, double> statistics;
  Tick end{0};
};

std::map<std::string, double> values_of(const Simulation& simulation) {
  std::map<std::string, double> values;
  for (const NamedValue& each : named_values(simulation.statistics())) {
    values[each.name] = each.value;
  }
  return values;
}

Load run_of(const std::string& system, const std::string& pattern) {
  RunOptions options;
  options.log_requests = true;
  const Assignments agent = keys_from("kind=io_pattern access=random " + pattern);
  Simulation simulation(keys_from(system), {agent}, options, nullptr);
  while (!simulation.run(100'000)) {
  }
  Load load{{}, {}, values_of(simulation), simulation.now()};
  const IoLog::Columns log = simulation.io_log()->take();
  std::multimap<std::int64_t, SessionRequest> by_time;
  for (std::size_t i = 0; i < log[0].size(); ++i) {
    by_time.insert(
        {log[5][i],
         {0, static_cast<std::uint64_t>(log[3][i]), static_cast<std::uint64_t>(log[4][i]),
          SessionTarget::storage, static_cast<SessionRequest::Kind>(log[2][i]),
          static_cast<std::uint16_t>(log[1][i])}});
  }
  for (auto& [time, request] : by_time) {
    request.id = load.requests.size();
    load.requests.push_back(request);
    load.times.emplace_back(time);
  }
  return load;
}

hmsim_entry entry_of(const SessionRequest& request) {
  const bool trims = request.kind == SessionRequest::Kind::trim;
  hmsim_entry made =
      entry(request.id, HMSIM_STORAGE, request.address, request.size,
            request.kind == SessionRequest::Kind::write, trims ? HMSIM_TRIM : HMSIM_ACCESS);
  made.request.source = request.source;
  return made;
}

void expect_same(const Load& load, const std::map<std::string, double>& found) {
  std::size_t compared = 0;
  for (const auto& [name, value] : found) {
    const auto ours = load.statistics.find(name);
    if (name != "sim.requests" && name != "sim.absorbed" && ours != load.statistics.end()) {
      ++compared;
      EXPECT_TRUE(value == ours->second || (std::isnan(value) && std::isnan(ours->second)))
          << name << ": " << ours->second << " in the run, " << value;
    }
  }
  EXPECT_GT(compared, 100u);
}

TEST(Session, EqualsARunOfTheSameLoadInEveryStatistic) {
  for (const std::string& system : kSystems) {
    const bool trims = system.find("kind=flash") != std::string::npos;
    const Load load = run_of(
        system, std::string("size=8KiB threads=400 read_share=0.5 requests=400 arrivals=poisson "
                            "arrival_rate=20000 trim_share=") +
                    (trims ? "0.1" : "0"));
    ASSERT_EQ(load.requests.size(), 400u) << system;
    Program program(system, false);
    Simulation by_hand(keys_from(system), {}, RunOptions(), nullptr);
    for (std::size_t i = 0; i < load.requests.size(); ++i) {
      ASSERT_EQ(program.submit({entry_of(load.requests[i])}, load.times[i].value()), HMSIM_OK);
      by_hand.submit(load.requests[i], {}, load.times[i]);
    }
    by_hand.advance(load.end);
    expect_same(load, program.statistics(load.end.value()));
    expect_same(load, values_of(by_hand));
    for (const Receipt& each : by_hand.session().take_receipts()) {
      EXPECT_EQ(each.ended.value(), program.receipts.at(each.id).ended);
    }
  }
}

// One thread's next request begins when its last one ends.
TEST(Session, DependencesMakeAClosedLoop) {
  for (const std::string& system : kSystems) {
    const Load load = run_of(system, "size=16KiB threads=1 read_share=0.5 requests=100");
    Program program(system, false);
    std::vector<hmsim_entry> entries;
    std::vector<std::uint64_t> before(load.requests.size());
    for (const SessionRequest& each : load.requests) {
      entries.push_back(entry_of(each));
      if (each.id > 0) {
        before[each.id] = each.id - 1;
        entries.back().followed = 1;
        entries.back().after = &before[each.id];
      }
    }
    ASSERT_EQ(program.submit(entries, 0), HMSIM_OK) << hmsim_error(program.memory);
    expect_same(load, program.statistics(load.end.value()));
    for (std::size_t i = 1; i < load.times.size(); ++i) {
      const hmsim_receipt& receipt = program.receipts.at(i);
      EXPECT_EQ(receipt.parts[HMSIM_HELD], load.times[i].value());
      EXPECT_EQ(program.receipts.at(i - 1).ended, load.times[i].value());
    }
  }
}

// --- Dependences, receipts, random sessions

TEST(Session, ARequestBeginsWhenTheLastOfItsPredecessorsEnds) {
  Program program(kNvdimm + kDrive);
  const std::vector<std::uint64_t> after{7, 1, 2, 2, 99};  // 7 has not been seen, 99 neither
  std::vector<hmsim_entry> entries{entry(1, HMSIM_STORAGE, 0, 4096), entry(2, HMSIM_DRAM, 0, 64),
                                   entry(3, HMSIM_NVDIMM, 0, 64, true),
                                   entry(7, HMSIM_DRAM, 0, 64)};
  entries[2].after = after.data();
  entries[2].followed = after.size();
  ASSERT_EQ(program.submit(entries, 0), HMSIM_OK);
  program.drain();
  EXPECT_EQ(program.ends, (std::map<std::uint64_t, int>{{1, 1}, {2, 1}, {3, 1}, {7, 1}}));
  EXPECT_GT(program.receipts.at(1).ended, program.receipts.at(2).ended);
  EXPECT_EQ(program.receipts.at(3).parts[HMSIM_HELD],
            program.receipts.at(1).ended - program.receipts.at(3).submitted);
}

TEST(Session, ReceiptsNameTheCauses) {
  Program program(kNvdimm + kDrive + kPolled + "dram.refresh=false");
  ASSERT_EQ(program.submit({entry(1, HMSIM_DRAM, 0, 64), entry(2, HMSIM_NVDIMM, 1 << 20, 64),
                            entry(3, HMSIM_STORAGE, 0, 4096),
                            entry(4, HMSIM_NVDIMM, 0, 8192, false, HMSIM_TRIM)},
                           0),
            HMSIM_OK);
  program.drain();
  const auto part = [&](std::uint64_t id, int cause) {
    return program.receipts.at(id).parts[cause];
  };
  EXPECT_EQ(part(1, HMSIM_SENSE), 1250 * 11);
  EXPECT_EQ(part(1, HMSIM_TRANSFER), 1250 * (11 + 4));
  EXPECT_GT(part(2, HMSIM_SENSE), 10'000'000);  // a page of flash
  EXPECT_GT(part(3, HMSIM_SOFTWARE), 0);
  EXPECT_GT(part(3, HMSIM_LINK), 0);
  EXPECT_GT(part(3, HMSIM_SENSE), 10'000'000);
  for (const std::uint64_t id : {1, 2, 3}) {
    EXPECT_EQ(part(id, HMSIM_DEVICE), 0) << id;
  }
  EXPECT_EQ(program.receipts.at(4).ended, program.receipts.at(4).submitted);
}

// A channel has 16 banks: without the host's FTL, pages 0, 16 and 32 are in one.
TEST(Session, ReceiptsNameTheCausesOfHighBandwidthFlash) {
  for (const std::string ftl : {"hbf.ftl=raw ", "hbf.ftl=host ", "hbf.ftl=host hbf.map_in=hbm "}) {
    Program program(kHbf + "nvdimm.capacity=1GiB nvdimm.ftl.over_provisioning=28 " + ftl);
    const auto part = [&](std::uint64_t id, int cause) {
      return program.receipts.at(id).parts[cause];
    };
    const auto read = [](std::uint64_t id, std::uint64_t page) {
      return entry(id, HMSIM_NVDIMM, page * 4096, 4096);
    };
    const auto send = [&](const std::vector<hmsim_entry>& entries) {
      ASSERT_EQ(program.submit(entries, program.last), HMSIM_OK) << hmsim_error(program.memory);
      program.drain();
    };
    send({entry(1, HMSIM_NVDIMM, 0, 4096, true)});
    send({read(2, 0)});
    send({read(3, 0)});  // from the bank's page cache
    send({read(4, 16), read(5, 32)});
    const bool asks = ftl.find("map") < ftl.size();  // the host reads its map in HBM
    EXPECT_GT(part(1, HMSIM_SENSE), 75'000'000) << ftl;
    EXPECT_GT(part(2, HMSIM_SENSE), 4'000'000) << ftl;
    EXPECT_EQ(part(3, HMSIM_SENSE), 0) << ftl;
    EXPECT_EQ(part(3, HMSIM_TRANSFER), part(2, HMSIM_TRANSFER)) << ftl;
    EXPECT_EQ(part(3, HMSIM_QUEUE) > 0, asks) << ftl;
    if (ftl == "hbf.ftl=raw ") {
      EXPECT_LT(part(5, HMSIM_QUEUE), 4'000'000) << "the other's sense, less its own command";
      EXPECT_GT(part(5, HMSIM_QUEUE), 3'999'000) << "the same";
    }
    for (std::uint64_t id = 1; id <= 5; ++id) {
      EXPECT_EQ(part(id, HMSIM_DEVICE), 0) << ftl << id;
    }
  }
}

// Each device takes 100 us for 4 KiB, a cache 50 us, and the bus of striped devices 4 us.
TEST(Session, ReceiptsNameTheCausesOfEveryKindOfStorage) {
  const std::string table =
      "storage.kind=table storage.table.read=4KiB=100us "
      "storage.table.write=4KiB=100us storage.capacity=1GiB ";
  const std::string cached = table + "storage.write_cache.size=64KiB storage.write_cache.hit=50us ";
  struct Parts {
    std::int64_t queue, sense, transfer;  // us
  };
  struct Case {
    std::string system;
    std::vector<std::pair<bool, Parts>> requests;  // write, and its parts; all to one page at once
  };
  const std::vector<Case> cases{{table, {{false, {0, 100, 0}}, {true, {100, 100, 0}}}},
                                {table + "storage.stripe.members=2 storage.stripe.bus=1us ",
                                 {{false, {0, 100, 4}}, {false, {100, 100, 4}}}},
                                {cached, {{false, {0, 100, 0}}, {true, {0, 50, 0}}}},
                                {table + "storage.cache.first=1MiB storage.cache.hit=50us ",
                                 {{false, {0, 150, 0}}, {false, {100, 50, 0}}}}};
  for (const Case& each : cases) {
    Program program(kNvdimm + each.system);
    std::vector<hmsim_entry> entries;
    for (const auto& [write, parts] : each.requests) {
      entries.push_back(entry(entries.size(), HMSIM_STORAGE, 0, 4096, write));
    }
    ASSERT_EQ(program.submit(entries, 0), HMSIM_OK) << hmsim_error(program.memory);
    program.drain();
    for (std::size_t id = 0; id < entries.size(); ++id) {
      const Parts& parts = each.requests[id].second;
      const std::int64_t* const found = program.receipts.at(id).parts;
      EXPECT_EQ(found[HMSIM_QUEUE], parts.queue * 1'000'000) << each.system << id;
      EXPECT_EQ(found[HMSIM_SENSE], parts.sense * 1'000'000) << each.system << id;
      EXPECT_EQ(found[HMSIM_TRANSFER], parts.transfer * 1'000'000) << each.system << id;
      EXPECT_EQ(found[HMSIM_DEVICE], 0) << each.system << id;
    }
  }
}

// A disk's second read is in its buffer. The NVDIMM's second one is in its own; a write waits for
// room alone.
TEST(Session, ReceiptsNameTheCausesOfDisksAndOfTheNvdimmAsStorage) {
  for (const std::string& system : {kNvdimm + "storage.kind=disk", kNvdimm}) {
    Program program(system);
    for (const std::uint64_t id : {0, 1, 2}) {
      ASSERT_EQ(program.submit({entry(id, HMSIM_STORAGE, 1 << 20, 4096, id == 2)}, program.last),
                HMSIM_OK);
      program.drain();
    }
    const auto part = [&](std::uint64_t id, int cause) {
      return program.receipts.at(id).parts[cause];
    };
    EXPECT_GT(part(0, HMSIM_SENSE), 10'000'000) << system;
    EXPECT_LT(part(1, HMSIM_SENSE), 1'000'000) << system;
    EXPECT_GT(part(1, HMSIM_TRANSFER), 0) << system;
    for (const std::uint64_t id : {0, 1, 2}) {
      EXPECT_EQ(part(id, HMSIM_DEVICE), 0) << system << id;
    }
  }
}

// Sends random requests at random times, some from within calls. Returns the requests by id.
std::map<std::uint64_t, hmsim_entry> random_session(Program& program, std::uint64_t seed,
                                                    std::uint64_t first, int batches) {
  Random random(seed);
  const auto below = [&](std::uint64_t end) {
    return static_cast<std::uint64_t>(random.below(static_cast<std::int64_t>(end)));
  };
  std::map<std::uint64_t, hmsim_entry> sent;
  std::uint64_t next = first;
  bool drawing = false;
  const auto draw = [&](std::int64_t now) {
    std::vector<hmsim_entry> entries;
    for (std::uint64_t i = 0; i < 1 + below(4) && next < first + 1000; ++i, ++next) {
      const int memory = static_cast<int>(below(3));
      const std::uint64_t unit = memory == HMSIM_STORAGE ? 512 : 1;
      const std::uint64_t units = hmsim_capacity(program.memory, static_cast<hmsim_class>(memory));
      const std::uint64_t size = (1 + below(memory == HMSIM_STORAGE ? 64 : 20'000)) * unit;
      const std::uint64_t address = below((units - size) / unit + 1) * unit;
      const int operation = memory == HMSIM_DRAM || below(6) > 0 ? HMSIM_ACCESS
                            : below(2) == 0                      ? HMSIM_TRIM
                                                                 : HMSIM_FLUSH;
      entries.push_back(entry(next, memory, address, size, below(2) == 0, operation));
      std::vector<std::uint64_t>& ids = program.after[next];
      for (std::uint64_t k = below(4); k > 0 && next > first; --k) {
        ids.push_back(first + below(next - first));
      }
      entries.back().after = ids.data();
      entries.back().followed = ids.size();
      sent[next] = entries.back();
    }
    drawing = true;
    EXPECT_EQ(program.submit(entries, now), HMSIM_OK) << hmsim_error(program.memory);
    EXPECT_EQ(program.taken, entries.size());
    drawing = false;
  };
  program.call = [&](std::uint64_t, std::int64_t time) {
    if (!drawing && below(4) == 0) {
      draw(time);
    }
  };
  for (std::int64_t now = program.last; batches > 0; --batches) {
    now += static_cast<std::int64_t>(below(20'000'000));
    draw(std::max(now, program.last));
    program.run(std::max(now, program.last));
  }
  program.drain();
  program.call = nullptr;
  return sent;
}

TEST(Session, RandomSessionsConserveRequestsAndBytes) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const std::string& system = kSystems[seed % kSystems.size()];
    Program program(system, seed % 3 == 0);
    const auto sent = random_session(program, seed, seed << 40, 12);
    ASSERT_EQ(program.ends.size(), sent.size()) << seed;
    std::map<std::pair<int, bool>, std::uint64_t> moved;  // bytes on storage
    for (const auto& [id, each] : sent) {
      EXPECT_EQ(program.ends.at(id), 1) << seed;
      for (std::uint64_t i = 0; i < each.followed; ++i) {
        const hmsim_receipt& own = program.receipts.at(id);
        EXPECT_LE(program.receipts.at(each.after[i]).ended, own.submitted + own.parts[HMSIM_HELD])
            << seed;
      }
      const hmsim_request& request = each.request;
      // Lines, or pages of HBF.
      const bool pages = request.memory == HMSIM_NVDIMM && system.find("hbf") < system.size();
      const std::uint64_t unit = pages ? 4096 : 64;
      const std::uint64_t pieces =
          (request.address + request.size - 1) / unit - request.address / unit + 1;
      moved[{request.memory, request.write != 0}] += each.operation != HMSIM_ACCESS ? 0
                                                     : request.memory == HMSIM_STORAGE
                                                         ? request.size
                                                         : pieces;
    }
    auto found = program.statistics(program.last);
    EXPECT_EQ(found.at("sim.requests"), sent.size());
    EXPECT_EQ(found.at("dram.reads"), (moved[{HMSIM_DRAM, false}])) << system;
    EXPECT_EQ(found.at("dram.writes"), (moved[{HMSIM_DRAM, true}])) << system;
    if (found.count("storage.reads") > 0) {
      EXPECT_EQ(found.at("storage.read_bytes"), (moved[{HMSIM_STORAGE, false}])) << system;
      EXPECT_EQ(found.at("storage.write_bytes"), (moved[{HMSIM_STORAGE, true}])) << system;
      EXPECT_EQ(found.at("nvdimm.reads"), (moved[{HMSIM_NVDIMM, false}])) << system;
    }
  }
}

TEST(Session, AnIdleSessionContinuesFromItsState) {
  for (const std::string& system : kSystems) {
    Program whole(system, false);
    random_session(whole, 3, 0, 12);
    const std::int64_t now = whole.last + 1000;
    const void* data = nullptr;
    std::size_t size = 0;
    ASSERT_EQ(hmsim_save(whole.memory, now, &data, &size), HMSIM_OK) << hmsim_error(whole.memory);
    const std::string state(static_cast<const char*>(data), size);
    Program second(system, false);
    ASSERT_EQ(hmsim_load(second.memory, now, state.data(), state.size()), HMSIM_OK)
        << hmsim_error(second.memory);
    whole.last = second.last = now;
    random_session(whole, 4, 1 << 20, 12);
    random_session(second, 4, 1 << 20, 12);
    EXPECT_EQ(whole.last, second.last);
    const auto end = whole.statistics(whole.last);
    for (const auto& [name, value] : second.statistics(second.last)) {
      EXPECT_TRUE(value == end.at(name) || std::isnan(value)) << system << name;
    }
    Program other(kNvdimm + "storage.kind=array storage.capacity=2GiB", false);
    EXPECT_EQ(hmsim_load(other.memory, now, state.data(), state.size()), HMSIM_BAD_INPUT);
  }
}

// --- Misuse

TEST(Session, MisuseReturnsAStatusAndAMessage) {
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 63;
  Program program(kNvdimm + kDrive);
  Program bare("nvdimm.present=false");
  const std::uint64_t own = 5;
  hmsim_entry many = entry(5, HMSIM_DRAM, 0, 64);
  many.followed = kHuge;
  many.after = &own;
  hmsim_entry null = entry(5, HMSIM_DRAM, 0, 64);
  null.followed = 1;
  const auto refused = [&](Program& of, const hmsim_entry& wrong) {
    EXPECT_EQ(of.submit({entry(5, HMSIM_DRAM, 64, 64), wrong}, of.last), HMSIM_BAD_INPUT);
    EXPECT_EQ(of.taken, 1u);
    of.drain();
    return std::string(hmsim_error(of.memory));
  };
  const std::vector<std::pair<hmsim_entry, std::string>> cases{
      {entry(6, 3, 0, 64), "memory: must be HMSIM_DRAM, HMSIM_NVDIMM or HMSIM_STORAGE"},
      {entry(6, -1, 0, 64), "memory: must be HMSIM_DRAM, HMSIM_NVDIMM or HMSIM_STORAGE"},
      {entry(6, HMSIM_DRAM, 0, 64, false, 9),
       "operation: must be HMSIM_ACCESS, HMSIM_TRIM or HMSIM_FLUSH"},
      {entry(6, HMSIM_DRAM, 0, 64, false, HMSIM_TRIM),
       "operation: flushes and trims need an NVDIMM or storage"},
      {entry(6, HMSIM_DRAM, 0, 0), "size: must be at least 1"},
      {entry(6, HMSIM_STORAGE, 0, 0), "size: must be at least 1"},
      {entry(6, HMSIM_DRAM, 0, (1u << 30) + 1), "size: must be at most 1 GiB, got 1073741825"},
      {entry(5, HMSIM_DRAM, 0, 64), "id: 5 has not ended"},
      {many, "followed: must be at most 65536 ids in `after`"},
      {null, "followed: must be at most 65536 ids in `after`"}};
  for (const auto& [wrong, text] : cases) {
    EXPECT_EQ(refused(program, wrong), "entry 1: " + text);
  }
  for (const int memory : {HMSIM_DRAM, HMSIM_NVDIMM, HMSIM_STORAGE}) {
    for (const std::uint64_t size : {std::uint64_t{512}, kHuge, ~std::uint64_t{0}}) {
      EXPECT_NE(refused(program, entry(6, memory, kHuge, size)), "");
      EXPECT_NE(refused(program, entry(6, memory, 512, size == 512 ? kHuge : size)), "");
    }
  }
  EXPECT_NE(refused(program, entry(6, HMSIM_STORAGE, 1, 512)).find("must consist of sectors"),
            std::string::npos);
  EXPECT_EQ(refused(bare, entry(6, HMSIM_STORAGE, 0, 512)),
            "entry 1: memory: there is neither storage nor an NVDIMM");
  EXPECT_EQ(refused(bare, entry(6, HMSIM_NVDIMM, 0, 0, false, HMSIM_FLUSH)),
            "entry 1: operation: flushes and trims need an NVDIMM or storage");
  EXPECT_EQ(hmsim_submit(program.memory, nullptr, 1, program.last, nullptr), HMSIM_BAD_INPUT);
  EXPECT_EQ(hmsim_submit(program.memory, &many, kHuge, program.last, nullptr), HMSIM_BAD_INPUT);
  EXPECT_EQ(hmsim_submit(program.memory, nullptr, 0, program.last, nullptr), HMSIM_OK);
  EXPECT_EQ(hmsim_submit(nullptr, &many, 1, 0, nullptr), HMSIM_BAD_INPUT);
  EXPECT_EQ(hmsim_receipts(nullptr, nullptr), HMSIM_BAD_INPUT);
  EXPECT_EQ(program.submit({entry(8, HMSIM_DRAM, 0, 64)}, -1), HMSIM_BAD_INPUT);
  EXPECT_EQ(program.submit({entry(8, HMSIM_DRAM, 0, 64)}, 0), HMSIM_BAD_INPUT);
  EXPECT_EQ(program.taken, 0u);
}

// A chain of trims that end at once needs no stack, and calls from within calls are refused.
TEST(Session, CallsWithinCallsAreRejectedAndNeedNoStack) {
  Program program(kNvdimm + kDrive);
  std::uint64_t left = 100'000;
  program.call = [&](std::uint64_t id, std::int64_t time) {
    const void* data = nullptr;
    std::size_t size = 0;
    EXPECT_EQ(hmsim_run(program.memory, time + 1), HMSIM_BAD_INPUT);
    EXPECT_EQ(hmsim_save(program.memory, time, &data, &size), HMSIM_BAD_INPUT);
    EXPECT_EQ(hmsim_load(program.memory, time, "x", 1), HMSIM_BAD_INPUT);
    EXPECT_EQ(program.submit({entry(id + 1, HMSIM_DRAM, 0, 64)}, time + 1), HMSIM_BAD_INPUT);
    if (left-- > 0) {
      EXPECT_EQ(program.submit({entry(id + 1, HMSIM_NVDIMM, 0, 8192, false, HMSIM_TRIM)}, time),
                HMSIM_OK);
    }
  };
  EXPECT_EQ(program.submit({entry(0, HMSIM_NVDIMM, 0, 8192, false, HMSIM_TRIM)}, 10), HMSIM_OK);
  EXPECT_EQ(program.ends.size(), 100'001u);
  EXPECT_EQ(program.receipts.at(100'000).ended, 10);
}

}  // namespace
}  // namespace hmsim::testing

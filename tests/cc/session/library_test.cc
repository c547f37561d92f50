// SPDX-License-Identifier: BSD-3-Clause
// The C library as its callers see it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/random.h"
#include "session/hmsim.h"

namespace {

constexpr const char* kSmall =
    "# a comment\n"
    "\n"
    "nvdimm.capacity=256MiB\r\n"
    "nvdimm.ftl.over_provisioning=28\n"
    "nvdimm.buffer.read_size=256KiB\n"
    "nvdimm.buffer.write_size=256KiB\n"
    "controller.queue_depth=8\n"
    "storage.kind=none\n"
    "frontend.core.width=2";

// A simulator that keeps what is called.
struct Caller {
  explicit Caller(const std::string& parameters, bool check = true) {
    const hmsim_host host{this, on_done, on_room, nullptr};
    status = hmsim_create(parameters.c_str(), 7, check ? 1 : 0, &host, &memory);
  }
  ~Caller() { hmsim_destroy(memory); }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  hmsim_status send(int which, std::uint64_t address, std::int64_t now, bool write = false,
                    std::uint64_t size = 64) {
    const hmsim_request request{next_id, address, size, which, write ? 1 : 0, 0};
    const hmsim_status sent = hmsim_send(memory, &request, now);
    next_id += sent == HMSIM_OK || sent == HMSIM_WAITS ? 1 : 0;
    return sent;
  }
  void drain(std::int64_t now) {
    while (hmsim_idle(memory) == 0 && hmsim_next_event(memory) != HMSIM_NEVER) {
      now = std::max(now, hmsim_next_event(memory));
      ASSERT_EQ(hmsim_run(memory, now), HMSIM_OK) << hmsim_error(memory);
    }
    last = now;
  }
  double statistic(const char* name, std::int64_t now) {
    double value = -1;
    EXPECT_EQ(hmsim_statistic(memory, name, now, &value), HMSIM_OK) << hmsim_error(memory);
    return value;
  }
  std::string error() const { return hmsim_error(memory); }

  static void on_done(void* context, std::uint64_t id, hmsim_answer answer, std::int64_t time) {
    auto& self = *static_cast<Caller*>(context);
    self.done[id] = time;
    self.answers[id] = answer;
    if (self.throws) {
      throw std::runtime_error("of the simulator");
    }
    if (self.call) {
      self.within = self.call(self.memory, time);
      self.text = self.error();
    }
  }
  static void on_room(void* context, hmsim_class which, std::int64_t time) {
    auto& self = *static_cast<Caller*>(context);
    self.room.push_back({which, time});
    if (self.left > 0) {
      --self.left;
      EXPECT_NE(self.send(which, 4096 * self.next_id, time), HMSIM_FULL);
    }
  }

  struct Room {
    hmsim_class which;
    std::int64_t time;
  };
  hmsim_memory* memory = nullptr;
  hmsim_status status = HMSIM_FAULT;
  std::map<std::uint64_t, std::int64_t> done;
  std::map<std::uint64_t, hmsim_answer> answers;
  std::vector<Room> room;
  std::uint64_t next_id = 0;
  int left = 0;  // requests to send from on_room()
  bool throws = false;
  std::function<hmsim_status(hmsim_memory*, std::int64_t)> call;  // made within each done()
  hmsim_status within = HMSIM_OK;
  std::string text;  // of its error
  std::int64_t last = 0;
};

// DDR3-1600: a read of a closed bank takes tRCD, CL and four clocks of data. The request enters one
// picosecond after time 0, so at the clock edge of 1.25 ns.
TEST(Library, AReadOfAClosedBankTakesItsTiming) {
  Caller caller(std::string(kSmall) + "\ndram.refresh=false");
  ASSERT_EQ(caller.status, HMSIM_OK) << caller.error();
  EXPECT_EQ(hmsim_run(caller.memory, 0), HMSIM_OK);
  EXPECT_EQ(caller.send(HMSIM_DRAM, 0, 0), HMSIM_OK);
  caller.drain(0);
  EXPECT_EQ(caller.done.at(0), 1250 * (1 + 11 + 11 + 4));
  EXPECT_EQ(caller.statistic("dram.reads", caller.last), 1);
}

TEST(Library, ARequestOfSeveralLinesIsDoneOnce) {
  Caller caller(kSmall);
  EXPECT_NE(caller.send(HMSIM_DRAM, 32, 0, false, 4096), HMSIM_FULL);  // touches 65 lines
  caller.drain(0);
  EXPECT_EQ(caller.done.size(), 1u);
  EXPECT_EQ(caller.statistic("dram.reads", caller.last), 65);
  EXPECT_EQ(caller.statistic("sim.requests", caller.last), 1);
}

// Page p is page p / 16 of bank p modulo 16, whose pages must be written in order.
TEST(Library, HbfReportsTheOutcomeOfARequest) {
  constexpr std::uint64_t kPage = 4096;
  Caller caller(
      "nvdimm.attach=hbf\nnvdimm.capacity=128MiB\nnvdimm.nand.preset=hbf_256\n"
      "dram.preset=hbm3_6400_4h_2gb_x32\ndram.ranks=2\ncontroller.queues=split\n"
      "controller.arbiter=oldest_first\ncontroller.nvdimm_queue_depth=512");
  ASSERT_EQ(caller.status, HMSIM_OK) << caller.error();
  const auto answer = [&](std::uint64_t address, bool write, std::uint64_t size) {
    EXPECT_EQ(caller.send(HMSIM_NVDIMM, address, caller.last, write, size), HMSIM_OK);
    caller.drain(caller.last);
    return caller.answers.at(caller.next_id - 1);
  };
  EXPECT_EQ(answer(16 * kPage, true, kPage), HMSIM_OUT_OF_ORDER);
  EXPECT_EQ(answer(0, true, 60 * 64), HMSIM_LATE);
  EXPECT_EQ(answer(0, false, kPage), HMSIM_ERASED_PAGE);
  EXPECT_EQ(answer(0, true, kPage), HMSIM_DONE);
  EXPECT_EQ(answer(0, false, kPage), HMSIM_DONE);
  // One of two pages is the next of its bank: the request has the larger answer.
  EXPECT_EQ(answer(15 * kPage, true, kPage), HMSIM_DONE);
  EXPECT_EQ(answer(31 * kPage, true, 2 * kPage), HMSIM_OUT_OF_ORDER);
  EXPECT_EQ(answer(3 * kPage, true, kPage), HMSIM_DONE);
  EXPECT_EQ(answer(18 * kPage, true, 2 * kPage), HMSIM_OUT_OF_ORDER);
  EXPECT_EQ(caller.statistic("hbf.status.out_of_order", caller.last), 3 * 64);
  EXPECT_EQ(caller.statistic("hbf.status.late", caller.last), 60);
}

TEST(Library, AClassWithAWaitingRequestRefusesFurtherOnes) {
  Caller caller(kSmall);
  std::uint64_t taken = 0;
  hmsim_status status = HMSIM_OK;
  while ((status = caller.send(HMSIM_DRAM, 4096 * taken, 0)) == HMSIM_OK) {
    ++taken;
  }
  EXPECT_EQ(status, HMSIM_WAITS);
  EXPECT_EQ(taken, 7u) << "the eighth fills the queue";
  EXPECT_EQ(caller.send(HMSIM_DRAM, 0, 0), HMSIM_FULL);
  EXPECT_TRUE(caller.room.empty());
  caller.left = 20;
  caller.drain(0);
  EXPECT_EQ(caller.done.size(), 28u);
  EXPECT_FALSE(caller.room.empty());
  EXPECT_EQ(caller.left, 0);
}

// A queue of eight entries: the last of 20 lines has one when the twelfth is done.
TEST(Library, RoomFollowsTheLastLineOfARequest) {
  Caller caller(kSmall);
  EXPECT_EQ(caller.send(HMSIM_DRAM, 0, 0, false, 64 * 20), HMSIM_WAITS);
  EXPECT_EQ(caller.send(HMSIM_DRAM, 0, 0), HMSIM_FULL);
  caller.drain(0);
  ASSERT_EQ(caller.room.size(), 1u);
  EXPECT_EQ(caller.room[0].which, HMSIM_DRAM);
  ASSERT_EQ(caller.done.size(), 1u);
  EXPECT_LT(caller.room[0].time, caller.done.at(0));
  EXPECT_GT(caller.room[0].time, caller.done.at(0) / 2);
  EXPECT_EQ(caller.statistic("dram.reads", caller.last), 20);
}

// One clock is 1250 ps. Sent before hmsim_run(), a request reaches the edge at its time; sent after
// it, the next edge.
TEST(Library, ARequestSentBeforeRunningReachesTheEdgeOfItsTime) {
  for (const bool before : {true, false}) {
    Caller caller(std::string(kSmall) + "\ndram.refresh=false");
    ASSERT_EQ(hmsim_run(caller.memory, 1250), HMSIM_OK);
    if (!before) {
      ASSERT_EQ(hmsim_run(caller.memory, 2500), HMSIM_OK);
    }
    EXPECT_EQ(caller.send(HMSIM_DRAM, 0, 2500), HMSIM_OK);
    caller.drain(2500);
    EXPECT_EQ(caller.done.at(0), 2500 + 1250 * (11 + 11 + 4 + (before ? 0 : 1)));
  }
}

// A host that ticks and one that follows events see the same times, if requests enter at the same.
TEST(Library, TicksAndEventsGiveTheSameTimes) {
  std::map<std::uint64_t, std::int64_t> times[2];
  for (const bool ticks : {false, true}) {
    Caller caller(kSmall);
    hmsim::Random random(3);
    std::int64_t now = 0;
    for (int i = 0; i < 400; ++i) {
      const std::int64_t next = now + random.below(20'000'000);
      for (; ticks && now < next; now += 77'700) {
        ASSERT_EQ(hmsim_run(caller.memory, now), HMSIM_OK);
      }
      now = next;
      const hmsim_class which = random.below(3) == 0 ? HMSIM_NVDIMM : HMSIM_DRAM;
      ASSERT_EQ(hmsim_run(caller.memory, now), HMSIM_OK);
      caller.send(which, static_cast<std::uint64_t>(random.below(1 << 20)) * 64, now,
                  random.below(3) == 0);
    }
    caller.drain(now);
    EXPECT_EQ(caller.done.size(), caller.next_id);
    times[ticks ? 1 : 0] = caller.done;
  }
  EXPECT_GT(times[0].size(), 200u);
  EXPECT_EQ(times[0], times[1]);
}

TEST(Library, AStateContinuesAtAnyTime) {
  std::map<std::uint64_t, std::int64_t> later[2];
  std::string state;
  for (const bool loaded : {false, true}) {
    Caller caller(kSmall);
    std::int64_t now = loaded ? 5'000'000'000 : 0;
    if (loaded) {
      ASSERT_EQ(hmsim_load(caller.memory, now, state.data(), state.size()), HMSIM_OK)
          << caller.error();
    } else {
      for (std::uint64_t i = 0; i < 5; ++i) {
        caller.send(HMSIM_NVDIMM, i * 4096, 0, i % 2 == 0);
      }
      const void* data = nullptr;
      std::size_t size = 0;
      EXPECT_EQ(hmsim_save(caller.memory, 1, &data, &size), HMSIM_BAD_INPUT);
      EXPECT_EQ(caller.error(), "the memory must be idle to be saved");
      caller.drain(1);
      now = caller.last + 1000;
      ASSERT_EQ(hmsim_save(caller.memory, now, &data, &size), HMSIM_OK) << caller.error();
      state.assign(static_cast<const char*>(data), size);
    }
    caller.done.clear();
    caller.next_id = 100;
    const std::int64_t begin = now;
    for (std::uint64_t i = 0; i < 8; ++i) {
      now += 100'000;
      caller.send(i % 2 == 0 ? HMSIM_NVDIMM : HMSIM_DRAM, i * 8192, now);
    }
    caller.drain(now);
    for (const auto& [id, time] : caller.done) {
      later[loaded ? 1 : 0][id] = time - begin;
    }
  }
  EXPECT_EQ(later[0].size(), 8u);
  EXPECT_EQ(later[0], later[1]);
}

TEST(Library, DamagedStatesAreRejectedForGood) {
  Caller caller(kSmall);
  const std::string damaged(200, 'x');
  EXPECT_EQ(hmsim_load(caller.memory, 0, damaged.data(), damaged.size()), HMSIM_BAD_INPUT);
  EXPECT_NE(caller.error(), "");
  EXPECT_EQ(hmsim_run(caller.memory, 1), HMSIM_FAULT);
}

TEST(Library, WrongParametersAreNamed) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"dram.rank=3", "parameters:1: dram.rank: unknown parameter; did you mean 'dram.ranks'?"},
      {"a=b\nx", "parameters:2: must be NAME=VALUE, got 'x'"},
      {"system.store_data=true",
       "parameters:1: system.store_data: must be off: the host keeps the data"},
      {"nvdimm.precondition.buffer=resident",
       "parameters:1: nvdimm.precondition.buffer: 'resident' needs agents' traces, which the host "
       "does not have: "
       "must be 'none', 'dirty' or 'captured'"},
      {"nvdimm.precondition.buffer=captured",
       "parameters:1: nvdimm.precondition.buffer: must be 'none' or 'dirty', got 'captured'"}};
  for (const auto& [parameters, message] : cases) {
    Caller caller(parameters);
    EXPECT_EQ(caller.status, HMSIM_BAD_INPUT);
    EXPECT_EQ(caller.error(), message);
    EXPECT_EQ(caller.send(HMSIM_DRAM, 0, 0), HMSIM_BAD_INPUT);
    EXPECT_EQ(hmsim_capacity(caller.memory, HMSIM_DRAM), 0u);
    EXPECT_EQ(hmsim_next_event(caller.memory), HMSIM_NEVER);
  }
}

TEST(Library, AFileOfParametersIsReadWithItsLines) {
  const std::string path = testing::TempDir() + "library_machine.txt";
  const hmsim_host host{nullptr, [](void*, std::uint64_t, hmsim_answer, std::int64_t) {}, nullptr,
                        nullptr};
  const auto created = [&](const std::string& content, std::uint64_t* capacity = nullptr) {
    std::ofstream(path, std::ios::binary) << content;
    hmsim_memory* memory = nullptr;
    const hmsim_status status = hmsim_create_from_file(path.c_str(), 1, 0, &host, &memory);
    if (capacity != nullptr) {
      *capacity = hmsim_capacity(memory, HMSIM_DRAM);
    }
    const std::string text = hmsim_error(memory);
    EXPECT_EQ(status, text.empty() ? HMSIM_OK : HMSIM_BAD_INPUT);
    hmsim_destroy(memory);
    return text;
  };
  std::uint64_t two = 0;
  std::uint64_t one = 0;
  EXPECT_EQ(created(" nvdimm.present\t= false\r\n# dram.ranks = 7\ndram.ranks=2", &two), "");
  EXPECT_EQ(created("nvdimm.present=false\ndram.ranks=x\n dram.ranks = 1\n", &one), "");
  EXPECT_EQ(two, 2 * one) << "the later of two lines counts";
  EXPECT_EQ(created("\n#\ndram.rank = 2\nnvdimm.presen=false\n"),
            path + ":3: dram.rank: unknown parameter; did you mean 'dram.ranks'?");
  EXPECT_EQ(created("dram.ranks=2\ndram.ranks=0"), path + ":2: dram.ranks: '0' is outside 1 .. 8");
  EXPECT_EQ(created("nvdimm.present=false\n=2"), path + ":2: must be NAME=VALUE, got '=2'");
  EXPECT_EQ(created(std::string("\0", 1) + "=2").rfind(path + ":1: must be NAME=VALUE", 0), 0u);
  EXPECT_EQ(created(std::string(5000, 'x')).rfind(path + ":1: must be NAME=VALUE", 0), 0u);
  EXPECT_EQ(created(std::string(std::size_t{1} << 21, '\n')),
            path + ": must have at most 1 MiB, as a list of parameters");
  hmsim_memory* memory = nullptr;
  EXPECT_EQ(hmsim_create_from_file("/", 1, 0, &host, &memory), HMSIM_BAD_INPUT);
  EXPECT_EQ(std::string(hmsim_error(memory)), "/: cannot be read: Is a directory");
  hmsim_destroy(memory);
  EXPECT_EQ(hmsim_create_from_file(nullptr, 1, 0, &host, &memory), HMSIM_BAD_INPUT);
  hmsim_destroy(memory);
}

TEST(Library, CapacitiesAreThoseOfAllChannels) {
  const Caller one(kSmall);
  for (const std::uint64_t channels : {3, 6, 12, 32}) {
    Caller caller(std::string(kSmall) + "\ncontroller.channels=" + std::to_string(channels));
    for (const hmsim_class which : {HMSIM_DRAM, HMSIM_NVDIMM}) {
      const std::uint64_t end = hmsim_capacity(caller.memory, which);
      EXPECT_EQ(end, channels * hmsim_capacity(one.memory, which));
      EXPECT_EQ(caller.send(which, end, caller.last), HMSIM_BAD_INPUT);
      for (std::uint64_t i = 1; i <= 3 * channels; ++i) {
        EXPECT_EQ(caller.send(which, end - 4096 * i, caller.last), HMSIM_OK);
        caller.drain(caller.last);
      }
    }
    EXPECT_EQ(caller.done.size(), 6 * channels);
  }
}

TEST(Library, ErrorsOfTheCallerDoNothing) {
  Caller caller(kSmall);
  const std::uint64_t end = hmsim_capacity(caller.memory, HMSIM_DRAM);
  EXPECT_GT(end, 0u);
  EXPECT_EQ(hmsim_run(caller.memory, 1000), HMSIM_OK);
  EXPECT_EQ(caller.send(HMSIM_DRAM, end - 32, 1000), HMSIM_BAD_INPUT);
  EXPECT_EQ(caller.send(HMSIM_DRAM, ~std::uint64_t{0}, 1000), HMSIM_BAD_INPUT);
  EXPECT_EQ(caller.send(HMSIM_DRAM, 0, 1000, false, 0), HMSIM_BAD_INPUT);
  EXPECT_EQ(caller.send(3, 0, 1000), HMSIM_BAD_INPUT);
  EXPECT_EQ(caller.send(HMSIM_DRAM, 0, 999), HMSIM_BAD_INPUT);
  EXPECT_EQ(hmsim_run(caller.memory, -1), HMSIM_BAD_INPUT);
  EXPECT_EQ(hmsim_run(caller.memory, HMSIM_NEVER), HMSIM_BAD_INPUT);
  EXPECT_EQ(hmsim_send(caller.memory, nullptr, 1000), HMSIM_BAD_INPUT);
  EXPECT_EQ(hmsim_send(nullptr, nullptr, 1000), HMSIM_BAD_INPUT);
  double value = 0;
  EXPECT_EQ(hmsim_statistic(caller.memory, "dram.read", 1000, &value), HMSIM_BAD_INPUT);
  EXPECT_EQ(caller.error(), "dram.read: unknown statistic; did you mean 'dram.reads'?");
  EXPECT_EQ(caller.send(HMSIM_DRAM, end - 64, 1000), HMSIM_OK);
  caller.drain(1000);
  EXPECT_EQ(caller.done.size(), 1u);
}

TEST(Library, CallsMayNeitherAdvanceTimeNorLoadAState) {
  const void* data = nullptr;
  std::size_t size = 0;
  Caller saved(kSmall);
  ASSERT_EQ(hmsim_save(saved.memory, 0, &data, &size), HMSIM_OK);
  const auto load = [&](hmsim_memory* memory, std::int64_t now) {
    return hmsim_load(memory, now, data, size);
  };
  for (const bool loads : {false, true}) {
    Caller caller(kSmall);
    EXPECT_EQ(load(caller.memory, -1), HMSIM_BAD_INPUT);
    if (loads) {
      caller.call = load;
    } else {
      caller.call = hmsim_run;
    }
    caller.send(HMSIM_DRAM, 0, 0);
    caller.drain(0);
    EXPECT_EQ(caller.within, HMSIM_BAD_INPUT);
    EXPECT_EQ(caller.text, loads ? "a state must not be loaded within a call into the simulator"
                                 : "time must not be advanced within a call into the simulator");
    EXPECT_EQ(load(caller.memory, caller.last), HMSIM_BAD_INPUT);
    EXPECT_EQ(caller.error(),
              "a state can be loaded only into a memory that nothing was done with");
    EXPECT_EQ(caller.statistic("dram.reads", caller.last), 1);
  }
}

TEST(Library, AnExceptionOfTheSimulatorIsAFault) {
  Caller caller(kSmall);
  caller.throws = true;
  caller.send(HMSIM_DRAM, 0, 0);
  EXPECT_EQ(hmsim_run(caller.memory, 1'000'000), HMSIM_FAULT);
  EXPECT_EQ(caller.error(), "of the simulator");
  EXPECT_EQ(hmsim_run(caller.memory, 2'000'000), HMSIM_FAULT);
}

TEST(Library, StatisticsBeginAgainAfterWarmUp) {
  Caller caller(kSmall);
  caller.send(HMSIM_DRAM, 0, 0);
  caller.drain(0);
  EXPECT_EQ(hmsim_reset_statistics(caller.memory, caller.last), HMSIM_OK);
  EXPECT_EQ(caller.statistic("dram.reads", caller.last + 500), 0);
  EXPECT_EQ(caller.statistic("sim.ticks", caller.last + 500), 500);
  EXPECT_TRUE(std::isnan(caller.statistic("dram.read_latency_ns.mean", caller.last + 500)));
}

}  // namespace

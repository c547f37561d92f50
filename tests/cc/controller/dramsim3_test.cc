// SPDX-License-Identifier: BSD-3-Clause
// DRAMsim3 below hmsim's controller, and as a complete channel, in builds that include it. Builds
// with sanitizers thus run it as well. tests/validation/test_dramsim3.py checks its accuracy.
#include <gtest/gtest.h>

#include "controller/channel/dram_backend.h"
#include "controller/config/backend_check.h"
#include "controller/memory_system.h"
#include "tests/cc/controller/harness.h"
#include "tests/cc/controller/random_traffic.h"
#include "tests/cc/states.h"

namespace hmsim::testing {
namespace {

class Dramsim3 : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!is_built_in("dramsim3")) {
      GTEST_SKIP() << "not part of this build";
    }
  }
};

// A build without DRAMsim3 rejects parameters that select it. It also rejects calls that bypass the
// check of parameters.
TEST(WithoutDramsim3, SelectingItIsRejected) {
  if (is_built_in("dramsim3")) {
    GTEST_SKIP() << "it is part of this build";
  }
  SystemConfig config = make_config(kDramOnly);
  TransactionPool pool(1);
  EXPECT_THROW(dram_backend("dramsim3").make_devices(config, pool), InputError);
  for (const char* backend : {"dramsim3", "dramsim3_full"}) {
    EXPECT_THROW(make_config(with(kDramOnly, {{"dram.backend", backend}})), InputError);
    config.dram_model.backend = backend;
    EXPECT_THROW(dram_backend(backend).make_channel(config, 0, 1), InputError);
  }
}

TEST(DramBackends, AreKnownByName) {
  for (const char* name : {"native", "dramsim3", "dramsim3_full"}) {
    EXPECT_STREQ(dram_backend(name).name, name);
  }
  for (const char* name : {"", "natives", "dramsim"}) {
    EXPECT_THROW(dram_backend(name), InputError) << name;
  }
}

TEST_F(Dramsim3, DevicesKeepTheRulesUnderRandomTraffic) {
  for (const char* preset : {"ddr3_1600k_4gb_x8", "ddr4_2400t_8gb_x8"}) {
    SCOPED_TRACE(preset);
    ChannelUnderTest channel({{"dram.backend", "dramsim3"},
                              {"dram.dramsim3_mend_timing", "true"},
                              {"dram.preset", preset},
                              {"dram.ranks", "2"},
                              {"nvdimm.capacity", "256MiB"},
                              {"nvdimm.ftl.over_provisioning", "28"},
                              {"nvdimm.buffer.read_size", "256KiB"},
                              {"nvdimm.buffer.write_size", "256KiB"}});
    RandomTraffic traffic(channel, 1);
    traffic.run(300);
    copy_state(channel.channel_, channel.channel_);
    channel.drain();
    EXPECT_TRUE(channel.channel_.idle());
    EXPECT_EQ(channel.completions_.size(), channel.next_id_);
  }
}

class Counting final : public Requester {
 public:
  void on_complete(const Request& /*request*/, Tick /*now*/) override { ++completed; }
  std::size_t completed = 0;
};

TEST_F(Dramsim3, TheFullSimulatorAnswersEachRead) {
  const SystemConfig config = make_config({{"dram.backend", "dramsim3_full"},
                                           {"nvdimm.present", "false"},
                                           {"dram.preset", "ddr3_1600k_4gb_x8"},
                                           {"dram.ranks", "2"}});
  Kernel kernel;
  MemorySystem memory(config, kernel, 1);
  Counting requester;
  memory.set_requesters({&requester});
  for (std::int64_t i = 0; i < 500; ++i) {
    Request request;
    request.memory = MemoryClass::dram;
    request.address = Address(i * 7919 % 100'000 * kLineBytes.value());
    memory.send(request, kernel.now());
    kernel.run_until(kernel.now() + Tick(20'000));
  }
  kernel.run_until(kernel.now() + Tick(10'000'000));
  EXPECT_EQ(requester.completed, 500u);
}

// An ini file that ships with DRAMsim3 can be given by name. An unknown name is rejected.
TEST_F(Dramsim3, ItsShippedFilesAreFoundByName) {
  EXPECT_EQ(make_config({{"nvdimm.present", "false"}, {"dram.dramsim3_ini", "DDR4_8Gb_x8_2400"}})
                .dram.timing.cl,
            17);
  EXPECT_THROW(
      make_config({{"nvdimm.present", "false"}, {"dram.dramsim3_ini", "DDR4_8Gb_x8_2401"}}),
      InputError);
}

}  // namespace
}  // namespace hmsim::testing

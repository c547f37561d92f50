// SPDX-License-Identifier: BSD-3-Clause
// Does a storage run that was saved and loaded continue like the original?
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/cc/states.h"
#include "tests/cc/storage/rig.h"

namespace hmsim::testing {
namespace {

using Kind = IoDriverKind;

// Host and array under a closed loop of twelve mixed requests. Its machines have fewer contexts and
// tags, so that requests queue for both.
class System final : private IoListener {
 public:
  explicit System(const Machine& machine)
      : array_(machine.design, machine.capacity), host_(machine.path, array_) {
    client_ = host_.join(*this);
    host_.attach(Wakeup(kernel_, kernel_.attach(host_)));
  }
  void begin_all() {
    for (std::uint32_t i = 0; i < 12; ++i) {
      begin(i, Tick(0));
    }
  }
  void step(int count) {
    for (int i = 0; i < count && kernel_.step(kNever); ++i) {
    }
  }
  void serialize(Archive& archive) {
    random_.serialize(archive);
    host_.serialize(archive);
    kernel_.serialize(archive);
  }
  std::string saved() { return state_of(*this); }
  std::vector<std::pair<std::uint32_t, Tick>> take_log() { return std::exchange(log_, {}); }

 private:
  void begin(std::uint32_t tag, Tick now) {
    IoRequest request;
    request.tag = tag;
    request.kind = static_cast<IoRequest::Kind>(random_.below(16) == 0 ? 2 : random_.below(2));
    request.barrier = request.kind == IoRequest::Kind::flush;
    request.bytes = request.barrier ? 0 : (1 + random_.below(40)) * 512;
    request.offset = random_.below(10'000) * 512;
    host_.begin(client_, request, now);
  }
  void on_io_done(std::uint32_t tag, Tick now) override {
    log_.emplace_back(tag, now);
    begin(tag % 12, now);
  }

  Kernel kernel_;
  Array array_;
  Host host_;
  Random random_{11};
  std::uint16_t client_ = 0;
  std::vector<std::pair<std::uint32_t, Tick>> log_;
};

std::vector<Machine> machines() {
  std::vector<Machine> all;
  for (const Kind kind : {Kind::moneta_base, Kind::moneta_nosched, Kind::moneta_balance}) {
    Machine machine = moneta(kind);
    machine.path.contexts = 3;
    machine.path.max_request = Bytes(8'192);
    machine.path.file_system_write_hold = 2 * kMicrosecond;
    machine.design.array.tags = 6;
    all.push_back(machine);
  }
  all.back().design.array.shared_buffers = true;
  return all;
}

TEST(StorageCheckpoint, AHostAndItsArrayResumeExactly) {
  for (const Machine& machine : machines()) {
    System whole(machine);
    whole.begin_all();
    for (int cut = 0; cut < 40; ++cut) {
      whole.step(23);
      System resumed(machine);
      Archive loaded(whole.saved());
      resumed.serialize(loaded);
      EXPECT_TRUE(loaded.at_end());
      whole.take_log();
      whole.step(40);
      resumed.step(40);
      ASSERT_EQ(whole.take_log(), resumed.take_log());
      ASSERT_EQ(whole.saved(), resumed.saved());
    }
  }
}

}  // namespace
}  // namespace hmsim::testing

// SPDX-License-Identifier: BSD-3-Clause
// Do several NVDIMMs of a channel act as one for their host, in power failures and in saved states?
#include "nvdimm/module_group.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/cc/nvdimm/rig.h"

namespace hmsim {
namespace {

constexpr std::size_t kModules = 2;

// Two NVDIMMs whose commands end when the test calls for it.
class Group : public AckListener {
 public:
  explicit Group(const NvdimmParameters& parameters)
      : own(Nvdimm::logical_capacity(parameters)), all_(*this) {
    for (std::uint64_t seed = 1; seed <= kModules; ++seed) {
      all_.add(std::make_unique<Nvdimm>(parameters, all_.listener(), seed), own);
    }
    all_.attach(kernel, Wakeup(kernel, kernel.attach(all_)));
    kernel.notify_all();
  }
  void on_ack(std::uint32_t tag, Tick) override { acks.push_back(tag); }

  ModuleGroup& all() { return all_; }
  Address address(std::size_t module, std::int64_t page) const {
    return Address(static_cast<std::int64_t>(module) * own.value()) + line_address(page);
  }
  void write(std::size_t module, std::int64_t page, std::uint8_t value) {
    acks.clear();
    all_.command(0, address(module, page), true, kernel.now());
    while (acks.empty()) {
      kernel.step(kNever);
    }
    all_.write_line(0, line_of(value));
    all_.finish(0, kernel.now());
  }
  void drain() {
    while (kernel.step(kNever)) {
    }
  }
  static LineData line_of(std::uint8_t value) {
    LineData line;
    line.bytes.fill(value);
    return line;
  }
  std::string saved() {
    Archive archive;
    all_.serialize(archive);
    return archive.bytes();
  }

  const Bytes own;  // per module
  Kernel kernel;
  std::vector<std::uint32_t> acks;

 private:
  ModuleGroup all_;
};

NvdimmParameters with_data() {
  NvdimmParameters parameters = small_nvdimm();
  parameters.store_data = true;
  parameters.spared_writes = 4;
  parameters.buffer.flush = BufferFlush::writeback;
  return parameters;
}

TEST(ModuleGroup, APowerFailureLosesNothingOfAny) {
  Group before(with_data());
  for (std::size_t module = 0; module < kModules; ++module) {
    for (std::int64_t page = 0; page < 9; ++page) {
      before.write(module, page, static_cast<std::uint8_t>(10 * module + page));
    }
    before.all().spare(before.address(module, 9),
                       Group::line_of(static_cast<std::uint8_t>(10 * module + 9)));
  }
  const auto expect_all = [](Group& group) {
    for (std::size_t module = 0; module < kModules; ++module) {
      for (std::int64_t page = 0; page < 10; ++page) {
        const auto value = static_cast<std::uint8_t>(10 * module + page);
        EXPECT_EQ(group.all().peek(group.address(module, page)), Group::line_of(value).bytes);
      }
    }
  };
  EXPECT_FALSE(before.all().off());
  before.all().power_fail(before.kernel.now());
  EXPECT_TRUE(before.all().off());
  expect_all(before);
  Group after(with_data());
  EXPECT_TRUE(after.all().restore(before.all(), after.kernel.now()));
  EXPECT_FALSE(after.all().off());
  expect_all(after);
  after.write(1, 3, 77);
  EXPECT_EQ(after.all().peek(after.address(1, 3)), Group::line_of(77).bytes);
}

TEST(ModuleGroup, PagesWrittenBeforeTimeZeroAreOnTheFlashOfEach) {
  Group group(small_nvdimm());
  const std::int64_t pages = group.own.value() / kPageBytes.value();
  group.all().write_before({LogicalPage(2), LogicalPage(pages + 3)});
  for (std::size_t module = 0; module < kModules; ++module) {
    const auto& nvdimm = static_cast<const Nvdimm&>(*group.all().modules()[module]);
    const auto written = static_cast<std::int64_t>(2 + module);
    for (std::int64_t page = 0; page < 6; ++page) {
      EXPECT_EQ(nvdimm.ftl().pages().place(LogicalPage(page)) != kNowhere, page == written)
          << module << ", " << page;
    }
  }
}

TEST(ModuleGroup, ARecoveryEndsWithTheLastModule) {
  for (std::size_t slow = 0; slow < kModules; ++slow) {  // the other one has no data
    Group before(with_data());
    for (std::int64_t page = 0; page < 9; ++page) {
      before.write(slow, page, 1);
    }
    before.drain();
    before.all().power_fail(before.kernel.now());
    Group after(with_data());
    EXPECT_FALSE(after.all().restore(before.all(), after.kernel.now(), Tick(1)));
    EXPECT_TRUE(after.all().off());
    EXPECT_EQ(after.all().modules()[1 - slow]->off(), false);
    EXPECT_EQ(after.all().modules()[slow]->off(), true);
  }
}

TEST(ModuleGroup, ThePreconditionedStateOfEachIsSaved) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.precondition.fill = 0.9;
  parameters.precondition.overwrite = 1;
  const auto start = [](Group& group) {
    Archive archive;
    group.all().serialize_start(archive);
    return archive.bytes();
  };
  Group one(parameters);
  const std::string state = start(one);
  Archive alone;
  one.all().modules()[0]->serialize_start(alone);
  EXPECT_GT(state.size(), alone.bytes().size());
  Group other(small_nvdimm());
  EXPECT_NE(start(other), state);
  Archive archive(state);
  other.all().serialize_start(archive);
  EXPECT_TRUE(archive.at_end());
  EXPECT_EQ(start(other), state);
}

TEST(ModuleGroup, PagesOfEachAreDiscarded) {
  Group group(with_data());
  const std::int64_t pages = group.own.value() / kPageBytes.value();
  for (const std::int64_t page : {0, 1}) {
    group.write(0, pages - 1 - page, 1);
    group.write(1, page, 1);
  }
  EXPECT_EQ(group.all().trim(group.address(0, pages - 1), 2 * kPageBytes, group.kernel.now()), 2);
  const LineBytes none{};
  const LineBytes written = Group::line_of(1).bytes;
  EXPECT_EQ(group.all().peek(group.address(0, pages - 2)), written);
  EXPECT_EQ(group.all().peek(group.address(0, pages - 1)), none);
  EXPECT_EQ(group.all().peek(group.address(1, 0)), none);
  EXPECT_EQ(group.all().peek(group.address(1, 1)), written);
  EXPECT_EQ(group.all().trim(group.address(1, 1), kPageBytes, group.kernel.now()), 1);
  EXPECT_EQ(group.all().peek(group.address(1, 1)), none);
}

TEST(ModuleGroup, EachHoldsThePagesThatWereReadOrWritten) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.precondition.fill = 0.9;
  for (std::size_t module = 0; module < kModules; ++module) {
    Group group(parameters);
    const auto of_group = [&group, module](std::int64_t page) {
      return LogicalPage(group.address(module, page).value() / kPageBytes.value());
    };
    group.all().hold_read({of_group(3)});
    group.all().hold_written({of_group(5)});
    const auto time_of = [&group, module](std::int64_t page) {
      group.acks.clear();
      const Tick began = group.kernel.now();
      group.all().command(0, group.address(module, page), false, began);
      while (group.acks.empty()) {
        group.kernel.step(kNever);
      }
      group.all().finish(0, group.kernel.now());
      return group.kernel.now() - began;
    };
    EXPECT_LT(time_of(3), Tick(1'000'000)) << "the buffer has it";
    EXPECT_LT(time_of(5), Tick(1'000'000)) << "the buffer has it";
    EXPECT_GT(time_of(4), Tick(50'000'000)) << "flash has it";
  }
}

TEST(ModuleGroup, AFlushIsSavedForAnySetOfAcknowledgements) {
  Group group(with_data());
  group.write(1, 1, 1);  // the first has nothing to write back
  group.all().flush(5, group.kernel.now());
  group.acks.clear();
  int saved = 0;
  do {
    const std::string state = group.saved();
    Group other(with_data());
    Archive archive(state);
    other.all().serialize(archive);
    EXPECT_EQ(other.saved(), state);
    ++saved;
    group.kernel.step(kNever);
  } while (group.acks.empty());
  EXPECT_GT(saved, 2);
}

}  // namespace
}  // namespace hmsim

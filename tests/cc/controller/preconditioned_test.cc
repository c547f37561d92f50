// SPDX-License-Identifier: BSD-3-Clause
// Which state does preconditioning leave, for which systems is it valid, and which files are
// rejected?
#include "controller/preconditioned.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "tests/cc/assignments.h"
#include "tests/cc/controller/hbf_system.h"
#include "tests/cc/controller/memory_rig.h"
#include "tests/cc/names.h"
#include "tests/cc/words.h"

namespace hmsim::testing {
namespace {

TEST(Preconditioned, TheStateIsThatOfOneNode) {
  EXPECT_EQ(Memory(kWritten, 2).memory.preconditioned(kSeed),
            Memory(kWritten).memory.preconditioned(kSeed));
}

TEST(Preconditioned, OnlyPresentFlashIsPreconditioned) {
  const auto pages = [](const Assignments& more) {
    return preconditioned_pages(make_config(with(with(kSmallNvdimm, kWritten), more)));
  };
  const std::uint64_t all = pages({});
  EXPECT_GT(all, 0u);
  EXPECT_EQ(pages({{"nvdimm.count", "2"}}), 2 * all);
  EXPECT_EQ(pages({{"nvdimm.precondition.load", "some.file"}}), 0u);
  EXPECT_EQ(pages({{"nvdimm.kind", "sttram"}, {"nvdimm.precondition.fill", "0"}}), 0u);
  EXPECT_EQ(pages({{"nvdimm.present", "false"}}), 0u);
}

// The shape contains exactly the parameters that determine the state, so the state is valid for
// runs that differ in others.
TEST(Preconditioned, AStateStatesTheParametersThatDetermineIt) {
  const auto shape = [](const Assignments& more) {
    return preconditioned_shape(make_config(with(with(kSmallNvdimm, kWritten), more)), kSeed);
  };
  const std::string plain = shape({});
  EXPECT_EQ(shape({{"nvdimm.buffer.read_size", "8KiB"}}), plain);
  EXPECT_EQ(shape({{"controller.queue_depth", "16"}}), plain);
  EXPECT_NE(shape({{"nvdimm.ftl.over_provisioning", "90"}}), plain);
  const Assignments two{{"nvdimm.count", "2"}};
  EXPECT_EQ(shape(with(two, {{"nvdimm.buffer.read_size", "8KiB"}})), shape(two));
  EXPECT_EQ(plain.find("nvdimm.count"), std::string::npos);
  EXPECT_NE(shape({{"nvdimm.count", "2"}}).find("nvdimm.count = 2"), std::string::npos);
  EXPECT_NE(shape({{"nvdimm.count", "2"}, {"nvdimm.devices", "1: buffer.lookup=7ns"}})
                .find("nvdimm.devices"),
            std::string::npos);
}

class WrittenFile {
 public:
  explicit WrittenFile(const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }
  ~WrittenFile() { std::remove(path.c_str()); }
  const std::string path = ::testing::TempDir() + "preconditioned_test." + std::to_string(getpid());
};

TEST(Preconditioned, EachNodeBeginsWithTheLoadedState) {
  const std::string written = Memory(kWritten).memory.preconditioned(kSeed);
  const WrittenFile file(written);
  for (const std::int64_t nodes : {1, 2}) {
    Memory loaded(with(kWritten, {{"nvdimm.precondition.load", file.path}}), nodes);
    EXPECT_EQ(loaded.memory.preconditioned(kSeed), written);
  }
}

// 512 logical pages a channel.
TEST(Preconditioned, HbfThatLoadsAStateEqualsHbfThatPreconditions) {
  const Assignments written = with(
      with(kHbf, kHostFtl), keys_from("nvdimm.precondition.fill=1 nvdimm.precondition.overwrite=2 "
                                      "nvdimm.ftl.over_provisioning=100"));
  for (const char* const more : {"hbf.refresh=paced_refresh", "controller.channels=2 hbf.streams=2",
                                 "system.store_data=true nvdimm.nand.program_failure=0.01"}) {
    const Assignments keys = with(written, keys_from(more));
    HbfSystem made(keys);
    EXPECT_EQ(preconditioned_pages(made.memory.config()),
              1536u * static_cast<std::uint64_t>(made.memory.config().controller.channels));
    const WrittenFile file(made.memory.preconditioned(kSeed));
    HbfSystem loaded(with(keys, {{"nvdimm.precondition.load", file.path}}));
    EXPECT_EQ(loaded.saved(), made.saved()) << more;
  }
}

TEST(Preconditioned, OnlyHbfWithAMapInTheHostIsPreconditioned) {
  const SystemConfig raw = make_config(kHbf);
  EXPECT_EQ(preconditioned_pages(raw), 0u);
  const auto shape = [](const char* more) {
    const Assignments keys = with(with(kHbf, kHostFtl), {{"nvdimm.ftl.over_provisioning", "100"}});
    return preconditioned_shape(make_config(with(keys, keys_from(more))), kSeed);
  };
  EXPECT_EQ(shape("hbf.pending_writes=8"), shape("hbf.grade=3"));
  EXPECT_NE(shape("hbf.streams=2"), shape("hbf.streams=1"));
  EXPECT_NE(shape("nvdimm.nand.program_failure=0.01"), shape("nvdimm.nand.program_failure=0"));
}

// The bound on a file's length grows with the flash and with its cached map: each state is longer
// than the 1 MiB allowed for parameter names.
TEST(Preconditioned, ALongStateOfLargeFlashOrOfACachedMapIsLoaded) {
  const Assignments large{{"nvdimm.capacity", "2GiB"}, {"nvdimm.precondition.fill", "1"}};
  const Assignments cached =
      keys_from("nvdimm.precondition.fill=1 nvdimm.ftl.map=cached nvdimm.ftl.map_cache=1MiB");
  for (const Assignments& each : {large, cached}) {
    const std::string written = Memory(each).memory.preconditioned(kSeed);
    ASSERT_GT(written.size(), std::size_t{1} << 20);
    const WrittenFile file(written);
    Memory loaded(with(each, {{"nvdimm.precondition.load", file.path}}));
    EXPECT_EQ(loaded.memory.preconditioned(kSeed), written);
  }
}

// The error also names a parameter that only one of the two victim selectors has.
TEST(Preconditioned, AStateOfOtherValuesIsRejectedWithBoth) {
  const auto told_of = [](const Assignments& then, const Assignments& now) -> std::string {
    const WrittenFile file(Memory(with(kWritten, then)).memory.preconditioned(kSeed));
    const std::string error = error_from([&] {
      Memory(with(with(kWritten, now), {{"nvdimm.precondition.load", file.path}}));
    });
    return error.empty() ? "" : error.substr(file.path.size());
  };
  EXPECT_EQ(told_of({}, {}), "");
  EXPECT_TRUE(
      names(told_of({{"nvdimm.ftl.reserve_blocks", "3"}}, {{"nvdimm.ftl.reserve_blocks", "4"}}),
            {"nvdimm.ftl.reserve_blocks", "3", "4"}));
  const Assignments drawn{{"nvdimm.ftl.victim", "d_choices"}};
  const Assignments of_three = with(drawn, {{"policies.d_choices.d", "3"}});
  EXPECT_TRUE(names(told_of(of_three, drawn), {"policies.d_choices.d", "3", "default"}));
  EXPECT_TRUE(names(told_of(drawn, of_three), {"policies.d_choices.d", "3", "default"}));
}

// The header has 32 bytes.
TEST(Preconditioned, ATruncatedStateIsRejected) {
  const std::string written = Memory(kWritten).memory.preconditioned(kSeed);
  const auto told_of = [&written](std::size_t length) -> std::string {
    const WrittenFile file(written.substr(0, length));
    return error_from([&] { Memory(with(kWritten, {{"nvdimm.precondition.load", file.path}})); });
  };
  EXPECT_TRUE(names(told_of(31), {"nvdimm.precondition.load", "preconditioned state"}));
  EXPECT_TRUE(names(told_of(32), {"nvdimm.precondition.load", "length"}));
  EXPECT_TRUE(names(told_of(written.size() - 1), {"nvdimm.precondition.load", "length"}));
  EXPECT_EQ(told_of(written.size()), "");
}

// The first name of the body, after two counts. Its hash and length precede it.
TEST(Preconditioned, AnUnprintableParameterNameIsRejected) {
  constexpr std::size_t kHeader = 32;
  constexpr std::size_t kHash = 16;
  const std::string written = Memory(kWritten).memory.preconditioned(kSeed);
  const auto told_of = [&written](char first) -> std::string {
    std::string body = written.substr(kHeader);
    EXPECT_EQ(body[2 * kWordBytes], 'c') << "controller.channels";
    body[2 * kWordBytes] = first;
    const std::string header = with_word(written.substr(0, kHeader), kHash, hash_bytes(body));
    const WrittenFile file(header + body);
    return error_from([&] { Memory(with(kWritten, {{"nvdimm.precondition.load", file.path}})); });
  };
  EXPECT_EQ(told_of('c'), "");
  EXPECT_TRUE(names(told_of('d'), {"controller.channels", "default"}));
  EXPECT_TRUE(names(told_of('\n'), {"nvdimm.precondition.load", "parameter"}));
}

}  // namespace
}  // namespace hmsim::testing

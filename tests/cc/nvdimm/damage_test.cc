// SPDX-License-Identifier: BSD-3-Clause
// Is the saved state of an NVDIMM that contradicts itself refused when it is loaded?
#include <gtest/gtest.h>

#include <functional>

#include "core/errors.h"
#include "tests/cc/nvdimm/attempts.h"
#include "tests/cc/nvdimm/rig.h"
#include "tests/cc/nvdimm/shadow.h"
#include "tests/cc/words.h"

namespace hmsim {

std::vector<NvdimmFaults::Damage> NvdimmFaults::damages() {
  using N = Nvdimm;
  const auto frame_in = [](N& n, FrameState state) -> Frame& {
    for (BufferPart* part : {&n.buffer_.read, &n.buffer_.write}) {
      for (std::uint32_t i = 0; i < part->records(); ++i) {
        if ((*part)[i].state == state) {
          return (*part)[i];
        }
      }
    }
    ADD_FAILURE() << "no frame is in state " << static_cast<int>(state);
    return n.buffer_.read[0];
  };
  const auto mapped = [](N& n) {
    std::size_t page = 0;
    while (n.ftl_.l2p_[page] == 0) {
      ++page;
    }
    return page;
  };
  const auto last_lookup = [](N& n) -> CommandTable::Command& {
    return n.commands_[n.commands_.lookups_.last];
  };
  return {
      {"two logical pages in one place",
       [mapped](N& n) {
         const std::size_t page = mapped(n);
         n.ftl_.l2p_[page == 0 ? 1 : 0] = n.ftl_.l2p_[page];
       }},
      {"a page behind the flash",
       [mapped](N& n) {
         n.ftl_.l2p_[mapped(n)] = static_cast<std::uint32_t>(n.ftl_.p2l_.size() + 1);
       }},
      {"a page where none was written",
       [mapped](N& n) {
         const auto free = static_cast<std::uint32_t>(n.ftl_.luns_[0].free.front());
         n.ftl_.l2p_[mapped(n)] = free * n.ftl_.shape().pages + 1;
       }},
      {"a block that is free twice",
       [](N& n) { n.ftl_.luns_[0].free.push_back(n.ftl_.luns_[0].free.back()); }},
      {"a block that is free and full",
       [](N& n) { n.ftl_.luns_[0].free.push_back(n.ftl_.luns_[0].full.front()); }},
      {"a free block that is not told", [](N& n) { n.ftl_.luns_[0].free.pop_back(); }},
      {"free blocks out of order",
       [](N& n) {
         std::vector<std::uint64_t>& free = n.ftl_.luns_[0].free;
         std::sort(free.begin(), free.end(), std::greater<>());
       }},
      {"more invalid pages than there are", [](N& n) { ++n.ftl_.luns_[0].invalid; }},
      {"more in_flight pages than there are", [](N& n) { ++n.ftl_.luns_[0].in_flight; }},
      {"a claim of nobody", [](N& n) { ++n.ftl_.luns_[0].claimed; }},
      {"an open block beyond its end",
       [](N& n) { n.ftl_.luns_[0].frontiers[0].next_page = n.ftl_.shape().pages + 1; }},
      {"an open block that is none",
       [](N& n) { n.ftl_.luns_[0].frontiers[0].block = n.ftl_.shape().blocks; }},
      {"a LUN of bad blocks", [](N& n) { n.ftl_.luns_[0].bad = n.ftl_.shape().blocks; }},
      {"a block behind in its list",
       [](N& n) {
         Ftl::Block& block = n.ftl_.blocks_[n.ftl_.luns_[0].filled.first];
         block.age.next = kNoIndex;
       }},
      {"another place of a full block",
       [](N& n) { ++n.ftl_.blocks_[n.ftl_.luns_[0].full[0]].slot; }},
      {"a block worn beyond reason",
       [](N& n) { n.ftl_.blocks_[n.ftl_.luns_[0].full[0]].erases = 1u << 30; }},
      {"the next LUN of none", [](N& n) { n.ftl_.cursor_ = 1'000; }},
      {"a frame that holds no page", [=](N& n) { frame_in(n, FrameState::dirty).key = 1 << 30; }},
      {"a frame of a negative page", [=](N& n) { frame_in(n, FrameState::dirty).key = -1; }},
      {"a frame with a user too many", [=](N& n) { ++frame_in(n, FrameState::dirty).pins; }},
      {"a frame with users, and one too many",
       [](N& n) {
         for (BufferPart* part : {&n.buffer_.read, &n.buffer_.write}) {
           for (std::uint32_t i = 0; i < part->records(); ++i) {
             if ((*part)[i].pins > 0) {
               ++(*part)[i].pins;
               return;
             }
           }
         }
         ADD_FAILURE() << "no frame is used";
       }},
      {"a frame in another list",
       [=](N& n) { frame_in(n, FrameState::dirty).listing = FrameListing::guarded; }},
      {"a frame that nothing fills",
       [=](N& n) { frame_in(n, FrameState::clean).state = FrameState::filling; }},
      {"a frame of another LUN", [=](N& n) { frame_in(n, FrameState::filling).lun = 77; }},
      {"a frame that waits for itself",
       [=](N& n) {
         Frame& frame = frame_in(n, FrameState::filling);
         n.commands_[frame.waiters.last].next = frame.waiters.first;
       }},
      {"a command that waits for itself",
       [=](N& n) { last_lookup(n).next = n.commands_.lookups_.last; }},
      {"a command behind the NVDIMM",
       [=](N& n) { last_lookup(n).address = Address(std::int64_t{1} << 40); }},
      {"a command that is not there",
       [=](N& n) { last_lookup(n).stage = CommandTable::Stage::none; }},
      {"a lookup at another time", [](N& n) { n.commands_.next_lookup_ += Tick(1); }},
      {"more commands than there are", [](N& n) { ++n.commands_.unfinished_; }},
      {"a frame too many that will be free", [](N& n) { ++n.writes_.leaving_; }},
      {"work that nobody does",
       [](N& n) {
         n.pending_.add(0, {1, 0, 0});
       }},
      {"a flush that was never sent", [](N& n) { n.flush_.tag_ = 0; }},
      {"a flush of no command", [](N& n) { n.flush_.tag_ = 1'000; }},
      {"frames freed without a word", [](N& n) { n.freed_pending_ = !n.freed_pending_; }},
      {"a LUN too many that is busy",
       [](N& n) { n.statistics_.busy_luns.set(0, n.now() + kNanosecond); }},
  };
}

std::vector<NvdimmFaults::Damage> NvdimmFaults::damages_of_posted() {
  using N = Nvdimm;
  // A posted write that a read waits for, and its tag.
  const auto awaited = [](N& n) {
    PostedWrites& posted = n.commands_.posted_;
    for (std::uint32_t tag = 0; tag < n.commands_.commands_.size(); ++tag) {
      if (posted.owns(tag) && posted.uses(tag) && posted.readers(tag).first != kNoIndex) {
        return tag;
      }
    }
    ADD_FAILURE() << "no read waits for a posted write";
    return std::uint32_t{0};
  };
  return {
      {"a posted write of another line",
       [=](N& n) { n.commands_.commands_[awaited(n)].address += Address(kLineBytes.value()); }},
      {"a posted write that reads", [=](N& n) { n.commands_.commands_[awaited(n)].write = false; }},
      {"a reader of another page",
       [=](N& n) {
         const std::uint32_t reader = n.commands_.posted_.readers(awaited(n)).first;
         n.commands_.commands_[reader].address += Address(kPageBytes.value());
       }},
      {"a reader that nobody calls",
       [=](N& n) { n.commands_.posted_.readers(awaited(n)) = SlotChain(); }},
      {"a posted write less", [=](N& n) { n.commands_.posted_.remove(awaited(n)); }},
      {"a posted write of no command",
       [](N& n) {
         ASSERT_FALSE(n.commands_.posted_.full());
         n.commands_.posted_.add(9 * kLinesPerPage, LineData());
       }},
  };
}

namespace {

NvdimmParameters parameters() {
  NvdimmParameters parameters = small_nvdimm();
  parameters.buffer.read_size = 24 * kPageBytes;
  parameters.buffer.write_size = 8 * kPageBytes;
  parameters.precondition.fill = 0.9;
  parameters.precondition.overwrite = 1;
  return parameters;
}

// Reads and writes of more pages than the buffer has frames for; then commands are in every stage.
void use(Rig& rig) {
  const auto next = [](std::int64_t number, Address& address, bool& write) {
    const std::uint64_t page = mix64(static_cast<std::uint64_t>(number)) % 100;
    address = line_address(static_cast<std::int64_t>(page), number % kLinesPerPage);
    write = number % 3 == 0;
  };
  const auto send = [&](std::uint32_t first, std::uint32_t end) {
    for (std::uint32_t tag = first; tag < end; ++tag) {
      Address address{0};
      bool write = false;
      next(100 + tag, address, write);
      rig.nvdimm().command(tag, address, write, rig.now());
    }
  };
  rig.run(60, 12, next);
  send(0, 12);
  const NvdimmStatistics& counts = rig.statistics();
  while (counts.read_lookups + counts.write_lookups < 72) {
    rig.kernel().step(kNever);
  }
  send(12, 18);  // these are still to be looked up
}

// Each of them, of an NVDIMM in such use.
void expect_refused(const std::vector<NvdimmFaults::Damage>& damages,
                    const NvdimmParameters& parameters, void (*use)(Rig&)) {
  for (const NvdimmFaults::Damage& damage : damages) {
    Rig rig(parameters);
    use(rig);
    damage.make(rig.nvdimm());
    Rig other(parameters);
    Archive archive(rig.saved());
    EXPECT_THROW(other.serialize(archive), InputError) << damage.what;
  }
}

TEST(Damage, WhatHoldsTogetherIsTaken) {
  Rig rig(parameters());
  use(rig);
  Rig other(parameters());
  Archive archive(rig.saved());
  other.serialize(archive);
  EXPECT_EQ(other.saved(), rig.saved());
}

TEST(Damage, WhatContradictsItselfIsRefused) {
  expect_refused(NvdimmFaults::damages(), parameters(), use);
}

NvdimmParameters posting() {
  NvdimmParameters made = parameters();
  made.buffer.write_size = 4 * kPageBytes;
  made.command_queue = 24;
  made.posted_writes = 8;
  return made;
}

// Lines of twice as many pages as the write part has frames for; then reads of all of them.
void post(Rig& rig) {
  for (std::int64_t page = 0; page < 8; ++page) {
    rig.nvdimm().post(line_address(page), LineData(), rig.now());
  }
  for (std::uint32_t tag = 0; tag < 8; ++tag) {
    rig.nvdimm().command(tag, line_address(tag), false, rig.now());
  }
  while (rig.statistics().read_lookups + rig.statistics().write_lookups < 16) {
    rig.kernel().step(kNever);
  }
}

TEST(Damage, PostedWritesAndTheirReadersAreTaken) {
  Rig rig(posting());
  post(rig);
  Rig other(posting());
  Archive archive(rig.saved());
  other.serialize(archive);
  EXPECT_EQ(other.saved(), rig.saved());
  // Those that were acknowledged keep their frames until they end.
  const std::vector<Ack> before = rig.acks;
  ASSERT_LT(before.size(), 8u);
  for (Rig* each : {&rig, &other}) {
    for (const Ack& ack : before) {
      each->nvdimm().finish(ack.tag, each->now());
    }
    each->drain();
  }
  EXPECT_EQ(rig.acks.size(), 8u);
  EXPECT_EQ(other.acks,
            std::vector<Ack>(rig.acks.begin() + static_cast<std::ptrdiff_t>(before.size()),
                             rig.acks.end()));
}

TEST(Damage, PostedWritesThatContradictThemselvesAreRefused) {
  expect_refused(NvdimmFaults::damages_of_posted(), posting(), post);
}

// Whichever word is changed: it is refused, or the NVDIMM goes on somehow.
TEST(Damage, NoWordIsTrusted) {
  Rig rig(parameters());
  use(rig);
  Archive saved;
  rig.nvdimm().serialize(saved);
  const testing::Sweep done = testing::sweep(
      saved.bytes(), 600, [](const std::string& state) { load_and_go_on(parameters(), state); });
  EXPECT_GT(done.refused, 300);  // most of the others only count something
}

}  // namespace
}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
// Is a saved state refused in which byte-addressable media contradict themselves?
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/errors.h"
#include "tests/cc/nvdimm/media_rig.h"
#include "tests/cc/nvdimm/shadow.h"

namespace hmsim {

std::vector<MediaFaults::Attempt> MediaFaults::attempts() {
  using M = MediaModule;
  using Stage = M::Stage;
  constexpr const char* kQueue = "the write queue does not hold together";
  constexpr const char* kCommands = "commands of the NVDIMM do not hold together";
  constexpr const char* kBanks = "banks of the media do not hold together";
  constexpr const char* kBank = "a bank of the media does not hold together";
  constexpr const char* kBeyond = "a command goes beyond the NVDIMM";

  // change(entry) for the first that fits(entry).
  const auto with_entry = [](auto fits, auto change) {
    return [fits, change](M& m) {
      const auto found = std::find_if(m.entries_.begin(), m.entries_.end(), fits);
      if (found != m.entries_.end()) {
        change(*found);
      }
      return found != m.entries_.end();
    };
  };
  const auto used = [](const M::Entry& entry) { return entry.line != M::kNoLine; };
  const auto unused = [](const M::Entry& entry) { return entry.line == M::kNoLine; };
  const auto pinned_alone = [](const M::Entry& entry) {
    return entry.pins > 0 && !entry.listed && !entry.writing;
  };
  const auto listed = [](const M::Entry& entry) { return entry.listed; };
  // change(module, command): false: not this one.
  const auto with_command = [](Stage stage, auto change) {
    return [stage, change](M& m) {
      return std::any_of(m.commands_.begin(), m.commands_.end(), [&](M::Command& command) {
        return command.stage == stage && change(m, command);
      });
    };
  };
  // change(module, bank, its number): false: not this one.
  const auto with_bank = [](auto change) {
    return [change](M& m) {
      for (std::uint32_t bank = 0; bank < m.banks_.size(); ++bank) {
        if (change(m, m.banks_[bank], bank)) {
          return true;
        }
      }
      return false;
    };
  };
  // A command that has ended begins again, and waits in the bank's queue.
  const auto wait_in = [](M& m, std::uint32_t bank, std::uint32_t of_bank) {
    for (std::uint32_t tag = 0; tag < m.commands_.size(); ++tag) {
      if (m.commands_[tag].stage == Stage::none) {
        std::int64_t line = 0;
        while (m.bank_of(line) != of_bank) {
          ++line;
        }
        m.commands_[tag] = M::Command();
        m.commands_[tag].address = Address(line * kLineBytes.value());
        m.commands_[tag].stage = Stage::waiting;
        m.banks_[bank].reads.push(tag);
        ++m.unfinished_;
        return true;
      }
    }
    return false;
  };
  return {
      {"an entry in front of the first line", kQueue,
       with_entry(used, [](M::Entry& entry) { entry.line = -2; })},
      {"an entry behind the last line", kQueue,
       [used](M& m) {
         const auto found = std::find_if(m.entries_.begin(), m.entries_.end(), used);
         if (found != m.entries_.end()) {
           found->line = m.parameters_.capacity / kLineBytes;
         }
         return found != m.entries_.end();
       }},
      {"an entry that is free and has a line", kQueue,
       with_entry(unused, [](M::Entry& entry) { entry.line = 0; })},
      {"an entry that is free and has a command", kQueue,
       with_entry(unused, [](M::Entry& entry) { ++entry.pins; })},
      {"an entry that is free and listed", kQueue,
       with_entry(unused, [](M::Entry& entry) { entry.listed = entry.dirty = true; })},
      {"an entry that is free and written", kQueue,
       with_entry(unused, [](M::Entry& entry) { entry.writing = true; })},
      {"an entry that has a line and waits for nothing", kQueue,
       with_entry(pinned_alone, [](M::Entry& entry) { entry.pins = 0; })},
      {"an entry that is listed and written", kQueue,
       with_entry(listed, [](M::Entry& entry) { entry.writing = true; })},
      {"an entry that is listed with nothing to write", kQueue,
       with_entry(listed, [](M::Entry& entry) { entry.dirty = false; })},
      {"an entry that is free twice", kQueue,
       [](M& m) {
         const bool fits = !m.free_.empty();
         if (fits) {
           m.free_.push_back(m.free_.back());
         }
         return fits;
       }},
      {"a write that waits for an entry, though one is free", kQueue,
       [](M& m) {
         const bool fits = !m.free_.empty();
         if (fits) {
           m.waiting_.push(0);
         }
         return fits;
       }},
      {"another number of entries in use", kQueue,
       [](M& m) {
         m.statistics_.queue.set(m.statistics_.queue.value() == 0 ? 1 : 0, m.now());
         return true;
       }},
      {"more commands than there are", kCommands,
       [](M& m) {
         ++m.unfinished_;
         return true;
       }},
      {"a command that is decoded for ever", kCommands,
       with_command(Stage::none,
                    [](M&, M::Command& command) {
                      command.stage = Stage::decoding;
                      return true;
                    })},
      {"a command that is decoded and ready", kCommands,
       with_command(Stage::decoding,
                    [](M&, M::Command& command) {
                      command.stage = Stage::ready;
                      return true;
                    })},
      {"a command in front of the NVDIMM", kBeyond,
       with_command(Stage::ready,
                    [](M&, M::Command& command) {
                      command.address = Address(-1);
                      return true;
                    })},
      {"a command behind the NVDIMM", kBeyond,
       with_command(Stage::ready,
                    [](M& m, M::Command& command) {
                      command.address = Address(m.parameters_.capacity.value());
                      return true;
                    })},
      {"a write without an entry", kCommands,
       with_command(Stage::ready,
                    [](M& m, M::Command& command) {
                      command.entry = static_cast<std::uint32_t>(m.entries_.size());
                      return command.write;
                    })},
      {"a write with another line's entry", kCommands,
       with_command(Stage::ready,
                    [](M&, M::Command& command) {
                      const bool fits = command.write;
                      command.address =
                          Address(command.address.value() ^ (fits ? kLineBytes.value() : 0));
                      return fits;
                    })},
      {"an entry with a command too many", kCommands,
       with_entry(pinned_alone, [](M::Entry& entry) { ++entry.pins; })},
      {"a write that waits among reads", kBank, with_bank([](M& m, M::Bank& bank, std::uint32_t) {
         if (!bank.reads.empty()) {
           m.commands_[bank.reads.front()].write = true;
         }
         return !bank.reads.empty();
       })},
      {"a read in the queue of another bank", kBank,
       with_bank([wait_in](M& m, M::Bank& bank, std::uint32_t number) {
         const auto other = static_cast<std::uint32_t>((number + 1) % m.banks_.size());
         return bank.busy && wait_in(m, number, other);
       })},
      {"a read that an idle bank does not begin", kBank,
       with_bank([wait_in](M& m, M::Bank& bank, std::uint32_t number) {
         return !bank.busy && wait_in(m, number, number);
       })},
      {"a write in the queue of another bank", kBank,
       with_bank([](M& m, M::Bank& bank, std::uint32_t number) {
         M::Bank& next = m.banks_[(number + 1) % m.banks_.size()];
         const bool fits = !bank.writes.empty() && next.busy;
         if (fits) {
           next.writes.push(bank.writes.front());
           bank.writes.pop();
         }
         return fits;
       })},
      {"moves of less than no time", kBank, with_bank([](M&, M::Bank& bank, std::uint32_t) {
         bank.moved = Tick(-1);
         return true;
       })},
      {"moves of all time", kBank, with_bank([](M&, M::Bank& bank, std::uint32_t) {
         bank.moved = kNever;
         return true;
       })},
      {"a move in a region of another bank", kBank,
       with_bank([](M& m, M::Bank& bank, std::uint32_t) {
         const auto regions = static_cast<std::uint32_t>(m.gaps_.size());
         const bool fits = bank.busy && bank.operation == MediaOperation::move;
         bank.subject = fits ? (bank.subject + regions / 2) % regions : bank.subject;
         return fits;
       })},
      {"a move in no region", kBank, with_bank([](M& m, M::Bank& bank, std::uint32_t) {
         const bool fits = bank.busy && bank.operation == MediaOperation::move;
         bank.subject = fits ? static_cast<std::uint32_t>(m.gaps_.size()) : bank.subject;
         return fits;
       })},
      {"a bank that is idle before its operation ends", kBanks,
       with_bank([](M&, M::Bank& bank, std::uint32_t) {
         const bool fits = bank.busy;
         bank.busy = false;
         return fits;
       })},
      {"a busy bank too many", kBanks,
       [](M& m) {
         ++m.busy_;
         return true;
       }},
      {"another number of busy banks", kBanks,
       [](M& m) {
         m.statistics_.busy_banks.set(m.statistics_.busy_banks.value() == 0 ? 1 : 0, m.now());
         return true;
       }},
      {"a read that waits for an entry", kBanks,
       [](M& m) {
         if (!m.waiting_.empty()) {
           m.commands_[m.waiting_.front()].write = false;
         }
         return !m.waiting_.empty();
       }},
      {"a write that waits for no entry", kBanks,
       [](M& m) {
         const bool fits = !m.waiting_.empty();
         if (fits) {
           m.waiting_.pop();
         }
         return fits;
       }},
      {"a line of the queue that no bank writes", kBanks,
       with_bank([](M&, M::Bank& bank, std::uint32_t) {
         const bool fits = !bank.writes.empty();
         if (fits) {
           bank.writes.pop();
         }
         return fits;
       })},
  };
}

namespace {

using MediaShadow = ShadowOf<MediaModule, MediaWatch>;

NvdimmParameters busy_media() {
  NvdimmParameters parameters = small_media();
  parameters.command_queue = 24;
  parameters.store_data = true;
  parameters.media.command_time = 5 * kNanosecond;
  parameters.media.start_gap.psi = 3;
  parameters.media.start_gap.regions = 2;
  return parameters;
}

std::string told_of(MediaShadow& shadow) {
  MediaShadow other(busy_media(), 1);
  try {
    other.load(shadow.saved());
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

void step(MediaShadow& shadow) {
  shadow.send(shadow.pages(), 5);
  if (shadow.below(2) == 0) {
    shadow.finish_one();
  }
  if (shadow.below(2) == 0) {
    shadow.step();
  }
}

TEST(MediaDamage, WhatContradictsItselfIsRefused) {
  for (const MediaFaults::Attempt& attempt : MediaFaults::attempts()) {
    MediaShadow shadow(busy_media(), 1);
    bool made = false;
    for (int i = 0; i < 5'000 && !made; ++i) {
      step(shadow);
      made = attempt.make(shadow.nvdimm());
    }
    EXPECT_TRUE(made) << attempt.what;
    const std::string told = told_of(shadow);
    EXPECT_NE(told.find(attempt.told), std::string::npos) << attempt.what << ": " << told;
  }
}

TEST(MediaDamage, WhatHoldsTogetherIsTakenAtAnyTime) {
  MediaShadow shadow(busy_media(), 1);
  for (int i = 0; i < 2'000; ++i) {
    step(shadow);
    ASSERT_EQ(told_of(shadow), "") << i;
  }
}

}  // namespace
}  // namespace hmsim

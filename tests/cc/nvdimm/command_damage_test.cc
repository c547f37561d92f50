// SPDX-License-Identifier: BSD-3-Clause
// Is a saved state refused in which commands and the frames that they use contradict each other?
#include <gtest/gtest.h>

#include "tests/cc/nvdimm/attempts.h"

namespace hmsim {

namespace {

Address in_another_page(Address address) { return Address(address.value() ^ kPageBytes.value()); }

}  // namespace

std::vector<NvdimmFaults::Attempt> NvdimmFaults::of_commands() {
  using Command = CommandTable::Command;
  using Stage = CommandTable::Stage;
  constexpr const char* kApart = "commands of the NVDIMM do not hold together";
  constexpr const char* kNone = "a command of the NVDIMM is none";
  constexpr const char* kUsers = "the users of a frame are counted wrong";
  constexpr const char* kWait = "commands wait for what they do not ask for";

  // change(n, command): false: not this one.
  const auto with_command_if = [](Stage stage, auto change) {
    return [stage, change](Nvdimm& n) {
      for (std::uint32_t tag = 0; tag < n.commands_.size(); ++tag) {
        Command& command = n.commands_[tag];
        if (command.stage == stage && change(n, command)) {
          return true;
        }
      }
      return false;
    };
  };
  const auto with_command = [with_command_if](Stage stage, auto change) {
    return with_command_if(stage, [change](Nvdimm&, Command& command) {
      change(command);
      return true;
    });
  };
  // A read that has its frame in the read part.
  const auto with_reader = [with_command_if](auto change) {
    return with_command_if(Stage::ready, [change](Nvdimm& n, Command& command) {
      const bool fits = !command.write && !command.in_write_part && command.frame != kNoIndex;
      if (fits) {
        change(n, command);
      }
      return fits;
    });
  };
  // The first command that waits for a frame of the read part that is being filled.
  const auto with_waiter = [](auto change) {
    return [change](Nvdimm& n) {
      for (std::uint32_t i = 0; i < n.buffer_.read.records(); ++i) {
        Frame& frame = n.buffer_.read[i];
        if (frame.state == FrameState::filling && frame.fetching && !frame.waiters.empty()) {
          change(frame, n.commands_[frame.waiters.first]);
          return true;
        }
      }
      return false;
    };
  };
  const auto last_lookup = [](auto change) {
    return [change](Nvdimm& n) {
      const bool fits =
          !n.commands_.lookups_.empty() && n.commands_.lookups_.first != n.commands_.lookups_.last;
      if (fits) {
        change(n.commands_[n.commands_.lookups_.last]);
      }
      return fits;
    };
  };
  return {
      {"a lookup of a command that waits", kApart,
       last_lookup([](Command& command) { command.stage = Stage::waiting; })},
      {"a lookup of a command that is ready", kApart,
       last_lookup([](Command& command) { command.stage = Stage::ready; })},
      {"a lookup at another time", kApart,
       [](Nvdimm& n) {
         n.commands_.next_lookup_ += n.commands_.lookups_.empty() ? Tick(0) : Tick(1);
         return !n.commands_.lookups_.empty();
       }},
      {"a lookup that nobody has", kApart,
       with_command(Stage::none, [](Command& command) { command.stage = Stage::lookup; })},
      {"a command that waits for nothing", kApart,
       with_command(Stage::none, [](Command& command) { command.stage = Stage::waiting; })},
      {"more commands than there are", kApart,
       [](Nvdimm& n) {
         ++n.commands_.unfinished_;
         return true;
       }},
      {"a command that is looked up for ever", kNone,
       last_lookup([](Command& command) { command.since = kNever; })},
      {"a command that collection blocked for ever", kNone,
       last_lookup([](Command& command) { command.gc_blocked = kNever; })},
      {"a command in front of the NVDIMM", kNone,
       last_lookup([](Command& command) { command.address = Address(-kLineBytes.value()); })},
      {"a command right behind the NVDIMM", "a command goes beyond the NVDIMM",
       [](Nvdimm& n) {
         const bool fits = !n.commands_.lookups_.empty();
         if (fits) {
           n.commands_[n.commands_.lookups_.first].address =
               line_address(static_cast<std::int64_t>(n.ftl_.shape().logical_pages));
         }
         return fits;
       }},
      {"a write that is ready without a frame", kNone,
       with_command_if(Stage::ready,
                       [](Nvdimm&, Command& command) {
                         command.frame = command.write ? kNoIndex : command.frame;
                         return command.write;
                       })},
      {"a user of another page's frame", kUsers,
       with_command_if(Stage::ready,
                       [](Nvdimm&, Command& command) {
                         const bool fits = command.frame != kNoIndex;
                         command.address =
                             fits ? in_another_page(command.address) : command.address;
                         return fits;
                       })},
      {"a user of a frame that is none", kUsers,
       with_reader([](Nvdimm& n, Command& command) { command.frame = n.buffer_.read.records(); })},
      {"a frame whose user has none", kUsers,
       with_reader([](Nvdimm&, Command& command) { command.frame = kNoIndex; })},
      {"a frame that a write has in the read part", kUsers,
       with_reader([](Nvdimm&, Command& command) { command.write = true; })},
      {"a frame with users, and one too many", kUsers,
       with_reader([](Nvdimm& n, Command& command) { ++n.buffer_.read[command.frame].pins; })},
      {"a write that waits for a read", kWait,
       with_waiter([](Frame&, Command& command) { command.write = true; })},
      {"a read that waits for another page", kWait, with_waiter([](Frame&, Command& command) {
         command.address = in_another_page(command.address);
       })},
      {"a command that waits while it is looked up", kWait,
       with_waiter([](Frame&, Command& command) { command.stage = Stage::lookup; })},
      {"a command that waits for a frame that is there", kWait,
       with_waiter([](Frame& frame, Command&) { frame.state = FrameState::clean; })},
      {"a command that waits for itself", kApart,
       [](Nvdimm& n) {
         for (std::uint32_t i = 0; i < n.buffer_.read.records(); ++i) {
           const Frame& frame = n.buffer_.read[i];
           if (frame.state != FrameState::free && !frame.waiters.empty()) {
             n.commands_[frame.waiters.last].next = frame.waiters.first;
             return true;
           }
         }
         return false;
       }},
  };
}

std::vector<NvdimmFaults::Attempt> NvdimmFaults::of_frames() {
  constexpr const char* kState = "a frame of the buffer is in a state that it cannot be in";
  constexpr const char* kPage = "a frame of the buffer holds a page that is none";
  // change(part, number, frame): false: not this one.
  const auto with_frame_if = [](bool write, FrameState state, auto change) {
    return [write, state, change](Nvdimm& n) {
      BufferPart& part = write ? n.buffer_.write : n.buffer_.read;
      for (std::uint32_t i = 0; i < part.records(); ++i) {
        if (part[i].state == state && change(n, part, i)) {
          return true;
        }
      }
      return false;
    };
  };
  const auto with_frame = [with_frame_if](bool write, FrameState state, auto change) {
    return with_frame_if(write, state, [change](Nvdimm& n, BufferPart& part, std::uint32_t i) {
      change(n, part[i]);
      return true;
    });
  };
  // A frame that may be given up.
  const auto with_listed = [with_frame_if](bool write, auto change) {
    return with_frame_if(write, write ? FrameState::dirty : FrameState::clean,
                         [change](Nvdimm&, BufferPart& part, std::uint32_t i) {
                           const bool fits = part[i].listing != FrameListing::none;
                           if (fits) {
                             change(part, i);
                           }
                           return fits;
                         });
  };
  return {
      {"a frame that is never given up", kState,
       with_listed(false, [](BufferPart& part, std::uint32_t i) { part.unlist(i); })},
      {"a dirty frame that is never written back", kState,
       with_listed(true, [](BufferPart& part, std::uint32_t i) { part.unlist(i); })},
      {"a frame in use that may be given up", kState,
       with_listed(false, [](BufferPart& part, std::uint32_t i) { part[i].pins = 1; })},
      {"a frame that is read into and may be given up", kState,
       with_listed(false, [](BufferPart& part, std::uint32_t i) { part[i].fetching = true; })},
      {"a frame of the read part that is dirty", kState,
       with_listed(false,
                   [](BufferPart& part, std::uint32_t i) { part[i].state = FrameState::dirty; })},
      {"a frame of the read part that is written back", kState,
       with_frame(false, FrameState::filling,
                  [](Nvdimm&, Frame& frame) { frame.state = FrameState::evicting; })},
      {"a frame of the write part that is filled", kState,
       with_frame(true, FrameState::evicting,
                  [](Nvdimm&, Frame& frame) { frame.state = FrameState::filling; })},
      {"a frame of the write part that is read into", kState,
       with_frame(true, FrameState::evicting,
                  [](Nvdimm&, Frame& frame) { frame.fetching = true; })},
      {"a user of a frame that is not there", kState,
       with_frame(false, FrameState::waiting, [](Nvdimm&, Frame& frame) { ++frame.pins; })},
      {"a frame for a write that nobody waits for", kState,
       with_frame(true, FrameState::waiting,
                  [](Nvdimm&, Frame& frame) { frame.waiters = SlotChain(); })},
      {"a frame of no LUN", kState,
       with_frame(false, FrameState::filling,
                  [](Nvdimm& n, Frame& frame) { frame.lun = n.ftl_.shape().luns; })},
      {"a frame of a negative page", kState,
       with_frame(true, FrameState::dirty, [](Nvdimm&, Frame& frame) { frame.key = -1; })},
      {"a frame of the page behind the last", kPage,
       with_frame(true, FrameState::dirty,
                  [](Nvdimm& n, Frame& frame) {
                    frame.key = n.buffer_.key_of(
                        line_address(static_cast<std::int64_t>(n.ftl_.shape().logical_pages)));
                  })},
  };
}

namespace {

TEST(CommandDamage, CommandsThatContradictThemselvesAreRefused) {
  expect_refused(NvdimmFaults::of_commands());
}

TEST(CommandDamage, FramesThatContradictThemselvesAreRefused) {
  expect_refused(NvdimmFaults::of_frames());
}

}  // namespace
}  // namespace hmsim

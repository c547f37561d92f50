// SPDX-License-Identifier: BSD-3-Clause
// Is a saved state refused in which flash commands contradict each other?
#include <gtest/gtest.h>

#include "tests/cc/nvdimm/attempts.h"
#include "tests/cc/words.h"

namespace hmsim {

std::vector<NvdimmFaults::Attempt> NvdimmFaults::of_flash() {
  using F = FlashArray;
  using Lun = F::Lun;
  using O = FlashOperation;
  using Kind = F::EventKind;
  using Phase = F::Phase;
  constexpr const char* kStage = "a flash operation is in no stage";
  constexpr const char* kElsewhere = "a flash command works on another LUN";
  constexpr const char* kTime = "a time of a LUN is none";
  constexpr const char* kNoEnd = "a flash operation has no end";
  constexpr const char* kApart = "flash commands do not hold together";
  constexpr const char* kQueue = "a flash command waits in the wrong queue";
  constexpr const char* kDecoded = "a flash command is decoded that reads nothing";
  constexpr const char* kChannel = "a LUN waits for the wrong flash channel";

  const auto with_lun = [](auto change) {
    return [change](Nvdimm& n) {
      std::vector<Lun>& luns = n.flash_.luns_;
      return std::any_of(luns.begin(), luns.end(), [&](Lun& lun) { return change(n.flash_, lun); });
    };
  };
  const auto with_lun_if = [with_lun](auto fits, auto change) {
    return with_lun([fits, change](F& flash, Lun& lun) {
      if (!fits(lun)) {
        return false;
      }
      change(flash, lun);
      return true;
    });
  };
  const auto any = [](const Lun&) { return true; };
  const auto in_io = [](const Lun& lun) { return lun.io != kNoIndex; };
  const auto in_cells = [](const Lun& lun) { return lun.array != kNoIndex; };
  // change(flash, first command of a queue, its priority).
  const auto with_queue = [with_lun](auto change) {
    return with_lun([change](F& flash, Lun& lun) {
      for (std::size_t i = 0; i < kFlashPriorities; ++i) {
        if (!lun.queues[i].empty()) {
          change(flash, lun.queues[i], i);
          return true;
        }
      }
      return false;
    });
  };
  // change(flash, first node of an operation of several planes, its second).
  const auto with_planes = [with_lun](auto change) {
    return with_lun([change](F& flash, Lun& lun) {
      for (const std::uint32_t first : {lun.io, lun.pending, lun.array, lun.suspended}) {
        if (first != kNoIndex && flash.nodes_[first].next != kNoIndex) {
          change(flash.nodes_[flash.nodes_[first].next].command);
          return true;
        }
      }
      return false;
    });
  };
  const auto with_decoded = [](auto change) {
    return [change](Nvdimm& n) {
      std::uint32_t node = kNoIndex;
      n.flash_.events_.each(
          [&](const auto& event) { node = event.kind == Kind::decoded ? event.payload : node; });
      if (node != kNoIndex) {
        change(n.flash_, node);
      }
      return node != kNoIndex;
    };
  };
  const auto with_event = [](F& flash, Kind kind, std::uint32_t payload) {
    flash.events_.schedule(flash.events_.next_time(), kind, payload);
  };
  const auto number = [](F& flash, const Lun& lun) {
    return static_cast<std::uint32_t>(&lun - flash.luns_.data());
  };
  const auto another = [](F& flash, std::uint32_t lun) {
    return (lun + 1) % static_cast<std::uint32_t>(flash.luns_.size());
  };
  const auto with_node = [](auto change) {
    return [change](Nvdimm& n) {
      if (n.flash_.nodes_.size() > 0) {
        change(n.flash_, n.flash_.nodes_[0].command);
      }
      return n.flash_.nodes_.size() > 0;
    };
  };
  const auto with_channel = [](auto change) {
    return [change](Nvdimm& n) {
      for (std::size_t i = 0; i < n.flash_.channels_.size(); ++i) {
        F::Channel& next = n.flash_.channels_[(i + 1) % n.flash_.channels_.size()];
        if (change(n.flash_, n.flash_.channels_[i], next, i)) {
          return true;
        }
      }
      return false;
    };
  };
  return {
      {"a command of nobody", "a flash command is nobody's",
       with_node([](F&, FlashCommand& command) { command.requester = nullptr; })},
      {"a command of a fifth part", "moves a part that a page has not",
       with_node([](F& flash, FlashCommand& command) {
         command.parts = static_cast<PartMask>(1u << (1u << flash.at_.part_bits));
       })},
      {"a block of a page too many", "a flash block holds more pages than it has",
       [](Nvdimm& n) {
         n.flash_.programmed_[0] = n.flash_.at_.superblock_pages + 1;
         return true;
       }},
      {"a command in the queue of another LUN", kQueue,
       with_queue([another](F& flash, const SlotChain& queue, std::size_t) {
         std::uint32_t& lun = flash.nodes_[queue.first].command.lun;
         lun = another(flash, lun);
       })},
      {"a command in the queue of another priority", kQueue,
       with_queue([](F& flash, const SlotChain& queue, std::size_t priority) {
         flash.nodes_[queue.first].command.priority =
             priority == 0 ? FlashPriority::eviction : FlashPriority::demand;
       })},
      {"a queue that runs in a circle", kApart,
       with_queue([](F& flash, const SlotChain& queue, std::size_t) {
         flash.nodes_[queue.last].next = queue.first;
       })},
      {"a command that nothing keeps from its start", "a flash command waits for nothing",
       with_lun([](F& flash, Lun& lun) {
         const bool fits = lun.locked && lun.waiting > 0 && flash.empty(lun);
         lun.locked = lun.locked && !fits;
         return fits;
       })},
      {"a collection that the LUN's lock keeps from its start", "a flash command waits for nothing",
       with_lun([](F& flash, Lun& lun) {
         for (SlotChain& queue : lun.queues) {
           if (lun.locked && flash.empty(lun) && !queue.empty() && queue.first == queue.last) {
             flash.nodes_[queue.first].command.priority = FlashPriority::collection;
             std::swap(queue, lun.queues[std::size_t(FlashPriority::collection)]);
             return true;
           }
         }
         return false;
       })},
      {"a command too many that waits", "the count of waiting flash commands is wrong",
       with_lun_if(any, [](F&, Lun& lun) { ++lun.waiting; })},
      {"another end of what is held", "a flash queue has another end",
       with_lun_if([](const Lun& lun) { return !lun.held.empty(); },
                   [](F&, Lun& lun) { ++lun.held.last; })},
      {"an operation that waits for no cells", "a flash operation waits for nothing",
       with_lun_if([in_cells](const Lun& lun) { return in_cells(lun) && lun.pending == kNoIndex; },
                   [](F&, Lun& lun) { std::swap(lun.array, lun.pending); })},
      {"data that wait for no bus", "flash data wait for nothing",
       with_lun_if([in_io](const Lun& lun) { return in_io(lun) && lun.held.empty(); },
                   [](F&, Lun& lun) {
                     lun.held = {lun.io, lun.io};
                     lun.io = kNoIndex;
                   })},
      {"a LUN that is busy with nothing", "a LUN is busy with nothing",
       with_lun_if(any, [](F&, Lun& lun) { lun.counted = !lun.counted; })},
      {"less than no time left", kTime,
       with_lun_if(any, [](F&, Lun& lun) { lun.remaining = Tick(-1); })},
      {"all time left", kTime, with_lun_if(any, [](F&, Lun& lun) { lun.remaining = kNever; })},
      {"a lock for less than no time", kTime,
       with_lun_if(any, [](F&, Lun& lun) { lun.locked_for = Tick(-1); })},
      {"a lock for all time", kTime,
       with_lun_if(any, [](F&, Lun& lun) { lun.locked_for = kNever; })},
      {"no plane's turn", kStage, with_lun_if(in_io, [](F&, Lun& lun) { lun.plane = kNoIndex; })},
      {"an erase of too many planes", kStage,
       with_lun_if(in_io, [](F& flash, Lun& lun) { lun.repeats = flash.at_.planes; })},
      {"data from a program", kStage, with_lun([](F& flash, Lun& lun) {
         const bool fits = lun.io != kNoIndex && lun.phase == Phase::command &&
                           flash.nodes_[lun.io].command.operation == O::program;
         lun.phase = fits ? Phase::output : lun.phase;
         return fits;
       })},
      {"data from a program soon", kStage, with_lun([](F& flash, Lun& lun) {
         const bool fits = lun.io != kNoIndex && lun.phase == Phase::plane_gap &&
                           flash.nodes_[lun.io].command.operation == O::program;
         lun.phase = fits ? Phase::output_gap : lun.phase;
         return fits;
       })},
      {"data from another plane than the first", kStage, with_lun([](F& flash, Lun& lun) {
         const bool fits = lun.io != kNoIndex && lun.plane != lun.io &&
                           flash.nodes_[lun.io].command.operation == O::read;
         lun.phase = fits ? Phase::output : lun.phase;
         return fits;
       })},
      {"planes of two kinds", "the planes of a flash operation differ",
       with_planes([](FlashCommand& command) {
         command.operation = command.operation == O::read ? O::program : O::read;
       })},
      {"planes some of which are copied back", "the planes of a flash operation differ",
       with_planes([](FlashCommand& command) { command.transfer = !command.transfer; })},
      {"more planes than there are", "a flash operation has too many planes",
       with_lun([](F& flash, Lun& lun) {
         if (lun.array == kNoIndex || lun.pending == kNoIndex) {
           return false;
         }
         std::uint32_t planes = 1;
         std::uint32_t last = lun.array;
         for (; flash.nodes_[last].next != kNoIndex; last = flash.nodes_[last].next) {
           ++planes;
         }
         if (planes == flash.at_.planes) {
           flash.nodes_[last].next = std::exchange(lun.pending, kNoIndex);
         }
         return planes == flash.at_.planes;
       })},
      {"a command of another LUN", kElsewhere,
       with_lun_if(in_io,
                   [another](F& flash, Lun& lun) {
                     std::uint32_t& own = flash.nodes_[lun.io].command.lun;
                     own = another(flash, own);
                   })},
      {"a command at no place", kElsewhere,
       with_lun_if(in_cells,
                   [](F& flash, Lun& lun) { flash.nodes_[lun.array].place = PhysicalPage(-1); })},
      {"a command behind all flash", kElsewhere,
       with_lun_if(in_cells,
                   [](F& flash, Lun& lun) {
                     flash.nodes_[lun.array].place =
                         PhysicalPage(static_cast<std::int64_t>(flash.programmed_.size()) *
                                      flash.at_.superblock_parts);
                   })},
      {"a command at another LUN's place", kElsewhere,
       with_lun_if(in_cells,
                   [another](F& flash, Lun& lun) {
                     const std::uint32_t other =
                         another(flash, flash.nodes_[lun.array].command.lun);
                     flash.nodes_[lun.array].place =
                         PhysicalPage(static_cast<std::int64_t>(flash.at_.superblock_of(other, 0)) *
                                      flash.at_.superblock_parts);
                   })},
      {"a program that is decoded", kDecoded, with_decoded([](F& flash, std::uint32_t node) {
         flash.nodes_[node].command.operation = O::program;
       })},
      {"a page of no LUN that is decoded", kDecoded, with_decoded([](F& flash, std::uint32_t node) {
         flash.nodes_[node].command.lun = static_cast<std::uint32_t>(flash.luns_.size());
       })},
      {"a page of another LUN that is decoded", kElsewhere,
       with_decoded([another](F& flash, std::uint32_t node) {
         std::uint32_t& lun = flash.nodes_[node].command.lun;
         lun = another(flash, lun);
       })},
      {"a page that is decoded twice", kApart,
       with_decoded(
           [with_event](F& flash, std::uint32_t node) { with_event(flash, Kind::decoded, node); })},
      {"an event of no LUN", "a flash event is of no LUN",
       [with_event](Nvdimm& n) {
         const bool fits = !n.flash_.events_.empty();
         if (fits) {
           with_event(n.flash_, Kind::ready, static_cast<std::uint32_t>(n.flash_.luns_.size()));
         }
         return fits;
       }},
      {"two ends of a stage", "stages of flash operations do not hold together",
       with_lun([=](F& flash, Lun& lun) {
         bool fits = false;
         flash.events_.each([&](const auto& event) {
           fits = fits || (event.kind == Kind::io_end && event.payload == number(flash, lun));
         });
         if (fits) {
           with_event(flash, Kind::io_end, number(flash, lun));
         }
         return fits;
       })},
      {"an end of nothing", kNoEnd, with_lun([=](F& flash, Lun& lun) {
         const bool fits = lun.io == kNoIndex && lun.array != kNoIndex && !flash.multi_plane_;
         if (fits) {
           lun.phase = Phase::plane_gap;
           with_event(flash, Kind::io_end, number(flash, lun));
         }
         return fits;
       })},
      {"cells that end at another time", kNoEnd,
       with_lun_if(in_cells, [](F&, Lun& lun) { lun.array_end += Tick(1); })},
      {"an operation that nothing resumes", kNoEnd,
       with_lun_if(
           [](const Lun& lun) {
             return lun.suspended != kNoIndex && lun.array == kNoIndex && lun.io == kNoIndex;
           },
           [](F&, Lun& lun) { lun.ready += Tick(1); })},
      {"a LUN that waits for another channel", kChannel,
       with_channel([](F&, F::Channel& channel, F::Channel& next, std::size_t) {
         const bool fits = !channel.transfers.empty() && next.owner != kNoIndex;
         if (fits) {
           next.commands.push(channel.transfers.front());
           channel.transfers.pop();
         }
         return fits;
       })},
      {"a LUN that waits for a bus that is free", kChannel,
       with_channel([](F&, F::Channel& channel, F::Channel&, std::size_t) {
         const bool fits = !channel.transfers.empty() || !channel.commands.empty();
         channel.owner = fits ? kNoIndex : channel.owner;
         return fits;
       })},
      {"a LUN on another one's bus", "a LUN is on a bus that it does not have",
       with_channel([](F& flash, F::Channel& channel, F::Channel& next, std::size_t) {
         if (channel.owner >= flash.luns_.size()) {
           return false;
         }
         const Lun& lun = flash.luns_[channel.owner];
         const bool fits = lun.io != kNoIndex && lun.phase == Phase::command &&
                           !flash.nodes_[lun.io].command.hold_bus && next.owner != channel.owner;
         channel.owner ^= fits ? 1u : 0u;
         return fits;
       })},
      {"a bus that is taken for nothing", "a flash channel is taken for nothing",
       with_channel([](F& flash, F::Channel& channel, F::Channel&, std::size_t i) {
         const bool fits = channel.owner == kNoIndex;
         channel.owner =
             fits ? static_cast<std::uint32_t>(i * flash.at_.luns_per_channel) : channel.owner;
         return fits;
       })},
      {"a command that was lost", "flash commands were lost",
       [](Nvdimm& n) {
         const std::uint32_t node = n.flash_.nodes_.take();
         n.flash_.nodes_[node].command.requester = n.flash_.requesters_[0];
         return true;
       }},
      {"a command too many that is blocked", "the count of blocked flash commands is wrong",
       [](Nvdimm& n) {
         ++n.flash_.blocked_;
         return true;
       }},
      {"another number of busy buses", "the count of busy LUNs or buses is wrong",
       [](Nvdimm& n) {
         const std::int64_t busy = n.statistics_.busy_buses.value();
         n.statistics_.busy_buses.set(busy == 0 ? 1 : busy - 1, n.now());
         return true;
       }},
  };
}

bool NvdimmFaults::repeat_ready(Nvdimm& nvdimm) {
  FlashArray& flash = nvdimm.flash_;
  for (std::uint32_t i = 0; i < flash.luns_.size(); ++i) {
    const FlashArray::Lun& lun = flash.luns_[i];
    if (lun.suspended != kNoIndex && lun.array == kNoIndex && lun.io == kNoIndex) {
      flash.events_.schedule(lun.ready + kMicrosecond, FlashArray::EventKind::ready, i);
      return true;
    }
  }
  return false;
}

namespace {

TEST(FlashDamage, WhatContradictsItselfIsRefused) { expect_refused(NvdimmFaults::of_flash()); }

// Events say that something may go on, and do no harm where nothing does.
TEST(FlashDamage, AnEventTooManyIsTaken) {
  int made = 0;
  for (const NvdimmParameters& parameters : busy_nvdimms()) {
    Busy busy(parameters);
    bool here = false;
    for (int i = 0; i < 6'000 && !here; ++i) {
      busy.step();
      here = NvdimmFaults::repeat_ready(busy.rig().nvdimm());
    }
    made += here ? 1 : 0;
    EXPECT_EQ(told_of(parameters, busy.rig().saved()), "");
  }
  EXPECT_EQ(made, 2) << "NVDIMMs that suspend programs and erases";
}

// Whichever word is changed: it is refused, or the NVDIMM goes on somehow.
TEST(FlashDamage, NoWordIsTrusted) {
  constexpr int kSteps = 2'000;
  for (const NvdimmParameters& parameters : busy_nvdimms()) {
    Busy busy(parameters);
    for (int i = 0; i < kSteps; ++i) {
      busy.step();
    }
    Archive saved;
    busy.rig().nvdimm().serialize(saved);
    const testing::Sweep done = testing::sweep(
        saved.bytes(), 100, [&](const std::string& state) { load_and_go_on(parameters, state); });
    EXPECT_GT(done.refused, 100);
  }
}

}  // namespace
}  // namespace hmsim

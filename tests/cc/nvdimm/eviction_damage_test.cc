// SPDX-License-Identifier: BSD-3-Clause
// Is a saved state refused in which evictions contradict each other, or what flash does for them?
#include <gtest/gtest.h>

#include "tests/cc/nvdimm/attempts.h"

namespace hmsim {

std::vector<NvdimmFaults::Attempt> NvdimmFaults::of_evictions() {
  using E = Evictor;
  using Eviction = E::Eviction;
  using O = FlashOperation;
  constexpr const char* kWrong = "evictions do not hold together";
  constexpr const char* kFrames = "frames of evictions do not hold together";
  constexpr const char* kNone = "a page is evicted that is none";

  // change(evictor, number, eviction): false: not this one.
  const auto with_eviction = [](auto change) {
    return [change](Nvdimm& n) {
      E& evictor = n.evictor_;
      const std::vector<std::uint32_t> taken = evictor.evictions_.taken();
      return std::any_of(taken.begin(), taken.end(), [&](std::uint32_t i) {
        return change(evictor, i, evictor.evictions_[i]);
      });
    };
  };
  // Of a batch's first, that one, else its last.
  const auto with_batch = [with_eviction](auto change) {
    return with_eviction([change](E& evictor, std::uint32_t i, Eviction& own) {
      std::uint32_t last = i;
      while (evictor.evictions_[last].next != kNoIndex) {
        last = evictor.evictions_[last].next;
      }
      return own.batch == i && change(evictor, i, last);
    });
  };
  // Of two evictions.
  const auto with_two = [](auto change) {
    return [change](Nvdimm& n) {
      const std::vector<std::uint32_t> taken = n.evictor_.evictions_.taken();
      if (taken.size() < 2) {
        return false;
      }
      change(n.evictor_.evictions_[taken[0]], n.evictor_.evictions_[taken[1]]);
      return true;
    };
  };
  // Of a flash command for an eviction that has begun; change(evictor, command): false: not this.
  const auto with_command = [](auto change) {
    return [change](Nvdimm& n) {
      for (const FlashArray::Lun& lun : n.flash_.luns_) {
        if (lun.array != kNoIndex) {
          FlashCommand& command = n.flash_.nodes_[lun.array].command;
          if (command.requester == &n.evictor_ && n.flash_.nodes_[lun.array].next == kNoIndex &&
              change(n.evictor_, command)) {
            return true;
          }
        }
      }
      return false;
    };
  };
  const auto free_one = [](const E& evictor) {
    const std::vector<bool> used = evictor.evictions_.in_use();
    const auto found = std::find(used.begin(), used.end(), false);
    return found == used.end() ? kNoIndex : static_cast<std::uint32_t>(found - used.begin());
  };
  // The change of what others may join: to another eviction, one for which fits(evictor, it) holds.
  const auto with_open = [](auto fits) {
    return [fits](Nvdimm& n) {
      E& evictor = n.evictor_;
      for (const std::uint32_t i : evictor.evictions_.taken()) {
        if (!evictor.merges_ && fits(evictor, evictor.evictions_[i])) {
          const LogicalPage page = evictor.evictions_[i].page;
          evictor.open_[evictor.ftl_.shape().dynamic ? 0 : evictor.ftl_.home(page)] = i;
          return true;
        }
      }
      return false;
    };
  };
  return {
      {"a turn of no channel", "the next flash channel is none",
       [](Nvdimm& n) {
         n.evictor_.next_channel_ = n.evictor_.channels_;
         return true;
       }},
      {"an eviction of a page behind the last", kNone,
       with_eviction([](E& evictor, std::uint32_t, Eviction& own) {
         own.page = LogicalPage(static_cast<std::int64_t>(evictor.ftl_.shape().logical_pages));
         return true;
       })},
      {"an eviction of a negative page", kNone, with_eviction([](E&, std::uint32_t, Eviction& own) {
         own.page = LogicalPage(-1);
         return true;
       })},
      {"two evictions of a page", "a page is evicted twice at once",
       with_two([](Eviction& one, Eviction& other) { one.page = other.page; })},
      {"a command that goes ahead of its own", kWrong, with_command([](E&, FlashCommand& command) {
         command.priority = FlashPriority::demand;
         return true;
       })},
      {"an erase for an eviction", kWrong, with_command([](E&, FlashCommand& command) {
         command.operation = O::erase;
         return true;
       })},
      {"a command for no eviction", kWrong, with_command([](E& evictor, FlashCommand& command) {
         command.subject = evictor.evictions_.size();
         return true;
       })},
      {"a program in the cells for no eviction", kWrong,
       with_command([](E& evictor, FlashCommand& command) {
         const bool fits = command.operation == O::program;
         command.subject = fits ? evictor.evictions_.size() : command.subject;
         return fits;
       })},
      {"a command of more shares than parts", kWrong, with_command([](E&, FlashCommand& command) {
         command.share = static_cast<std::uint8_t>(count_parts(command.parts) + 1);
         return true;
       })},
      {"a program of a part too few", kWrong, with_command([](E& evictor, FlashCommand& command) {
         const bool fits = command.operation == O::program && command.parts > 1 &&
                           evictor.release_ == FrameRelease::program;
         command.parts = static_cast<PartMask>(fits ? command.parts / 2 : command.parts);
         command.share = fits ? 0 : command.share;
         return fits;
       })},
      {"a page in what is not written yet", "a logical page lies where none was written",
       [](Nvdimm& n) {
         Ftl& ftl = n.ftl_;
         for (std::size_t page = 0; page < ftl.l2p_.size(); ++page) {
           if (ftl.l2p_[page] != 0) {
             const PhysicalPage at(std::int64_t{ftl.l2p_[page]} - 1);
             auto& block = ftl.blocks_[ftl.block_index(ftl.lun_of(at), ftl.block_of(at))];
             if (block.state == Ftl::State::open &&
                 at.value() % ftl.shape().pages + 1 == block.completed) {
               --block.completed;
               return true;
             }
           }
         }
         return false;
       }},
      {"a program of a page that is programmed", "a flash page is programmed that is not allocated",
       with_command([](E& evictor, FlashCommand& command) {
         const FtlShape& shape = evictor.ftl_.shape();
         PhysicalPage& target = evictor.evictions_[command.subject].target;
         const bool fits = command.operation == O::program &&
                           evictor.release_ == FrameRelease::program &&
                           target.value() % shape.pages >= shape.parts();
         target -= PhysicalPage(fits ? shape.parts() : 0);
         return fits;
       })},
      {"a read for an eviction that is over", kWrong,
       with_command([free_one](E& evictor, FlashCommand& command) {
         const std::uint32_t free = free_one(evictor);
         std::uint32_t& next = evictor.evictions_[command.subject].fetched;
         const bool fits = command.operation == O::read && free != kNoIndex && next == kNoIndex &&
                           evictor.evictions_[free].fetched == kNoIndex;
         next = fits ? free : next;
         return fits;
       })},
      {"a batch for which more is to come", kWrong,
       with_batch([](E& evictor, std::uint32_t first, std::uint32_t) {
         ++evictor.evictions_[first].coming;
         return true;
       })},
      {"a batch that nothing programs", kWrong,
       [](Nvdimm& n) {
         const bool fits = !n.evictor_.unplaced_.empty();
         if (fits) {
           n.evictor_.unplaced_.pop();
           n.pending_.remove_unplaced();
         }
         return fits;
       }},
      {"a program of what is no batch", kWrong,
       [free_one](Nvdimm& n) {
         const std::uint32_t free = free_one(n.evictor_);
         if (free != kNoIndex) {
           n.evictor_.unplaced_.push(free);
           n.pending_.add_unplaced();
         }
         return free != kNoIndex;
       }},
      {"an eviction that says it is a batch", kWrong,
       with_batch([](E& evictor, std::uint32_t first, std::uint32_t last) {
         evictor.evictions_[last].batch = last;  // as its first says already
         return first != last;
       })},
      {"an eviction that is in no batch", kWrong, with_two([](Eviction& one, Eviction& other) {
         one.batch = other.batch + (one.batch == other.batch ? 1 : 0);
       })},
      {"a batch of another number", kWrong,
       with_batch([](E& evictor, std::uint32_t first, std::uint32_t) {
         ++evictor.evictions_[first].count;
         return true;
       })},
      {"a batch that runs in a circle", kWrong,
       with_batch([](E& evictor, std::uint32_t first, std::uint32_t last) {
         evictor.evictions_[last].next = first;
         return true;
       })},
      {"a batch that others join, which is none", kWrong,
       [](Nvdimm& n) {
         n.evictor_.open_[0] = n.evictor_.evictions_.size();
         return true;
       }},
      {"a batch that others join, which is over", kWrong,
       [free_one](Nvdimm& n) {
         const std::uint32_t free = free_one(n.evictor_);
         n.evictor_.open_[0] = free == kNoIndex ? n.evictor_.open_[0] : free;
         return free != kNoIndex;
       }},
      {"a batch that others join, which is over and does not say so", kWrong,
       [free_one](Nvdimm& n) {
         E& evictor = n.evictor_;
         const std::uint32_t free = free_one(evictor);
         const bool fits = free != kNoIndex && evictor.ftl_.shape().dynamic && !evictor.merges_ &&
                           evictor.most_ > 1;
         if (fits) {
           Eviction& over = evictor.evictions_[free];
           over.batch = free;
           over.next = kNoIndex;
           over.count = over.coming = 1;
           evictor.open_[0] = free;
         }
         return fits;
       }},
      {"a batch that others join, though it is what is merged", kWrong,
       with_batch([](E& evictor, std::uint32_t first, std::uint32_t last) {
         const bool fits = evictor.merges_ && evictor.evictions_[first].coming > 0 &&
                           evictor.evictions_[first].count < evictor.most_;
         evictor.open_[0] = fits ? last : evictor.open_[0];
         return fits;
       })},
      {"a batch that others join in front of its last", kWrong,
       with_open([](const E& evictor, const Eviction& own) {
         const Eviction& first = evictor.evictions_[own.batch];
         return own.next != kNoIndex && first.coming > 0 && first.count < evictor.most_;
       })},
      {"a batch that others join, which is full", kWrong,
       with_open([](const E& evictor, const Eviction& own) {
         const Eviction& first = evictor.evictions_[own.batch];
         return own.next == kNoIndex && first.coming > 0 && first.count == evictor.most_;
       })},
      {"a batch that others join, which is programmed", kWrong,
       with_open([](const E& evictor, const Eviction& own) {
         const Eviction& first = evictor.evictions_[own.batch];
         return own.next == kNoIndex && first.coming == 0 && first.count < evictor.most_;
       })},
      {"a batch of another home that others join", kWrong,
       [](Nvdimm& n) {
         std::vector<std::uint32_t>& open = n.evictor_.open_;
         const bool fits = open.size() > 1 && open[0] != kNoIndex;
         if (fits) {
           open[1] = open[0];
         }
         return fits;
       }},
      {"an eviction of no frame", kFrames,
       with_eviction([](E& evictor, std::uint32_t, Eviction& own) {
         own.frames = evictor.merges_ ? own.frames : kNoIndex;
         return !evictor.merges_;
       })},
      {"an eviction of a frame that stays", kFrames,
       [](Nvdimm& n) {
         E& evictor = n.evictor_;
         for (const std::uint32_t i : evictor.evictions_.taken()) {
           const std::uint32_t frame = evictor.evictions_[i].frames;
           if (!evictor.merges_ && frame != kNoIndex &&
               n.buffer_.write[frame].link.next == kNoIndex && n.buffer_.write[frame].pins == 0 &&
               n.buffer_.write[frame].waiters.empty()) {
             evictor.evictions_[i].frames = kNoIndex;
             n.buffer_.write[frame].state = FrameState::dirty;
             n.buffer_.write.list(frame, false);
             --n.writes_.leaving_;
             return true;
           }
         }
         return false;
       }},
      {"a frame that is written back by nobody", kFrames,
       [](Nvdimm& n) {
         Frame& first = n.buffer_.write[0];
         const bool fits = first.state == FrameState::dirty && first.pins > 0;
         if (fits) {
           first.state = FrameState::evicting;
           ++n.writes_.leaving_;
         }
         return fits;
       }},
      {"frames of another page", kFrames,
       with_two([](Eviction& one, Eviction& other) { std::swap(one.frames, other.frames); })},
      {"a frame that waits for no eviction", kFrames,
       with_eviction([](E& evictor, std::uint32_t, Eviction& own) {
         const std::uint32_t next =
             own.frames == kNoIndex ? kNoIndex : evictor.buffer_.write[own.frames].link.next;
         own.frames = next == kNoIndex ? own.frames : next;
         return next != kNoIndex;
       })},
      {"a frame that goes to flash for two evictions", kFrames,
       with_two([](Eviction& one, Eviction& other) { one.frames = other.frames; })},
  };
}

namespace {

TEST(EvictionDamage, WhatContradictsItselfIsRefused) {
  expect_refused(NvdimmFaults::of_evictions());
}

// Whatever commands and evictions are doing; loaded over what another one does, too.
TEST(EvictionDamage, WhatHoldsTogetherIsTakenAtAnyTime) {
  constexpr int kSteps = 3'000;
  constexpr int kBetween = 7;
  for (const NvdimmParameters& parameters : busy_nvdimms()) {
    Busy busy(parameters);
    Rig other(parameters);
    for (int i = 0; i < kSteps; ++i) {
      busy.step();
      if (i % kBetween == 0) {
        const std::string state = busy.rig().saved();
        Archive archive(state);
        ASSERT_NO_THROW(other.serialize(archive)) << "step " << i;
        ASSERT_TRUE(archive.at_end());
        ASSERT_EQ(other.saved(), state) << "step " << i;
      }
    }
  }
}

// Its frame was released when its data had come in, so that its eviction is over.
TEST(EvictionDamage, AProgramWhoseStatusIsReadIsTaken) {
  struct Statuses final : FlashObserver {
    void on_flash(const FlashRecord& record) override {
      if (record.stage == FlashStage::status && record.operation == FlashOperation::program) {
        last = record;
      }
    }
    void on_programmed(std::uint64_t, std::uint32_t) override {}
    void on_bad(std::uint64_t) override {}
    FlashRecord last{};
  };
  NvdimmParameters parameters = of_four_luns(kPageBytes, 1);
  parameters.buffer.release = FrameRelease::datain;
  parameters.nand.interface = NandInterface::sdr;
  Busy busy(parameters);
  Statuses statuses;
  busy.rig().nvdimm().add_flash_observer(statuses);
  Rig other(parameters);
  int taken = 0;
  for (int i = 0; i < 20'000 && taken < 20; ++i) {
    busy.step();
    const Tick now = busy.rig().now();
    if (statuses.last.start <= now && now < statuses.last.end) {
      Archive archive(busy.rig().saved());
      ASSERT_NO_THROW(other.serialize(archive)) << "step " << i;
      ++taken;
    }
  }
  EXPECT_EQ(taken, 20);
}

}  // namespace
}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
// Is a saved state refused in which the map and the flash blocks contradict each other?
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "tests/cc/nvdimm/attempts.h"

namespace hmsim {

// Of the first LUN.
std::vector<NvdimmFaults::Attempt> NvdimmFaults::of_ftl() {
  using Block = Ftl::Block;
  using Lun = Ftl::Lun;
  using State = Ftl::State;
  constexpr const char* kPlace = "two logical pages lie in the same place, or one in none";
  constexpr const char* kUnwritten = "a logical page lies where none was written";
  constexpr const char* kFree = "a flash block is free that is not";
  constexpr const char* kFull = "a flash block is full that is not";
  constexpr const char* kOpen = "a flash block is open that is not";
  constexpr const char* kMany = "an open flash block has too many pages, or parts of one";
  constexpr const char* kLists = "the lists of flash blocks do not hold together";
  constexpr const char* kPart = "a flash page is written in part";
  constexpr const char* kAge = "a flash block's age is none";
  constexpr const char* kCount = "a count of flash pages or blocks is wrong";
  constexpr const char* kFullLists = "the lists of full flash blocks do not hold together";
  constexpr const char* kProgrammed = "flash holds other pages than the map has allocated";

  const auto with_lun = [](auto change) {
    return [change](Nvdimm& n) {
      change(n.ftl_, n.ftl_.luns_[0]);
      return true;
    };
  };
  // change(ftl, number, block): false: not this one.
  const auto with_block_if = [](State state, auto change) {
    return [state, change](Nvdimm& n) {
      for (std::uint32_t number = 0; number < n.ftl_.shape().blocks; ++number) {
        Block& block = n.ftl_.blocks_[number];
        if (block.state == state && change(n.ftl_, number, block)) {
          return true;
        }
      }
      return false;
    };
  };
  const auto with_block = [with_block_if](State state, auto change) {
    return with_block_if(state, [change](Ftl& ftl, std::uint32_t, Block& block) {
      change(ftl, block);
      return true;
    });
  };
  // Of flash pages that have several parts.
  const auto with_parted_block = [with_block_if](State state, auto change) {
    return with_block_if(state, [change](Ftl& ftl, std::uint32_t, Block& block) {
      change(block);
      return ftl.shape().parts() > 1;
    });
  };
  const auto with_frontier = [](auto change) {
    return [change](Nvdimm& n) {
      for (Ftl::Frontier& frontier : n.ftl_.luns_[0].frontiers) {
        if (!n.ftl_.spent(frontier) && change(n.ftl_, frontier, n.ftl_.blocks_[frontier.block])) {
          return true;
        }
      }
      return false;
    };
  };
  // change(l2p, a page that is somewhere).
  const auto with_map = [](auto change) {
    return [change](Nvdimm& n) {
      std::size_t page = 0;
      while (n.ftl_.l2p_[page] == 0) {
        ++page;
      }
      change(n.ftl_, page);
      return true;
    };
  };
  return {
      {"a turn of no LUN", "the next LUN is none", with_lun([](Ftl& ftl, Lun&) {
         ftl.cursor_ = static_cast<std::uint32_t>(ftl.shape().stripe.size());
       })},
      {"two logical pages in one place", kPlace,
       with_map([](Ftl& ftl, std::size_t page) { ftl.l2p_[page == 0 ? 1 : 0] = ftl.l2p_[page]; })},
      {"a page behind the flash", kPlace, with_map([](Ftl& ftl, std::size_t page) {
         ftl.l2p_[page] = static_cast<std::uint32_t>(ftl.p2l_.size() + 1);
       })},
      {"a page in a free block", kUnwritten, with_map([](Ftl& ftl, std::size_t page) {
         const auto block = static_cast<std::uint32_t>(ftl.luns_[0].free.front());
         ftl.l2p_[page] = block * ftl.shape().pages + 1;
       })},
      {"a page in a bad block", kUnwritten,
       with_block_if(State::full,
                     [](Ftl&, std::uint32_t, Block& block) {
                       block.state = block.valid > 0 ? State::bad : block.state;
                       return block.valid > 0;
                     })},
      {"a page in a block that is free by its state", kUnwritten,
       with_block_if(State::full,
                     [](Ftl&, std::uint32_t, Block& block) {
                       block.state = block.valid > 0 ? State::free : block.state;
                       return block.valid > 0;
                     })},
      {"a free block of another wear", kFree,
       with_block(State::free, [](Ftl&, Block& block) { ++block.erases; })},
      {"a free block that fails", kFree,
       with_block(State::free, [](Ftl&, Block& block) { block.failing = true; })},
      {"a free block that is a victim", kFree,
       with_block(State::free, [](Ftl&, Block& block) { block.state = State::victim; })},
      {"free blocks out of order", "free flash blocks are out of order",
       [](Nvdimm& n) {
         std::vector<std::uint64_t>& free = n.ftl_.luns_[0].free;
         std::sort(free.begin(), free.end(), std::greater<>());
         return free.size() > 1;
       }},
      {"a block that is free twice", kLists,
       with_lun([](Ftl&, Lun& lun) { lun.free.push_back(lun.free.back()); })},
      {"a free block that is none", kLists, with_lun([](Ftl& ftl, Lun& lun) {
         lun.free.push_back(lun.free.back() >> 32 << 32 | ftl.shape().blocks);
       })},
      {"a free block that is not told", kLists,
       with_lun([](Ftl&, Lun& lun) { lun.free.pop_back(); })},
      {"a block that is full twice", kLists,
       with_lun([](Ftl&, Lun& lun) { lun.full.push_back(lun.full.front()); })},
      {"another place of a full block", kFull,
       with_block(State::full, [](Ftl&, Block& block) { ++block.slot; })},
      {"a full block that is a victim", kFull,
       with_block(State::full, [](Ftl&, Block& block) { block.state = State::victim; })},
      {"an open block that is none", "an open flash block is none",
       with_lun([](Ftl& ftl, Lun& lun) { lun.frontiers[0].block = ftl.shape().blocks; })},
      {"an open block beyond its end", kMany, with_lun([](Ftl& ftl, Lun& lun) {
         lun.frontiers[0].next_page = ftl.shape().pages + ftl.shape().parts();
       })},
      {"an open block up to the middle of a page", kMany,
       with_frontier([](Ftl& ftl, Ftl::Frontier& frontier, Block&) {
         frontier.next_page += ftl.shape().parts() > 1 ? 1 : 0;
         return ftl.shape().parts() > 1;
       })},
      {"an open block of more pages than were begun", kOpen,
       with_frontier([](Ftl& ftl, Ftl::Frontier& frontier, Block& block) {
         block.completed = frontier.next_page + ftl.shape().parts();
         return true;
       })},
      {"an open block that ends early", kOpen,
       with_frontier([](Ftl& ftl, Ftl::Frontier&, Block& block) {
         block.end -= ftl.shape().parts();
         return true;
       })},
      {"an open block that fails", kOpen,
       with_frontier([](Ftl&, Ftl::Frontier&, Block& block) { return block.failing = true; })},
      {"an open block that is full", kOpen, with_frontier([](Ftl&, Ftl::Frontier&, Block& block) {
         block.state = State::full;
         return true;
       })},
      {"a block that is open nowhere", kLists,
       with_block(State::victim, [](Ftl&, Block& block) { block.state = State::open; })},
      {"a block that is open nowhere, beyond its end", kLists,
       with_block(State::victim,
                  [](Ftl& ftl, Block& block) {
                    block.state = State::open;
                    block.end = ftl.shape().pages + ftl.shape().parts();
                  })},
      {"a block worn beyond reason", kAge,
       with_block(State::full, [](Ftl&, Block& block) { block.erases = (1u << 22) + 1; })},
      {"a block that changed after all that was written", kAge,
       with_block(State::full,
                  [](Ftl& ftl, Block& block) { block.changed = ftl.luns_[0].written + 1; })},
      {"a block with part of a page", kPart,
       with_parted_block(State::victim, [](Block& block) { --block.completed; })},
      {"a block that ends in a page", kPart,
       with_parted_block(State::full, [](Block& block) { --block.end; })},
      {"a full block with room", "a full flash block is not",
       with_block_if(State::full,
                     [](Ftl& ftl, std::uint32_t number, Block& block) {
                       const std::uint32_t parts = ftl.shape().parts();
                       for (std::uint32_t i = ftl.shape().pages - parts; i < ftl.shape().pages;
                            ++i) {
                         if (ftl.owner(ftl.page_at(0, number, i))) {
                           return false;
                         }
                       }
                       block.completed -= parts;
                       return true;
                     })},
      {"a bad block too many", kCount, with_lun([](Ftl&, Lun& lun) { ++lun.bad; })},
      {"a failing block too many", kCount, with_lun([](Ftl&, Lun& lun) { ++lun.failing; })},
      {"a page too many on its way", kCount, with_lun([](Ftl&, Lun& lun) { ++lun.in_flight; })},
      {"an invalid page too many", kCount, with_lun([](Ftl&, Lun& lun) { ++lun.invalid; })},
      {"a list with a block of the next LUN", "a list of flash blocks names one that is none",
       with_lun([](Ftl& ftl, Lun& lun) {
         ftl.blocks_[ftl.shape().blocks].age = SlotLink();
         lun.filled.first = ftl.shape().blocks;
       })},
      {"a full block of no age", kFullLists, with_lun([](Ftl& ftl, Lun& lun) {
         lun.filled.remove(ftl.links(0, &Block::age), lun.filled.first);
       })},
      {"a full block that is like none", kFullLists,
       with_block_if(State::full,
                     [](Ftl& ftl, std::uint32_t number, Block& block) {
                       ftl.luns_[0].buckets[block.valid].remove(ftl.links(0, &Block::alike),
                                                                number);
                       return true;
                     })},
      {"a full block among those with a page more", kFullLists,
       with_block_if(State::full,
                     [](Ftl& ftl, std::uint32_t number, Block& block) {
                       std::vector<SlotList>& buckets = ftl.luns_[0].buckets;
                       const auto links = ftl.links(0, &Block::alike);
                       const bool fits = block.valid < ftl.shape().pages;
                       if (fits) {
                         buckets[block.valid].remove(links, number);
                         buckets[block.valid + 1].push_back(links, number);
                       }
                       return fits;
                     })},
      {"a claim of nobody", "the count of flash pages under way is wrong",
       with_lun([](Ftl&, Lun& lun) { ++lun.claimed; })},
      {"a victim of nobody", "a flash block is cleaned by nobody",
       [](Nvdimm& n) {
         const bool fits = n.ftl_.collectable(0);
         if (fits) {
           n.ftl_.take_victim(0);
         }
         return fits;
       }},
      {"the first block, a victim of nobody", "a flash block is cleaned by nobody",
       [](Nvdimm& n) {
         const bool fits = n.ftl_.blocks_[0].state == State::full;
         if (fits) {
           n.ftl_.make_victim(0, 0);
         }
         return fits;
       }},
      {"a free block that holds a page", kProgrammed,
       [](Nvdimm& n) {
         n.flash_.set_programmed(0, static_cast<std::uint32_t>(n.ftl_.luns_[0].free.front()), 1);
         return true;
       }},
      {"an open block that holds a page less", kProgrammed,
       [](Nvdimm& n) {
         for (const Ftl::Frontier& frontier : n.ftl_.luns_[0].frontiers) {
           if (!n.ftl_.spent(frontier) && n.flash_.programmed(0, frontier.block) > 0) {
             --n.flash_.programmed_[n.flash_.at_.superblock_of(0, frontier.block)];
             return true;
           }
         }
         return false;
       }},
  };
}

// Of a map that lies in flash, in pages of four parts.
std::vector<NvdimmFaults::Attempt> NvdimmFaults::of_translation_pages() {
  // change(entries of the parts of a translation page).
  const auto with_page = [](auto change) {
    return [change](Nvdimm& n) {
      for (std::uint32_t number = 0; number < n.ftl_.shape().map_pages(); ++number) {
        const auto first = static_cast<std::size_t>(n.ftl_.map_page(number).value());
        if (n.ftl_.l2p_[first] != 0) {
          change(&n.ftl_.l2p_[first]);
          return true;
        }
      }
      return false;
    };
  };
  return {
      {"one that begins in the middle of a page",
       "a translation page does not begin where a flash page does",
       with_page([](std::uint32_t* parts) { std::rotate(parts, parts + 1, parts + 4); })},
      {"one whose parts changed places", "a translation page is in pieces",
       with_page([](std::uint32_t* parts) { std::swap(parts[1], parts[2]); })},
      {"one without its last part", "a translation page is in pieces",
       with_page([](std::uint32_t* parts) { parts[3] = 0; })},
      {"one without its first part", "a translation page is in pieces",
       with_page([](std::uint32_t* parts) { parts[0] = 0; })},
  };
}

namespace {

TEST(FtlDamage, WhatContradictsItselfIsRefused) { expect_refused(NvdimmFaults::of_ftl()); }

TEST(FtlDamage, TranslationPagesInPiecesAreRefused) {
  NvdimmParameters parameters = of_four_luns(4 * kPageBytes, 1);
  parameters.ftl.map = MapPlace::cached;
  parameters.ftl.map_entry = Bytes(256);
  parameters.ftl.map_cache = 240 * kCachedEntryBytes;
  expect_refused(NvdimmFaults::of_translation_pages(), {parameters});
}

NvdimmParameters with_data() {
  NvdimmParameters parameters = of_four_luns(kPageBytes, 1);
  parameters.store_data = true;
  return parameters;
}

// What is said of the state that change() leaves; an NVDIMM in data mode is on, or power has gone
// before a page was saved.
template <class Change>
std::string told_with_data(bool on, Change change) {
  Shadow shadow(with_data(), 3);
  for (int i = 0; i < 1'500; ++i) {
    shadow.send(shadow.pages(), 7);
    shadow.finish_one();
    shadow.step();
  }
  if (!on) {
    shadow.power_fail(Tick(1));
  }
  change(shadow.nvdimm());
  Shadow other(with_data(), 3);
  try {
    other.load(shadow.saved());
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(FtlDamage, CellsThatTheMapDoesNotKnowOfAreRefused) {
  EXPECT_EQ(told_with_data(true, [](Nvdimm&) {}), "");
  const std::string told = told_with_data(true, [](Nvdimm& nvdimm) {
    const Ftl& ftl = nvdimm.ftl();
    std::uint32_t block = 0;
    while (ftl.written_pages(0, block) > 0) {
      ++block;
    }
    NvdimmFaults::media(nvdimm).program(ftl.page_at(0, block, 0), LogicalPage(1), 1);
  });
  EXPECT_NE(told.find("flash media and the map do not agree"), std::string::npos) << told;
}

TEST(FtlDamage, PagesThatAreNotSavedArePagesAndThePowerIsOff) {
  const auto with_last_page = [](std::int64_t page) {
    return told_with_data(false, [page](Nvdimm& nvdimm) {
      auto& unsaved = NvdimmFaults::unsaved(nvdimm);
      ASSERT_FALSE(unsaved.empty());
      unsaved.emplace(page, unsaved.begin()->second);
    });
  };
  const auto pages = static_cast<std::int64_t>(Nvdimm::logical_capacity(with_data()) / kPageBytes);
  EXPECT_EQ(with_last_page(pages - 1), "");
  EXPECT_NE(with_last_page(pages).find("a page to be saved is none"), std::string::npos);
  EXPECT_NE(with_last_page(-1).find("a page to be saved is none"), std::string::npos);
  const std::string told = told_with_data(false, NvdimmFaults::switch_on);
  EXPECT_NE(told.find("pages are not saved, and the power is on"), std::string::npos) << told;
}

}  // namespace
}  // namespace hmsim

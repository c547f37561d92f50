// SPDX-License-Identifier: BSD-3-Clause
// Independent checker of the protocol of flash channels, chips and cells in one NVDIMM. It sees the
// stages of operations and shares nothing with the flash array.
//
//   bus            one LUN at a time owns a channel, for as long as its bytes need
//   busy LUN       commands go to ready LUNs: idle; or in a cache sequence of reads or of programs
//                  (tCBSY after the cells' start); or, while an operation is suspended, reads of
//                  other blocks
//   cells          one operation at a time, at least tR, tPROG or tBERS of work without suspension
//   multi-plane    the same operation at the same page of different planes, tDBSY apart;
//                  independent reads at any pages
//   page order     pages of a block are programmed in order; again only after an erase
//   cell mode      programs and reads of a programmed block keep the mode of its first program;
//                  in one-bit mode a block has 1 / nvdimm.nand.cell_bits of its pages
//   bad block      no program after a failure; no erase of a bad block, except after a failed
//                  program
//   completeness   data follow reads; status follows programs and erases, if the bus has it
//   register       more parts of a page may follow the first ones until the LUN's next command; a
//                  part that does not follow the last one needs a column change
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "check/violations.h"
#include "core/archive.h"
#include "core/zeroed_array.h"
#include "nvdimm/nand/flash_observer.h"
#include "nvdimm/nand/nand_parameters.h"

namespace hmsim {

class FlashChecker final : public FlashObserver {
 public:
  // `blocks`: number of blocks of the whole array. `channel` and `period`: the memory channel and
  // its clock period, for reports. `violations` must outlive the checker.
  FlashChecker(const NandParameters& nand, std::int64_t blocks, int channel, Tick period,
               ViolationLog& violations);

  void on_flash(const FlashRecord& record) override;
  void on_programmed(std::uint64_t block, std::uint32_t pages) override { blocks_[block] = pages; }
  void on_bad(std::uint64_t block) override { health_of(block) = Health::bad; }

  std::int64_t unfinished() const;  // operations in progress
  std::int64_t records() const { return records_; }

  void serialize(Archive& archive) {
    archive(blocks_, health_, modes_);
    archive.fixed(luns_, free_);
    archive(records_);
  }

 private:
  enum class Health : std::uint8_t { good, failing, bad, last = bad };
  enum class Mode : std::uint8_t { unknown, several_bits, one_bit, last = one_bit };
  enum class Step : std::uint8_t { commanded, cells, suspended, done, moved, last = moved };

  // One plane's part of an operation.
  struct Part {
    FlashOperation operation = FlashOperation::read;
    Step step = Step::commanded;
    bool transfer = true;
    std::uint64_t block = 0;
    std::uint32_t page = 0;
    std::int64_t group = 0;      // common to all planes of an operation
    Tick commanded{0};           // end of its command
    Tick begun{0};               // when the cells last started or resumed
    Tick worked{0};              // work done before that
    std::int64_t overtaken = 0;  // reads sent while it was suspended
    PartMask moved = 0;          // read: the parts that crossed the bus last

    void serialize(Archive& archive) {
      archive(operation, step, transfer, block, page, group, commanded, begun, worked, overtaken,
              moved);
    }
  };

  struct Lun {
    std::vector<Part> parts;
    bool more = false;  // the last command continues on another plane
    std::int64_t group = 0;
    Tick cells_begun{0};  // start of the last operation in the cells

    void serialize(Archive& archive) { archive(parts, more, group, cells_begun); }
  };

  bool check_place(const FlashRecord& record);
  void check_bus(const FlashRecord& record);
  void command(Lun& lun, const FlashRecord& record);
  void check_ready(Lun& lun, const FlashRecord& record);
  void check_plane(const Lun& lun, const FlashRecord& record);
  void check_page(const FlashRecord& record);
  void check_mode(const FlashRecord& record);
  void fail(Lun& lun, const FlashRecord& record);
  Health& health_of(std::uint64_t block) {
    return health_[block / static_cast<std::uint64_t>(nand_.planes)];
  }
  void cells(Lun& lun, const FlashRecord& record);
  void done(Lun& lun, const FlashRecord& record);
  void suspend(Lun& lun, const FlashRecord& record);
  void resume(Lun& lun, const FlashRecord& record);
  void data_out(Lun& lun, const FlashRecord& record);
  void status(Lun& lun, const FlashRecord& record);

  Part* find(Lun& lun, const FlashRecord& record, Step step);
  template <class Gone>
  static void remove_if(Lun& lun, Gone gone) {
    lun.parts.erase(std::remove_if(lun.parts.begin(), lun.parts.end(), gone), lun.parts.end());
  }
  static void overwrite(Lun& lun, std::int64_t group);
  bool same_superblock(std::uint64_t a, std::uint64_t b) const {
    return a / static_cast<std::uint64_t>(nand_.planes) ==
           b / static_cast<std::uint64_t>(nand_.planes);
  }
  Tick least_cell_time(const FlashRecord& record) const;
  Tick least_bus_time(const FlashRecord& record, bool jumps = false) const;
  void add(const char* rule, const FlashRecord& record, Tick needed, Tick got) {
    add(rule, record, needed.value(), got.value());
  }
  void add(const char* rule, const FlashRecord& record, std::int64_t needed, std::int64_t got);

  const NandParameters nand_;
  const int channel_;
  const Tick period_;
  ViolationLog& violations_;
  ZeroedArray<std::uint32_t> blocks_;  // programmed pages, which are the first ones
  ZeroedArray<Health> health_;         // by superblock
  ZeroedArray<Mode> modes_;            // by block; empty without one-bit mode
  std::vector<Lun> luns_;
  std::vector<Tick> free_;  // by flash channel: free since
  std::int64_t records_ = 0;
};

}  // namespace hmsim

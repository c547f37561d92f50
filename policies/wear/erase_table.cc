// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include "policies/wear_leveler.h"

namespace hmsim {

// A table has a flag for each set of neighbouring blocks, set by the first erase there. While the
// erases of a LUN are more than `threshold` for each of its flags, blocks of sets without a flag
// move, in cyclic order. The table is cleared when no full block is left without a flag. Takes time
// proportional to the full blocks, but only above the threshold.
class EraseTable final : public WearLeveler {
 public:
  void declare(ParameterSet& parameters) override {
    parameters.integer("threshold", threshold_, {1, 1'000'000}, "erases",
                       {"erases for each flag above which blocks move", "the paper: 100 to 1000"});
    parameters.integer("set", set_, {1, 1024}, "blocks",
                       {"neighbouring blocks that share a flag", "the paper: 1 to 8"});
  }
  void connect(const WearShape& shape) override {
    blocks_ = shape.blocks;
    tables_.assign(shape.luns, {});
    for (Table& table : tables_) {
      table.flags.assign((blocks_ - 1) / set() + 1, 0);
    }
  }
  std::uint32_t choose(const LunWear& wear, const FullBlocks& blocks, Random& /*random*/) override {
    Table& table = tables_[wear.lun];
    if (table.erases < static_cast<std::uint64_t>(threshold_) * table.flagged ||
        table.flagged == 0) {
      return kNoIndex;
    }
    std::uint32_t found = kNoIndex;
    std::uint32_t least = kNoIndex;  // distance from table.next, cyclic
    for (std::uint32_t i = 0; i < blocks.count(); ++i) {
      const std::uint32_t block = blocks.at(i).block;
      const std::uint32_t distance = (block + blocks_ - table.next) % blocks_;
      if (table.flags[block / set()] == 0 && distance < least) {
        found = block;
        least = distance;
      }
    }
    if (found == kNoIndex) {
      table.flags.assign(table.flags.size(), 0);
      table.erases = table.flagged = 0;
    } else {
      table.next = (found + 1) % blocks_;
    }
    return found;
  }
  bool counts_erases() const override { return true; }
  void on_erase(std::uint32_t lun, std::uint32_t block) override {
    Table& table = tables_[lun];
    std::uint8_t& flag = table.flags[block / set()];
    ++table.erases;
    table.flagged += flag == 0 ? 1 : 0;
    flag = 1;
  }
  void serialize(Archive& archive) override {
    for (Table& table : tables_) {
      archive(table);
      archive.check_index(table.next, blocks_, "invalid block of a table of erases");
    }
  }

 private:
  struct Table {
    std::vector<std::uint8_t> flags;
    std::uint64_t erases = 0;
    std::uint64_t flagged = 0;  // sets
    std::uint32_t next = 0;     // block at which the search begins
    void serialize(Archive& archive) {
      archive.fixed(flags);
      archive(erases, flagged, next);
    }
  };

  std::uint32_t set() const { return static_cast<std::uint32_t>(set_); }

  std::int64_t threshold_ = 100;
  std::int64_t set_ = 1;
  std::uint32_t blocks_ = 0;
  std::vector<Table> tables_;  // by LUN
};

extern const PolicyDescriptor kPolicy_erase_table{
    PolicyKind::wear_leveler, "erase_table",
    "blocks without an erase since a table was cleared, once the others have many",
    "Chang, Hsieh and Kuo, Endurance enhancement of flash-memory storage systems, DAC 2007",
    make_policy<EraseTable>};

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "policies/monitors/page_groups.h"
#include "policies/policy.h"

namespace hmsim {

// Page-aware order for banks with a small page cache, such as high bandwidth flash: requests of the
// pages that their bank was last asked for go first, because the bank still has these pages. The
// scheduler keeps the same list as the bank: the last kPages pages, least recently used first out.
// DRAM requests follow FR-FCFS.
class BankCache final : public TransactionScheduler {
 public:
  void connect(const ChannelShape& shape, const SourceProgress& /*progress*/) override {
    groups_.resize(shape.slots);
    kept_.assign(static_cast<std::size_t>(shape.banks()) * kPages, kNone);
    ranks_ = shape.ranks;
    banks_per_rank_ = shape.banks_per_rank;
  }
  bool orders_commands() const override { return true; }

  std::uint64_t key(const RequestView& request) const override {
    if (request.memory == MemoryClass::dram) {
      return request.row_hit ? 1 : 0;
    }
    if (!groups_.unsent(request.slot)) {
      return 1;  // the bank has been asked for the page
    }
    const auto* const first = kept_.data() + begin(request);
    return std::find(first, first + kPages, request.row) != first + kPages ? 1 : 0;
  }

  void on_enqueue(const RequestView& request, Tick /*now*/) override {
    if (request.memory == MemoryClass::nvdimm) {
      groups_.enter(request.slot, request.row);
    }
  }
  void on_command(const RequestView& request, Tick /*now*/) override {
    groups_.leave_group(request.slot);
    auto* const first = kept_.data() + begin(request);
    auto* const last = first + kPages - 1;
    auto* const found = std::find(first, last, request.row);
    const std::int64_t dropped = *found;
    std::rotate(first, found, found + 1);
    *first = request.row;
    if (dropped != request.row) {
      const auto change = [this](std::uint32_t slot) { rekey(slot); };
      groups_.each_unsent(dropped, change);
      groups_.each_unsent(request.row, change);
    }
  }
  void on_complete(const RequestView& request, Tick /*now*/) override {
    if (request.memory == MemoryClass::nvdimm) {
      groups_.end(request.slot);
    }
  }

  void serialize(Archive& archive) override {
    archive(groups_);
    archive.fixed(kept_);
  }

 private:
  static constexpr std::int64_t kNone = -1;
  static constexpr std::size_t kPages = 2;  // that a bank keeps, after OCP HBF 0.7.0

  std::size_t begin(const RequestView& request) const {
    return static_cast<std::size_t>(ranks_ * banks_per_rank_ + request.bank) * kPages;
  }

  int ranks_ = 0;
  int banks_per_rank_ = 0;
  std::vector<std::int64_t> kept_;  // by bank, most recently used first
  PageGroups groups_;
};

extern const PolicyDescriptor kPolicy_bank_cache{
    PolicyKind::transaction_scheduler, "bank_cache",
    "NVDIMM requests of the pages that their bank keeps first; then FR-FCFS",
    "own; page-aware scheduling of the paper, section V-B, for a cache of two pages a bank",
    make_policy<BankCache>};

}  // namespace hmsim

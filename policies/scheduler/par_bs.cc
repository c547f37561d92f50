// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "policies/monitors/pending.h"
#include "policies/monitors/sources.h"
#include "policies/policy.h"

namespace hmsim {

// Parallelism-aware batch scheduling. The `marking_cap` oldest requests of every source to every
// bank form a batch that goes before all others. Within it, row hits go first. Then come sources
// whose largest load on any bank is smallest (Max-Total), so that each source finishes its share in
// parallel.
class ParBs final : public TransactionScheduler {
 public:
  void declare(ParameterSet& parameters) override {
    parameters.integer("marking_cap", marking_cap_, {1, 4096}, "requests",
                       {"requests of a source to a bank in one batch", "the PAR-BS paper: 5"});
    parameters.choice("marks", marks_, {{"all", Marks::all}, {"reads", Marks::reads}},
                      {"requests in batches; reads: writes rank below them",
                       "reads: the PAR-BS paper; all: assumed, otherwise NVDIMM writes in a mixed "
                       "queue are never in a batch"});
    sources_.declare(parameters);
  }
  void connect(const ChannelShape& shape, const SourceProgress& /*progress*/) override {
    shape_ = shape;
    pending_.connect(shape.slots);
    marked_.resize(shape.slots);
    priority_.resize(shape.slots);
  }

  std::uint64_t key(const RequestView& request) const override {
    return priority_[request.slot] | (request.row_hit ? kRowHit : 0);
  }

  void on_enqueue(const RequestView& request, Tick /*now*/) override {
    sources_.arrive(request);
    pending_.add(request);
    marked_[request.slot] = 0;
    priority_[request.slot] = priority(request);
    candidates_ += may_be_marked(request) ? 1 : 0;
    form_batch();
  }
  void on_issue(const RequestView& request, Tick /*now*/) override {
    pending_.remove(request.slot);
    candidates_ -= may_be_marked(request) ? 1 : 0;
    marked_count_ -= marked_[request.slot];
    form_batch();
  }

  void serialize(Archive& archive) override {
    archive(sources_, pending_, rank_);
    archive.fixed(marked_, priority_);
    if (archive.loading()) {
      marked_count_ = 0;
      candidates_ = 0;
      pending_.each([&](const RequestView& request) {
        archive.check_index(shape_.bank_number(request), static_cast<std::size_t>(shape_.banks()),
                            "request without a bank");
        marked_count_ += marked_[request.slot];
        candidates_ += may_be_marked(request) ? 1 : 0;
      });
    }
  }

 private:
  enum class Marks : std::uint8_t { all, reads };

  bool may_be_marked(const RequestView& request) const {
    return !request.write || marks_ == Marks::all;
  }

  // Forms the next batch once no request of the last one is left.
  void form_batch() {
    if (marked_count_ > 0 || candidates_ == 0) {
      return;
    }
    const auto banks = static_cast<std::size_t>(shape_.banks());
    load_.assign(sources_.count() * banks, 0);
    for (auto slot = pending_.oldest(); slot != PendingRequests::kNone;
         slot = pending_.next(slot)) {
      const RequestView& request = pending_[slot];
      if (may_be_marked(request)) {
        const auto bank = static_cast<std::size_t>(shape_.bank_number(request));
        std::int64_t& load = load_[sources_.of(request) * banks + bank];
        marked_[slot] = load < marking_cap_ ? 1 : 0;
        load += marked_[slot];
        marked_count_ += marked_[slot];
      }
    }
    rank_sources(banks);
    for (auto slot = pending_.oldest(); slot != PendingRequests::kNone;
         slot = pending_.next(slot)) {
      const std::uint64_t now = priority(pending_[slot]);
      if (priority_[slot] != now) {
        priority_[slot] = now;
        rekey(slot);
      }
    }
  }

  std::uint64_t priority(const RequestView& request) const {
    const std::size_t source = sources_.of(request);
    const bool ranked = may_be_marked(request) && source < rank_.size();
    return (marked_[request.slot] != 0 ? kMarked : 0) | (ranked ? rank_[source] : 0);
  }

  // Ranks sources by Max-Total: smaller maximum first, then smaller total.
  void rank_sources(std::size_t banks) {
    order_.clear();
    for (std::size_t source = 0; source < sources_.count(); ++source) {
      const auto begin = load_.begin() + static_cast<std::ptrdiff_t>(source * banks);
      Load load{0, 0, sources_.name(source), source};
      std::for_each(begin, begin + static_cast<std::ptrdiff_t>(banks), [&load](std::int64_t n) {
        load.maximum = later(load.maximum, n);
        load.total += n;
      });
      order_.push_back(load);
    }
    std::sort(order_.begin(), order_.end(), [](const Load& a, const Load& b) {
      return a.maximum != b.maximum ? a.maximum > b.maximum
             : a.total != b.total   ? a.total > b.total
                                    : a.name > b.name;
    });
    rank_.resize(order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) {
      rank_[order_[i].source] = i;
    }
  }

  struct Load {
    std::int64_t maximum;
    std::int64_t total;
    std::int64_t name;
    std::size_t source;
  };

  static constexpr std::uint64_t kMarked = std::uint64_t{1} << 33;
  static constexpr std::uint64_t kRowHit = std::uint64_t{1} << 32;

  std::int64_t marking_cap_ = 5;
  Marks marks_ = Marks::all;
  ChannelShape shape_;
  Sources sources_;
  PendingRequests pending_;
  std::vector<std::uint8_t> marked_;  // by slot
  std::int64_t marked_count_ = 0;
  std::int64_t candidates_ = 0;          // pending requests that may be marked
  std::vector<std::uint64_t> priority_;  // by slot: the key without the row-hit bit
  std::vector<std::uint64_t> rank_;      // by source
  std::vector<std::int64_t> load_;       // by source and bank; scratch like order_
  std::vector<Load> order_;
};

extern const PolicyDescriptor kPolicy_par_bs{
    PolicyKind::transaction_scheduler, "par_bs",
    "batches of the oldest requests of each source; within one, row hits, then light sources",
    "Mutlu and Moscibroda, Parallelism-aware batch scheduling, ISCA 2008", make_policy<ParBs>};

}  // namespace hmsim

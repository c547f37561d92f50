// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/ring.h"
#include "policies/monitors/pending.h"
#include "policies/policy.h"

namespace hmsim {

// NVM Duet, its scheduling half: the persistent writes of a core go epoch by epoch; working memory
// (here all of DRAM) ignores the barriers between epochs. Reads go before writes until writes fill
// the queue; of writes the persistent ones go first, so that their epoch ends early. Then FR-FCFS.
class NvmDuet final : public TransactionScheduler {
 public:
  void declare(ParameterSet& parameters) override {
    parameters.integer_or("write_high", write_high_, {1, 4096}, "queue", kOfQueue, "requests",
                          {"queued writes from which on writes go before reads; queue: 3/4 of "
                           "controller.queue_depth",
                           "assumed, as controller.drain_high"});
    parameters.integer_or("write_low", write_low_, {0, 4096}, "queue", kOfQueue, "requests",
                          {"queued writes down to which they keep going before reads; queue: 1/4 "
                           "of controller.queue_depth",
                           "assumed, as controller.drain_low"});
  }
  void connect(const ChannelShape& shape, const SourceProgress& /*progress*/) override {
    pending_.connect(shape.slots);
    high_ = write_high_ == kOfQueue ? std::max(1, shape.dram_slots * 3 / 4) : write_high_;
    low_ = write_low_ == kOfQueue ? shape.dram_slots / 4 : write_low_;
  }

  std::uint64_t key(const RequestView& request) const override {
    return (request.write == writes_first_ ? 4 : 0) + (persistent(request) ? 2 : 0) +
           (request.row_hit ? 1 : 0);
  }
  bool sets_direction() const override { return true; }
  // All persistent writes of the core's earlier epochs are to be completed first.
  bool withholds(const RequestView& request) const override {
    return persistent(request) && epochs_[request.source].front().number != epoch_of(request);
  }

  void on_enqueue(const RequestView& request, Tick /*now*/) override {
    queue_write(request.write ? 1 : 0);
    if (persistent(request)) {
      join_epoch(request);
    }
  }
  void on_issue(const RequestView& request, Tick /*now*/) override {
    queue_write(request.write ? -1 : 0);
  }
  void on_complete(const RequestView& request, Tick /*now*/) override {
    if (persistent(request)) {
      leave_epoch(request);
    }
  }

  void serialize(Archive& archive) override { archive(pending_, epochs_, writes_first_); }
  void check_held(Archive& archive, const HeldRequests& held) override {
    pending_.check_held(archive, held, [](const HeldRequest& each) {
      return persistent(each.view) ? 0 : PendingRequests::kNoList;
    });
    queued_writes_ = 0;
    std::map<std::pair<std::size_t, std::uint64_t>, std::int64_t> writes;  // by core and epoch
    for (const HeldRequest& each : held) {
      queued_writes_ += each.view.write && !each.issued ? 1 : 0;
      if (persistent(each.view)) {
        ++writes[{each.view.source, epoch_of(each.view)}];
      }
    }
    std::size_t epochs = 0;
    for (std::size_t core = 0; core < epochs_.size(); ++core) {
      epochs_[core].each([&, before = std::uint64_t{0}, first = true](const Epoch& epoch) mutable {
        const auto found = writes.find({core, epoch.number});
        archive.check(found != writes.end() && found->second == epoch.writes &&
                          (first || epoch.number > before),
                      "writes of epochs are miscounted");
        before = epoch.number;
        first = false;
        ++epochs;
      });
    }
    archive.check(epochs == writes.size(), "an epoch is missing");
  }

 private:
  struct Epoch {
    std::uint64_t number = 0;
    std::int64_t writes = 0;  // not completed
    void serialize(Archive& archive) { archive(number, writes); }
  };

  static bool persistent(const RequestView& request) {
    return request.memory == MemoryClass::nvdimm && request.write;
  }
  std::uint64_t epoch_of(const RequestView& request) const { return pending_[request.slot].epoch; }

  void queue_write(std::int64_t change) {
    queued_writes_ += change;
    const bool writes_first = writes_first_ ? queued_writes_ > low_ : queued_writes_ >= high_;
    if (writes_first != writes_first_) {
      writes_first_ = writes_first;
      raise_epoch();
    }
  }

  // Epochs begin in order of arrival: a write of an older one joins the newest.
  void join_epoch(RequestView request) {
    if (request.source >= epochs_.size()) {
      epochs_.resize(std::size_t{request.source} + 1);
    }
    Ring<Epoch>& epochs = epochs_[request.source];
    if (epochs.empty() || epochs.back().number < request.epoch) {
      epochs.push({request.epoch, 0});
    }
    ++epochs.back().writes;
    request.epoch = epochs.back().number;
    pending_.add(request);
  }

  void leave_epoch(const RequestView& request) {
    pending_.remove(request.slot);
    Ring<Epoch>& epochs = epochs_[request.source];
    if (--epochs.front().writes > 0) {
      return;
    }
    epochs.pop();
    if (epochs.empty()) {
      return;
    }
    for (auto slot = pending_.oldest(); slot != PendingRequests::kNone;
         slot = pending_.next(slot)) {
      if (pending_[slot].source == request.source && !withholds(pending_[slot])) {
        rekey(slot);
      }
    }
  }

  static constexpr std::int64_t kOfQueue = -1;  // a share of its depth

  std::int64_t write_high_ = kOfQueue;
  std::int64_t write_low_ = kOfQueue;
  std::int64_t high_ = 0;  // what they come to
  std::int64_t low_ = 0;
  PendingRequests pending_;          // persistent writes until they are completed
  std::vector<Ring<Epoch>> epochs_;  // by core: those with writes that are not completed, in order
  std::int64_t queued_writes_ = 0;
  bool writes_first_ = false;
};

extern const PolicyDescriptor kPolicy_nvm_duet;
const PolicyDescriptor kPolicy_nvm_duet{
    PolicyKind::transaction_scheduler, "nvm_duet",
    "persistent writes epoch by epoch, working memory past the barriers; then FR-FCFS",
    "Liu et al., NVM Duet: unified working memory and persistent store architecture, ASPLOS 2014",
    make_policy<NvmDuet>};

}  // namespace hmsim

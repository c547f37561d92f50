// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "core/errors.h"
#include "core/ring.h"
#include "policies/monitors/pending.h"
#include "policies/policy.h"

namespace hmsim {

// The scheduling half of NVM Duet. Persistent writes of a core go epoch by epoch; working memory
// (here all of DRAM) ignores the barriers between epochs. Reads go before writes until writes fill
// the queue. Among writes, persistent ones go first so that their epoch ends early. Then FR-FCFS.
class NvmDuet final : public TransactionScheduler {
 public:
  void declare(ParameterSet& parameters) override {
    parameters.integer_or("write_high", write_high_, {1, 4096}, "queue", kOfQueue, "requests",
                          {"number of queued writes at which writes begin to go before reads; "
                           "queue: 3/4 of controller.queue_depth",
                           "assumed, as controller.drain_high"});
    parameters.integer_or("write_low", write_low_, {0, 4096}, "queue", kOfQueue, "requests",
                          {"number of queued writes at which they stop going before reads; queue: "
                           "1/4 of controller.queue_depth",
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
  // Withholds a persistent write until all persistent writes of the core's earlier epochs have
  // completed.
  bool withholds(const RequestView& request) const override {
    return persistent(request) && !in_first_epoch(request);
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

  // Saves the list of pending writes, which is in epoch order. Loading counts the writes of each
  // epoch from this list.
  void serialize(Archive& archive) override {
    archive(pending_, writes_first_, queued_writes_);
    if (archive.loading()) {
      epochs_.clear();
      pending_.each([this](const RequestView& request) { count(request); });
    }
  }

 private:
  struct Epoch {
    std::uint64_t number = 0;
    std::int64_t writes = 0;  // not completed
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

  // Returns whether the write belongs to its core's oldest incomplete epoch. Throws Fault if a
  // damaged checkpoint lacks the write.
  bool in_first_epoch(const RequestView& request) const {
    ensure(pending_.has(request.slot), "nvm_duet", request.arrival,
           static_cast<std::int64_t>(request.id),
           "no epoch is known for this write, which arrived then");
    return epochs_[pending_[request.slot].source].front().number == epoch_of(request);
  }

  // Adds the write to its epoch. Epochs begin in order of arrival, so a write of an older epoch
  // joins the newest.
  void join_epoch(RequestView request) {
    request.epoch = count(request);
    pending_.add(request);
  }
  std::uint64_t count(const RequestView& request) {
    if (request.source >= epochs_.size()) {
      epochs_.resize(std::size_t{request.source} + 1);
    }
    Ring<Epoch>& epochs = epochs_[request.source];
    if (epochs.empty() || epochs.back().number < request.epoch) {
      epochs.push({request.epoch, 0});
    }
    ++epochs.back().writes;
    return epochs.back().number;
  }

  void leave_epoch(const RequestView& request) {
    ensure(in_first_epoch(request), "nvm_duet", request.arrival,
           static_cast<std::int64_t>(request.id),
           "this write, which arrived then, ends before those of an earlier epoch");
    pending_.remove(request.slot);
    Ring<Epoch>& epochs = epochs_[pending_[request.slot].source];
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

  static constexpr std::int64_t kOfQueue = -1;  // stands for a share of the queue depth

  std::int64_t write_high_ = kOfQueue;
  std::int64_t write_low_ = kOfQueue;
  std::int64_t high_ = 0;  // watermarks in requests, with kOfQueue resolved
  std::int64_t low_ = 0;
  PendingRequests pending_;          // persistent writes until they complete
  std::vector<Ring<Epoch>> epochs_;  // by core: epochs with incomplete writes, in order
  std::int64_t queued_writes_ = 0;
  bool writes_first_ = false;
};

extern const PolicyDescriptor kPolicy_nvm_duet{
    PolicyKind::transaction_scheduler, "nvm_duet",
    "persistent writes epoch by epoch, working memory past the barriers; then FR-FCFS",
    "Liu et al., NVM Duet: unified working memory and persistent store architecture, ASPLOS 2014",
    make_policy<NvmDuet>};

}  // namespace hmsim

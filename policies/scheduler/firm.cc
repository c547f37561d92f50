// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <vector>

#include "policies/monitors/batches.h"
#include "policies/monitors/locality.h"
#include "policies/monitors/mpki.h"
#include "policies/monitors/parallelism.h"
#include "policies/monitors/sources.h"
#include "policies/policy.h"

namespace hmsim {

// FIRM-like, from the abstract of FIRM and from memory; the rules in the paper were not consulted.
// Requests of a source to one row form batches. A group of read batches and a group of write
// batches take turns. Each group is just long enough that bus turnarounds cost at most a share mu
// of the time, and in proportion to the pending requests of each kind.
//
// While the pending requests are too few for that, reads are served. Writes wait until there are
// enough requests, or writes fill a share of the queue, or one is old. Without pending reads,
// writes are served without a turn, as under any scheduler with drained writes. An NVDIMM request
// joins a batch at its ack, because it does not use the bus before. Use with controller.writes:
// drained.
class Firm final : public TransactionScheduler {
 public:
  void declare(ParameterSet& parameters) override {
    parameters.time("interval", interval_,
                    {"time between two classifications of sources",
                     "the FIRM paper, from memory: 1 M cycles of the CPU, at 2 GHz"});
    parameters.integer("turnaround_share", mu_, {1, 100}, "%",
                       {"mu: largest share of turnarounds in the time of a read and a write group",
                        "the FIRM paper, from memory: 20 %"});
    parameters.integer("batch_cap", batch_cap_, {1, 4096}, "requests",
                       {"requests that end a batch", "assumed: 16"});
    parameters.time(
        "batch_age", batch_age_,
        {"age at which a batch counts as complete, a group ends, and writes get their turn",
         "assumed: 2000 cycles at DDR3-1600"});
    parameters.integer("write_mark", write_mark_, {1, 100}, "%",
                       {"share of the queue's entries: this number of pending writes gets its turn",
                        "assumed: 75, as controller.drain_high"});
    sources_.declare(parameters);
  }
  void connect(const ChannelShape& shape, const SourceProgress& progress) override {
    shape_ = shape;
    mpki_.connect(progress);
    parallelism_.connect(shape);
    locality_.connect(shape);
    batches_.connect(shape, batch_cap_, batch_age_);
    times_.resize(static_cast<std::size_t>(shape.banks()));
    interval_ = later(interval_, shape.clock_period);
    next_classification_ = interval_;
    turnarounds_ = cycles(shape.read_to_write + shape.write_to_read + shape.burst * 2);
  }

  std::uint64_t key(const RequestView& request) const override {
    return batches_.priority(request.slot) | (request.row_hit ? 1 : 0);
  }
  Direction direction() const override { return writing_ ? Direction::writes : Direction::reads; }
  bool sets_direction() const override { return true; }

  void on_enqueue(const RequestView& request, Tick now) override {
    const std::size_t source = sources_.arrive(request);
    categories_.resize(sources_.count());
    mpki_.arrive(source, request.source);
    parallelism_.arrive(source, shape_.bank_number(request), now);
    batches_.forget(request.slot);
    if (request.memory == MemoryClass::dram) {
      join(request, now);
    }
  }
  void on_ack(const RequestView& request, Tick now) override { join(request, now); }
  void on_issue(const RequestView& request, Tick now) override {
    const std::size_t source = sources_.of(request);
    parallelism_.leave(source, shape_.bank_number(request), now);
    locality_.issue(source, shape_.bank_number(request), request.row);
    batches_.leave(request);
    take_turns(now);
  }

  Tick next_change() const override { return next_classification_; }
  void change(Tick now) override {
    next_classification_ = now + interval_;
    mpki_.close();
    parallelism_.close(now);
    locality_.close();
    classify();
  }

  void serialize(Archive& archive) override {
    archive(sources_, mpki_, parallelism_, locality_, categories_, writing_, group_began_,
            next_classification_);
    batches_.serialize(archive, sources_.count());
    categories_.resize(sources_.count());
  }

 private:
  // Thresholds of classify(), assumed. A source with fewer requests per million instructions than
  // kIntensive is not intensive. An intensive one with at least kLocal thousandths of row hits, and
  // parallelism of at most the median, is streaming.
  static constexpr std::int64_t kIntensive = 1000;
  static constexpr std::int64_t kLocal = 500;

  enum class Category : std::uint8_t { non_intensive, random, streaming, last = streaming };

  std::int64_t cycles(Tick time) const { return time / shape_.clock_period; }

  void join(const RequestView& request, Tick now) {
    batches_.join(request, sources_.of(request), writing_, now);
    if (request.memory == MemoryClass::nvdimm) {
      rekey(request.slot);
    }
    take_turns(now);
  }

  // Classifies the sources by their read behaviour, whether or not their writes are persistent.
  void classify() {
    std::vector<std::int64_t> parallelism(sources_.count());
    for (std::size_t s = 0; s < parallelism.size(); ++s) {
      parallelism[s] = parallelism_.mean(s);
    }
    std::sort(parallelism.begin(), parallelism.end());
    for (std::size_t s = 0; s < categories_.size(); ++s) {
      const bool streaming = locality_.share(s) >= kLocal &&
                             parallelism_.mean(s) <= parallelism[parallelism.size() / 2];
      categories_[s] = mpki_.per_million(s) < kIntensive ? Category::non_intensive
                       : streaming                       ? Category::streaming
                                                         : Category::random;
    }
  }

  // Forms the next group when the current one is done. Writes get the turn if writes_are_due(),
  // unless they had the last turn and reads are pending. Otherwise reads get it.
  void take_turns(Tick now) {
    const bool done = batches_.in_group() == 0 || now - group_began_ > batch_age_;
    if (done && !batches_.empty()) {
      writing_ = !(writing_ && batches_.pending(false)) && writes_are_due(now);
      group_began_ = now;
      form_group(now);
      for (const std::uint32_t slot : batches_.changed_priorities(writing_)) {
        rekey(slot);
      }
    }
  }

  // Returns whether writes may get the turn. The last condition: groups of both kinds that satisfy
  // the bound of form_group exist if and only if serving all pending requests takes at least (t_RTW
  // + t_WTR) / mu.
  bool writes_are_due(Tick now) {
    if (!batches_.pending(true)) {
      return false;
    }
    const auto entries = static_cast<std::int64_t>(shape_.dram_slots);
    return batches_.count(true) * 100 >= write_mark_ * entries ||
           now - batches_.oldest(true) >= batch_age_ ||
           (time_of(batches_.list(false, now)) + time_of(batches_.list(true, now))) * mu_ >=
               turnarounds_ * 100;
  }

  // Forms the smallest group, in batch order, whose service time t satisfies the bound t >= (t_RTW
  // + t_WTR) / mu x t_max / (t_max + t_max of the other kind). Takes all batches if they are too
  // few, or if the other kind has no pending requests.
  void form_group(Tick now) {
    batches_.dissolve_group();
    if (!batches_.pending(writing_)) {
      return;
    }
    const std::vector<Batch*>& order = writing_ ? order_writes(now) : order_reads(now);
    const std::int64_t all = time_of(order);
    const std::int64_t other = time_of(batches_.list(!writing_, now));
    std::fill(times_.begin(), times_.end(), 0);
    std::int64_t time = 0;
    for (Batch* const batch : order) {
      batches_.add_to_group(*batch);
      time = later(time, add_time(*batch));
      if (other > 0 && time * mu_ * (all + other) >= turnarounds_ * 100 * all) {
        return;
      }
    }
  }

  const std::vector<Batch*>& order_reads(Tick now) {
    std::vector<Batch*>& order = batches_.list(false, now);
    sort(order, [this](const Batch& batch) { return categories_[batch.source]; });
    return order;
  }
  // Alternates persistent and other batches.
  const std::vector<Batch*>& order_writes(Tick now) {
    std::vector<Batch*>& order = batches_.list(true, now);
    sort(order, [](const Batch& batch) { return !batch.persistent; });
    const auto middle = std::find_if(order.begin(), order.end(),
                                     [](const Batch* batch) { return !batch->persistent; });
    alternating_.clear();
    for (auto one = order.begin(), other = middle; one != middle || other != order.end();) {
      if (one != middle) {
        alternating_.push_back(*one++);
      }
      if (other != order.end()) {
        alternating_.push_back(*other++);
      }
    }
    order = alternating_;
    return order;
  }
  // Sorts batches by kind, then complete ones first, then by parallelism of the source (high
  // first), then by age.
  template <class Kind>
  void sort(std::vector<Batch*>& order, Kind kind) const {
    std::sort(order.begin(), order.end(), [this, kind](const Batch* a, const Batch* b) {
      const std::int64_t one = parallelism_.mean(a->source);
      const std::int64_t other = parallelism_.mean(b->source);
      return kind(*a) != kind(*b)         ? kind(*a) < kind(*b)
             : a->complete != b->complete ? a->complete
             : one != other               ? one > other
                                          : a->number < b->number;
    });
  }

  // Returns the service time of the busiest bank in cycles: row hits x t_hit + row misses x t_miss.
  std::int64_t time_of(const std::vector<Batch*>& batches) {
    std::fill(times_.begin(), times_.end(), 0);
    std::int64_t longest = 0;
    for (const Batch* const batch : batches) {
      longest = later(longest, add_time(*batch));
    }
    return longest;
  }
  // Adds a batch to its bank's time and returns the bank's total. All requests after the first are
  // row hits. An NVDIMM row miss costs only its burst, because a flash operation does not hold the
  // bus.
  std::int64_t add_time(const Batch& batch) {
    const Tick hit = shape_.burst + (batch.nvdimm ? shape_.rank_switch : Tick(0));
    const Tick miss = batch.nvdimm ? Tick(0) : shape_.row_miss;
    std::int64_t& time = times_[static_cast<std::size_t>(batch.bank)];
    time += cycles(batch.requests * hit + miss);
    return time;
  }

  Tick interval_ = 500 * kMicrosecond;
  std::int64_t mu_ = 20;
  std::int64_t batch_cap_ = 16;
  Tick batch_age_ = 2'500 * kNanosecond;
  std::int64_t write_mark_ = 75;
  ChannelShape shape_;
  Sources sources_;
  Mpki mpki_;
  Parallelism parallelism_;
  Locality locality_;
  Batches batches_;
  std::vector<Category> categories_;  // by source
  bool writing_ = false;
  Tick group_began_{0};
  Tick next_classification_ = kNever;
  std::int64_t turnarounds_ = 0;  // t_RTW + t_WTR, command to command
  std::vector<std::int64_t> times_;
  std::vector<Batch*> alternating_;
};

extern const PolicyDescriptor kPolicy_firm{
    PolicyKind::transaction_scheduler, "firm",
    "FIRM-like: groups of read and of write batches take turns, with few bus turnarounds",
    "Zhao, Mutlu and Xie, FIRM: fair and high-performance memory control, MICRO 2014: its "
    "abstract, and memory",
    make_policy<Firm>};

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "policies/monitors/service.h"
#include "policies/monitors/sources.h"
#include "policies/policy.h"

namespace hmsim {

// Adaptive per-thread least-attained-service scheduling. Sources with the least service so far go
// first, with recent service weighing more; then row hits. A request that has waited longer than
// `threshold` goes before all others. At the end of a quantum the channels add up their counts, and
// all use the same ranking.
class Atlas final : public TransactionScheduler {
 public:
  void declare(ParameterSet& parameters) override {
    parameters.time(
        "quantum", quantum_,
        {"time between two rankings", "the ATLAS paper: 10 M cycles of the CPU, at 2 GHz"});
    parameters.real(
        "history", history_, 0, 1, "",
        {"weight of all service before the last quantum", "the ATLAS paper: alpha = 0.875"});
    parameters.time("threshold", threshold_,
                    {"a request that has waited for longer goes first",
                     "the ATLAS paper: 100,000 cycles of the CPU, at 2 GHz"});
    service_.declare(parameters);
    sources_.declare(parameters);
  }
  void connect(const ChannelShape& shape, const SourceProgress& /*progress*/) override {
    service_.connect(shape);
    quantum_ = later(quantum_, shape.clock_period);
    quantum_end_ = quantum_;
    channels_ = {this};
  }
  void connect_peers(const std::vector<TransactionScheduler*>& all) override {
    channels_.clear();
    for (TransactionScheduler* const one : all) {
      channels_.push_back(static_cast<Atlas*>(one));
    }
  }

  // Gives a new source the best rank, because it has had no service yet.
  std::uint64_t key(const RequestView& request) const override {
    const std::size_t source = sources_.of(request);
    const std::uint64_t rank = source < rank_.size() ? rank_[source] : kBestRank;
    return rank << 1 | (request.row_hit ? 1 : 0);
  }
  Tick patience() const override { return threshold_; }

  void on_enqueue(const RequestView& request, Tick /*now*/) override { sources_.arrive(request); }
  void on_command(const RequestView& request, Tick now) override {
    service_.command(sources_.of(request), request, now);
  }
  void on_issue(const RequestView& request, Tick /*now*/) override {
    service_.issue(sources_.of(request), request, request.row_hit);
  }
  void on_complete(const RequestView& request, Tick now) override {
    service_.complete(sources_.of(request), request, now);
  }

  Tick next_change() const override { return quantum_end_; }
  void change(Tick now) override {
    quantum_end_ = now + quantum_;
    if (channels_.front() == this) {
      end_quantum(now);
    }
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const std::size_t source = sources_.introduce(order_[i]);
      rank_.resize(sources_.count());
      rank_[source] = i;
    }
    raise_epoch();
  }

  void serialize(Archive& archive) override {
    archive(sources_, service_, attained_, order_, rank_, quantum_end_);
    Sources::check_names(archive, order_);
  }

 private:
  void end_quantum(Tick now) {
    std::map<std::int64_t, std::int64_t> cycles;
    for (Atlas* const channel : channels_) {
      channel->service_.close(now);
      for (std::size_t source = 0; source < channel->sources_.count(); ++source) {
        cycles[channel->sources_.name(source)] += channel->service_.cycles(source);
      }
    }
    const auto alpha = static_cast<std::int64_t>(history_ * kParts + 0.5);
    std::vector<std::size_t> order;
    for (const auto& [name, count] : cycles) {
      const std::size_t source = sources_.introduce(name);
      order.push_back(source);
      attained_.resize(sources_.count());
      attained_[source] = attained_[source] / kParts * alpha +
                          attained_[source] % kParts * alpha / kParts + (kParts - alpha) * count;
    }
    std::sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
      return attained_[a] != attained_[b] ? attained_[a] > attained_[b]
                                          : sources_.name(a) > sources_.name(b);
    });
    std::vector<std::int64_t> names;
    for (const std::size_t source : order) {
      names.push_back(sources_.name(source));
    }
    for (Atlas* const channel : channels_) {
      channel->order_ = names;
    }
  }

  static constexpr std::int64_t kParts = 1'000'000;
  static constexpr std::uint64_t kBestRank = std::numeric_limits<std::uint32_t>::max();

  Tick quantum_ = 5'000 * kMicrosecond;
  double history_ = 0.875;
  Tick threshold_ = 50 * kMicrosecond;
  Sources sources_;
  Service service_;
  std::vector<Atlas*> channels_;  // of this queue, in the order in which they act
  // By source, in millionths of a cycle; kept by the first channel.
  std::vector<std::int64_t> attained_;
  std::vector<std::int64_t> order_;  // names from the first channel's ranking, most service first
  std::vector<std::uint64_t> rank_;  // by source; higher goes first
  Tick quantum_end_ = kNever;
};

extern const PolicyDescriptor kPolicy_atlas{
    PolicyKind::transaction_scheduler, "atlas", "the source with the least service goes first",
    "Kim et al., ATLAS: a scalable and high-performance scheduling algorithm, HPCA 2010",
    make_policy<Atlas>};

}  // namespace hmsim

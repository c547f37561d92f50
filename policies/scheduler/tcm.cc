// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include "core/random.h"
#include "policies/monitors/locality.h"
#include "policies/monitors/mpki.h"
#include "policies/monitors/parallelism.h"
#include "policies/monitors/service.h"
#include "policies/monitors/sources.h"
#include "policies/policy.h"

namespace hmsim {

namespace {

// Measurements of a source in one quantum, combined over all channels.
struct SourceMeasurements {
  std::int64_t name = 0;  // Sources::name
  Mpki::Rate rate;
  Locality::Count locality;
  std::int64_t service = 0;      // clock cycles
  std::int64_t parallelism = 0;  // thousandths of a bank

  std::int64_t mpki() const { return rate.per_million(); }
  std::int64_t blp() const { return parallelism; }
  std::int64_t rbl() const { return locality.share(); }
};

using Standings = std::vector<SourceMeasurements>;

// Returns the sources in ascending order of `figure`; ties by name.
template <class Figure>
Standings sorted(Standings sources, Figure figure) {
  std::sort(sources.begin(), sources.end(),
            [&](const SourceMeasurements& a, const SourceMeasurements& b) {
              return figure(a) != figure(b) ? figure(a) < figure(b) : a.name < b.name;
            });
  return sources;
}

}  // namespace

// Thread cluster memory scheduling. The least intensive sources, up to a share of all service, go
// first (latency cluster). The others take turns (bandwidth cluster), with nice sources ranked
// higher. A nice source has much bank-level parallelism, which makes it vulnerable, and little row
// locality, so it delays others little. At the end of a quantum the channels add up their
// measurements, and all use the same ranking.
class Tcm final : public TransactionScheduler {
 public:
  void declare(ParameterSet& parameters) override {
    parameters.time(
        "quantum", quantum_,
        {"time between two clusterings", "the TCM paper: 1 M cycles of the CPU, at 2 GHz"});
    parameters.time(
        "shuffle_interval", interval_,
        {"time between two shuffles", "the TCM paper: 800 cycles of the CPU, at 2 GHz"});
    parameters.real(
        "cluster_threshold", cluster_threshold_, 0, 1, "",
        {"share of all service that the latency cluster may have", "the TCM paper: 4/24"});
    parameters.real("shuffle_threshold", shuffle_threshold_, 0, 1, "",
                    {"insertion shuffle if parallelism, as a share of all banks, and row locality "
                     "differ by more; random shuffle otherwise",
                     "the TCM paper: ShuffleAlgoThresh = 0.1"});
    service_.declare(parameters);
    sources_.declare(parameters);
  }
  void connect(const ChannelShape& shape, const SourceProgress& progress) override {
    shape_ = shape;
    mpki_.connect(progress);
    parallelism_.connect(shape);
    locality_.connect(shape);
    service_.connect(shape);
    quantum_end_ = quantum();
    channels_ = {this};
  }
  void connect_peers(const std::vector<TransactionScheduler*>& all) override {
    channels_.clear();
    for (TransactionScheduler* const one : all) {
      channels_.push_back(static_cast<Tcm*>(one));
    }
  }

  std::uint64_t key(const RequestView& request) const override {
    const std::size_t source = sources_.of(request);
    const std::uint64_t rank = source < rank_.size() ? rank_[source] : 0;
    return rank << 1 | (request.row_hit ? 1 : 0);
  }

  void on_enqueue(const RequestView& request, Tick now) override {
    const std::size_t source = sources_.arrive(request);
    mpki_.arrive(source, request.source);
    parallelism_.arrive(source, shape_.bank_number(request), now);
    ++queued_;
  }
  void on_command(const RequestView& request, Tick now) override {
    service_.command(sources_.of(request), request, now);
  }
  void on_issue(const RequestView& request, Tick now) override {
    const std::size_t source = sources_.of(request);
    parallelism_.leave(source, shape_.bank_number(request), now);
    locality_.issue(source, shape_.bank_number(request), request.row);
    service_.issue(source, request, request.row_hit);
    --queued_;
  }
  void on_complete(const RequestView& request, Tick now) override {
    service_.complete(sources_.of(request), request, now);
  }

  Tick next_change() const override { return earlier(quantum_end_, next_shuffle_); }
  void change(Tick now) override {
    if (quantum_end_ <= now) {
      if (channels_.front() == this) {
        end_quantum(now);
      }
      adopt(clusters_);
      quantum_end_ = now + quantum();
      next_shuffle_ = turns_.size() > 1 ? now + interval() : kNever;
    } else {
      shuffle();
      next_shuffle_ = now + interval();
    }
    for (std::size_t i = 0; i < turns_.size(); ++i) {
      rank_[turns_[i]] = i;
    }
    if (queued_ > 0) {
      raise_epoch();
    }
  }

  void serialize(Archive& archive) override {
    archive(sources_, mpki_, parallelism_, locality_, service_, random_, clusters_, rank_, turns_,
            step_, quantum_end_, next_shuffle_, queued_);
    archive.check_indices(turns_, rank_.size(), "source without a rank");
    archive.check(next_shuffle_ == kNever || turns_.size() > 1, "nothing to shuffle");
    Sources::check_names(archive, clusters_.bandwidth);
    Sources::check_names(archive, clusters_.latency);
  }

 private:
  // quantum() and interval() are at least one clock period, because time advances in clock edges.
  Tick quantum() const { return later(quantum_, shape_.clock_period); }
  Tick interval() const { return later(interval_, shape_.clock_period); }

  // The ranking until the next quantum ends: names, lowest rank first.
  struct Clusters {
    std::vector<std::int64_t> bandwidth;
    std::vector<std::int64_t> latency;
    bool insertion = false;
    void serialize(Archive& archive) { archive(bandwidth, latency, insertion); }
  };

  void end_quantum(Tick now) {
    const Clusters clusters = cluster(standings(now));
    for (Tcm* const channel : channels_) {
      channel->clusters_ = clusters;
    }
  }

  // Ends the quantum in all channels. Returns the measurements of each source, added up over
  // channels.
  Standings standings(Tick now) const {
    std::map<std::int64_t, SourceMeasurements> sums;
    for (Tcm* const channel : channels_) {
      channel->mpki_.close();
      channel->parallelism_.close(now);
      channel->locality_.close();
      channel->service_.close(now);
      for (std::size_t source = 0; source < channel->sources_.count(); ++source) {
        SourceMeasurements& sum = sums[channel->sources_.name(source)];
        sum.name = channel->sources_.name(source);
        sum.rate += channel->mpki_.rate(source);
        sum.locality += channel->locality_.count(source);
        sum.service += channel->service_.cycles(source);
        sum.parallelism += channel->parallelism_.mean(source);
      }
    }
    Standings all;
    for (const auto& [name, sum] : sums) {
      all.push_back(sum);
    }
    return all;
  }

  // Splits the sources into clusters. In order of rising MPKI, sources join the latency cluster
  // while their service together is at most the threshold's share of all service. The rest form the
  // bandwidth cluster.
  Clusters cluster(Standings all) const {
    std::int64_t total = 0;
    for (const SourceMeasurements& source : all) {
      total += source.service;
    }
    const auto threshold = static_cast<std::int64_t>(cluster_threshold_ * kParts + 0.5);
    all = sorted(all, std::mem_fn(&SourceMeasurements::mpki));
    Clusters clusters;
    std::int64_t sum = 0;
    auto first = all.begin();
    for (; first != all.end(); ++first) {
      sum += first->service;
      if (sum * kParts > threshold * total) {
        break;
      }
      clusters.latency.insert(clusters.latency.begin(), first->name);
    }
    order_by_niceness({first, all.end()}, clusters);
    return clusters;
  }

  // Orders a cluster by niceness, nicest last; the last ranks highest.
  void order_by_niceness(const Standings& cluster, Clusters& clusters) const {
    if (cluster.empty()) {
      return;
    }
    const Standings by_blp = sorted(cluster, std::mem_fn(&SourceMeasurements::blp));
    const Standings by_rbl = sorted(cluster, std::mem_fn(&SourceMeasurements::rbl));
    std::map<std::int64_t, std::int64_t> niceness;
    for (std::size_t i = 0; i < cluster.size(); ++i) {
      niceness[by_blp[i].name] += static_cast<std::int64_t>(i);
      niceness[by_rbl[i].name] -= static_cast<std::int64_t>(i);
    }
    for (const SourceMeasurements& source : sorted(
             cluster, [&niceness](const SourceMeasurements& s) { return niceness.at(s.name); })) {
      clusters.bandwidth.push_back(source.name);
    }
    const auto threshold = static_cast<std::int64_t>(shuffle_threshold_ * kThousandths + 0.5);
    const std::int64_t banks = shape_.banks() * static_cast<std::int64_t>(channels_.size());
    clusters.insertion = by_blp.back().blp() - by_blp.front().blp() > threshold * banks &&
                         by_rbl.back().rbl() - by_rbl.front().rbl() > threshold;
  }

  void adopt(const Clusters& clusters) {
    turns_.clear();
    for (const std::int64_t name : clusters.bandwidth) {
      turns_.push_back(sources_.introduce(name));
    }
    std::size_t rank = turns_.size();
    for (const std::int64_t name : clusters.latency) {
      const std::size_t source = sources_.introduce(name);
      rank_.resize(sources_.count());
      rank_[source] = rank++;
    }
    rank_.resize(sources_.count());
    step_ = 0;
  }

  void shuffle() {
    const std::size_t n = turns_.size();
    if (!clusters_.insertion) {
      for (std::size_t i = n; i > 1; --i) {
        std::swap(turns_[i - 1], turns_[static_cast<std::size_t>(random_.below(i))]);
      }
      return;
    }
    // Insertion shuffle. For n steps, each source in turn, from the top down, is taken out and put
    // on top. For the next n steps the top source is put back, from the bottom up.
    const std::size_t phase = step_++ % (2 * n);
    const auto begin = turns_.begin();
    if (phase < n) {
      std::rotate(begin + static_cast<std::ptrdiff_t>(n - 1 - phase),
                  begin + static_cast<std::ptrdiff_t>(n - phase), turns_.end());
    } else {
      std::rotate(begin + static_cast<std::ptrdiff_t>((phase - 1) % n), turns_.end() - 1,
                  turns_.end());
    }
  }

  static constexpr std::int64_t kParts = 1'000'000;
  static constexpr std::int64_t kThousandths = 1000;

  Tick quantum_ = 500 * kMicrosecond;
  Tick interval_ = 400 * kNanosecond;
  double cluster_threshold_ = 4.0 / 24;
  double shuffle_threshold_ = 0.1;
  ChannelShape shape_;
  Sources sources_;
  Mpki mpki_;
  Parallelism parallelism_;
  Locality locality_;
  Service service_;
  Random random_;
  std::vector<Tcm*> channels_;       // of this queue, in the order in which they act
  Clusters clusters_;                // from the first channel
  std::vector<std::uint64_t> rank_;  // by source; higher goes first
  std::vector<std::size_t> turns_;   // the bandwidth cluster, lowest rank first
  std::size_t step_ = 0;
  Tick quantum_end_ = kNever;
  Tick next_shuffle_ = kNever;
  std::int64_t queued_ = 0;
};

extern const PolicyDescriptor kPolicy_tcm{
    PolicyKind::transaction_scheduler, "tcm",
    "sources of low intensity first; the others take turns, shuffled by niceness",
    "Kim et al., Thread cluster memory scheduling, MICRO 2010", make_policy<Tcm>};

}  // namespace hmsim

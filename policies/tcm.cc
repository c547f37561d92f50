// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "core/random.h"
#include "policies/monitors/locality.h"
#include "policies/monitors/mpki.h"
#include "policies/monitors/parallelism.h"
#include "policies/monitors/service.h"
#include "policies/monitors/sources.h"
#include "policies/policy.h"

namespace hmsim {

// Thread cluster memory scheduling: the least intensive sources, up to a share of all service, go
// first (latency cluster); the others take turns (bandwidth cluster), the nice ones higher up:
// those with much bank-level parallelism, easily hurt, and little row locality, that hurts others.
// The monitors are each channel's own.
class Tcm final : public TransactionScheduler {
 public:
  void declare(ParameterSet& parameters) override {
    parameters.time("quantum", quantum_,
                    {"between two clusterings", "the TCM paper: 1 M cycles of the CPU, at 2 GHz"});
    parameters.time("shuffle_interval", interval_,
                    {"between two shuffles", "the TCM paper: 800 cycles of the CPU, at 2 GHz"});
    parameters.real(
        "cluster_threshold", cluster_threshold_, 0, 1, "",
        {"share of all service that the latency cluster may have", "the TCM paper: 4/24"});
    parameters.real("shuffle_threshold", shuffle_threshold_, 0, 1, "",
                    {"insertion shuffle when parallelism, as a share of all banks, and row "
                     "locality differ by more; else random shuffle",
                     "the TCM paper: ShuffleAlgoThresh = 0.1"});
    parameters.integer("seed", seed_, {0, 1'000'000}, "", {"of the random shuffle", "assumed"});
    service_.declare(parameters);
    sources_.declare(parameters);
  }
  void connect(const ChannelShape& shape, const SourceProgress& progress) override {
    shape_ = shape;
    mpki_.connect(progress);
    parallelism_.connect(shape);
    locality_.connect(shape);
    service_.connect(shape);
    random_ = Random(static_cast<std::uint64_t>(seed_));
    quantum_end_ = quantum();
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
      mpki_.close();
      parallelism_.close(now);
      locality_.close();
      service_.close(now);
      cluster();
      quantum_end_ = now + quantum();
      step_ = 0;
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
    archive(sources_, mpki_, parallelism_, locality_, service_, random_, rank_, turns_, insertion_,
            step_, quantum_end_, next_shuffle_, queued_);
  }

 private:
  // Not shorter than the edges on which it can be kept.
  Tick quantum() const { return later(quantum_, shape_.clock_period); }
  Tick interval() const { return later(interval_, shape_.clock_period); }

  // All sources, ascending; equal ones by name.
  template <class Figure>
  std::vector<std::size_t> sorted(std::vector<std::size_t> sources, Figure figure) const {
    std::sort(sources.begin(), sources.end(), [&](std::size_t a, std::size_t b) {
      return figure(a) != figure(b) ? figure(a) < figure(b) : sources_.name(a) < sources_.name(b);
    });
    return sources;
  }

  void cluster() {
    std::vector<std::size_t> all(sources_.count());
    std::int64_t total = 0;
    for (std::size_t source = 0; source < all.size(); ++source) {
      all[source] = source;
      total += service_.cycles(source);
    }
    const auto threshold = static_cast<std::int64_t>(cluster_threshold_ * kParts + 0.5);
    all = sorted(all, [this](std::size_t s) { return mpki_.per_million(s); });
    rank_.assign(all.size(), 0);
    std::int64_t sum = 0;
    auto first = all.begin();
    for (; first != all.end(); ++first) {
      sum += service_.cycles(*first);
      if (sum * kParts > threshold * total) {
        break;
      }
      rank_[*first] = static_cast<std::uint64_t>(all.end() - first) + all.size();
    }
    order_by_niceness({first, all.end()});
  }

  // Nicest last, which is on top.
  void order_by_niceness(const std::vector<std::size_t>& cluster) {
    const auto blp = [this](std::size_t s) { return parallelism_.mean(s); };
    const auto rbl = [this](std::size_t s) { return locality_.share(s); };
    const std::vector<std::size_t> by_blp = sorted(cluster, blp);
    const std::vector<std::size_t> by_rbl = sorted(cluster, rbl);
    std::vector<std::int64_t> niceness(sources_.count());
    for (std::size_t i = 0; i < cluster.size(); ++i) {
      niceness[by_blp[i]] += static_cast<std::int64_t>(i);
      niceness[by_rbl[i]] -= static_cast<std::int64_t>(i);
    }
    turns_ = sorted(cluster, [&niceness](std::size_t s) { return niceness[s]; });
    if (!cluster.empty()) {
      const auto threshold = static_cast<std::int64_t>(shuffle_threshold_ * kThousandths + 0.5);
      insertion_ = blp(by_blp.back()) - blp(by_blp.front()) > threshold * shape_.banks() &&
                   rbl(by_rbl.back()) - rbl(by_rbl.front()) > threshold;
    }
  }

  void shuffle() {
    const std::size_t n = turns_.size();
    if (!insertion_) {
      for (std::size_t i = n; i > 1; --i) {
        std::swap(turns_[i - 1], turns_[static_cast<std::size_t>(random_.below(i))]);
      }
      return;
    }
    // For n steps each source in turn is taken out and put on top, from the top down; for n steps
    // the one on top is put back, from the bottom up.
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
  std::int64_t seed_ = 1;
  ChannelShape shape_;
  Sources sources_;
  Mpki mpki_;
  Parallelism parallelism_;
  Locality locality_;
  Service service_;
  Random random_;
  std::vector<std::uint64_t> rank_;  // higher goes first
  std::vector<std::size_t> turns_;   // the bandwidth cluster, lowest rank first
  bool insertion_ = false;
  std::size_t step_ = 0;
  Tick quantum_end_ = kNever;
  Tick next_shuffle_ = kNever;
  std::int64_t queued_ = 0;
};

extern const PolicyDescriptor kPolicy_tcm;
const PolicyDescriptor kPolicy_tcm{
    PolicyKind::transaction_scheduler, "tcm",
    "sources of low intensity first; the others take turns, shuffled by niceness",
    "Kim et al., Thread cluster memory scheduling, MICRO 2010", make_policy<Tcm>};

}  // namespace hmsim

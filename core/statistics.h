// SPDX-License-Identifier: BSD-3-Clause
// Statistics, each declared once. Components own plain counters and histograms. The registry gives
// each a dotted path, a unit, a description and a kind, and combines several instances (one per
// channel) into one.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/types.h"

namespace hmsim {

class Archive;

using Counter = std::uint64_t;

// Histogram with buckets of at most 1/32 relative width (exact below 64). Uses constant memory.
class Histogram {
 public:
  void add(std::int64_t value) {  // value >= 0
    if (buckets_.empty()) {
      buckets_.resize(kBuckets);
    }
    const auto magnitude = static_cast<std::uint64_t>(value);
    ++buckets_[bucket_of(magnitude)];
    ++count_;
    sum_low_ += magnitude;
    sum_high_ += sum_low_ < magnitude ? 1 : 0;
    if (value > max_) {
      max_ = value;
    }
  }
  // Adds `value` `times` times. The sum of all added values must fit 63 bits.
  void add_times(std::int64_t value, std::uint64_t times);
  void merge(const Histogram& other);
  void reset() { *this = Histogram(); }
  void reserve() { buckets_.reserve(kBuckets); }  // so that add() does not allocate

  std::uint64_t count() const { return count_; }
  double sum() const;
  double mean() const;  // exact; 0 when empty
  std::int64_t max() const { return max_; }
  // Returns the upper edge of the lowest bucket at or below which at least numerator/denominator of
  // the values lie. Never exceeds max().
  std::int64_t quantile(std::uint64_t numerator, std::uint64_t denominator) const;

  void serialize(Archive& archive);

 private:
  static constexpr int kSubBits = 5;
  static constexpr int kBuckets = (65 - kSubBits) << kSubBits;  // also for negative values
  static std::size_t bucket_of(std::uint64_t value) {
    const int shift = 63 - __builtin_clzll(value | (1u << kSubBits)) - kSubBits;
    return static_cast<std::size_t>(shift << kSubBits) + static_cast<std::size_t>(value >> shift);
  }
  static std::int64_t upper_edge(int bucket);

  std::vector<std::uint64_t> buckets_;  // empty until the first value
  std::uint64_t sum_low_ = 0;           // sum of all values, 128 bits wide
  std::uint64_t sum_high_ = 0;
  std::int64_t max_ = 0;
  std::uint64_t count_ = 0;
};

// Time that a small integer (such as a queue's occupancy) spent at each value.
class Occupancy {
 public:
  explicit Occupancy(std::int64_t limit = 0) : time_at_(static_cast<std::size_t>(limit) + 1) {}

  // Sets the value (0 .. limit) at `now`. Times must not decrease.
  void set(std::int64_t value, Tick now) {
    time_at_[static_cast<std::size_t>(value_)] += (now - since_).value();
    value_ = value;
    since_ = now;
  }
  void reset(Tick now);

  std::int64_t value() const { return value_; }
  double mean(Tick now) const;
  double share_over(std::int64_t threshold, Tick now) const;  // share of time above the threshold
  std::vector<std::int64_t> time_at(Tick now) const;          // picoseconds at each value

  void serialize(Archive& archive);

 private:
  std::vector<std::int64_t> time_at_;
  std::int64_t value_ = 0;
  Tick since_{0};
};

// Number of things in use, and its integral over time.
class Level {
 public:
  void add(std::int64_t change, Tick now) {
    account(now);
    value_ += change;
  }
  void account(Tick now) {
    sum_ += static_cast<std::uint64_t>(value_) * static_cast<std::uint64_t>((now - since_).value());
    since_ = now;
  }
  void reset(Tick now) {
    account(now);
    sum_ = 0;
    from_ = now;
  }

  std::int64_t value() const { return value_; }
  std::uint64_t sum() const { return sum_; }    // things x picoseconds, up to the last account()
  Tick time() const { return since_ - from_; }  // from reset() to the last account()
  double mean() const {                         // in that time; 0 if it is empty
    const auto time = static_cast<double>(this->time().value());
    return time == 0 ? 0 : static_cast<double>(sum_) / time;
  }

  void serialize(Archive& archive);

 private:
  std::int64_t value_ = 0;
  std::uint64_t sum_ = 0;
  Tick since_{0};
  Tick from_{0};
};

enum class StatisticKind { counter, gauge, ratio, histogram };

// One statistic, as read at one moment.
struct Statistic {
  std::string path;
  std::string unit;
  std::string description;
  StatisticKind kind = StatisticKind::counter;
  double value = 0;                                     // gauge, ratio
  std::uint64_t count = 0;                              // counter
  bool present = true;                                  // false for 0/0 or an empty histogram
  std::vector<std::pair<std::string, double>> summary;  // histogram: mean p50 p95 p99 p999 max
};

// All statistics of a run, by path. Registered sources must outlive the registry.
class StatisticRegistry {
 public:
  // While a scope is open, declared paths that begin with `from` begin with `to` instead.
  class Scope {
   public:
    Scope(StatisticRegistry& registry, std::string from, std::string to)
        : registry_(registry), before_(std::move(registry.renamed_)) {
      registry_.renamed_ = {std::move(from), std::move(to)};
    }
    ~Scope() { registry_.renamed_ = std::move(before_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    StatisticRegistry& registry_;
    std::pair<std::string, std::string> before_;
  };

  // Registers statistics. Counters are summed and histograms merged. `scale` divides a histogram's
  // values (1000: ps -> ns).
  void counter(std::string path, std::string unit, std::string description,
               std::vector<Counter*> sources);
  void histogram(std::string path, std::string unit, std::string description, std::int64_t scale,
                 std::vector<Histogram*> sources);
  // Registers numerator / denominator, which is absent while the denominator is 0.
  void ratio(std::string path, std::string description, std::function<double()> numerator,
             std::function<double()> denominator);
  void gauge(std::string path, std::string unit, std::string description,
             std::function<double()> read);
  // A statistic of another registry, and the end of its path in this one.
  struct Pick {
    const char* path;
    const char* name;
  };
  // Registers those of `picks` that `other` has, as `prefix` and their names. Their sources must
  // also be registered here, because actions of `other` are left out.
  void pick(const StatisticRegistry& other, const std::string& prefix,
            const std::vector<Pick>& picks);

  // Registers an action for reset(), called after registered counters and histograms are zeroed.
  void on_reset(std::function<void(Tick)> action);

  // Registers an action for account(), which brings values that depend on time up to date.
  void on_account(std::function<void(Tick)> action);
  // Accounts and resets a level, which may be part of several statistics.
  void track(Level& level);

  // Registers an action called before values are read. It folds in counts that are kept elsewhere.
  void on_read(std::function<void()> action);

  void account(Tick now);
  void reset(Tick now);                 // calls account() first
  std::vector<Statistic> read() const;  // in order of registration

  // Appends one number for each of columns(), or NaN if the value is absent. A histogram
  // contributes its count and mean. Cheap enough to call often.
  void sample(std::vector<double>& values) const;
  std::vector<Statistic> columns() const;  // path, unit, description and kind

 private:
  struct Entry {
    Statistic info;
    std::function<void(Statistic&)> read;
    std::vector<Histogram*> histograms = {};
    std::int64_t scale = 1;
  };
  void add(std::string path, std::string unit, std::string description, StatisticKind kind,
           std::function<void(Statistic&)> read);
  void prepare() const;

  std::pair<std::string, std::string> renamed_;  // prefix replacement of the open scope
  std::vector<Entry> entries_;
  std::vector<std::function<void(Tick)>> resets_;
  std::vector<std::function<void(Tick)>> accounts_;
  std::vector<std::function<void()>> preparations_;
};

// Statistics of one object, registered as PATH.name, each with its reset.
class StatisticGroup {
 public:
  StatisticGroup(StatisticRegistry& registry, const std::string& path)
      : registry_(registry), prefix_(path + ".") {}

  void counter(const std::string& name, const char* unit, const std::string& description,
               Counter& source) const {
    registry_.counter(prefix_ + name, unit, description, {&source});
  }
  // A histogram of picoseconds, reported in microseconds.
  void times(const std::string& name, const std::string& description, Histogram& source) const {
    registry_.histogram(prefix_ + name, "us", description, kMicrosecond.value(), {&source});
  }
  // Mean of a level over time, as a share of `whole`.
  void level(const std::string& name, const char* unit, const std::string& description,
             Level& source, std::int64_t whole = 1) const {
    gauge(name, unit, description,
          [&source, whole] { return source.mean() / static_cast<double>(whole); });
    registry_.track(source);
  }
  // Sum of counters over a sum of counters.
  void ratio(const std::string& name, const std::string& description,
             const std::vector<const Counter*>& above,
             const std::vector<const Counter*>& below) const {
    registry_.ratio(prefix_ + name, description, sum_of(above), sum_of(below));
  }
  void gauge(const std::string& name, const std::string& unit, const std::string& description,
             std::function<double()> read) const {
    registry_.gauge(prefix_ + name, unit, description, std::move(read));
  }
  StatisticRegistry& registry() const { return registry_; }

 private:
  static std::function<double()> sum_of(const std::vector<const Counter*>& counters) {
    return [counters] {
      Counter sum = 0;
      for (const Counter* counter : counters) {
        sum += *counter;
      }
      return static_cast<double>(sum);
    };
  }

  StatisticRegistry& registry_;
  std::string prefix_;
};

}  // namespace hmsim

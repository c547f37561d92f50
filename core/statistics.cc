// SPDX-License-Identifier: BSD-3-Clause
#include "core/statistics.h"

#include <algorithm>
#include <limits>

#include "core/archive.h"

namespace hmsim {

namespace {

constexpr double kTwoTo64 = 18446744073709551616.0;
constexpr Tick kLongest{std::int64_t{1} << 61};

}  // namespace

std::int64_t Histogram::upper_edge(int bucket) {
  if (bucket < (1 << (kSubBits + 1))) {
    return bucket;
  }
  const int shift = (bucket >> kSubBits) - 1;
  const auto mantissa = static_cast<std::uint64_t>(bucket - (shift << kSubBits));
  const std::uint64_t edge = ((mantissa + 1) << shift) - 1;
  return static_cast<std::int64_t>(std::min(edge, std::uint64_t{INT64_MAX}));
}

void Histogram::add_times(std::int64_t value, std::uint64_t times) {
  add(value);
  const std::uint64_t more = times - 1;
  const std::uint64_t sum = static_cast<std::uint64_t>(value) * more;
  buckets_[bucket_of(static_cast<std::uint64_t>(value))] += more;
  count_ += more;
  sum_low_ += sum;
  sum_high_ += sum_low_ < sum ? 1 : 0;
}

void Histogram::merge(const Histogram& other) {
  if (other.count_ == 0) {
    return;
  }
  if (buckets_.empty()) {
    buckets_.resize(kBuckets);
  }
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    buckets_[i] += other.buckets_[i];
  }
  count_ += other.count_;
  sum_low_ += other.sum_low_;
  sum_high_ += other.sum_high_ + (sum_low_ < other.sum_low_ ? 1 : 0);
  max_ = std::max(max_, other.max_);
}

double Histogram::sum() const {
  return static_cast<double>(sum_high_) * kTwoTo64 + static_cast<double>(sum_low_);
}

double Histogram::mean() const { return count_ == 0 ? 0 : sum() / static_cast<double>(count_); }

std::int64_t Histogram::quantile(std::uint64_t numerator, std::uint64_t denominator) const {
  const std::uint64_t wanted = (count_ * numerator + denominator - 1) / denominator;
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (seen >= wanted && seen > 0) {
      return std::min(upper_edge(static_cast<int>(i)), max_);
    }
  }
  return max_;
}

void Histogram::serialize(Archive& archive) {
  archive(buckets_, count_, sum_high_, sum_low_, max_);
  archive.check(
      buckets_.empty() ? count_ == 0 : buckets_.size() == static_cast<std::size_t>(kBuckets),
      "histogram of another size");
}

void Occupancy::reset(Tick now) {
  std::fill(time_at_.begin(), time_at_.end(), 0);
  since_ = now;
}

std::vector<std::int64_t> Occupancy::time_at(Tick now) const {
  std::vector<std::int64_t> times = time_at_;
  times[static_cast<std::size_t>(value_)] += (now - since_).value();
  return times;
}

double Occupancy::mean(Tick now) const {
  double weighted = 0;
  double total = 0;
  const std::vector<std::int64_t> times = time_at(now);
  for (std::size_t i = 0; i < times.size(); ++i) {
    weighted += static_cast<double>(i) * static_cast<double>(times[i]);
    total += static_cast<double>(times[i]);
  }
  return total == 0 ? 0 : weighted / total;
}

double Occupancy::share_over(std::int64_t threshold, Tick now) const {
  double above = 0;
  double total = 0;
  const std::vector<std::int64_t> times = time_at(now);
  for (std::size_t i = 0; i < times.size(); ++i) {
    above += static_cast<std::int64_t>(i) > threshold ? static_cast<double>(times[i]) : 0;
    total += static_cast<double>(times[i]);
  }
  return total == 0 ? 0 : above / total;
}

void Occupancy::serialize(Archive& archive) {
  archive.fixed(time_at_);
  archive(value_, since_);
  archive.check_index(value_, time_at_.size(), "more entries held than the capacity");
  archive.check(since_ < kLongest, "invalid time");
  Tick whole{0};
  for (const std::int64_t time : time_at_) {
    archive.check(time >= 0 && Tick(time) <= kLongest - whole, "invalid time");
    whole += Tick(time);
  }
}

void Level::serialize(Archive& archive) {
  archive(value_, sum_, since_, from_);
  // A negative number would let jobs exceed the limit of slots.
  archive.check(value_ >= 0, "negative number of items in use");
}

void StatisticRegistry::add(std::string path, std::string unit, std::string description,
                            StatisticKind kind, std::function<void(Statistic&)> read) {
  const auto& [from, to] = renamed_;
  if (!from.empty() && path.compare(0, from.size(), from) == 0) {
    path.replace(0, from.size(), to);
  }
  Statistic info;
  info.path = std::move(path);
  info.unit = std::move(unit);
  info.description = std::move(description);
  info.kind = kind;
  entries_.push_back({std::move(info), std::move(read)});
}

void StatisticRegistry::counter(std::string path, std::string unit, std::string description,
                                std::vector<Counter*> sources) {
  on_reset([sources](Tick) {
    for (Counter* source : sources) {
      *source = 0;
    }
  });
  add(std::move(path), std::move(unit), std::move(description), StatisticKind::counter,
      [sources = std::move(sources)](Statistic& statistic) {
        statistic.count = 0;
        for (const Counter* source : sources) {
          statistic.count += *source;
        }
      });
}

void StatisticRegistry::histogram(std::string path, std::string unit, std::string description,
                                  std::int64_t scale, std::vector<Histogram*> sources) {
  on_reset([sources](Tick) {
    for (Histogram* source : sources) {
      source->reset();
    }
  });
  add(std::move(path), std::move(unit), std::move(description), StatisticKind::histogram,
      [sources, scale](Statistic& statistic) {
        Histogram merged;
        for (const Histogram* source : sources) {
          merged.merge(*source);
        }
        const auto divisor = static_cast<double>(scale);
        statistic.count = merged.count();
        statistic.present = merged.count() > 0;
        statistic.summary = {{"mean", merged.mean() / divisor},
                             {"p50", static_cast<double>(merged.quantile(1, 2)) / divisor},
                             {"p95", static_cast<double>(merged.quantile(95, 100)) / divisor},
                             {"p99", static_cast<double>(merged.quantile(99, 100)) / divisor},
                             {"p999", static_cast<double>(merged.quantile(999, 1000)) / divisor},
                             {"max", static_cast<double>(merged.max()) / divisor}};
      });
  entries_.back().histograms = std::move(sources);
  entries_.back().scale = scale;
}

void StatisticRegistry::ratio(std::string path, std::string description,
                              std::function<double()> numerator,
                              std::function<double()> denominator) {
  add(std::move(path), "", std::move(description), StatisticKind::ratio,
      [numerator = std::move(numerator), denominator = std::move(denominator)](Statistic& s) {
        const double bottom = denominator();
        s.present = bottom != 0;
        s.value = s.present ? numerator() / bottom : 0;
      });
}

void StatisticRegistry::gauge(std::string path, std::string unit, std::string description,
                              std::function<double()> read) {
  add(std::move(path), std::move(unit), std::move(description), StatisticKind::gauge,
      [read = std::move(read)](Statistic& s) { s.value = read(); });
}

void StatisticRegistry::pick(const StatisticRegistry& other, const std::string& prefix,
                             const std::vector<Pick>& picks) {
  for (const Pick& each : picks) {
    const auto found =
        std::find_if(other.entries_.begin(), other.entries_.end(),
                     [&each](const Entry& entry) { return entry.info.path == each.path; });
    if (found != other.entries_.end()) {
      entries_.push_back(*found);
      entries_.back().info.path = prefix + each.name;
    }
  }
}

void StatisticRegistry::on_reset(std::function<void(Tick)> action) {
  resets_.push_back(std::move(action));
}

void StatisticRegistry::on_account(std::function<void(Tick)> action) {
  accounts_.push_back(std::move(action));
}

void StatisticRegistry::track(Level& level) {
  on_account([&level](Tick now) { level.account(now); });
  on_reset([&level](Tick now) { level.reset(now); });
}

void StatisticRegistry::on_read(std::function<void()> action) {
  preparations_.push_back(std::move(action));
}

void StatisticRegistry::account(Tick now) {
  for (const auto& action : accounts_) {
    action(now);
  }
}

void StatisticRegistry::reset(Tick now) {
  account(now);
  for (const auto& action : resets_) {
    action(now);
  }
}

void StatisticRegistry::prepare() const {
  for (const auto& action : preparations_) {
    action();
  }
}

std::vector<Statistic> StatisticRegistry::read() const {
  prepare();
  std::vector<Statistic> statistics;
  for (const Entry& entry : entries_) {
    Statistic statistic = entry.info;
    entry.read(statistic);
    statistics.push_back(std::move(statistic));
  }
  return statistics;
}

void StatisticRegistry::sample(std::vector<double>& values) const {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  prepare();
  for (const Entry& entry : entries_) {
    if (entry.info.kind == StatisticKind::histogram) {
      double count = 0;
      double sum = 0;
      for (const Histogram* histogram : entry.histograms) {
        count += static_cast<double>(histogram->count());
        sum += histogram->sum();
      }
      values.push_back(count);
      values.push_back(count == 0 ? kNone : sum / count / static_cast<double>(entry.scale));
      continue;
    }
    Statistic statistic;
    entry.read(statistic);
    const bool counter = entry.info.kind == StatisticKind::counter;
    const double value = counter ? static_cast<double>(statistic.count) : statistic.value;
    values.push_back(statistic.present ? value : kNone);
  }
}

std::vector<Statistic> StatisticRegistry::columns() const {
  std::vector<Statistic> columns;
  for (const Entry& entry : entries_) {
    if (entry.info.kind != StatisticKind::histogram) {
      columns.push_back(entry.info);
      continue;
    }
    Statistic count = entry.info;
    count.path += ".count";
    count.unit = "";
    count.kind = StatisticKind::counter;
    columns.push_back(std::move(count));
    Statistic mean = entry.info;
    mean.path += ".mean";
    mean.kind = StatisticKind::gauge;
    columns.push_back(std::move(mean));
  }
  return columns;
}

}  // namespace hmsim

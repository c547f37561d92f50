// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/twin.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/errors.h"

namespace hmsim {

namespace {

constexpr double kTwoTo32 = 4294967296.0;
constexpr std::int64_t kMostCounted = std::int64_t{1} << 30;
constexpr int kEscape = 3;
constexpr int kFill = 0;
constexpr int kLineBits = 40;
constexpr int kMemoryBit = 39;
constexpr int kDeltaShift = 45;
constexpr std::int64_t kLargestDelta = (std::int64_t{1} << 19) - 1;
constexpr std::int64_t kLargestStep = (std::int64_t{1} << kLineBits) - 1;

std::uint64_t chance_of(double share) { return static_cast<std::uint64_t>(share * kTwoTo32); }

std::vector<double> shares_of(const std::vector<TwinBin>& bins) {
  std::vector<double> shares;
  for (const TwinBin& bin : bins) {
    shares.push_back(bin.share);
  }
  return shares;
}

std::vector<double> shares_of(const std::vector<TwinVisits>& classes) {
  std::vector<double> shares;
  for (const TwinVisits& visits : classes) {
    shares.push_back(visits.length.share);
  }
  return shares;
}

// Gaps of the order of a phase are what phases tell themselves.
std::vector<TwinBin> shorter_than(double most, const std::vector<TwinBin>& bins) {
  std::vector<TwinBin> shorter;
  for (const TwinBin& bin : bins) {
    if (static_cast<double>(bin.low) < most || bin.low <= 1) {
      shorter.push_back(bin);
    }
  }
  return shorter;
}

std::size_t history_size(const std::vector<TwinBin>& reuse) {
  std::int64_t longest = 2;
  for (const TwinBin& bin : reuse) {
    longest = std::max(longest, bin.high);
  }
  std::size_t size = 1;
  while (size <= static_cast<std::size_t>(longest)) {
    size *= 2;
  }
  return size;
}

}  // namespace

Quota::Quota(const std::vector<double>& shares)
    : counts_(shares.size(), 0), wanted_(shares.size(), 0) {
  std::int64_t rest = std::int64_t{1} << 32;
  for (const double share : shares) {
    shares_.push_back(static_cast<std::int64_t>(share * kTwoTo32));
    rest -= shares_.back();
  }
  if (!shares_.empty()) {
    *std::max_element(shares_.begin(), shares_.end()) += rest;
  }
}

template <class Open>
std::size_t Quota::draw(Random& random, Open open) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    const std::int64_t lacks = shares_[i] * (total_ + 1) - (counts_[i] << 32);
    wanted_[i] = open(i) ? std::max<std::int64_t>(lacks, 0) : 0;
    sum += wanted_[i];
  }
  if (sum == 0) {  // all came about often enough: the one that did the least, for its share
    std::size_t least = size();
    double most = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      const auto share = static_cast<double>(std::max<std::int64_t>(shares_[i], 1));
      const double excess = static_cast<double>(counts_[i]) / share;
      if (open(i) && (least == size() || excess < most)) {
        least = i;
        most = excess;
      }
    }
    return least;
  }
  auto at = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(sum)));
  std::size_t i = 0;
  while (i + 1 < wanted_.size() && at >= wanted_[i]) {
    at -= wanted_[i++];
  }
  return i;
}

void Quota::count(std::size_t number) {
  ++counts_[number];
  if (++total_ == kMostCounted) {
    total_ = 0;
    for (std::int64_t& count : counts_) {
      count /= 2;
      total_ += count;
    }
  }
}

BinDraw::BinDraw(std::vector<TwinBin> bins) : bins_(std::move(bins)) { keep(bins_.size()); }

void BinDraw::keep(std::size_t bins) {
  double total = 0;
  double sum = 0;
  for (std::size_t i = 0; i < bins; ++i) {
    total += bins_[i].share;
    sum += bins_[i].share * bins_[i].mean;
  }
  mean_ = total > 0 ? sum / total : 0;
  ends_.clear();
  double end = 0;
  for (std::size_t i = 0; i < bins; ++i) {
    end += bins_[i].share;
    ends_.push_back(chance_of(end / total));
  }
}

// Uniform over the part of the bin around its mean that is as long as can be.
std::int64_t BinDraw::within(const TwinBin& bin, Random& random) {
  const double low =
      std::max(static_cast<double>(bin.low), 2 * bin.mean - static_cast<double>(bin.high));
  const double width = 2 * (bin.mean - low) + 1;
  const double at = low + width * (static_cast<double>(random.next() >> 32) / kTwoTo32);
  const auto number = static_cast<std::int64_t>(std::floor(at));
  return std::min(std::max(number, bin.low), bin.high);
}

std::int64_t BinDraw::draw(Random& random) const {
  const std::uint64_t at = random.next() >> 32;
  std::size_t i = 0;
  while (i + 1 < ends_.size() && at >= ends_[i]) {
    ++i;
  }
  return bins_.empty() ? 0 : within(bins_[i], random);
}

LastVisits::LastVisits(std::size_t size) : size_(size), tree_(size + 1, 0) {}

void LastVisits::change(std::uint64_t visit, std::int32_t by) {
  for (std::size_t i = (visit & (size_ - 1)) + 1; i <= size_; i += i & (~i + 1)) {
    tree_[i] += by;
  }
}

std::uint64_t LastVisits::before(std::size_t place) const {
  std::int64_t sum = 0;
  for (std::size_t i = place; i > 0; i &= i - 1) {
    sum += tree_[i];
  }
  return static_cast<std::uint64_t>(sum);
}

std::uint64_t LastVisits::count(std::uint64_t low, std::uint64_t high) const {
  const std::size_t first = low & (size_ - 1);
  const std::size_t last = high & (size_ - 1);
  const std::uint64_t round = first <= last ? 0 : before(size_);
  return round + before(last + 1) - before(first);
}

std::uint64_t LastVisits::select(std::uint64_t low, std::uint64_t number) const {
  const std::size_t first = low & (size_ - 1);
  std::uint64_t wanted = before(first) + number;
  const std::uint64_t all = before(size_);
  const std::uint64_t rounds = wanted >= all ? size_ : 0;
  wanted -= wanted >= all ? all : 0;
  std::size_t place = 0;
  for (std::size_t step = size_; step > 0; step /= 2) {
    if (place + step <= size_ && static_cast<std::uint64_t>(tree_[place + step]) <= wanted) {
      place += step;
      wanted -= static_cast<std::uint64_t>(tree_[place]);
    }
  }
  return low - first + rounds + place;
}

TwinWalk::TwinWalk(const TwinStream& stream, const TwinProfile& profile, std::uint64_t number)
    : stream_(stream),
      random_(profile.seed, number),
      speed_(profile.speed),
      phase_length_(static_cast<double>(profile.instructions) /
                    static_cast<double>(stream.phases.size())),
      jumped_(shares_of(stream.jumped)),
      followed_(shares_of(stream.followed)),
      swept_(shares_of(stream.swept)),
      reuse_(shares_of(stream.reuse)),
      inside_(shorter_than(phase_length_ / 64, stream.inside)),
      between_(shorter_than(phase_length_ / 8, stream.between)),
      skips_(stream.skips),
      pieces_(stream.pieces),
      last_visit_(1, 0),
      history_(history_size(stream.reuse), 0),
      last_visits_(history_.size()),
      closed_(stream.reuse.size(), false) {
  left_ = static_cast<std::int64_t>(stream.phases[0]);
  page_ = stream.first_page;
  begin_phase();
  advance();
}

// Goes on to the access after the present one.
void TwinWalk::advance() {
  const bool inside = to_come_ > 0;
  if (!stream_.attached) {
    step_time(inside);
  }
  if (done_) {
    return;
  }
  if (inside) {
    step_line();
  } else {
    begin_visit();
  }
  --to_come_;
}

// Leaves out the longest gaps, so far as the accesses of this phase do not fit it with them.
void TwinWalk::begin_phase() {
  if (left_ <= 0 || stream_.attached) {
    return;
  }
  const double visits = std::max(1.0, static_cast<double>(left_) / stream_.visit);
  const double steps = std::max(0.0, static_cast<double>(left_) - visits);
  const double room =
      std::max(0.0, static_cast<double>(phase_ + 1) * phase_length_ - time_) * speed_;
  inside_.keep(inside_.size());
  between_.keep(between_.size());
  constexpr double kTolerance = 1.05;  // so much all gaps together may be shortened by
  while (steps * inside_.mean() + visits * between_.mean() > kTolerance * room) {
    const bool longer = steps * inside_.mean() > visits * between_.mean();
    const bool inside = inside_.kept() > 1 && (longer || between_.kept() <= 1);
    BinDraw& gaps = inside ? inside_ : between_;
    if (gaps.kept() <= 1) {
      break;
    }
    gaps.keep(gaps.kept() - 1);
  }
}

void TwinWalk::step_time(bool inside) {
  const std::size_t last = stream_.phases.size() - 1;
  const std::size_t before = phase_;
  while (left_ <= 0 && phase_ < last) {
    left_ += static_cast<std::int64_t>(stream_.phases[++phase_]);
    time_ = std::max(time_, static_cast<double>(phase_) * phase_length_);
  }
  if (left_ <= 0) {
    done_ = true;
    return;
  }
  while (phase_ < last && time_ >= static_cast<double>(phase_ + 1) * phase_length_) {
    left_ += static_cast<std::int64_t>(stream_.phases[++phase_]);
  }
  if (phase_ != before) {
    begin_phase();
  }
  // What is still to come, with gaps as they are on average, is to end with the phase.
  const double end = static_cast<double>(phase_ + 1) * phase_length_;
  const double visits = std::max(1.0, static_cast<double>(left_) / stream_.visit);
  const double steps = std::max(0.0, static_cast<double>(left_) - visits);
  const double room = (end - time_) * speed_;
  const double of_steps = steps * inside_.mean();
  const double of_visits = visits * between_.mean();
  const double rest = room - of_steps;  // gaps between visits give way first
  const BinDraw& gaps = inside ? inside_ : between_;
  const double share = inside ? (rest >= 0 ? 1 : room / of_steps) : rest / of_visits;
  const double factor = std::min(1.0, std::max(0.0, share));
  time_ += static_cast<double>(gaps.draw(random_)) * factor / speed_;
  // What is left over becomes pauses, one in so many visits.
  constexpr std::uint64_t kVisits = 64;
  if (!inside && rest > of_visits && random_.below(kVisits) == 0) {
    time_ += (rest - of_visits) / speed_ * std::min(1.0, static_cast<double>(kVisits) / visits);
  }
  time_ = std::min(time_, static_cast<double>(last + 1) * phase_length_);
  --left_;
}

// Whether there were too few visits of a kind so far, 1, too many, -1, or about as many as wanted.
int TwinWalk::lacks(std::size_t kind) const {
  const auto visits = static_cast<double>(visits_);
  const double wanted = stream_.kinds[kind] * visits;
  const double slack = 16 + std::min(visits / 256, wanted / 16);
  const double difference = wanted - static_cast<double>(kinds_[kind]);
  return difference > slack ? 1 : difference < -slack ? -1 : 0;
}

// Chance decides, unless there were too many such visits, or too few, so far.
bool TwinWalk::follows(bool at_end) {
  if (!at_end) {
    return false;
  }
  if (lacks(2) > 0 || lacks(0) < 0) {
    return true;
  }
  if (in_row_ + 1 >= kLongSweep ? lacks(2) < 0 : lacks(0) > 0) {
    return false;
  }
  std::size_t sweep = 0;
  while (sweep + 1 < kSweeps && (std::uint64_t{1} << sweep) <= in_row_) {
    ++sweep;
  }
  return random_.chance(chance_of(stream_.follow[sweep][new_ ? 0 : 1]));
}

void TwinWalk::begin_visit() {
  const bool at_end = visits_ > 0 && line_ == kPageLines - 1;
  const bool followed = follows(at_end);
  if (followed) {
    enter(page_ + 1 - stream_.first_page);
  } else {
    enter(find_page(at_end));
  }
  in_row_ = followed ? in_row_ + 1 : 0;
  ++kinds_[in_row_ >= kLongSweep ? 2 : followed ? 1 : 0];
  begin_lines();
}

// Where a jump goes to.
std::uint64_t TwinWalk::find_page(bool at_end) {
  const std::uint64_t most = std::min<std::uint64_t>(visits_, history_.size() - 1);
  const std::uint64_t now = visits_ + 1;
  std::uint64_t page = 0;
  // A page whose last visit was the low-th to high-th before this one; false when there is none.
  const auto find = [&](std::uint64_t low, std::uint64_t high) {
    high = std::min(high, most);
    const std::uint64_t count = low > high ? 0 : last_visits_.count(now - high, now - low);
    if (count > 0) {
      const std::uint64_t visit = last_visits_.select(now - high, random_.below(count));
      page = history_[visit & (history_.size() - 1)];
    }
    return count > 0;
  };
  std::fill(closed_.begin(), closed_.end(), false);
  std::size_t number = 0;
  while ((number = reuse_.draw(random_, [&](std::size_t i) { return !closed_[i]; })) <
         closed_.size()) {
    const TwinBin& bin = stream_.reuse[number];
    if (bin.low == 0 && new_pages_ < stream_.pages) {
      break;
    }
    if (bin.low > 0 &&
        find(static_cast<std::uint64_t>(bin.low), static_cast<std::uint64_t>(bin.high))) {
      return page;
    }
    closed_[number] = true;
  }
  // A new one, and not as if it had been followed: then the one beside comes later.
  const std::uint64_t beside = page_ + 1 - stream_.first_page;
  if (at_end && next_page_ == beside) {
    left_out_ = beside;
    return beside + 1;
  }
  if (left_out_ != kNone && !(at_end && left_out_ == beside)) {
    return std::exchange(left_out_, kNone);
  }
  return next_page_;
}

// Counts as the case of reuse that it is. Pages count from the stream's first.
void TwinWalk::enter(std::uint64_t page) {
  page %= kMostPages;
  if (page >= last_visit_.size()) {
    last_visit_.resize(page + 1, 0);
  }
  ++visits_;
  const std::uint64_t mask = history_.size() - 1;
  if (visits_ > history_.size()) {
    const std::uint64_t forgotten = visits_ - history_.size();
    if (last_visit_[history_[forgotten & mask]] == forgotten) {
      last_visits_.clear(forgotten);
      last_visit_[history_[forgotten & mask]] = 0;
    }
  }
  std::uint64_t& last = last_visit_[page];
  const std::uint64_t distance = last == 0 ? 0 : visits_ - last;
  if (last != 0) {
    last_visits_.clear(last);
  }
  for (std::size_t i = 0; i < stream_.reuse.size(); ++i) {
    const TwinBin& bin = stream_.reuse[i];
    if (static_cast<std::uint64_t>(bin.low) <= distance &&
        distance <= static_cast<std::uint64_t>(bin.high)) {
      reuse_.count(i);
      break;
    }
  }
  new_ = distance == 0;
  new_pages_ += new_ ? 1 : 0;
  last = visits_;
  last_visits_.set(visits_);
  history_[visits_ & mask] = static_cast<std::uint32_t>(page);
  next_page_ = std::max(next_page_, page + 1) % kMostPages;
  page_ = stream_.first_page + page;
}

void TwinWalk::begin_lines() {
  const bool swept = in_row_ >= kLongSweep && !stream_.swept.empty();
  const bool followed = !swept && in_row_ > 0 && !stream_.followed.empty();
  Quota& quota = swept ? swept_ : followed ? followed_ : jumped_;
  const std::vector<TwinVisits>& classes = swept      ? stream_.swept
                                           : followed ? stream_.followed
                                                      : stream_.jumped;
  std::size_t number = quota.draw(random_, [](std::size_t) { return true; });
  if (followed && lacks(2) > 0) {  // what may become a sweep
    number = 0;
    for (std::size_t i = 1; i < classes.size(); ++i) {
      number = classes[i].last > classes[number].last ? i : number;
    }
  }
  quota.count(number);
  visit_ = &classes[number];
  to_come_ = std::max<std::int64_t>(1, BinDraw::within(visit_->length, random_));
  whole_ =
      to_come_ <= static_cast<std::int64_t>(kPageLines) && random_.chance(chance_of(visit_->whole));
  ends_ = random_.chance(chance_of(visit_->last));
  const bool pieces = !whole_ && to_come_ >= kLongVisit && !stream_.pieces.empty();
  piece_ = pieces ? pieces_.draw(random_) - 1 : -1;
  line_ = 0;
  if (in_row_ > 0 || random_.chance(chance_of(visit_->first))) {
    return;
  }
  const auto lines = static_cast<std::uint64_t>(to_come_);
  if (whole_) {
    const std::uint64_t starts = kPageLines - lines;  // 0 apart
    const double others = 1 - visit_->first;
    const bool ends = starts > 0 && others > 0 && random_.chance(chance_of(visit_->last / others));
    line_ = ends ? starts : starts <= 1 ? 0 : 1 + random_.below(starts - 1);
  } else {
    line_ = 1 + random_.below(kPageLines - 1);
  }
}

void TwinWalk::step_line() {
  if (to_come_ == 1 && ends_ && !whole_) {
    line_ = kPageLines - 1;
    return;
  }
  const bool can = line_ + 1 < kPageLines;
  const bool goes_on =
      whole_ || (piece_ >= 0 ? piece_ > 0 : random_.chance(chance_of(visit_->next)));
  if (can && goes_on) {
    piece_ -= piece_ > 0 ? 1 : 0;
    ++line_;
    return;
  }
  piece_ = piece_ < 0 ? -1 : pieces_.draw(random_) - 1;
  constexpr int kTries = 8;
  for (int i = 0; i < kTries; ++i) {
    const std::int64_t to = static_cast<std::int64_t>(line_) + skips_.draw(random_);
    if (0 <= to && to < static_cast<std::int64_t>(kPageLines)) {
      line_ = static_cast<std::uint64_t>(to);
      return;
    }
  }
  line_ = random_.below(kPageLines);
}

Twin::Twin(TwinProfile profile) : profile_(std::move(profile)) {
  std::size_t phases = 0;
  for (const TwinStream& stream : profile_.streams) {
    phases = std::max(phases, stream.phases.size());
    if (stream.phases.empty() || stream.jumped.empty() || stream.reuse.empty()) {
      throw InputError("a stream of the profile is empty");
    }
  }
  fills_.assign(phases, 0);
  for (std::size_t i = 0; i < profile_.streams.size(); ++i) {
    const TwinStream& stream = profile_.streams[i];
    walks_.emplace_back(stream, profile_, i);
    if (stream.attached) {
      std::uint64_t accesses = 0;
      for (const std::uint64_t count : stream.phases) {
        accesses += count;
      }
      attached_.push_back({i, 0, accesses});
      continue;
    }
    clocked_.push_back(i);
    for (std::size_t p = 0; p < stream.phases.size() && stream.kind == kFill; ++p) {
      fills_[p] += stream.phases[p];
    }
  }
}

std::string Twin::records(std::size_t count) {
  std::string bytes;
  while (bytes.size() < 8 * count && !ended_) {
    std::size_t first = walks_.size();
    for (const std::size_t i : clocked_) {
      if (!walks_[i].done() &&
          (first == walks_.size() || walks_[i].time() < walks_[first].time())) {
        first = i;
      }
    }
    if (first == walks_.size()) {
      ended_ = true;
      for (Attached& attached : attached_) {
        for (; attached.left > 0; --attached.left) {
          emit(walks_[attached.walk], profile_.streams[attached.walk], time_, bytes);
          walks_[attached.walk].advance();
        }
      }
      const std::int64_t rest = profile_.instructions - time_;
      if (rest > 0) {
        word(std::uint64_t{kEscape} << kLineBits | static_cast<std::uint64_t>(rest), bytes);
      }
      break;
    }
    TwinWalk& walk = walks_[first];
    const TwinStream& stream = profile_.streams[first];
    const auto time = std::max(time_, static_cast<std::int64_t>(walk.time()));
    emit(walk, stream, time, bytes);
    if (stream.kind == kFill) {
      follow_fill(walk.phase(), time, bytes);
    }
    walk.advance();
  }
  return bytes;
}

// What is attached to fills, spread evenly over those of the phase.
void Twin::follow_fill(std::size_t phase, std::int64_t time, std::string& bytes) {
  for (Attached& attached : attached_) {
    const TwinStream& stream = profile_.streams[attached.walk];
    attached.credit += stream.phases[phase];
    for (; attached.left > 0 && fills_[phase] > 0 && attached.credit >= fills_[phase];
         attached.credit -= fills_[phase]) {
      --attached.left;
      emit(walks_[attached.walk], stream, time, bytes);
      walks_[attached.walk].advance();
    }
  }
}

void Twin::emit(const TwinWalk& walk, const TwinStream& stream, std::int64_t time,
                std::string& bytes) {
  std::int64_t delta = time - time_;
  time_ = time;
  while (delta > kLargestDelta) {
    const std::int64_t step = std::min(delta, kLargestStep);
    word(std::uint64_t{kEscape} << kLineBits | static_cast<std::uint64_t>(step), bytes);
    delta -= step;
  }
  const std::uint64_t memory = stream.nvdimm ? std::uint64_t{1} << kMemoryBit : 0;
  word(static_cast<std::uint64_t>(delta) << kDeltaShift |
           static_cast<std::uint64_t>(stream.kind) << kLineBits | memory | walk.line(),
       bytes);
}

void Twin::word(std::uint64_t value, std::string& bytes) {
  for (int i = 0; i < 8; ++i) {
    bytes += static_cast<char>(value >> (8 * i));
  }
}

}  // namespace hmsim

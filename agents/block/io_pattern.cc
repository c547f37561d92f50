// SPDX-License-Identifier: BSD-3-Clause
#include "agents/block/io_pattern.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/archive.h"
#include "core/text.h"
#include "core/units.h"

namespace hmsim {

namespace {

constexpr double kTwoTo32 = 4294967296.0;
constexpr std::int64_t kMaxSize = std::int64_t{1} << 46;
constexpr std::int64_t kMostShare = 1'000'000;
constexpr std::size_t kMostSizes = 1'024;

std::uint64_t sectors_of(Bytes bytes) {
  return static_cast<std::uint64_t>(bytes.value() / kSectorBytes);
}

std::string whole_sectors(std::int64_t bytes) {
  if (bytes % kSectorBytes == 0) {
    return "";
  }
  const std::int64_t nearest =
      std::max((bytes + kSectorBytes / 2) / kSectorBytes, std::int64_t{1}) * kSectorBytes;
  return format_size(Bytes(bytes)) +
         " is not a multiple of 512B; nearest: " + format_size(Bytes(nearest));
}

std::string read_size(std::string_view text, IoSize& size) {
  const std::string_view bytes = cut(text, '/');
  const Parsed<Bytes> parsed = parse_size(bytes);
  if (!parsed.value) {
    return "'" + std::string(bytes) + "': " + parsed.error;
  }
  const std::int64_t value = parsed.value->value();
  if (value < kSectorBytes || value > kMaxSize) {
    return format_size(*parsed.value) + " is out of range; nearest: " +
           format_size(Bytes(std::clamp(value, kSectorBytes, kMaxSize)));
  }
  size.sectors = sectors_of(*parsed.value);
  text = trimmed(text);
  if (!text.empty()) {
    const Parsed<std::int64_t> share = parse_integer(text);
    if (!share.value || *share.value < 1 || *share.value > kMostShare) {
      return "'" + std::string(text) + "' is not a share: must be between 1 and " +
             std::to_string(kMostShare);
    }
    size.share = static_cast<std::uint64_t>(*share.value);
  }
  return whole_sectors(value);
}

std::vector<IoSize> read_sizes(std::string_view text, std::string& problem) {
  std::vector<IoSize> sizes;
  do {
    sizes.emplace_back();
    problem = read_size(cut(text, ','), sizes.back());
    if (problem.empty() && sizes.size() > kMostSizes) {
      problem = "more than " + std::to_string(kMostSizes);
    }
  } while (problem.empty() && !text.empty());
  return sizes;
}

bool smaller(const IoSize& a, const IoSize& b) { return a.sectors < b.sectors; }
std::uint64_t smallest(const std::vector<IoSize>& sizes) {
  return std::min_element(sizes.begin(), sizes.end(), smaller)->sectors;
}
std::uint64_t largest(const std::vector<IoSize>& sizes) {
  return std::max_element(sizes.begin(), sizes.end(), smaller)->sectors;
}

}  // namespace

void IoPattern::declare(ParameterSet& parameters) {
  constexpr const char* kSource = "the workload's own";
  parameters.text("size", size,
                  {"size of a request, in whole sectors of 512 B; or a list SIZE/SHARE, ...: each "
                   "size is drawn in proportion to its share (default 1)",
                   kSource});
  parameters.real("read_share", read_share, 0, 1, "",
                  {"probability that a request is a read", kSource});
  parameters.choice<IoAccess>("access", access,
                              {{"sequential", IoAccess::sequential},
                               {"random", IoAccess::random},
                               {"zipf", IoAccess::zipf}},
                              {"each request after the one before it, and from the region's start "
                               "again at its end; at random; or at random by Zipf's law, with "
                               "likely places scattered; places are multiples of the smallest size",
                               kSource});
  parameters.real("theta", theta, 0, Zipf::kLargestTheta, "",
                  {"zipf only: the place of rank k has a probability proportional to k^-theta",
                   "Zipf; 0.99 is YCSB's"});
  parameters.choice<IoRegions>(
      "regions", regions, {{"shared", IoRegions::shared}, {"per_thread", IoRegions::per_thread}},
      {"whether all threads share the footprint (sequential: one stream), or each has a separate, "
       "equal part of it",
       kSource});
  parameters.size("offset", offset, {0, kMaxSize},
                  {"where the footprint begins on the device", kSource});
  parameters.size("footprint", footprint, {0, kMaxSize},
                  {"part of the device that requests access; 0B: to its end", kSource});
  parameters.integer("flush_every", flush_every, {0, 1'000'000'000}, "writes",
                     {"writes of a thread after which it flushes the device, as fsync does; a "
                      "flush counts as a request; 0: never",
                      kSource});
  parameters.boolean("fua", fua,
                     {"writes force unit access: each is durable at its completion",
                      "fio's sync; O_SYNC of open(2)"});
}

std::vector<IoSize> IoPattern::sizes() const {
  std::string problem;
  return read_sizes(size, problem);
}

Bytes IoPattern::least_footprint(std::int64_t threads) const {
  const std::vector<IoSize> all = sizes();
  const std::uint64_t step = smallest(all);
  const std::uint64_t region = (largest(all) + step - 1) / step * step;
  return Bytes(static_cast<std::int64_t>(region) * kSectorBytes *
               (regions == IoRegions::shared ? 1 : threads));
}

std::vector<ParameterError> IoPattern::check(std::int64_t threads) const {
  std::vector<ParameterError> errors;
  std::string problem;
  read_sizes(size, problem);
  if (!problem.empty()) {
    errors.push_back({"size", problem});
  }
  const std::pair<const char*, Bytes> places[] = {{"offset", offset}, {"footprint", footprint}};
  for (const auto& [name, place] : places) {
    const std::string part = whole_sectors(place.value());
    if (!part.empty()) {
      errors.push_back({name, part});
    }
  }
  if (problem.empty() && footprint != Bytes(0) && footprint < least_footprint(threads)) {
    errors.push_back({"footprint", format_size(footprint) + " has no room for the largest request" +
                                       (regions == IoRegions::shared ? "" : " of each thread") +
                                       ": must be at least " +
                                       format_size(least_footprint(threads))});
  }
  return errors;
}

IoGenerator::IoGenerator(const IoPattern& pattern, std::int64_t threads, std::uint64_t seed,
                         std::uint64_t stream)
    : access_(pattern.access),
      sizes_(pattern.sizes()),
      read_chance_(static_cast<std::uint64_t>(pattern.read_share * kTwoTo32)),
      flush_every_(pattern.flush_every),
      fua_(pattern.fua),
      offset_(sectors_of(pattern.offset)),
      regions_(pattern.regions == IoRegions::shared ? 1 : static_cast<std::uint64_t>(threads)),
      start_(seed, stream),
      random_(start_),
      lanes_(static_cast<std::size_t>(threads)) {
  for (const IoSize& each : sizes_) {
    all_shares_ += each.share;
  }
  step_ = smallest(sizes_);
  region_ = sectors_of(pattern.footprint) / regions_ / step_ * step_;
  places_ = (region_ - largest(sizes_)) / step_ + 1;
  if (access_ == IoAccess::zipf) {
    ranks_ = Zipf(places_, pattern.theta);
    place_of_ = Permutation(places_, mix64(seed) ^ stream);
  }
}

bool IoGenerator::next(BlockRequest& request) {
  request = BlockRequest();
  const std::size_t turn = turn_;
  Lane& lane = lanes_[turn];
  turn_ = (turn_ + 1) % lanes_.size();
  if (flush_every_ > 0 && lane.writes == flush_every_) {
    lane.writes = 0;
    request.flush = true;
    return true;
  }
  request.sectors = draw_sectors();
  request.write = !random_.chance(read_chance_);
  request.fua = request.write && fua_;
  request.sector = place(turn, request.sectors);
  lane.writes += request.write && flush_every_ > 0 ? 1 : 0;
  return true;
}

std::uint64_t IoGenerator::draw_sectors() {
  std::uint64_t drawn = sizes_.size() == 1 ? 0 : random_.below(all_shares_);
  auto size = sizes_.begin();
  for (; drawn >= size->share; ++size) {
    drawn -= size->share;
  }
  return size->sectors;
}

std::uint64_t IoGenerator::place(std::size_t lane, std::uint64_t sectors) {
  const std::uint64_t number = static_cast<std::uint64_t>(lane) % regions_;
  std::uint64_t within = 0;
  if (access_ == IoAccess::sequential) {
    std::uint64_t& next = lanes_[static_cast<std::size_t>(number)].next;
    within = next + sectors <= region_ ? next : 0;
    next = within + sectors;
  } else if (access_ == IoAccess::zipf) {
    within = place_of_(ranks_.draw(random_)) * step_;
  } else {
    within = random_.below(places_) * step_;
  }
  return offset_ + number * region_ + within;
}

void IoGenerator::rewind() {
  random_ = start_;
  std::fill(lanes_.begin(), lanes_.end(), Lane());
  turn_ = 0;
}

void IoGenerator::Lane::serialize(Archive& archive) { archive(next, writes); }

void IoGenerator::serialize(Archive& archive) {
  archive(random_, turn_);
  archive.fixed(lanes_);
  archive.check_index(turn_, lanes_.size(), "invalid place in a generator of block requests");
}

}  // namespace hmsim

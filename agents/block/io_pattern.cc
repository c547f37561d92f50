// SPDX-License-Identifier: BSD-3-Clause
#include "agents/block/io_pattern.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/archive.h"
#include "core/text.h"
#include "core/units.h"

namespace hmsim {

namespace {

constexpr double kTwoTo32 = 4294967296.0;
constexpr double kRound = 1e6;  // of a share in a message
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

// Returns the probability share / all, times 2^32.
std::uint64_t chance_of(double share, double all) {
  return share == 0 ? 0 : static_cast<std::uint64_t>(share / all * kTwoTo32 + 0.5);
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
  parameters.real("trim_share", trim_share, 0, 1, "",
                  {"probability that a request is a trim; the rest are writes", kSource});
  parameters.boolean(
      "trim_writes", trim_writes,
      {"each write follows a trim of its range, which counts as a request", "fio's rw=trimwrite"});
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
  parameters.boolean(
      "separate_writes", separate_writes,
      {"sequential: a write follows the last write, and a read the last read; false: "
       "each follows the last request",
       "fio's rw=rw"});
  parameters.choice<IoRegions>(
      "regions", regions, {{"shared", IoRegions::shared}, {"per_thread", IoRegions::per_thread}},
      {"whether all threads share the footprint (sequential: one stream), or each has a separate, "
       "equal part of it",
       kSource});
  parameters.size("offset", offset, {0, kMaxSize},
                  {"where the footprint begins on the device", kSource});
  parameters.size("footprint", footprint, {0, kMaxSize},
                  {"part of the device that requests access; 0B: to its end", kSource});
  parameters.size("align", align, {0, kMaxSize},
                  {"random and zipf: places are multiples of it; 0B: of the smallest size",
                   "fio's blockalign"});
  parameters.choice<MapOrder>(
      "random_map", random_map,
      {{"none", MapOrder::none}, {"repeat", MapOrder::repeat}, {"shuffle", MapOrder::shuffle}},
      {"random only: a thread visits each block of the smallest size once in a pass, in the same "
       "order in every pass (repeat) or in a new one (shuffle), and a request ends before a "
       "visited "
       "block; none: draws places independently",
       "fio's random map: repeat, its default; none, its norandommap"});
  parameters.size("pass", pass, {0, kMaxSize},
                  {"data after which a thread begins a new pass over its region, at most the "
                   "region; 0B: the region",
                   "fio's size, if filesize is larger"});
  parameters.integer(
      "passes", passes, {0, std::int64_t{1} << 40}, "passes",
      {"passes of each thread, after which it issues no further requests; 0: no limit",
       "fio's loops"});
  parameters.size("bytes", bytes, {0, std::int64_t{1} << 60},
                  {"data of each thread, after which it issues no further requests; 0B: no limit",
                   "fio's io_size"});
  parameters.integer("flush_every", flush_every, {0, 1'000'000'000}, "writes",
                     {"writes of a thread after which it flushes the device, as fsync does; a "
                      "flush counts as a request; 0: never",
                      kSource});
  parameters.boolean("fua", fua,
                     {"writes force unit access: each is durable at its completion",
                      "fio's sync; O_SYNC of open(2)"});
  handles.declare(parameters);
}

std::vector<IoSize> IoPattern::sizes() const {
  std::string problem;
  return read_sizes(size, problem);
}

std::uint64_t IoPattern::step() const {
  const bool aligned = align != Bytes(0) && access != IoAccess::sequential;
  return aligned ? sectors_of(align) : smallest(sizes());
}

Bytes IoPattern::least_footprint(std::int64_t threads) const {
  const std::uint64_t region = (largest(sizes()) + step() - 1) / step() * step();
  return Bytes(static_cast<std::int64_t>(region) * kSectorBytes *
               (regions == IoRegions::shared ? 1 : threads));
}

std::uint64_t IoPattern::bitmap_blocks(std::int64_t threads) const {
  const std::vector<IoSize> all = sizes();
  if (random_map == MapOrder::none || smallest(all) == largest(all)) {
    return 0;
  }
  const std::int64_t copies = regions == IoRegions::shared ? threads : 1;
  return sectors_of(footprint) / smallest(all) * static_cast<std::uint64_t>(copies);
}

std::vector<ParameterError> IoPattern::check(std::int64_t threads) const {
  std::vector<ParameterError> errors;
  std::string problem;
  read_sizes(size, problem);
  if (!problem.empty()) {
    errors.push_back({"size", problem});
  }
  if (random_map != MapOrder::none && access != IoAccess::random) {
    errors.push_back({"random_map", "must be none unless access is random"});
  }
  if (problem.empty() && random_map != MapOrder::none && step() != smallest(sizes())) {
    errors.push_back({"align", "must be 0B, or the smallest size, with a random map"});
  }
  if (read_share + trim_share > 1) {
    const double most = std::round((1 - read_share) * kRound) / kRound;
    errors.push_back({"trim_share", "must be at most " + format_real(most) +
                                        ", the share that read_share leaves, got " +
                                        format_real(trim_share)});
  }
  const std::pair<const char*, Bytes> places[] = {
      {"offset", offset}, {"footprint", footprint}, {"align", align}};
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
      separate_writes_(pattern.separate_writes),
      sizes_(pattern.sizes()),
      read_chance_(static_cast<std::uint64_t>(pattern.read_share * kTwoTo32)),
      trims_{chance_of(pattern.trim_share, 1 - pattern.read_share), pattern.trim_writes},
      flushes_{pattern.flush_every, pattern.fua},
      handles_(pattern.handles, mix64(seed) + stream),
      in_passes_(pattern.bounded() || pattern.random_map != MapOrder::none ||
                 pattern.pass != Bytes(0)),
      passes_(pattern.passes),
      bytes_(static_cast<std::uint64_t>(pattern.bytes.value())),
      offset_(sectors_of(pattern.offset)),
      regions_(pattern.regions == IoRegions::shared ? 1 : static_cast<std::uint64_t>(threads)),
      start_(seed, stream),
      random_(start_),
      lanes_(static_cast<std::size_t>(threads)) {
  for (const IoSize& each : sizes_) {
    all_shares_ += each.share;
  }
  step_ = pattern.step();
  region_ = sectors_of(pattern.footprint) / regions_ / step_ * step_;
  places_ = (region_ - largest(sizes_)) / step_ + 1;
  pass_ = sectors_of(pattern.footprint) / regions_ * kSectorBytes;
  if (pattern.pass != Bytes(0)) {
    pass_ = std::min(pass_, static_cast<std::uint64_t>(pattern.pass.value()));
  }
  for (std::size_t i = 0; pattern.random_map != MapOrder::none && i < lanes_.size(); ++i) {
    lanes_[i].map =
        RandomMap(region_ / step_, sizes_.size() == 1, pattern.random_map == MapOrder::repeat,
                  Random(mix64(mix64(seed) + i), stream));
  }
  if (access_ == IoAccess::zipf) {
    ranks_ = Zipf(places_, pattern.theta);
    place_of_ = Permutation(places_, mix64(seed) ^ stream);
  }
}

bool IoGenerator::next(BlockRequest& request) {
  request = BlockRequest();
  if (in_passes_ && !find_turn()) {
    return false;
  }
  const std::size_t turn = turn_;
  Lane& lane = lanes_[turn];
  const bool follows = lane.trimmed_sectors > 0;
  turn_ = (turn_ + 1) % lanes_.size();
  if (flushes_.every > 0 && lane.writes == flushes_.every) {
    lane.writes = 0;
    request.flush = true;
  } else if (lane.trimmed_sectors > 0) {
    request.sector = lane.trimmed;
    request.sectors = std::exchange(lane.trimmed_sectors, 0);
    request.write = true;
  } else {
    draw(request, lane, turn);
  }
  request.fua = request.write && flushes_.fua;
  if (request.write) {
    request.handle = handles_.of(request.sector, turn, lane.handles++);
  }
  lane.writes += request.write && flushes_.every > 0 ? 1 : 0;
  if (in_passes_) {
    count(turn, follows ? 0 : request.sectors);  // a trim counts for the write that follows
  }
  return true;
}

void IoGenerator::draw(BlockRequest& request, Lane& lane, std::size_t turn) {
  Random& random = lane.map.exists() ? lane.map.random() : random_;
  request.sectors = draw_sectors(random);
  request.write = !random.chance(read_chance_);
  request.trim = request.write && trims_.chance > 0 && random.chance(trims_.chance);
  request.sector = place(turn, request.write, request.sectors);
  if (request.write && !request.trim && trims_.writes) {
    lane.trimmed = request.sector;
    lane.trimmed_sectors = request.sectors;
    request.trim = true;
  }
  request.write = request.write && !request.trim;
}

std::uint64_t IoGenerator::draw_sectors(Random& random) {
  std::uint64_t drawn = sizes_.size() == 1 ? 0 : random.below(all_shares_);
  auto size = sizes_.begin();
  for (; drawn >= size->share; ++size) {
    drawn -= size->share;
  }
  return size->sectors;
}

// Returns the place of a request, whose size may change.
std::uint64_t IoGenerator::place(std::size_t lane, bool write, std::uint64_t& sectors) {
  const std::uint64_t number = static_cast<std::uint64_t>(lane) % regions_;
  std::uint64_t within = 0;
  if (access_ == IoAccess::sequential) {
    std::uint64_t& next = stream_of(lane).next[separate_writes_ && write ? 1 : 0];
    while (in_passes_ && next + sectors > region_) {
      sectors = draw_sectors(random_);
    }
    within = next + sectors <= region_ ? next : 0;
    next = within + sectors;
  } else if (access_ == IoAccess::zipf) {
    within = place_of_(ranks_.draw(random_)) * step_;
  } else if (lanes_[lane].map.exists()) {
    within = visit(lanes_[lane].map, sectors);
  } else {
    within = random_.below(places_) * step_;
  }
  return offset_ + number * region_ + within;
}

// Returns the place of the next request of a random map. Its size may change.
std::uint64_t IoGenerator::visit(RandomMap& map, std::uint64_t& sectors) {
  const std::uint64_t block = map.next();
  const std::uint64_t within = block * step_;
  while (within + sectors > region_) {
    sectors = draw_sectors(map.random());
  }
  sectors = std::min(sectors, map.visit(block, (sectors + step_ - 1) / step_) * step_);
  return within;
}

// Returns the lane that holds the position of a sequential stream; otherwise, the lane itself.
IoGenerator::Lane& IoGenerator::stream_of(std::size_t lane) {
  return lanes_[access_ == IoAccess::sequential ? lane % static_cast<std::size_t>(regions_) : lane];
}

// Moves the turn to a lane with a request. Returns false if all have reached their limits.
bool IoGenerator::find_turn() {
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const Lane& lane = lanes_[turn_];
    const bool ended =
        (bytes_ > 0 && lane.moved >= bytes_) || (passes_ > 0 && stream_of(turn_).passes >= passes_);
    if (!ended || lane.trimmed_sectors > 0 ||
        (flushes_.every > 0 && lane.writes == flushes_.every)) {
      return true;
    }
    turn_ = (turn_ + 1) % lanes_.size();
  }
  return false;
}

// Counts a request, and ends its pass if nothing of it is left.
void IoGenerator::count(std::size_t lane, std::uint64_t sectors) {
  last_ = lane;
  step_of_last_ = {sectors * kSectorBytes, 0};
  lanes_[lane].moved += step_of_last_.bytes;
  Lane& stream = stream_of(lane);
  stream.passed += step_of_last_.bytes;
  const std::uint64_t furthest = std::max(stream.next[0], stream.next[1]);
  const bool ends = stream.passed >= pass_ || (stream.map.exists() && stream.map.full()) ||
                    (access_ == IoAccess::sequential && furthest + step_ > region_);
  if (ends) {
    step_of_last_.passes = 1;
    ++stream.passes;
    stream.passed = 0;
    stream.next = {};
    if (stream.map.exists()) {
      stream.map.begin_pass();
    }
  }
}

void IoGenerator::rewind() {
  random_ = start_;
  for (Lane& lane : lanes_) {
    lane.next = {};
    lane.moved = lane.passed = 0;
    lane.writes = lane.passes = 0;
    lane.handles = 0;
    lane.trimmed_sectors = 0;
    lane.map.rewind();
  }
  turn_ = 0;
}

void IoGenerator::restart_limit(bool pending) {
  for (Lane& lane : lanes_) {
    lane.moved = 0;
    lane.passes = 0;
  }
  if (pending) {
    lanes_[last_].moved = step_of_last_.bytes;
    stream_of(last_).passes = step_of_last_.passes;
  }
}

double IoGenerator::fraction() const {
  double sum = 0;
  for (const Lane& lane : lanes_) {
    const double passes = static_cast<double>(lane.passes) +
                          static_cast<double>(lane.passed) / static_cast<double>(pass_);
    const double done = passes_ == 0 ? 0 : passes / static_cast<double>(passes_);
    const double moved =
        bytes_ == 0 ? 0 : static_cast<double>(lane.moved) / static_cast<double>(bytes_);
    sum += std::min(std::max(done, moved), 1.0);
  }
  return sum / static_cast<double>(lanes_.size());
}

void IoGenerator::Lane::serialize(Archive& archive) {
  archive(next, writes, handles, trimmed, trimmed_sectors, moved, passed, passes, map);
  archive.check(trimmed_sectors <= kMaxSectors, "write larger than the limit");
}

void IoGenerator::serialize(Archive& archive) {
  archive(random_, turn_, last_, step_of_last_);
  for (Lane& lane : lanes_) {  // keeps the lanes' maps, unlike fixed()
    archive(lane);
  }
  archive.check_index(turn_, lanes_.size(), "invalid place in a generator of block requests");
  archive.check_index(last_, lanes_.size(), "invalid place in a generator of block requests");
  for (const Lane& lane : lanes_) {
    for (const std::uint64_t next : lane.next) {
      archive.check(!in_passes_ || (next < region_ && next + step_ <= region_),
                    "invalid place in a generator of block requests");
    }
  }
}

}  // namespace hmsim

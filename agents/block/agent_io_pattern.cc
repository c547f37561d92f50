// SPDX-License-Identifier: BSD-3-Clause
// Agent kind io_pattern: threads that carry out generated block requests, in a closed loop or an
// open loop (arrival_process.h). IoPattern generates the requests; block_agent.h describes how they
// are carried out.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "agents/block/block_agent.h"
#include "agents/block/io_pattern.h"
#include "core/errors.h"
#include "core/units.h"

namespace hmsim {

namespace {

constexpr std::int64_t kMostUnderWay = 65'536;  // most requests of an agent under way
constexpr Tick kLongestPause = kSecond * 1'000;

class IoPatternAgent final : public BlockAgent {
 public:
  explicit IoPatternAgent(const FrontendParameters& defaults) : BlockAgent(defaults) {
    keys().requests = 10'000;
  }

  void declare(ParameterSet& parameters) override;
  std::vector<ParameterError> check() const override;

 private:
  void declare_pace(ParameterSet& parameters);
  const char* kind() const override { return "io_pattern"; }
  std::unique_ptr<BlockSource> open_source(Bytes capacity) override;

  IoPattern pattern_;
};

void IoPatternAgent::declare(ParameterSet& parameters) {
  declare_core(parameters);
  declare_agent(parameters);
  declare_random_stream(parameters);
  keys().software.declare(parameters);
  parameters.integer(
      "depth", keys().depth, {1, kMostUnderWay}, "requests",
      {"most requests that a thread has in flight (fio's iodepth); requests of a thread "
       "do not wait for each other",
       "the workload's own"});
  pattern_.declare(parameters);
  keys().arrivals.declare(parameters);
  declare_pace(parameters);
  parameters.integer(
      "requests", keys().requests, {0, std::int64_t{1} << 60}, "requests",
      {"I/O requests to issue, of all threads together; 0: no limit, if passes, bytes "
       "or duration is one",
       "the workload's own"});
  keys().declare_end(parameters);
}

void IoPatternAgent::declare_pace(ParameterSet& parameters) {
  parameters.time("think_time", keys().think_time,
                  {"closed loop: time that a thread waits after every think_every requests, from "
                   "the completion of its last request",
                   "fio's thinktime"},
                  kLongestPause);
  parameters.integer(
      "think_every", keys().think_every, {1, std::int64_t{1} << 40}, "requests",
      {"requests of a thread, without flushes, between two think times", "fio's thinktime_blocks"});
  parameters.time(
      "start", keys().start,
      {"time at which the agent begins; later if its stage begins later", "fio's startdelay"},
      kLongestPause);
  parameters.integer_or(
      "stage", keys().stage, {0, 1'000'000}, "none", Stages::kNone, "",
      {"the agent begins when all agents of lower stages have ended, and ends with its requests; "
       "none: it begins at once, and starts over until the run ends",
       "fio's stonewall"});
}

std::vector<ParameterError> IoPatternAgent::check() const {
  std::vector<ParameterError> errors = keys().check_software();
  const std::int64_t threads = keys().software.threads;
  if (threads * keys().depth > kMostUnderWay) {
    errors.push_back({"depth", "of " + std::to_string(threads) +
                                   " threads together exceeds 65536 requests: must be at most " +
                                   std::to_string(kMostUnderWay / threads)});
  }
  if (keys().think_time != Tick(0) && keys().arrivals.arrivals != Arrivals::closed) {
    errors.push_back({"think_time", "must be 0s unless arrivals is closed"});
  }
  if (keys().requests == 0 && !pattern_.bounded() && keys().duration == Tick(0)) {
    errors.push_back({"requests", "must be above 0, or set passes, bytes or duration"});
  }
  append(errors, pattern_.check(threads));
  append(errors, pattern_.handles.check());
  append(errors, keys().arrivals.check());
  return errors;
}

std::unique_ptr<BlockSource> IoPatternAgent::open_source(Bytes capacity) {
  const std::int64_t threads = keys().software.threads;
  const std::string agent = name() + ".";
  IoPattern pattern = pattern_;
  const Bytes room = capacity - std::min(pattern.offset, capacity);
  if (pattern.footprint == Bytes(0)) {
    pattern.footprint = room - room % Bytes(kSectorBytes);
  }
  if (pattern.footprint > room) {
    throw InputError(agent + "footprint: " + format_size(pattern.footprint) + " from offset " +
                     format_size(pattern.offset) + " exceed the device's " + format_size(capacity) +
                     ": must be at most " + format_size(room));
  }
  if (pattern.footprint < pattern.least_footprint(threads)) {
    throw InputError(agent + (pattern.offset == Bytes(0) ? "size" : "offset") + ": after " +
                     format_size(pattern.offset) + " the device has only " + format_size(room) +
                     ", and requests need " + format_size(pattern.least_footprint(threads)));
  }
  if (pattern.bitmap_blocks(threads) > RandomMap::kMostBlocks) {
    throw InputError(agent + "random_map: the bitmaps of all threads have " +
                     std::to_string(pattern.bitmap_blocks(threads)) +
                     " blocks of the smallest size: must be at most " +
                     std::to_string(RandomMap::kMostBlocks) +
                     "; use one size, a smaller footprint or random_map: none");
  }
  return std::make_unique<IoGenerator>(pattern, threads, environment().seed, random_stream());
}

}  // namespace

extern const AgentDescriptor kAgent_io_pattern;
const AgentDescriptor kAgent_io_pattern{
    "io_pattern", "threads that issue generated block I/O on the NVDIMM, like XDD and fio",
    make_agent<IoPatternAgent>};

}  // namespace hmsim

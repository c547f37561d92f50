// SPDX-License-Identifier: BSD-3-Clause
#include "agents/stream/agent_pattern.h"

#include "core/archive.h"
#include "core/errors.h"

namespace hmsim {

DramWalk::DramWalk(std::uint64_t lines, std::uint64_t stride, double reuse, Random random)
    : lines_(lines), stride_(stride), alternates_(2 * stride > kRowLines), reuse_(reuse) {
  for (Context& context : contexts_) {
    context.base = random.below(lines_ / kRowLines) * kRowLines;
  }
}

StreamRequest DramWalk::next() {
  const int rows = alternates_ ? 2 : 1;  // rows not used recently that begin a turn
  if (fresh_ >= rows && !reuse_.due()) {
    current_ = (current_ + 1) % kContexts;
    fresh_ = 0;
  }
  reuse_.step();
  if (fresh_ < rows) {
    ++fresh_;
  } else {
    reuse_.take();
  }
  Context& context = contexts_[current_];
  std::uint64_t line = context.base + context.step * stride_;
  if (alternates_) {  // start mid-row, so that the other end is in another row
    const std::uint64_t start = kRowLines / 2 + context.step / 2 % (kRowLines / 4);
    line = context.base + start + context.step % 2 * stride_;
  }
  ++context.step;
  StreamRequest request;
  request.address = line % lines_ * static_cast<std::uint64_t>(kLineBytes.value());
  request.context = static_cast<std::uint16_t>(current_);
  return request;
}

void DramWalk::serialize(Archive& archive) {
  archive(reuse_, contexts_, current_, fresh_);
  archive.check_index(current_, kContexts, "invalid place in a generator of requests");
}

PageWalk::PageWalk(std::uint64_t pages, double write_ratio, double write_randomness,
                   double read_randomness, Random random)
    : pages_(pages),
      writes_(write_ratio),
      jumps_{Spread(read_randomness), Spread(write_randomness)},
      last_{random.below(pages), random.below(pages)},
      random_(random) {}

StreamRequest PageWalk::next() {
  if (line_ == 0) {
    write_ = writes_.next();
    const std::size_t op = write_ ? 1 : 0;
    last_[op] = jumps_[op].next() ? random_.below(pages_) : (last_[op] + 1) % pages_;
  }
  StreamRequest request;
  request.write = write_;
  request.address =
      last_[write_ ? 1 : 0] * static_cast<std::uint64_t>(kPageBytes.value()) +
      static_cast<std::uint64_t>(line_) * static_cast<std::uint64_t>(kLineBytes.value());
  line_ = (line_ + 1) % kLinesPerPage;
  return request;
}

void PageWalk::serialize(Archive& archive) {
  archive(writes_, jumps_, last_, random_, write_, line_);
}

void PatternAgent::declare(ParameterSet& parameters) {
  StreamAgent::declare(parameters);
  declare_random_stream(parameters);
  constexpr const char* kSource = "the workload's own";
  parameters.integer("outstanding", outstanding_limit_, {1, 65'536}, "requests",
                     {"requests in flight", kSource});
  parameters.integer("stride", stride_, {1, 1 << 20}, "lines",
                     {"target dram: distance of successive requests of a context", kSource});
  parameters.real("reuse", reuse_, 0, 1, "",
                  {"target dram: share of requests to recently used rows", kSource});
  parameters.real("write_ratio", write_ratio_, 0, 1, "",
                  {"target nvdimm: share of pages that are written", kSource});
  parameters.real("write_randomness", write_randomness_, 0, 1, "",
                  {"target nvdimm: share of writes that access a random page", kSource});
  parameters.real("read_randomness", read_randomness_, 0, 1, "",
                  {"target nvdimm: share of reads that access a random page", kSource});
  parameters.integer("requests", requests_, {1, std::int64_t{1} << 60}, "requests",
                     {"requests to send", kSource});
}

std::vector<ParameterError> PatternAgent::check() const {
  if (target() == Target::system) {
    return {{"target", "must be dram or nvdimm"}};
  }
  return {};
}

StreamAgent::Bounds PatternAgent::open() {
  if (target_capacity() < Bytes(1 << 20)) {
    throw InputError(name() + ".target: the memory must have at least 1MiB");
  }
  rewind();
  return {kUnbounded, outstanding_limit_, kUnbounded, false};
}

void PatternAgent::rewind() {
  const Random random(environment().seed, random_stream());
  if (target() == Target::dram) {
    dram_ = DramWalk(static_cast<std::uint64_t>(target_capacity() / kLineBytes),
                     static_cast<std::uint64_t>(stride_), reuse_, random);
  } else {
    nvdimm_ = PageWalk(static_cast<std::uint64_t>(target_capacity() / kPageBytes), write_ratio_,
                       write_randomness_, read_randomness_, random);
  }
}

bool PatternAgent::next(StreamRequest& request) {
  request = target() == Target::dram ? dram_.next() : nvdimm_.next();
  return true;
}

extern const AgentDescriptor kAgent_pattern;
const AgentDescriptor kAgent_pattern{
    "pattern", "generated requests with the characteristics that the harmonic policy distinguishes",
    make_agent<PatternAgent>};

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
#include "storage/io_queue.h"

#include "core/errors.h"

namespace hmsim {

void IoQueue::take(const IoRequest& request, Tick now) {
  const auto capacity = static_cast<std::uint64_t>(capacity_.value());
  ensure(!request.moves_data() || (request.bytes > 0 && request.offset <= capacity &&
                                   request.bytes <= capacity - request.offset),
         "storage", now, request.tag, "request that is empty or beyond the device's end");
  const std::uint32_t place = jobs_.take();
  jobs_[place] = {request, now, 0};
  (takes_part(request) ? waiting_ : passing_).push(place);
  outstanding_.add(1, now);
}

bool IoQueue::takes_part(const IoRequest& request) const {
  const bool ordered = request.kind == IoRequest::Kind::write ||
                       (request.kind == IoRequest::Kind::flush && !request.fua);
  return order_ == IoOrder::barriers || (order_ == IoOrder::writes && ordered);
}

std::uint32_t IoQueue::next() {
  if (!passing_.empty()) {
    const std::uint32_t place = passing_.front();
    passing_.pop();
    return place;
  }
  if (waiting_.empty() || barrier_ ||
      (started_ > 0 && is_barrier(jobs_[waiting_.front()].request))) {
    return kNoIndex;
  }
  const std::uint32_t place = waiting_.front();
  waiting_.pop();
  barrier_ = is_barrier(jobs_[place].request);
  ++started_;
  return place;
}

void IoQueue::end(std::uint32_t place, Tick now) {
  const Job job = jobs_[place];
  if (takes_part(job.request)) {
    --started_;
    barrier_ = false;
  }
  jobs_.give_back(place);
  outstanding_.add(-1, now);
  if (job.request.kind == IoRequest::Kind::flush) {
    ++flushes_;
  } else if (job.request.kind == IoRequest::Kind::trim) {
    ++trims_;
  } else {
    IoCounts& counts = this->counts(job.request.kind == IoRequest::Kind::write);
    ++counts.requests;
    counts.bytes += job.request.bytes;
    counts.latency.add((now - job.arrival).value());
  }
  if (listener_ != nullptr) {
    listener_->on_io_done(job.request.tag, now);
  }
}

void IoQueue::register_statistics(StatisticRegistry& registry, const std::string& path) {
  const StatisticGroup group(registry, path);
  auto& [reads, writes] = counts_;
  group.counter("reads", "requests", "reads that the device completed", reads.requests);
  group.counter("writes", "requests", "writes that the device completed", writes.requests);
  group.counter("flushes", "requests", "flushes that the device completed", flushes_);
  group.counter("read_bytes", "bytes", "bytes of these reads", reads.bytes);
  group.counter("write_bytes", "bytes", "bytes of these writes", writes.bytes);
  group.times("read_latency_us", "a read, from its arrival at the device to its end",
              reads.latency);
  group.times("write_latency_us", "a write, from its arrival at the device to its end",
              writes.latency);
  group.level("outstanding", "requests", "requests that the device has, mean over time",
              outstanding_);
  if (order_ == IoOrder::barriers) {  // memory discards at once, outside its queue
    group.counter("trims", "requests", "trims that the device completed", trims_);
  }
}

void IoQueue::register_reset(StatisticRegistry& registry) {
  registry.track(outstanding_);
  registry.on_reset([this](Tick) {
    counts_ = {};
    flushes_ = trims_ = 0;
  });
}

void IoQueue::serialize(Archive& archive) {
  archive.section("device requests");
  archive(jobs_, passing_, waiting_, started_, barrier_, outstanding_, counts_, flushes_, trims_);
  if (!archive.loading()) {
    return;
  }
  passing_.each(each_is_one_of(archive, in_use()));
  waiting_.each(each_is_one_of(archive, in_use()));
  const auto capacity = static_cast<std::uint64_t>(capacity_.value());
  for (const std::uint32_t place : jobs_.taken()) {
    const IoRequest& request = jobs_[place].request;
    archive.check(request.bytes <= capacity && request.offset <= capacity - request.bytes,
                  "request beyond the device's end");
  }
}

}  // namespace hmsim

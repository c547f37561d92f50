// SPDX-License-Identifier: BSD-3-Clause
#include "storage/intake.h"

#include "core/errors.h"
#include "storage/statistics.h"

namespace hmsim {

void Intake::take(const IoRequest& request, Tick now) {
  const auto capacity = static_cast<std::uint64_t>(capacity_.value());
  const bool moves = request.kind != IoRequest::Kind::flush;
  ensure(!moves || (request.bytes > 0 && request.offset <= capacity &&
                    request.bytes <= capacity - request.offset),
         "storage", now, request.tag, "a request is empty or lies beyond the device's end");
  const std::uint32_t place = jobs_.take();
  jobs_[place] = {request, now};
  waiting_.push(place);
  outstanding_.add(1, now);
}

std::uint32_t Intake::next() {
  if (waiting_.empty() || barrier_ || (jobs_[waiting_.front()].request.barrier && started_ > 0)) {
    return kNoIndex;
  }
  const std::uint32_t place = waiting_.front();
  waiting_.pop();
  barrier_ = jobs_[place].request.barrier;
  ++started_;
  return place;
}

void Intake::end(std::uint32_t place, Tick now) {
  const Job job = jobs_[place];
  --started_;
  barrier_ = false;
  jobs_.give_back(place);
  outstanding_.add(-1, now);
  if (job.request.kind == IoRequest::Kind::flush) {
    ++flushes_;
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

void Intake::register_statistics(StatisticRegistry& registry, const std::string& path) {
  const std::string name = path + ".";
  registry.counter(name + "reads", "requests", "reads that the device ended",
                   {&counts_[0].requests});
  registry.counter(name + "writes", "requests", "writes that the device ended",
                   {&counts_[1].requests});
  registry.counter(name + "flushes", "requests", "flushes that the device ended", {&flushes_});
  registry.counter(name + "read_bytes", "bytes", "bytes of these reads", {&counts_[0].bytes});
  registry.counter(name + "write_bytes", "bytes", "bytes of these writes", {&counts_[1].bytes});
  registry.histogram(name + "read_latency_us", "us",
                     "a read, from the device's getting it to its end", kMicrosecond.value(),
                     {&counts_[0].latency});
  registry.histogram(name + "write_latency_us", "us",
                     "a write, from the device's getting it to its end", kMicrosecond.value(),
                     {&counts_[1].latency});
  register_level(registry, name + "outstanding", "requests",
                 "mean number of requests that the device has", outstanding_);
}

void Intake::reset(Tick now) {
  counts_ = {};
  flushes_ = 0;
  outstanding_.reset(now);
}

void Intake::serialize(Archive& archive) {
  archive.section("device requests");
  archive(jobs_, waiting_, started_, barrier_, outstanding_, counts_, flushes_);
  if (!archive.loading()) {
    return;
  }
  waiting_.each(each_is_one_of(archive, in_use()));
  const auto capacity = static_cast<std::uint64_t>(capacity_.value());
  for (const std::uint32_t place : jobs_.taken()) {
    const IoRequest& request = jobs_[place].request;
    archive.check(request.bytes <= capacity && request.offset <= capacity - request.bytes,
                  "a request lies beyond the device's end");
  }
}

}  // namespace hmsim

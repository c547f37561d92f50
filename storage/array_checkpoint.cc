// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints of an array: each request and each transfer is in one place.
#include <algorithm>

#include "core/places.h"
#include "storage/array.h"

namespace hmsim {

namespace {

constexpr const char* kWrong = "the storage array does not hold together";

}  // namespace

void Array::serialize(Archive& archive) {
  archive.section("storage array");
  archive(jobs_, transfers_, held_, barrier_, passed_, tags_);
  archive.fixed(queues_);
  for (SlotsInTurn<std::uint32_t>& each : buffers_) {
    each.serialize(archive);
  }
  archive(link_, ring_, memory_, events_, arriving_, sent_, ending_, counts_);
  if (archive.loading()) {
    check_loaded(archive);
  }
}

void Array::check_loaded(const Archive& archive) const {
  const std::vector<bool> used = jobs_.in_use();
  const auto capacity = static_cast<std::uint64_t>(capacity_.value());
  Places jobs(archive, jobs_.size(), kWrong);
  jobs_.take_free(jobs);
  std::vector<std::uint32_t> open(jobs_.size());
  Places transfers(archive, transfers_.size(), kWrong);
  transfers_.take_free(transfers);
  const std::vector<bool> under_way = transfers_.in_use();
  std::vector<std::uint32_t> unstarted(queues_.size());
  for (std::uint32_t i = 0; i < transfers_.size(); ++i) {
    if (!under_way[i]) {
      continue;
    }
    const Transfer& transfer = transfers_[i];
    archive.check_index(transfer.job, jobs_.size(), kWrong);
    archive.check_index(transfer.queue, queues_.size(), kWrong);
    archive.check_index(transfer.controller, memory_.size(), kWrong);
    archive.check(used[transfer.job] && transfer.bytes > 0 && transfer.offset < capacity &&
                      transfer.bytes <= capacity - transfer.offset,
                  kWrong);
    archive.check(transfer.started ||
                      (queues_[transfer.queue].stalled && !queues_[transfer.queue].jobs.empty() &&
                       queues_[transfer.queue].jobs.front() == transfer.job),
                  kWrong);
    ++open[transfer.job];
    unstarted[transfer.queue] += transfer.started ? 0 : 1;
  }
  const auto waits = [&](std::uint32_t transfer) { transfers.take(transfer); };
  // What has left its queue.
  const auto moves = [&](std::uint32_t transfer) {
    transfers.take(transfer);
    archive.check(transfers_[transfer].started, kWrong);
  };
  events_.each([&](const auto& event) {
    archive.check(event.time >= Tick(0) && event.time < kNever, kWrong);
    moves(event.payload);
  });
  for (const Delay<std::uint32_t>* delay : {&arriving_, &sent_}) {
    delay->each([&](std::uint32_t transfer, Tick time) {
      archive.check(time >= Tick(0) && time < kNever, kWrong);
      moves(transfer);
    });
  }
  ending_.each([&](std::uint32_t job, Tick time) {
    archive.check(time >= Tick(0) && time < kNever, kWrong);
    jobs.take(job);
  });
  for (const auto& buffers : buffers_) {
    buffers.each_waiting([&](std::uint32_t transfer, std::size_t line) {
      waits(transfer);
      archive.check(line == line_of(transfers_[transfer]), kWrong);
    });
  }
  for (const LinkDirection& link : link_) {
    link.server.waiting().each(moves);
  }
  ring_.waiting().each(moves);
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    memory_[i].in.each_waiting(moves);
    memory_[i].out.each_waiting(waits);
    memory_[i].server.waiting().each(moves);
  }
  held_.each([&](std::uint32_t job) { jobs.take(job); });
  tags_.each_waiting([&](std::uint32_t job) { jobs.take(job); });
  for (std::size_t queue = 0; queue < queues_.size(); ++queue) {
    archive.check(unstarted[queue] == (queues_[queue].stalled ? 1 : 0), kWrong);
    queues_[queue].jobs.each([&](std::uint32_t job) {
      jobs.take(job);
      archive.check(!jobs_[job].whole() || queues_[queue].stalled, kWrong);
    });
  }
  for (std::uint32_t i = 0; i < jobs_.size(); ++i) {
    if (used[i]) {
      const Job& job = jobs_[i];
      archive.check(job.request.offset <= capacity &&
                        job.request.bytes <= capacity - job.request.offset &&
                        job.cut <= job.request.bytes && job.open == open[i],
                    kWrong);
      archive.check(jobs.has(i) || (job.whole() && job.open > 0), kWrong);
    }
  }
  archive.check(transfers.all() && passed_ >= 0, kWrong);
}

std::vector<std::uint32_t> Array::under_way() const {
  std::vector<std::uint32_t> tags;
  for (const std::uint32_t job : jobs_.taken()) {
    tags.push_back(jobs_[job].request.tag);
  }
  std::sort(tags.begin(), tags.end());
  return tags;
}

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints of an array.
#include "storage/array.h"

namespace hmsim {

void Array::serialize(Archive& archive) {
  archive.section("storage array");
  io_queue_.serialize(archive);
  jobs_.resize(io_queue_.size());
  archive.fixed(jobs_, queues_);
  archive(transfers_, tags_);
  for (SlotsInTurn<std::uint32_t>& each : buffers_) {
    each.serialize(archive);
  }
  archive(link_, ring_, memory_, events_, arriving_, sent_, ending_, counts_);
  if (archive.loading()) {
    check_indices(archive);
  }
}

// Checks a loaded state, so that a damaged checkpoint cannot lead to invalid accesses: the indices
// of jobs and transfers, and the sizes that bound the number of transfers of a job.
void Array::check_indices(const Archive& archive) const {
  for (std::uint32_t index = 0; index < jobs_.size(); ++index) {
    archive.check(jobs_[index].cut <= io_queue_[index].bytes, "too many transfers of a request");
  }
  const auto check_job = each_is_one_of(archive, io_queue_.in_use());
  for (const std::uint32_t index : transfers_.taken()) {
    const Transfer& transfer = transfers_[index];
    check_job(transfer.job);
    archive.check_index(transfer.queue, queues_.size(), "invalid queue");
    archive.check_index(transfer.controller, memory_.size(), "invalid controller");
  }
  tags_.each_waiting(check_job);
  ending_.each(check_job);
  for (const Queue& queue : queues_) {
    queue.jobs.each(check_job);
  }
  const auto check_transfer = each_is_one_of(archive, transfers_.in_use());
  events_.each([&](const auto& event) { check_transfer(event.payload); });
  arriving_.each(check_transfer);
  sent_.each(check_transfer);
  ring_.waiting().each(check_transfer);
  for (const auto& buffers : buffers_) {
    buffers.each_waiting(check_transfer);
  }
  for (const LinkDirection& link : link_) {
    link.server.waiting().each(check_transfer);
  }
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    memory_[i].in.each_waiting(check_transfer);
    memory_[i].out.each_waiting(check_transfer);
    memory_[i].server.waiting().each(check_transfer);
  }
}

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
// Storage of kind array, for Moneta and HASTE: its descriptor and parameters. Controllers are
// behind a ring and a link.
#include <string>

#include "storage/array.h"
#include "storage/design.h"

namespace hmsim {

void ArrayParameters::declare(ParameterSet& parameters) {
  const ParameterSet::Scope scope(parameters, "array");
  constexpr const char* kPaper = "Caulfield et al. 2010";
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;
  parameters.integer("tags", tags, {1, 65'536}, "requests",
                     {"requests that the device accepts at a time; others wait for a tag", kPaper});
  parameters.integer("queues", queues, {1, 1'024}, "queues",
                     {"first-in first-out queues, each with a separate scheduler", kPaper});
  parameters.choice<QueueOf>(
      "queue_of", queue_of, {{"direction", QueueOf::direction}, {"submitter", QueueOf::submitter}},
      {"queue of a request. direction: reads to the first, writes to the second, if there is one; "
       "submitter: by the number of the submitting thread, as in NVMe",
       kPaper});
  parameters.choice<QueueOrder>(
      "order", order, {{"fifo", QueueOrder::fifo}, {"balance", QueueOrder::balance}},
      {"fifo: all transfers of a request start before those of the next; balance: one starts, and "
       "the rest of its request moves to the queue's end",
       kPaper});
  parameters.integer("buffers", buffers, {1, 65'536}, "buffers",
                     {"buffers of each queue; a transfer needs one, of any size", kPaper});
  parameters.boolean("shared_buffers", shared_buffers,
                     {"whether all queues share the buffers; waiting queues get them in turn",
                      "NVM Express 1.2, 4.11, round robin; sharing the buffers is a choice"});
  parameters.size("buffer", buffer, {512, kMostBytes},
                  {"size of each buffer, and of the largest transfer", kPaper});
  parameters.size(
      "stripe", stripe, {512, kMostBytes},
      {"contiguous bytes on one controller before the next controller follows", kPaper});
  parameters.time("ring_to", ring_to, {"time per KiB of a transfer to a controller", kPaper},
                  kMillisecond);
  parameters.time("ring_from", ring_from, {"time per KiB of a transfer from a controller", kPaper},
                  kMillisecond);
  parameters.time(
      "end_time", end_time,
      {"time from the end of a request's last transfer until the host observes it", kPaper});
}

std::vector<ParameterError> ArrayParameters::check() const {
  std::vector<ParameterError> errors;
  const auto multiple = [&errors](const char* name, Bytes size) {
    if (size % Bytes(512) != Bytes(0)) {
      errors.push_back({std::string("storage.array.") + name, "must be a multiple of 512B"});
    }
  };
  multiple("buffer", buffer);
  multiple("stripe", stripe);
  return errors;
}

void LinkParameters::declare(ParameterSet& parameters) {
  const ParameterSet::Scope scope(parameters, "link");
  constexpr const char* kSource = "Caulfield et al. 2010, Fig. 3, and rates of large requests";
  parameters.time("to_host", to_host.per_kib,
                  {"time per KiB that a transfer to the host occupies the link", kSource});
  parameters.time(
      "to_host_fixed", to_host.fixed,
      {"additional time until the host has the data; other transfers may follow", kSource});
  parameters.time("from_host", from_host.per_kib,
                  {"time per KiB that a transfer from the host occupies the link", kSource});
  parameters.time(
      "from_host_fixed", from_host.fixed,
      {"additional time until the device has the data; other transfers may follow", kSource});
}

void ArrayDesign::declare(ParameterSet& parameters) {
  array.declare(parameters);
  link.declare(parameters);
  memory.declare(parameters);
  power.declare(parameters);
}

std::vector<ParameterError> ArrayDesign::check(Bytes capacity) const {
  std::vector<ParameterError> errors = array.check();
  const Bytes transfer = earlier(array.buffer, array.stripe);
  if (transfer > memory.queue) {
    errors.push_back({"storage.memory.queue", "must be at least " + format_size(transfer) +
                                                  ", the largest transfer (storage.array.buffer, "
                                                  ".stripe)"});
  }
  if (capacity > memory.whole()) {
    errors.push_back(
        {"storage.capacity",
         "must be at most " + format_size(memory.whole()) +
             ", the capacity of storage.memory.controllers with storage.memory.capacity each"});
  }
  return errors;
}

extern const StorageDescriptor kStorage_array;
const StorageDescriptor kStorage_array{
    "array", "memory controllers behind a ring, a scheduler and a link: Moneta and its kin",
    make_storage_design<PlainDesign<ArrayDesign, Array>>};

}  // namespace hmsim

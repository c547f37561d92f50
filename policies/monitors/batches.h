// SPDX-License-Identifier: BSD-3-Clause
// A batch: consecutive requests of one source and direction to one row.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/types.h"
#include "policies/monitors/pending.h"
#include "policies/policy.h"

namespace hmsim {

struct Batch {
  std::uint64_t number = 0;  // order of the first requests
  std::size_t source = 0;
  bool write = false;
  bool nvdimm = false;
  bool persistent = false;  // belongs to a persist epoch
  std::uint64_t epoch = 0;
  int bank = 0;  // over all ranks and pseudo-banks
  std::int64_t row = 0;
  Tick began{0};
  std::int64_t requests = 0;  // pending
  bool open = false;          // accepts more requests
  bool complete = false;      // as of the last list()
  std::uint64_t group = 0;    // position in the group from 1; 0: not in the group
  std::size_t place = 0;      // index in the active list of its direction

  void serialize(Archive& archive) {
    archive(number, source, write, nvdimm, persistent, epoch, bank, row, began, open, complete,
            group);
  }
};

// Forms batches and holds the batches of the current group. A batch in a group takes no more
// requests, so every group ends.
class Batches {
 public:
  void connect(const ChannelShape& shape, std::int64_t cap, Tick age) {
    shape_ = shape;
    cap_ = cap;
    age_ = age;
    pending_.connect(shape.slots, 2);
    batch_of_.assign(shape.slots, kNone);
    priority_.assign(shape.slots, kOwnTurn);
    batches_.resize(shape.slots);
    for (std::uint32_t i = shape.slots; i > 0; --i) {
      free_.push_back(i - 1);
    }
  }

  // Clears the priority of a slot whose new request is in no batch yet.
  void forget(std::uint32_t slot) { priority_[slot] = kOwnTurn; }

  // Adds a request to its source's newest batch, or starts a new one. `writing`: it is the writes'
  // turn.
  void join(const RequestView& request, std::size_t source, bool writing, Tick now) {
    pending_.add(request, request.write ? 1 : 0);
    const std::size_t line = line_of(source, request.write);
    if (line >= newest_.size()) {
      newest_.resize(line + 1, kNone);
    }
    std::uint32_t& newest = newest_[line];
    if (newest == kNone || !takes(batches_[newest], request)) {
      if (newest != kNone) {
        batches_[newest].open = false;
      }
      newest = begin(request, source, now);
    }
    batch_of_[request.slot] = newest;
    Batch& batch = batches_[newest];
    ++batch.requests;
    batch.open = batch.requests < cap_;
    priority_[request.slot] = priority_of(batch, writing);
  }

  void leave(const RequestView& request) {
    pending_.remove(request.slot);
    const std::uint32_t number = batch_of_[request.slot];
    Batch& batch = batches_[number];
    in_group_ -= batch.group != 0 ? 1 : 0;
    if (--batch.requests == 0) {
      std::uint32_t& newest = newest_[line_of(batch.source, batch.write)];
      newest = newest == number ? kNone : newest;
      std::vector<std::uint32_t>& active = active_[batch.write ? 1 : 0];
      active[batch.place] = active.back();
      batches_[active.back()].place = batch.place;
      active.pop_back();
      free_.push_back(number);
    }
  }

  bool empty() const { return pending_.size() == 0; }
  bool pending(bool write) const { return pending_.oldest(write ? 1 : 0) != kNone; }
  // Returns the number of pending requests of a direction.
  std::int64_t count(bool write) const {
    std::int64_t requests = 0;
    for (const std::uint32_t number : active_[write ? 1 : 0]) {
      requests += batches_[number].requests;
    }
    return requests;
  }
  // Returns when the batch of the oldest request of a direction began. Precondition: there is one.
  Tick oldest(bool write) const {
    return batches_[batch_of_[pending_.oldest(write ? 1 : 0)]].began;
  }
  std::int64_t in_group() const { return in_group_; }  // requests

  // Returns the batches of a direction, for the caller to sort. Valid until the next call.
  std::vector<Batch*>& list(bool write, Tick now) {
    std::vector<Batch*>& list = lists_[write ? 1 : 0];
    list.clear();
    for (const std::uint32_t number : active_[write ? 1 : 0]) {
      Batch& batch = batches_[number];
      batch.complete = !batch.open || now - batch.began >= age_;
      list.push_back(&batch);
    }
    return list;
  }

  void dissolve_group() {
    for (const std::vector<std::uint32_t>& active : active_) {
      for (const std::uint32_t number : active) {
        batches_[number].group = 0;
      }
    }
    in_group_ = 0;
    group_size_ = 0;
  }
  void add_to_group(Batch& batch) {
    batch.group = ++group_size_;
    batch.open = false;
    in_group_ += batch.requests;
  }

  // Returns the priority of a slot. Requests of the group go first, batch by batch. An NVDIMM
  // request whose direction does not have the turn goes last; for DRAM the controller already
  // separates the directions.
  std::uint64_t priority(std::uint32_t slot) const { return priority_[slot]; }
  // Recomputes all priorities. Returns the slots whose priority changed with the group or the turn;
  // valid until the next call.
  const std::vector<std::uint32_t>& changed_priorities(bool writing) {
    changed_.clear();
    for (std::size_t list = 0; list < 2; ++list) {
      for (auto slot = pending_.oldest(list); slot != kNone; slot = pending_.next(slot)) {
        const std::uint64_t priority = priority_of(batches_[batch_of_[slot]], writing);
        if (priority_[slot] != priority) {
          priority_[slot] = priority;
          changed_.push_back(slot);
        }
      }
    }
    return changed_;
  }

  // `sources`: number of sources. On loading, unused batches and each source's newest batch are
  // derived from the requests.
  void serialize(Archive& archive, std::size_t sources) {
    archive(pending_, next_number_, group_size_);
    archive.fixed(batch_of_, priority_, batches_);
    if (!archive.loading()) {
      return;
    }
    in_group_ = 0;
    pending_.each([&](const RequestView& request) {
      const std::uint32_t number = batch_of_[request.slot];
      archive.check_index(number, batches_.size(), "request without a batch");
      ++batches_[number].requests;
      in_group_ += batches_[number].group != 0 ? 1 : 0;
    });
    free_.clear();
    active_ = {};
    newest_.assign(2 * sources, kNone);
    for (auto number = static_cast<std::uint32_t>(batches_.size()); number-- > 0;) {
      Batch& batch = batches_[number];
      if (batch.requests == 0) {
        free_.push_back(number);
        continue;
      }
      archive.check_index(batch.source, sources, "batch without a source");
      archive.check_index(batch.bank, static_cast<std::size_t>(shape_.banks()),
                          "batch without a bank");
      activate(number);
      std::uint32_t& newest = newest_[line_of(batch.source, batch.write)];
      newest = newest == kNone || batches_[newest].number < batch.number ? number : newest;
    }
  }

 private:
  static constexpr std::uint32_t kNone = PendingRequests::kNone;
  static constexpr std::uint64_t kOwnTurn = std::uint64_t{1} << 63;
  static constexpr std::uint64_t kInGroup = std::uint64_t{1} << 62;

  static std::size_t line_of(std::size_t source, bool write) {
    return source * 2 + (write ? 1 : 0);
  }
  bool takes(const Batch& batch, const RequestView& request) const {
    return batch.open && batch.bank == shape_.bank_number(request) && batch.row == request.row &&
           batch.epoch == epoch_of(request);
  }
  static std::uint64_t epoch_of(const RequestView& request) {
    return request.memory == MemoryClass::nvdimm && request.write ? request.epoch : 0;
  }
  static std::uint64_t priority_of(const Batch& batch, bool writing) {
    const bool turn = !batch.nvdimm || batch.write == writing;
    return (turn ? kOwnTurn : 0) | (batch.group != 0 ? kInGroup - (batch.group << 1) : 0);
  }
  std::uint32_t begin(const RequestView& request, std::size_t source, Tick now) {
    const std::uint32_t number = free_.back();
    free_.pop_back();
    Batch& batch = batches_[number];
    batch = Batch();
    batch.number = next_number_++;
    batch.source = source;
    batch.write = request.write;
    batch.nvdimm = request.memory == MemoryClass::nvdimm;
    batch.persistent = batch.nvdimm && batch.write;
    batch.epoch = epoch_of(request);
    batch.bank = shape_.bank_number(request);
    batch.row = request.row;
    batch.began = now;
    activate(number);
    return number;
  }
  void activate(std::uint32_t number) {
    Batch& batch = batches_[number];
    std::vector<std::uint32_t>& active = active_[batch.write ? 1 : 0];
    batch.place = active.size();
    active.push_back(number);
  }

  ChannelShape shape_;
  std::int64_t cap_ = 0;
  Tick age_{0};
  PendingRequests pending_;              // requests in batches: reads, writes
  std::vector<std::uint32_t> batch_of_;  // by slot
  std::vector<std::uint64_t> priority_;  // by slot
  std::vector<Batch> batches_;           // one per slot; unused ones have no requests
  std::vector<std::uint32_t> free_;
  std::array<std::vector<std::uint32_t>, 2> active_;  // reads, writes; unordered
  std::vector<std::uint32_t> newest_;                 // by source and direction
  std::uint64_t next_number_ = 0;
  std::int64_t in_group_ = 0;
  std::uint64_t group_size_ = 0;
  std::array<std::vector<Batch*>, 2> lists_;
  std::vector<std::uint32_t> changed_;
};

}  // namespace hmsim

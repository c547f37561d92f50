// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints of cores over instruction traces.
#include <algorithm>
#include <utility>

#include "agents/core/cpu_core.h"
#include "core/places.h"

namespace hmsim {

namespace {

constexpr std::int64_t kLast = std::int64_t{1} << 60;  // slot
constexpr const char* kWrong = "a core's instructions do not hold together";

}  // namespace

void CpuCore::Node::serialize(Archive& archive) {
  archive(start, operands, data, unknown_operands, unknown_data, loads, readers, last_reader);
  archive(next_reader, links);
}

void CpuCore::Access::serialize(Archive& archive) {
  archive(number, operand, fill, start, first, next);
}

void CpuCore::serialize_core(Archive& archive) {
  source_->serialize(archive);
  if (own_l3_ != nullptr) {
    own_l3_->serialize(archive);
  }
  caches_->serialize(archive);
  fills_->serialize(archive);
  archive(instruction_);
  archive.fixed(nodes_);
  archive(writers_, accesses_, unused_, steps_, write_backs_);
  archive(writes_outside_, stores_waiting_, merges_);
  if (archive.loading()) {
    check_waiters(archive);
    check_nodes(archive);
  }
}

// Each access waits for one fill, or its link is unused.
void CpuCore::check_waiters(const Archive& archive) const {
  Places accesses(archive, accesses_.size(), kWrong);
  for (const Link link : unused_) {
    accesses.take(link);
  }
  std::int64_t stores = 0;
  const std::vector<bool> used = fills_->in_use();
  for (Fill id = 0; id < used.size(); ++id) {
    const FillTable::Fill& fill = std::as_const(*fills_)[id];
    if (!used[id]) {
      continue;
    }
    const Link last = accesses.chain(fill.waiters, [&](Link link) {
      const Access& access = accesses_[link];
      archive.check(access.fill == id && access.operand < kMostAccesses && access.number >= 0 &&
                        access.start >= kUnknown,
                    kWrong);
      stores += access.operand < kMostLoads ? 0 : 1;
      const bool known = in_window(access.number) && ready_slot(access.number) == kUnknown;
      archive.check(
          known ? node(access.number).links[access.operand] == link : access.operand >= kMostLoads,
          kWrong);
      return access.next;
    });
    archive.check(fill.waiters == kNone || fill.last_waiter == last, kWrong);
  }
  archive.check(accesses.all() && stores == stores_waiting_, kWrong);
}

// An instruction of the window that is not ready waits for registers or lines.
void CpuCore::check_nodes(const Archive& archive) const {
  for (const std::int64_t writer : writers_) {
    archive.check(writer >= kUnknown, kWrong);
  }
  Places reads(archive, nodes_.size() * kMostSources, kWrong);
  std::vector<std::int32_t> unknown(nodes_.size());
  for (std::uint32_t index = 0; index < nodes_.size(); ++index) {
    const std::int64_t number = number_at(index);
    if (in_window(number) && ready_slot(number) == kUnknown) {
      check_node(archive, number, reads);
    }
  }
  for (std::size_t read = 0; read < nodes_.size() * kMostSources; ++read) {
    unknown[read / kMostSources] += reads.has(read) ? 1 : 0;
  }
  for (std::uint32_t index = 0; index < nodes_.size(); ++index) {
    const std::int64_t number = number_at(index);
    const bool waits = in_window(number) && ready_slot(number) == kUnknown;
    archive.check(waits ? nodes_[index].unknown_operands == unknown[index] : unknown[index] == 0,
                  kWrong);
  }
}

void CpuCore::check_node(const Archive& archive, std::int64_t number, Places& reads) const {
  const Node& own = node(number);
  const std::uint32_t last = reads.chain(own.readers, [&](std::uint32_t id) {
    return nodes_[id / kMostSources].next_reader[id % kMostSources];
  });
  std::int32_t lines = 0;
  for (std::size_t operand = 0; operand < kMostAccesses; ++operand) {
    const Link link = own.links[operand];
    archive.check_index(link, accesses_.size(), kNone, kWrong);
    if (link != kNone) {
      archive.check(accesses_[link].number == number && accesses_[link].operand == operand &&
                        accesses_[link].fill < fills_->in_use().size(),
                    kWrong);
      lines += operand < kMostLoads ? 1 : 0;
    }
  }
  archive.check((own.readers == kNone || own.last_reader == last) && own.unknown_data == lines &&
                    (own.start == kUnknown) == (own.unknown_operands > 0) &&
                    own.start >= kUnknown && own.start < kLast && own.operands >= 0 &&
                    own.operands < kLast && own.data >= 0 && own.data < kLast &&
                    own.unknown_operands + lines > 0,
                kWrong);
}

// Each fill that has started waits for one thing.
void CpuCore::check_outstanding(const Archive& archive,
                                const std::vector<Outstanding>& requests) const {
  constexpr const char* kOthers = "a core waits for other requests than are under way";
  const std::vector<bool> used = fills_->in_use();
  Places fetched(archive, used.size(), kOthers);
  Places asked(archive, used.size(), kOthers);
  std::int64_t writes = 0;
  for (const Outstanding& each : requests) {
    if (each.request.tag == kPosted) {
      writes += each.admitted ? 0 : 1;
    } else {
      fetched.take(each.request.tag);
    }
  }
  std::size_t write_backs = 0;
  steps_.each([&](const auto& step) {
    if (step.kind == Step::write_back) {
      ++write_backs;
    } else if (step.kind == Step::ask) {
      archive.check_index(step.payload, used.size(), kOthers);
    } else {
      fetched.take(step.payload);
      archive.check(step.kind == Step::fill || std::as_const(*fills_)[step.payload].fetches,
                    kOthers);
    }
  });
  for (Fill id = 0; id < used.size(); ++id) {
    const FillTable::Fill& fill = std::as_const(*fills_)[id];
    const bool waits_below = fill.below != kNone;
    const bool waits_for_other = !fill.fetches && fill.miss != LastLevelCache::kNone;
    const bool started = used[id] && fill.started;
    archive.check(fetched.has(id) == (started && !waits_below && !waits_for_other), kOthers);
  }
  const auto held = static_cast<std::int64_t>(write_backs);
  archive.check(write_backs == write_backs_.size() && writes_outside_ == writes + held, kOthers);
  archive.check(!stalled() || blocked(), "a core waits for nothing");
  check_misses(archive);
}

// The misses that the core's fills refer to in L3 are those that L3 knows of the core.
void CpuCore::check_misses(const Archive& archive) const {
  const std::vector<bool> used = fills_->in_use();
  std::vector<std::pair<LastLevelCache::MissId, std::uint32_t>> own;
  for (Fill id = 0; id < used.size(); ++id) {
    const FillTable::Fill& fill = std::as_const(*fills_)[id];
    if (used[id] && fill.miss != LastLevelCache::kNone) {
      own.emplace_back(fill.miss, id);
    }
  }
  auto known = l3_->references_of(user_);
  std::sort(own.begin(), own.end());
  std::sort(known.begin(), known.end());
  archive.check(own == known, kWrong);
  for (const auto& [miss, id] : own) {
    archive.check(!std::as_const(*fills_)[id].fetches || l3_->requested(miss), kWrong);
  }
}

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints of cores over instruction traces. Lists of accesses and reads that wait are saved as
// their members and rebuilt on load.
#include <vector>

#include "agents/core/cpu_core.h"

namespace hmsim {

void CpuCore::Node::serialize(Archive& archive) {
  archive(start, operands, data, loads);
  if (archive.loading()) {
    links.fill(kNone);
  }
}

void CpuCore::Access::serialize(Archive& archive) { archive(number, operand, fill, start, first); }

void CpuCore::serialize_state(Archive& archive) {
  serialize_passes(archive);
  serialize_caches(archive);
  if (archive.loading()) {
    pass_.resume_loaded();
  }
}

void CpuCore::serialize_caches(Archive& archive) {
  source_->serialize(archive);
  if (own_l3_ != nullptr) {
    own_l3_->serialize(archive);
  }
  caches_->serialize(archive);
  fills_->serialize(archive);
  archive(instruction_);
  archive.fixed(nodes_);
  archive(writers_, steps_, write_backs_, writes_outside_, merges_);
  archive.check(writes_outside_ >= 0, "core in wait for writes without writes");
  steps_.each([&](const auto& step) {
    archive.check(step.kind == Step::write_back || step.payload < fills_->size(),
                  "invalid fill of a core's caches");
  });
  serialize_accesses(archive);
  serialize_reads(archive);
}

void CpuCore::serialize_accesses(Archive& archive) {
  std::vector<Access> waiting;  // in order within each fill
  for (const Fill id : fills_->taken()) {
    for (Link link = (*fills_)[id].waiters; link != kNone; link = accesses_[link].next) {
      waiting.push_back(accesses_[link]);
    }
  }
  archive(waiting);
  if (!archive.loading()) {
    return;
  }
  accesses_.clear();
  unused_.clear();
  stores_waiting_ = 0;
  for (const Access& access : waiting) {
    archive.check_index(access.fill, fills_->size(), "access of a core that waits for no fill");
    archive.check_index(access.operand, kMostAccesses, "invalid access of a core");
    const Link link = add(access);
    if (pass_.window().holds(access.number)) {
      attach(link);
    }
  }
}

void CpuCore::serialize_reads(Archive& archive) {
  // writers[node][operand]: the instruction whose result this register operand waits for.
  std::vector<std::array<std::int64_t, kMostSources>> writers(nodes_.size());
  for (auto& each : writers) {
    each.fill(kUnknown);
  }
  pass_.window().each([&](std::int64_t writer) {
    std::uint32_t id = pass_.window()[writer].ready == kUnknown ? node(writer).readers : kNone;
    for (; id != kNone; id = nodes_[id / kMostSources].next_reader[id % kMostSources]) {
      writers[id / kMostSources][id % kMostSources] = writer;
    }
  });
  archive.fixed(writers);
  if (!archive.loading()) {
    return;
  }
  pass_.window().each([&](std::int64_t number) {
    for (std::size_t i = 0; i < kMostSources; ++i) {
      const std::int64_t writer = writers[pass_.window().place_of(number)][i];
      if (writer != kUnknown) {
        // Lists may only contain instructions in the window.
        archive.check(pass_.window().holds(writer) && writer < number &&
                          pass_.window()[writer].ready == kUnknown,
                      "dependent instruction that waits for no instruction");
        wait_for_register(writer, number, i);
      }
    }
  });
}

}  // namespace hmsim

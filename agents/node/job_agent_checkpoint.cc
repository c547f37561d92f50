// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints of jobs.
#include "agents/node/job_agent.h"

namespace hmsim {

void JobAgent::serialize_state(Archive& archive) {
  archive.section("job");
  threads_.serialize(archive);
  messages_.serialize(archive);
  for (JobSite& site : sites_.all()) {
    site.write_back.serialize(archive);
  }
  transfers_.serialize(archive);
  archive(timers_, io_meter_, done_);
  if (archive.loading()) {
    steps_.check(archive);
    messages_.check(archive);
    check_threads(archive);
    check_blocks(archive);
  }
}

// All that names a thread names one that there is.
void JobAgent::check_threads(const Archive& archive) const {
  const auto check = [&](std::uint32_t thread) {
    archive.check_index(thread, threads_.size(), "a thread of a job does not exist");
  };
  for (const JobSite& site : sites_.all()) {
    for (const auto* waiting :
         {&site.write_back.idle, &site.write_back.throttled, &site.write_back.syncing}) {
      waiting->each(check);
    }
  }
  timers_.each([&](const JobTimers::Event& timer) { check(timer.payload); });
  transfers_.each_thread(check);
}

// Addresses count modulo the device's lines.
void JobAgent::check_blocks(const Archive& archive) const {
  constexpr const char* kNone = "a job has blocks, and the configuration has none";
  for (std::uint32_t number = 0; number < threads_.size(); ++number) {
    const JobThread& thread = threads_[number];
    const JobRecord& record = thread.record;
    archive.check(has_nvdimm_ || (record.miss.memory == MemoryClass::dram && thread.lines == 0),
                  kNone);
    archive.check(block_lines_ > 0 || (record.lines == 0 && record.action != JobAction::sync),
                  kNone);
  }
  for (const JobSite& site : sites_.all()) {
    archive.check(block_lines_ > 0 || site.write_back.queue_is_empty(), kNone);
  }
}

}  // namespace hmsim

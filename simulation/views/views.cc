// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/views/views.h"

#include <array>
#include <numeric>

namespace hmsim {

namespace {

constexpr std::array<const char*, ViewSums::kClasses> kNames{"load", "prefetch", "core_write",
                                                             "other_read", "other_write"};

void add(Views::Values& values, const std::string& view, const ViewSums& sums, Tick after,
         Tick now) {
  for (std::size_t kind = 0; kind < ViewSums::kClasses; ++kind) {
    const std::string path = view + "." + kNames[kind];
    const ViewSums::Sum& sum = sums.of(kind);
    values.emplace_back(path + ".count", sum.count);
    values.emplace_back(path + ".bytes", sum.bytes);
    values.emplace_back(path + ".ps", sum.latency.value());
  }
  values.emplace_back(view + ".in_flight", sums.inside());
  values.emplace_back(view + ".area_ps", sums.area(now).value());
  values.emplace_back(view + ".before_ps", sums.before().value());
  values.emplace_back(view + ".after_ps", after.value());
}

}  // namespace

void Views::begin(const std::vector<Requester::Outstanding>& outstanding, Tick now) {
  measuring_ = true;
  begin_ = now;
  application_.begin(now);
  interface_.begin(now);
  simulator_.begin(now);
  for (const Requester::Outstanding& each : outstanding) {
    const Request& request = each.request;
    if (!request.flush && passing_.count(request.id) == 0) {
      passing_[request.id] = {request.arrival, each.since.value_or(kNever), kNever, kNever,
                              kind_of(request)};
    }
  }
  for (const auto& [id, passage] : passing_) {
    interface_.entered(passage.sent);
    if (passage.admitted != kNever) {
      simulator_.entered(passage.admitted);
    }
  }
  for (const auto& [id, issue] : issued_) {
    application_.entered(issue.at);
  }
}

ViewClass Views::kind_of(const Request& request) const {
  const bool core = cores_.count(request.agent) != 0;
  if (request.write) {
    return core ? ViewClass::core_write : ViewClass::other_write;
  }
  if (!core) {
    return ViewClass::other_read;
  }
  const auto issue = issued_.find(key(request.agent, request.tag));
  const bool load = issue != issued_.end() && !issue->second.prefetch;
  return load ? ViewClass::load : ViewClass::prefetch;
}

void Views::sent(const Request& request, Tick now) {
  if (request.flush) {
    return;
  }
  Passage passage;
  passage.sent = now;
  passage.kind = kind_of(request);
  unseen_ += passing_.emplace(request.id, passage).second ? 0 : 1;
  if (measuring_) {
    interface_.entered(now);
  }
}

void Views::admitted(const Request& request, Tick now) {
  const auto found = passing_.find(request.id);
  if (found == passing_.end()) {
    unseen_ += request.flush ? 0 : 1;
    return;
  }
  found->second.admitted = now;
  if (measuring_) {
    simulator_.entered(now);
  }
}

void Views::on_request(const RequestRecord& record) {
  if (next_ != nullptr) {
    next_->on_request(record);
  }
  const auto found = passing_.find(record.request.id);
  if (found == passing_.end()) {
    ++unseen_;
    return;
  }
  Passage& passage = found->second;
  passage.began = record.admitted;
  passage.done = record.done;
  simulator_.left(passage.kind, record.done, record.done - record.admitted);
  const Tick admission = record.parts[static_cast<std::size_t>(LatencyPart::admission)];
  admission_ += admission;
  differ(interface_residue_, passage.admitted - passage.sent - admission);
  differ(parts_residue_, std::accumulate(record.parts.begin(), record.parts.end(), Tick(0)) -
                             (record.done - record.request.arrival));
  std::uint64_t& youngest = youngest_[record.channel];
  overtaken_ += record.request.id < youngest ? 1 : 0;
  youngest = later(youngest, record.request.id);
}

void Views::returned(const Request& request, Tick now) {
  const auto found = passing_.find(request.id);
  if (found == passing_.end()) {
    unseen_ += request.flush ? 0 : 1;
    return;
  }
  last_ = found->second;
  last_returned_ = now;
  passing_.erase(found);
  if (measuring_) {
    interface_.left(last_.kind, now, now - last_.sent);
    compare(request, last_, now);
  }
}

// Compares the interface with the simulator, which must have reported the request.
void Views::compare(const Request& request, const Passage& passage, Tick now) {
  if (passage.done == kNever || passage.admitted == kNever) {
    ++unseen_;
    return;
  }
  const Tick outside = passage.admitted - request.arrival;
  differ(interface_residue_, (now - passage.sent) - outside - (passage.done - passage.began));
  const bool ordered = request.arrival <= passage.sent && passage.sent <= passage.admitted &&
                       passage.began <= passage.done && passage.done <= now;
  disordered_ += ordered ? 0 : 1;
}

void Views::differ(Tick& residue, Tick difference) {
  if (difference != Tick(0)) {
    ++differing_;
    residue += later(difference, Tick(0) - difference);
  }
}

void Views::on_core(std::size_t agent, std::int64_t slots_per_millisecond,
                    std::int64_t lookup_slots) {
  cores_.insert_or_assign(agent, Core{ViewClock(slots_per_millisecond), lookup_slots});
}

void Views::on_issue(std::size_t agent, std::uint32_t tag, bool prefetch, Tick at) {
  unseen_ += issued_.emplace(key(agent, tag), Issue{at, prefetch}).second ? 0 : 1;
  if (measuring_) {
    application_.entered(at);
  }
}

void Views::on_usable(std::size_t agent, std::uint32_t tag, Tick at) {
  const auto found = issued_.find(key(agent, tag));
  if (found == issued_.end()) {
    return;  // issued before a checkpoint was loaded
  }
  const Issue issue = found->second;
  issued_.erase(found);
  if (!measuring_) {
    return;
  }
  const Core& core = cores_.at(agent);
  const Tick lookup = core.clock.time_of(core.clock.edge_from(issue.at) + core.lookup) - issue.at;
  const Tick edge = core.clock.time_of(core.clock.edge_from(last_returned_)) - last_returned_;
  application_.left(last_.kind, at, at - issue.at);
  lookup_ += last_.kind == ViewClass::load ? lookup : Tick(0);
  edge_ += last_.kind == ViewClass::load ? edge : Tick(0);
  differ(application_residue_, (at - issue.at) - (last_returned_ - last_.sent) - lookup - edge);
  disordered_ += issue.at <= last_.sent && last_returned_ <= at ? 0 : 1;
}

void Views::on_prefetched(std::size_t /*agent*/, bool present) {
  if (measuring_) {
    ++(present ? present_ : merged_);
  }
}

Views::Values Views::values(Tick now) const {
  Tick issue_after{0};
  Tick sent_after{0};
  Tick admitted_after{0};
  for (const auto& [key, issue] : issued_) {
    issue_after += now - issue.at;
  }
  for (const auto& [id, passage] : passing_) {
    sent_after += now - passage.sent;
    admitted_after += passage.admitted == kNever ? Tick(0) : now - passage.admitted;
  }
  Values values{{"window_ps", (now - begin_).value()}};
  add(values, "application", application_, issue_after, now);
  add(values, "interface", interface_, sent_after, now);
  add(values, "simulator", simulator_, admitted_after, now);
  const auto count = [&](const char* name, std::int64_t value) {
    values.emplace_back(name, value);
  };
  count("application.buffer_hits", present_);
  count("application.merged", merged_);
  count("lookup_ps", lookup_.value());
  count("edge_ps", edge_.value());
  count("admission_ps", admission_.value());
  count("overtaken", overtaken_);
  count("residue.application_ps", application_residue_.value());
  count("residue.interface_ps", interface_residue_.value());
  count("residue.parts_ps", parts_residue_.value());
  count("residue.comparisons", differing_);
  count("residue.order", disordered_);
  count("residue.unseen", unseen_);
  return values;
}

}  // namespace hmsim

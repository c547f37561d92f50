// SPDX-License-Identifier: BSD-3-Clause
// Records of users' requests to the host's FTL, made of its HBF channel's records. The FTL's work
// counts as admission before the channel has the request, and as queueing after it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "controller/accounts/request_observer.h"
#include "core/archive.h"
#include "core/request.h"
#include "core/types.h"

namespace hmsim {

class HbfJobRecords final : public RequestObserver {
 public:
  // Returns the observer for the channel, or nullptr if `observer` is nullptr.
  RequestObserver* lead_to(RequestObserver* observer) {
    observer_ = observer;
    return observer == nullptr ? nullptr : this;
  }

  // A request of a user's job, whose index is its tag, or of the collector.
  void on_request(const RequestRecord& record) override {
    if (record.request.origin != RequestOrigin::user) {
      return;
    }
    if (record.request.tag >= kept_.size()) {
      kept_.resize(record.request.tag + std::size_t{1});
    }
    kept_[record.request.tag] = {record.channel,       record.rank,   record.bank, record.admitted,
                                 record.first_command, record.issued, record.done, record.parts};
  }
  // A user's request ended with this job.
  void ended(const Request& request, std::uint32_t job, Tick now) {
    if (observer_ == nullptr || job >= kept_.size() || kept_[job].done == kNever) {
      return;
    }
    const Kept kept = kept_[job];
    kept_[job].done = kNever;
    RequestRecord record{request,       kept.channel,       kept.rank,   kept.bank, false,
                         kept.admitted, kept.first_command, kept.issued, now,       kept.parts};
    record.parts[static_cast<std::size_t>(LatencyPart::queueing)] += now - kept.done;
    observer_->on_request(record);
  }

  void serialize(Archive& archive) { archive(kept_); }

 private:
  struct Kept {
    int channel = 0;
    int rank = 0;
    int bank = 0;
    Tick admitted{0};
    Tick first_command{0};
    Tick issued{0};
    Tick done = kNever;  // kNever: nothing is kept
    std::array<Tick, kLatencyParts> parts{};
    void serialize(Archive& archive) {
      archive(channel, rank, bank, admitted, first_command, issued, done, parts);
    }
  };

  RequestObserver* observer_ = nullptr;
  std::vector<Kept> kept_;  // by job
};

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
// Records of the requests of a port's device, to which the port adds the time on its link.
#pragma once

#include <optional>

#include "controller/accounts/request_observer.h"
#include "core/types.h"

namespace hmsim {

class LinkRecords final : public RequestObserver {
 public:
  // Returns the observer for the device, or nullptr if `observer` is nullptr.
  RequestObserver* lead_to(RequestObserver* observer) {
    observer_ = observer;
    return observer == nullptr ? nullptr : this;
  }
  // Keeps the record until ended(), which the port calls for the same request.
  void on_request(const RequestRecord& record) override { record_.emplace(record); }
  void ended(Tick link) {
    if (record_) {
      record_->link = link;
      observer_->on_request(*record_);
      record_.reset();
    }
  }

 private:
  RequestObserver* observer_ = nullptr;
  std::optional<RequestRecord> record_;
};

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/session_by_hand.h"

#include <string>

#include "core/errors.h"

namespace hmsim {

void SessionByHand::connect(MemorySystem& memory, std::size_t requester, Host* storage) {
  memory_ = &memory;
  observes_ = false;
  session_.connect(memory, requester);
  session_.connect(storage);
}

std::uint64_t SessionByHand::submit(SessionRequest request,
                                    const std::vector<std::uint64_t>& after) {
  for (const std::uint64_t id : after) {
    if (id >= next_id_) {
      throw InputError("after: no request has the id " + std::to_string(id));
    }
  }
  request.id = next_id_;
  session_.check(request);
  observe();
  ++next_id_;
  session_.submit(request, after.data(), after.size(), kernel_.now());
  return request.id;
}

// Only a session that is used pays for the parts of its requests' times.
void SessionByHand::observe() {
  if (!observes_) {
    observes_ = true;
    memory_->set_request_observer(session_);
  }
}

void SessionByHand::on_ended(const Receipt& receipt, Tick /*now*/) {
  ++completed_;
  receipts_.push_back(receipt);
  receipts_.back().submitted += epoch_;
  receipts_.back().ended += epoch_;
  kernel_.pause();
}

void SessionByHand::serialize(Archive& archive) {
  session_.serialize(archive);
  archive(receipts_, next_id_, completed_, epoch_);
  if (archive.loading() && next_id_ > 0) {
    observe();
  }
}

}  // namespace hmsim

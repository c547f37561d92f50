// SPDX-License-Identifier: BSD-3-Clause
// What comes back: data.
#include "controller/channel/channel.h"

namespace hmsim {

// Data mode: its bytes.
void Channel::exchange(const Transaction& done, Requester& requester) {
  if (!is_nvdimm(done)) {
    exchange_dram(done.request, requester);
  } else if (done.request.write) {
    nvdimm_->write_line(done.slot, requester.write_data(done.request));
  } else {
    requester.on_read_data(done.request, nvdimm_->read_line(done.slot));
  }
}

void Channel::show(const Transaction& done, Tick gc_blocked) {
  const bool nvdimm = is_nvdimm(done);
  const Tick issued = time_of(edge_ - latency_.transfer(done.request.write));
  const bool row_hit = !nvdimm && !done.activated;
  request_observer_->on_request({done.request, index_, done.rank, bank_in_rank(done), row_hit,
                                 time_of(done.admitted),
                                 row_hit ? issued : time_of(latency_.first_command(done)), issued,
                                 time_of(edge_), latency_.parts(done, edge_, gc_blocked)});
}

}  // namespace hmsim

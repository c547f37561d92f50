// SPDX-License-Identifier: BSD-3-Clause
// Writes sent on credit: from the queue that takes them into the write part.
#include "core/errors.h"
#include "nvdimm/nvdimm.h"

namespace hmsim {

void Nvdimm::post(Address address, const LineData& data, Tick now) {
  ensure(!posted_.full(), "nvdimm", now, -1, "a write comes without credit");
  command(posted_.add(address.value() / kLineBytes.value(), data), address, true, now);
}

// The line has got its frame: its bytes go there, its place is free, and who waits looks again.
void Nvdimm::end_posted(std::uint32_t tag, Tick now) {
  const Command& command = commands_[tag];
  if (data_ != nullptr) {
    LineBytes line = stored_line(command.address);
    posted_.data(tag).apply_to(line);
    data_->write.write(command.frame, line_number(command.address), line.data());
  }
  finish(tag, now);
  SlotChain readers = posted_.readers(tag);
  posted_.remove(tag);
  while (!readers.empty()) {
    const std::uint32_t reader = readers.pop_front(links());
    commands_[reader].since = now;
    pending_.resume();
    seek_read(reader, now);
  }
  host_.on_credit(now);
  if (flush_ != kNoIndex) {
    write_back(now);
  }
}

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
// What a guest wrote to an NVDIMM before time passed for the first time: while it booted in atomic
// mode, in the image that was loaded, in another simulator. A checkpoint keeps it in a file of its
// own, which is no policy's state.
#ifndef HMSIM_GEM5_EXT_WRITTEN_BEFORE_HH
#define HMSIM_GEM5_EXT_WRITTEN_BEFORE_HH

#include <cstdint>
#include <string>
#include <vector>

#include "base/addr_range.hh"
#include "gem5-ext/gate/written_pages.h"
#include "mem/packet.hh"

namespace gem5 {
namespace memory {

class WrittenBefore {
 public:
  explicit WrittenBefore(const AddrRange& range) : range_(range) {}

  // `loaded`: an image is, whose zeros are no writes.
  void note(const Packet& packet, bool loaded);
  // Pages from the range's begin on, also those of controllers that share it.
  void read(const std::string& path);

  // Of this controller, the oldest first.
  std::vector<std::int64_t> pages() const { return pages_.oldest_first(); }

  // The name of a file in the checkpoint that is being made; "": nothing was written.
  std::string save(const std::string& name) const;
  void load(const std::string& path);

 private:
  std::int64_t page_of(Addr address) const;

  const AddrRange range_;
  hmsim::WrittenPages pages_;
};

}  // namespace memory
}  // namespace gem5

#endif

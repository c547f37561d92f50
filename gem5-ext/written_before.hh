// SPDX-License-Identifier: BSD-3-Clause
// Pages that a guest wrote to an NVDIMM before time first passed: while booting in atomic mode,
// through a loaded image, or in another simulator. A checkpoint stores them in a separate file,
// which does not depend on any policy's state.
#ifndef HMSIM_GEM5_EXT_WRITTEN_BEFORE_HH
#define HMSIM_GEM5_EXT_WRITTEN_BEFORE_HH

#include <cstdint>
#include <string>
#include <vector>

#include "base/addr_range.hh"
#include "embed/written_pages.h"
#include "mem/packet.hh"

namespace gem5 {
namespace memory {

class WrittenBefore {
 public:
  explicit WrittenBefore(const AddrRange& range) : range_(range) {}

  // `loaded`: the packet loads an image, whose zeros do not count as writes.
  void note(const Packet& packet, bool loaded);
  // Reads a file of page numbers, counted from the range's start. The file also lists pages of
  // other controllers that share the range; keeps only those with a line of this controller.
  void read(const std::string& path);

  // Returns the pages of this controller, oldest first.
  std::vector<std::int64_t> pages() const { return pages_.oldest_first(); }

  // Writes a file into the checkpoint being made. Returns its name, or "" if nothing was written.
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

// SPDX-License-Identifier: BSD-3-Clause
// Contents of an NVDIMM in data mode.
#pragma once

#include <map>

#include "nvdimm/buffer/frame_bytes.h"
#include "nvdimm/buffer/sync_buffer.h"
#include "nvdimm/ftl/ftl.h"
#include "nvdimm/nand/flash_media.h"

namespace hmsim {

// Dirty page that an interrupted save did not write. The buffer, which has power, holds it.
struct UnsavedPage {
  PageBytes bytes{};
  bool whole = true;  // the buffer has all lines, so no read is needed to complete the page

  void serialize(Archive& archive) { archive(bytes, whole); }
};

struct NvdimmData {
  NvdimmData(BufferGranularity granularity, const FtlShape& shape)
      : media(std::uint64_t{shape.luns} * shape.blocks, shape.pages, shape.parts()),
        read(granularity),
        write(granularity) {}

  // Returns the page as saved in flash or left by an interrupted save; zeros if never written.
  const PageBytes& page(const Ftl& ftl, LogicalPage page) const;
  // Returns the line at `address` of the page that page() returns.
  LineBytes saved_line(const Ftl& ftl, Address address) const;
  // Returns the newest data of the line, from the buffer if it holds the line, else from flash.
  LineBytes line(const Ftl& ftl, const SyncBuffer& buffer, Address address) const;
  // Returns the line's index in its page.
  static std::size_t number_of(Address address) {
    return static_cast<std::size_t>(address.value() / kLineBytes.value() % kLinesPerPage);
  }
  // Overwrites `bytes` with the lines that a frame of the write part holds.
  void overlay(const SyncBuffer& buffer, std::uint32_t frame, PageBytes& bytes) const;
  // Copies lines of the page (one bit each) from flash into a frame of the read part.
  void fill(const Ftl& ftl, const SyncBuffer& buffer, std::uint32_t frame, std::uint64_t lines);

  void serialize(Archive& archive);

  FlashMedia media;
  FrameBytes read;
  FrameBytes write;
  // Unsaved pages by logical page. Empty except between a power failure and the end of a recovery.
  std::map<std::int64_t, UnsavedPage> unsaved;
};

}  // namespace hmsim

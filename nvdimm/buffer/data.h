// SPDX-License-Identifier: BSD-3-Clause
// What an NVDIMM holds, in data mode.
#pragma once

#include <map>

#include "nvdimm/buffer/frame_bytes.h"
#include "nvdimm/buffer/sync_buffer.h"
#include "nvdimm/ftl/ftl.h"
#include "nvdimm/nand/flash_media.h"

namespace hmsim {

// A dirty page that an interrupted save has not written; the buffer, which has power, holds it.
struct UnsavedPage {
  PageBytes bytes{};
  bool whole = true;  // the buffer has all lines: no read must complete it

  void serialize(Archive& archive) { archive(bytes, whole); }
};

struct NvdimmData {
  NvdimmData(BufferGranularity granularity, const FtlShape& shape)
      : media(std::uint64_t{shape.luns} * shape.blocks, shape.pages, shape.parts()),
        read(granularity),
        write(granularity) {}

  // The page as flash, or an interrupted save, has it; zeros if it was never written.
  const PageBytes& page(const Ftl& ftl, LogicalPage page) const;
  // One line of it.
  LineBytes saved_line(const Ftl& ftl, Address address) const;
  // The newest data of the line in buffer and flash.
  LineBytes line(const Ftl& ftl, const SyncBuffer& buffer, Address address) const;
  // The line's number in its page.
  static std::size_t number_of(Address address) {
    return static_cast<std::size_t>(address.value() / kLineBytes.value() % kLinesPerPage);
  }
  // Copies the lines that a frame of the write part holds over the page's bytes.
  void overlay(const SyncBuffer& buffer, std::uint32_t frame, PageBytes& bytes) const;
  // Copies lines of the page, one bit each, from flash into a frame of the read part.
  void fill(const Ftl& ftl, const SyncBuffer& buffer, std::uint32_t frame, std::uint64_t lines);

  void serialize(Archive& archive);

  FlashMedia media;
  FrameBytes read;
  FrameBytes write;
  std::map<std::int64_t, UnsavedPage> unsaved;  // between power failure and recovery; by page
};

}  // namespace hmsim

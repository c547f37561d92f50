// SPDX-License-Identifier: BSD-3-Clause
// What an NVDIMM holds, in data mode.
#pragma once

#include <map>

#include "nvdimm/buffer/frame_bytes.h"
#include "nvdimm/buffer/sync_buffer.h"
#include "nvdimm/ftl/ftl.h"
#include "nvdimm/nand/flash_media.h"

namespace hmsim {

// A dirty page that a save was not over with; the buffer, which has power, still holds it.
struct UnsavedPage {
  PageBytes bytes{};
  bool whole = true;  // the buffer has all of it: nothing must be read first

  void serialize(Archive& archive) { archive(bytes, whole); }
};

struct NvdimmData {
  NvdimmData(BufferGranularity granularity, const FtlShape& shape)
      : media(std::uint64_t{shape.luns} * shape.blocks, shape.pages, shape.parts()),
        read(granularity),
        write(granularity) {}

  // What flash, or an interrupted save, has of the page: zeros if it was never written.
  const PageBytes& page(const Ftl& ftl, LogicalPage page) const;
  // The line of that page.
  LineBytes saved_line(const Ftl& ftl, Address address) const;
  // What buffer and flash hold of the line.
  LineBytes line(const Ftl& ftl, const SyncBuffer& buffer, Address address) const;
  // The line's number in its page.
  static std::size_t number_of(Address address) {
    return static_cast<std::size_t>(address.value() / kLineBytes.value() % kLinesPerPage);
  }
  // Lays the lines that a frame of the write part holds over the page.
  void overlay(const SyncBuffer& buffer, std::uint32_t frame, PageBytes& bytes) const;
  // Lines of the page, one bit each, into a frame of the read part.
  void fill(const Ftl& ftl, const SyncBuffer& buffer, std::uint32_t frame, std::uint64_t lines);

  void serialize(Archive& archive);

  FlashMedia media;
  FrameBytes read;
  FrameBytes write;
  std::map<std::int64_t, UnsavedPage> unsaved;  // between power failure and recovery; by page
};

}  // namespace hmsim

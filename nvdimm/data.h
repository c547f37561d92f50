// SPDX-License-Identifier: BSD-3-Clause
// What an NVDIMM holds, in data mode.
#pragma once

#include "nvdimm/frame_bytes.h"
#include "nvdimm/ftl.h"
#include "nvdimm/nand/flash_media.h"
#include "nvdimm/parameters.h"
#include "nvdimm/sync_buffer.h"

namespace hmsim {

struct NvdimmData {
  NvdimmData(const NvdimmParameters& parameters, const FtlShape& shape)
      : media(std::uint64_t{shape.luns} * shape.blocks, shape.pages),
        read(parameters.buffer.granularity),
        write(parameters.buffer.granularity) {}

  // What flash holds of the page: zeros if it was never written.
  const PageBytes& page(const Ftl& ftl, LogicalPage page) const;
  // Lays the lines that a frame of the write part holds over the page.
  void overlay(const SyncBuffer& buffer, std::uint32_t frame, PageBytes& bytes) const;
  // Lines of the page, one bit each, into a frame of the read part.
  void fill(const Ftl& ftl, const SyncBuffer& buffer, std::uint32_t frame, std::uint64_t lines);

  void serialize(Archive& archive) { archive(media, read, write); }

  FlashMedia media;
  FrameBytes read;
  FrameBytes write;
};

}  // namespace hmsim

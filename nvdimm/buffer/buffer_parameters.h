// SPDX-License-Identifier: BSD-3-Clause
// Parameters of the synchronisation buffer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/parameters.h"
#include "core/types.h"

namespace hmsim {

struct NandParameters;

enum class UnmappedRead : std::uint8_t { flash, zero };
enum class BufferGranularity : std::uint8_t { page, item };
enum class ItemReads : std::uint8_t { own, shared };
enum class BufferPort : std::uint8_t { pipelined, serial };
enum class FrameRelease : std::uint8_t { program, datain };
enum class BufferFlush : std::uint8_t { none, writeback };

struct BufferParameters {
  Bytes read_size{400LL << 20};
  Bytes write_size{400LL << 20};
  BufferGranularity granularity = BufferGranularity::page;
  ItemReads item_reads = ItemReads::own;
  Tick lookup = 52 * kNanosecond;
  BufferPort port = BufferPort::pipelined;
  FrameRelease release = FrameRelease::program;
  BufferFlush flush = BufferFlush::none;
  std::string manager = "watermark";
  std::string replacement = "lru";

  // Returns the frames in a part of `size`.
  std::int64_t frames(Bytes size) const {
    return size / (granularity == BufferGranularity::item ? kLineBytes : kPageBytes);
  }

  bool shares_reads() const {
    return granularity == BufferGranularity::item && item_reads == ItemReads::shared;
  }

  // Declares the fields under "buffer.".
  void declare(ParameterSet& set);
  // Appends the errors of parameters that do not fit the flash.
  void check(const NandParameters& nand, std::vector<ParameterError>& errors) const;
};

}  // namespace hmsim

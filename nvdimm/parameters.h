// SPDX-License-Identifier: BSD-3-Clause
// The parameters of one NVDIMM.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/parameters.h"
#include "core/types.h"
#include "nvdimm/media/media_parameters.h"
#include "nvdimm/module/module_parameters.h"
#include "nvdimm/nand/nand_parameters.h"

namespace hmsim {

enum class UnmappedRead : std::uint8_t { flash, zero };
enum class BufferGranularity : std::uint8_t { page, item };
enum class BufferPort : std::uint8_t { pipelined, serial };
enum class FrameRelease : std::uint8_t { program, datain };
enum class BufferFlush : std::uint8_t { none, writeback };
enum class PageAllocation : std::uint8_t { dynamic, fixed };  // "static" to users
enum class MapPlace : std::uint8_t { full, cached };
enum class WriteFrontier : std::uint8_t { separate, shared };
enum class PartialWrites : std::uint8_t { combine, pad, merge };
enum class PreconditionPattern : std::uint8_t { uniform, sequential, zipf };
enum class PreconditionBuffer : std::uint8_t { none, dirty, resident, captured };

struct BufferParameters {
  Bytes read_size{400LL << 20};
  Bytes write_size{400LL << 20};
  BufferGranularity granularity = BufferGranularity::page;
  Tick lookup = 52 * kNanosecond;
  BufferPort port = BufferPort::pipelined;
  FrameRelease release = FrameRelease::program;
  BufferFlush flush = BufferFlush::none;
  std::string manager = "on_demand";
  std::string replacement = "lru";
};

struct FtlParameters {
  double over_provisioning = 7;  // percent
  PageAllocation allocation = PageAllocation::dynamic;
  std::string order = "CWDP";
  double gc_threshold = 0.05;  // fraction of the blocks of a LUN
  std::int64_t reserve_blocks = 3;
  WriteFrontier frontier = WriteFrontier::separate;
  PartialWrites partial_writes = PartialWrites::combine;
  MapPlace map = MapPlace::full;
  Bytes map_cache{2LL << 20};
  Bytes map_entry{4};
  std::string victim = "greedy";
  std::int64_t wear_gap = 100;
};

struct GcParameters {
  std::string scheduler = "reactive";
  double urgent_limit = 0.005;  // fraction of the blocks of a LUN
  bool hold_channel = false;
};

struct PreconditionParameters {
  double fill = 0;
  double overwrite = 0;
  PreconditionPattern pattern = PreconditionPattern::uniform;
  PreconditionBuffer buffer = PreconditionBuffer::none;
  std::string load;  // a file
  // Told of so many more logical pages that are written, now and then; what it throws ends the
  // writing. No parameter of users.
  std::function<void(std::uint64_t pages)> report;
};

struct NvdimmParameters : ModuleParameters {
  bool present = true;
  UnmappedRead unmapped_read = UnmappedRead::flash;
  BufferParameters buffer;
  FtlParameters ftl;
  NandParameters nand;
  GcParameters gc;
  PreconditionParameters precondition;
  MediaParameters media;

  // Binds every field under "nvdimm." but those from other parts of the configuration; the struct
  // must outlive the set.
  void declare(ParameterSet& set);
  // The same of flash alone, under the caller's name.
  void declare_size(ParameterSet& set);
  void declare_flash(ParameterSet& set);

  // What does not fit together. An NVDIMM may be built only of parameters that pass.
  std::vector<ParameterError> check() const;

  std::int64_t luns() const { return nand.luns(); }
};

// Of kind: flash.
void check_flash(const NvdimmParameters& parameters, std::vector<ParameterError>& errors);

}  // namespace hmsim

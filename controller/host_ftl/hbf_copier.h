// SPDX-License-Identifier: BSD-3-Clause
// Copies pages of one HBF channel through the HBM. A copy is an HBF read, 64 writes and 64 reads of
// HBM lines, and an HBF write: requests in the host's queues like any other. In data mode the
// copier holds the bytes between the read and the write.
#pragma once

#include <cstdint>
#include <vector>

#include "controller/host_ftl/host_path.h"
#include "core/archive.h"
#include "core/pool.h"
#include "core/request.h"
#include "core/statistics.h"
#include "nvdimm/ftl/ftl.h"
#include "nvdimm/nand/flash_media.h"

namespace hmsim {

struct HbfCopy {
  RequestOrigin origin = RequestOrigin::collection;
  bool levelling = false;
  std::uint32_t lun = 0;
  LogicalPage page{0};
  PhysicalPage source = kNowhere;
  PhysicalPage target = kNowhere;  // chosen when the page is written
  void serialize(Archive& archive) { archive(origin, levelling, lun, page, source, target); }
};

class HbfCollector;

class HbfCopier {
 public:
  HbfCopier(bool store_data, const HbfAddresses& addresses, HostPath& path, Ftl& ftl,
            HbfCollector& collector)
      : store_data_(store_data),
        addresses_(addresses),
        path_(path),
        ftl_(ftl),
        collector_(collector) {}

  // Sets the requester of its requests, which must pass on the calls below.
  void set_agent(std::uint16_t own) { own_ = own; }

  // Begins a copy to a page of the same bank.
  void begin(const HbfCopy& copy, Tick now);
  bool idle() const { return jobs_.used() == 0; }

  struct Counts {  // requests sent
    Counter flash_reads = 0;
    Counter flash_writes = 0;
    Counter line_reads = 0;
    Counter line_writes = 0;
    Counter rewrites = 0;  // of failed programs, part of flash_writes
    void serialize(Archive& archive) {
      archive(flash_reads, flash_writes, line_reads, line_writes, rewrites);
    }
  };
  Counts& counts() { return counts_; }

  void on_complete(const Request& request, Tick now);
  LineData write_data(const Request& request) const;
  void on_read_data(const Request& request, const LineBytes& bytes);
  void serialize(Archive& archive);

 private:
  enum class Step : std::uint8_t { read, stage, fetch, write, last = write };
  struct Job {
    Step step = Step::read;
    std::int64_t lines = 0;  // stage, fetch: not done
    HbfCopy copy;
    void serialize(Archive& archive) { archive(step, lines, copy); }
  };

  void move_lines(std::uint32_t index, bool write, Tick now);
  void write(std::uint32_t index, Tick now);
  void write_again(std::uint32_t index, Tick now);
  void end(std::uint32_t index, Tick now);
  void send_page(std::uint32_t index, PhysicalPage place, bool write, Tick now);
  Request request_of(std::uint32_t index, bool write) const;

  const bool store_data_;
  const HbfAddresses& addresses_;
  HostPath& path_;
  Ftl& ftl_;
  HbfCollector& collector_;  // receives the ends of copies
  std::uint16_t own_ = 0;
  Pool<Job> jobs_;
  std::vector<PageBytes> bytes_;  // data mode: of copies
  Counts counts_;
};

}  // namespace hmsim

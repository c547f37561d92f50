// SPDX-License-Identifier: BSD-3-Clause
// What a storage device is asked, by whom, and what a device is.
#pragma once

#include <cstdint>
#include <string>

#include "core/archive.h"
#include "core/kernel.h"
#include "core/statistics.h"
#include "core/types.h"

namespace hmsim {

// One request of block I/O. `offset` and `bytes` are multiples of the device's granularity and lie
// within it; a flush moves nothing. A barrier starts when all requests before it have ended, and
// none behind it starts before it has ended itself. (A device on the memory bus orders by other
// rules: IntakeOrder.)
//
// A program's request may take several requests here, one after another: a flush before its data, a
// second part where the data run over the device's end, a flush after them (forced unit access).
struct IoRequest {
  enum class Kind : std::uint8_t { read, write, flush, trim, last = trim };
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint32_t tag = 0;  // the asker's, unique among those under way; comes back with the end
  Kind kind = Kind::read;
  bool barrier = false;
  std::uint16_t submitter = 0;  // whose queue it goes to, where a device has one for each
  bool fua = false;             // of a flush: makes its program's own request durable, and no other
  bool further = false;         // continues a program's request, whose software has run
  bool measured = true;         // response times of its blocks count
  std::uint32_t more_pages = 0;  // that requests which continue this one will touch

  bool moves_data() const { return kind == Kind::read || kind == Kind::write; }
  // Pages of 4 KiB that it touches, in whole or in part.
  std::uint64_t pages() const {
    constexpr auto kPage = static_cast<std::uint64_t>(kPageBytes.value());
    return bytes == 0 ? 0 : (offset + bytes - 1) / kPage - offset / kPage + 1;
  }

  void serialize(Archive& archive) {
    archive(offset, bytes, tag, kind, barrier, submitter, fua, further, measured, more_pages);
  }
};

// The client of a device.
class IoListener {
 public:
  // From within StorageDevice::advance() only. The listener may submit at once.
  virtual void on_io_done(std::uint32_t tag, Tick now) = 0;
  // Blocks, each a page of 4 KiB or the part of it that a request touches, have been moved. They
  // may be moved after their request's end, where writes end as soon as they are accepted.
  virtual void on_blocks_done(std::int64_t /*blocks*/, Tick /*now*/) {}

 protected:
  ~IoListener() = default;
};

// A device that holds blocks. Contract: submit() never refuses, whatever waits does so inside and
// is counted; after it next_event() may be earlier than before, which the caller sees to (a device
// knows no kernel). A device made of others advances these itself.
class StorageDevice : public Component {
 public:
  virtual void listen(IoListener& listener) = 0;  // before anything is submitted
  virtual void submit(const IoRequest& request, Tick now) = 0;
  virtual Bytes capacity() const = 0;
  // Offsets and sizes of requests are multiples of this.
  virtual Bytes granularity() const { return Bytes(512); }
  // Whether it is part of the memory: cores reach its lines by loads and stores, too. Such a device
  // has one client, to which it reports blocks as they are moved; other devices move them with
  // their request.
  virtual bool is_memory() const { return false; }
  // Discards the whole pages in this range. Other devices than memory ignore it.
  virtual void trim(std::uint64_t /*offset*/, std::uint64_t /*bytes*/, Tick /*now*/) {}
  // Whether it tells anybody but its listener of anything.
  virtual bool tells_others() const { return false; }
  virtual void register_statistics(StatisticRegistry& registry, const std::string& path) = 0;
  // Brings what is counted over time up to now.
  virtual void account(Tick /*now*/) {}
};

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
// Block I/O requests, and the interfaces of storage devices and their clients.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "core/archive.h"
#include "core/kernel.h"
#include "core/request.h"
#include "core/statistics.h"
#include "core/types.h"
#include "nvdimm/module/module.h"
#include "storage/statistics.h"

namespace hmsim {

// Block I/O request. `offset` and `bytes` are multiples of the device's granularity and within its
// capacity. A flush moves no data. A barrier starts when all earlier requests have ended, and no
// later request starts before it has ended. A device on the memory bus uses other rules
// (IoOrder).
//
// A program's request may take several of these, one after another: a flush before its data, a
// second part if the data wrap around the device's end, and a flush after them (forced unit
// access).
struct IoRequest {
  enum class Kind : std::uint8_t { read, write, flush, trim, last = trim };
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  // Chosen by the client, unique among its requests under way; returned on completion.
  std::uint32_t tag = 0;
  Kind kind = Kind::read;
  bool barrier = false;
  std::uint16_t submitter = 0;   // selects the queue, if the device has one per submitter
  std::uint16_t stream = 0;      // placement handle of a write (Request::stream)
  bool fua = false;              // for a flush: makes only its program's own request durable
  bool further = false;          // continues a program's request whose software has run
  bool measured = true;          // response times of its blocks count
  std::uint64_t more_pages = 0;  // pages touched by requests that continue this one

  bool moves_data() const { return kind == Kind::read || kind == Kind::write; }
  // Returns the number of 4 KiB pages that it touches, whole or in part.
  std::uint64_t pages() const {
    return bytes == 0 ? 0 : (offset + bytes - 1) / kPageSize - offset / kPageSize + 1;
  }

  // Calls see(offset, bytes) for each part of its range, cut at multiples of `unit`.
  template <class See>
  void each_part(std::uint64_t unit, See see) const {
    const std::uint64_t end = offset + bytes;
    for (std::uint64_t at = offset; at < end;) {
      const std::uint64_t next = earlier(end, (at / unit + 1) * unit);
      see(at, next - at);
      at = next;
    }
  }

  void serialize(Archive& archive) {
    archive(offset, bytes, tag, kind, barrier, submitter, stream, fua, further, measured,
            more_pages);
  }
};

// Part of a request's time in a device. For a request of several pages or transfers, the parts are
// those of the one that ended last.
enum class DevicePart : std::uint8_t {
  queue,       // waits, and the handling of its command
  link,        // between host and device, waits for the link included
  transfer,    // within the device, waits for its bus included
  media,       // cells or their buffer read or written
  collection,  // of this, blocked by garbage collection
  last = collection
};
inline constexpr std::size_t kDeviceParts = static_cast<std::size_t>(DevicePart::last) + 1;
using DeviceTimes = PartTimes<DevicePart, kDeviceParts>;

// Client of a device.
class IoListener {
 public:
  // Reports a completed request. Called from within StorageDevice::advance() only. The listener may
  // submit at once.
  virtual void on_io_done(std::uint32_t tag, Tick now) = 0;
  // Reports moved blocks; a block is a 4 KiB page or the part of it that a request touches. If
  // writes end once they are accepted, blocks may be moved after their request has ended.
  virtual void on_blocks_done(std::int64_t /*blocks*/, Tick /*now*/) {}

 protected:
  ~IoListener() = default;
};

// Hardware contexts of a client that runs the software of its requests on its own contexts.
class Contexts {
 public:
  // Requests a context for the host's request `io`. Returns true if it has one now. Otherwise it
  // waits, and the owner calls Host::granted() later.
  virtual bool acquire(std::uint32_t io, const IoRequest& request, Tick now) = 0;
  // Releases the context of request `io`.
  virtual void release(std::uint32_t io, Tick now) = 0;

 protected:
  ~Contexts() = default;
};

// Device that holds blocks. submit() never refuses a request; requests wait inside the device and
// are counted there. submit() may make next_event() earlier, which the caller must handle, because
// a device has no kernel. A device made of others advances them itself.
class StorageDevice : public Component {
 public:
  virtual void listen(IoListener& listener) = 0;  // call before the first submit()
  virtual void submit(const IoRequest& request, Tick now) = 0;
  virtual Bytes capacity() const = 0;
  // Returns the unit of requests' offsets and sizes.
  virtual Bytes granularity() const { return Bytes(512); }
  // Returns whether the device is part of the memory, so that cores also access its lines by loads
  // and stores. Such a device has one client, and reports blocks to it as they are moved. On other
  // devices, blocks are moved when their request ends.
  virtual bool is_memory() const { return false; }
  // Returns whether submit() takes trims, which discard the whole pages of their range. Others get
  // none.
  virtual bool takes_trims() const { return false; }
  // Memory only: discards the whole pages in this range at once.
  virtual void trim(std::uint64_t /*offset*/, std::uint64_t /*bytes*/, Tick /*now*/) {}
  // Returns whether the device notifies components other than its listener. If so, the caller must
  // not continue to further events of its own after it advanced the device (core/kernel.h).
  virtual bool notifies_others() const { return false; }
  // Within on_io_done(): returns the parts of the request that ended, which add up to the time
  // since its submit(). nullopt: they are not measured.
  virtual std::optional<DeviceTimes> ended_times() const { return std::nullopt; }
  // Memory only: takes the parts of a request to memory that ends now, the device's or another.
  virtual void on_access(const Request& /*request*/, const DeviceTimes& /*times*/) {}
  // Returns the pages in buffers of flash behind it.
  virtual BufferedPages buffered_pages() const { return {}; }
  virtual void register_statistics(StatisticRegistry& registry, const std::string& path) = 0;
};

}  // namespace hmsim

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

// One request of block I/O. `offset` and `bytes` are multiples of 512 and lie within the device; a
// flush moves nothing. A barrier starts when all requests before it have ended, and none behind it
// starts before it has ended itself.
struct IoRequest {
  enum class Kind : std::uint8_t { read, write, flush, last = flush };
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint32_t tag = 0;  // the asker's, unique among those under way; comes back with the end
  Kind kind = Kind::read;
  bool barrier = false;
  std::uint16_t submitter = 0;  // whose queue it goes to, where a device has one for each

  void serialize(Archive& archive) { archive(offset, bytes, tag, kind, barrier, submitter); }
};

// Whoever asks. Is told from within StorageDevice::advance() only, and may submit at once.
class IoListener {
 public:
  virtual void on_io_done(std::uint32_t tag, Tick now) = 0;

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
  // Whether it tells anybody but its listener of anything.
  virtual bool tells_others() const { return false; }
  virtual void register_statistics(StatisticRegistry& registry, const std::string& path) = 0;
  // Brings what is counted over time up to now.
  virtual void account(Tick /*now*/) {}
};

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
// Carries out the requests of a block agent's threads on a storage device, in place of lines.
#pragma once

#include <cstdint>

#include "agents/block/block_threads.h"
#include "storage/host.h"

namespace hmsim {

// A thread has one request at a time with the storage: a flush first, if there is one before its
// data; the data, in whole sectors, and in two parts where they run on from the capacity's end to
// its start; a flush behind them for FUA. Flushes are barriers. The tag of a request is its thread.
class StorageCarrier {
 public:
  // The storage, which outlives it, tells `agent` of ends. So many of the agent's threads, which
  // have a request each, stand for one that has them all under way.
  StorageCarrier(Host& storage, IoListener& agent, std::int64_t depth)
      : storage_(&storage), client_(storage.join(agent)), depth_(depth) {}

  // Sends what is next of a thread that waits for nothing; false: nothing is left.
  bool go_on(BlockThread& thread, std::uint32_t index, Tick now);

 private:
  void send(BlockThread& thread, std::uint32_t index, IoRequest request, Tick now);

  Host* storage_;
  std::uint16_t client_;
  std::int64_t depth_;
};

}  // namespace hmsim

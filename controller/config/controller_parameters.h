// SPDX-License-Identifier: BSD-3-Clause
// Parameters of the memory controller of one channel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "core/parameters.h"
#include "core/request.h"
#include "core/types.h"

namespace hmsim {

enum class QueueLayout { unified, split };
enum class QueueStructure { flat, two_level };
enum class WriteMode { mixed, drained };
enum class AckMode { grant, automatic, nvdimm_p };
// When the arbiter is asked: when both classes have a data-bus command that waits at most for a
// turnaround, or only when both commands are legal on the same edge.
enum class Contest { ready, legal };
enum class BankHash { none, exclusive_or };
enum class ChannelHash { none, exclusive_or };
enum class BusLayout { shared, separate };

inline constexpr std::int64_t kMostChannelsOfNode = 32;
inline constexpr std::int64_t kWholeQueue = 0;
inline constexpr std::int64_t kOfQueue = -1;  // stands for a share of the queue depth
inline constexpr std::int64_t kOfRank = 0;    // stands for command_queue_depth
inline constexpr std::int64_t kOfModule = 0;  // until the NVDIMMs are known
inline constexpr Tick kNoLimit{0};
inline constexpr const char* kDefaultMap = "default";  // until the part is known

struct ControllerParameters {
  std::int64_t channels = 1;
  QueueLayout queues = QueueLayout::unified;
  std::int64_t queue_depth = 128;
  std::int64_t nvdimm_queue_depth = kOfModule;
  QueueStructure structure = QueueStructure::flat;
  std::int64_t command_queue_depth = 32;
  std::int64_t nvdimm_command_queue_depth = kOfRank;  // two_level
  WriteMode writes = WriteMode::mixed;
  std::int64_t drain_high = kOfQueue;
  std::int64_t drain_low = kOfQueue;
  std::string scheduler = "fr_fcfs";
  std::string nvdimm_scheduler = "fr_fcfs";
  std::string arbiter = "scheduler_order";
  Contest contest = Contest::ready;
  std::string page_policy = "open_page";
  std::string address_map = kDefaultMap;
  BankHash bank_hash = BankHash::none;
  ChannelHash channel_hash = ChannelHash::none;
  AckMode ack = AckMode::grant;
  std::int64_t ack_slots = 1;
  std::int64_t credits = 64;         // nvdimm_p only
  std::int64_t response_cycles = 1;  // nvdimm_p only
  std::int64_t outstanding = kWholeQueue;
  BusLayout bus = BusLayout::shared;
  Tick starvation_limit = kNoLimit;

  void declare(ParameterSet& parameters);

  // Returns whether the host grants the data bus for NVDIMM data; otherwise data follow the ack.
  bool grants() const { return ack != AckMode::automatic; }
  // Returns whether writes to the NVDIMM are sent on credit, without command and ack.
  bool posts_writes() const { return ack == AckMode::nvdimm_p; }
  bool ack_takes_slot() const { return ack != AckMode::nvdimm_p && ack_slots > 0; }
  // Returns the cycles from an ack to the first edge on which a grant may follow.
  std::int64_t grant_delay() const { return ack == AckMode::nvdimm_p ? response_cycles : 1; }
  bool split() const { return queues == QueueLayout::split; }
  // Slots of the queue that holds NVDIMM requests, and of all queues.
  std::int64_t slots_for_nvdimm() const { return split() ? nvdimm_queue_depth : queue_depth; }
  std::int64_t slots() const { return queue_depth + (split() ? nvdimm_queue_depth : 0); }
  // Numbers of waiting DRAM writes that start and end a batch.
  std::int64_t high_mark() const {
    return drain_high == kOfQueue ? std::max<std::int64_t>(1, queue_depth * 3 / 4) : drain_high;
  }
  std::int64_t low_mark() const { return drain_low == kOfQueue ? queue_depth / 4 : drain_low; }
  // Returns the entries in the command queue of one DRAM rank or one NVDIMM.
  std::int64_t command_entries(MemoryClass memory) const {
    return memory == MemoryClass::nvdimm && nvdimm_command_queue_depth != kOfRank
               ? nvdimm_command_queue_depth
               : command_queue_depth;
  }
};

}  // namespace hmsim

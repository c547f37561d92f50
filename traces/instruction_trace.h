// SPDX-License-Identifier: BSD-3-Clause
// Traces of every instruction of a program, as run by cores with caches.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "traces/trace_reader.h"

namespace hmsim {

class Archive;

inline constexpr std::size_t kMostLoads = 4;   // per instruction
inline constexpr std::size_t kMostStores = 2;  // per instruction
inline constexpr std::size_t kMostSources = 4;
inline constexpr std::size_t kMostDestinations = 2;

// A register number or an address of 0 means none.
struct Instruction {
  std::uint64_t ip = 0;
  std::array<std::uint8_t, kMostSources> sources{};  // registers that it reads
  std::array<std::uint8_t, kMostDestinations> destinations{};
  std::array<std::uint64_t, kMostLoads> loads{};  // byte addresses
  std::array<std::uint64_t, kMostStores> stores{};

  void serialize(Archive& archive);
};

// Reader of a trace of instructions.
class InstructionSource {
 public:
  virtual ~InstructionSource() = default;
  // Reads the next instruction. Returns false at the end. Throws InputError for malformed input, or
  // if the trace holds no record.
  virtual bool next(Instruction& instruction) = 0;
  // Reads the instruction after the first `instructions`. Otherwise as next().
  virtual bool seek(std::uint64_t instructions, Instruction& instruction) = 0;
  virtual void rewind() = 0;
  virtual double fraction() const = 0;  // share of the source read; 0 if unknown
  virtual void serialize(Archive& archive) = 0;
};

}  // namespace hmsim

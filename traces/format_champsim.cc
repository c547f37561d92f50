// SPDX-License-Identifier: BSD-3-Clause
// ChampSim traces: one record of 64 bytes per instruction, without header, little-endian (ChampSim,
// inc/trace_instruction.h, struct input_instr):
//   0 u64 address of the instruction  8 u8 is a branch (0, 1)  9 u8 was taken (0, 1)
//   10 2 u8 registers written  12 4 u8 registers read
//   16 2 u64 addresses stored to  32 4 u64 addresses loaded from; 0: none
//
// As in ChampSim, stack-pointer folding makes the stack pointer written by calls, returns, pushes
// and pops available at once. For other instructions this holds only if they read no other
// register. Nothing waits for the instruction pointer, because branches are predicted.
#include <algorithm>
#include <cstring>

#include "traces/binary_trace.h"
#include "traces/drmemtrace_header.h"
#include "traces/trace_formats.h"

namespace hmsim {

namespace {

constexpr std::size_t kRecordBytes = 64;
constexpr std::size_t kBranch = 8;
constexpr std::size_t kTaken = 9;
constexpr std::size_t kDestinations = 10;
constexpr std::size_t kSources = 12;
constexpr std::size_t kStores = 16;
constexpr std::size_t kLoads = 32;
constexpr std::uint8_t kStackPointer = 6;
constexpr std::uint8_t kFlags = 25;
constexpr std::uint8_t kInstructionPointer = 26;

template <std::size_t N>
bool any(const std::array<std::uint64_t, N>& addresses) {
  return std::any_of(addresses.begin(), addresses.end(), [](std::uint64_t a) { return a != 0; });
}

bool folds_stack_pointer(const Instruction& instruction, bool branch) {
  const bool reads_other =
      std::any_of(instruction.sources.begin(), instruction.sources.end(), [](std::uint8_t r) {
        return r != 0 && r != kStackPointer && r != kFlags && r != kInstructionPointer;
      });
  return branch || any(instruction.loads) || any(instruction.stores) || !reads_other;
}

class ChampsimTrace final : public BinaryTrace<InstructionSource, kRecordBytes> {
 public:
  using BinaryTrace::BinaryTrace;

  bool next(Instruction& instruction) override {
    const std::string_view record = next_record();
    if (record.empty()) {
      if (record_ == 0) {
        throw InputError(reader_.file() + ": the trace contains no instructions");
      }
      return false;
    }
    const auto byte = [&record](std::size_t at) { return static_cast<std::uint8_t>(record[at]); };
    if (byte(kBranch) > 1 || byte(kTaken) > 1) {
      fail("is not a ChampSim instruction: bytes 8 and 9, which mark a branch, are " +
           std::to_string(byte(kBranch)) + " and " + std::to_string(byte(kTaken)) +
           ", expected 0 or 1");
    }
    std::memcpy(&instruction.ip, record.data(), sizeof instruction.ip);
    std::memcpy(instruction.stores.data(), &record[kStores], sizeof instruction.stores);
    std::memcpy(instruction.loads.data(), &record[kLoads], sizeof instruction.loads);
    std::memcpy(instruction.sources.data(), &record[kSources], sizeof instruction.sources);
    const bool folds = folds_stack_pointer(instruction, byte(kBranch) != 0);
    std::replace(instruction.sources.begin(), instruction.sources.end(), kInstructionPointer,
                 std::uint8_t{0});
    for (std::size_t i = 0; i < kMostDestinations; ++i) {
      const std::uint8_t written = byte(kDestinations + i);
      const bool known = written == kInstructionPointer || (written == kStackPointer && folds);
      instruction.destinations[i] = known ? 0 : written;
    }
    return true;
  }
  bool seek(std::uint64_t instructions, Instruction& instruction) override {
    reader_.seek(instructions * kRecordBytes);
    record_ = instructions;
    return next(instruction);
  }
  void serialize(Archive& archive) override { archive(record_, reader_); }
};

// Returns whether the start holds at least one record and each record is plausible: both branch
// bytes are 0 or 1, only branches are taken, and the instruction has an address. No text matches.
bool resembles_records(const TraceStart& start) {
  const std::string_view bytes = start.bytes();
  for (std::size_t at = 0; at + kRecordBytes <= bytes.size(); at += kRecordBytes) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[at + i]); };
    if (byte(kBranch) > 1 || byte(kTaken) > byte(kBranch) ||
        bytes.substr(at, kBranch).find_first_not_of('\0') == std::string_view::npos) {
      return false;
    }
  }
  return bytes.size() >= kRecordBytes && !begins_with_drmemtrace_header(bytes);
}

}  // namespace

extern const FormatDescriptor kFormat_champsim{
    "champsim",
    "binary, 64 bytes per instruction, from ChampSim's tracer",
    TimeUnit::instructions,
    false,
    resembles_records,
    open_with<InstructionSource, ChampsimTrace>};

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
// Commands of gem5 packets, by their numbers in MemCmd::Command of gem5 24.0 (src/mem/packet.hh).
#pragma once

#include <cstdint>

namespace hmsim {

enum class PacketKind { read, write, other };

// Returns whether a command is a request that reads or writes data.
constexpr PacketKind packet_kind(std::uint64_t command) {
  switch (command) {
    case 1:   // ReadReq
    case 11:  // SoftPFReq
    case 12:  // SoftPFExReq
    case 13:  // HardPFReq
    case 20:  // SCUpgradeFailReq
    case 22:  // ReadExReq
    case 24:  // ReadCleanReq
    case 25:  // ReadSharedReq
    case 26:  // LoadLockedReq
    case 30:  // LockedRMWReadReq
      return PacketKind::read;
    case 4:   // WriteReq
    case 7:   // WritebackDirty
    case 8:   // WritebackClean
    case 9:   // WriteClean
    case 16:  // WriteLineReq
    case 27:  // StoreCondReq
    case 32:  // LockedRMWWriteReq
    case 34:  // SwapReq
      return PacketKind::write;
    default:
      return PacketKind::other;
  }
}

}  // namespace hmsim

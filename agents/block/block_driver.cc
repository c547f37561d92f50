// SPDX-License-Identifier: BSD-3-Clause
#include "agents/block/block_driver.h"

#include <limits>

namespace hmsim {

namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kWords = 8;  // of eight bytes in a line
constexpr CopyPass kLoad{false, 1};
constexpr CopyPass kStore{true, 1};
constexpr CopyPass kNone{};

// In the order of CopyKind.
constexpr Copy kCopies[] = {
    // Loads through the caches, and stores past them, whole lines from write-combining buffers.
    {{{{kLoad, kNone}, {kStore, kNone}}}, kNoLimit},
    // Stores go through the caches: a line is read before it is written, and flushed afterwards.
    {{{{kLoad, kNone}, {kLoad, kStore}}}, kNoLimit},
    // Eight bytes at a time, in order.
    {{{{CopyPass{false, kWords}, kNone}, {CopyPass{true, kWords}, kNone}}}, 1},
};

}  // namespace

constexpr std::array<PresetRow<DriverKind, BlockDriver>, 3> kBlockDrivers{{
    {DriverKind::nd_pmem,
     "nd_pmem",
     {CopyKind::non_temporal, WaitFor::request, WriteEnd::done, Barrier::command,
      2'500 * kNanosecond, 500 * kNanosecond, Tick(0), Tick(0)}},
    {DriverKind::pmbd,
     "pmbd",
     {CopyKind::non_temporal, WaitFor::block, WriteEnd::accepted, Barrier::driver,
      2'500 * kNanosecond, 500 * kNanosecond, 300 * kNanosecond, Tick(0)}},
    {DriverKind::dax,
     "dax",
     {CopyKind::write_back, WaitFor::request, WriteEnd::accepted, Barrier::command, Tick(0),
      Tick(0), Tick(0), kMicrosecond}},
}};
static_assert(in_order(kBlockDrivers));

const Copy& copy_of(CopyKind kind) { return kCopies[static_cast<std::size_t>(kind)]; }

}  // namespace hmsim

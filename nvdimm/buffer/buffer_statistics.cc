// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/buffer/buffer_statistics.h"

#include <array>

#include "core/statistic_table.h"
#include "nvdimm/buffer/sync_buffer.h"

namespace hmsim {

namespace {

using Table = StatisticTable<SyncBuffer, BufferStatistics>;
using S = BufferStatistics;

constexpr std::array kRows{
    Table::part<&S::read_lookups>(),
    Table::part<&S::read_lines>(),
    Table::part<&S::read_hits>(),
    Table::part<&S::read_merged>(),
    Table::part<&S::write_lookups>(),
    Table::part<&S::write_lines>(),
    Table::part<&S::write_hits>(),
    Table::part<&S::write_merged>(),
    Table::ratio<&S::read_lookups, &S::read_hits, &S::read_merged>(
        "read_hit_ratio",
        "reads that found their line in the buffer or in flight from flash, also if another line "
        "of the same access brought it"),
    Table::ratio<&S::write_lookups, &S::write_hits, &S::write_merged>(
        "write_hit_ratio",
        "writes whose page or item had, or waited for, a frame of the write part"),
    Table::ratio<&S::read_lookups, &S::read_hits>("read_hit_ratio_strict",
                                                  "reads that found their line in the buffer"),
    Table::ratio<&S::write_lookups, &S::write_hits>(
        "write_hit_ratio_strict", "writes whose page or item had a frame of the write part"),
    Table::sum<&S::read_merged, &S::write_merged>(
        "merged", "commands", "commands that found their page or item in flight to a frame"),
    Table::counter<&S::read_joined>(
        "read_joined", "commands",
        "reads of an item that joined another item's flash read of the page"),
    Table::counter<&S::unmapped_reads>(
        "unmapped_reads", "commands",
        "reads of never-written pages that were answered without flash access"),
    Table::counter<&S::evictions>("evictions", "pages", "pages written back"),
    Table::counter<&S::eviction_reads>(
        "eviction_reads", "pages", "pages read from flash to complete a page that is written back"),
    Table::counter<&S::prefetches>(
        "prefetches", "pages", "pages (items) read from flash for commands that were still queued"),
    Table::counter<&S::prefetch_useful>(
        "prefetch_useful", "pages",
        "prefetched pages that were in the buffer at their first lookup"),
    Table::counter<&S::prefetch_late>(
        "prefetch_late", "pages",
        "prefetched pages that were still in flight at their first lookup"),
    Table::counter<&S::prefetch_unused>("prefetch_unused", "pages",
                                        "prefetched pages evicted before a read used them"),
    Table::counter<&S::preevictions>("preevictions", "pages",
                                     "pages written back before a write needed their frame"),
    Table::counter<&S::flushed_pages>("flushed_pages", "pages", "pages written back for a flush"),
    Table::part<&S::read_reused>(),
    Table::part<&S::read_missing>(),
    Table::part<&S::write_reused>(),
    Table::ratio<&S::read_lookups, &S::read_reused>(
        "read_reuse_ratio",
        "reads of a line that was in the buffer before: written, prefetched, or read since its "
        "page came from flash. Lines that the page's own flash read brings are hits from their "
        "second read on"),
    Table::ratio<&S::write_lookups, &S::write_reused>("write_reuse_ratio",
                                                      "writes of a line that the write part held"),
    Table::ratio<&S::read_missing, &S::read_lines>(
        "lines_per_flash_read",
        "reads of lines for each that began a flash read of its page or item"),
};

static_assert(Table::complete(kRows), "missing or duplicate row of a count");

}  // namespace

void BufferStatistics::serialize(Archive& archive) { Table::serialize(*this, archive, kRows); }

void register_buffer_statistics(StatisticRegistry& registry,
                                const std::vector<SyncBuffer*>& buffers) {
  Table::report(kRows, registry, buffers, "nvdimm.buffer.");
}

}  // namespace hmsim

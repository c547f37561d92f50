// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/precondition.h"

#include <algorithm>
#include <utility>

#include "core/key_map.h"
#include "core/random.h"
#include "nvdimm/ftl/gathered_copies.h"

namespace hmsim {

namespace {

constexpr std::uint64_t kReportedPages = 1 << 18;  // interval of reports: a few tenths of a second

void move_untimed(Ftl& ftl, std::uint32_t lun, std::uint32_t block, bool levelling,
                  UntimedWork& work) {
  GatheredCopies copies;
  std::uint32_t sources = 0;
  const auto program = [&] {
    const CopyBatch batch = copies.take(ftl);
    const PhysicalPage at = batch.allocate(ftl, lun, levelling, sources);
    batch.commit(ftl, at);
    sources = 0;
    work.gc_pages += batch.count;
    work.padded_pages += ftl.shape().parts() - batch.count;
  };
  for (std::uint32_t page = 0; page < ftl.shape().pages; page += ftl.shape().parts()) {
    if (copies.gather(ftl, ftl.shape().page_at(lun, block, page)) != 0) {
      ++sources;
      while (copies.fill_page(ftl)) {
        program();
      }
    }
  }
  while (!copies.empty()) {
    program();
  }
  ftl.erase(lun, block);
}

void look_up_untimed(Ftl& ftl, LogicalPage page) {
  MapCache& map = *ftl.map();
  if (!map.look_up(page)) {
    const bool in_flash = ftl.pages().place(ftl.shape().map_page(map.page_of(page))) != kNowhere;
    map.counts().reads += in_flash ? 1 : 0;
    in_flash ? map.load_read(page) : map.load(page);
  }
}

// Collects after a page was written to the LUN, if that made it due.
void clean_untimed(Ftl& ftl, std::uint32_t lun, UntimedWork& work) {
  if (!ftl.victims().due(lun)) {
    return;
  }
  do {
    move_untimed(ftl, lun, ftl.victims().take(lun), false, work);
    ++work.collected_blocks;
  } while (ftl.victims().pressing(lun));
  if (const auto unworn = ftl.victims().take_to_level(lun)) {
    move_untimed(ftl, lun, *unworn, true, work);
    ++work.levelled_blocks;
  }
}

// Programs `count` pages into one flash page of the stream.
void program_untimed(Ftl& ftl, const LogicalPage* pages, std::uint32_t count, std::uint32_t stream,
                     UntimedWork& work) {
  for (std::uint32_t i = 0; i < count && ftl.map() != nullptr; ++i) {
    look_up_untimed(ftl, pages[i]);
  }
  const std::uint32_t lun = ftl.claims().claim_any(pages[0], count);
  const PhysicalPage at = ftl.allocate(lun, WriteStream::host, 0, stream);
  for (std::uint32_t i = 0; i < count; ++i) {
    ftl.commit(pages[i], at + PhysicalPage(i));
  }
  if (count < ftl.shape().parts()) {
    ftl.pad(at + PhysicalPage(count));
  }
  work.host_pages += count;
  work.padded_pages += ftl.shape().parts() - count;
  clean_untimed(ftl, lun, work);
  write_map_untimed(ftl, work);
}

// Draws n from 0 .. size - 1 with probability proportional to 1 / (n + 1). Draws an octave (powers
// of two are equally likely), then a uniform number in it, and accepts that with the remaining
// probability.
std::uint64_t zipf(Random& random, std::uint64_t size) {
  std::uint64_t octaves = 1;
  while (size >> octaves != 0) {
    ++octaves;
  }
  for (;;) {
    const std::uint64_t first = std::uint64_t{1} << random.below(octaves);
    const std::uint64_t rank = first + random.below(first);
    if (random.below(rank) < first && rank <= size) {
      return rank - 1;
    }
  }
}

class Overwrites {
 public:
  Overwrites(const PreconditionParameters& parameters, std::uint64_t pages, std::uint64_t seed)
      : pattern_(parameters.pattern), pages_(pages), random_(1, seed), place_(pages, 1 + seed) {}

  LogicalPage next() {
    switch (pattern_) {
      case PreconditionPattern::uniform:
        return LogicalPage(static_cast<std::int64_t>(random_.below(pages_)));
      case PreconditionPattern::sequential:
        break;
      case PreconditionPattern::zipf:
        return LogicalPage(static_cast<std::int64_t>(place_(zipf(random_, pages_))));
    }
    return LogicalPage(static_cast<std::int64_t>(count_++ % pages_));
  }

 private:
  PreconditionPattern pattern_;
  std::uint64_t pages_;
  std::uint64_t count_ = 0;
  Random random_;
  Permutation place_;
};

}  // namespace

std::uint64_t pages_of(double share, std::uint64_t pages) {
  return static_cast<std::uint64_t>(share * static_cast<double>(pages) + 0.5);
}

void write_untimed(Ftl& ftl, LogicalPage page, UntimedWork& work, std::uint32_t handle) {
  program_untimed(ftl, &page, 1, ftl.placement().take(page, handle), work);
}

UntimedWriter::UntimedWriter(Ftl& ftl)
    : ftl_(ftl),
      most_(ftl.shape().batch()),
      waiting_(std::size_t{ftl.shape().dynamic || ftl.shape().merge ? 1 : ftl.shape().luns} *
               ftl.shape().streams) {}

void UntimedWriter::write(LogicalPage page, std::uint32_t handle) {
  if (most_ == 1) {
    write_untimed(ftl_, page, work_, handle);
    return;
  }
  if (ftl_.shape().merge) {
    merge(page);
    return;
  }
  const std::size_t home = ftl_.shape().dynamic ? 0 : ftl_.shape().home(page);
  const std::uint32_t stream = ftl_.placement().take(page, handle);
  Pages& pages = waiting_[home * ftl_.shape().streams + stream];
  pages.push_back(page);
  if (pages.size() == most_) {
    program(pages, stream);
  }
}

void UntimedWriter::merge(LogicalPage page) {
  Pages& pages = waiting_.front();
  const auto flash_page = [this](LogicalPage any) { return any.value() >> ftl_.shape().part_bits; };
  if (!pages.empty() && flash_page(pages.front()) != flash_page(page)) {
    program(pages, stream_);
  }
  if (std::find(pages.begin(), pages.end(), page) == pages.end()) {
    const std::uint32_t stream = ftl_.placement().take(page);
    stream_ = pages.empty() ? stream : stream_;
    pages.push_back(page);
  }
}

void UntimedWriter::program(Pages& pages, std::uint32_t stream) {
  const auto written = static_cast<std::uint32_t>(pages.size());
  for (std::uint32_t part = 0; ftl_.shape().merge && part < ftl_.shape().parts(); ++part) {
    const std::int64_t first = pages.front().value() >> ftl_.shape().part_bits
                                                            << ftl_.shape().part_bits;
    const LogicalPage page(first + part);
    const bool exists = static_cast<std::uint64_t>(page.value()) < ftl_.shape().logical_pages;
    if (exists && ftl_.pages().place(page) != kNowhere &&
        std::find(pages.begin(), pages.end(), page) == pages.end()) {
      pages.push_back(page);
    }
  }
  const auto count = static_cast<std::uint32_t>(pages.size());
  program_untimed(ftl_, pages.data(), count, stream, work_);
  work_.host_pages -= count - written;
  work_.merged_pages += count - written;
  pages.clear();
}

UntimedWork UntimedWriter::finish() {
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    if (!waiting_[i].empty()) {
      const auto stream = static_cast<std::uint32_t>(i % ftl_.shape().streams);
      program(waiting_[i], ftl_.shape().merge ? stream_ : stream);
    }
  }
  return std::exchange(work_, UntimedWork());
}

void write_map_untimed(Ftl& ftl, UntimedWork& work) {
  while (ftl.map() != nullptr && ftl.map()->wants_write()) {
    const std::uint32_t number = ftl.map()->next_write();
    const LogicalPage page = ftl.shape().map_page(number);
    ftl.map()->counts().reads += ftl.pages().place(page) == kNowhere ? 0 : 1;
    const std::uint32_t parts = ftl.shape().parts();
    const std::uint32_t lun = ftl.claims().claim_any(page, parts);
    ftl.map()->written(number);
    ftl.commit_map(number, ftl.allocate(lun, WriteStream::translation, 1));
    work.map_pages += parts;
    clean_untimed(ftl, lun, work);
  }
}

void collect_untimed(Ftl& ftl, std::uint32_t lun, UntimedWork& work) {
  while (ftl.victims().due(lun)) {
    move_untimed(ftl, lun, ftl.victims().take(lun), false, work);
    ++work.collected_blocks;
  }
  write_map_untimed(ftl, work);
}

std::uint64_t filled_pages(const PreconditionParameters& parameters, std::uint64_t logical_pages) {
  return pages_of(parameters.fill, logical_pages);
}

UntimedWork precondition(Ftl& ftl, const PreconditionParameters& parameters, std::uint64_t seed) {
  UntimedWriter writer(ftl);
  std::uint64_t unreported = 0;
  const auto report = [&](std::uint64_t most) {
    if (unreported > most && parameters.report) {
      parameters.report(std::exchange(unreported, 0));
    }
  };
  const auto write = [&](LogicalPage page) {
    writer.write(page);
    ++unreported;
    report(kReportedPages);
  };
  const std::uint64_t logical_pages = ftl.shape().logical_pages;
  const std::uint64_t filled = filled_pages(parameters, logical_pages);
  for (std::uint64_t page = 0; page < filled; ++page) {
    write(LogicalPage(static_cast<std::int64_t>(page)));
  }
  if (filled > 0) {
    Overwrites pages(parameters, filled, seed);
    for (std::uint64_t i = pages_of(parameters.overwrite, logical_pages); i > 0; --i) {
      write(pages.next());
    }
  }
  report(0);
  return writer.finish();
}

std::uint64_t precondition_pages(const PreconditionParameters& parameters,
                                 std::uint64_t logical_pages) {
  const std::uint64_t filled = filled_pages(parameters, logical_pages);
  return filled == 0 ? 0 : filled + pages_of(parameters.overwrite, logical_pages);
}

std::vector<LogicalPage> next_writes(const PreconditionParameters& parameters,
                                     std::uint64_t logical_pages, std::uint64_t seed,
                                     std::uint64_t count) {
  const std::uint64_t filled = filled_pages(parameters, logical_pages);
  std::vector<LogicalPage> pages;
  if (filled == 0) {
    return pages;
  }
  Overwrites writes(parameters, filled, seed);
  for (std::uint64_t i = pages_of(parameters.overwrite, logical_pages); i > 0; --i) {
    writes.next();
  }
  KeyMap known;
  while (pages.size() < std::min(count, filled)) {
    const LogicalPage page = writes.next();
    if (known.find(page.value()) == kNoIndex) {
      known.insert(page.value(), 0);
      pages.push_back(page);
    }
  }
  return pages;
}

double untimed_amplification(const FtlShape& shape, const std::string& victim,
                             const Assignments& assignments, const UntimedRun& run,
                             std::unique_ptr<PagePlacement> placement) {
  constexpr std::uint64_t kPercent = 100;
  Ftl ftl(shape, {victim_selector(victim, assignments), std::move(placement)}, run.seed);
  PreconditionParameters filled;
  filled.fill = 1;
  precondition(ftl, filled, run.seed);
  filled.pattern = run.pattern;
  Overwrites pages(filled, shape.logical_pages, run.seed);
  UntimedWriter writer(ftl);
  Random random(1, run.seed);
  const std::uint64_t hot = shape.logical_pages * run.hot_pages / kPercent;
  const auto write_one = [&] {
    if (hot == 0) {
      writer.write(pages.next());
      return;
    }
    const bool is_hot = random.below(kPercent) < run.hot_writes;
    const std::uint64_t page =
        is_hot ? random.below(hot) : hot + random.below(shape.logical_pages - hot);
    writer.write(LogicalPage(static_cast<std::int64_t>(page)), is_hot ? 0 : 1);
  };
  const auto write = [&](double capacities) {
    for (std::uint64_t i = pages_of(capacities, shape.logical_pages); i > 0; --i) {
      write_one();
    }
    return writer.finish();
  };
  write(run.settle);
  const UntimedWork work = write(run.measure);
  return static_cast<double>(work.host_pages + work.gc_pages + work.map_pages + work.merged_pages +
                             work.padded_pages) /
         static_cast<double>(work.host_pages);
}

}  // namespace hmsim

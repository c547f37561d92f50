// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/ftl/ftl.h"

#include <array>
#include <utility>

#include "core/errors.h"
#include "nvdimm/ftl/rebuild.h"

namespace hmsim {

namespace {

std::vector<LunBlocks> blocks_of(const FtlShape& shape, std::uint64_t seed) {
  std::vector<LunBlocks> luns;
  luns.reserve(shape.luns);
  for (std::uint32_t lun = 0; lun < shape.luns; ++lun) {
    luns.emplace_back(shape, lun, seed);
  }
  return luns;
}

}  // namespace

Ftl::Ftl(FtlShape shape, FtlPolicies policies, std::uint64_t seed)
    : shape_(std::move(shape)),
      map_(shape_.cached_entries == 0
               ? nullptr
               : std::make_unique<MapCache>(shape_.map_shape(), std::move(policies.map_cache))),
      pages_(shape_),
      luns_(blocks_of(shape_, seed)),
      frontiers_(shape_, luns_),
      claims_(shape_, luns_),
      victims_(shape_, luns_, std::move(policies.victims), seed, std::move(policies.wear)),
      placement_(shape_, std::move(policies.placement)) {}

PhysicalPage Ftl::allocate(std::uint32_t lun, WriteStream source, std::uint32_t sources,
                           std::uint32_t stream) {
  const PhysicalPage at = frontiers_.take(lun, source, stream);
  luns_[lun].begin_program();
  if (media_ != nullptr) {
    media_->begin_program(sources);
    const std::uint32_t block = shape_.block_of(at);
    media_->set_mode(shape_.block_index(lun, block), luns_[lun][block].one_bit());
  }
  check_pages(lun);
  return at;
}

PhysicalPage Ftl::allocate_copy(std::uint32_t lun, LogicalPage page, std::uint32_t stream,
                                bool levelling, std::uint32_t sources) {
  return levelling || stream == kCopyStream
             ? allocate(lun, copy_stream(shape_, page, levelling), sources)
             : allocate(lun, WriteStream::host, sources, stream);
}

std::uint32_t Ftl::stream_of_copy(LogicalPage page, PhysicalPage from) const {
  return !placement_.active() || shape_.is_map_page(page)
             ? kCopyStream
             : placement_.copy(page, luns_[shape_.lun_of(from)][shape_.block_of(from)].of_stream());
}

void Ftl::reset_statistics() {
  statistics_ = FtlStatistics();
  placement_.counts().assign(placement_.counts().size(), {});
}

void Ftl::count_program(PhysicalPage at, std::uint32_t pages, std::uint32_t filler) {
  if (placement_.active()) {
    placement_.count_program(stream_at(at), pages, filler);
  }
}

// Maps a page of the host or of the map whose program has ended.
void Ftl::write(LogicalPage page, PhysicalPage at) {
  claims_.give_back(shape_.lun_of(at), 1);
  ++version_;
  if (media_ != nullptr) {
    media_->program(at, page, version_);
  }
}

// Maps the page to `at`, to which no page was mapped.
void Ftl::put(LogicalPage page, PhysicalPage at) {
  const PhysicalPage old = pages_.place(page);
  if (old != kNowhere) {
    luns_[shape_.lun_of(old)].invalidate(shape_.block_of(old));
  }
  pages_.set(page, at);
  luns_[shape_.lun_of(at)].add_valid(shape_.block_of(at));
  if (map_ != nullptr && !shape_.is_map_page(page)) {
    map_->changed(page);
  }
}

void Ftl::commit(LogicalPage page, PhysicalPage at) {
  write(page, at);
  put(page, at);
  if (placement_.active() && !shape_.is_map_page(page)) {
    placement_.committed(page, stream_at(at));
  }
  complete(at);
}

void Ftl::commit_discarded(LogicalPage page, PhysicalPage at) {
  write(page, at);
  if (media_ != nullptr) {
    media_->discard(page, version_);
  }
  luns_[shape_.lun_of(at)].add_invalid(1);
  complete(at);
}

void Ftl::commit_map(std::uint32_t translation_page, PhysicalPage at) {
  for (std::uint32_t part = 0; part < shape_.parts(); ++part) {
    commit(shape_.map_page(translation_page) + LogicalPage(part), at + PhysicalPage(part));
  }
  if (media_ != nullptr) {
    std::array<PageBytes, kMostParts> bytes{};
    pages_.for_entries(translation_page, [&bytes](LogicalPage /*page*/, std::uint32_t part,
                                                  std::size_t byte, std::uint32_t entry) {
      for (std::size_t i = 0; i < sizeof entry; ++i) {
        bytes[part][byte + i] = static_cast<std::uint8_t>(entry >> (8 * i));
      }
    });
    for (std::uint32_t part = 0; part < shape_.parts(); ++part) {
      media_->store(at + PhysicalPage(part), bytes[part]);
    }
  }
}

bool Ftl::commit_copy(LogicalPage page, PhysicalPage from, PhysicalPage to) {
  const bool current = pages_.place(page) == from;
  if (media_ != nullptr) {
    media_->copy(from, to);
  }
  if (current) {
    put(page, to);
  } else {
    luns_[shape_.lun_of(to)].add_invalid(1);
  }
  complete(to);
  return current;
}

void Ftl::pad(PhysicalPage at) {
  for (PhysicalPage part = at; part == at || part.value() % shape_.parts() != 0; ++part) {
    if (media_ != nullptr) {
      media_->pad(part);
    }
    luns_[shape_.lun_of(part)].add_invalid(1);
    complete(part);
  }
}

bool Ftl::trim(LogicalPage page) {
  if (media_ != nullptr) {
    media_->discard(page, version_);
  }
  const PhysicalPage old = pages_.place(page);
  if (old == kNowhere) {
    return false;
  }
  luns_[shape_.lun_of(old)].invalidate(shape_.block_of(old));
  pages_.remove(page);
  check_pages(shape_.lun_of(old));
  if (map_ != nullptr) {
    map_->changed(page);
  }
  return true;
}

void Ftl::complete(PhysicalPage at) {
  luns_[shape_.lun_of(at)].complete(shape_.block_of(at), shape_.page_of(at));
  check_pages(shape_.lun_of(at));
}

void Ftl::erase(std::uint32_t lun, std::uint32_t block) {
  if (luns_[lun][block].failing && shape_.retires) {
    retire(lun, block);
    return;
  }
  luns_[lun].erase(block);
  victims_.on_erase(lun, block);
  if (media_ != nullptr) {
    media_->erase(shape_.block_index(lun, block));
  }
  check_pages(lun);
}

void Ftl::retire(std::uint32_t lun, std::uint32_t block) {
  luns_[lun].retire(block);
  if (media_ != nullptr) {
    media_->erase(shape_.block_index(lun, block));
    media_->mark_bad(shape_.block_index(lun, block));
  }
  claims_.check_room(lun);
  check_pages(lun);
}

void Ftl::fail(PhysicalPage at, std::uint32_t claims) {
  const std::uint32_t lun = shape_.lun_of(at);
  const std::uint32_t block = shape_.block_of(at);
  claims_.give_back(lun, claims);
  luns_[lun].fail(block, frontiers_.give_up(lun, block));
  if (media_ != nullptr) {
    media_->tear(at);
    media_->mark_bad(shape_.block_index(lun, block));
  }
  luns_[lun].add_invalid(shape_.parts());
  for (std::uint32_t part = 0; part < shape_.parts(); ++part) {
    luns_[lun].complete(block, shape_.page_of(at) + part);
  }
  check_pages(lun);
}

void Ftl::set_media(FlashMedia* media) {
  media_ = media;
  for (std::uint32_t lun = 0; lun < shape_.luns; ++lun) {
    luns_[lun].for_used([&](std::uint32_t block) {
      if (luns_[lun][block].bad()) {
        media_->mark_bad(shape_.block_index(lun, block));
      }
    });
  }
}

void Ftl::rebuild() {
  ensure(media_ != nullptr, "ftl", Tick(0), -1, "no media to rebuild the map from");
  version_ = rebuild_map(*media_, shape_, pages_);
  frontiers_.clear();
  claims_.clear();
  placement_.restart();
  victims_.restart();
  for (std::uint32_t lun = 0; lun < shape_.luns; ++lun) {
    rebuild_lun(*media_, shape_, lun, pages_, luns_[lun], frontiers_);
  }
  if (map_ != nullptr) {
    rebuild_cache(*media_, shape_, pages_, *map_);
  }
}

void Ftl::check_pages([[maybe_unused]] std::uint32_t lun) const {
#ifdef HMSIM_DEBUG
  const LunBlocks& blocks = luns_[lun];
  ensure(frontiers_.free_pages(lun) + blocks.in_flight() + blocks.valid() + blocks.invalid() ==
             std::uint64_t{shape_.blocks - blocks.bad()} * shape_.pages,
         "ftl", Tick(0), -1,
         "free, valid and invalid pages do not add up to the pages of good blocks");
#endif
}

void Ftl::serialize_statistics(Archive& archive) {
  archive(statistics_);
  archive.fixed(placement_.counts());
}

void Ftl::serialize(Archive& archive) {
  archive.section("ftl");
  const std::uint64_t blocks = std::uint64_t{shape_.luns} * shape_.blocks;
  std::uint64_t count = blocks;
  archive(count);
  archive.check(count == blocks, "it belongs to a system of another size");
  for (LunBlocks& lun : luns_) {
    lun.serialize_blocks(archive);
  }
  claims_.serialize_cursor(archive);
  archive(version_, victims_, placement_, pages_);
  for (std::size_t i = 0; archive.loading() && i < pages_.size(); ++i) {
    const PhysicalPage at = pages_.place(LogicalPage(static_cast<std::int64_t>(i)));
    if (at != kNowhere) {
      luns_[shape_.lun_of(at)].restore_valid(archive, shape_.block_of(at), shape_.page_of(at));
    }
  }
  for (std::uint32_t lun = 0; lun < shape_.luns; ++lun) {
    frontiers_.serialize(archive, lun);
    claims_.serialize(archive, lun);
    luns_[lun].serialize(archive);
  }
  if (map_ != nullptr) {
    archive(*map_);
  }
}

}  // namespace hmsim

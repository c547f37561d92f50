// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/buffer/data.h"

namespace hmsim {

namespace {

constexpr PageBytes kZeros{};

}  // namespace

const PageBytes& NvdimmData::page(const Ftl& ftl, LogicalPage page) const {
  const auto kept = unsaved.find(page.value());
  if (kept != unsaved.end()) {
    return kept->second.bytes;
  }
  const PhysicalPage place = ftl.pages().place(page);
  return place == kNowhere ? kZeros : media.bytes(place);
}

LineBytes NvdimmData::saved_line(const Ftl& ftl, Address address) const {
  LineBytes bytes{};
  const PageBytes& of_page = page(ftl, LogicalPage(address.value() / kPageBytes.value()));
  std::memcpy(bytes.data(), of_page.data() + number_of(address) * bytes.size(), bytes.size());
  return bytes;
}

LineBytes NvdimmData::line(const Ftl& ftl, const SyncBuffer& buffer, Address address) const {
  const std::int64_t key = buffer.key_of(address);
  const std::uint64_t line = buffer.line_of(address);
  const std::size_t number = number_of(address);
  const std::uint32_t written = buffer.write.find(key);
  if (written != kNoIndex && (buffer.write[written].valid & line) != 0) {
    return write.read(written, number);
  }
  const std::uint32_t frame = buffer.read.find(key);
  if (frame != kNoIndex && (buffer.read[frame].valid & line) != 0) {
    return read.read(frame, number);
  }
  return saved_line(ftl, address);
}

void NvdimmData::overlay(const SyncBuffer& buffer, std::uint32_t frame, PageBytes& bytes) const {
  for (std::uint64_t lines = buffer.page_lines(buffer.write[frame]); lines != 0;
       lines &= lines - 1) {
    const auto line = static_cast<std::size_t>(__builtin_ctzll(lines));
    const LineBytes data = write.read(frame, line);
    std::memcpy(bytes.data() + line * data.size(), data.data(), data.size());
  }
}

void NvdimmData::fill(const Ftl& ftl, const SyncBuffer& buffer, std::uint32_t frame,
                      std::uint64_t lines) {
  const std::int64_t key = buffer.read[frame].key;
  const PageBytes& bytes = page(ftl, buffer.page_of(key));
  const std::uint64_t of_page =
      buffer.items() ? (lines != 0 ? std::uint64_t{1} << (key % kLinesPerPage) : 0) : lines;
  for (std::uint64_t rest = of_page; rest != 0; rest &= rest - 1) {
    const auto line = static_cast<std::size_t>(__builtin_ctzll(rest));
    read.write(frame, line, bytes.data() + line * sizeof(LineBytes));
  }
}

void NvdimmData::serialize(Archive& archive) {
  archive(media, read, write);
  std::vector<std::int64_t> pages;
  for (const auto& entry : unsaved) {
    pages.push_back(entry.first);
  }
  archive(pages);
  for (const std::int64_t page : pages) {
    archive(unsaved[page]);
  }
}

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
#include "traces/cause_index.h"

#include <utility>

#include "core/types.h"
#include "traces/cause_records.h"

namespace hmsim {

namespace {

constexpr std::string_view kMagic = "HMSIMCI1";
constexpr std::size_t kNumber = 8;  // bytes
constexpr std::uint64_t kNoPage = UINT64_MAX;

void append(std::string& bytes, std::uint64_t number) {
  for (std::size_t i = 0; i < kNumber; ++i) {
    bytes += static_cast<char>(number >> (8 * i));
  }
}

std::uint64_t take(std::string_view& bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < kNumber; ++i) {
    number |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  bytes.remove_prefix(kNumber);
  return number;
}

// Selects the records that the index holds.
class Filter {
 public:
  bool keeps(std::uint64_t word) {
    if (const std::optional<std::uint64_t> page = page_written(word)) {
      return std::exchange(last_page_, *page) != *page;
    }
    if (record_kind(word) != RecordKind::escape) {
      return false;
    }
    switch (static_cast<EscapeCode>(record_high(word))) {
      case EscapeCode::written:
        last_page_ = kNoPage;
        return true;
      case EscapeCode::run:
      case EscapeCode::thread:
      case EscapeCode::name:
        return true;
      default:
        return false;
    }
  }

 private:
  std::uint64_t last_page_ = kNoPage;
};

}  // namespace

std::string CauseIndex::bytes_of(RecordBlocks& blocks) {
  std::string counts;
  std::string kept;
  Filter filter;
  std::vector<std::uint64_t> words;
  for (std::uint64_t block = 0; block < blocks.blocks(); ++block) {
    blocks.read_block(block, words);
    const std::size_t before = kept.size();
    for (const std::uint64_t word : words) {
      if (filter.keeps(word)) {
        append(kept, word);
      }
    }
    append(counts, (kept.size() - before) / kNumber);
  }
  std::string bytes(kMagic);
  append(bytes, blocks.blocks());
  return bytes + counts + kept;
}

std::optional<CauseIndex> CauseIndex::parse(std::string_view bytes, std::uint64_t blocks) {
  if (bytes.size() / kNumber < 2 || bytes.size() % kNumber != 0 ||
      bytes.substr(0, kMagic.size()) != kMagic) {
    return std::nullopt;
  }
  bytes.remove_prefix(kMagic.size());
  if (take(bytes) != blocks || bytes.size() / kNumber < blocks) {
    return std::nullopt;
  }
  const std::uint64_t count = bytes.size() / kNumber - blocks;
  CauseIndex index;
  index.ends_.push_back(0);
  for (std::uint64_t block = 0; block < blocks; ++block) {
    const std::uint64_t records = take(bytes);
    if (records > count - index.ends_.back()) {
      return std::nullopt;
    }
    index.ends_.push_back(index.ends_.back() + records);
  }
  if (index.ends_.back() != count) {
    return std::nullopt;
  }
  index.words_.reserve(count);
  while (!bytes.empty()) {
    const std::uint64_t word = take(bytes);
    const bool escape = record_kind(word) == RecordKind::escape;
    if (escape ? !wrong_escape(word, true).empty() : !page_written(word)) {
      return std::nullopt;
    }
    index.words_.push_back(word);
  }
  return index;
}

StretchStart stretch_start(RecordBlocks& blocks, std::uint64_t skip) {
  StretchStart start;
  const std::uint64_t block = skip == 0 ? 0 : blocks.block_at(skip - 1, std::nullopt);
  const auto index =
      block == 0 ? std::nullopt : CauseIndex::parse(blocks.read_rest(), blocks.blocks());
  if (index) {
    start = {blocks.first_of(block), blocks.instructions_before(block, std::nullopt),
             index->before(block)};
  }
  return start;
}

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
#include "traces/miss_tape.h"

#include <utility>

#include "core/archive.h"
#include "core/errors.h"

namespace hmsim {

namespace {

std::string state_of(MissSource& source) {
  Archive archive;
  source.serialize(archive);
  return archive.bytes();
}

}  // namespace

MissTape::MissTape(std::unique_ptr<MissSource> source, std::uint64_t skip, std::string file)
    : source_(std::move(source)), skip_(skip), file_(std::move(file)) {
  starts_.push_back(state_of(*source_));
  fractions_.push_back(0);
}

const MissTape::Chunk* MissTape::load(std::uint64_t chunk) {
  while (chunk >= starts_.size() && !ended_) {
    load(starts_.size() - 1);
  }
  if (ended_ && chunk >= chunks_) {
    return nullptr;
  }
  if (directory_.size() <= chunk) {
    directory_.resize(chunk + 1);
  }
  if (directory_[chunk] == nullptr) {
    auto loaded = std::make_unique<Chunk>();
    loaded->number = chunk;
    read(*loaded);
    if (count_held_ == kMostChunks) {
      directory_[held_[next_held_]].reset();
    } else {
      ++count_held_;
    }
    held_[next_held_] = chunk;
    next_held_ = (next_held_ + 1) % kMostChunks;
    directory_[chunk] = std::move(loaded);
  }
  return directory_[chunk].get();
}

void MissTape::read(Chunk& chunk) {
  if (at_ != chunk.number) {
    Archive archive(starts_[chunk.number]);
    source_->serialize(archive);
  }
  std::vector<Miss>& misses = chunk.misses;
  misses.reserve(kChunk);
  if (chunk.number == 0 && skip_ > 0 && !source_->seek(skip_, misses.emplace_back())) {
    throw InputError(file_ + ": skip: the trace has no record after " + std::to_string(skip_) +
                     " instructions");
  }
  bool more = true;
  while (more && misses.size() < kChunk) {
    more = source_->next(misses.emplace_back());
  }
  if (!more) {
    rest_ = misses.back().gap;
    misses.pop_back();
  }
  at_ = chunk.number + 1;
  if (!more) {
    ended_ = true;
    chunks_ = chunk.number + 1;
  } else if (at_ == starts_.size()) {
    starts_.push_back(state_of(*source_));
    fractions_.push_back(source_->fraction());
  }
}

double MissTape::fraction(std::uint64_t number) const {
  const std::uint64_t chunk = number / kChunk;
  return chunk < fractions_.size() ? fractions_[chunk] : fractions_.back();
}

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
#include "core/checkpoint.h"

#include "core/archive.h"
#include "core/errors.h"

namespace hmsim {

namespace {

constexpr std::string_view kMagic = "HMSIMCKP";
constexpr std::size_t kHeaderBytes = 40;  // magic, version, identity, hash and length of the state
constexpr std::uint64_t kVersion = 47;

}  // namespace

std::string seal_checkpoint(const std::string& state, std::uint64_t identity) {
  Archive header;
  std::uint64_t version = kVersion;
  std::uint64_t hash = hash_bytes(state);
  std::uint64_t length = state.size();
  header(version, identity, hash, length);
  return std::string(kMagic) + header.bytes() + state;
}

std::string open_checkpoint(const std::string& checkpoint, std::uint64_t identity) {
  if (checkpoint.size() < kHeaderBytes ||
      std::string_view(checkpoint).substr(0, kMagic.size()) != kMagic) {
    throw InputError("is not a checkpoint of hmsim");
  }
  Archive header(checkpoint.substr(kMagic.size(), kHeaderBytes - kMagic.size()));
  std::uint64_t version = 0;
  std::uint64_t saved_identity = 0;
  std::uint64_t hash = 0;
  std::uint64_t length = 0;
  header(version, saved_identity, hash, length);
  if (version != kVersion) {
    throw InputError("the checkpoint has version " + std::to_string(version) +
                     ", this simulator reads version " + std::to_string(kVersion));
  }
  std::string state = checkpoint.substr(kHeaderBytes);
  if (state.size() != length || hash_bytes(state) != hash) {
    throw InputError("the checkpoint is damaged: its checksum does not match");
  }
  if (saved_identity != identity) {
    throw InputError("the checkpoint belongs to another configuration, workload or seed");
  }
  return state;
}

}  // namespace hmsim

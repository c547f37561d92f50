// SPDX-License-Identifier: BSD-3-Clause
#include "tests/fuzz/state_target.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "core/archive.h"
#include "core/errors.h"
#include "core/random.h"

namespace hmsim {

namespace {

constexpr std::size_t kWord = 8;

std::uint64_t load_word(const std::string& bytes, std::size_t at) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < kWord; ++i) {
    word |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  }
  return word;
}

void store_word(std::string& bytes, std::size_t at, std::uint64_t word) {
  for (std::size_t i = 0; i < kWord; ++i) {
    bytes[at + i] = static_cast<char>(word >> (8 * i));
  }
}

using Part = SavedFile::Part;

bool is_text(const std::string& bytes, std::size_t at, std::uint64_t length) {
  constexpr std::uint64_t kLongest = 200;
  return length >= 1 && length <= kLongest && at + kWord + length <= bytes.size() &&
         std::all_of(bytes.begin() + static_cast<std::ptrdiff_t>(at + kWord),
                     bytes.begin() + static_cast<std::ptrdiff_t>(at + kWord + length),
                     [](char c) { return c >= ' ' && c <= '~'; });
}

std::vector<Part> parts_of(const std::string& bytes) {
  std::vector<Part> parts;
  Part part{0, 0};
  const auto end_part = [&](std::size_t next) {
    if (part.words > 0) {
      parts.push_back(part);
    }
    part = {next, 0};
  };
  for (std::size_t at = 0; at + kWord <= bytes.size();) {
    const std::uint64_t word = load_word(bytes, at);
    if (is_text(bytes, at, word)) {
      at += kWord + static_cast<std::size_t>(word);
      end_part(at);
    } else {
      at += kWord;
      ++part.words;
    }
  }
  end_part(bytes.size());
  return parts;
}

// Chooses a word near the beginning of a part, or anywhere in it. Skips most words that hold 0,
// because most of them are alike.
std::size_t place(const std::string& state, const std::vector<Part>& parts, Choices& choices) {
  const Part& part = parts[choices.bytes(1) % parts.size()];
  const std::uint64_t how = choices.bytes(1);
  std::size_t word = choices.bytes(how % 2 == 0 ? 1 : 3) % part.words;
  const auto at = [&] { return part.begin + word * kWord; };
  while (how % 4 < 3 && word + 1 < part.words && load_word(state, at()) == 0) {
    ++word;
  }
  return at();
}

// Returns the new value of a word.
std::uint64_t changed_word(std::uint64_t word, std::uint64_t how, std::uint64_t operand) {
  constexpr std::uint64_t kBounds[] = {0,          1,
                                       2,          0x7F,
                                       0xFF,       0x100,
                                       0x7FFF,     0xFFFF,
                                       0x7FFFFFFF, 0x80000000,
                                       0xFFFFFFFF, 0x100000000,
                                       1ull << 48, 1ull << 60,
                                       1ull << 61, 1ull << 62,
                                       INT64_MAX,  1ull << 63,
                                       ~0ull - 1,  ~0ull,
                                       3ull << 62, (1ull << 61) - 1};
  switch (how % 7) {
    case 0:
      return word + 1;
    case 1:
      return word - 1;
    case 2:
      return operand & 0xFF;
    case 3:
      return kBounds[operand % (sizeof kBounds / sizeof *kBounds)];
    case 4:
      return word ^ std::uint64_t{1} << (operand % 64);
    case 5:
      return word + static_cast<std::uint64_t>(static_cast<std::int8_t>(operand)) * 997;
    default:
      return mix64(operand) >> (operand % 64);
  }
}

}  // namespace

SavedFile::SavedFile(const std::string& content, std::size_t hash_at)
    : header_(content.substr(0, hash_at)),
      state_(content.substr(hash_at + 2 * kWord)),
      parts_(parts_of(state_)) {}

std::string SavedFile::changed(Choices choices) const {
  constexpr std::size_t kMost = 24;
  std::string bytes = state_;
  for (std::size_t i = 0; i < kMost && choices.any(); ++i) {
    const std::uint64_t how = choices.bytes(1);
    const std::size_t at = place(state_, parts_, choices);
    if (how == 0xFF) {
      bytes.resize(std::max(at, kWord));
      break;
    }
    if (how % 16 < 13) {
      store_word(bytes, at, changed_word(load_word(bytes, at), how / 16, choices.bytes(1)));
    } else {  // from another place
      const std::size_t from = place(state_, parts_, choices);
      const std::uint64_t word = load_word(bytes, at);
      store_word(bytes, at, load_word(bytes, from));
      if (how % 16 == 15) {
        store_word(bytes, from, word);
      }
    }
  }
  Archive sealed;
  std::uint64_t hash = hash_bytes(bytes);
  std::uint64_t length = bytes.size();
  sealed(hash, length);
  return header_ + sealed.bytes() + bytes;
}

namespace {

TraceSource traces_of(const FuzzedSystem& system) {
  return [&system](std::size_t agent, std::uint64_t offset) {
    const auto path = std::find_if(system.agents[agent].begin(), system.agents[agent].end(),
                                   [](const Assignment& each) { return each.first == "path"; });
    const std::string trace = fuzzed_trace(path->second);
    return offset < trace.size() ? trace.substr(offset) : std::string();
  };
}

// Only flash has a preconditioned state.
bool has_flash(const FuzzedSystem& system) {
  return std::any_of(system.config.begin(), system.config.end(), [](const Assignment& each) {
    return each.first == "nvdimm.precondition.fill";
  });
}

// Continues from an accepted file. Simulation reports a fault as an error of the file.
StateOutcome run(Simulation& simulation, std::uint64_t steps) {
  try {
    simulation.run(steps);
    simulation.statistics();
    simulation.save();
  } catch (const InputError&) {
    return StateOutcome::fault;
  } catch (const Fault&) {
    return StateOutcome::fault;
  }
  return StateOutcome::ran_on;
}

}  // namespace

StateTarget::StateTarget(StateKind kind, std::uint64_t steps)
    : kind_(kind),
      steps_(steps),
      systems_(fuzzed_systems()),
      path_(std::filesystem::temp_directory_path() / ("hmsim-fuzz-" + std::to_string(getpid()))) {
  if (kind_ == StateKind::preconditioned) {
    systems_.erase(std::remove_if(systems_.begin(), systems_.end(),
                                  [](const FuzzedSystem& each) { return !has_flash(each); }),
                   systems_.end());
  }
}

StateTarget::~StateTarget() {
  std::error_code ignored;  // The file exists only if inputs of a preconditioned state were tried.
  std::filesystem::remove(path_, ignored);
}

std::unique_ptr<Simulation> StateTarget::simulation_of(const FuzzedSystem& system,
                                                       const Assignments& more) const {
  RunOptions options;
  options.check = kind_ == StateKind::checkpoint;
  return std::make_unique<Simulation>(with(system.config, more), system.agents, options,
                                      traces_of(system));
}

const SavedFile& StateTarget::file_of(std::size_t number, std::uint64_t moment) {
  const auto found = files_.find({number, moment});
  if (found != files_.end()) {
    return found->second;
  }
  const auto simulation = simulation_of(systems_[number], {});
  constexpr std::size_t kCheckpointHash = 24;      // after magic, version and identity
  constexpr std::size_t kPreconditionedHash = 16;  // after magic and version
  if (kind_ == StateKind::preconditioned) {
    return files_
        .emplace(std::pair(number, moment),
                 SavedFile(simulation->preconditioned(), kPreconditionedHash))
        .first->second;
  }
  simulation->advance(Tick(static_cast<std::int64_t>(moment * moment) * kMicrosecond.value()));
  return files_.emplace(std::pair(number, moment), SavedFile(simulation->save(), kCheckpointHash))
      .first->second;
}

StateOutcome StateTarget::try_file(const FuzzedSystem& system, const std::string& file) const {
  std::unique_ptr<Simulation> simulation;
  try {
    if (kind_ == StateKind::preconditioned) {
      std::ofstream(path_, std::ios::binary) << file;
      simulation = simulation_of(system, {{"nvdimm.precondition.load", path_}});
    } else {
      simulation = simulation_of(system, {});
      simulation->load(file);
    }
  } catch (const InputError&) {
    return StateOutcome::refused;
  }
  return run(*simulation, steps_);
}

StateOutcome StateTarget::try_input(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint64_t kMoments = 5;
  Choices choices(data, size);
  const std::size_t number = choices.bytes(1) % systems_.size();
  const std::uint64_t moment = kind_ == StateKind::checkpoint ? choices.bytes(1) % kMoments : 0;
  return try_file(systems_[number], file_of(number, moment).changed(choices));
}

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer's target for saved states (HMSIM_FUZZED: checkpoint or preconditioned): whatever stands
// in a file whose checksum is right, it is refused with an InputError, or the simulation goes on
// for a while; that may end with a fault, for the state may contradict itself.
//
// An input chooses a system, a moment and what is changed in its state there, word by word.
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "core/errors.h"
#include "simulation/simulation.h"
#include "tests/fuzz/state_systems.h"

#ifndef HMSIM_FUZZED
#define HMSIM_FUZZED "checkpoint"  // the build says which; tools read this file by itself
#endif

namespace hmsim {
namespace {

constexpr bool kPreconditioned = std::string_view(HMSIM_FUZZED) == "preconditioned";
constexpr std::size_t kWord = 8;

// What the input still holds; zeros behind its end.
class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}
  bool any() const { return left_ > 0; }
  std::uint64_t bytes(int count) {
    std::uint64_t value = 0;
    for (int i = 0; i < count && left_ > 0; ++i, ++data_, --left_) {
      value = value << 8 | *data_;
    }
    return value;
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

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

// Words between texts, such as the names of sections, which put all that follows where no multiple
// of 8 need be.
struct Part {
  std::size_t begin;
  std::size_t words;
};

struct State {
  std::string bytes;
  std::vector<Part> parts;
};

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

// A file: what stands before the state, with its hash and length, and the state.
class File {
 public:
  // `hash_at`: of the state's hash; its length follows, then the state.
  File(const std::string& content, std::size_t hash_at) : header_(content.substr(0, hash_at)) {
    state_.bytes = content.substr(hash_at + 2 * kWord);
    state_.parts = parts_of(state_.bytes);
  }
  std::string changed(Choices choices) const;

 private:
  std::size_t place(Choices& choices) const {
    const Part& part = state_.parts[choices.bytes(1) % state_.parts.size()];
    // Near the part's beginning, or anywhere; of many places that hold 0, most are alike.
    const std::uint64_t how = choices.bytes(1);
    std::size_t word = choices.bytes(how % 2 == 0 ? 1 : 3) % part.words;
    const auto at = [&] { return part.begin + word * kWord; };
    while (how % 4 < 3 && word + 1 < part.words && load_word(state_.bytes, at()) == 0) {
      ++word;
    }
    return at();
  }

  std::string header_;
  State state_;
};

// What a word becomes.
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

std::string File::changed(Choices choices) const {
  constexpr std::size_t kMost = 24;
  std::string bytes = state_.bytes;
  for (std::size_t i = 0; i < kMost && choices.any(); ++i) {
    const std::uint64_t how = choices.bytes(1);
    const std::size_t at = place(choices);
    if (how == 0xFF) {
      bytes.resize(std::max(at, kWord));
      break;
    }
    if (how % 16 < 13) {
      store_word(bytes, at, changed_word(load_word(bytes, at), how / 16, choices.bytes(1)));
    } else {  // of another place
      const std::size_t from = place(choices);
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

std::unique_ptr<Simulation> simulation_of(const FuzzedSystem& system, const std::string& start) {
  RunOptions options;
  options.check = !kPreconditioned;
  Assignments config = system.config;
  if (!start.empty()) {
    config.push_back({"nvdimm.precondition.load", start});
  }
  const TraceSource source = [&system](std::size_t agent, std::uint64_t offset) {
    const auto path = std::find_if(system.agents[agent].begin(), system.agents[agent].end(),
                                   [](const Assignment& each) { return each.first == "path"; });
    const std::string trace = fuzzed_trace(path->second);
    return offset < trace.size() ? trace.substr(offset) : std::string();
  };
  return std::make_unique<Simulation>(config, system.agents, options, source);
}

void run(Simulation& simulation) {
  constexpr std::uint64_t kSteps = 3'000;
  constexpr Tick kWhile = 30 * kMicrosecond;
  try {
    simulation.advance(simulation.now() + kWhile, kSteps);
    simulation.statistics();
    simulation.save();
  } catch (const InputError&) {
  } catch (const Fault&) {
  }
}

const File& file_of(const FuzzedSystem& system, std::size_t number, std::uint64_t moment) {
  static std::map<std::pair<std::size_t, std::uint64_t>, File> files;
  const auto found = files.find({number, moment});
  if (found != files.end()) {
    return found->second;
  }
  const auto simulation = simulation_of(system, "");
  constexpr std::size_t kCheckpointHash = 24;  // behind magic, version and identity
  constexpr std::size_t kStartHash = 16;       // behind magic and version
  if (kPreconditioned) {
    return files.emplace(std::pair(number, moment), File(simulation->preconditioned(), kStartHash))
        .first->second;
  }
  simulation->advance(Tick(static_cast<std::int64_t>(moment * moment) * kMicrosecond.value()));
  return files.emplace(std::pair(number, moment), File(simulation->save(), kCheckpointHash))
      .first->second;
}

void check(const FuzzedSystem& system, const std::string& file) {
  if (kPreconditioned) {
    static const std::string kPath = "/tmp/hmsim-fuzz-" + std::to_string(getpid());
    std::ofstream(kPath, std::ios::binary) << file;
    try {
      run(*simulation_of(system, kPath));
    } catch (const InputError&) {
    }
    std::remove(kPath.c_str());
    return;
  }
  const auto simulation = simulation_of(system, "");
  try {
    simulation->load(file);
  } catch (const InputError&) {
    return;
  }
  run(*simulation);
}

// Only flash has a start.
std::vector<FuzzedSystem> systems() {
  std::vector<FuzzedSystem> all = fuzzed_systems();
  if (kPreconditioned) {
    constexpr std::string_view kFill = "nvdimm.precondition.fill";
    all.erase(std::remove_if(all.begin(), all.end(),
                             [&](const FuzzedSystem& each) {
                               return std::none_of(each.config.begin(), each.config.end(),
                                                   [&](const Assignment& assignment) {
                                                     return assignment.first == kFill;
                                                   });
                             }),
              all.end());
  }
  return all;
}

}  // namespace
}  // namespace hmsim

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer calls it so
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<hmsim::FuzzedSystem> kSystems = hmsim::systems();
  hmsim::Choices choices(data, size);
  const std::size_t number = choices.bytes(1) % kSystems.size();
  const std::uint64_t moment = hmsim::kPreconditioned ? 0 : choices.bytes(1) % 5;
  const hmsim::FuzzedSystem& system = kSystems[number];
  hmsim::check(system, hmsim::file_of(system, number, moment).changed(choices));
  return 0;
}

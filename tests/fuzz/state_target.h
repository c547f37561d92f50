// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target for saved states. Whatever a file with a correct checksum holds, loading refuses it
// with an InputError, or the simulation runs on. The run may end with a reported fault, because
// the state may contradict itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "simulation/simulation.h"
#include "tests/fuzz/state_systems.h"

namespace hmsim {

enum class StateKind { checkpoint, preconditioned };

enum class StateOutcome { refused, fault, ran_on };

// Reads numbers from an input. After its end all of them are 0.
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

// A file that hmsim wrote: a header, the hash and length of a state, and the state.
class SavedFile {
 public:
  // Words between two texts, such as names of sections. A text moves the words after it to
  // addresses that are not multiples of 8.
  struct Part {
    std::size_t begin;
    std::size_t words;
  };

  // `hash_at`: where the hash begins.
  SavedFile(const std::string& content, std::size_t hash_at);

  // Returns the file with some words changed, and with a correct checksum.
  std::string changed(Choices choices) const;

 private:
  std::string header_;
  std::string state_;
  std::vector<Part> parts_;
};

// Turns an input into a system, a moment of its run and changes of the state saved then. Tries the
// file and runs on for at most `steps` kernel steps.
class StateTarget {
 public:
  StateTarget(StateKind kind, std::uint64_t steps);
  StateTarget(const StateTarget&) = delete;
  StateTarget& operator=(const StateTarget&) = delete;
  ~StateTarget();

  StateOutcome try_input(const std::uint8_t* data, std::size_t size);

 private:
  std::unique_ptr<Simulation> simulation_of(const FuzzedSystem& system,
                                            const Assignments& more) const;
  const SavedFile& file_of(std::size_t number, std::uint64_t moment);
  StateOutcome try_file(const FuzzedSystem& system, const std::string& file) const;

  StateKind kind_;
  std::uint64_t steps_;
  std::vector<FuzzedSystem> systems_;
  std::map<std::pair<std::size_t, std::uint64_t>, SavedFile> files_;  // by system and moment
  std::string path_;  // of the file that a preconditioned state is loaded from
};

}  // namespace hmsim

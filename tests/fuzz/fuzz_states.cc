// SPDX-License-Identifier: BSD-3-Clause
// Tries random inputs of the target for saved states, without libFuzzer and sanitizers.
//
// Usage: fuzz_states INPUTS [SEED [FIRST]]
//
// Input number i depends on SEED and i only. FIRST, the first number, and INPUTS 1 repeat one
// input. A child process does the work. It may use 1 GiB of addresses, so that an allocation
// without bound fails. Prints the number of each input that crashes the child or takes more than
// 10 s of processor time, and continues after it in a new child. Exit status 1 if there was such
// an input.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iomanip>
#include <iostream>
#include <new>
#include <system_error>

#include "core/random.h"
#include "tests/fuzz/state_target.h"

namespace hmsim {
namespace {

constexpr std::int64_t kLimit = 10'000'000'000;  // ns of one input
constexpr std::uint64_t kSteps = 20'000;
constexpr rlim_t kAddresses = rlim_t{1} << 30;

// Report of the child to its parent, in shared memory.
struct Progress {
  std::atomic<std::uint64_t> next{0};                    // the input that is tried
  std::atomic<std::int64_t> began{0};                    // the child's processor time then, ns
  std::atomic<std::int64_t> longest{0};                  // of an input, ns
  std::array<std::atomic<std::uint64_t>, 3> outcomes{};  // by StateOutcome
};

// Processor time in nanoseconds, which a busy machine does not lengthen.
std::int64_t time_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

StateKind kind_of(std::uint64_t number) {
  return number % 2 == 0 ? StateKind::checkpoint : StateKind::preconditioned;
}

// Three of four inputs change one word. The others change up to 24.
std::vector<std::uint8_t> input_of(std::uint64_t seed, std::uint64_t number) {
  constexpr std::size_t kLongest = 160;
  Random random(mix64(seed ^ mix64(number)));
  std::vector<std::uint8_t> bytes(kLongest);
  for (std::uint8_t& byte : bytes) {
    byte = static_cast<std::uint8_t>(random.below(256));
  }
  // The bytes before the change select the system and, for a checkpoint, the moment. A change has
  // five bytes, or seven if its place takes three.
  const std::size_t change = kind_of(number) == StateKind::checkpoint ? 2 : 1;
  const std::size_t one_word = change + (bytes[change + 2] % 2 == 0 ? 5 : 7);
  bytes.resize(random.below(4) != 0 ? one_word : one_word + random.below(kLongest - one_word));
  return bytes;
}

void try_inputs(std::uint64_t seed, std::uint64_t end, std::array<StateTarget, 2>& targets,
                Progress& progress) {
  for (; progress.next < end; ++progress.next) {
    const std::vector<std::uint8_t> input = input_of(seed, progress.next);
    StateTarget& target = targets[static_cast<std::size_t>(kind_of(progress.next))];
    progress.began = time_of(CLOCK_PROCESS_CPUTIME_ID);
    const StateOutcome outcome = target.try_input(input.data(), input.size());
    ++progress.outcomes[static_cast<std::size_t>(outcome)];
    progress.longest = std::max<std::int64_t>(progress.longest,
                                              time_of(CLOCK_PROCESS_CPUTIME_ID) - progress.began);
  }
}

// Waits for the child's end. Kills the child when an input takes too long. Returns the failure, or
// "" if there is none.
std::string failure_of(pid_t child, const Progress& progress, rusage& used) {
  constexpr useconds_t kPause = 50'000;
  clockid_t clock = 0;
  clock_getcpuclockid(child, &clock);
  int status = 0;
  while (wait4(child, &status, WNOHANG, &used) == 0) {
    if (time_of(clock) - progress.began > kLimit) {
      kill(child, SIGKILL);
      wait4(child, &status, 0, &used);
      return "takes more than 10 s";
    }
    usleep(kPause);
  }
  if (WIFSIGNALED(status)) {
    return std::string("ends with signal: ") + strsignal(WTERMSIG(status));
  }
  return WEXITSTATUS(status) == 0 ? "" : "ends the process";
}

int fuzz_states(std::uint64_t inputs, std::uint64_t seed, std::uint64_t first) {
  void* const shared =
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    throw std::system_error(errno, std::generic_category(), "mmap");
  }
  auto& progress = *new (shared) Progress;
  // Children share the parent's name of the temporary file. The parent removes it.
  std::array targets{StateTarget(StateKind::checkpoint, kSteps),
                     StateTarget(StateKind::preconditioned, kSteps)};
  int failed = 0;
  std::int64_t peak = 0;  // KiB
  for (progress.next = first; progress.next < first + inputs;) {
    progress.began = 0;
    const pid_t child = fork();
    if (child == 0) {
      const rlimit addresses{kAddresses, kAddresses};
      setrlimit(RLIMIT_AS, &addresses);
      try_inputs(seed, first + inputs, targets, progress);
      std::_Exit(0);
    }
    rusage used{};
    const std::string failure = failure_of(child, progress, used);
    peak = std::max<std::int64_t>(peak, used.ru_maxrss);
    if (!failure.empty()) {
      std::cout << "input " << progress.next++ << ": " << failure << std::endl;
      ++failed;
    }
  }
  std::cout << "inputs " << inputs << ", refused " << progress.outcomes[0] << ", faults "
            << progress.outcomes[1] << ", ran on " << progress.outcomes[2] << ", longest "
            << std::fixed << std::setprecision(2) << static_cast<double>(progress.longest) / 1e9
            << " s, peak memory " << peak / 1024 << " MiB\n";
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace hmsim

int main(int argc, char** argv) {
  std::array<std::uint64_t, 3> numbers{0, 1, 0};  // INPUTS, SEED, FIRST
  if (argc < 2 || argc > 4) {
    std::cerr << "usage: fuzz_states INPUTS [SEED [FIRST]]\n";
    return 2;
  }
  for (int i = 1; i < argc; ++i) {
    numbers[static_cast<std::size_t>(i - 1)] = std::strtoull(argv[i], nullptr, 10);
  }
  return hmsim::fuzz_states(numbers[0], numbers[1], numbers[2]);
}

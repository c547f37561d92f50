// SPDX-License-Identifier: BSD-3-Clause
// Sends a pattern of requests through the C library, as controller_benchmark sends it to the memory
// system: each once the previous one is admitted. The difference is the cost of the library.
//
//   library_benchmark PATTERN REQUESTS [BATCH] [NAME=VALUE]...
//
// PATTERN: those of controller_benchmark except sparse. BATCH: hmsim_submit() takes this number of
// requests at a time, each batch when the last one has ended.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/request_patterns.h"
#include "session/hmsim.h"

namespace hmsim {
namespace {

constexpr std::int64_t kStep = 1'000'000;  // ps

// Sends requests until one waits, and again when it is admitted, or in batches.
class Sender {
 public:
  Sender(Pattern pattern, std::int64_t requests, std::int64_t batch, const std::string& parameters)
      : trace_(made(pattern, later(requests, kMadeAhead))), requests_(requests), batch_(batch) {
    for (const hmsim_request& request : trace_) {
      entries_.push_back({request, HMSIM_ACCESS, 0, 0, nullptr});
    }
    const hmsim_host host{this, on_done, on_room, nullptr};
    check(hmsim_create(parameters.c_str(), 1, 0, &host, &memory_));
  }
  ~Sender() { hmsim_destroy(memory_); }
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;

  // Returns the time at which the last request is done.
  std::int64_t run() {
    send(0);
    for (std::int64_t now = 0; done_ < requests_;) {
      check(hmsim_run(memory_, now += kStep));
    }
    return last_;
  }

 private:
  static std::vector<hmsim_request> made(Pattern pattern, std::int64_t requests) {
    std::vector<hmsim_request> trace;
    for (const Request& each : Maker(pattern).make(requests)) {
      trace.push_back({trace.size(), static_cast<std::uint64_t>(each.address.value()), 64,
                       static_cast<int>(each.memory), each.write ? 1 : 0, each.source});
    }
    return trace;
  }
  void send(std::int64_t now) {
    if (batch_ > 0) {
      const std::int64_t count = std::min(batch_, requests_ - sent_);
      check(hmsim_submit(memory_, entries_.data() + sent_, static_cast<std::uint64_t>(count), now,
                         nullptr));
      sent_ += count;
      return;
    }
    while (sent_ < requests_) {
      const hmsim_request& request = trace_[static_cast<std::size_t>(sent_++)];
      const hmsim_status status = hmsim_send(memory_, &request, now);
      if (status == HMSIM_WAITS) {
        return;
      }
      check(status);
    }
  }
  void check(hmsim_status status) const {
    if (status != HMSIM_OK) {
      throw InputError(hmsim_error(memory_));
    }
  }
  static void on_done(void* context, std::uint64_t /*id*/, hmsim_answer /*answer*/,
                      std::int64_t time) {
    auto& self = *static_cast<Sender*>(context);
    ++self.done_;
    self.last_ = time;
    if (self.batch_ > 0 && self.done_ == self.sent_ && self.sent_ < self.requests_) {
      self.send(time);
    }
  }
  static void on_room(void* context, hmsim_class /*memory*/, std::int64_t time) {
    static_cast<Sender*>(context)->send(time);
  }

  const std::vector<hmsim_request> trace_;
  const std::int64_t requests_;
  const std::int64_t batch_;  // 0: one at a time
  std::vector<hmsim_entry> entries_;
  hmsim_memory* memory_ = nullptr;
  std::int64_t sent_ = 0;
  std::int64_t done_ = 0;
  std::int64_t last_ = 0;  // time of the last call of done()
};

int run(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: library_benchmark PATTERN REQUESTS [BATCH] [NAME=VALUE]...\n");
    return 2;
  }
  std::string parameters;
  const bool batches = argc > 3 && std::string(argv[3]).find('=') == std::string::npos;
  const std::int64_t batch = batches ? std::strtoll(argv[3], nullptr, 10) : 0;
  for (int i = batches ? 4 : 3; i < argc; ++i) {
    parameters += std::string(argv[i]) + '\n';
  }
  const std::int64_t requests = std::strtoll(argv[2], nullptr, 10);
  Sender sender(pattern_of(argv[1]), requests, batch, parameters);
  const std::int64_t last = sender.run();
  std::printf("{\"pattern\": \"%s\", \"requests\": %lld, \"gb_per_s\": %.3f}\n", argv[1],
              static_cast<long long>(requests),
              static_cast<double>(requests) * 64e3 / static_cast<double>(last));
  return 0;
}

}  // namespace
}  // namespace hmsim

int main(int argc, char** argv) {
  try {
    return hmsim::run(argc, argv);
  } catch (const hmsim::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}

// SPDX-License-Identifier: BSD-3-Clause
// hmsim as a memory backend, as SST's are driven: requests are issued or refused, a clock ticks,
// and a handler receives responses. The first half of the addresses is DRAM, the rest the NVDIMM.
//
//     g++ -std=c++17 memory_backend.cc $(hmsim library) -o memory_backend
//     hmsim check quick --flat > machine.txt && ./memory_backend machine.txt
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "hmsim.h"

namespace {

class Backend {
 public:
  using Id = std::uint64_t;
  // `failed`: a write is not stored, or a read found no data.
  using Handler = std::function<void(Id id, bool failed)>;

  Backend(const char* path, std::int64_t cycle_ps, Handler respond)
      : cycle_ps_(cycle_ps), respond_(std::move(respond)) {
    const hmsim_host host{this, on_done, nullptr, nullptr};
    if (hmsim_create_from_file(path, 1, 0, &host, &memory_) != HMSIM_OK) {
      const std::string error = hmsim_error(memory_);
      hmsim_destroy(memory_);
      throw std::runtime_error(error);
    }
  }
  ~Backend() { hmsim_destroy(memory_); }
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  std::uint64_t capacity() const { return dram() + hmsim_capacity(memory_, HMSIM_NVDIMM); }
  std::uint64_t dram() const { return hmsim_capacity(memory_, HMSIM_DRAM); }

  // Returns false if the request must be issued again in a later cycle.
  bool issue_request(Id id, std::uint64_t address, bool write, unsigned bytes) {
    const bool flash = address >= dram();
    const hmsim_request request{
        id, flash ? address - dram() : address, bytes, flash ? HMSIM_NVDIMM : HMSIM_DRAM, write, 0};
    const hmsim_status status = hmsim_send(memory_, &request, now_);
    if (status == HMSIM_BAD_INPUT || status == HMSIM_FAULT) {
      throw std::runtime_error(hmsim_error(memory_));
    }
    return status != HMSIM_FULL;
  }

  // Called each cycle. Returns true if the clock may stop, because nothing is in progress.
  bool clock(std::uint64_t cycle) {
    now_ = static_cast<std::int64_t>(cycle) * cycle_ps_;
    if (hmsim_run(memory_, now_) != HMSIM_OK) {
      throw std::runtime_error(hmsim_error(memory_));
    }
    return hmsim_idle(memory_) != 0;
  }

 private:
  static void on_done(void* context, std::uint64_t id, hmsim_answer answer, std::int64_t /*time*/) {
    static_cast<Backend*>(context)->respond_(id,
                                             answer != HMSIM_DONE && answer != HMSIM_REFRESH_DUE);
  }

  hmsim_memory* memory_ = nullptr;
  const std::int64_t cycle_ps_;
  Handler respond_;
  std::int64_t now_ = 0;
};

int run(const char* path) {
  std::map<Backend::Id, std::uint64_t> issued;  // cycle of each request
  std::uint64_t cycle = 0;
  std::uint64_t cycles[2] = {0, 0};  // of requests to DRAM and to the NVDIMM, summed
  std::size_t failed = 0;
  Backend backend(path, 1000, [&](Backend::Id id, bool fails) {
    failed += fails ? 1 : 0;
    cycles[id % 2] += cycle - issued.at(id);
    issued.erase(id);
  });
  const int requests = 2000;
  for (Backend::Id id = 0; id < requests; ++cycle) {
    backend.clock(cycle);
    const std::uint64_t address = id % 2 == 0 ? id * 4096 : backend.dram() + id * 64;
    if (backend.issue_request(id, address, id % 4 == 0, 64)) {
      issued[id++] = cycle;
    }
  }
  while (!backend.clock(cycle)) {
    ++cycle;
  }
  std::printf(
      "%d requests, %zu left, %zu failed, a request of DRAM %.1f ns, of the NVDIMM %.1f ns\n",
      requests, issued.size(), failed, 2.0 * static_cast<double>(cycles[0]) / requests,
      2.0 * static_cast<double>(cycles[1]) / requests);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? argv[1] : "machine.txt");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "memory_backend: %s\n", error.what());
    return 2;
  }
}

// SPDX-License-Identifier: BSD-3-Clause
// Taps on the two sides of the memory port, for the interface's view. They stand between the agents
// and the memory system, and pass everything on.
#pragma once

#include "core/request.h"
#include "simulation/views/views.h"

namespace hmsim {

class ViewPort final : public MemoryPort {
 public:
  ViewPort(MemoryPort& port, Views& views) : port_(port), views_(views) {}

  void send(Request& request, Tick now) override {
    port_.send(request, now);
    views_.sent(request, now);
  }
  Bytes capacity(MemoryClass memory) const override { return port_.capacity(memory); }
  std::int64_t trim(Address address, Bytes size, Tick now) override {
    return port_.trim(address, size, now);
  }
  Collections collections() const override { return port_.collections(); }

 private:
  MemoryPort& port_;
  Views& views_;
};

class ViewRequester final : public Requester {
 public:
  ViewRequester(Requester& requester, Views& views) : requester_(requester), views_(views) {}

  void on_admit(const Request& request, Tick now) override {
    views_.admitted(request, now);
    requester_.on_admit(request, now);
  }
  void on_complete(const Request& request, Tick now) override {
    views_.returned(request, now);
    requester_.on_complete(request, now);
  }
  LineData write_data(const Request& request) const override {
    return requester_.write_data(request);
  }
  void on_read_data(const Request& request, const LineBytes& bytes) override {
    requester_.on_read_data(request, bytes);
  }

 private:
  Requester& requester_;
  Views& views_;
};

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
// Three views of every request: of the application, of the memory interface and of the memory
// simulator. Compares them request by request. docs/three-views.md defines the times.
//
// Observes only. Each view gets its times from a different source: the cores, the two sides of the
// memory port (view_taps.h), and the channels' accounts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "agents/application_observer.h"
#include "controller/accounts/request_observer.h"
#include "core/request.h"
#include "simulation/views/view_clock.h"
#include "simulation/views/view_sums.h"

namespace hmsim {

class Views final : public ApplicationObserver, public RequestObserver {
 public:
  using Values = std::vector<std::pair<std::string, std::int64_t>>;

  // Starts the measured window. `outstanding`: the requests under way. Those not seen before (after
  // a checkpoint was loaded) have no application view.
  void begin(const std::vector<Requester::Outstanding>& outstanding, Tick now);
  // Sets a further observer of completed requests; nullptr: none.
  void forward_to(RequestObserver* next) { next_ = next; }

  // Interface: the request, with its id, was handed over; was admitted; returned.
  void sent(const Request& request, Tick now);
  void admitted(const Request& request, Tick now);
  void returned(const Request& request, Tick now);

  // Simulator.
  void on_request(const RequestRecord& record) override;

  // Application.
  void on_core(std::size_t agent, std::int64_t slots_per_millisecond,
               std::int64_t lookup_slots) override;
  void on_issue(std::size_t agent, std::uint32_t tag, bool prefetch, Tick at) override;
  void on_usable(std::size_t agent, std::uint32_t tag, Tick at) override;
  void on_prefetched(std::size_t agent, bool present) override;

  // All sums by name. Times are in picoseconds.
  Values values(Tick now) const;

 private:
  struct Core {
    ViewClock clock;
    std::int64_t lookup;  // slots
  };
  struct Issue {
    Tick at{0};
    bool prefetch = false;
  };
  struct Passage {  // of a request through the interface and the simulator
    Tick sent{0};
    Tick admitted{kNever};  // as the interface sees it
    Tick began{kNever};     // as the simulator sees it
    Tick done{kNever};
    ViewClass kind = ViewClass::load;
  };

  static std::uint64_t key(std::size_t agent, std::uint32_t tag) {
    return (static_cast<std::uint64_t>(agent) << 32U) + tag;
  }
  ViewClass kind_of(const Request& request) const;
  void compare(const Request& request, const Passage& passage, Tick now);
  void differ(Tick& residue, Tick difference);

  bool measuring_ = false;
  Tick begin_{0};
  RequestObserver* next_ = nullptr;
  std::unordered_map<std::size_t, Core> cores_;         // by agent
  std::unordered_map<std::uint64_t, Issue> issued_;     // by key()
  std::unordered_map<std::uint64_t, Passage> passing_;  // by request
  Passage last_;                                        // that returned last
  Tick last_returned_{0};
  std::unordered_map<int, std::uint64_t> youngest_;  // finished request, by channel
  ViewSums application_;
  ViewSums interface_;
  ViewSums simulator_;
  Tick lookup_{0};     // of loads, declared: look-ups of caches before a request
  Tick edge_{0};       // of loads, declared: from the return to the core's next clock edge
  Tick admission_{0};  // wait for a queue entry, from the channels' accounts
  Tick application_residue_{0};
  Tick interface_residue_{0};
  Tick parts_residue_{0};
  std::int64_t differing_ = 0;   // comparisons with a residue
  std::int64_t disordered_ = 0;  // requests whose times are not in order
  std::int64_t unseen_ = 0;      // requests that a view did not see
  std::int64_t overtaken_ = 0;   // requests that finished after a younger one of their channel
  std::int64_t present_ = 0;     // loads that found their line prefetched
  std::int64_t merged_ = 0;      // loads that joined a prefetch in flight
};

}  // namespace hmsim

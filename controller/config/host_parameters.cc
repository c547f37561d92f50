// SPDX-License-Identifier: BSD-3-Clause
#include "controller/config/host_parameters.h"

#include "policies/policy.h"

namespace hmsim {

void HostParameters::declare(ParameterSet& parameters) {
  const ParameterSet::Scope scope(parameters, "host");
  parameters.choice("queue", queue,
                    {{"none", HostQueueing::none},
                     {"shared", HostQueueing::shared},
                     {"divided", HostQueueing::divided}},
                    {"queue of the processor in front of all channels: none; one for both tiers; "
                     "or one for each tier. DRAM on the memory bus is fast; NVDIMMs, and DRAM "
                     "behind a port, are slow",
                     "shared: the table of outstanding misses of a processor's memory side"});
  parameters.integer("entries", entries, {1, 65'536}, "entries",
                     {"entries of the shared queue, or of the fast tier's queue (divided)",
                      "assumed; no source gives the number of a processor"});
  parameters.integer("slow_entries", slow_entries, {1, 65'536}, "entries",
                     {"entries of the slow tier's queue (divided)", "assumed"});
  parameters.choice("order", order, {{"fifo", HostOrder::fifo}, {"any", HostOrder::any}},
                    {"fifo: a request that may not enter stops all later ones; any: it stops only "
                     "later ones of its tier and source",
                     "assumed"});
  parameters.choice("write_holds", write_holds,
                    {{"accept", WriteHolds::accept}, {"done", WriteHolds::done}},
                    {"until when a write holds its entry: its channel or device has taken it, or "
                     "it is done; reads hold theirs until their data arrive",
                     "accept: posted writes"});
  parameters.name_of("limiter", limiter, policy_names(PolicyKind::host_limiter),
                     {"limiter: decides which requests may take a free entry", ""});
}

}  // namespace hmsim

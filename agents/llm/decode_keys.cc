// SPDX-License-Identifier: BSD-3-Clause
#include "agents/llm/decode_keys.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "core/clock.h"
#include "core/units.h"

namespace hmsim {

namespace {

constexpr const char* kSource = "the workload's own";

}  // namespace

void DecodeKeys::declare(ParameterSet& parameters) {
  model.declare(parameters);
  parameters.integer("batch", batch, {1, 4'096}, "sequences",
                     {"sequences that are decoded together, each one token a step", kSource});
  parameters.integer("context", context, {1, 16'777'216}, "tokens",
                     {"tokens of a sequence before its first generated token", kSource});
  parameters.integer("output", output, {0, 16'777'216}, "tokens",
                     {"tokens that a sequence generates before it ends, trims its pages, and a new "
                      "one takes its place; sequence i of n begins with i x output / n of them "
                      "generated; 0: sequences end with the pass",
                      kSource});
  parameters.integer("steps", steps, {1, 1'000'000'000}, "steps",
                     {"decode steps of a pass; each generates a token of every sequence", kSource});
  parameters.boolean("prefill", prefill,
                     {"whether keys and values of a new sequence are computed and written before "
                      "its first step; otherwise they are in memory already",
                      kSource});
  parameters.integer("page_tokens", page_tokens, {1, 65'536}, "tokens",
                     {"tokens of a page of keys and values", "vLLM's default block"});
  parameters.integer_or("layers_simulated", layers_simulated, {1, 1'024}, "all", kAllLayers,
                        "layers",
                        {"layers that are simulated, with embedding and head; statistics under "
                         "`scaled` extrapolate to all layers",
                         kSource});
  const std::vector<std::pair<const char*, Tier>> tiers{{kTierNames[0], Tier::fast},
                                                        {kTierNames[1], Tier::slow}};
  parameters.choice<Tier>("weights", weights, tiers,
                          {"memory of weights and embedding; nvdimm: the NVDIMM, or the device of "
                           "storage.kind",
                           kSource});
  parameters.choice<Tier>("kv", kv, tiers,
                          {"memory of keys and values; with nvdimm, whole pages, and incomplete "
                           "pages are gathered in DRAM",
                           kSource});
  parameters.integer(
      "prefetch", prefetch, {0, 1'024}, "layers",
      {"layers whose reads may begin before the layer before them has been computed", kSource});
  parameters.integer("flops", flops, {0, 1'000'000'000}, "GFLOP/s",
                     {"peak rate of computation; a layer takes 2 operations for each parameter and "
                      "token; 0: computation takes no time",
                      "assumed: about that of one accelerator of 2023 in bfloat16"});
  parameters.size("request", request, {4'096, 1 << 20},
                  {"largest request to the NVDIMM or the storage device, a multiple of 4KiB",
                   "a modelling choice of hmsim"});
  parameters.integer_or("outstanding", outstanding, {1, kMostRequests}, "auto", kOfQueue,
                        "requests",
                        {"requests to the NVDIMM or the storage device in flight, in each "
                         "direction; auto: the entries of the NVDIMM's queues, and 64 with a "
                         "storage device",
                         "a modelling choice of hmsim"});
  parameters.integer_or("window", window, {1, kMostRequests}, "auto", kOfQueue, "lines",
                        {"lines of a request in flight on the NVDIMM; with few, many requests "
                         "share the transaction queue, and many pages of flash are read at once. "
                         "auto: the entries of the NVDIMM's queues divided by `outstanding`",
                         "a modelling choice of hmsim"});
  parameters.integer("lines", lines, {1, 65'536}, "lines",
                     {"lines of DRAM in flight, in each direction", "a modelling choice of hmsim"});
}

std::vector<ParameterError> DecodeKeys::check() const {
  std::vector<ParameterError> errors = model.check();
  if (layers_simulated > model.shape.layers) {
    errors.push_back({"layers_simulated",
                      "must be at most the model's layers, " + std::to_string(model.shape.layers)});
  }
  if (request % kPageBytes != Bytes(0)) {
    errors.push_back(
        {"request", format_size(request) + " is not a multiple of 4KiB; nearest: " +
                        format_size((request + kPageBytes / 2) / kPageBytes * kPageBytes)});
  }
  if (kv == Tier::slow && page_bytes() % kPageSize != 0) {
    const auto unit =
        static_cast<std::int64_t>(kPageSize / std::gcd(kPageSize, model.half_bytes()));
    const std::int64_t nearest = std::max((page_tokens + unit / 2) / unit, std::int64_t{1}) * unit;
    errors.push_back({"page_tokens", "keys of a page, " + std::to_string(page_bytes()) +
                                         " bytes, are not a multiple of 4KiB, the unit of the "
                                         "NVDIMM; nearest: " +
                                         std::to_string(nearest)});
  }
  return errors;
}

Tick DecodeKeys::compute_time(std::uint64_t parameters, std::uint64_t tokens) const {
  if (flops == 0) {
    return Tick(0);
  }
  __extension__ using Wide = unsigned __int128;
  const auto rate = static_cast<Wide>(flops);  // operations a nanosecond
  const Wide operations = static_cast<Wide>(parameters) * tokens * 2;
  const Wide time = (operations * static_cast<Wide>(kNanosecond.value()) + rate - 1) / rate;
  return time > static_cast<Wide>(kLongestTime.value()) ? kLongestTime
                                                        : Tick(static_cast<std::int64_t>(time));
}

}  // namespace hmsim

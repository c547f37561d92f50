// SPDX-License-Identifier: BSD-3-Clause
// Agent kind llm_decode: decoding of a large language model whose weights and cache of keys and
// values are in DRAM, in the NVDIMM or on storage.
//
// A step generates a token of each sequence of a batch, in stages: the embedding, each layer, the
// output head. A stage is computed once its reads are done and the stage before it is computed; the
// reads of up to `prefetch` later stages are under way meanwhile. Keys and values of the tokens are
// written once their layer is computed. The next step begins when all writes are done. Then ended
// sequences trim their pages, new ones take their place and, if `prefill` is set, one step of all
// their tokens computes and writes their keys and values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agents/agent.h"
#include "agents/llm/decode_io.h"
#include "agents/llm/decode_keys.h"
#include "agents/llm/decode_layout.h"
#include "agents/llm/decode_meter.h"
#include "agents/llm/sequences.h"
#include "storage/host.h"

namespace hmsim {

class LlmDecode final : public Agent, private IoListener {
 public:
  explicit LlmDecode(const FrontendParameters&) {}

  void declare(ParameterSet& parameters) override;
  std::vector<ParameterError> check() const override { return keys_.check(); }
  AgentTraits traits() const override;
  std::int64_t work(Tick) const override { return tokens_; }
  std::optional<NvdimmIo> nvdimm_io(std::size_t which) const override;
  void register_statistics(StatisticRegistry& registry, const std::string& path) override {
    meter_.register_statistics(registry, path);
  }
  // Visits the pages that the first decode step of a pass reads.
  void each_page_read(bool to_limit, const PageVisitor& visit) override;

  Tick next_event() const override { return wake_; }
  Tick advance(Tick now) override;

 private:
  // start: until the pass begins. drain: until the writes of a step are done. trim: until the trims
  // are.
  enum class Phase : std::uint8_t { start, step, drain, trim, last = trim };

  void prepare() override;
  void restart_limit(Tick now) override;
  double pass_fraction(Tick now) const override;
  void handle_completion(const Request& request, Tick now) override;
  void on_io_done(std::uint32_t tag, Tick now) override;
  void serialize_state(Archive& archive) override;

  void check_device() const;
  void start_pass(Tick now);
  void begin_step();
  void begin_stage(Tick now);
  void end_stage(Tick now);
  bool end_drain(Tick now);
  bool end_trims();
  Tick stage_time() const;
  StepPart part();
  void settle(Tick now);
  void settle_if(bool changed, Tick now);

  DecodeKeys keys_;
  Host* host_ = nullptr;
  DecodeLayout layout_;
  Sequences sequences_;
  DecodeMeter meter_;
  DecodeIo io_;
  Phase phase_ = Phase::start;
  bool computing_ = false;      // stage `computed_`
  std::uint32_t computed_ = 0;  // stages of the step
  Tick wake_{0};                // start of the pass, or end of the computation
  std::int64_t steps_ = 0;      // since the pass, or measuring, began
  std::int64_t tokens_ = 0;     // over all passes
};

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
#include "agents/llm/agent_llm_decode.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/clock.h"
#include "core/errors.h"

namespace hmsim {

void LlmDecode::declare(ParameterSet& parameters) {
  declare_core(parameters);
  Agent::declare(parameters);
  declare_random_stream(parameters);
  keys_.declare(parameters);
}

AgentTraits LlmDecode::traits() const {
  AgentTraits traits{"tokens"};
  traits.sends_lines = true;
  return traits;
}

// An accelerator reads and writes the NVDIMM without software, page faults or fences.
std::optional<NvdimmIo> LlmDecode::nvdimm_io(std::size_t /*which*/) const {
  if (!keys_.uses(Tier::slow)) {
    return std::nullopt;
  }
  NvdimmIo io;
  io.path.driver = io_driver_of(IoDriverKind::dax);
  const bool any = keys_.outstanding == DecodeKeys::kOfQueue;
  io.path.contexts = 2 * (any ? DecodeKeys::kMostRequests : keys_.outstanding);
  io.path.max_request = Bytes(std::numeric_limits<std::int64_t>::max());
  io.device.driver.software = IoDriverKind::dax;
  const bool shared = keys_.window == DecodeKeys::kOfQueue;
  io.device.window = shared ? 1 : keys_.window;
  io.device.shared_by = shared && !any ? keys_.outstanding : 0;
  io.device.source = static_cast<std::uint16_t>(core());
  io.of_block_agent = true;
  return io;
}

void LlmDecode::prepare() {
  host_ = environment().storage;
  check_device();
  if (keys_.outstanding == DecodeKeys::kOfQueue) {
    constexpr std::int64_t kOfDevice = 64;
    const std::int64_t lines = std::max<std::int64_t>(keys_.window, 1);
    keys_.outstanding =
        host_ != nullptr && host_->is_memory()
            ? std::clamp<std::int64_t>(environment().port->nvdimm_traits().entries / lines, 1,
                                       DecodeKeys::kMostRequests)
            : kOfDevice;
  }
  const std::array<Bytes, kTiers> capacity{environment().port->capacity(MemoryClass::dram),
                                           host_ == nullptr ? Bytes(0) : host_->capacity()};
  DecodeLayout::check_fit(keys_, capacity, name() + ".");
  layout_ = DecodeLayout(keys_);
  sequences_ = Sequences(keys_, Random(environment().seed, random_stream()),
                         Random(mix64(environment().seed), random_stream()));
  meter_ = DecodeMeter(keys_);
  const std::uint16_t client = keys_.uses(Tier::slow) ? host_->join(*this) : std::uint16_t{0};
  io_.connect({{&keys_, &layout_, &sequences_}, this, host_, client, &meter_});
}

void LlmDecode::check_device() const {
  if (!keys_.uses(Tier::slow)) {
    return;
  }
  const std::string agent = name() + ".";
  if (host_ == nullptr || host_->capacity() < kPageBytes) {
    throw InputError(agent + (keys_.weights == Tier::slow ? "weights" : "kv") +
                     ": the configuration has neither an NVDIMM nor storage: must be 'dram'");
  }
  const auto unit = static_cast<std::uint64_t>(host_->granularity().value());
  if (keys_.weights == Tier::slow && keys_.model.row_bytes() % unit != 0) {
    const auto bytes = static_cast<std::uint64_t>(keys_.model.weight_bytes);
    throw InputError(
        agent + "width: a row of " + std::to_string(keys_.model.row_bytes()) +
        " bytes is not a multiple of the device's " + std::to_string(unit) +
        "; nearest: " + std::to_string((keys_.model.row_bytes() / unit + 1) * unit / bytes));
  }
}

Tick LlmDecode::advance(Tick now) {
  while (wake_ <= now) {  // a computation may take no time
    wake_ = kNever;
    phase_ == Phase::start ? start_pass(now) : end_stage(now);
    settle(now);
  }
  return wake_;
}

void LlmDecode::start_pass(Tick now) {
  steps_ = 0;
  sequences_.rewind();
  meter_.begin_step(now);
  begin_step();
}

void LlmDecode::begin_step() {
  sequences_.begin_step();
  computed_ = 0;
  io_.begin_step();
  io_.release(keys_.prefetch, -1);
  phase_ = Phase::step;
}

// Does everything that can be done now.
void LlmDecode::settle(Tick now) {
  for (bool more = true; more;) {
    io_.pump(now);
    more = phase_ == Phase::drain ? end_drain(now) : phase_ == Phase::trim && end_trims();
  }
  begin_stage(now);
  meter_.enter(part(), now);
}

void LlmDecode::settle_if(bool changed, Tick now) {
  const Tick before = wake_;
  if (changed) {
    settle(now);
  }
  if (wake_ != before) {
    notify();
  }
}

StepPart LlmDecode::part() {
  if (phase_ != Phase::step) {
    return StepPart::writes;
  }
  if (computing_) {
    return StepPart::compute;
  }
  const bool dram = !io_.passed(Tier::fast, computed_);
  const bool nvdimm = !io_.passed(Tier::slow, computed_);
  return dram && nvdimm ? StepPart::both : dram ? StepPart::dram : StepPart::nvdimm;
}

// Begins to compute the next stage of a step, if its reads are done.
void LlmDecode::begin_stage(Tick now) {
  if (phase_ == Phase::step && !computing_ && io_.passed(Tier::fast, computed_) &&
      io_.passed(Tier::slow, computed_)) {
    computing_ = true;
    wake_ = sum_in_time(now, stage_time());
  }
}

Tick LlmDecode::stage_time() const {
  if (computed_ == 0) {
    return Tick(0);
  }
  std::uint64_t tokens = 0;
  std::uint64_t sequences = 0;
  for (std::uint32_t i = 0; i < sequences_.size(); ++i) {
    tokens += sequences_.computed(i);
    sequences += sequences_.computed(i) > 0 ? 1 : 0;
  }
  return computed_ == keys_.head_stage()
             ? keys_.compute_time(keys_.model.head_parameters(), sequences)
             : keys_.compute_time(keys_.model.layer_parameters(), tokens);
}

void LlmDecode::end_stage(Tick now) {
  computing_ = false;
  ++computed_;
  if (computed_ == 1) {
    meter_.end_embedding(now);
  } else if (computed_ <= keys_.head_stage()) {
    meter_.end_layer(now);
  }
  io_.release(computed_ + keys_.prefetch, computed_ - 1);
  if (computed_ == keys_.stages()) {
    meter_.end_step(sequences_.prefills(), now);
    meter_.begin_step(now);
    phase_ = Phase::drain;
  }
}

// After the writes of a step: ends the pass, or begins the trims of ended sequences.
bool LlmDecode::end_drain(Tick now) {
  if (!io_.written()) {
    return false;
  }
  sequences_.end_step();
  if (!sequences_.prefills()) {
    tokens_ += keys_.batch;
    if (++steps_ >= keys_.steps) {
      finish(now);
      meter_.set_counting(!finished_once());
      phase_ = Phase::start;
      wake_ = now + kRestartGap;
      return false;
    }
  }
  io_.begin_trims();
  phase_ = Phase::trim;
  return true;
}

bool LlmDecode::end_trims() {
  if (!io_.trimmed()) {
    return false;
  }
  meter_.ended(sequences_.replace_ended());
  begin_step();
  return true;
}

void LlmDecode::handle_completion(const Request& request, Tick now) {
  settle_if(io_.line_done(request.tag, now), now);
}

// Counts the requests of a storage device; those of the NVDIMM are counted as its lines.
void LlmDecode::on_io_done(std::uint32_t tag, Tick now) {
  if (!host_->is_memory()) {
    count_completion();
  }
  settle_if(io_.request_done(tag, now), now);
}

void LlmDecode::restart_limit(Tick) {
  steps_ = 0;
  meter_.set_counting(true);
}

double LlmDecode::pass_fraction(Tick) const {
  const double step = static_cast<double>(computed_) / static_cast<double>(keys_.stages());
  return std::min(1.0, (static_cast<double>(steps_) + step) / static_cast<double>(keys_.steps));
}

void LlmDecode::each_page_read(bool /*to_limit*/, const PageVisitor& visit) {
  sequences_.rewind();
  sequences_.begin_step();
  if (sequences_.prefills()) {
    sequences_.end_step();
    sequences_.begin_step();
  }
  Walk<StepLoops> walk({{&keys_, &layout_, &sequences_}, Tier::slow, false});
  const auto page = static_cast<std::uint64_t>(kPageBytes.value());
  for (Extent extent; walk.next(extent);) {
    for (std::uint64_t at = extent.offset / page; at * page < extent.offset + extent.bytes; ++at) {
      if (!visit(static_cast<std::int64_t>(at))) {
        return;
      }
    }
  }
}

void LlmDecode::serialize_state(Archive& archive) {
  archive.section("llm_decode");
  archive(sequences_, meter_, io_, phase_, computing_, computed_, wake_, steps_, tokens_);
  archive.check(computed_ < keys_.stages() + (phase_ == Phase::step ? 0 : 1),
                "invalid stage of a decode step");
}

extern const AgentDescriptor kAgent_llm_decode;
const AgentDescriptor kAgent_llm_decode{
    "llm_decode", "decoding of a large language model, whose weights and cache are in slow memory",
    make_agent<LlmDecode>};

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
#include "embed/hmsim.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "embed/embedded_memory.h"
#include "embed/named_values.h"

static_assert(HMSIM_NEVER == hmsim::kNever.value());

namespace {

hmsim::Assignments assignments(std::string_view text) {
  hmsim::Assignments parameters;
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && line.back() == '\r') {
      line.remove_suffix(1);
    }
    if (line.empty() || line.front() == '#') {
      continue;
    }
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) {
      throw hmsim::InputError("parameters", number,
                              "must be NAME=VALUE, got '" + std::string(line) + "'");
    }
    parameters.emplace_back(line.substr(0, equals), line.substr(equals + 1));
  }
  return parameters;
}

void require(bool condition, const char* message) {
  if (!condition) {
    throw hmsim::InputError(message);
  }
}

}  // namespace

// The memory, its host, and the last error.
struct hmsim_memory final : private hmsim::EmbeddingHost, private hmsim::SourceProgress {
 public:
  explicit hmsim_memory(const hmsim_host& host) : host_(host) {}

  // Runs `work` unless an earlier call failed for good. Returns its result or the error's status.
  template <class Work>
  hmsim_status guarded(Work work) noexcept {
    if (broken_) {
      return HMSIM_FAULT;
    }
    try {
      return work();
    } catch (const hmsim::InputError& error) {
      return fail(HMSIM_BAD_INPUT, error.what());
    } catch (const std::bad_alloc&) {
      return fail(HMSIM_FAULT, "the machine provides no more memory");
    } catch (const std::exception& error) {
      return fail(HMSIM_FAULT, error.what());
    } catch (...) {
      return fail(HMSIM_FAULT, "a call into the simulator threw an exception");
    }
  }

  void create(const char* parameters, std::uint64_t seed, bool check) {
    require(parameters != nullptr, "parameters: must not be NULL");
    require(host_.done != nullptr, "host.done: must not be NULL");
    hmsim::EmbeddingHost& host = *this;
    const hmsim::SourceProgress& progress = *this;
    memory_.emplace(host, progress, assignments(parameters), seed, check);
  }

  hmsim::EmbeddedMemory& memory() {
    require(memory_.has_value(), "the memory was not created: its parameters are invalid");
    return *memory_;
  }
  const hmsim::EmbeddedMemory* existing() const { return memory_ ? &*memory_ : nullptr; }
  const char* error() const { return error_.c_str(); }

  // A state that was loaded in part is of no use.
  void load(const std::string& state, hmsim::Tick now) {
    hmsim::EmbeddedMemory& target = memory();
    broken_ = true;
    target.load(state, now);
    broken_ = false;
  }

  std::string saved;  // by the last hmsim_save()

 private:
  hmsim_status fail(hmsim_status status, const char* message) noexcept {
    broken_ = broken_ || status == HMSIM_FAULT;
    try {
      error_ = message;
    } catch (...) {
      error_.clear();
    }
    return status;
  }

  void on_done(std::uint64_t id, hmsim::Tick now) override {
    host_.done(host_.context, id, now.value());
  }
  void on_room(hmsim::MemoryClass memory, hmsim::Tick now) override {
    if (host_.room != nullptr) {
      host_.room(host_.context, static_cast<hmsim_class>(memory), now.value());
    }
  }
  std::int64_t instructions(std::uint16_t source) const override {
    return host_.instructions == nullptr ? 0 : host_.instructions(host_.context, source);
  }

  const hmsim_host host_;
  std::optional<hmsim::EmbeddedMemory> memory_;
  bool broken_ = false;
  std::string error_;
};

namespace {

hmsim::MemoryClass class_of(int which) {
  require(which == HMSIM_DRAM || which == HMSIM_NVDIMM,
          "memory: must be HMSIM_DRAM or HMSIM_NVDIMM");
  return static_cast<hmsim::MemoryClass>(which);
}

using Sent = hmsim::EmbeddedMemory::Sent;
static_assert(static_cast<int>(Sent::admitted) == HMSIM_OK &&
              static_cast<int>(Sent::waits) == HMSIM_WAITS &&
              static_cast<int>(Sent::refused) == HMSIM_FULL);

constexpr std::uint64_t kLongest = std::numeric_limits<std::int64_t>::max();

// Converts a time of the caller.
hmsim::Tick time_of(std::int64_t now) {
  require(now >= 0 && now < HMSIM_NEVER, "now: must be at least 0 and before HMSIM_NEVER");
  return hmsim::Tick(now);
}

}  // namespace

int hmsim_abi(void) { return HMSIM_ABI; }

hmsim_status hmsim_create(const char* parameters, uint64_t seed, int check, const hmsim_host* host,
                          hmsim_memory** memory) {
  if (memory == nullptr) {
    return HMSIM_BAD_INPUT;
  }
  *memory = new (std::nothrow) hmsim_memory(host == nullptr ? hmsim_host{} : *host);
  if (*memory == nullptr) {
    return HMSIM_FAULT;
  }
  return (*memory)->guarded([&] {
    require(host != nullptr, "host: must not be NULL");
    (*memory)->create(parameters, seed, check != 0);
    return HMSIM_OK;
  });
}

void hmsim_destroy(hmsim_memory* memory) { delete memory; }

const char* hmsim_error(const hmsim_memory* memory) {
  return memory == nullptr ? "memory: must not be NULL" : memory->error();
}

uint64_t hmsim_capacity(const hmsim_memory* memory, hmsim_class which) {
  const bool known = which == HMSIM_DRAM || which == HMSIM_NVDIMM;
  if (memory == nullptr || memory->existing() == nullptr || !known) {
    return 0;
  }
  const auto memory_class = static_cast<hmsim::MemoryClass>(which);
  return static_cast<uint64_t>(memory->existing()->capacity(memory_class).value());
}

hmsim_status hmsim_send(hmsim_memory* memory, const hmsim_request* request, int64_t now) {
  if (memory == nullptr) {
    return HMSIM_BAD_INPUT;
  }
  return memory->guarded([&] {
    require(request != nullptr, "request: must not be NULL");
    require(request->address <= kLongest && request->size <= kLongest,
            "request: address and size must be below 2^63");
    hmsim::HostRequest own;
    own.memory = class_of(request->memory);
    own.address = hmsim::Address(static_cast<std::int64_t>(request->address));
    own.size = static_cast<std::int64_t>(request->size);
    own.write = request->write != 0;
    own.source = request->source;
    own.id = request->id;
    return static_cast<hmsim_status>(memory->memory().send(own, time_of(now)));
  });
}

int64_t hmsim_next_event(const hmsim_memory* memory) {
  const bool exists = memory != nullptr && memory->existing() != nullptr;
  return exists ? memory->existing()->next_event().value() : HMSIM_NEVER;
}

hmsim_status hmsim_run(hmsim_memory* memory, int64_t now) {
  if (memory == nullptr) {
    return HMSIM_BAD_INPUT;
  }
  return memory->guarded([&] {
    memory->memory().run(time_of(now));
    return HMSIM_OK;
  });
}

int hmsim_idle(const hmsim_memory* memory) {
  return memory != nullptr && memory->existing() != nullptr && memory->existing()->idle() ? 1 : 0;
}

hmsim_status hmsim_statistic(hmsim_memory* memory, const char* name, int64_t now, double* value) {
  if (memory == nullptr) {
    return HMSIM_BAD_INPUT;
  }
  return memory->guarded([&] {
    require(name != nullptr && value != nullptr, "name and value: must not be NULL");
    const auto all = hmsim::named_values(memory->memory().statistics(time_of(now)));
    std::vector<std::string> names;
    for (const hmsim::NamedValue& each : all) {
      if (each.name == name) {
        *value = each.value;
        return HMSIM_OK;
      }
      names.push_back(each.name);
    }
    const std::string nearest = hmsim::nearest_name(name, names);
    throw hmsim::InputError(std::string(name) + ": unknown statistic" +
                            (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
  });
}

hmsim_status hmsim_statistics(hmsim_memory* memory, int64_t now,
                              void (*visit)(void*, const char*, const char*, double),
                              void* context) {
  if (memory == nullptr) {
    return HMSIM_BAD_INPUT;
  }
  return memory->guarded([&] {
    require(visit != nullptr, "visit: must not be NULL");
    for (const auto& each : hmsim::named_values(memory->memory().statistics(time_of(now)))) {
      visit(context, each.name.c_str(), each.description.c_str(), each.value);
    }
    return HMSIM_OK;
  });
}

hmsim_status hmsim_reset_statistics(hmsim_memory* memory, int64_t now) {
  if (memory == nullptr) {
    return HMSIM_BAD_INPUT;
  }
  return memory->guarded([&] {
    memory->memory().reset_statistics(time_of(now));
    return HMSIM_OK;
  });
}

hmsim_status hmsim_save(hmsim_memory* memory, int64_t now, const void** data, size_t* size) {
  if (memory == nullptr) {
    return HMSIM_BAD_INPUT;
  }
  return memory->guarded([&] {
    require(data != nullptr && size != nullptr, "data and size: must not be NULL");
    memory->saved = memory->memory().save(time_of(now));
    *data = memory->saved.data();
    *size = memory->saved.size();
    return HMSIM_OK;
  });
}

hmsim_status hmsim_load(hmsim_memory* memory, int64_t now, const void* data, size_t size) {
  if (memory == nullptr) {
    return HMSIM_BAD_INPUT;
  }
  return memory->guarded([&] {
    require(data != nullptr, "data: must not be NULL");
    memory->load({static_cast<const char*>(data), size}, time_of(now));
    return HMSIM_OK;
  });
}

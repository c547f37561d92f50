// SPDX-License-Identifier: BSD-3-Clause
#include "session/hmsim.h"

#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "core/errors.h"
#include "embed/named_values.h"
#include "embed/parameter_list.h"
#include "nvdimm/hbf/hbf_status.h"
#include "session/embedded_memory.h"

static_assert(HMSIM_NEVER == hmsim::kNever.value());
static_assert(HMSIM_REFRESH_DUE == static_cast<int>(hmsim::HbfStatus::refresh_due) &&
              HMSIM_ERASED_PAGE == static_cast<int>(hmsim::HbfStatus::erased_page) &&
              HMSIM_PENDING_PART == static_cast<int>(hmsim::HbfStatus::pending_part) &&
              HMSIM_OVERLAP == static_cast<int>(hmsim::HbfStatus::overlap) &&
              HMSIM_LATE == static_cast<int>(hmsim::HbfStatus::late) &&
              HMSIM_OUT_OF_ORDER == static_cast<int>(hmsim::HbfStatus::out_of_order) &&
              HMSIM_PROGRAM_FAILED == static_cast<int>(hmsim::HbfStatus::program_failed) &&
              HMSIM_PROGRAM_FAILED + 1 == hmsim::kHbfStatuses);

namespace {

[[noreturn, gnu::noinline]] void refuse(const char* message) { throw hmsim::InputError(message); }

inline void require(bool condition, const char* message) {
  if (!condition) {
    refuse(message);
  }
}

}  // namespace

// The memory and the last error.
struct hmsim_memory final {
 public:
  // Runs `work` with the memory, unless it was not created or an earlier call failed for good.
  // Returns the result of `work` or the error's status.
  template <class Work>
  hmsim_status guarded(Work work) noexcept {
    if (!usable_) {
      return unusable();
    }
    return caught([&] { return work(*memory_); });
  }

  // `list` returns the parameters.
  template <class List>
  hmsim_status create(List list, std::uint64_t seed, bool check, const hmsim_host* host) noexcept {
    return caught([&] {
      require(host != nullptr, "host: must not be NULL");
      const hmsim::ParameterList parameters = list();
      require(host->done != nullptr, "host.done: must not be NULL");
      try {
        memory_.emplace(*host, parameters.assignments(), seed, check);
      } catch (const hmsim::InputError& error) {
        throw hmsim::InputError(parameters.located(error.what()));
      }
      usable_ = true;
      return HMSIM_OK;
    });
  }

  const hmsim::EmbeddedMemory* existing() const { return memory_ ? &*memory_ : nullptr; }
  const char* error() const { return error_.c_str(); }

  // A state that was loaded in part is of no use.
  void load(hmsim::EmbeddedMemory& target, const std::string& state, std::int64_t now) {
    target.require_unused(now);
    usable_ = false;
    target.load(state, now);
    usable_ = true;
  }

  std::string saved;  // by the last hmsim_save()

 private:
  template <class Work>
  hmsim_status caught(Work work) noexcept {
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

  hmsim_status unusable() noexcept {
    return broken_ || memory_
               ? HMSIM_FAULT
               : fail(HMSIM_BAD_INPUT, "the memory was not created: its parameters are invalid");
  }

  hmsim_status fail(hmsim_status status, const char* message) noexcept {
    broken_ = broken_ || status == HMSIM_FAULT;
    usable_ = usable_ && !broken_;
    try {
      error_ = message;
    } catch (...) {
      error_.clear();
    }
    return status;
  }

  std::optional<hmsim::EmbeddedMemory> memory_;
  bool usable_ = false;  // created, loaded if at all, and not broken
  bool broken_ = false;
  std::string error_;
};

namespace {

template <class Work>
hmsim_status guarded(hmsim_memory* memory, Work work) noexcept {
  if (memory == nullptr) {
    return HMSIM_BAD_INPUT;
  }
  return memory->guarded(work);
}

template <class List>
hmsim_status create(List list, std::uint64_t seed, int check, const hmsim_host* host,
                    hmsim_memory** memory) noexcept {
  if (memory == nullptr) {
    return HMSIM_BAD_INPUT;
  }
  *memory = new (std::nothrow) hmsim_memory;
  if (*memory == nullptr) {
    return HMSIM_FAULT;
  }
  return (*memory)->create(list, seed, check != 0, host);
}

}  // namespace

int hmsim_abi(void) { return HMSIM_ABI; }

hmsim_status hmsim_create(const char* parameters, uint64_t seed, int check, const hmsim_host* host,
                          hmsim_memory** memory) {
  const auto list = [&] {
    require(parameters != nullptr, "parameters: must not be NULL");
    return hmsim::ParameterList("parameters", parameters);
  };
  return create(list, seed, check, host, memory);
}

hmsim_status hmsim_create_from_file(const char* path, uint64_t seed, int check,
                                    const hmsim_host* host, hmsim_memory** memory) {
  const auto list = [&] {
    require(path != nullptr, "path: must not be NULL");
    return hmsim::ParameterList::read(path);
  };
  return create(list, seed, check, host, memory);
}

void hmsim_destroy(hmsim_memory* memory) { delete memory; }

const char* hmsim_error(const hmsim_memory* memory) {
  return memory == nullptr ? "memory: must not be NULL" : memory->error();
}

uint64_t hmsim_capacity(const hmsim_memory* memory, hmsim_class which) {
  const bool known = which == HMSIM_DRAM || which == HMSIM_NVDIMM || which == HMSIM_STORAGE;
  if (memory == nullptr || memory->existing() == nullptr || !known) {
    return 0;
  }
  const auto target = static_cast<hmsim::SessionTarget>(which);
  return static_cast<uint64_t>(memory->existing()->capacity(target).value());
}

hmsim_status hmsim_send(hmsim_memory* memory, const hmsim_request* request, int64_t now) {
  return guarded(memory, [&](hmsim::EmbeddedMemory& target) {
    require(request != nullptr, "request: must not be NULL");
    return target.send(*request, now);
  });
}

hmsim_status hmsim_submit(hmsim_memory* memory, const hmsim_entry* entries, uint64_t n, int64_t now,
                          uint64_t* taken) {
  uint64_t count = 0;
  const hmsim_status status = guarded(memory, [&](hmsim::EmbeddedMemory& target) {
    require(entries != nullptr || n == 0, "entries: must not be NULL");
    target.submit(entries, n, now, count);
    return HMSIM_OK;
  });
  if (taken != nullptr) {
    *taken = count;
  }
  return status;
}

hmsim_status hmsim_receipts(hmsim_memory* memory,
                            void (*receipt)(void* context, const hmsim_receipt* receipt)) {
  return guarded(memory, [&](hmsim::EmbeddedMemory& target) {
    target.set_receipt(receipt);
    return HMSIM_OK;
  });
}

int64_t hmsim_next_event(const hmsim_memory* memory) {
  const bool exists = memory != nullptr && memory->existing() != nullptr;
  return exists ? memory->existing()->next_event() : HMSIM_NEVER;
}

hmsim_status hmsim_run(hmsim_memory* memory, int64_t now) {
  return guarded(memory, [&](hmsim::EmbeddedMemory& target) {
    target.run(now);
    return HMSIM_OK;
  });
}

int hmsim_idle(const hmsim_memory* memory) {
  return memory != nullptr && memory->existing() != nullptr && memory->existing()->idle() ? 1 : 0;
}

hmsim_status hmsim_statistic(hmsim_memory* memory, const char* name, int64_t now, double* value) {
  return guarded(memory, [&](hmsim::EmbeddedMemory& target) {
    require(name != nullptr && value != nullptr, "name and value: must not be NULL");
    const auto all = hmsim::named_values(target.statistics(now));
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
  return guarded(memory, [&](hmsim::EmbeddedMemory& target) {
    require(visit != nullptr, "visit: must not be NULL");
    for (const auto& each : hmsim::named_values(target.statistics(now))) {
      visit(context, each.name.c_str(), each.description.c_str(), each.value);
    }
    return HMSIM_OK;
  });
}

hmsim_status hmsim_reset_statistics(hmsim_memory* memory, int64_t now) {
  return guarded(memory, [&](hmsim::EmbeddedMemory& target) {
    target.reset_statistics(now);
    return HMSIM_OK;
  });
}

hmsim_status hmsim_save(hmsim_memory* memory, int64_t now, const void** data, size_t* size) {
  return guarded(memory, [&](hmsim::EmbeddedMemory& target) {
    require(data != nullptr && size != nullptr, "data and size: must not be NULL");
    memory->saved = target.save(now);
    *data = memory->saved.data();
    *size = memory->saved.size();
    return HMSIM_OK;
  });
}

hmsim_status hmsim_load(hmsim_memory* memory, int64_t now, const void* data, size_t size) {
  return guarded(memory, [&](hmsim::EmbeddedMemory& target) {
    require(data != nullptr, "data: must not be NULL");
    memory->load(target, {static_cast<const char*>(data), size}, now);
    return HMSIM_OK;
  });
}

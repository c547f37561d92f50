// SPDX-License-Identifier: BSD-3-Clause
#include "bindings/python_policy.h"

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "bindings/lent_view.h"
#include "policies/map_replacement.h"
#include "policies/page_placement.h"
#include "policies/wear_leveler.h"

namespace py = pybind11;

namespace hmsim {

namespace {

constexpr std::array<const char*, kMemoryClasses> kClassNames{"dram", "nvdimm"};

py::object name_of(MemoryClass memory) {
  static const std::array<PyObject*, kMemoryClasses> kNames{
      PyUnicode_InternFromString(kClassNames[0]), PyUnicode_InternFromString(kClassNames[1])};
  return py::reinterpret_borrow<py::object>(kNames[static_cast<std::size_t>(memory)]);
}

// The arbiter's view, with lent views of its two requests.
struct LentContest {
  const ArbiterView* view;
  py::object dram;
  py::object nvdimm;
};

// Attached to the Python object, so that it can report changed keys to the controller.
struct PolicyHost {
  std::function<void()> raise_epoch;
  std::function<void(std::uint32_t)> rekey;
};

// Returns the object's method if it overrides the one in hmsim.config.policies; otherwise an empty
// object. The GIL must be held.
py::object overriding(const py::object& object, const char* base, const char* method) {
  const py::object inherited = py::module_::import("hmsim.config.policies").attr(base).attr(method);
  const py::object own = py::type::of(object).attr(method);
  return own.is(inherited) ? py::object() : py::object(object.attr(method));
}

// Saves or loads the object's state.
void serialize_object(Archive& archive, const py::object& object) {
  const py::gil_scoped_acquire gil;
  const py::module_ policies = py::module_::import("hmsim.config.policies");
  archive.section("python policy");
  std::string state;
  if (!archive.loading()) {
    state = policies.attr("save_state")(object).cast<std::string>();
  }
  archive(state);
  if (archive.loading()) {
    policies.attr("load_state")(object, py::bytes(state));
  }
}

// The Python object of a policy, and its methods. The GIL must be held for every use.
class Bound {
 public:
  explicit Bound(py::object object) : object_(std::move(object)) {
    unsigned bit = 1;
    for (const char* hook : {"on_enqueue", "on_command", "on_issue", "on_ack", "on_complete"}) {
      if (const py::object method = overridden("TransactionPolicy", hook)) {
        hooks_ |= bit;
        methods_[bit] = method;
      }
      bit *= 2;
    }
  }
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;
  ~Bound() {
    const GilGuard gil;
    for (auto& [hook, method] : methods_) {
      release_object(method);
    }
    release_object(request_);
    release_object(object_);
  }

  unsigned hooks() const { return hooks_; }
  const py::object& object() const { return object_; }
  py::object overridden(const char* base, const char* method) const {
    return overriding(object_, base, method);
  }
  py::object& request() const { return request_; }

  void connect(const ChannelShape& shape, const SourceProgress& progress) {
    const py::gil_scoped_acquire gil;
    const py::object instructions = py::cpp_function(
        [&progress](std::uint16_t source) { return progress.instructions(source); });
    py::dict fields;
    fields["clock_period"] = shape.clock_period.value();
    fields["slots"] = shape.slots;
    fields["dram_slots"] = shape.dram_slots;
    fields["nvdimm_slots"] = shape.nvdimm_slots;
    fields["ranks"] = shape.ranks;
    fields["banks_per_rank"] = shape.banks_per_rank;
    fields["pseudo_banks"] = shape.pseudo_banks;
    fields["burst"] = shape.burst.value();
    fields["read_to_write"] = shape.read_to_write.value();
    fields["write_to_read"] = shape.write_to_read.value();
    fields["rank_switch"] = shape.rank_switch.value();
    fields["row_miss"] = shape.row_miss.value();
    fields["nvdimm_hit_delay"] = shape.nvdimm_hit_delay.value();
    fields["nvdimm_read_time"] = shape.nvdimm_read_time.value();
    const py::object made = py::module_::import("types").attr("SimpleNamespace")(**fields);
    object_.attr("connect")(made, instructions);
  }

  void notify(TransactionPolicy::Hook hook, const RequestView& request, Tick now) {
    const py::gil_scoped_acquire gil;
    const Loan<RequestView> loan(request_, request);
    methods_.at(hook)(loan.object(), now.value());
  }

  void serialize(Archive& archive) { serialize_object(archive, object_); }

 private:
  py::object object_;
  unsigned hooks_ = 0;
  std::map<unsigned, py::object> methods_;
  mutable py::object request_;  // reused for each loan
};

// Common base of Python schedulers and arbiters.
template <class Base>
class PythonPolicy : public Base {
 public:
  explicit PythonPolicy(py::object object) : bound_(std::move(object)) {
    this->want(bound_.hooks());
  }
  void connect(const ChannelShape& shape, const SourceProgress& progress) override {
    bound_.connect(shape, progress);
  }
  void on_enqueue(const RequestView& request, Tick now) override {
    bound_.notify(TransactionPolicy::kEnqueue, request, now);
  }
  void on_command(const RequestView& request, Tick now) override {
    bound_.notify(TransactionPolicy::kCommand, request, now);
  }
  void on_issue(const RequestView& request, Tick now) override {
    bound_.notify(TransactionPolicy::kIssue, request, now);
  }
  void on_ack(const RequestView& request, Tick now) override {
    bound_.notify(TransactionPolicy::kAck, request, now);
  }
  void on_complete(const RequestView& request, Tick now) override {
    bound_.notify(TransactionPolicy::kComplete, request, now);
  }
  void serialize(Archive& archive) override { bound_.serialize(archive); }

 protected:
  Bound bound_;
};

class PythonScheduler final : public PythonPolicy<TransactionScheduler> {
 public:
  explicit PythonScheduler(py::object object) : PythonPolicy(std::move(object)) {
    key_ = bound_.object().attr("key");
    next_change_ = bound_.overridden("TransactionScheduler", "next_change");
    withholds_ = bound_.overridden("TransactionScheduler", "withholds");
    direction_ = bound_.overridden("TransactionScheduler", "direction");
    orders_commands_ = bound_.object().attr("orders_commands").cast<bool>();
    bound_.object().attr("_host") = py::cast(
        PolicyHost{[this] { raise_epoch(); }, [this](std::uint32_t slot) { ask_again(slot); }});
  }
  PythonScheduler(const PythonScheduler&) = delete;
  PythonScheduler& operator=(const PythonScheduler&) = delete;
  ~PythonScheduler() override {
    const GilGuard gil;
    if (PyObject_SetAttrString(bound_.object().ptr(), "_host", Py_None) != 0) {
      PyErr_Clear();
    }
    for (py::object* object : {&key_, &next_change_, &withholds_, &direction_}) {
      release_object(*object);
    }
  }

  void connect(const ChannelShape& shape, const SourceProgress& progress) override {
    slots_ = shape.slots;
    PythonPolicy::connect(shape, progress);
  }

  std::uint64_t key(const RequestView& request) const override {
    const py::gil_scoped_acquire gil;
    const Loan<RequestView> loan(bound_.request(), request);
    const py::object key = key_(loan.object());
    try {
      return key.cast<std::uint64_t>();
    } catch (const py::cast_error&) {
      throw py::type_error("key: must return an integer, 0 .. 2^64 - 1, not " +
                           py::repr(key).cast<std::string>());
    }
  }
  bool orders_commands() const override { return orders_commands_; }
  bool withholds(const RequestView& request) const override {
    if (!withholds_) {
      return false;
    }
    const py::gil_scoped_acquire gil;
    const Loan<RequestView> loan(bound_.request(), request);
    return withholds_(loan.object()).cast<bool>();
  }
  Tick patience() const override {
    const py::gil_scoped_acquire gil;
    return time_of("patience", bound_.object().attr("patience")());
  }
  Direction direction() const override {
    if (!direction_) {
      return Direction::by_watermark;
    }
    const py::gil_scoped_acquire gil;
    const py::object direction = direction_();
    if (direction.is_none()) {
      return Direction::by_watermark;
    }
    for (const auto& [name, value] :
         {std::pair{"reads", Direction::reads}, std::pair{"writes", Direction::writes}}) {
      if (direction.equal(py::str(name))) {
        return value;
      }
    }
    throw py::type_error("direction: must return 'reads', 'writes' or None, not " +
                         py::repr(direction).cast<std::string>());
  }
  Tick next_change() const override {
    if (!next_change_) {
      return kNever;
    }
    const py::gil_scoped_acquire gil;
    return time_of("next_change", next_change_());
  }
  void change(Tick now) override {
    const py::gil_scoped_acquire gil;
    bound_.object().attr("change")(now.value());
  }

 private:
  static Tick time_of(const char* method, const py::object& time) {
    if (time.is_none()) {
      return kNever;
    }
    int overflow = 0;
    const long long ps =
        PyLong_Check(time.ptr()) != 0 ? PyLong_AsLongLongAndOverflow(time.ptr(), &overflow) : -1;
    if (ps < 0 || overflow != 0) {
      throw py::type_error(std::string(method) + ": must return picoseconds or None, not " +
                           py::repr(time).cast<std::string>());
    }
    return Tick(ps);
  }
  void ask_again(std::uint32_t slot) {
    if (slot >= slots_) {
      throw py::index_error("rekey: the channel has slots 0 .. " + std::to_string(slots_ - 1) +
                            ", not " + std::to_string(slot));
    }
    rekey(slot);
  }

  std::uint32_t slots_ = 0;
  py::object key_;
  py::object next_change_;  // these three only if overridden
  py::object withholds_;
  py::object direction_;
  bool orders_commands_ = false;
};

class PythonArbiter final : public PythonPolicy<BusArbiter> {
 public:
  explicit PythonArbiter(py::object object) : PythonPolicy(std::move(object)) {
    choose_ = bound_.object().attr("choose");
  }
  PythonArbiter(const PythonArbiter&) = delete;
  PythonArbiter& operator=(const PythonArbiter&) = delete;
  ~PythonArbiter() override {
    const GilGuard gil;
    for (py::object* object : {&choose_, &dram_, &nvdimm_, &contest_}) {
      release_object(*object);
    }
  }

  MemoryClass choose(const ArbiterView& view) override {
    const py::gil_scoped_acquire gil;
    const Loan<RequestView> dram(dram_, view.dram);
    const Loan<RequestView> nvdimm(nvdimm_, view.nvdimm);
    const LentContest contest{&view, dram.object(), nvdimm.object()};
    const Loan<LentContest> loan(contest_, contest);
    const py::object winner = choose_(loan.object());
    for (const MemoryClass memory : {MemoryClass::dram, MemoryClass::nvdimm}) {
      if (winner.equal(name_of(memory))) {
        return memory;
      }
    }
    throw py::type_error("choose: must return 'dram' or 'nvdimm', not " +
                         py::repr(winner).cast<std::string>());
  }

 private:
  py::object choose_;
  py::object dram_;
  py::object nvdimm_;
  py::object contest_;
};

class PythonPlacement final : public PagePlacement {
 public:
  explicit PythonPlacement(py::object object) : object_(std::move(object)) {
    host_ = object_.attr("host");
    on_write_ = overriding(object_, "PagePlacement", "on_write");
    copy_ = overriding(object_, "PagePlacement", "copy");
  }
  PythonPlacement(const PythonPlacement&) = delete;
  PythonPlacement& operator=(const PythonPlacement&) = delete;
  ~PythonPlacement() override {
    const GilGuard gil;
    for (py::object* object : {&host_, &on_write_, &copy_, &object_}) {
      release_object(*object);
    }
  }

  void connect(const PlacementShape& shape) override {
    const py::gil_scoped_acquire gil;
    object_.attr("connect")(shape.pages, shape.streams, shape.parts);
  }
  std::uint32_t host(const HostWrite& write) const override {
    const py::gil_scoped_acquire gil;
    return stream("host", host_(write.page, write.handle, write.time));
  }
  void on_write(const HostWrite& write) override {
    if (on_write_) {
      const py::gil_scoped_acquire gil;
      on_write_(write.page, write.handle, write.time);
    }
  }
  std::uint32_t copy(const CopiedPage& page) const override {
    if (!copy_) {
      return kCopyStream;
    }
    const py::gil_scoped_acquire gil;
    return stream("copy", copy_(page.page, page.stream, page.time));
  }
  void serialize(Archive& archive) override { serialize_object(archive, object_); }

 private:
  static std::uint32_t stream(const char* method, const py::object& returned) {
    try {
      return returned.cast<std::uint32_t>();
    } catch (const py::cast_error&) {
      throw py::type_error(std::string(method) + ": must return a stream, an integer, not " +
                           py::repr(returned).cast<std::string>());
    }
  }

  py::object object_;
  py::object host_;
  py::object on_write_;  // these two only if overridden
  py::object copy_;
};

class PythonWear final : public WearLeveler {
 public:
  explicit PythonWear(py::object object) : object_(std::move(object)) {
    choose_ = object_.attr("choose");
    on_erase_ = overriding(object_, "WearLeveler", "on_erase");
    counts_erases_ = static_cast<bool>(on_erase_);
  }
  PythonWear(const PythonWear&) = delete;
  PythonWear& operator=(const PythonWear&) = delete;
  ~PythonWear() override {
    const GilGuard gil;
    for (py::object* object : {&choose_, &on_erase_, &object_}) {
      release_object(*object);
    }
  }

  void connect(const WearShape& shape) override {
    const py::gil_scoped_acquire gil;
    object_.attr("connect")(shape.luns, shape.blocks, shape.gap);
  }
  std::uint32_t choose(const LunWear& wear, const FullBlocks& blocks, Random& /*random*/) override {
    const py::gil_scoped_acquire gil;
    py::list views;
    for (std::uint32_t i = 0; i < blocks.count(); ++i) {
      const BlockView view = blocks.at(i);
      views.append(py::make_tuple(view.block, view.valid, view.erases, view.age));
    }
    const py::object chosen = choose_(wear.lun, wear.most, wear.least, views);
    try {
      return chosen.is_none() ? kNoIndex : chosen.cast<std::uint32_t>();
    } catch (const py::cast_error&) {
      throw py::type_error("choose: must return a block or None, not " +
                           py::repr(chosen).cast<std::string>());
    }
  }
  bool counts_erases() const override { return counts_erases_; }
  void on_erase(std::uint32_t lun, std::uint32_t block) override {
    const py::gil_scoped_acquire gil;
    on_erase_(lun, block);
  }
  void serialize(Archive& archive) override { serialize_object(archive, object_); }

 private:
  py::object object_;
  py::object choose_;
  py::object on_erase_;  // only if overridden
  bool counts_erases_ = false;
};

class PythonMap final : public MapReplacement {
 public:
  explicit PythonMap(py::object object) : object_(std::move(object)) {
    victim_ = object_.attr("victim");
    entered_ = object_.attr("entered");
    used_ = object_.attr("used");
    left_ = object_.attr("left");
    marked_ = overriding(object_, "MapReplacement", "marked");
    loads_ = overriding(object_, "MapReplacement", "loads");
  }
  PythonMap(const PythonMap&) = delete;
  PythonMap& operator=(const PythonMap&) = delete;
  ~PythonMap() override {
    const GilGuard gil;
    for (py::object* object : {&victim_, &entered_, &used_, &left_, &marked_, &loads_, &object_}) {
      release_object(*object);
    }
  }

  void connect(const MapShape& shape) override {
    const py::gil_scoped_acquire gil;
    object_.attr("connect")(shape.entries, shape.pages, shape.per_page);
  }
  void entered(std::uint32_t slot, std::uint64_t page) override { report(entered_, slot, page); }
  void used(std::uint32_t slot) override { report(used_, slot); }
  void marked(std::uint32_t slot, bool dirty) override { report(marked_, slot, dirty); }
  void left(std::uint32_t slot) override { report(left_, slot); }
  std::uint32_t victim() const override {
    const py::gil_scoped_acquire gil;
    return cast<std::uint32_t>("victim: must return a slot", victim_());
  }
  MapRange loads(std::uint64_t page, const MapRange& all) const override {
    if (!loads_) {
      return {page, 1};
    }
    const py::gil_scoped_acquire gil;
    const auto [first, count] = cast<std::pair<std::uint64_t, std::uint64_t>>(
        "loads: must return a first page and a count", loads_(page, all.first, all.count));
    return {first, count};
  }
  void serialize(Archive& archive) override { serialize_object(archive, object_); }

 private:
  template <class... Arguments>
  static void report(const py::object& method, Arguments... arguments) {
    if (method) {
      const py::gil_scoped_acquire gil;
      method(arguments...);
    }
  }
  template <class Value>
  static Value cast(const char* message, const py::object& returned) {
    try {
      return returned.cast<Value>();
    } catch (const py::cast_error&) {
      throw py::type_error(std::string(message) + ", not " +
                           py::repr(returned).cast<std::string>());
    }
  }

  py::object object_;
  py::object victim_;
  py::object entered_;
  py::object used_;
  py::object left_;
  py::object marked_;  // these two only if overridden
  py::object loads_;
};

template <class View, class Member>
auto field(Member View::*member) {
  return [member](const Handle<View>& handle) { return handle.view().*member; };
}

}  // namespace

void bind_policy_views(py::module_& module) {
  using Line = Handle<RequestView>;
  py::class_<Line>(module, "RequestView")
      .def_property_readonly("slot", field(&RequestView::slot))
      .def_property_readonly("id", field(&RequestView::id))
      .def_property_readonly("arrival",
                             [](const Line& handle) { return handle.view().arrival.value(); })
      .def_property_readonly("memory",
                             [](const Line& handle) { return name_of(handle.view().memory); })
      .def_property_readonly("write", field(&RequestView::write))
      .def_property_readonly("source", field(&RequestView::source))
      .def_property_readonly("rank", field(&RequestView::rank))
      .def_property_readonly("bank", field(&RequestView::bank))
      .def_property_readonly("row", field(&RequestView::row))
      .def_property_readonly("line", field(&RequestView::line))
      .def_property_readonly("row_hit", field(&RequestView::row_hit))
      .def_property_readonly("epoch", field(&RequestView::epoch));
  using ArbiterHandle = Handle<LentContest>;
  py::class_<ArbiterHandle>(module, "ArbiterView")
      .def_property_readonly("dram", [](const ArbiterHandle& handle) { return handle.view().dram; })
      .def_property_readonly("nvdimm",
                             [](const ArbiterHandle& handle) { return handle.view().nvdimm; })
      .def_property_readonly(
          "dram_key", [](const ArbiterHandle& handle) { return handle.view().view->dram_key; })
      .def_property_readonly(
          "nvdimm_key", [](const ArbiterHandle& handle) { return handle.view().view->nvdimm_key; })
      .def_property_readonly(
          "dram_pending",
          [](const ArbiterHandle& handle) { return handle.view().view->dram_pending; })
      .def_property_readonly(
          "nvdimm_pending",
          [](const ArbiterHandle& handle) { return handle.view().view->nvdimm_pending; })
      .def_property_readonly(
          "now", [](const ArbiterHandle& handle) { return handle.view().view->now.value(); });
  py::class_<PolicyHost>(module, "_PolicyHost")
      .def("raise_epoch", [](const PolicyHost& host) { host.raise_epoch(); })
      .def("rekey", [](const PolicyHost& host, std::uint32_t slot) { host.rekey(slot); });
}

PolicyMakers python_policy_makers(const py::dict& callables) {
  PolicyMakers makers;
  for (const auto& [key, callable] : callables) {
    const auto name = key.cast<std::string>();
    // The last copy of the maker is destroyed with the Simulation.
    const auto shared = std::make_shared<py::object>(py::reinterpret_borrow<py::object>(callable));
    makers[name] = [shared, name]() -> std::unique_ptr<Policy> {
      const py::gil_scoped_acquire gil;
      if (name.find(".ftl.placement") != std::string::npos) {
        return std::make_unique<PythonPlacement>((*shared)());
      }
      if (name.find(".ftl.wear") != std::string::npos) {
        return std::make_unique<PythonWear>((*shared)());
      }
      if (name.find(".ftl.map_replacement") != std::string::npos) {
        return std::make_unique<PythonMap>((*shared)());
      }
      if (name == "controller.arbiter") {
        return std::make_unique<PythonArbiter>((*shared)());
      }
      return std::make_unique<PythonScheduler>((*shared)());
    };
  }
  return makers;
}

}  // namespace hmsim

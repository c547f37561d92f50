// SPDX-License-Identifier: BSD-3-Clause
// Views of C++ objects that Python may use during one call, and safe release of Python objects.
#pragma once

#include <pybind11/pybind11.h>

#include <stdexcept>

namespace hmsim {

// Holds the GIL in a destructor, where nothing may throw.
class GilGuard {
 public:
  GilGuard() = default;
  GilGuard(const GilGuard&) = delete;
  GilGuard& operator=(const GilGuard&) = delete;
  ~GilGuard() { PyGILState_Release(state_); }

 private:
  PyGILState_STATE state_ = PyGILState_Ensure();
};

// Releases an object from within a destructor. The GIL must be held. Never throws.
inline void release_object(pybind11::object& object) noexcept {
  Py_XDECREF(object.release().ptr());
}

// Python's handle of a view. It refers to the view during the call and to nothing afterwards.
template <class View>
class Handle {
 public:
  const View& view() const {
    if (view_ == nullptr) {
      throw std::runtime_error("a view is valid only during the call that it was passed to");
    }
    return *view_;
  }
  void set(const View* view) { view_ = view; }

 private:
  const View* view_ = nullptr;
};

// Lends a view to Python for one call. The Python object is reused for the next call, unless Python
// code kept a reference to it.
template <class View>
class Loan {
 public:
  // Lends `view` by the Python object in `object`, or by a new one, which it stores there for later
  // loans. `object` and `view` must outlive the loan.
  Loan(pybind11::object& object, const View& view) : object_(object) {
    if (!object_ || object_.ref_count() > 1) {
      object_ = pybind11::cast(Handle<View>());
    }
    handle_ = object_.cast<Handle<View>*>();
    handle_->set(&view);
  }
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;
  ~Loan() { handle_->set(nullptr); }
  const pybind11::object& object() const { return object_; }

 private:
  pybind11::object& object_;
  Handle<View>* handle_;
};

}  // namespace hmsim

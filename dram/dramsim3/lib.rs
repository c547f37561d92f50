// SPDX-License-Identifier: BSD-3-Clause
//! Empty: cargo wants a target, and only its download of the dependency is used.

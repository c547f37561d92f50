// SPDX-License-Identifier: BSD-3-Clause
// Which policy libraries are found and loaded, and which errors are reported for invalid ones?
#include "policies/registry/policy_catalog.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "policies/policy_library.h"
#include "tests/cc/names.h"
#include "tests/cc/policies/shared_object.h"

namespace hmsim {

// A process builds its catalogue once; tests build their own.
struct PolicyCatalogUnderTest {
  static PolicyCatalog make() { return PolicyCatalog(); }
};

namespace {

namespace fs = std::filesystem;

class Catalog : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(::testing::TempDir()) / ("policy_catalog_test." + std::to_string(getpid()));
    fs::create_directories(root_ / "folder");
    for (const char* const name : kVariables) {
      const char* const value = std::getenv(name);
      before_.emplace_back(value == nullptr ? "" : value);
      unsetenv(name);
    }
  }
  void TearDown() override {
    for (std::size_t i = 0; i < before_.size(); ++i) {
      before_[i].empty() ? unsetenv(kVariables[i]) : setenv(kVariables[i], before_[i].c_str(), 1);
    }
    fs::remove_all(root_);
  }
  // Creates a file that is not a library.
  std::string text(const char* name) const {
    const fs::path path = root_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "no library";
    return path.string();
  }
  // Creates a library with a policy of this name.
  std::string library(const std::string& file, const char* policy,
                      const char* interface = kPolicyInterface) {
    descriptors_.push_back({PolicyKind::page_policy, policy, "a policy", "nobody", nullptr});
    const std::string path = (root_ / file).string();
    testing::write_shared_object(path, kPolicyLibrarySymbol,
                                 PolicyLibrary{interface, &descriptors_.back()});
    return path;
  }
  std::string folder() const { return (root_ / "folder").string(); }
  // Returns the error message for this value of the variable.
  static std::string told(const char* variable, const std::string& value) {
    setenv(variable, value.c_str(), 1);
    return testing::error_from(
        [&] { EXPECT_EQ(PolicyCatalogUnderTest::make().libraries().size(), 0u); });
  }

  static constexpr const char* kVariables[] = {"HMSIM_POLICIES", "XDG_DATA_HOME", "HOME"};
  fs::path root_;
  std::vector<std::string> before_;
  std::deque<PolicyDescriptor> descriptors_;  // of the libraries
};

TEST_F(Catalog, LibrariesAreNamedOneByOneOrByFolder) {
  const std::string other = text("other");
  fs::create_directories(root_ / "folder/no_file.so");
  EXPECT_EQ(told("HMSIM_POLICIES", ""), "");
  EXPECT_EQ(told("HMSIM_POLICIES", "::" + folder() + ":"), "");
  EXPECT_TRUE(testing::names(told("HMSIM_POLICIES", folder() + ":" + other),
                             {other + ": ", "*.so", "HMSIM_POLICIES"}));
  const std::string last = text("folder/b.so");
  const std::string first = text("folder/a.so");
  text("folder/a.txt");
  EXPECT_EQ(told("HMSIM_POLICIES", folder()).find(first + ": "), 0u);
  EXPECT_EQ(told("HMSIM_POLICIES", last + ":" + first).find(last + ": "), 0u);
}

TEST_F(Catalog, TheUsersFolderIsTheDefault) {
  EXPECT_EQ(PolicyCatalogUnderTest::make().libraries().size(), 0u) << "no home";
  const std::string at_home = text("home/.local/share/hmsim/policies/own.so");
  EXPECT_EQ(told("HOME", (root_ / "home").string()).find(at_home), 0u);
  EXPECT_EQ(told("XDG_DATA_HOME", "").find(at_home), 0u) << "as if it were not set";
  const std::string elsewhere = text("data/hmsim/policies/own.so");
  EXPECT_EQ(told("XDG_DATA_HOME", (root_ / "data").string()).find(elsewhere), 0u);
  EXPECT_EQ(told("HMSIM_POLICIES", ""), "");
}

TEST_F(Catalog, ARelativeDataHomeIsIgnored) {
  const std::string at_home = text("home/.local/share/hmsim/policies/own.so");
  text("data/hmsim/policies/own.so");
  setenv("HOME", (root_ / "home").c_str(), 1);
  const fs::path before = fs::current_path();
  fs::current_path(root_);
  const std::string found = told("XDG_DATA_HOME", "data");
  fs::current_path(before);
  EXPECT_EQ(found.find(at_home), 0u) << found;
}

TEST_F(Catalog, ALibraryThatOthersMayChangeIsRejected) {
  const std::string path = library("folder/own.so", "mine");
  setenv("HMSIM_POLICIES", path.c_str(), 1);
  EXPECT_EQ(PolicyCatalogUnderTest::make().libraries().size(), 1u);
  const auto refused = [&](const fs::path& at, fs::perms more, const fs::path& named) {
    const fs::perms before = fs::status(at).permissions();
    fs::permissions(at, more, fs::perm_options::add);
    EXPECT_TRUE(testing::names(told("HMSIM_POLICIES", named.string()),
                               {named.string() + ": ", "'" + at.string() + "'", "chmod go-w"}));
    fs::permissions(at, before);
  };
  for (const fs::perms more : {fs::perms::group_write, fs::perms::others_write}) {
    refused(path, more, path);
    refused(folder(), more, path);
    refused(root_, more, path);
  }
  // For a link, both its own path and the path of its target count.
  fs::create_directories(root_ / "links");
  const fs::path link = root_ / "links" / "link.so";
  fs::create_symlink("../folder/own.so", root_ / "links" / "inner.so");
  fs::create_symlink(root_ / "links" / "inner.so", link);
  setenv("HMSIM_POLICIES", link.c_str(), 1);
  EXPECT_EQ(PolicyCatalogUnderTest::make().libraries().size(), 1u);
  refused(root_ / "links", fs::perms::others_write, link);
  // In a sticky directory, a user cannot replace another user's files.
  fs::permissions(folder(), fs::perms::all | fs::perms::sticky_bit);
  setenv("HMSIM_POLICIES", path.c_str(), 1);
  EXPECT_EQ(PolicyCatalogUnderTest::make().libraries().size(), 1u);
}

TEST_F(Catalog, ALibraryOfAnotherUserIsRejected) {
  if (geteuid() != 0) {
    GTEST_SKIP() << "only root can give a file away";
  }
  const std::string path = library("folder/own.so", "mine");
  for (const std::string& given : {path, folder()}) {
    ASSERT_EQ(chown(given.c_str(), 12345, 12345), 0);
    EXPECT_TRUE(testing::names(told("HMSIM_POLICIES", path),
                               {path + ": ", "'" + given + "'", "uid 12345"}));
    ASSERT_EQ(chown(given.c_str(), 0, 0), 0);
  }
}

TEST_F(Catalog, ALibraryOfSomethingElseHoldsNoPolicy) {
  Dl_info library{};
  ASSERT_NE(dladdr(reinterpret_cast<void*>(static_cast<double (*)(double)>(std::cbrt)), &library),
            0);
  const std::string copy = (root_ / "folder/copy.so").string();
  fs::copy_file(library.dli_fname, copy);
  EXPECT_TRUE(testing::names(told("HMSIM_POLICIES", copy), {copy + ": ", "'hmsim policy build'"}));
}

TEST_F(Catalog, PoliciesAreInTheOrderOfTheirNames) {
  setenv("HMSIM_POLICIES", "", 1);
  const PolicyCatalog catalog = PolicyCatalogUnderTest::make();
  EXPECT_EQ(catalog.policies().size(), kPolicyTable.size());
  for (std::size_t i = 1; i < catalog.policies().size(); ++i) {
    EXPECT_LT(std::string(catalog.policies()[i - 1]->name), catalog.policies()[i]->name);
  }
}

// The order in which the directory lists the libraries does not matter.
TEST_F(Catalog, AFoldersLibrariesAreLoadedInTheOrderOfTheirNames) {
  const char* const names[] = {"m", "c", "z", "a", "q", "x", "b", "k"};
  std::vector<std::string> expected;
  for (const char* const name : names) {
    expected.push_back(library(std::string("folder/") + name + ".so", name));
  }
  std::sort(expected.begin(), expected.end());
  setenv("HMSIM_POLICIES", folder().c_str(), 1);
  EXPECT_EQ(PolicyCatalogUnderTest::make().libraries(), expected);
}

TEST_F(Catalog, NamedLibrariesAreLoadedInTheOrderInWhichTheyAreNamed) {
  const std::vector<std::string> named{library("b.so", "b"), library("c.so", "c"),
                                       library("a.so", "a")};
  setenv("HMSIM_POLICIES", (named[0] + ":" + named[1] + ":" + named[2]).c_str(), 1);
  EXPECT_EQ(PolicyCatalogUnderTest::make().libraries(), named);
}

TEST_F(Catalog, LoadedAndBuiltInPoliciesAreSortedByName) {
  const std::string last = library("last.so", "zzz");
  const std::string first = library("first.so", "aaa");
  const std::string middle = library("middle.so", "fcfs_strictly");
  setenv("HMSIM_POLICIES", (last + ":" + first + ":" + middle).c_str(), 1);
  const PolicyCatalog catalog = PolicyCatalogUnderTest::make();
  const auto& policies = catalog.policies();
  ASSERT_EQ(policies.size(), kPolicyTable.size() + 3);
  EXPECT_EQ(policies.back(), &descriptors_[0]);
  EXPECT_EQ(policies.front(), &descriptors_[1]);
  EXPECT_TRUE(std::is_sorted(policies.begin(), policies.end(), [](const auto* a, const auto* b) {
    return std::string(a->name) < b->name;
  }));
  EXPECT_EQ(std::count(policies.begin(), policies.end(), &descriptors_[2]), 1);
}

TEST_F(Catalog, NoTwoPoliciesHaveOneName) {
  const std::string path = library("own.so", "fr_fcfs");
  EXPECT_TRUE(testing::names(told("HMSIM_POLICIES", path), {path + ": ", "'fr_fcfs'"}));
  const std::string one = library("one.so", "mine");
  const std::string other = library("other.so", "mine");
  EXPECT_TRUE(testing::names(told("HMSIM_POLICIES", one + ":" + other), {other + ": ", "'mine'"}));
}

TEST_F(Catalog, ALibraryOfAnotherHmsimIsRejected) {
  const std::string path = library("old.so", "mine", "another interface");
  EXPECT_TRUE(testing::names(told("HMSIM_POLICIES", path),
                             {path + ": ", "another hmsim", "'hmsim policy build'"}));
}

}  // namespace
}  // namespace hmsim

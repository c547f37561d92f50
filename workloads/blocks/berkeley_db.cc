// SPDX-License-Identifier: BSD-3-Clause
//
// Transactions on a key-value store: Berkeley DB, as a B-tree or a hash table.
//
//   g++ -std=c++17 -O2 -o berkeley_db berkeley_db.cc -ldb        (Debian: libdb5.3-dev)
//   berkeley_db btree|hash FOLDER PAIRS TRANSACTIONS
//
// First makes a store of PAIRS pairs in FOLDER. A key has 8 bytes, a value 100 to 900, so a page
// holds several pairs. Each transaction then inserts or deletes one pair, with equal probability,
// at a random place, and its commit makes the log durable (fdatasync). Pages have 4 KiB and the
// cache 2 MiB; evicted dirty pages are written to the store. All draws are the same in every run.
// At the end it prints the number of pairs and whether they are correct. A marker `xchg %bx,%bx`
// (the start of a region of interest) follows the making of the store, and another one follows the
// transactions.
#include <db.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr std::uint32_t kCache = 2 << 20;
constexpr std::uint32_t kPage = 4096;
constexpr std::size_t kLeast = 100;
constexpr std::size_t kMost = 900;
constexpr std::uint64_t kBatch = 100;  // pairs per transaction while the store is made

void marker() { __asm__ volatile("xchg %bx,%bx"); }

void check(int error, const char* what) {
  if (error != 0) {
    std::fprintf(stderr, "%s: %s\n", what, db_strerror(error));
    std::exit(1);
  }
}

// Draws numbers below a bound.
class Draw {
 public:
  std::uint64_t operator()(std::uint64_t bound) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;  // Knuth, MMIX
    return (state_ >> 33) % bound;
  }

 private:
  std::uint64_t state_ = 1;
};

// Returns a key unique to the number. Keys of successive numbers are far apart.
using Key = std::array<unsigned char, 8>;
Key key_of(std::uint64_t number) {
  std::uint64_t mixed = number * 0x9e3779b97f4a7c15u;
  Key key;
  for (std::size_t i = key.size(); i-- > 0; mixed >>= 8) {
    key[i] = static_cast<unsigned char>(mixed);
  }
  return key;
}

DBT thing(const void* data, std::size_t size) {
  DBT made;
  std::memset(&made, 0, sizeof made);
  made.data = const_cast<void*>(data);
  made.size = static_cast<std::uint32_t>(size);
  return made;
}

class Store {
 public:
  Store(const char* folder, DBTYPE type) {
    check(db_env_create(&environment_, 0), "db_env_create");
    check(environment_->set_cachesize(environment_, 0, kCache, 1), "set_cachesize");
    // Regions are in process memory, because only this program opens the store.
    const std::uint32_t parts =
        DB_INIT_TXN | DB_INIT_LOG | DB_INIT_LOCK | DB_INIT_MPOOL | DB_PRIVATE | DB_CREATE;
    check(environment_->open(environment_, folder, parts, 0600), folder);
    check(db_create(&store_, environment_, 0), "db_create");
    check(store_->set_pagesize(store_, kPage), "set_pagesize");
    check(store_->open(store_, nullptr, "store", nullptr, type, DB_CREATE | DB_AUTO_COMMIT, 0600),
          "store");
  }
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store() {
    check(store_->close(store_, 0), "close");
    check(environment_->close(environment_, 0), "close");
  }

  void begin() { check(environment_->txn_begin(environment_, nullptr, &open_, 0), "txn_begin"); }
  void commit(std::uint32_t how) { check(open_->commit(open_, how), "commit"); }
  void checkpoint() { check(environment_->txn_checkpoint(environment_, 0, 0, 0), "checkpoint"); }

  void insert(std::uint64_t number, std::size_t size) {
    static const std::array<unsigned char, kMost> content{};
    const Key bytes = key_of(number);
    DBT key = thing(bytes.data(), bytes.size());
    DBT value = thing(content.data(), size);
    check(store_->put(store_, open_, &key, &value, 0), "put");
  }
  void erase(std::uint64_t number) {
    const Key bytes = key_of(number);
    DBT key = thing(bytes.data(), bytes.size());
    check(store_->del(store_, open_, &key, 0), "del");
  }
  bool has(std::uint64_t number) {
    const Key bytes = key_of(number);
    DBT key = thing(bytes.data(), bytes.size());
    return store_->exists(store_, nullptr, &key, 0) == 0;
  }
  std::uint64_t count() {
    DBC* cursor = nullptr;
    check(store_->cursor(store_, nullptr, &cursor, 0), "cursor");
    DBT key = thing(nullptr, 0);
    DBT value = thing(nullptr, 0);
    std::uint64_t found = 0;
    while (cursor->get(cursor, &key, &value, DB_NEXT) == 0) {
      ++found;
    }
    check(cursor->close(cursor), "cursor");
    return found;
  }

 private:
  DB_ENV* environment_ = nullptr;
  DB* store_ = nullptr;
  DB_TXN* open_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  const std::string kind = argc == 5 ? argv[1] : "";
  if (kind != "btree" && kind != "hash") {
    std::fputs("berkeley_db btree|hash FOLDER PAIRS TRANSACTIONS\n", stderr);
    return 2;
  }
  const std::uint64_t pairs = std::strtoull(argv[3], nullptr, 10);
  const std::uint64_t transactions = std::strtoull(argv[4], nullptr, 10);
  Draw draw;
  std::vector<std::uint64_t> present;  // numbers of the present pairs
  std::uint64_t next = 0;
  const auto insert = [&](Store& store) {
    store.insert(next, kLeast + draw(kMost - kLeast + 1));
    present.push_back(next++);
  };

  Store store(argv[2], kind == "btree" ? DB_BTREE : DB_HASH);
  while (next < pairs) {
    store.begin();
    do {
      insert(store);
    } while (next % kBatch != 0 && next < pairs);
    store.commit(DB_TXN_NOSYNC);
  }
  store.checkpoint();

  marker();
  for (std::uint64_t i = 0; i < transactions; ++i) {
    store.begin();
    if (present.empty() || draw(2) == 0) {
      insert(store);
    } else {
      std::uint64_t& chosen = present[draw(present.size())];
      store.erase(chosen);
      chosen = present.back();
      present.pop_back();
    }
    store.commit(DB_TXN_SYNC);
  }
  marker();

  bool good = store.count() == present.size();
  for (const std::uint64_t number : present) {
    good = good && store.has(number);
  }
  std::printf("pairs %zu %s\n", present.size(), good ? "right" : "wrong");
  return good ? 0 : 1;
}

// SPDX-License-Identifier: BSD-3-Clause
//
// Flow of a fluid between a resting floor and a moving lid by the lattice Boltzmann method: D3Q19,
// one relaxation time (BGK), two grids of 20 doubles per cell. Each step reads one grid and writes
// the other, sequentially. The access pattern is that of 470.lbm, but this is not SPEC's program.
//
//   g++ -std=c++17 -O2 -o lattice_boltzmann lattice_boltzmann.cc
//   lattice_boltzmann SIDE STEPS
//
// SIDE: cells along each of three axes (100: 305 MiB). Prints mass and momentum at the end. A
// marker `xchg %bx,%bx` (the start of a region of interest) follows the building of the grids, and
// another one follows the last step.
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t kDirections = 19;
constexpr double kRelaxation = 1.85;  // 1 / time; below 2
constexpr double kLid = 0.02;         // velocity along x, in cells per step

enum Kind { kFluid, kResting, kMoving };

struct Cell {
  std::array<double, kDirections> density;
  double kind;
};

struct Direction {
  int x, y, z;
};

// Way 0 is at rest; 1 and 2, 3 and 4, ... are opposite.
constexpr std::array<Direction, kDirections> kWays = {{
    {0, 0, 0},  {1, 0, 0},   {-1, 0, 0},  {0, 1, 0},  {0, -1, 0}, {0, 0, 1},   {0, 0, -1},
    {1, 1, 0},  {-1, -1, 0}, {1, -1, 0},  {-1, 1, 0}, {1, 0, 1},  {-1, 0, -1}, {1, 0, -1},
    {-1, 0, 1}, {0, 1, 1},   {0, -1, -1}, {0, 1, -1}, {0, -1, 1},
}};

constexpr double weight(std::size_t way) { return way == 0 ? 1. / 3 : way < 7 ? 1. / 18 : 1. / 36; }

constexpr std::size_t opposite(std::size_t way) {
  return way == 0 ? 0 : (way % 2 ? way + 1 : way - 1);
}

constexpr double kNothing = -0.0;  // adding to it changes nothing, so the compiler omits it

template <int Factor>  // 1, -1 or 0
void add(double& sum, double value) {
  if constexpr (Factor != 0) sum += Factor * value;
}

void marker() { __asm__ volatile("xchg %bx,%bx"); }

using Ways = std::make_index_sequence<kDirections>;

class Flow {
 public:
  explicit Flow(int side) : side_(side), margin_(offset(1, 1, 1)) {
    const std::size_t cells = static_cast<std::size_t>(offset(0, 0, side));
    now_.resize(cells + 2 * margin_);
    for (std::size_t i = 0; i < now_.size(); i++) {
      const std::size_t at = i - margin_;  // wraps to huge values before the first cell
      const int last = side - 1, x = static_cast<int>(at % side);
      const int y = static_cast<int>(at / side % side), z = static_cast<int>(at / side / side);
      for (std::size_t way = 0; way < kDirections; way++) now_[i].density[way] = weight(way);
      const bool inside = at < cells && x && y && z && x < last && y < last && z < last;
      now_[i].kind = inside ? kFluid : z == last ? kMoving : kResting;
    }
    next_ = now_;
  }

  // Each fluid cell relaxes towards equilibrium; each wall reflects what arrived. Both pass it on.
  void step() {
    for (std::size_t i = margin_; i + margin_ < now_.size(); i++) {
      if (now_[i].kind == kFluid)
        relax(i, Ways{});
      else
        reflect(i, Ways{});
    }
    now_.swap(next_);
  }

  void print() const {
    double mass = 0, momentum = 0;
    for (const Cell& cell : now_) {
      if (cell.kind != kFluid) continue;
      for (std::size_t way = 0; way < kDirections; way++) {
        mass += cell.density[way];
        momentum += kWays[way].x * cell.density[way];
      }
    }
    std::printf("mass %.3f momentum %.3f\n", mass, momentum);
  }

 private:
  std::ptrdiff_t offset(int x, int y, int z) const {
    return (static_cast<std::ptrdiff_t>(z) * side_ + y) * side_ + x;
  }

  template <std::size_t Way>
  void send(std::size_t from, double density) {
    constexpr Direction kTo = kWays[Way];
    next_[from + offset(kTo.x, kTo.y, kTo.z)].density[Way] = density;
  }

  template <std::size_t... Way>
  void relax(std::size_t i, std::index_sequence<Way...>) {
    const std::array<double, kDirections> density = now_[i].density;
    double mass = kNothing, x = kNothing, y = kNothing, z = kNothing;
    (add<1>(mass, density[Way]), ...);
    (add<kWays[Way].x>(x, density[Way]), ...);
    (add<kWays[Way].y>(y, density[Way]), ...);
    (add<kWays[Way].z>(z, density[Way]), ...);
    x /= mass, y /= mass, z /= mass;
    const double still = 1 - 1.5 * (x * x + y * y + z * z);
    (relax_way<Way>(i, density[Way], mass, still, x, y, z), ...);
  }

  template <std::size_t Way>
  void relax_way(std::size_t i, double density, double mass, double still, double x, double y,
                 double z) {
    double along = kNothing;
    add<kWays[Way].x>(along, x);
    add<kWays[Way].y>(along, y);
    add<kWays[Way].z>(along, z);
    const double rest = Way == 0 ? still : still + along * (3 + 4.5 * along);
    send<Way>(i, (1 - kRelaxation) * density + kRelaxation * weight(Way) * mass * rest);
  }

  template <std::size_t... Way>
  void reflect(std::size_t i, std::index_sequence<Way...>) {
    const std::array<double, kDirections> density = now_[i].density;
    const double push = now_[i].kind == kMoving ? 6 * kLid : 0;
    (send<Way>(i, density[opposite(Way)] + weight(Way) * kWays[Way].x * push), ...);
  }

  int side_;
  std::size_t margin_;  // before the first and after the last cell, for walls to send to
  std::vector<Cell> now_, next_;
};

}  // namespace

int main(int argc, char** argv) {
  const int side = argc == 3 ? std::atoi(argv[1]) : 0;
  const int steps = argc == 3 ? std::atoi(argv[2]) : 0;
  if (side < 3 || side > 1000 || steps < 1) {
    std::fprintf(stderr, "usage: %s SIDE STEPS; SIDE: 3 to 1000\n", argv[0]);
    return 2;
  }
  Flow flow(side);
  std::fputs("stepping\n", stderr);
  marker();
  for (int i = 0; i < steps; i++) flow.step();
  marker();
  flow.print();
  return 0;
}

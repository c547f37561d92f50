// SPDX-License-Identifier: BSD-3-Clause
//
// Molecular dynamics of an SU(3) gauge field on a four-dimensional lattice: forces by staples,
// leapfrog steps. As in MILC, each operation sweeps whole fields and stores its result in another
// field, in single precision. The access pattern is that of 433.milc, but this is not SPEC's
// program.
//
//   g++ -std=c++17 -O2 -o su3_lattice su3_lattice.cc
//   su3_lattice SIDE STEPS
//
// SIDE: sites along each of four axes (16: 46 MiB). Prints the mean plaquette and the energy at the
// start and the end; leapfrog nearly conserves the energy. A marker `xchg %bx,%bx` (the start of a
// region of interest) follows the building of the fields, and another one follows the last step.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace {

constexpr int kAxes = 4;
constexpr float kStep = 0.02F;  // of time
constexpr float kBeta = 5.6F;   // coupling

void marker() { __asm__ volatile("xchg %bx,%bx"); }

struct Matrix {
  float re[3][3], im[3][3];
};

Matrix adjoint(const Matrix& a) {
  Matrix result;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) result.re[i][k] = a.re[k][i], result.im[i][k] = -a.im[k][i];
  return result;
}

Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix result{};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) {
        result.re[i][k] += a.re[i][j] * b.re[j][k] - a.im[i][j] * b.im[j][k];
        result.im[i][k] += a.re[i][j] * b.im[j][k] + a.im[i][j] * b.re[j][k];
      }
  return result;
}

// Computes a += factor * b.
void add(Matrix& a, const Matrix& b, float factor = 1) {
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      a.re[i][k] += factor * b.re[i][k], a.im[i][k] += factor * b.im[i][k];
}

float trace(const Matrix& a) { return a.re[0][0] + a.re[1][1] + a.re[2][2]; }

// Returns the traceless anti-Hermitian part.
Matrix algebra(const Matrix& a) {
  Matrix result{};
  add(result, a, 0.5F);
  add(result, adjoint(a), -0.5F);
  const float mean = (result.im[0][0] + result.im[1][1] + result.im[2][2]) / 3;
  for (int i = 0; i < 3; i++) result.im[i][i] -= mean;
  return result;
}

// Orthonormalises rows 0 and 1. Sets row 2 to the conjugate of their cross product.
void make_unitary(Matrix& a) {
  for (int row = 0; row < 2; row++) {
    if (row == 1) {
      float re = 0, im = 0;  // conjugate of row 0, times row 1
      for (int k = 0; k < 3; k++) {
        re += a.re[0][k] * a.re[1][k] + a.im[0][k] * a.im[1][k];
        im += a.re[0][k] * a.im[1][k] - a.im[0][k] * a.re[1][k];
      }
      for (int k = 0; k < 3; k++) {
        a.re[1][k] -= re * a.re[0][k] - im * a.im[0][k];
        a.im[1][k] -= re * a.im[0][k] + im * a.re[0][k];
      }
    }
    float square = 0;
    for (int k = 0; k < 3; k++) square += a.re[row][k] * a.re[row][k] + a.im[row][k] * a.im[row][k];
    const float length = std::sqrt(square);
    for (int k = 0; k < 3; k++) a.re[row][k] /= length, a.im[row][k] /= length;
  }
  for (int k = 0; k < 3; k++) {
    const int m = (k + 1) % 3, n = (k + 2) % 3;
    a.re[2][k] = a.re[0][m] * a.re[1][n] - a.im[0][m] * a.im[1][n] - a.re[0][n] * a.re[1][m] +
                 a.im[0][n] * a.im[1][m];
    a.im[2][k] = -(a.re[0][m] * a.im[1][n] + a.im[0][m] * a.re[1][n] - a.re[0][n] * a.im[1][m] -
                   a.im[0][n] * a.re[1][m]);
  }
}

class Lattice {
 public:
  explicit Lattice(int side) : job_nodes_(static_cast<std::size_t>(side) * side * side * side) {
    std::mt19937 random(1);
    const auto small = [&] { return static_cast<float>(random() >> 8) / (1 << 24) - 0.5F; };
    std::size_t stride = 1;
    for (int axis = 0; axis < kAxes; axis++, stride *= side) {
      up_[axis].resize(job_nodes_), down_[axis].resize(job_nodes_);
      for (std::size_t i = 0; i < job_nodes_; i++) {
        const bool last = i / stride % side == static_cast<std::size_t>(side) - 1;
        up_[axis][i] = static_cast<std::uint32_t>(last ? i - (side - 1) * stride : i + stride);
        down_[axis][up_[axis][i]] = static_cast<std::uint32_t>(i);
      }
      links_[axis].resize(job_nodes_), momenta_[axis].resize(job_nodes_);
      for (std::size_t i = 0; i < job_nodes_; i++) {
        Matrix noise;
        for (int r = 0; r < 3; r++)
          for (int c = 0; c < 3; c++) noise.re[r][c] = small(), noise.im[r][c] = small();
        momenta_[axis][i] = algebra(noise);
        for (int r = 0; r < 3; r++)
          for (int c = 0; c < 3; c++) noise.re[r][c] = small() + (r == c), noise.im[r][c] = small();
        make_unitary(noise);
        links_[axis][i] = noise;
      }
    }
    corners_.resize(job_nodes_), staples_.resize(job_nodes_);
  }

  // One leapfrog step: half a step of the momenta, one of the links, half a step of the momenta.
  void step() {
    push(kStep / 2);
    for (int axis = 0; axis < kAxes; axis++)
      for (std::size_t i = 0; i < job_nodes_; i++) {
        const Matrix turn = momenta_[axis][i] * links_[axis][i];
        Matrix& link = links_[axis][i];
        add(link, turn, kStep);
        add(link, momenta_[axis][i] * turn, kStep * kStep / 2);
        make_unitary(link);
      }
    push(kStep / 2);
  }

  void print() {
    double plaquettes = 0, kinetic = 0;
    for (int axis = 0; axis < kAxes; axis++) {
      sum_staples(axis);
      for (std::size_t i = 0; i < job_nodes_; i++) {
        plaquettes += trace(links_[axis][i] * staples_[i]) / 4;  // each is counted once per link
        kinetic -= trace(momenta_[axis][i] * momenta_[axis][i]);
      }
    }
    const double count = 6. * static_cast<double>(job_nodes_);
    std::printf("plaquette %.4f energy %.4f\n", plaquettes / 3 / count,
                (kinetic - kBeta / 3 * plaquettes) / count);
  }

 private:
  // Computes the staple of each link along `axis`: the sum of the three-link paths that close a
  // plaquette with the link. Every other axis has two such paths, one on each side of the link.
  void sum_staples(int axis) {
    for (Matrix& staple : staples_) staple = Matrix{};
    const std::vector<Matrix>& along = links_[axis];
    for (int other = 0; other < kAxes; other++) {
      if (other == axis) continue;
      const std::vector<Matrix>& across = links_[other];
      for (std::size_t i = 0; i < job_nodes_; i++)
        corners_[i] = across[up_[axis][i]] * adjoint(along[up_[other][i]]);
      for (std::size_t i = 0; i < job_nodes_; i++)
        add(staples_[i], corners_[i] * adjoint(across[i]));
      for (std::size_t i = 0; i < job_nodes_; i++)
        corners_[i] = adjoint(along[i] * across[up_[axis][i]]) * across[i];
      for (std::size_t i = 0; i < job_nodes_; i++) add(staples_[i], corners_[down_[other][i]]);
    }
  }

  void push(float time) {
    for (int axis = 0; axis < kAxes; axis++) {
      sum_staples(axis);
      for (std::size_t i = 0; i < job_nodes_; i++)
        add(momenta_[axis][i], algebra(links_[axis][i] * staples_[i]), -time * kBeta / 6);
    }
  }

  std::size_t job_nodes_;
  std::array<std::vector<std::uint32_t>, kAxes> up_, down_;  // neighbours
  std::array<std::vector<Matrix>, kAxes> links_, momenta_;
  std::vector<Matrix> corners_, staples_;
};

}  // namespace

int main(int argc, char** argv) {
  const int side = argc == 3 ? std::atoi(argv[1]) : 0;
  const int steps = argc == 3 ? std::atoi(argv[2]) : 0;
  if (side < 2 || side > 64 || steps < 1) {
    std::fprintf(stderr, "usage: %s SIDE STEPS; SIDE: 2 to 64\n", argv[0]);
    return 2;
  }
  Lattice lattice(side);
  lattice.print();
  std::fputs("stepping\n", stderr);
  marker();
  for (int i = 0; i < steps; i++) lattice.step();
  marker();
  lattice.print();
  return 0;
}

// Emulates mma.sync and ldmatrix with the registers of all 32 lanes, and compares with what the
// tensor intrinsic claims about each lane alone. The two sides share only the operands and
// backends/cuda/mma.h.
#include "backends/cuda/mma.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

namespace lathe {
namespace {

constexpr unsigned kRows = 16, kColumns = 8, kSteps = 16;

// Operands whose rows have more elements than the tile.
struct Tiles {
  static constexpr unsigned kLda = 24, kLdb = 40;
  std::vector<int> a = std::vector<int>(kLda * kRows), b = std::vector<int>(kLdb * kSteps);
  int A(unsigned row, unsigned k) const { return a.at(row * kLda + k); }
  int B(unsigned k, unsigned column) const { return b.at(k * kLdb + column); }
};

Tiles Random() {
  Tiles tiles;
  std::mt19937 engine(3);
  std::uniform_int_distribution<int> small(-9, 9);
  for (auto* operand : {&tiles.a, &tiles.b}) {
    for (int& x : *operand) x = small(engine);
  }
  return tiles;
}

struct Registers {
  std::array<std::array<int, 2>, 4> a{};
  std::array<std::array<int, 2>, 2> b{};
  std::array<int, 4> c{};
};
using Warp = std::array<Registers, 32>;

// Loads the operands as lathe_mma_operands does: a by ldmatrix.x4, b by ldmatrix.x2.trans.
void LoadMatrices(const Tiles& tiles, Warp* warp) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    Registers& own = (*warp)[lane];
    for (unsigned p = 0; p < 2; ++p) {
      for (unsigned m = 0; m < 4; ++m) {
        const unsigned who = 8 * m + lane / 4;  // this lane points to the row
        own.a[m][p] =
            tiles.A(cuda::lathe_mma_a_row(who), cuda::lathe_mma_a_step(who) + lane % 4 * 2 + p);
      }
      for (unsigned m = 0; m < 2; ++m) {
        const unsigned who = 8 * m + lane % 4 * 2 + p;  // transposed: neighbours are rows
        own.b[m][p] = tiles.B(cuda::lathe_mma_b_step(who), lane / 4);
      }
    }
  }
}

// Loads the same element by element, from a lane's own first row of a and own first column of b.
void LoadElements(const Tiles& tiles, Warp* warp) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    Registers& own = (*warp)[lane];
    const unsigned row = cuda::lathe_mma_row(lane), column = cuda::lathe_mma_column(lane);
    for (unsigned p = 0; p < 2; ++p) {
      for (unsigned i = 0; i < 4; ++i)
        own.a[i][p] = tiles.A(row * 2 + i % 2, i / 2 * 8 + column * 2 + p);
      for (unsigned i = 0; i < 2; ++i) own.b[i][p] = tiles.B(column * 2 + i * 8 + p, row);
    }
  }
}

// mma.m16n8k16 on registers, as drawn in the PTX ISA.
void Multiply(Warp* warp) {
  int a[kRows][kSteps] = {}, b[kSteps][kColumns] = {};
  for (unsigned lane = 0; lane < 32; ++lane) {
    const Registers& own = (*warp)[lane];
    for (unsigned p = 0; p < 2; ++p) {
      for (unsigned i = 0; i < 4; ++i)
        a[lane / 4 + i % 2 * 8][lane % 4 * 2 + i / 2 * 8 + p] = own.a[i][p];
      for (unsigned i = 0; i < 2; ++i) b[lane % 4 * 2 + i * 8 + p][lane / 4] = own.b[i][p];
    }
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned i = 0; i < 4; ++i) {
      for (unsigned k = 0; k < kSteps; ++k)
        (*warp)[lane].c[i] += a[lane / 4 + i / 2 * 8][k] * b[k][lane % 4 * 2 + i % 2];
    }
  }
}

// c[2 i + j] of a lane is element (i, j) of the lane's own 2 x 2.
void ExpectClaimed(const Tiles& tiles, const Warp& warp) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned i = 0; i < 2; ++i) {
      for (unsigned j = 0; j < 2; ++j) {
        int expected = 0;
        for (unsigned k = 0; k < kSteps; ++k)
          expected += tiles.A(cuda::lathe_mma_row(lane) * 2 + i, k) *
                      tiles.B(k, cuda::lathe_mma_column(lane) * 2 + j);
        ASSERT_EQ(warp[lane].c[i * 2 + j], expected)
            << "lane " << lane << ", element " << i << ", " << j;
      }
    }
  }
}

TEST(Mma, ByLdmatrixEachLaneGetsWhatItsIntrinsicClaims) {
  const Tiles tiles = Random();
  Warp warp{};
  LoadMatrices(tiles, &warp);
  Multiply(&warp);
  ExpectClaimed(tiles, warp);
}

TEST(Mma, ByElementsEachLaneGetsWhatItsIntrinsicClaims) {
  const Tiles tiles = Random();
  Warp warp{};
  LoadElements(tiles, &warp);
  Multiply(&warp);
  ExpectClaimed(tiles, warp);
}

TEST(Mma, BothWaysFillTheSameRegisters) {
  const Tiles tiles = Random();
  Warp loaded{}, gathered{};
  LoadMatrices(tiles, &loaded);
  LoadElements(tiles, &gathered);
  for (size_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(loaded[lane].a, gathered[lane].a) << lane;
    EXPECT_EQ(loaded[lane].b, gathered[lane].b) << lane;
  }
}

// Four matrices of a larger tile are loaded at once. The rows that the lanes point to put each
// element into the register in which the instruction expects it.
TEST(Mma, TilesFillTheRegistersOfTheInstruction) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned m = 0; m < 4; ++m) {
      for (unsigned p = 0; p < 2; ++p) {
        // Matrix m, whose rows lanes 8 m to 8 m + 7 point to: the elements that this lane gets.
        const unsigned of_a = 8 * m + lane / 4, of_b = 8 * m + lane % 4 * 2 + p;
        EXPECT_EQ(cuda::lathe_mma_tile_row(of_a), static_cast<int>(lane / 4 + m % 2 * 8));
        EXPECT_EQ(cuda::lathe_mma_tile_step(of_a) + static_cast<int>(lane % 4 * 2 + p),
                  static_cast<int>(lane % 4 * 2 + m / 2 * 8 + p));
        // Transposed: rows are steps of k, and two matrices are the columns of one product.
        EXPECT_EQ(cuda::lathe_mma_tile_row(of_b), static_cast<int>(lane % 4 * 2 + p + m % 2 * 8));
        EXPECT_EQ(cuda::lathe_mma_tile_step(of_b) + static_cast<int>(lane / 4),
                  static_cast<int>(m / 2 * 8 + lane / 4));
      }
    }
  }
}

}  // namespace
}  // namespace lathe

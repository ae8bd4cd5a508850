// Releasing objects needs no memory, so it also works when memory has run out.
#include <cstdlib>
#include <new>
#include <vector>

#include "base/object.h"
#include "gtest/gtest.h"

namespace {
bool g_refuse = false;
int g_asked = 0;
}  // namespace

void* operator new(std::size_t size) {
  if (g_refuse) {
    ++g_asked;
    throw std::bad_alloc();
  }
  if (void* data = std::malloc(size)) return data;
  throw std::bad_alloc();
}
void operator delete(void* data) noexcept { std::free(data); }
void operator delete(void* data, std::size_t) noexcept { std::free(data); }

namespace lathe {
namespace {

int g_alive = 0;

struct Tree : Object {
  explicit Tree(uint32_t kind) : Object(kind), own_kind(kind) { ++g_alive; }
  ~Tree() {
    EXPECT_EQ(kind, own_kind);  // unchanged, also in objects whose release was delayed
    --g_alive;
  }
  uint32_t own_kind;
  std::vector<Ref<Object>> children;
};

struct Other : Object {
  explicit Other(Ref<Object> next) : Object(3), next(std::move(next)) { ++g_alive; }
  ~Other() { --g_alive; }
  Ref<Object> next;
};

TEST(Release, NeedsNoMemory) {
  auto top = Make<Tree>(7);
  for (int i = 0; i < 1000; ++i) {
    auto middle = Make<Tree>(200);
    Ref<Object> chain;
    for (int k = 0; k < 100; ++k) {
      if (k % 2 == 0) {
        auto link = Make<Tree>(8);
        link->children.push_back(std::move(chain));
        chain = link;
      } else {
        chain = Make<Other>(std::move(chain));
      }
    }
    middle->children.push_back(chain);
    middle->children.push_back(Make<Other>(nullptr));
    top->children.push_back(middle);
  }
  EXPECT_EQ(g_alive, 1 + 1000 * 102);
  g_refuse = true;
  top = nullptr;
  g_refuse = false;
  EXPECT_EQ(g_alive, 0);
  EXPECT_EQ(g_asked, 0);
}

// Kinds that do not fit into the bits of a pending object are released at once.
TEST(Release, TakesKindsOfAnySize) {
  auto top = Make<Tree>(1);
  for (const uint32_t kind : {uint32_t{0}, (1u << 20) - 1, 1u << 20, UINT32_MAX})
    top->children.push_back(Make<Tree>(kind));
  top = nullptr;
  EXPECT_EQ(g_alive, 0);
}

}  // namespace
}  // namespace lathe

// RVO2, the published implementation of ORCA in C++, from a folder with its source: see common.h
// and crowds.js. The file of positions holds the positions, the velocities and the goals of all
// agents, one after the other; the file of points holds walls, as in crowd.c. Prints also the
// positions after the measured steps.

#include "common.h"
#include <RVO.h>
#include <cmath>
#include <memory>
#include <vector>

static const float TIME_STEP = 0.25F;
enum { STEPS = 16 };

static bench b;
static std::unique_ptr<RVO::RVOSimulator> simulator;

// Entry i of the positions (which = 0), the velocities (1) or the goals (2).
static RVO::Vector2 start_of(int which, size_t i) {
  const float *pair = b.base + 2 * (static_cast<size_t>(which) * b.n + i);
  return RVO::Vector2(pair[0], pair[1]);
}

static void restore() {
  for (size_t i = 0; i < b.n; i++) {
    simulator->setAgentPosition(i, start_of(0, i));
    simulator->setAgentVelocity(i, start_of(1, i));
  }
}

static void restore_if_due() {
  static int taken = STEPS - 1;
  if (++taken != STEPS) return;
  restore();
  taken = 0;
}

// A step includes the preferred velocities: at speed 1 to the goal, and no farther than it.
static void step() {
  for (size_t i = 0; i < b.n; i++) {
    const RVO::Vector2 way = start_of(2, i) - simulator->getAgentPosition(i);
    const float distance = RVO::abs(way);
    simulator->setAgentPrefVelocity(i, way / std::fmax(distance, TIME_STEP));
  }
  simulator->doStep();
}

// The options are those of AGENT in crowds.js.
static void create() {
  b.n = static_cast<uint32_t>(b.baseFloats / 6);
  simulator = std::make_unique<RVO::RVOSimulator>(TIME_STEP, b.maxDistance, b.k, 10.0F, 5.0F,
                                                  b.radius, 2.0F);
  for (size_t i = 0; i < b.n; i++) simulator->addAgent(start_of(0, i));
  for (size_t i = 0, count; i < b.pointFloats; i += 1 + count) {
    count = static_cast<size_t>(b.points[i]);
    std::vector<RVO::Vector2> polygon;
    for (size_t k = 0; k < count; k += 2)
      polygon.emplace_back(b.points[i + 1 + k], b.points[i + 2 + k]);
    simulator->addObstacle(polygon);
  }
  simulator->processObstacles();
  restore();
}

int main(int argc, char **argv) {
  b = bench_read(argc, argv);
  b.still = 1;
  create();
  for (int i = 0; i < STEPS; i++) step();
  printf("{\"positions\": [");
  for (size_t i = 0; i < b.n; i++) {
    const RVO::Vector2 position = simulator->getAgentPosition(i);
    printf("%s%.9g, %.9g", i ? ", " : "", position.x(), position.y());
  }
  printf("]}\n");
  bench_take_turns(&b, restore_if_due, step);
  return 0;
}

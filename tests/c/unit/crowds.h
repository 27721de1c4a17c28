/* What unit tests of crowds share: crowds, and agents with goals. */
#ifndef COPSE_UNIT_CROWDS_H
#define COPSE_UNIT_CROWDS_H

#include "unit.h"

static inline copse_crowd *crowd_of(uint32_t dimensions, uint32_t capacity, uint32_t maxNeighbors,
                                    bool isExact) {
  copse_crowd_def def = copse_crowd_default();
  def.dimensions = dimensions;
  def.capacity = capacity;
  def.maxNeighbors = maxNeighbors;
  def.exact = isExact;
  copse_crowd *crowd;
  CHECK(copse_crowd_create(&def, &crowd) == COPSE_OK);
  return crowd;
}

/* Adds an agent at (x, y), in space at z = 0, with a goal there; NAN: without one. */
static inline uint32_t add_with_goal(copse_crowd *crowd, float x, float y, float goalX,
                                     float goalY) {
  copse_crowd_agent agent = copse_crowd_agent_default();
  uint32_t slot;
  agent.position[0] = x;
  agent.position[1] = y;
  agent.goal[0] = goalX;
  agent.goal[1] = goalY;
  agent.goal[2] = 0;
  CHECK(copse_crowd_add(crowd, &agent, &slot) == COPSE_OK);
  return slot;
}

#endif

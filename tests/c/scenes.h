/* Scenes of the crowd: where agents begin and where they want to go, as in
 * tests/js/support/crowd-scenes.js. */
#ifndef SCENES_H
#define SCENES_H

#include "compare.h"

enum { SCENE_AGENTS = 500 };

typedef struct scene {
  copse_crowd *crowd;
  copse_obstacle *walls; /* NULL: none */
  float timeStep;
  uint32_t agents;
  float goals[SCENE_AGENTS][3];
  uint32_t state; /* of random numbers */
} scene;

/* What happened: how long all took, and the worst that was seen. */
typedef struct scene_report {
  uint32_t steps;   /* until all had reached their goals; 0: not all did */
  double overlap;   /* of two agents, as a share of the sum of their radii */
  double speed;     /* of the greatest that is allowed */
  uint32_t crossed; /* how often an agent's center came through a wall */
  bool isFinite;
} scene_report;

static inline void scene_add(scene *at, copse_crowd_agent agent, const double *from,
                             const double *to) {
  uint32_t slot;
  for (int axis = 0; axis < 3; axis++) {
    agent.position[axis] = (float)from[axis];
    at->goals[at->agents][axis] = (float)to[axis];
  }
  if (copse_crowd_add(at->crowd, &agent, &slot) != COPSE_OK || slot != at->agents++) abort();
}

static inline void scene_begin(scene *at, uint32_t dimensions, float timeStep) {
  copse_crowd_def def = copse_crowd_default();
  def.dimensions = dimensions;
  def.capacity = SCENE_AGENTS;
  *at = (scene){.timeStep = timeStep, .state = 1};
  if (copse_crowd_create(&def, &at->crowd) != COPSE_OK) abort();
}

static inline copse_crowd_agent scene_agent(float radius, float horizon) {
  copse_crowd_agent agent = copse_crowd_agent_default();
  agent.radius = radius;
  agent.maxSpeed = 2;
  agent.neighborDistance = 15;
  agent.timeHorizon = agent.timeHorizonObstacles = horizon;
  return agent;
}

/* 250 agents on a circle, each heading for the opposite point. */
static inline void scene_circle(scene *at) {
  scene_begin(at, 2, 0.25f);
  const double cosine = 0.9996841892832999, sine = 0.02513009544333748; /* of 1/250 of a turn */
  double x = 200, y = 0;
  for (int i = 0; i < 250; i++) {
    scene_add(at, scene_agent(1.5f, 10), (double[]){x, y, 0}, (double[]){-x, -y, 0});
    const double turned = x * cosine - y * sine;
    y = x * sine + y * cosine;
    x = turned;
  }
}

/* Four groups of 25 agents that cross between four boxes: who is in front goes farthest. */
static inline void scene_blocks(scene *at) {
  static const float BOXES[4][8] = {{-10, 40, -40, 40, -40, 10, -10, 10},
                                    {10, 40, 10, 10, 40, 10, 40, 40},
                                    {10, -40, 40, -40, 40, -10, 10, -10},
                                    {-10, -40, -10, -10, -40, -10, -40, -40}};
  scene_begin(at, 2, 0.25f);
  const copse_obstacle_def def = copse_obstacle_default();
  uint32_t slot;
  if (copse_obstacle_create(&def, &at->walls) != COPSE_OK) abort();
  for (int box = 0; box < 4; box++)
    copse_obstacle_add(at->walls, BOXES[box], 4, COPSE_SOLID_WINDING, &slot);
  copse_obstacle_build(at->walls, NULL);
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 5; j++)
      for (int group = 0; group < 4; group++) {
        const double x = 55 + 10 * i, y = 55 + 10 * j;
        const double right = group & 1 ? -1 : 1, up = group & 2 ? -1 : 1;
        scene_add(at, scene_agent(2, 5), (double[]){right * x, up * y, 0},
                  (double[]){right * (x - 150), up * (y - 150), 0});
      }
}

/* 500 agents on a sphere, each heading for the opposite point. */
static inline void scene_sphere(scene *at) {
  scene_begin(at, 3, 0.125f);
  const double cosine = -0.7373688780783197, sine = 0.6754902942615238; /* of the golden angle */
  double x = 1, y = 0;
  for (int i = 0; i < 500; i++) {
    const double up = 1 - (2 * i + 1) / 500.0, out = 100 * sqrt(1 - up * up);
    const double from[3] = {out * x, out * y, 100 * up};
    scene_add(at, scene_agent(1.5f, 10), from, (double[]){-from[0], -from[1], -from[2]});
    const double turned = x * cosine - y * sine;
    y = x * sine + y * cosine;
    x = turned;
  }
}

/* Towards the goals at a speed of 1, a little aside, so that nobody meets another exactly head-on;
 * answers whether all are there. */
static inline bool scene_prefer(scene *at) {
  const uint32_t dim = copse_crowd_dimensions(at->crowd);
  const copse_crowd_arrays all = copse_crowd_get(at->crowd);
  bool isThere = true;
  for (uint32_t slot = 0; slot < at->agents; slot++) {
    double way[3], length2 = 0;
    for (uint32_t axis = 0; axis < dim; axis++) {
      way[axis] = (double)at->goals[slot][axis] - (double)all.positions[slot * dim + axis];
      length2 += way[axis] * way[axis];
    }
    const double scale = length2 > 1 ? 1 / sqrt(length2) : 1;
    for (uint32_t axis = 0; axis < dim; axis++) {
      const double aside = ((double)(random_word(&at->state) >> 20) - 2048) / 4096 * 0.0001;
      all.preferredVelocities[slot * dim + axis] = (float)(way[axis] * scale + aside);
    }
    isThere &= length2 <= (double)all.radii[slot] * (double)all.radii[slot];
  }
  return isThere;
}

/* Looks for the worst; `before` are positions of the step before. */
static inline void scene_watch(const scene *at, const float *before, scene_report *report) {
  const uint32_t dim = copse_crowd_dimensions(at->crowd);
  const copse_crowd_arrays all = copse_crowd_get(at->crowd);
  for (uint32_t slot = 0; slot < at->agents; slot++) {
    const float *own = all.positions + slot * dim, *velocity = all.velocities + slot * dim;
    double speed2 = 0;
    for (uint32_t axis = 0; axis < dim; axis++) {
      speed2 += (double)velocity[axis] * (double)velocity[axis];
      report->isFinite &= isfinite(own[axis]) && isfinite(velocity[axis]);
    }
    report->speed = fmax(report->speed, sqrt(speed2) / (double)all.maxSpeeds[slot]);
    bool isClear = true;
    if (at->walls) copse_obstacle_visible(at->walls, before + slot * dim, own, 0, &isClear, NULL);
    report->crossed += !isClear;
    for (uint32_t other = 0; other < slot; other++) {
      const double radii = (double)all.radii[slot] + (double)all.radii[other];
      double distance2 = 0;
      for (uint32_t axis = 0; axis < dim; axis++) {
        const double d = (double)own[axis] - (double)all.positions[other * dim + axis];
        distance2 += d * d;
      }
      if (distance2 < radii * radii)
        report->overlap = fmax(report->overlap, 1 - sqrt(distance2) / radii);
    }
  }
}

/* Plays until all agents have reached their goals, each within its radius, and ends the scene. */
static inline scene_report scene_play(scene *at, uint32_t most) {
  static float before[SCENE_AGENTS * 3];
  const uint32_t dim = copse_crowd_dimensions(at->crowd);
  scene_report report = {.isFinite = true};
  for (uint32_t step = 1; step <= most && !report.steps; step++) {
    const float *positions = copse_crowd_get(at->crowd).positions;
    scene_prefer(at);
    memcpy(before, positions, at->agents * dim * sizeof *before);
    if (copse_crowd_step(at->crowd, at->walls, at->timeStep, NULL) != COPSE_OK) break;
    scene_watch(at, before, &report);
    const uint32_t state = at->state;
    if (scene_prefer(at)) report.steps = step;
    at->state = state;
  }
  copse_crowd_destroy(at->crowd);
  copse_obstacle_destroy(at->walls);
  return report;
}

#endif

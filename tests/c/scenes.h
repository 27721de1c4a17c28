/* Scenes of crowds: where agents start, and where they want to go. The same as in
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
  uint32_t state; /* of the random numbers */
} scene;

/* How long a scene took, and the worst that happened in it. */
typedef struct scene_report {
  uint32_t steps;   /* until all agents had reached their goals; 0: they did not */
  double overlap;   /* deepest overlap of two agents, relative to the sum of their radii */
  double speed;     /* highest speed, relative to maxSpeed */
  uint32_t crossed; /* how often an agent's center passed through a wall */
  bool isFinite;
} scene_report;

static inline void scene_add(scene *stage, copse_crowd_agent agent, const double *start,
                             const double *goal) {
  uint32_t slot;
  for (int axis = 0; axis < 3; axis++) {
    agent.position[axis] = (float)start[axis];
    stage->goals[stage->agents][axis] = (float)goal[axis];
  }
  if (copse_crowd_add(stage->crowd, &agent, &slot) != COPSE_OK || slot != stage->agents++) abort();
}

static inline void scene_begin(scene *stage, uint32_t dimensions, float timeStep) {
  copse_crowd_def def = copse_crowd_default();
  def.dimensions = dimensions;
  def.capacity = SCENE_AGENTS;
  *stage = (scene){.timeStep = timeStep, .state = 1};
  if (copse_crowd_create(&def, &stage->crowd) != COPSE_OK) abort();
}

static inline copse_crowd_agent scene_agent(float radius, float horizon) {
  copse_crowd_agent agent = copse_crowd_agent_default();
  agent.radius = radius;
  agent.maxSpeed = 2;
  agent.neighborDistance = 15;
  agent.timeHorizon = agent.obstacleTimeHorizon = horizon;
  return agent;
}

/* 250 agents on a circle head for the opposite points. */
static inline void scene_circle(scene *stage) {
  scene_begin(stage, 2, 0.25f);
  const double cosine = 0.9996841892832999, sine = 0.02513009544333748; /* 1/250 of a turn */
  double x = 200, y = 0;
  for (int i = 0; i < 250; i++) {
    scene_add(stage, scene_agent(1.5f, 10), (double[]){x, y, 0}, (double[]){-x, -y, 0});
    const double turned = x * cosine - y * sine;
    y = x * sine + y * cosine;
    x = turned;
  }
}

/* Four groups of 25 agents cross between four boxes. The agents in front go farthest. */
static inline void scene_blocks(scene *stage) {
  static const float BOXES[4][8] = {{-10, 40, -40, 40, -40, 10, -10, 10},
                                    {10, 40, 10, 10, 40, 10, 40, 40},
                                    {10, -40, 40, -40, 40, -10, 10, -10},
                                    {-10, -40, -10, -10, -40, -10, -40, -40}};
  scene_begin(stage, 2, 0.25f);
  const copse_obstacle_def def = copse_obstacle_default();
  uint32_t slot;
  if (copse_obstacle_create(&def, &stage->walls) != COPSE_OK) abort();
  for (int box = 0; box < 4; box++)
    copse_obstacle_add(stage->walls, BOXES[box], 4, COPSE_SOLID_WINDING, &slot);
  copse_obstacle_build(stage->walls, NULL);
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 5; j++)
      for (int group = 0; group < 4; group++) {
        const double x = 55 + 10 * i, y = 55 + 10 * j;
        const double right = group & 1 ? -1 : 1, up = group & 2 ? -1 : 1;
        scene_add(stage, scene_agent(2, 5), (double[]){right * x, up * y, 0},
                  (double[]){right * (x - 150), up * (y - 150), 0});
      }
}

/* 500 agents on a sphere head for the opposite points. */
static inline void scene_sphere(scene *stage) {
  scene_begin(stage, 3, 0.125f);
  const double cosine = -0.7373688780783197, sine = 0.6754902942615238; /* the golden angle */
  double x = 1, y = 0;
  for (int i = 0; i < 500; i++) {
    const double up = 1 - (2 * i + 1) / 500.0, out = 100 * sqrt(1 - up * up);
    const double start[3] = {out * x, out * y, 100 * up};
    scene_add(stage, scene_agent(1.5f, 10), start, (double[]){-start[0], -start[1], -start[2]});
    const double turned = x * cosine - y * sine;
    y = x * sine + y * cosine;
    x = turned;
  }
}

/* Writes preferred velocities toward the goals, at a speed of 1 and slightly perturbed, so that no
 * agents meet exactly head-on. True if all agents have arrived. */
static inline bool scene_prefer(scene *stage) {
  const uint32_t dim = copse_crowd_dimensions(stage->crowd);
  const copse_crowd_arrays arrays = copse_crowd_get(stage->crowd);
  bool isThere = true;
  for (uint32_t slot = 0; slot < stage->agents; slot++) {
    double way[3], length2 = 0;
    for (uint32_t axis = 0; axis < dim; axis++) {
      way[axis] = (double)stage->goals[slot][axis] - (double)arrays.positions[slot * dim + axis];
      length2 += way[axis] * way[axis];
    }
    const double scale = length2 > 1 ? 1 / sqrt(length2) : 1;
    for (uint32_t axis = 0; axis < dim; axis++) {
      const double aside = ((double)(random_word(&stage->state) >> 20) - 2048) / 4096 * 0.0001;
      arrays.preferredVelocities[slot * dim + axis] = (float)(way[axis] * scale + aside);
    }
    isThere &= length2 <= (double)arrays.radii[slot] * (double)arrays.radii[slot];
  }
  return isThere;
}

/* Updates the report after a step. `before`: the positions before that step. */
static inline void scene_watch(const scene *stage, const float *before, scene_report *report) {
  const uint32_t dim = copse_crowd_dimensions(stage->crowd);
  const copse_crowd_arrays arrays = copse_crowd_get(stage->crowd);
  for (uint32_t slot = 0; slot < stage->agents; slot++) {
    const float *own = arrays.positions + slot * dim, *velocity = arrays.velocities + slot * dim;
    double speed2 = 0;
    for (uint32_t axis = 0; axis < dim; axis++) {
      speed2 += (double)velocity[axis] * (double)velocity[axis];
      report->isFinite &= isfinite(own[axis]) && isfinite(velocity[axis]);
    }
    report->speed = fmax(report->speed, sqrt(speed2) / (double)arrays.maxSpeeds[slot]);
    bool isClear = true;
    if (stage->walls)
      copse_obstacle_visible(stage->walls, before + slot * dim, own, 0, &isClear, NULL);
    report->crossed += !isClear;
    for (uint32_t other = 0; other < slot; other++) {
      const double radii = (double)arrays.radii[slot] + (double)arrays.radii[other];
      double distance2 = 0;
      for (uint32_t axis = 0; axis < dim; axis++) {
        const double d = (double)own[axis] - (double)arrays.positions[other * dim + axis];
        distance2 += d * d;
      }
      if (distance2 < radii * radii)
        report->overlap = fmax(report->overlap, 1 - sqrt(distance2) / radii);
    }
  }
}

/* Plays a scene until every agent is within its radius of its goal, then destroys the scene. */
static inline scene_report scene_play(scene *stage, uint32_t most) {
  static float before[SCENE_AGENTS * 3];
  const uint32_t dim = copse_crowd_dimensions(stage->crowd);
  scene_report report = {.isFinite = true};
  for (uint32_t step = 1; step <= most && !report.steps; step++) {
    const float *positions = copse_crowd_get(stage->crowd).positions;
    scene_prefer(stage);
    memcpy(before, positions, stage->agents * dim * sizeof *before);
    if (copse_crowd_step(stage->crowd, stage->walls, stage->timeStep, NULL) != COPSE_OK) break;
    scene_watch(stage, before, &report);
    const uint32_t state = stage->state;
    if (scene_prefer(stage)) report.steps = step;
    stage->state = state;
  }
  copse_crowd_destroy(stage->crowd);
  copse_obstacle_destroy(stage->walls);
  return report;
}

#endif

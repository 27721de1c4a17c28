/* Crowds that follow flow fields. */

#include "../crowd/crowd.h"
#include "flowfield.h"

/* Returns the field that leads an agent: the first one whose mask has a bit of the agent's
 * groups. NULL if there is none. */
static const copse_flowfield *field_of(const copse_crowd *crowd, uint32_t slot) {
  const uint32_t groups = crowd_whole(crowd, FIELD_GROUPS)[slot];
  for (uint32_t i = 0; i < crowd->guideCount; i++)
    if (crowd->guides[i].mask & groups) return crowd->guides[i].field;
  return NULL;
}

/* Returns the goal to which the path from an anchor (such as a turning point) leads. */
static const flow_anchor *end_of(const flow_map *map, uint32_t anchor) {
  while (map->anchors[anchor].parent != NO_ANCHOR) anchor = map->anchors[anchor].parent;
  return &map->anchors[anchor];
}

/* Writes the goal of a path that ends at a point: the center of the goal area around the point or,
 * if there is none, the point itself. So agents that go to one area share a goal. */
static void put_goal(const flow_map *map, const float *point, float *goal) {
  uint32_t i = 0;
  while (i < map->goalCount && !flow_is_in(&map->goals[i], point)) i++;
  for (uint32_t axis = 0; axis < 2; axis++)
    goal[axis] =
        i < map->goalCount ? (map->goals[i].lo[axis] + map->goals[i].hi[axis]) / 2 : point[axis];
}

/* Writes where a field leads an agent: the preferred velocity, the length of the path, and the
 * goal. Stores in the agent's state which anchor (a goal or a turning point) the agent heads for,
 * because the next step needs this anchor. */
static void lead_agent(copse_crowd *crowd, const copse_flowfield *field, uint32_t slot,
                       float timeStep) {
  uint32_t *state = &crowd_whole(crowd, FIELD_STATE)[slot];
  const flow_map *map = &field->maps[field->shown];
  const float *position = crowd_vector(crowd, FIELD_POSITION, slot);
  float *goal = crowd_vector(crowd, FIELD_GOAL, slot), *distance = &crowd->distances[slot];
  /* The state holds 1 + the index of the point that the agent heads for; 0: none. */
  copse_flowfield_aim aim = {.anchor = (*state >> CROWD_AIM_SHIFT) - 1};
  copse_flowfield_lead(field, position, crowd_number(crowd, FIELD_RADIUS, slot), &aim);
  *distance = aim.distance;
  if (aim.anchor != COPSE_NONE) {
    const flow_anchor *end = end_of(map, aim.anchor);
    *distance -= end->distance; /* without the goal's cost */
    put_goal(map, end->point, goal);
  } else if (aim.distance == INFINITY)
    goal[0] = goal[1] = NAN;
  else if (aim.direction[0] == 0 && aim.direction[1] == 0) { /* the agent is in a goal's area */
    *distance = 0;
    put_goal(map, position, goal);
  }
  /* Limits the speed, so that the agent does not move past the point that it heads for: beyond a
   * corner, the agent could get too near to a wall. */
  const float speed = crowd_number(crowd, FIELD_PREFERRED_SPEED, slot);
  const float gap = flow_length(position, aim.point);
  const float scale = gap > speed * timeStep ? speed : gap / timeStep;
  float *preferred = crowd->ledVelocities + (size_t)slot * 2;
  for (uint32_t axis = 0; axis < 2; axis++) preferred[axis] = aim.direction[axis] * scale;
  crowd->bodies[slot].state |= CROWD_LED;
  *state = (*state & ((1u << CROWD_AIM_SHIFT) - 1)) | (aim.anchor + 1) << CROWD_AIM_SHIFT;
}

static void lead_range(copse_crowd *crowd, float timeStep, task_range range) {
  for (uint32_t slot = range.begin; slot < range.end; slot++) {
    if (!(crowd->bodies[slot].state & CROWD_MOVES)) continue;
    const copse_flowfield *field = field_of(crowd, slot);
    if (field) lead_agent(crowd, field, slot, timeStep);
  }
}

/* The argument of a task. */
typedef struct led_agents {
  copse_crowd *crowd;
  float timeStep;
  uint32_t end; /* one past the last slot in use */
} led_agents;

static void lead_task(void *argument, uint32_t index) {
  const led_agents *led = argument;
  lead_range(led->crowd, led->timeStep, task_range_of(index, CROWD_RANGE, led->end));
}

static void lead(copse_crowd *crowd, uint32_t end, float timeStep) {
  led_agents led = {crowd, timeStep, end};
  if (tasks_divide(&crowd->def.tasks, end, CROWD_DIVIDED))
    tasks_run(&crowd->def.tasks, lead_task, &led, task_ranges(CROWD_RANGE, end));
  else
    lead_range(crowd, timeStep, (task_range){0, end});
}

copse_status copse_crowd_follow(copse_crowd *crowd, const copse_flowfield *field, uint32_t mask) {
  uint32_t place = 0;
  if (crowd->def.dimensions != 2) return COPSE_INVALID_ARGUMENT;
  while (place < crowd->guideCount && crowd->guides[place].field != field) place++;
  if (place == crowd->guideCount) {
    if (!mask) return COPSE_OK;
    if (place == COPSE_CROWD_FIELDS) return COPSE_FULL;
    crowd->guideCount++;
  }
  crowd->guides[place] = (crowd_guide){field, mask};
  if (!mask) { /* removes the field: later fields move up */
    crowd->guideCount--;
    for (; place < crowd->guideCount; place++) crowd->guides[place] = crowd->guides[place + 1];
  }
  crowd->lead = crowd->guideCount ? lead : NULL;
  return COPSE_OK;
}

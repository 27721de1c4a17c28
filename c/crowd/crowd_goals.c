/* Goals of the crowd: preferred velocities, and when an agent has arrived or is stuck.
 *
 * Many agents may share a goal. An agent that makes no progress has arrived if it is beside an
 * agent that has arrived at the same goal and is nearer to that goal. An agent that has arrived
 * prefers to stand still, so a group around a goal comes to rest. */

#include "crowd.h"

/* Times in seconds. After REST_AFTER without progress, an agent that is held up by others counts as
 * arrived. After STUCK_AFTER without progress, an agent counts as stuck. An agent that has arrived,
 * but was pushed away or is no longer held up, sets out for its goal again after RETURN_AFTER. If
 * it was pushed far away, it sets out at once. */
static const float REST_AFTER = 0.5f, STUCK_AFTER = 2, RETURN_AFTER = 1;

/* Two agents are beside each other if the distance of their centers is at most this times the sum
 * of their radii. */
static const float BESIDE = 1.5f;

OUT_OF_LINE float distance_to(const float *a, const float *b, uint32_t dim) {
  const double x = (double)a[0] - (double)b[0], y = (double)a[1] - (double)b[1];
  const double z = dim == 3 ? (double)a[2] - (double)b[2] : 0;
  return (float)sqrt(x * x + y * y + z * z);
}

bool crowd_have_one_goal(const copse_crowd *crowd, uint32_t a, uint32_t b) {
  const float radii = crowd->bodies[a].radius + crowd->bodies[b].radius;
  return distance_to(crowd_vector(crowd, FIELD_GOAL, a), crowd_vector(crowd, FIELD_GOAL, b),
                     crowd->def.dimensions) <= radii;
}

/* True if a neighbor keeps an agent from its goal. Only neighbors beside the agent can do so. If
 * the agent's distance from the goal is at most its own radius, any such neighbor is enough.
 * Otherwise, the neighbor must also have arrived at the same goal and be nearer to the goal than
 * the agent. So every agent that rests farther from its goal than its own radius is beside a
 * resting agent that is nearer to the goal. */
SMALL_CODE OUT_OF_LINE bool is_held_up(const copse_crowd *crowd, uint32_t slot, float distance,
                                       const uint32_t *ids, uint32_t count) {
  const uint32_t dim = crowd->def.dimensions;
  const orca_body *own = &crowd->bodies[slot];
  const float *position = crowd_vector(crowd, FIELD_POSITION, slot);
  const float *goal = crowd_vector(crowd, FIELD_GOAL, slot);
  const bool isAtGoal = distance <= own->radius;
  for (uint32_t i = 0; i < count; i++) {
    const orca_body *other = &crowd->bodies[ids[i]];
    if (!isAtGoal && !(other->state & CROWD_ARRIVED)) continue;
    const float otherPosition[3] = {other->position[0], other->position[1], other->z};
    const float near = BESIDE * (own->radius + other->radius);
    if (distance_to(position, otherPosition, dim) > near) continue;
    float otherDistance = distance_to(goal, otherPosition, dim);
    if (own->state & other->state & CROWD_LED) {
      otherDistance = crowd->distances[ids[i]];
      if (fabsf(otherDistance - distance) > near) continue; /* a wall is between the two */
    }
    if (isAtGoal || (crowd_have_one_goal(crowd, slot, ids[i]) && otherDistance < distance))
      return true;
  }
  return false;
}

static void add_event(crowd_events *events, uint32_t slot) {
  events->slots[events->count++] = slot;
}

/* Updates an agent's progress toward its goal. `distance` is the distance to the goal, `step` is
 * how far the agent can go in one time step. Returns true if the agent should rest where it is. */
static bool update_progress(copse_crowd *crowd, crowd_outcome *outcome, uint32_t slot,
                            float distance, float step, float timeStep, const uint32_t *ids,
                            uint32_t count) {
  const float radius = crowd->bodies[slot].radius;
  /* A change of the distance to the goal that is smaller than this is neither progress nor a push
   * away. */
  const float tolerance = (radius > step ? radius : step) / 4;
  float *nearest = &crowd->fields[FIELD_NEAREST][slot],
        *waited = &crowd->fields[FIELD_WAITED][slot];
  uint32_t *state = &crowd_whole(crowd, FIELD_STATE)[slot];
  const bool isAtGoal = distance <= tolerance / 2;
  if (*state & CROWD_ARRIVED) {
    const float away = fabsf(distance - *nearest);
    const bool stays = away <= 2 * tolerance && (isAtGoal || crowd->def.exact ||
                                                 is_held_up(crowd, slot, distance, ids, count));
    *waited = stays ? 0 : *waited + timeStep;
    if (away <= 8 * tolerance && *waited <= RETURN_AFTER) return !crowd->def.exact && !isAtGoal;
    /* The agent was pushed away, its goal moved, or the path to the goal is free again. */
    *state &= ~(uint32_t)CROWD_ARRIVED;
    *nearest = INFINITY;
  }
  /* A stuck agent that only creeps forward is still stuck. To count as moving, it must come much
   * nearer to its goal. */
  const float progress = *state & CROWD_STUCK ? 4 * tolerance : tolerance;
  const bool hasWay = distance < INFINITY; /* a flow field may find no path */
  if ((hasWay && distance <= *nearest - progress) || !(distance <= *nearest + 4 * tolerance)) {
    *state &= ~(uint32_t)CROWD_STUCK;
    *nearest = distance;
    *waited = 0;
  } else
    *waited += timeStep;
  /* An agent away from its goal can be held up only by neighbors that have arrived at theirs. If
   * isEqual is true, no agent has arrived: arrived agents are CROWD_UNEQUAL. */
  const bool mayRest = !crowd->def.exact && (!crowd->isEqual || distance <= radius);
  if (isAtGoal ||
      (mayRest && *waited >= REST_AFTER && is_held_up(crowd, slot, distance, ids, count))) {
    *state = (*state & ~(uint32_t)CROWD_STUCK) | CROWD_ARRIVED;
    *nearest = distance;
    *waited = 0;
    add_event(&outcome->arrived, slot);
    return !isAtGoal;
  }
  if (*waited >= STUCK_AFTER && step > 0 && !(*state & CROWD_STUCK)) {
    *state |= CROWD_STUCK;
    add_event(&outcome->stuck, slot);
  }
  return false;
}

/* Implements crowd_prefer. Copies each axis by itself, because in WebAssembly a memcpy of a few
 * bytes is a function call. */
ALWAYS_INLINE void prefer(copse_crowd *crowd, crowd_outcome *outcome, uint32_t slot, float timeStep,
                          const uint32_t *ids, uint32_t count, float *preferred, const int dim) {
  const double speed = (double)crowd_number(crowd, FIELD_PREFERRED_SPEED, slot);
  const double step = speed * (double)timeStep;
  if (dim == 2 && crowd->bodies[slot].state & CROWD_LED) {
    const float *led = crowd->ledVelocities + (size_t)slot * 2;
    const float distance = crowd->distances[slot];
    const bool rests =
        update_progress(crowd, outcome, slot, distance, (float)step, timeStep, ids, count);
    EACH_AXIS (axis, 2) preferred[axis] = rests ? 0 : led[axis];
    return;
  }
  const float *goal = crowd_vector(crowd, FIELD_GOAL, slot);
  const float *given = crowd_vector(crowd, FIELD_PREFERRED_VELOCITY, slot);
  const float *position = crowd_vector(crowd, FIELD_POSITION, slot);
  double way[3], length2 = 0;
  bool hasGoal = true;
  EACH_AXIS (axis, dim) {
    hasGoal &= is_coordinate(goal[axis]);
    way[axis] = (double)goal[axis] - (double)position[axis];
    length2 += way[axis] * way[axis];
  }
  if (!hasGoal) {
    EACH_AXIS (axis, dim) preferred[axis] = given[axis];
    return;
  }
  const double length = sqrt(length2);
  const bool rests =
      update_progress(crowd, outcome, slot, (float)length, (float)step, timeStep, ids, count);
  const double scale = rests ? 0 : length > step ? speed / length : 1 / (double)timeStep;
  EACH_AXIS (axis, dim) preferred[axis] = (float)(way[axis] * scale); /* not faster than `speed` */
}

void crowd_prefer(copse_crowd *crowd, crowd_outcome *outcome, uint32_t slot, float timeStep,
                  const uint32_t *ids, uint32_t count, float *preferred) {
  if (crowd->def.dimensions == 3)
    prefer(crowd, outcome, slot, timeStep, ids, count, preferred, 3);
  else
    prefer(crowd, outcome, slot, timeStep, ids, count, preferred, 2);
}

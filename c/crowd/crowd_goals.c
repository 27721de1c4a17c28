/* Goals of the crowd: preferred velocities, and when an agent has arrived or is stuck.
 *
 * Many agents may share a goal. Unless the crowd is exact, an agent that makes no progress has
 * arrived if it is beside an agent that has arrived at the same goal and is nearer to that goal; at
 * the goal, if it is beside any agent with the same goal. An agent that has arrived stands still,
 * so a group around a goal comes to rest.
 *
 * An agent that has arrived is settled: that goal is its home. When it is pushed away, it goes
 * back. It sets out from there as soon as its goal differs from its home in any bit.
 *
 * An agent without a goal whose preferred velocity is 0 is idle. Unless the crowd is exact, it is
 * settled, too: at home where it became idle. */

#include "crowd.h"

#include <string.h>

/* Times in seconds. After REST_AFTER without progress, an agent that is held up by others counts as
 * arrived. After STUCK_AFTER without progress, an agent counts as stuck. An agent that has arrived,
 * but was pushed away or is no longer held up, goes back after RETURN_AFTER. */
static const float REST_AFTER = 0.5f, STUCK_AFTER = 2, RETURN_AFTER = 1;

/* An agent of the default mode slows down for its goal: it would be there in this many seconds at
 * its present speed. So an agent that follows a moving goal moves evenly, too. */
static const float SLOWING = 0.1f;

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

/* True if a neighbor keeps an agent from its goal. Only neighbors with the same goal can do so, if
 * they are beside the agent, and no wall is between. If the agent's distance from the goal is at
 * most its own radius, any such neighbor is enough. Otherwise, the neighbor must also have arrived,
 * and be nearer to the goal than the agent. So every agent that rests farther from its goal than
 * its own radius is beside a resting agent that is nearer to the goal. `walls`: NULL if there are
 * none, or if none needs to be looked for. */
SMALL_CODE OUT_OF_LINE bool is_held_up(const copse_crowd *crowd, const copse_obstacle *walls,
                                       uint32_t slot, float distance) {
  const uint32_t *ids = crowd->lists.ids + (size_t)slot * crowd->stride;
  const uint32_t count = crowd->counts[slot], dim = crowd->def.dimensions;
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
    if (!crowd_have_one_goal(crowd, slot, ids[i])) continue;
    float otherDistance = distance_to(goal, otherPosition, dim);
    bool isInSight = true;
    if (own->state & other->state & CROWD_LED) {
      otherDistance = crowd->distances[ids[i]];
      isInSight = fabsf(otherDistance - distance) <= near;
    } else if (walls)
      copse_obstacle_visible(walls, position, otherPosition, 0, &isInSight, NULL);
    if (isInSight && (isAtGoal || otherDistance < distance)) return true;
  }
  return false;
}

/* Idle agents are at home or on their way back: these are no events. */
static void add_event(crowd_events *events, uint32_t slot, uint32_t state) {
  if (!(state & CROWD_IDLE)) events->slots[events->count++] = slot;
}

/* The agent leaves its home for good: it has not arrived at its goal yet, and is not idle. */
static void set_out(copse_crowd *crowd, uint32_t slot) {
  const uint32_t bits = CROWD_ARRIVED | CROWD_SETTLED | CROWD_IDLE | CROWD_STUCK;
  crowd_whole(crowd, FIELD_STATE)[slot] &= ~bits;
  crowd->fields[FIELD_NEAREST][slot] = INFINITY;
  crowd->fields[FIELD_WAITED][slot] = 0;
}

static bool is_place(const float *vector, uint32_t dim) {
  for (uint32_t axis = 0; axis < dim; axis++)
    if (!is_coordinate(vector[axis])) return false;
  return true;
}

/* Lets a settled agent set out if its goal, compared by bits, is not its home. An idle agent sets
 * out as soon as it has any goal. */
SMALL_CODE OUT_OF_LINE void notice_goal(copse_crowd *crowd, uint32_t slot) {
  const uint32_t dim = crowd->def.dimensions;
  const float *goal = crowd_vector(crowd, FIELD_GOAL, slot);
  const bool isIdle = crowd_whole(crowd, FIELD_STATE)[slot] & CROWD_IDLE;
  const bool hasGoal = crowd->bodies[slot].state & CROWD_LED || is_place(goal, dim);
  const float *home = crowd_vector(crowd, FIELD_HOME, slot);
  const bool isHome = memcmp(goal, home, dim * sizeof *goal) == 0;
  if (isIdle ? hasGoal : !isHome) set_out(crowd, slot);
}

static void settle(copse_crowd *crowd, uint32_t slot, const float *home, float distance) {
  uint32_t *state = &crowd_whole(crowd, FIELD_STATE)[slot];
  memcpy(crowd_vector(crowd, FIELD_HOME, slot), home, crowd->def.dimensions * sizeof *home);
  *state = (*state & ~(uint32_t)CROWD_STUCK) | CROWD_ARRIVED | CROWD_SETTLED;
  crowd->fields[FIELD_NEAREST][slot] = distance;
  crowd->fields[FIELD_WAITED][slot] = 0;
}

/* Makes an agent idle, or recognizes that it is: it wants to stand where it is. The home of an idle
 * agent is where it became idle, or where the game last put it. */
static void stay_home(copse_crowd *crowd, uint32_t slot) {
  const size_t size = crowd->def.dimensions * sizeof(float);
  const float *position = crowd_vector(crowd, FIELD_POSITION, slot);
  uint32_t *state = &crowd_whole(crowd, FIELD_STATE)[slot];
  const bool isWhereItStood =
      *state & CROWD_IDLE && !memcmp(position, crowd_vector(crowd, FIELD_STOOD, slot), size);
  if (isWhereItStood) return;
  *state |= CROWD_IDLE;
  settle(crowd, slot, position, 0);
}

/* True if an agent that has arrived goes back to its goal: it was pushed away, or no neighbor holds
 * it up any more. It goes back at once if it was pushed far or if a wall has come between, else
 * after RETURN_AFTER. Within its arrivalRadius, it stays. */
static bool goes_back(const crowd_job *job, uint32_t slot, float distance, float tolerance,
                      float arrivalRadius) {
  copse_crowd *const crowd = job->crowd;
  if (distance <= arrivalRadius) return false;
  float *nearest = &crowd->fields[FIELD_NEAREST][slot];
  float *waited = &crowd->fields[FIELD_WAITED][slot];
  const float away = fabsf(distance - *nearest);
  const bool mayStay = crowd->def.exact || distance <= tolerance / 2;
  const bool isHeldUp = mayStay || is_held_up(crowd, NULL, slot, distance);
  /* Walls seldom come between agents that rest: they are looked for now and then. */
  const bool isCutOff = isHeldUp && !mayStay && job->walls && crowd_is_checked(crowd, slot) &&
                        !is_held_up(crowd, job->walls, slot, distance);
  *waited = away <= 2 * tolerance && isHeldUp ? 0 : *waited + job->timeStep;
  if (away <= 8 * tolerance && *waited <= RETURN_AFTER && !isCutOff) return false;
  crowd_whole(crowd, FIELD_STATE)[slot] &= ~(uint32_t)CROWD_ARRIVED;
  *nearest = INFINITY;
  return true;
}

/* Updates an agent's progress toward its goal, or the home of an idle agent. `distance` is the
 * distance to it, `step` is how far the agent can go in one time step. Returns true if the agent
 * should rest where it is. An agent that comes within its arrivalRadius goes on for this one step:
 * if it now gets another goal, it has made no stop. */
static bool update_progress(const crowd_job *job, crowd_outcome *outcome, uint32_t slot,
                            float distance, float step) {
  copse_crowd *const crowd = job->crowd;
  const float radius = crowd->bodies[slot].radius;
  /* To be that much nearer to the goal is progress. To be twice as much away from where it arrived
   * is to be pushed away: far, if it is eight times as much. */
  const float tolerance = (radius > step ? radius : step) / 4;
  float *nearest = &crowd->fields[FIELD_NEAREST][slot],
        *waited = &crowd->fields[FIELD_WAITED][slot];
  uint32_t *state = &crowd_whole(crowd, FIELD_STATE)[slot];
  float arrivalRadius = crowd->fields[FIELD_ARRIVAL_RADIUS][slot];
  if (*state & CROWD_SETTLED) {
    notice_goal(crowd, slot);
    if (*state & CROWD_IDLE) arrivalRadius = 0;
    /* Off its goal, a resting agent stands; in an exact crowd, it still heads for the goal. */
    if (*state & CROWD_ARRIVED && !goes_back(job, slot, distance, tolerance, arrivalRadius))
      return distance <= arrivalRadius || (!crowd->def.exact && distance > tolerance / 2);
  }
  const bool isAtGoal = distance <= (arrivalRadius > tolerance / 2 ? arrivalRadius : tolerance / 2);
  /* A stuck agent that only creeps forward is still stuck. To count as moving, it must come much
   * nearer to its goal. */
  const float progress = *state & CROWD_STUCK ? 4 * tolerance : tolerance;
  const bool hasWay = distance < INFINITY; /* a flow field may find no path */
  if ((hasWay && distance <= *nearest - progress) || !(distance <= *nearest + 4 * tolerance)) {
    *state &= ~(uint32_t)CROWD_STUCK;
    *nearest = distance;
    *waited = 0;
  } else
    *waited += job->timeStep;
  /* An agent away from its goal can be held up only by neighbors that have arrived at theirs. If
   * isEqual is true, no agent has arrived: arrived agents are CROWD_UNEQUAL. */
  const bool mayRest = !crowd->def.exact && (!crowd->isEqual || distance <= radius);
  if (isAtGoal ||
      (mayRest && *waited >= REST_AFTER && is_held_up(crowd, job->walls, slot, distance))) {
    const crowd_field home = *state & CROWD_IDLE ? FIELD_HOME : FIELD_GOAL;
    settle(crowd, slot, crowd_vector(crowd, home, slot), distance);
    add_event(&outcome->arrived, slot, *state);
    return !isAtGoal;
  }
  if (*waited >= STUCK_AFTER && step > 0 && !(*state & CROWD_STUCK)) {
    *state |= CROWD_STUCK;
    add_event(&outcome->stuck, slot, *state);
  }
  return false;
}

/* Returns the factor by which the way to a goal that is near becomes the preferred velocity: the
 * agent slows down, but not below a tenth of its speed, so that it gets there. */
ALWAYS_INLINE double slowed_scale(double speed, double length) {
  const double slow = 1 / (double)SLOWING, least = speed / (10 * length);
  return slow > least ? slow : least;
}

/* Writes the preferred velocity of an agent without a goal: the one that it was given. If that is
 * 0, the agent is idle, and goes back to its home after it made way for others; but not in an exact
 * crowd, where it stands. */
OUT_OF_LINE void prefer_without_goal(const crowd_job *job, crowd_outcome *outcome, uint32_t slot,
                                     float *preferred) {
  copse_crowd *const crowd = job->crowd;
  const float timeStep = job->timeStep;
  const uint32_t dim = crowd->def.dimensions;
  const float *given = crowd_vector(crowd, FIELD_PREFERRED_VELOCITY, slot);
  bool isIdle = !crowd->def.exact;
  for (uint32_t axis = 0; axis < dim; axis++) {
    preferred[axis] = given[axis];
    isIdle &= given[axis] == 0;
  }
  if (!isIdle) {
    set_out(crowd, slot);
    return;
  }
  stay_home(crowd, slot);
  const float *position = crowd_vector(crowd, FIELD_POSITION, slot);
  const float *home = crowd_vector(crowd, FIELD_HOME, slot);
  const float speed = crowd_number(crowd, FIELD_PREFERRED_SPEED, slot);
  const float distance = distance_to(position, home, dim);
  if (update_progress(job, outcome, slot, distance, speed * timeStep)) return;
  float scale = distance > speed * timeStep ? speed / distance : 1 / timeStep;
  if (distance < speed * SLOWING)
    scale = fminf(scale, (float)slowed_scale((double)speed, (double)distance));
  for (uint32_t axis = 0; axis < dim; axis++)
    preferred[axis] = (home[axis] - position[axis]) * scale;
}

/* Implements crowd_prefer. Copies each axis by itself, because in WebAssembly a memcpy of a few
 * bytes is a function call. */
ALWAYS_INLINE void prefer(const crowd_job *job, crowd_outcome *outcome, uint32_t slot,
                          float *preferred, const int dim) {
  copse_crowd *const crowd = job->crowd;
  const double speed = (double)crowd_number(crowd, FIELD_PREFERRED_SPEED, slot);
  const double step = speed * (double)job->timeStep;
  if (dim == 2 && crowd->bodies[slot].state & CROWD_LED) {
    const float *led = crowd->ledVelocities + (size_t)slot * 2;
    const float distance = crowd->distances[slot];
    const bool rests = update_progress(job, outcome, slot, distance, (float)step);
    EACH_AXIS (axis, 2) preferred[axis] = rests ? 0 : led[axis];
    return;
  }
  const float *goal = crowd_vector(crowd, FIELD_GOAL, slot);
  const float *position = crowd_vector(crowd, FIELD_POSITION, slot);
  double way[3], length2 = 0;
  bool hasGoal = true;
  EACH_AXIS (axis, dim) {
    hasGoal &= is_coordinate(goal[axis]);
    way[axis] = (double)goal[axis] - (double)position[axis];
    length2 += way[axis] * way[axis];
  }
  if (!hasGoal) {
    prefer_without_goal(job, outcome, slot, preferred);
    return;
  }
  const double length = sqrt(length2);
  const bool rests = update_progress(job, outcome, slot, (float)length, (float)step);
  double scale = length > step ? speed / length : 1 / (double)job->timeStep;
  if (!crowd->def.exact && length < speed * (double)SLOWING)
    scale = fmin(scale, slowed_scale(speed, length));
  if (rests) scale = 0;
  EACH_AXIS (axis, dim) preferred[axis] = (float)(way[axis] * scale); /* not faster than `speed` */
}

void crowd_prefer(const crowd_job *job, crowd_outcome *outcome, uint32_t slot, float *preferred) {
  if (job->crowd->def.dimensions == 3)
    prefer(job, outcome, slot, preferred, 3);
  else
    prefer(job, outcome, slot, preferred, 2);
}

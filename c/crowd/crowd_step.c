/* The crowd's time step, and copse_crowd_inspect: what the next step would use for one agent. */

#include "../base/geom.h"
#include "../base/scan.h"
#include "crowd.h"

#include <string.h>

/* ---- Reading an agent's attributes ---- */

/* An agent that is still walking uses a shorter time horizon against neighbors that have arrived:
 * its own time horizon, multiplied by this factor. So the agent can come close to them, and push
 * between them. */
static const float PUSH = 1.0f / 8;

/* Returns 1 / time horizon. A horizon shorter than the time step counts as one time step. */
static float inverse_horizon(const copse_crowd *crowd, crowd_field field, uint32_t slot,
                             float timeStep) {
  const float horizon = crowd_number(crowd, field, slot);
  return 1 / (horizon > timeStep ? horizon : timeStep);
}

/* Returns 1 / time horizon for walls. If the agent's acceleration is limited, the horizon is long
 * enough for the agent to stop in front of walls. One time step is added, because the agent starts
 * to brake only in the next step. */
static float inverse_wall_horizon(const copse_crowd *crowd, uint32_t slot, float timeStep) {
  const float MOST_BRAKING = 100; /* in seconds: a longer horizon would reach walls far away */
  const float inverse = inverse_horizon(crowd, FIELD_TIME_HORIZON_OBSTACLES, slot, timeStep);
  const float acceleration = crowd_number(crowd, FIELD_MAX_ACCELERATION, slot);
  /* With unlimited acceleration, the agent can stop at once. If its maximum acceleration is 0, it
   * can't brake. */
  if (!(acceleration > 0 && acceleration < COPSE_MAX_COORDINATE)) return inverse;
  const float *velocity = crowd->bodies[slot].velocity;
  const float speed = sqrtf(velocity[0] * velocity[0] + velocity[1] * velocity[1]);
  float braking = speed / (2 * acceleration) + timeStep;
  if (!(braking < MOST_BRAKING)) braking = MOST_BRAKING;
  return inverse * braking > 1 ? 1 / braking : inverse;
}

/* Returns an agent in the form that the solver of constraints reads. Copies the agent's body (see
 * set_body), which must be up to date. */
static orca_agent agent_of(const copse_crowd *crowd, uint32_t slot, const copse_obstacle *walls,
                           float timeStep) {
  return (orca_agent){
      .body = crowd->bodies[slot],
      .slot = slot,
      .maxSpeed = crowd_number(crowd, FIELD_MAX_SPEED, slot),
      .inverseHorizon = inverse_horizon(crowd, FIELD_TIME_HORIZON, slot, timeStep),
      .inverseHorizonOfWalls = walls ? inverse_wall_horizon(crowd, slot, timeStep) : 0,
      .inverseStep = 1 / timeStep,
  };
}

/* Updates an agent's body: the attributes that its neighbors read. */
static void set_body(copse_crowd *crowd, uint32_t slot) {
  const float *position = crowd_vector(crowd, FIELD_POSITION, slot);
  const float *velocity = crowd_vector(crowd, FIELD_VELOCITY, slot);
  orca_body *body = &crowd->bodies[slot];
  body->position[0] = position[0];
  body->position[1] = position[1];
  body->velocity[0] = velocity[0];
  body->velocity[1] = velocity[1];
  body->radius = crowd_number(crowd, FIELD_RADIUS, slot);
  body->state =
      crowd_whole(crowd, FIELD_STATE)[slot] & (CROWD_ARRIVED | CROWD_SETTLED | CROWD_STUCK);
  if (!crowd_whole(crowd, FIELD_LOCKED)[slot]) body->state |= CROWD_MOVES;
  if ((body->state & ~(uint32_t)CROWD_STUCK) != CROWD_MOVES ||
      crowd->fields[FIELD_PRIORITY][slot] != 0 ||
      crowd_whole(crowd, FIELD_MASK)[slot] != COPSE_ALL_GROUPS)
    body->state |= CROWD_UNEQUAL;
  if (crowd->def.dimensions < 3) return;
  body->z = position[2];
  body->velocityZ = velocity[2];
}

/* ---- One agent of a step ---- */

OUT_OF_LINE void slow_down(float *velocity, uint32_t dim, double factor) {
  for (uint32_t axis = 0; axis < dim; axis++)
    velocity[axis] = factor > 0 ? (float)((double)velocity[axis] * factor) : 0;
}

/* Scales a velocity down if it exceeds the maximum speed, even if only by a rounding error. A
 * velocity that is not finite becomes 0. Computes in double, because squares of very low speeds
 * underflow as floats. */
ALWAYS_INLINE void limit_speed(float *velocity, uint32_t dim, float maxSpeed) {
  const double x = (double)velocity[0], y = (double)velocity[1], limit = (double)maxSpeed;
  const double z = dim == 3 ? (double)velocity[2] : 0, length2 = x * x + y * y + z * z;
  if (!(length2 <= limit * limit))
    slow_down(velocity, dim, length2 < (double)INFINITY ? limit / sqrt(length2) : 0);
}

/* Adjusts how an agent avoids one of its neighbors, if exactly one of the two has arrived: its
 * share of the avoidance and, if it is the one that passes, its time horizon (see PUSH).
 * - If both have the same goal, the arrived agent's share is 0, and the other's is 1.
 * - If not, as for idle agents, which have none: the arrived agent's share is 1, to let the other
 * pass, and the other still does its half. Together, the two do more than is needed to avoid a
 * collision.
 * Nothing is adjusted if the arrived agent has another goal and a higher priority, or if the other
 * only goes back to its home: it may not drive others off theirs, unless it is stuck. */
static void set_terms_at_goal(const copse_crowd *crowd, uint32_t slot, uint32_t other,
                              uint32_t index, orca_terms *terms) {
  const bool hasArrived = crowd->bodies[slot].state & CROWD_ARRIVED;
  if (hasArrived == (bool)(crowd->bodies[other].state & CROWD_ARRIVED)) return;
  const bool hasSameGoal = crowd_have_one_goal(crowd, slot, other);
  const uint32_t staying = hasArrived ? slot : other, passing = hasArrived ? other : slot;
  const uint32_t state = crowd->bodies[passing].state & (CROWD_SETTLED | CROWD_STUCK);
  if (!hasSameGoal && (state == CROWD_SETTLED || crowd_number(crowd, FIELD_PRIORITY, staying) >
                                                     crowd_number(crowd, FIELD_PRIORITY, passing)))
    return;
  if (hasArrived)
    terms->avoiding[index] = hasSameGoal ? 0 : 1;
  else {
    terms->avoiding[index] = hasSameGoal ? 1 : 0.5f;
    terms->inverseHorizon[index] /= PUSH;
  }
}

/* True if an agent splits the avoidance evenly with each of its neighbors: the agent and its
 * neighbors all lack the bit CROWD_UNEQUAL (see crowd.h). Such an agent needs no call of
 * set_terms. */
static bool are_equal(const copse_crowd *crowd, uint32_t slot, const uint32_t *ids,
                      uint32_t count) {
  uint32_t states = crowd->bodies[slot].state;
  for (uint32_t i = 0; i < count; i++) states |= crowd->bodies[ids[i]].state;
  return !(states & CROWD_UNEQUAL);
}

/* Writes how an agent avoids each of its neighbors: its shares of the avoidance and its time
 * horizon. The agent does all of the avoidance if the neighbor is locked, or if the neighbor's mask
 * excludes the agent. */
static void set_terms(const copse_crowd *crowd, const orca_agent *agent, const uint32_t *ids,
                      uint32_t count, orca_terms *terms) {
  const float ownPriority = crowd_number(crowd, FIELD_PRIORITY, agent->slot);
  const uint32_t groups = crowd_whole(crowd, FIELD_GROUPS)[agent->slot];
  for (uint32_t i = 0; i < count + ORCA_PADDING; i++) {
    const uint32_t id = ids[i < count ? i : count - 1];
    const float otherPriority = crowd_number(crowd, FIELD_PRIORITY, id);
    terms->inverseHorizon[i] = agent->inverseHorizon;
    terms->avoiding[i] =
        ownPriority + otherPriority > 0 ? otherPriority / (ownPriority + otherPriority) : 0.5f;
    if (!crowd->def.exact) set_terms_at_goal(crowd, agent->slot, id, i, terms);
    /* Two agents that are not on a collision course have room: their velocities can change by some
     * amount before a collision threatens. Each may use half of this room, whatever the priorities.
     * If the room were split by priority, an agent might get none of it. That agent couldn't turn
     * toward the other, even from far away. */
    terms->room[i] = 0.5f;
    if (crowd_whole(crowd, FIELD_LOCKED)[id] || !(crowd_whole(crowd, FIELD_MASK)[id] & groups))
      terms->avoiding[i] = terms->room[i] = 1;
  }
}

typedef struct constraint_set {
  union {
    orca2 lines;
    orca3 planes;
  };
  uint32_t dimensions;
} constraint_set;

/* True if a velocity violates no constraint. Sets *isBlocked to true if the velocity violates the
 * constraint of any neighbor. */
static bool is_permitted(const constraint_set *constraints, const float *velocity,
                         bool *isBlocked) {
  if (constraints->dimensions == 3) {
    *isBlocked = orca3_violated(&constraints->planes, velocity) < constraints->planes.count;
    return !*isBlocked;
  }
  const orca2 *lines = &constraints->lines;
  const uint32_t first = orca2_violated(lines, 0, velocity[0], velocity[1], 0);
  const uint32_t count = lines->count, walls = lines->walls;
  *isBlocked = first < count && (first >= walls ||
                                 orca2_violated(lines, walls, velocity[0], velocity[1], 0) < count);
  return first == count;
}

/* True if a neighbor that stands, because it is locked or has arrived, is in the way of a velocity.
 */
static bool is_blocked_by_standing(const copse_crowd *crowd, const constraint_set *constraints,
                                   const uint32_t *ids, const float *velocity) {
  if (constraints->dimensions == 3) {
    const uint32_t first = orca3_violated(&constraints->planes, velocity);
    return first < constraints->planes.count && crowd_stands(crowd, ids[first]);
  }
  const orca2 *lines = &constraints->lines;
  for (uint32_t i = lines->walls; i < lines->count; i++) {
    i = orca2_violated(lines, i, velocity[0], velocity[1], 0);
    if (i < lines->count && crowd_stands(crowd, ids[i - lines->walls])) return true;
  }
  return false;
}

/* Counts the seconds that an agent goes at less than a quarter of its speed, because an agent that
 * stands is in its way: it may creep forward into a dead end. */
static void count_slowed(copse_crowd *crowd, uint32_t slot, const constraint_set *constraints,
                         const uint32_t *ids, const float *preferred, float timeStep) {
  float *slowed = &crowd->fields[FIELD_SLOWED][slot];
  const float *velocity = crowd_vector(crowd, FIELD_VELOCITY, slot);
  const int dim = (int)crowd->def.dimensions;
  if (!is_blocked_by_standing(crowd, constraints, ids, preferred)) return;
  const float change =
      16 * sum_of_squares(velocity, dim) < sum_of_squares(preferred, dim) ? timeStep : -timeStep;
  *slowed = *slowed + change > 0 ? *slowed + change : 0;
}

/* True if an agent need not turn aside, because all of its neighbors do more of the avoidance. */
static bool is_given_way(uint32_t count, const orca_terms *terms) {
  if (!terms) return false;
  for (uint32_t i = 0; i < count; i++)
    if (terms->avoiding[i] >= 0.25f) return false;
  return true;
}

/* Turns a velocity to the right by an angle, in the plane of x and y. `half` is the tangent of half
 * the angle: it gives the sine and cosine without trigonometry. Negative: to the left. */
static void turn(const copse_crowd *crowd, float half, float *velocity) {
  const float scale = 1 / (1 + half * half), ahead = (1 - half * half) * scale;
  const float right = 2 * half * scale, x = velocity[0], y = velocity[1];
  velocity[0] = ahead * x + right * y;
  velocity[1] = ahead * y - right * x;
  if (crowd->def.dimensions < 3) return;
  if (x == 0 && y == 0) velocity[1] = right * velocity[2];
  velocity[2] *= ahead;
}

/* True if the nearest velocity that is permitted, of those as fast as the preferred one, is to its
 * left. A tie goes to the right: so two agents that meet head-on pass each other. */
static bool is_left_nearer(const copse_crowd *crowd, const constraint_set *constraints,
                           const float *preferred) {
  for (int i = 1; i <= 12; i++) { /* 2, 8, 17 … 135 degrees */
    const float half = (float)(i * i) / 60;
    float right[3], left[3];
    bool isBlocked;
    for (uint32_t axis = 0; axis < crowd->def.dimensions; axis++)
      right[axis] = left[axis] = preferred[axis];
    turn(crowd, half, right);
    if (is_permitted(constraints, right, &isBlocked)) return false;
    turn(crowd, -half, left);
    if (is_permitted(constraints, left, &isBlocked)) return true;
  }
  return false;
}

/* An agent with a neighbor in its way sidesteps: it turns aside, by an angle that grows while it
 * makes no progress toward its goal. PATIENCE is the time in seconds until the angle is largest. */
static const float PATIENCE = 2;

/* A blocked agent turns to its right. After this part of PATIENCE, it looks which side is free
 * sooner. */
static const float HASTE = 1.0f / 8;

/* For an agent led by a flow field, the sidestep angle grows only after this many seconds without
 * progress. Such agents often wait in a queue, where large sidesteps would slow all of them
 * down. */
static const float QUEUE = 4;

/* Turns an agent's preferred velocity aside, because a neighbor is in the way: otherwise, two
 * agents that meet in perfect symmetry would just stop. The agent turns a little to its right
 * and, if that does not help, to the side where it is free sooner. The angle starts small, and
 * swings to and fro while the agent makes no progress: to this side and then to the other. It
 * differs by slot, to break symmetry between agents. An agent on its way home, that has settled,
 * does not swing: it would drive others off. */
static void sidestep(copse_crowd *crowd, uint32_t slot, const constraint_set *constraints,
                     float *preferred) {
  const float slowed = crowd->fields[FIELD_SLOWED][slot];
  const float share = (float)(slot * 0x9e3779b1u >> 24) / 256;
  const float queued = crowd->bodies[slot].state & CROWD_LED ? QUEUE : 0;
  uint32_t *state = &crowd_whole(crowd, FIELD_STATE)[slot];
  float waited = crowd->fields[FIELD_WAITED][slot] - queued;
  waited = (waited > slowed ? waited : slowed) / PATIENCE;
  if (!(waited > 0) || *state & CROWD_SETTLED) waited = 0;
  if (waited > HASTE && !(*state & CROWD_BLOCKED)) {
    *state |= CROWD_BLOCKED;
    if (is_left_nearer(crowd, constraints, preferred)) *state |= CROWD_LEFT;
  }
  /* 0 … 4, in units of PATIENCE: to the side (at 1) and back (at 2), to the other side (at 3) and
   * back. Then the same again, twice as slowly, and so on. */
  float swing = waited;
  while (swing > 4) swing = (swing - 4) / 2;
  const float size = swing < 1 ? swing : swing < 3 ? fabsf(2 - swing) : 4 - swing;
  const bool isLeft = (bool)(*state & CROWD_LEFT) != (swing > 2);
  /* On the other side, and later, the angle grows far beyond a right one: out of a dead end. */
  const float most = waited < 2 ? 0.5f + share : 1.25f + share / 4;
  const float half = 0.025f + 0.025f * share + size * most;
  turn(crowd, isLeft ? -half : half, preferred);
}

/* Writes the best velocity, see orca2_solve. True if it violates no constraint. `rest` is the
 * velocity that means standing still: 0, or -v if velocities are relative to the agent's present
 * velocity v. */
static bool solve(const constraint_set *constraints, const float *preferred, const float *rest,
                  float maxSpeed, float *velocity) {
  return constraints->dimensions == 3
             ? orca3_solve(&constraints->planes, preferred, maxSpeed, velocity)
             : orca2_solve(&constraints->lines, preferred, rest, maxSpeed, velocity);
}

/* Writes the best velocity (see orca2_solve) that differs from the agent's present velocity by at
 * most `change`. True if it violates no constraint. Side effect: makes `preferred` and the
 * constraints relative to the present velocity. */
static bool solve_change(constraint_set *constraints, const orca_agent *agent, float *preferred,
                         float change, float *velocity) {
  const float present[3] = {agent->body.velocity[0], agent->body.velocity[1],
                            agent->body.velocityZ};
  const uint32_t dim = constraints->dimensions == 3 ? 3 : 2;
  if (dim == 3)
    orca3_relate(&constraints->planes, present);
  else
    orca2_relate(&constraints->lines, present);
  for (uint32_t axis = 0; axis < dim; axis++) preferred[axis] -= present[axis];
  const float rest[2] = {-present[0], -present[1]};
  const bool isFeasible = solve(constraints, preferred, rest, change, velocity);
  limit_speed(velocity, constraints->dimensions, change);
  for (uint32_t axis = 0; axis < dim; axis++) velocity[axis] += present[axis];
  return isFeasible;
}

/* True if an agent is inside a solid area. An agent that was outside is tested in its first step
 * and in every CHECK_INTERVAL-th: in between, it counts as outside. */
static bool is_inside(copse_crowd *crowd, const copse_obstacle *walls, uint32_t slot) {
  uint32_t *state = &crowd_whole(crowd, FIELD_STATE)[slot];
  if (*state & (CROWD_INSIDE | CROWD_NEW) || crowd_is_checked(crowd, slot)) {
    bool isInside;
    copse_obstacle_contains(walls, crowd_vector(crowd, FIELD_POSITION, slot), &isInside, NULL);
    *state = (*state & ~(uint32_t)(CROWD_INSIDE | CROWD_NEW)) | (isInside ? CROWD_INSIDE : 0);
  }
  return *state & CROWD_INSIDE;
}

/* Limits an agent's preferred velocity to its maximum speed. If one of its `count` neighbors is in
 * the way, turns the velocity aside. True if the preferred velocity violates no constraint. */
OUT_OF_LINE bool make_way(const crowd_job *job, const orca_agent *agent,
                          const constraint_set *constraints, const uint32_t *ids, uint32_t count,
                          const orca_terms *terms, float *preferred) {
  copse_crowd *const crowd = job->crowd;
  const uint32_t slot = agent->slot;
  bool isBlocked;
  limit_speed(preferred, crowd->def.dimensions, agent->maxSpeed);
  const bool isBest = is_permitted(constraints, preferred, &isBlocked);
  if (isBlocked && count && !is_given_way(count, terms)) {
    if (terms) count_slowed(crowd, slot, constraints, ids, preferred, job->timeStep);
    sidestep(crowd, slot, constraints, preferred);
  } else {
    crowd_whole(crowd, FIELD_STATE)[slot] &= ~(uint32_t)(CROWD_BLOCKED | CROWD_LEFT);
    crowd->fields[FIELD_SLOWED][slot] = 0;
  }
  return isBest;
}

/* Chooses an agent's velocity, and moves the agent. Reads positions and velocities of other agents
 * only from crowd->bodies. */
OUT_OF_LINE void move_agent(const crowd_job *job, crowd_outcome *outcome, uint32_t slot) {
  copse_crowd *const crowd = job->crowd;
  const copse_obstacle *const walls = job->walls;
  const float timeStep = job->timeStep;
  orca_agent agent = agent_of(crowd, slot, walls, timeStep);
  const uint32_t dim = crowd->def.dimensions, count = crowd->counts[slot];
  const uint32_t *ids = crowd->lists.ids + (size_t)slot * crowd->stride;
  const bool isExact = crowd->def.exact;
  uint32_t toPass = count; /* how many neighbors it makes way for; 0 while it leaves a wall */
  float preferred[3], *velocity = crowd_vector(crowd, FIELD_VELOCITY, slot);
  float *position = crowd_vector(crowd, FIELD_POSITION, slot);
  orca_terms terms, *usedTerms = NULL;
  constraint_set constraints;
  constraints.dimensions = dim;
  crowd_prefer(job, outcome, slot, preferred);
  if (!crowd->isEqual && count && !are_equal(crowd, slot, ids, count))
    set_terms(crowd, &agent, ids, count, usedTerms = &terms);
  if (dim == 3) {
    constraints.planes.count = 0;
    outcome->overlaps +=
        orca3_add_neighbors(&constraints.planes, &agent, crowd->bodies, ids, usedTerms, count);
  } else {
    constraints.lines.count = constraints.lines.walls = 0;
    if (walls && !isExact && is_inside(crowd, walls, slot)) {
      crowd_leave_solid(walls, &agent, preferred);
      toPass = 0;
    } else if (walls) {
      const uint32_t edge = crowd_add_walls(&constraints.lines, walls, &agent);
      if (edge != COPSE_NONE && !isExact) {
        crowd_leave_wall(walls, &agent, edge, preferred);
        toPass = 0;
      }
    }
    outcome->overlaps +=
        orca2_add_neighbors(&constraints.lines, &agent, crowd->bodies, ids, usedTerms, count);
  }
  const float change = crowd_number(crowd, FIELD_MAX_ACCELERATION, slot) * timeStep;
  const bool isFree = change >= 2 * agent.maxSpeed;
  bool isFeasible = true, isBest = false;
  if (!isExact) isBest = make_way(job, &agent, &constraints, ids, toPass, usedTerms, preferred);
  if (isBest && isFree)
    for (uint32_t axis = 0; axis < dim; axis++) velocity[axis] = preferred[axis];
  else {
    isFeasible = isFree ? solve(&constraints, preferred, (float[2]){0}, agent.maxSpeed, velocity)
                        : solve_change(&constraints, &agent, preferred, change, velocity);
    limit_speed(velocity, dim, agent.maxSpeed);
  }
  for (uint32_t axis = 0; axis < dim; axis++) position[axis] += velocity[axis] * timeStep;
  if (!isExact && crowd_whole(crowd, FIELD_STATE)[slot] & CROWD_IDLE)
    memcpy(crowd_vector(crowd, FIELD_STOOD, slot), position, dim * sizeof *position);
  outcome->infeasible += !isFeasible;
  outcome->neighbors += count;
}

/* ---- All agents of a step ---- */

static const crowd_overview NO_AGENTS = {
    .bad = COPSE_NONE, .leastDistance = INFINITY, .radius = -1};

/* Takes an agent that is present into account. */
ALWAYS_INLINE void see_radius(crowd_overview *overview, float radius) {
  if (radius == overview->radius) return;
  overview->hasSizes |= overview->radius >= 0;
  overview->radius = radius;
}

/* Prepares a step for a range of slots. Updates two arrays by slot: crowd->bodies (what an agent's
 * neighbors read) and crowd->present (the agent's groups; 0 if it takes no part in the step).
 * Returns a summary of these agents. Stops at the first agent that is not finite (see
 * crowd_is_finite). */
static crowd_overview prepare(copse_crowd *crowd, task_range range) {
  crowd_overview overview = NO_AGENTS;
  for (uint32_t slot = range.begin; slot < range.end; slot++) {
    crowd->present[slot] = crowd->bodies[slot].state = 0;
    if (!crowd_is_active(crowd, slot)) continue;
    if (!crowd_is_finite(crowd, slot)) {
      overview.bad = slot;
      break;
    }
    crowd->present[slot] = crowd_whole(crowd, FIELD_GROUPS)[slot];
    set_body(crowd, slot);
    if (crowd->present[slot]) {
      overview.present++;
      see_radius(&overview, crowd->bodies[slot].radius);
    }
    if (crowd->bodies[slot].state & CROWD_UNEQUAL) overview.isUnequal = true;
    if (crowd_whole(crowd, FIELD_MASK)[slot] != COPSE_ALL_GROUPS) overview.hasMasks = true;
    const uint32_t wanted = crowd_neighbor_limit(crowd, slot);
    const float distance = crowd_number(crowd, FIELD_NEIGHBOR_DISTANCE, slot);
    if (wanted > overview.maxNeighbors) overview.maxNeighbors = wanted;
    if (!wanted) continue;
    if (distance > overview.neighborDistance) overview.neighborDistance = distance;
    if (distance < overview.leastDistance) overview.leastDistance = distance;
  }
  return overview;
}

static void move_agents(const crowd_job *job, crowd_outcome *outcome, task_range range) {
  outcome->infeasible = outcome->overlaps = 0;
  outcome->arrived.count = outcome->stuck.count = 0;
  outcome->neighbors = 0;
  for (uint32_t slot = range.begin; slot < range.end; slot++)
    if (job->crowd->bodies[slot].state & CROWD_MOVES) move_agent(job, outcome, slot);
}

/* ---- The same, divided into tasks ---- */

static task_range range_of(const crowd_job *job, uint32_t index) {
  return task_range_of(index, CROWD_RANGE, job->end);
}

static void prepare_task(void *argument, uint32_t index) {
  const crowd_job *job = argument;
  job->crowd->parts[index].overview = prepare(job->crowd, range_of(job, index));
}

static crowd_overview prepare_in_tasks(crowd_job *job) {
  const uint32_t ranges = task_ranges(CROWD_RANGE, job->end);
  crowd_overview overview = NO_AGENTS;
  tasks_run(&job->crowd->def.tasks, prepare_task, job, ranges);
  for (uint32_t i = ranges; i-- > 0;) {
    const crowd_overview *part = &job->crowd->parts[i].overview;
    overview.present += part->present;
    if (part->bad != COPSE_NONE) overview.bad = part->bad;
    if (part->maxNeighbors > overview.maxNeighbors) overview.maxNeighbors = part->maxNeighbors;
    if (part->neighborDistance > overview.neighborDistance)
      overview.neighborDistance = part->neighborDistance;
    if (part->leastDistance < overview.leastDistance) overview.leastDistance = part->leastDistance;
    overview.hasSizes |= part->hasSizes;
    if (part->radius >= 0) see_radius(&overview, part->radius);
    overview.hasMasks |= part->hasMasks;
    overview.isUnequal |= part->isUnequal;
  }
  return overview;
}

static void move_task(void *argument, uint32_t index) {
  const crowd_job *job = argument;
  const task_range range = range_of(job, index);
  const crowd_outcome *whole = &job->crowd->outcome;
  crowd_outcome *outcome = &job->crowd->parts[index].outcome;
  /* Each range writes its events into the lists for all agents, starting at the index of the
   * range's first slot. There is room, because an agent arrives, or gets stuck, at most once in a
   * step. */
  outcome->arrived.slots = whole->arrived.slots + range.begin;
  outcome->stuck.slots = whole->stuck.slots + range.begin;
  move_agents(job, outcome, range);
}

/* Moves the events of a range to the end of the whole list. */
static void append_events(crowd_events *whole, const crowd_events *part) {
  memmove(whole->slots + whole->count, part->slots, part->count * sizeof *part->slots);
  whole->count += part->count;
}

static void move_in_tasks(crowd_job *job) {
  const uint32_t ranges = task_ranges(CROWD_RANGE, job->end);
  crowd_outcome *whole = &job->crowd->outcome;
  tasks_run(&job->crowd->def.tasks, move_task, job, ranges);
  move_agents(job, whole, (task_range){0, 0}); /* sets all counts to 0 */
  for (uint32_t i = 0; i < ranges; i++) {
    const crowd_outcome *part = &job->crowd->parts[i].outcome;
    append_events(&whole->arrived, &part->arrived);
    append_events(&whole->stuck, &part->stuck);
    whole->infeasible += part->infeasible;
    whole->overlaps += part->overlaps;
    whole->neighbors += part->neighbors;
  }
}

/* ---- The step ---- */

copse_status copse_crowd_step(copse_crowd *crowd, const copse_obstacle *walls, float timeStep,
                              uint32_t *firstBad) {
  if (!(timeStep > 0 && timeStep <= COPSE_MAX_COORDINATE) || (walls && crowd->def.dimensions == 3))
    return COPSE_INVALID_ARGUMENT;
  crowd_job job = {crowd, walls, timeStep, crowd_end(crowd)};
  const task_range all = {0, job.end};
  const bool isDivided = tasks_divide(&crowd->def.tasks, job.end, CROWD_DIVIDED);
  crowd_overview overview = isDivided ? prepare_in_tasks(&job) : prepare(crowd, all);
  overview.end = job.end;
  if (overview.bad != COPSE_NONE) {
    if (firstBad) *firstBad = overview.bad;
    return COPSE_NOT_FINITE;
  }
  crowd->isEqual = !overview.isUnequal;
  crowd_find_neighbors(crowd, &overview);
  if (crowd->lead) crowd->lead(crowd, job.end, timeStep);
  if (isDivided)
    move_in_tasks(&job);
  else
    move_agents(&job, &crowd->outcome, all);
  crowd->time += (double)timeStep;
  crowd->steps++;
  return COPSE_OK;
}

/* ---- The view of one agent ---- */

/* Finds an agent's nearest neighbors by testing all agents, without the tree. Returns their
 * number. */
SMALL_CODE static uint32_t neighbors_of(const copse_crowd *crowd, uint32_t slot, uint32_t *ids) {
  float distances2[COPSE_CROWD_MAX_NEIGHBORS];
  const uint32_t dim = crowd->def.dimensions, end = crowd_end(crowd);
  const float *center = crowd_vector(crowd, FIELD_POSITION, slot);
  const float distance = crowd_number(crowd, FIELD_NEIGHBOR_DISTANCE, slot);
  const uint32_t limit = crowd_neighbor_limit(crowd, slot);
  const uint32_t mask = crowd_whole(crowd, FIELD_MASK)[slot];
  const float radius = crowd_number(crowd, FIELD_RADIUS, slot);
  crowd_overview overview = NO_AGENTS;
  for (uint32_t other = 0; other < end; other++)
    if (crowd_is_active(crowd, other) && crowd_whole(crowd, FIELD_GROUPS)[other])
      see_radius(&overview, crowd_number(crowd, FIELD_RADIUS, other));
  const bool isByGap = crowd_ranks_by_gap(crowd, &overview);
  scan_nearest nearest = {{distances2, ids}, limit, 0, INFINITY};
  if (!crowd_whole(crowd, FIELD_GROUPS)[slot] || !limit) return 0;
  for (uint32_t other = 0; other < end; other++) {
    if (other == slot || !crowd_is_active(crowd, other)) continue;
    if (!(crowd_whole(crowd, FIELD_GROUPS)[other] & mask)) continue;
    const float *position = crowd_vector(crowd, FIELD_POSITION, other);
    float d[3] = {position[0] - center[0], position[1] - center[1], 0};
    if (dim == 3) d[2] = position[2] - center[2];
    const float distance2 = sum_of_squares(d, 3);
    const float otherRadius = isByGap ? crowd_number(crowd, FIELD_RADIUS, other) : radius;
    if (!crowd_is_in_range(distance2, distance, radius, otherRadius)) continue;
    const float rank = isByGap ? crowd_gap_of(distance2, radius, otherRadius) : distance2;
    if (rank <= nearest.limit2) scan_offer(&nearest, rank, other);
  }
  heap_sort(nearest.heap, nearest.size, BY_DISTANCE);
  return nearest.size;
}

SMALL_CODE copse_status copse_crowd_inspect(copse_crowd *crowd, const copse_obstacle *walls,
                                            float timeStep, uint32_t slot, copse_crowd_view *view) {
  const uint32_t dim = crowd->def.dimensions;
  *view = (copse_crowd_view){0};
  if (!slots_in_use(&crowd->slots, slot)) return COPSE_STALE_SLOT;
  if (!(timeStep > 0 && timeStep <= COPSE_MAX_COORDINATE) || (walls && dim == 3))
    return COPSE_INVALID_ARGUMENT;
  const uint32_t count = neighbors_of(crowd, slot, view->neighbors);
  set_body(crowd, slot);
  orca_agent agent = agent_of(crowd, slot, walls, timeStep);
  for (uint32_t i = 0; i < count; i++) set_body(crowd, view->neighbors[i]);
  view->neighborCount = count;
  orca_terms terms;
  if (count) set_terms(crowd, &agent, view->neighbors, count, &terms);
  float *out = view->constraints;
  if (dim == 3) {
    orca3 planes;
    planes.count = 0;
    orca3_add_neighbors(&planes, &agent, crowd->bodies, view->neighbors, &terms, count);
    view->constraintCount = planes.count;
    for (uint32_t i = 0; i < planes.count; i++, out += 6)
      EACH_AXIS (axis, 3) {
        out[axis] = planes.point[axis][i];
        out[3 + axis] = planes.normal[axis][i];
      }
    return COPSE_OK;
  }
  orca2 lines;
  lines.count = lines.walls = 0;
  if (walls) {
    view->obstacleCount = crowd_near_walls(walls, &agent, view->obstacles);
    crowd_add_walls(&lines, walls, &agent);
  }
  orca2_add_neighbors(&lines, &agent, crowd->bodies, view->neighbors, &terms, count);
  view->constraintCount = lines.count;
  view->obstacleConstraintCount = lines.walls;
  for (uint32_t i = 0; i < lines.count; i++, out += 4) {
    out[0] = lines.x[i];
    out[1] = lines.y[i];
    out[2] = lines.directionX[i];
    out[3] = lines.directionY[i];
  }
  return COPSE_OK;
}

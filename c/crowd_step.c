/* A step of the crowd. */

#include "crowd.h"

#include <string.h>

/* ---- What agents are, in range ---- */

static float in_range(float x) {
  return x > 0 ? (x < COPSE_MAX_COORDINATE ? x : COPSE_MAX_COORDINATE) : 0;
}

static float number_of(const copse_crowd *crowd, crowd_field field, uint32_t slot) {
  return in_range(crowd->fields[field][slot]);
}

/* How many neighbors an agent heeds. */
static uint32_t most_neighbors(const copse_crowd *crowd, uint32_t slot) {
  const uint32_t wanted = ((const uint32_t *)crowd->fields[FIELD_MAX_NEIGHBORS])[slot];
  return wanted < crowd->def.maxNeighbors ? wanted : crowd->def.maxNeighbors;
}

/* One over a horizon, which is at least a time step. */
static float inverse_horizon(const copse_crowd *crowd, crowd_field field, uint32_t slot,
                             float timeStep) {
  const float horizon = number_of(crowd, field, slot);
  return 1 / (horizon > timeStep ? horizon : timeStep);
}

static orca_body body_of(const copse_crowd *crowd, uint32_t slot) {
  const float *position = crowd_vector(crowd, FIELD_POSITION, slot);
  const float *velocity = crowd_vector(crowd, FIELD_VELOCITY, slot);
  orca_body body = {{position[0], position[1]},
                    {velocity[0], velocity[1]},
                    number_of(crowd, FIELD_RADIUS, slot),
                    0,
                    0,
                    0};
  if (crowd->def.dimensions == 3) {
    body.z = position[2];
    body.velocityZ = velocity[2];
  }
  return body;
}

/* Of an agent whose body is up to date. */
static orca_agent agent_of(const copse_crowd *crowd, uint32_t slot, float timeStep) {
  return (orca_agent){
      .body = crowd->bodies[slot],
      .slot = slot,
      .maxSpeed = number_of(crowd, FIELD_MAX_SPEED, slot),
      .inverseHorizon = inverse_horizon(crowd, FIELD_TIME_HORIZON, slot, timeStep),
      .inverseHorizonOfWalls = inverse_horizon(crowd, FIELD_TIME_HORIZON_OBSTACLES, slot, timeStep),
      .inverseStep = 1 / timeStep,
  };
}

/* Where an agent would go: to its goal, not past it, or where its preferred velocity says. */
static void preferred_velocity(const copse_crowd *crowd, uint32_t slot, float timeStep,
                               float *preferred) {
  const uint32_t dim = crowd->def.dimensions;
  const float *goal = crowd_vector(crowd, FIELD_GOAL, slot);
  memcpy(preferred, crowd_vector(crowd, FIELD_PREFERRED_VELOCITY, slot), dim * sizeof *preferred);
  for (uint32_t axis = 0; axis < dim; axis++)
    if (!is_coordinate(goal[axis])) return;
  const float *position = crowd_vector(crowd, FIELD_POSITION, slot);
  double way[3], length2 = 0;
  for (uint32_t axis = 0; axis < dim; axis++) {
    way[axis] = (double)goal[axis] - (double)position[axis];
    length2 += way[axis] * way[axis];
  }
  const double speed = (double)number_of(crowd, FIELD_PREFERRED_SPEED, slot);
  const double length = sqrt(length2), step = speed * (double)timeStep;
  const double scale = length > step ? speed / length : 1 / (double)timeStep;
  for (uint32_t axis = 0; axis < dim; axis++) {
    const double wanted = way[axis] * scale;
    preferred[axis] = (float)(wanted > 1e18 ? 1e18 : wanted < -1e18 ? -1e18 : wanted);
  }
}

/* ---- Walls ---- */

/* The edges near an agent that it can see, nearest first. Where there are very many, only those
 * that are nearest. */
static uint32_t walls_near(const copse_obstacle *walls, const orca_agent *agent, uint32_t *edges) {
  float distances2[COPSE_CROWD_WALLS];
  float reach = agent->maxSpeed / agent->inverseHorizonOfWalls + agent->body.radius;
  copse_results found = {edges, distances2, COPSE_CROWD_WALLS, 0, 0};
  do {
    copse_obstacle_within(walls, agent->body.position, reach, COPSE_SIDE_VISIBLE, &found);
    reach /= 2;
  } while (found.total > COPSE_CROWD_WALLS && reach > 0);
  return found.total < COPSE_CROWD_WALLS ? found.total : COPSE_CROWD_WALLS;
}

static void set_vector(float *to, const float *from, float sign) {
  to[0] = sign * from[0];
  to[1] = sign * from[1];
}

/* An edge as an agent sees it: one of two sides from its left is the edge the other way round. */
static orca_wall wall_of(const copse_obstacle *walls, uint32_t id, const float *position) {
  const obstacle_edge *edge = &walls->edges[id];
  const obstacle_corner *corner = &walls->corners[id];
  const obstacle_corner *before = &walls->corners[corner->before];
  const obstacle_corner *after = &walls->corners[corner->after];
  const bool isLeft = side_of(vec_of(edge->from), vec_of(edge->to), vec_of(position)) > 0;
  const float sign = isLeft ? -1 : 1;
  const int32_t turn = isLeft ? -1 : 1;
  orca_wall wall;
  set_vector(wall.begin, isLeft ? edge->to : edge->from, 1);
  set_vector(wall.end, isLeft ? edge->from : edge->to, 1);
  set_vector(wall.direction, corner->direction, sign);
  set_vector(wall.before, (isLeft ? after : before)->direction, sign);
  set_vector(wall.after, (isLeft ? before : after)->direction, sign);
  wall.isBeginConvex = (isLeft ? after : corner)->turn * turn >= 0;
  wall.isEndConvex = (isLeft ? corner : after)->turn * turn >= 0;
  return wall;
}

/* ---- An agent ---- */

/* Begins with the constraints of walls; answers with how many edges there are near. */
static uint32_t add_walls(orca2 *all, const copse_obstacle *walls, const orca_agent *agent,
                          uint32_t *edges) {
  const uint32_t count = walls ? walls_near(walls, agent, edges) : 0;
  all->walls = 0;
  for (uint32_t i = 0; i < count; i++) {
    const orca_wall wall = wall_of(walls, edges[i], agent->body.position);
    orca2_add_wall(all, agent, &wall);
  }
  all->count = all->walls;
  return count;
}

/* Not faster than allowed, whatever rounding did, and finite. In double: squares of the slowest
 * speeds are 0 as floats. */
static void limit_speed(float *velocity, uint32_t dim, float maxSpeed) {
  double length2 = 0;
  for (uint32_t axis = 0; axis < dim; axis++)
    length2 += (double)velocity[axis] * (double)velocity[axis];
  if (length2 <= (double)maxSpeed * (double)maxSpeed) return;
  const double scale = length2 < (double)INFINITY ? (double)maxSpeed / sqrt(length2) : 0;
  for (uint32_t axis = 0; axis < dim; axis++)
    velocity[axis] = scale > 0 ? (float)((double)velocity[axis] * scale) : 0;
}

/* How many of an agent's row it heeds. */
static uint32_t heeded(const copse_crowd *crowd, uint32_t slot, uint32_t k) {
  const uint32_t most = most_neighbors(crowd, slot);
  const float distance = number_of(crowd, FIELD_NEIGHBOR_DISTANCE, slot);
  const float *distances2 = crowd->rows.distances2 + (size_t)slot * k;
  uint32_t count = crowd->rows.counts[slot];
  if (count > most) count = most;
  while (count && distances2[count - 1] > distance * distance) count--;
  return count;
}

/* Chooses an agent's next velocity. */
OUT_OF_LINE void choose(copse_crowd *crowd, const copse_obstacle *walls, uint32_t slot, uint32_t k,
                        float timeStep) {
  const orca_agent agent = agent_of(crowd, slot, timeStep);
  const uint32_t dim = crowd->def.dimensions, count = k ? heeded(crowd, slot, k) : 0;
  const uint32_t *ids = crowd->rows.ids + (size_t)slot * k;
  float preferred[3], *velocity = crowd->newVelocities + (size_t)slot * dim;
  bool isFeasible;
  preferred_velocity(crowd, slot, timeStep, preferred);
  if (dim == 3) {
    orca3 planes;
    planes.count = 0;
    crowd->overlaps += orca3_add_neighbors(&planes, &agent, crowd->bodies, ids, count);
    isFeasible = orca3_solve(&planes, preferred, agent.maxSpeed, velocity);
  } else {
    uint32_t edges[COPSE_CROWD_WALLS];
    orca2 lines;
    add_walls(&lines, walls, &agent, edges);
    crowd->overlaps += orca2_add_neighbors(&lines, &agent, crowd->bodies, ids, count);
    isFeasible = orca2_solve(&lines, preferred, agent.maxSpeed, velocity);
  }
  limit_speed(velocity, dim, agent.maxSpeed);
  crowd->infeasible += !isFeasible;
  crowd->neighbors += count;
}

/* ---- All ---- */

/* What a step has to know of all agents before it begins. */
typedef struct overview {
  uint32_t end;          /* slots up to the last in use */
  uint32_t bad;          /* the first that is not finite; COPSE_NONE: there is none */
  uint32_t maxNeighbors; /* that any of them heeds */
  float neighborDistance;
} overview;

/* Brings bodies up to date. */
static overview prepare(copse_crowd *crowd) {
  overview found = {crowd_end(crowd), COPSE_NONE, 0, 0};
  for (uint32_t slot = 0; slot < found.end; slot++) {
    crowd->present[slot] = slots_in_use(&crowd->slots, slot);
    if (!crowd->present[slot]) continue;
    if (!crowd_is_finite(crowd, slot)) {
      found.bad = slot;
      break;
    }
    crowd->bodies[slot] = body_of(crowd, slot);
    const uint32_t wanted = most_neighbors(crowd, slot);
    const float distance = number_of(crowd, FIELD_NEIGHBOR_DISTANCE, slot);
    if (wanted > found.maxNeighbors) found.maxNeighbors = wanted;
    if (wanted && distance > found.neighborDistance) found.neighborDistance = distance;
  }
  return found;
}

/* Writes rows of the nearest neighbors of all agents. */
static void find_neighbors(copse_crowd *crowd, const overview *all) {
  const uint32_t stride = crowd->def.dimensions;
  float *positions = crowd->fields[FIELD_POSITION];
  const copse_positions where = {{positions, positions + 1, positions + stride - 1}, stride};
  copse_query query = copse_query_default();
  query.maxDistance = all->neighborDistance;
  copse_agenttree_build_from(crowd->tree, &where, crowd->present, all->end, NULL);
  copse_agenttree_all_neighbors(crowd->tree, all->maxNeighbors, &query, NULL, &crowd->rows);
}

static void move(copse_crowd *crowd, uint32_t slot, float timeStep) {
  const uint32_t dim = crowd->def.dimensions;
  const float *chosen = crowd->newVelocities + (size_t)slot * dim;
  float *position = crowd_vector(crowd, FIELD_POSITION, slot);
  float *velocity = crowd_vector(crowd, FIELD_VELOCITY, slot);
  for (uint32_t axis = 0; axis < dim; axis++) {
    velocity[axis] = chosen[axis];
    position[axis] += chosen[axis] * timeStep;
  }
}

copse_status copse_crowd_step(copse_crowd *crowd, const copse_obstacle *walls, float timeStep,
                              uint32_t *firstBad) {
  if (!(timeStep > 0 && timeStep <= COPSE_MAX_COORDINATE) || (walls && crowd->def.dimensions == 3))
    return COPSE_INVALID_ARGUMENT;
  const overview all = prepare(crowd);
  if (all.bad != COPSE_NONE) {
    if (firstBad) *firstBad = all.bad;
    return COPSE_NOT_FINITE;
  }
  crowd->infeasible = crowd->overlaps = 0;
  crowd->neighbors = 0;
  if (all.maxNeighbors) find_neighbors(crowd, &all);
  for (uint32_t slot = 0; slot < all.end; slot++)
    if (crowd->present[slot]) choose(crowd, walls, slot, all.maxNeighbors, timeStep);
  for (uint32_t slot = 0; slot < all.end; slot++)
    if (crowd->present[slot]) move(crowd, slot, timeStep);
  crowd->time += (double)timeStep;
  crowd->steps++;
  return COPSE_OK;
}

/* ---- One agent, to look at ---- */

/* The nearest neighbors of one agent, by a loop over all. */
static uint32_t neighbors_of(const copse_crowd *crowd, uint32_t slot, uint32_t *ids) {
  float distances2[COPSE_CROWD_MAX_NEIGHBORS];
  const uint32_t dim = crowd->def.dimensions, end = crowd_end(crowd);
  const float *center = crowd_vector(crowd, FIELD_POSITION, slot);
  const float distance = number_of(crowd, FIELD_NEIGHBOR_DISTANCE, slot);
  const uint32_t most = most_neighbors(crowd, slot);
  uint32_t count = 0;
  for (uint32_t other = 0; other < end; other++) {
    if (other == slot || !slots_in_use(&crowd->slots, other)) continue;
    const float *position = crowd_vector(crowd, FIELD_POSITION, other);
    float d[3] = {position[0] - center[0], position[1] - center[1], 0};
    if (dim == 3) d[2] = position[2] - center[2];
    const float distance2 = dim == 3 ? sum_of_squares(d, 3) : sum_of_squares(d, 2);
    uint32_t at = count;
    while (at && distance2 < distances2[at - 1]) at--;
    if (distance2 > distance * distance || at == most) continue;
    if (count < most) count++;
    for (uint32_t i = count - 1; i > at; i--) {
      distances2[i] = distances2[i - 1];
      ids[i] = ids[i - 1];
    }
    distances2[at] = distance2;
    ids[at] = other;
  }
  return count;
}

copse_status copse_crowd_look(copse_crowd *crowd, const copse_obstacle *walls, float timeStep,
                              uint32_t slot, copse_crowd_view *view) {
  const uint32_t dim = crowd->def.dimensions;
  *view = (copse_crowd_view){0};
  if (!slots_in_use(&crowd->slots, slot)) return COPSE_STALE_HANDLE;
  if (!(timeStep > 0 && timeStep <= COPSE_MAX_COORDINATE) || (walls && dim == 3))
    return COPSE_INVALID_ARGUMENT;
  const uint32_t count = neighbors_of(crowd, slot, view->neighbors);
  crowd->bodies[slot] = body_of(crowd, slot);
  const orca_agent agent = agent_of(crowd, slot, timeStep);
  for (uint32_t i = 0; i < count; i++)
    crowd->bodies[view->neighbors[i]] = body_of(crowd, view->neighbors[i]);
  view->neighborCount = count;
  float *out = view->constraints;
  if (dim == 3) {
    orca3 planes;
    planes.count = 0;
    orca3_add_neighbors(&planes, &agent, crowd->bodies, view->neighbors, count);
    view->constraintCount = planes.count;
    for (uint32_t i = 0; i < planes.count; i++, out += 6)
      EACH_AXIS (axis, 3) {
        out[axis] = planes.point[axis][i];
        out[3 + axis] = planes.normal[axis][i];
      }
    return COPSE_OK;
  }
  orca2 lines;
  view->wallCount = add_walls(&lines, walls, &agent, view->walls);
  orca2_add_neighbors(&lines, &agent, crowd->bodies, view->neighbors, count);
  view->constraintCount = lines.count;
  view->wallConstraintCount = lines.walls;
  for (uint32_t i = 0; i < lines.count; i++, out += 4) {
    out[0] = lines.x[i];
    out[1] = lines.y[i];
    out[2] = lines.directionX[i];
    out[3] = lines.directionY[i];
  }
  return COPSE_OK;
}

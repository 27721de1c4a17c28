/* Walls as the crowd sees them: the edges near an agent, and how it comes out of what it should not
 * be in. */

#include "crowd.h"

/* How often an agent is asked whether it is inside something solid: every so many steps. Once it
 * is, in each. */
enum { LOOK_EVERY = 32 };

/* Of its radius: so little an agent may overlap a wall. */
static const float TOUCH = 1e-3f;

/* How many edges a search returns. Only the first WHOLE that nothing covers are taken exactly:
 * where there are more, they are short. Each one after that may cover many, so fewer are searched
 * at a time, in rings that grow. None of the other three changes a result. */
enum { AT_A_TIME = 16, LATER = 2, WHOLE = 16 };
static const float GROWTH = 1.5f;

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

/* The constraints so far, as a search for more walls asks them. */
typedef struct constrained {
  orca2 *all;
  const orca_agent *agent;
} constrained;

static bool covers(const void *context, const float *points, uint32_t count) {
  const constrained *so_far = context;
  return orca2_covers(so_far->all, so_far->agent, points, count);
}

/* Begins to look for the walls that an agent could reach within its horizon. */
static obstacle_search search_of(const constrained *so_far) {
  const orca_agent *agent = so_far->agent;
  const float reach = agent->maxSpeed / agent->inverseHorizonOfWalls + agent->body.radius;
  return (obstacle_search){agent->body.position, reach, covers, so_far, -1, COPSE_NONE};
}

uint32_t crowd_near_walls(const copse_obstacle *walls, const orca_agent *agent, uint32_t *edges) {
  orca2 none = {.walls = 0};
  float distances2[COPSE_CROWD_WALLS];
  const constrained so_far = {&none, agent};
  obstacle_search search = search_of(&so_far);
  return obstacle_search_next(walls, &search, edges, distances2, COPSE_CROWD_WALLS);
}

/* Heeds edges, nearest first; those behind the first `whole` as if they were longer. False: there
 * is no room for one, beyond which the agent must not go: that limits its speed. */
static bool add_walls(orca2 *all, const copse_obstacle *walls, orca_agent *agent,
                      const uint32_t *edges, const float *distances2, uint32_t count,
                      uint32_t *whole) {
  for (uint32_t i = 0; i < count; i++) {
    if (orca2_covers(all, agent, (const float *)&walls->edges[edges[i]], 2)) continue;
    if (all->walls == ORCA_WALLS) {
      const float speed = (sqrtf(distances2[i]) - agent->body.radius) * agent->inverseStep;
      if (speed < agent->maxSpeed) agent->maxSpeed = speed > 0 ? speed : 0;
      return false;
    }
    const orca_wall wall = wall_of(walls, edges[i], agent->body.position);
    if (*whole) {
      orca2_add_wall(all, agent, &wall);
      --*whole;
    } else if (!orca2_add_long_wall(all, agent, &wall))
      orca2_add_wall(all, agent, &wall);
  }
  return true;
}

uint32_t crowd_add_walls(orca2 *all, const copse_obstacle *walls, orca_agent *agent) {
  uint32_t edges[AT_A_TIME], overlapped = COPSE_NONE, whole = WHOLE, count;
  float distances2[AT_A_TIME];
  const float touching = agent->body.radius * (1 - TOUCH);
  const constrained so_far = {all, agent};
  obstacle_search search = search_of(&so_far);
  const float reach = search.radius;
  uint32_t wanted = AT_A_TIME;
  bool isMore;
  do {
    count = obstacle_search_next(walls, &search, edges, distances2, wanted);
    if (whole == WHOLE && count && distances2[0] < touching * touching) overlapped = edges[0];
    isMore = add_walls(all, walls, agent, edges, distances2, count, &whole) &&
             (count == wanted || search.radius < reach);
    if (!whole && (count < wanted || search.radius == reach)) {
      /* From here on in rings: a search that finds few goes through all that is covered. */
      const float ring = GROWTH * (count < wanted ? search.radius : sqrtf(search.last2));
      search.radius = ring > 0 && ring < reach ? ring : reach;
    }
    wanted = whole ? AT_A_TIME : LATER;
  } while (isMore);
  all->count = all->walls;
  return overlapped;
}

/* ---- Out ---- */

bool crowd_is_inside(copse_crowd *crowd, const copse_obstacle *walls, uint32_t slot) {
  uint32_t *state = &crowd_whole(crowd, FIELD_STATE)[slot];
  if (*state & (CROWD_INSIDE | CROWD_NEW) || (slot + crowd->steps) % LOOK_EVERY == 0) {
    bool isInside;
    copse_obstacle_contains(walls, crowd_vector(crowd, FIELD_POSITION, slot), &isInside, NULL);
    *state = (*state & ~(uint32_t)(CROWD_INSIDE | CROWD_NEW)) | (isInside ? CROWD_INSIDE : 0);
  }
  return *state & CROWD_INSIDE;
}

/* A way out of an edge: a unit vector. */
static vec right_of(const copse_obstacle *walls, uint32_t edge) {
  const float *along = walls->corners[edge].direction;
  return (vec){(double)along[1], -(double)along[0]};
}

static vec unit_or(vec v, double length, vec other) {
  return length > 0 ? (vec){v.x / length, v.y / length} : other;
}

void crowd_leave_solid(const copse_obstacle *walls, const orca_agent *agent, float *preferred) {
  copse_wall wall; /* there is one: nothing is solid without edges */
  copse_obstacle_nearest(walls, agent->body.position, INFINITY, COPSE_SIDE_BOTH, &wall, NULL);
  const obstacle_edge *edge = &walls->edges[wall.edge];
  const vec position = vec_of(agent->body.position);
  const foot found = foot_on(vec_of(edge->from), vec_of(edge->to), position);
  const vec way = {found.x - position.x, found.y - position.y};
  const vec out = unit_or(way, sqrt(found.distance2), right_of(walls, wall.edge));
  preferred[0] = (float)(out.x * (double)agent->maxSpeed);
  preferred[1] = (float)(out.y * (double)agent->maxSpeed);
}

void crowd_leave_wall(const copse_obstacle *walls, const orca_agent *agent, uint32_t edge,
                      float *preferred) {
  const vec position = vec_of(agent->body.position);
  const foot found =
      foot_on(vec_of(walls->edges[edge].from), vec_of(walls->edges[edge].to), position);
  const double distance = sqrt(found.distance2), radius = (double)agent->body.radius;
  const vec way = {position.x - found.x, position.y - found.y};
  const vec out = unit_or(way, distance, right_of(walls, edge));
  const double wanted = (radius - distance) * (double)agent->inverseStep;
  const double speed = wanted < (double)agent->maxSpeed ? wanted : (double)agent->maxSpeed;
  const double missing = speed - (out.x * (double)preferred[0] + out.y * (double)preferred[1]);
  if (!(missing > 0)) return;
  preferred[0] = (float)((double)preferred[0] + out.x * missing);
  preferred[1] = (float)((double)preferred[1] + out.y * missing);
}

/* Walls and the crowd: the constraints of edges near an agent, and how agents leave walls and solid
 * areas. */

#include "crowd.h"

/* The overlap with a wall that an agent tolerates, as a fraction of its radius. */
static const float OVERLAP_TOLERANCE = 1e-3f;

/* Edges near an agent become constraints, nearest first. An edge is skipped if an earlier
 * constraint already keeps the agent from reaching it ("covers" it). The first EXACT_WALLS
 * constraints are exact, and searches for them ask for FIRST_SEARCH edges at a time. Later
 * constraints treat an edge as if it were longer, so that one constraint covers many edges.
 * Searches for them ask for only LATER_SEARCH edges at a time, within a radius that grows by the
 * factor RING_GROWTH. Only EXACT_WALLS affects results; the other numbers affect speed. */
enum { FIRST_SEARCH = 16, LATER_SEARCH = 2, EXACT_WALLS = 16 };
static const float RING_GROWTH = 1.5f;

static void set_vector(float *out, const float *vector, float sign) {
  out[0] = sign * vector[0];
  out[1] = sign * vector[1];
}

/* Returns an edge as a wall that has the agent on its right: reversed if the agent is on the edge's
 * left. */
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

/* What the function `covers` needs: an agent, and its wall constraints so far. A search for walls
 * calls `covers`, to skip walls that these constraints already keep the agent from. */
typedef struct wall_cover {
  orca2 *lines;
  const orca_agent *agent;
} wall_cover;

static bool covers(const void *context, const float *points, uint32_t count) {
  const wall_cover *cover = context;
  return orca2_covers(cover->lines, cover->agent, points, count);
}

/* Starts a search for the walls that an agent could reach within its time horizon. */
static obstacle_search search_of(const wall_cover *cover) {
  const orca_agent *agent = cover->agent;
  const float reach = agent->maxSpeed / agent->inverseHorizonOfWalls + agent->body.radius;
  return (obstacle_search){agent->body.position, reach, covers, cover, -1, COPSE_NONE};
}

uint32_t crowd_near_walls(const copse_obstacle *walls, const orca_agent *agent, uint32_t *edges) {
  orca2 empty = {.walls = 0};
  float distances2[COPSE_CROWD_OBSTACLES];
  const wall_cover cover = {&empty, agent};
  obstacle_search search = search_of(&cover);
  return obstacle_search_next(walls, &search, edges, distances2, COPSE_CROWD_OBSTACLES);
}

/* Appends the half-planes of edges, nearest first. *exactLeft is how many exact half-planes may
 * still be appended: after that, edges are treated as if they were longer. If there is no room for
 * an edge, limits the agent's speed so that it can't reach that edge in one step, and returns
 * false. */
static bool add_walls(orca2 *lines, const copse_obstacle *walls, orca_agent *agent,
                      const uint32_t *edges, const float *distances2, uint32_t count,
                      uint32_t *exactLeft) {
  for (uint32_t i = 0; i < count; i++) {
    if (orca2_covers(lines, agent, (const float *)&walls->edges[edges[i]], 2)) continue;
    if (lines->walls == ORCA_WALLS) {
      const float speed = (sqrtf(distances2[i]) - agent->body.radius) * agent->inverseStep;
      if (speed < agent->maxSpeed) agent->maxSpeed = speed > 0 ? speed : 0;
      return false;
    }
    const orca_wall wall = wall_of(walls, edges[i], agent->body.position);
    if (*exactLeft) {
      orca2_add_wall(lines, agent, &wall);
      --*exactLeft;
    } else if (!orca2_add_long_wall(lines, agent, &wall))
      orca2_add_wall(lines, agent, &wall);
  }
  return true;
}

uint32_t crowd_add_walls(orca2 *lines, const copse_obstacle *walls, orca_agent *agent) {
  uint32_t edges[FIRST_SEARCH], overlapped = COPSE_NONE, exactLeft = EXACT_WALLS, count;
  float distances2[FIRST_SEARCH];
  const float touching = agent->body.radius * (1 - OVERLAP_TOLERANCE);
  const wall_cover cover = {lines, agent};
  obstacle_search search = search_of(&cover);
  const float reach = search.radius;
  uint32_t wanted = FIRST_SEARCH;
  bool isMore;
  do {
    count = obstacle_search_next(walls, &search, edges, distances2, wanted);
    const float nearest2 = count ? distances2[0] : INFINITY;
    if (exactLeft == EXACT_WALLS && nearest2 < touching * touching) overlapped = edges[0];
    isMore = add_walls(lines, walls, agent, edges, distances2, count, &exactLeft) &&
             (count == wanted || search.radius < reach);
    if (!exactLeft && (count < wanted || search.radius == reach)) {
      /* The next search looks only a little farther. With the full radius at once, it would visit
       * many edges just to skip them, because earlier half-planes already keep the agent away from
       * them. */
      const float ring = RING_GROWTH * (count < wanted ? search.radius : sqrtf(search.last2));
      search.radius = ring > 0 && ring < reach ? ring : reach;
    }
    wanted = exactLeft ? FIRST_SEARCH : LATER_SEARCH;
  } while (isMore);
  lines->count = lines->walls;
  return overlapped;
}

/* ---- Leaving walls and solid areas ---- */

/* Returns the unit vector to the right of an edge: away from the solid side. */
static vec right_of(const copse_obstacle *walls, uint32_t edge) {
  const float *along = walls->corners[edge].direction;
  return (vec){(double)along[1], -(double)along[0]};
}

static vec unit_or(vec v, double length, vec fallback) {
  return length > 0 ? (vec){v.x / length, v.y / length} : fallback;
}

void crowd_leave_solid(const copse_obstacle *walls, const orca_agent *agent, float *preferred) {
  copse_obstacle_point wall;
  /* Always finds an edge, because edges bound every solid area. */
  copse_obstacle_nearest(walls, agent->body.position, INFINITY, COPSE_SIDE_BOTH, &wall, NULL);
  const obstacle_edge *edge = &walls->edges[wall.edge];
  const vec position = vec_of(agent->body.position);
  const foot nearest = foot_on(vec_of(edge->from), vec_of(edge->to), position);
  const vec outward = {nearest.x - position.x, nearest.y - position.y};
  const vec unit = unit_or(outward, sqrt(nearest.distance2), right_of(walls, wall.edge));
  preferred[0] = (float)(unit.x * (double)agent->maxSpeed);
  preferred[1] = (float)(unit.y * (double)agent->maxSpeed);
}

void crowd_leave_wall(const copse_obstacle *walls, const orca_agent *agent, uint32_t edge,
                      float *preferred) {
  const vec position = vec_of(agent->body.position);
  const foot nearest =
      foot_on(vec_of(walls->edges[edge].from), vec_of(walls->edges[edge].to), position);
  const double distance = sqrt(nearest.distance2), radius = (double)agent->body.radius;
  const vec outward = {position.x - nearest.x, position.y - nearest.y};
  const vec unit = unit_or(outward, distance, right_of(walls, edge));
  const double wanted = (radius - distance) * (double)agent->inverseStep;
  const double speed = wanted < (double)agent->maxSpeed ? wanted : (double)agent->maxSpeed;
  const double missing = speed - (unit.x * (double)preferred[0] + unit.y * (double)preferred[1]);
  if (!(missing > 0)) return;
  preferred[0] = (float)((double)preferred[0] + unit.x * missing);
  preferred[1] = (float)((double)preferred[1] + unit.y * missing);
}

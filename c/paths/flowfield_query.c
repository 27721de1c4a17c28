/* Queries of the flow field: the direction and the length of the path from a point to a goal. */

#include "flowfield.h"

#include "../base/query.h"

enum {
  NEAR_CELLS = 16,               /* 4 x 4 cells around an agent */
  MAX_RING = 16,                 /* the outermost ring of cells that is searched */
  RING_CELLS = 8 * MAX_RING + 4, /* the number of cells of the outermost ring */
  MAX_SIGHTS = 100               /* no further ring is searched after so many lines of sight */
};

/* A point that an agent may head for: an anchor (a goal or a turning point), the center of a cell,
 * or, in a goal's area, the agent's own position. */
typedef struct aim {
  uint32_t anchor; /* COPSE_NONE: the aim is not an anchor */
  uint32_t cell;   /* if `anchor` is COPSE_NONE: the cell whose center is the aim, or COPSE_NONE for
                    * the agent's own position */
  float point[2];
  float total; /* the length of the path through `point`, with the goal's cost; INFINITY: no path */
} aim;

/* The agent whose path to the nearest goal a query looks for. */
typedef struct seeker {
  const copse_flowfield *field;
  const flow_map *map;
  const float *point;
  float radius;        /* the distance that lines of sight must keep from walls */
  bool isNear;         /* true if `radius` was reduced, because a wall is nearer to the agent */
  int32_t column, row; /* the lower left one of the four cells whose centers surround the agent */
} seeker;

static bool sees(const seeker *agent, const float *point) {
  const copse_flowfield *field = agent->field;
  const uint32_t cell = flow_cell_at(field, agent->point);
  bool isVisible = true;
  if (!flow_covers(field, agent->point) || !(agent->map->cells[cell] & CELL_CLOSED))
    return flow_sees(field, agent->map, agent->point, point, agent->radius);
  /* Paths do not enter closed cells. But an agent in one must get out: only walls hide the
   * point. */
  if (field->walls)
    copse_obstacle_visible(field->walls, agent->point, point, agent->radius, &isVisible, NULL);
  return isVisible;
}

static aim aim_at(const seeker *agent, uint32_t anchor) {
  const flow_anchor *own = &agent->map->anchors[anchor];
  return (aim){.anchor = anchor,
               .point = {own->point[0], own->point[1]},
               .total = own->distance + flow_length(agent->point, own->point)};
}

static const aim NO_AIM = {COPSE_NONE, 0, {0, 0}, INFINITY};

/* Inserts an anchor into `choices`, a list sorted by `total`, behind choices with the same total.
 * Does nothing if the anchor is in the list already. Returns the list's new size. */
static uint32_t choices_add(const seeker *agent, aim *choices, uint32_t count, uint32_t anchor) {
  for (uint32_t i = 0; i < count; i++)
    if (choices[i].anchor == anchor) return count;
  const aim entered = aim_at(agent, anchor);
  uint32_t place = count;
  for (; place && choices[place - 1].total > entered.total; place--)
    choices[place] = choices[place - 1];
  choices[place] = entered;
  return count + 1;
}

/* Writes the cells from which there is a path: among the four whose centers surround the agent, and
 * among those up to `around` columns or rows farther out. If `around` is more than 2, writes only
 * cells of the outermost ring. Returns the number of cells. */
static uint32_t cells_around(const seeker *agent, int32_t around, uint32_t *cells) {
  const copse_flowfield *field = agent->field;
  const int32_t left = agent->column - around, low = agent->row - around;
  const int32_t side = 2 * around + 1;
  uint32_t count = 0;
  for (int32_t y = 0; y <= side; y++) {
    const int32_t step = around > 2 && y > 0 && y < side ? side : 1;
    for (int32_t x = 0; x <= side; x += step) {
      const uint32_t column = (uint32_t)(left + x), row = (uint32_t)(low + y);
      const uint32_t cell = row * field->columns + column;
      if (column < field->columns && row < field->rows && agent->map->distances[cell] < INFINITY)
        cells[count++] = cell;
    }
  }
  return count;
}

/* Returns the visible anchor with the shortest path from the agent, among `kept` and the anchors of
 * the cells around the agent (see cells_around); NO_AIM if none is visible. */
static aim best_anchor(const seeker *agent, uint32_t kept, int32_t around) {
  uint32_t cells[NEAR_CELLS], count = 0;
  aim choices[NEAR_CELLS + 1];
  if (kept != COPSE_NONE) count = choices_add(agent, choices, count, kept);
  const uint32_t cellCount = cells_around(agent, around, cells);
  for (uint32_t i = 0; i < cellCount; i++)
    count = choices_add(agent, choices, count, agent->map->aims[cells[i]]);
  for (uint32_t i = 0; i < count && choices[i].total < INFINITY; i++)
    if (sees(agent, choices[i].point)) return choices[i];
  return NO_AIM;
}

/* Chooses the cell that the agent should walk to. Among the 6 x 6 cells around the agent, takes
 * those whose center is visible, and of these the one through which the path to the goal is
 * shortest. If no center is visible, searches one ring of cells after the other around these 6 x 6,
 * up to the first ring with a visible center. Returns NO_AIM if there is none. The rings are for
 * agents beside a wall: the nearest cell with a path can be as far away as the field's radius, and
 * even farther in a corner. */
static aim best_center(const seeker *agent) {
  uint32_t cells[RING_CELLS], sights = 0;
  const float far = 1.5f * agent->map->radius;
  aim best = NO_AIM;
  int32_t around = 2;
  do {
    const uint32_t count = cells_around(agent, around, cells);
    for (uint32_t i = 0; i < count; i++) {
      aim center = {.anchor = COPSE_NONE, .cell = cells[i]};
      flow_center_of(agent->field, cells[i], center.point);
      center.total = agent->map->distances[cells[i]] + flow_length(agent->point, center.point);
      if (center.total < best.total && sees(agent, center.point)) best = center;
    }
    sights += count;
  } while (best.total == INFINITY && sights < MAX_SIGHTS && around < MAX_RING &&
           (float)around++ * agent->field->def.cell <= far);
  return best;
}

/* Returns the anchor that the four cells around an agent share, if the square between their centers
 * is clear of walls: then the agent sees this anchor. Otherwise, or if walls have changed, returns
 * COPSE_NONE. */
static uint32_t common_anchor(const seeker *agent) {
  const copse_flowfield *field = agent->field;
  const flow_map *map = agent->map;
  if (agent->column < 0 || agent->row < 0 || agent->column + 1 >= (int32_t)field->columns ||
      agent->row + 1 >= (int32_t)field->rows || !flow_is_current(field, map))
    return COPSE_NONE;
  const uint32_t cell = (uint32_t)agent->row * field->columns + (uint32_t)agent->column;
  const uint16_t *aims = map->aims + cell, *above = aims + field->columns;
  if ((map->cells[cell] & CELL_SQUARE_BLOCKED) || aims[0] == NO_ANCHOR || aims[0] != aims[1] ||
      aims[0] != above[0] || aims[0] != above[1])
    return COPSE_NONE;
  return aims[0];
}

/* Lowers agent->radius to just below the distance from the nearest wall. False if no wall is within
 * the radius. */
static bool squeeze(seeker *agent) {
  if (!agent->field->walls) return false;
  copse_obstacle_point wall;
  copse_obstacle_nearest(agent->field->walls, agent->point, agent->radius, COPSE_SIDE_BOTH, &wall,
                         NULL);
  if (wall.edge == COPSE_NONE) return false;
  agent->radius = sqrtf(wall.distance2) * 0.999f;
  agent->isNear = true;
  return true;
}

/* Returns the point that an agent heads for. find_aim then tests if the agent is near enough to
 * this point to turn to the next one. */
static aim first_aim(seeker *agent, uint32_t kept) {
  const uint32_t common = common_anchor(agent);
  if (common != COPSE_NONE) {
    const aim offered = aim_at(agent, common);
    if (kept == COPSE_NONE || kept == common) return offered;
    const aim own = aim_at(agent, kept);
    return own.total <= offered.total && sees(agent, own.point) ? own : offered;
  }
  aim best = best_anchor(agent, kept, 0);
  if (best.total == INFINITY && squeeze(agent)) best = best_anchor(agent, kept, 0);
  if (best.total == INFINITY) best = best_anchor(agent, COPSE_NONE, 1);
  if (best.total == INFINITY) best = best_center(agent);
  return best;
}

/* Returns what an agent heads for. An agent near an anchor heads for the next anchor of the path as
 * soon as that is in sight. */
static aim find_aim(seeker *agent, uint32_t kept) {
  const flow_map *map = agent->map;
  aim best = first_aim(agent, kept);
  while (best.anchor != COPSE_NONE) {
    const uint32_t next = map->anchors[best.anchor].parent;
    if (next == NO_ANCHOR) break;
    const float gap = flow_length(agent->point, best.point);
    const aim after = aim_at(agent, next);
    /* Paths between anchors keep the map's radius from walls. An agent at a distance of `gap` from
     * its anchor may cut the corner, without a test of the walls, if its own radius is smaller by
     * `gap` or more. */
    const bool isThere = gap <= map->radius - agent->radius && !agent->isNear &&
                         flow_is_current(agent->field, map) &&
                         flow_is_open(agent->field, map, agent->point, after.point, 0);
    if (!isThere && !(gap <= 1.5f * agent->field->def.cell && sees(agent, after.point))) break;
    best = after;
  }
  return best;
}

/* Returns the least cost of the goals whose areas contain a point; INFINITY if none does. */
static float area_cost(const copse_flowfield *field, const flow_map *map, const float *point) {
  float least = INFINITY;
  if (!(map->cells[flow_cell_at(field, point)] & CELL_GOAL)) return least;
  for (uint32_t i = 0; i < map->goalCount; i++) {
    const copse_flowfield_goal *goal = &map->goals[i];
    if (flow_is_in(goal, point) && goal->cost < least) least = goal->cost;
  }
  return least;
}

/* Returns what an agent at a point heads for. In a goal's area, that is the point itself, unless a
 * path to another goal costs less. */
static aim aim_of(const copse_flowfield *field, const float *point, float radius, uint32_t kept) {
  const flow_map *map = &field->maps[field->shown];
  seeker agent = {field, map, point, radius, false, 0, 0};
  agent.column =
      flow_floor(flow_place(field, 0, (double)point[0]), -1, (int32_t)field->columns - 1);
  agent.row = flow_floor(flow_place(field, 1, (double)point[1]), -1, (int32_t)field->rows - 1);
  const aim best = find_aim(&agent, kept < map->anchorCount ? kept : COPSE_NONE);
  const float cost = area_cost(field, map, point);
  if (cost <= best.total && cost < INFINITY)
    return (aim){COPSE_NONE, COPSE_NONE, {point[0], point[1]}, cost};
  return best;
}

/* Writes the unit vector from a point to an aim; 0, 0 if there is no path or the aim is the point
 * itself. */
static void head_for(const aim *best, const float *point, float *direction) {
  const double x = (double)best->point[0] - (double)point[0];
  const double y = (double)best->point[1] - (double)point[1];
  const double length = sqrt(x * x + y * y);
  const bool isStill = best->total == INFINITY || length == 0;
  direction[0] = isStill ? 0 : (float)(x / length);
  direction[1] = isStill ? 0 : (float)(y / length);
}

/* ---- The functions of copse.h ------------------------------------------------------------- */

static copse_status check(const copse_flowfield *field, const float *point) {
  if (!field->isBuilt) return COPSE_NOT_BUILT;
  return query_point_ok(point, 2) ? COPSE_OK : COPSE_INVALID_ARGUMENT;
}

copse_status copse_flowfield_direction(const copse_flowfield *field, const float *point,
                                       float *direction, float *distance) {
  const copse_status status = check(field, point);
  aim best = NO_AIM;
  if (status == COPSE_OK) best = aim_of(field, point, field->maps[field->shown].radius, COPSE_NONE);
  if (distance) *distance = best.total;
  head_for(&best, point, direction);
  return status;
}

copse_status copse_flowfield_distance(const copse_flowfield *field, const float *point,
                                      float *distance) {
  float direction[2];
  return copse_flowfield_direction(field, point, direction, distance);
}

copse_status copse_flowfield_direction_many(const copse_flowfield *field, const float *points,
                                            uint32_t n, float *directions, float *distances) {
  for (size_t i = 0; i < n; i++)
    if (!query_point_ok(points + 2 * i, 2)) return COPSE_INVALID_ARGUMENT;
  if (!field->isBuilt) return COPSE_NOT_BUILT;
  for (size_t i = 0; i < n; i++)
    copse_flowfield_direction(field, points + 2 * i, directions + 2 * i,
                              distances ? distances + i : NULL);
  return COPSE_OK;
}

copse_status copse_flowfield_lead(const copse_flowfield *field, const float *point, float radius,
                                  copse_flowfield_aim *kept) {
  copse_status status = check(field, point);
  if (status == COPSE_OK && !query_radius_ok(radius)) status = COPSE_INVALID_ARGUMENT;
  aim best = NO_AIM;
  if (status == COPSE_OK && radius <= field->maps[field->shown].radius)
    best = aim_of(field, point, radius, kept->anchor);
  *kept = (copse_flowfield_aim){.anchor = best.anchor, .distance = best.total};
  for (int axis = 0; axis < 2; axis++)
    kept->point[axis] = best.total < INFINITY ? best.point[axis] : point[axis];
  head_for(&best, point, kept->direction);
  return status;
}

/* Appends a corner to a path if there is room. Counts the corner in any case, and adds the way to
 * it from the corner `before` to the path's length. */
static void put_corner(copse_path *path, const float *before, const float *corner) {
  const float x = corner[0] - before[0], y = corner[1] - before[1];
  path->length += sqrtf(x * x + y * y);
  if (path->total < path->capacity)
    memcpy(path->corners + 2 * (size_t)path->total, corner, 2 * sizeof *corner);
  path->total++;
}

copse_status copse_flowfield_path(const copse_flowfield *field, const float *point,
                                  copse_path *path) {
  path->total = 0;
  path->length = INFINITY;
  path->reached = false;
  const copse_status status = check(field, point);
  if (status != COPSE_OK) return status;
  const flow_map *map = &field->maps[field->shown];
  const aim best = aim_of(field, point, map->radius, COPSE_NONE);
  if (best.total == INFINITY) return COPSE_OK;
  path->length = 0;
  path->reached = true;
  uint32_t anchor = best.anchor;
  const float *before = point;
  if (anchor == COPSE_NONE) {
    put_corner(path, before, best.point);
    if (best.cell == COPSE_NONE) return COPSE_OK; /* the point is in a goal's area */
    anchor = map->aims[best.cell];
    before = best.point;
  }
  for (; anchor != NO_ANCHOR; anchor = map->anchors[anchor].parent) {
    put_corner(path, before, map->anchors[anchor].point);
    before = map->anchors[anchor].point;
  }
  return COPSE_OK;
}

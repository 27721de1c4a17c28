/* The functions of FlowField that JavaScript calls. */

#include "objects.h"

#include <string.h>

typedef struct paths {
  object object;
  copse_flowfield *core;
  int32_t walls;  /* the handle of the obstacle tree; negative: none */
  bool isBound;   /* true if `core` uses the obstacle tree with the handle `walls` now */
  float *corners; /* the last path: room for `capacity` + 1 corners */
  struct {        /* JavaScript reads these numbers as one array */
    uint32_t columns, rows;
    uint32_t goals;  /* the maximum number of goals */
    uint32_t needed; /* how many anchors the last build needed: goals and turning points */
  } sizes;
  struct { /* JavaScript also reads these as one array: the radius, then the distance of
            * paths_direction or length of paths_path, and the direction */
    float radius, distance, direction[2];
  } numbers;
} paths;
_Static_assert(sizeof(paths) <= OBJECT_BYTES, "see any_object");

#define PATHS_VIEWS(VIEW)                                                                          \
  VIEW(given, f, base->rooms[ROOM_GIVEN])                                                          \
  VIEW(directions, f, base->rooms[ROOM_NEIGHBORS])                                                 \
  VIEW(lengths, f, base->rooms[ROOM_IDS])                                                          \
  VIEW(closed, u, copse_flowfield_closed(self->core)) /* JavaScript views it as bytes */           \
  VIEW(corners, f, self->corners)                                                                  \
  VIEW(sizes, u, &self->sizes)                                                                     \
  VIEW(numbers, f, &self->numbers)                                                                 \
  VIEW(direction, f, self->numbers.direction)

static uintptr_t paths_view(object *base, uint32_t which) {
  paths *self = (paths *)base;
  const uintptr_t places[] = {PATHS_VIEWS(VIEW_PLACE)};
  return which < sizeof places / sizeof *places ? places[which] : 0;
}

/* Builds the field's obstacle tree if polygons changed, and passes the tree to the core. If the
 * tree was destroyed, removes the tree from the core. Must be called before everything that reads
 * walls. */
static copse_status bind_walls(paths *self) {
  const copse_obstacle *walls;
  const copse_status status = obstacles_of(self->walls, &walls);
  const bool isFound = status == COPSE_OK;
  if ((isFound || status == COPSE_STALE_SLOT) && isFound != self->isBound) {
    copse_flowfield_set_obstacles(self->core, walls);
    self->isBound = isFound;
  }
  return status;
}

#define PATHS_FIGURES(FIGURE)                                                                      \
  FIGURE(cells, stats.cells)                                                                       \
  FIGURE(blocked, stats.blocked)                                                                   \
  FIGURE(reached, stats.reached)                                                                   \
  FIGURE(anchors, stats.anchors)                                                                   \
  FIGURE(moved, stats.moved)                                                                       \
  FIGURE(floods, stats.floods)                                                                     \
  FIGURE(visits, stats.visits)                                                                     \
  FIGURE(sights, stats.sights)                                                                     \
  FIGURE(work, stats.work)                                                                         \
  FIGURE(restarts, stats.restarts)                                                                 \
  FIGURE(isUnderWay, stats.isUnderWay)                                                             \
  FIGURE(bytes, stats.bytes + (size_t)object_bytes(base))

static void paths_figures(object *base, double *numbers) {
  paths *self = (paths *)base;
  bind_walls(self);
  const copse_flowfield_statistics stats = copse_flowfield_stats(self->core);
  const double figures[] = {PATHS_FIGURES(FIGURE_VALUE)};
  memcpy(numbers, figures, sizeof figures);
}

static void paths_carve(object *base, arena *block) {
  paths *self = (paths *)base;
  self->corners = arena_carve(block, UINT64_C(1) + base->capacity, 2 * sizeof *self->corners);
}

/* Copies the sizes and the radius of the field to where JavaScript reads them. */
static void read_settings(paths *self) {
  self->sizes.columns = copse_flowfield_columns(self->core);
  self->sizes.rows = copse_flowfield_rows(self->core);
  self->sizes.goals = copse_flowfield_goal_capacity(self->core);
  self->numbers.radius = copse_flowfield_radius(self->core);
}

static void paths_fill(object *larger, const object *old) {
  (void)old;
  read_settings((paths *)larger);
}

static copse_flowfield *paths_core(const object *base) { return ((const paths *)base)->core; }

static void paths_destroy(object *base) { copse_flowfield_destroy(paths_core(base)); }
static copse_status paths_reserve(object *base, uint32_t capacity) {
  bind_walls((paths *)base);
  return copse_flowfield_reserve(paths_core(base), capacity, 0);
}
static copse_status paths_save(object *base, void *bytes, size_t capacity, size_t *total) {
  return copse_flowfield_save(paths_core(base), bytes, capacity, total);
}
/* Makes room for this many goals. The field's walls must be bound. */
static copse_status reserve_goals(paths *self, uint32_t goals) {
  if (goals <= self->sizes.goals) return COPSE_OK;
  const copse_status status = copse_flowfield_reserve(self->core, 0, goals);
  if (status != COPSE_OK) return status;
  self->object.moves++;
  read_settings(self);
  return COPSE_OK;
}

static copse_status paths_restore(object *base, const void *bytes, size_t size, uint32_t *needed) {
  paths *self = (paths *)base;
  bind_walls(self);
  copse_flowfield_def limits;
  copse_status status = copse_flowfield_restore(self->core, bytes, size, &limits);
  if (status == COPSE_FULL) {
    *needed = limits.capacity;
    if (limits.capacity > base->capacity) return COPSE_FULL;
    status = reserve_goals(self, limits.goals);
    if (status == COPSE_OK) status = copse_flowfield_restore(self->core, bytes, size, &limits);
  }
  read_settings(self);
  return status;
}
static size_t paths_cells(object *base, size_t skipped, float *out, size_t capacity) {
  return copse_flowfield_cells(paths_core(base), skipped, out, capacity);
}
static bool paths_validate(object *base) {
  bind_walls((paths *)base);
  return copse_flowfield_validate(paths_core(base));
}

static const family PATHS = {
    .bytes = sizeof(paths),
    .views = PATHS_VIEWS(VIEW_TEXT),
    .figures = PATHS_FIGURES(FIGURE_TEXT),
    .view = paths_view,
    .read_figures = paths_figures,
    .carve = paths_carve,
    .fill = paths_fill,
    .destroy = paths_destroy,
    .reserve = paths_reserve,
    .save = paths_save,
    .restore = paths_restore,
    .cells = paths_cells,
    .validate = paths_validate,
};

/* Creates a flow field. A capacity, or a number of goals, of 0 means the default. */
EXPORT("flowfield_create")
int32_t flowfield_create(float minX, float minY, float maxX, float maxY, float cell, float radius,
                         uint32_t capacity, uint32_t goals) {
  copse_flowfield_def def = copse_flowfield_default();
  def.allocator = objectMemory;
  memcpy(def.bounds, (float[]){minX, minY, maxX, maxY}, sizeof def.bounds);
  def.cell = cell;
  def.radius = radius;
  if (capacity) def.capacity = capacity;
  if (goals) def.goals = goals;
  paths prototype = {.object = {.family = &PATHS, .capacity = def.capacity}, .walls = -1};
  return object_create(&prototype.object, copse_flowfield_create(&def, &prototype.core));
}

static paths *paths_of(int32_t handle) { return (paths *)object_of(handle, &PATHS); }

/* Returns the field of a handle, with its obstacle tree up to date. Returns NULL if the field or
 * the tree was destroyed, or if the tree's build fails: *status says why. */
static paths *bound_paths_of(int32_t handle, copse_status *status) {
  paths *self = paths_of(handle);
  *status = self ? bind_walls(self) : COPSE_STALE_SLOT;
  return *status == COPSE_OK ? self : NULL;
}

/* ---- Settings ---- */

EXPORT("paths_reserve_goals") int32_t paths_reserve_goals(int32_t handle, uint32_t goals) {
  paths *self = paths_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  bind_walls(self);
  return zero_or_failed(reserve_goals(self, goals));
}

/* Sets the obstacle tree by its handle. A negative handle means no tree. */
EXPORT("paths_set_obstacles") int32_t paths_set_obstacles(int32_t handle, int32_t wallsHandle) {
  paths *self = paths_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  copse_flowfield_set_obstacles(self->core, NULL);
  self->walls = wallsHandle;
  self->isBound = false;
  return 0;
}

EXPORT("paths_set_radius") int32_t paths_set_radius(int32_t handle, float radius) {
  paths *self = paths_of(handle);
  return zero_or_failed(self ? copse_flowfield_set_radius(self->core, radius) : COPSE_STALE_SLOT);
}

/* Sets the goals to the first `count` goals in the staging buffer. */
EXPORT("paths_set_goals") int32_t paths_set_goals(int32_t handle, uint32_t count) {
  paths *self = paths_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  if (count > staged.size / sizeof(copse_flowfield_goal)) return FAILED(COPSE_INVALID_ARGUMENT);
  return zero_or_failed(copse_flowfield_set_goals(self->core, staged.bytes, count));
}

/* ---- Builds ---- */

/* Does about `work` units of the build under way, or begins a build. If `work` is 0, does a whole
 * new build. Returns 1 if the build is complete, else 0. */
EXPORT("paths_build") int32_t paths_build(int32_t handle, uint32_t work) {
  copse_status status;
  paths *self = bound_paths_of(handle, &status);
  if (!self) return FAILED(status);
  bool isDone = true;
  uint32_t *needed = &self->sizes.needed;
  status = work ? copse_flowfield_build_part(self->core, work, &isDone, needed)
                : copse_flowfield_build(self->core, needed);
  return result_or_failed(isDone, status);
}

EXPORT("paths_is_built") int32_t paths_is_built(int32_t handle) {
  const paths *self = paths_of(handle);
  return self ? copse_flowfield_is_built(self->core) : FAILED(COPSE_STALE_SLOT);
}

/* Returns 1 if the walls are still those of the build. */
EXPORT("paths_is_current") int32_t paths_is_current(int32_t handle) {
  copse_status status;
  const paths *self = bound_paths_of(handle, &status);
  return self ? copse_flowfield_is_current(self->core) : FAILED(status);
}

/* ---- Queries ---- */

/* Writes the direction and the length of the path from a point to the nearest goal. They are in the
 * view `numbers`, after the radius. */
EXPORT("paths_direction") int32_t paths_direction(int32_t handle, float x, float y) {
  copse_status status;
  paths *self = bound_paths_of(handle, &status);
  if (!self) return FAILED(status);
  return zero_or_failed(copse_flowfield_direction(
      self->core, (float[]){x, y}, self->numbers.direction, &self->numbers.distance));
}

EXPORT("paths_direction_many") int32_t paths_direction_many(int32_t handle, uint32_t n) {
  copse_status status;
  paths *self = bound_paths_of(handle, &status);
  if (!self) return FAILED(status);
  object *base = &self->object;
  if (!copse_flowfield_is_built(self->core)) return FAILED(COPSE_NOT_BUILT);
  if (!is_given(base, UINT64_C(2) * n)) return FAILED(COPSE_INVALID_ARGUMENT);
  if (!room_take(base, ROOM_NEIGHBORS, n) || !room_take(base, ROOM_IDS, n))
    return FAILED(COPSE_OUT_OF_MEMORY);
  return zero_or_failed(copse_flowfield_direction_many(
      self->core, base->rooms[ROOM_GIVEN], n, base->rooms[ROOM_NEIGHBORS], base->rooms[ROOM_IDS]));
}

/* Writes the path from a point to the nearest goal: its corners to the view `corners`, its length
 * to the view `numbers`. Returns the number of corners. */
EXPORT("paths_path") int32_t paths_path(int32_t handle, float x, float y) {
  copse_status status;
  paths *self = bound_paths_of(handle, &status);
  if (!self) return FAILED(status);
  copse_path path = {.corners = self->corners, .capacity = self->object.capacity + 1};
  status = copse_flowfield_path(self->core, (float[]){x, y}, &path);
  self->numbers.distance = path.length;
  return result_or_failed(path.total, status);
}

/* Returns the address of an array: by cell, the length of the path to the nearest goal. A completed
 * build changes the address. */
EXPORT("paths_distances") int32_t paths_distances(int32_t handle) {
  const paths *self = paths_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  return copse_flowfield_is_built(self->core)
             ? (int32_t)(uintptr_t)copse_flowfield_distances(self->core)
             : FAILED(COPSE_NOT_BUILT);
}

/* Writes to the staging buffer the lines to draw, like cells(). */
EXPORT("paths_lines") int32_t paths_lines(int32_t handle, uint32_t skipped) {
  const paths *self = paths_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  return (int32_t)copse_flowfield_lines(self->core, skipped, staged.bytes, MAX_DRAWN);
}

/* ---- Crowds ---- */

/* The flow fields of the next paths_step. */
static struct {
  int32_t handle;
  uint32_t mask;
} leads[COPSE_CROWD_FIELDS];

/* Sets a flow field in the list `leads`, at the index `place`. The field leads the agents whose
 * groups share a bit with `mask`, unless an earlier field in the list does. */
EXPORT("paths_lead") void paths_lead(uint32_t place, int32_t handle, uint32_t mask) {
  if (place >= COPSE_CROWD_FIELDS) return;
  leads[place].handle = handle;
  leads[place].mask = mask;
}

/* Does a step of a crowd. The first `count` flow fields in `leads` lead its agents. The crowd keeps
 * no pointers to these fields after the step: they may be destroyed before the next one. */
EXPORT("paths_step")
int32_t paths_step(int32_t crowdHandle, int32_t wallsHandle, float timeStep, uint32_t count) {
  copse_crowd *crowd = crowd_core_of(crowdHandle);
  if (!crowd) return FAILED(COPSE_STALE_SLOT);
  if (count > COPSE_CROWD_FIELDS) return FAILED(COPSE_FULL);
  copse_status status = COPSE_OK;
  uint32_t led = 0;
  for (; led < count && status == COPSE_OK; led++) {
    const paths *self = bound_paths_of(leads[led].handle, &status);
    if (!self) break;
    status = copse_crowd_follow(crowd, self->core, leads[led].mask);
  }
  const int32_t result =
      status == COPSE_OK ? crowd_step(crowdHandle, wallsHandle, timeStep) : FAILED(status);
  while (led) copse_crowd_follow(crowd, paths_of(leads[--led].handle)->core, 0);
  return result;
}

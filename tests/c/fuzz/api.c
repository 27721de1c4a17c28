/* The calls of the boundary, and by them the whole C API, in any order and with any words: on
 * objects of every kind, some gone, some never made. Nothing may reach memory that is not the
 * object's; indexes answer as brute force, everything stays valid, and a save restores. */

#include "../../../c/base/core.h"

/* What the boundary takes for itself runs short at times. */
static bool isScarce;
static void *scarce_take(const copse_allocator *allocator, uint64_t bytes) {
  return isScarce ? NULL : memory_take(allocator, bytes);
}
#define memory_take scarce_take
#pragma clang diagnostic ignored "-Wunknown-attributes"
#include "../../../wasm/objects.c"

#include "../../../wasm/boxes.c"
#include "../../../wasm/crowd.c"
#include "../../../wasm/points.c"
#include "../../../wasm/walls.c"
#undef memory_take

#include "../../../c/base/snapshot.h"

#include "../fuzz.h"

enum { OBJECTS = 6, MOST = 40 };

typedef struct held {
  int32_t handle; /* as it was given, even when the object is gone */
  uint32_t capacity;
  bool isAlive;
} held;

static held all[OBJECTS];

/* Mostly small; the others are what JavaScript makes of -1, of NaN, and of what is too large. */
static uint32_t next_word(input *from) {
  static const uint32_t odd[] = {UINT32_MAX, 1u << 31, INT32_MAX, COPSE_MAX_CAPACITY + 1};
  const uint8_t byte = next_byte(from);
  return byte < 240 ? byte % (MOST + 4) : odd[byte % 4];
}

/* No more than there is memory for. */
static uint32_t next_size(input *from) { return next_byte(from) % MOST; }

static float next_small(input *from) {
  return next_byte(from) % 8 ? (float)(next_byte(from) % 32) / 2 - 4 : next_float(from);
}

static void create(input *from, held *at) {
  const uint32_t dimensions = next_byte(from) % 8 ? 2 + next_byte(from) % 2 : next_word(from);
  const uint32_t capacity = next_size(from);
  const uint32_t a = next_word(from) % 64, b = next_byte(from) % 3, c = next_byte(from) % 3;
  if (at->isAlive) destroy(at->handle);
  switch (next_byte(from) % 6) {
  case 0:
    at->handle = agenttree_create(dimensions, capacity, a, b, c, a % 2, c % 2);
    break;
  case 1:
    at->handle = grid_create(dimensions, capacity, next_small(from), b, c);
    break;
  case 2:
    at->handle = kdtree_create(dimensions, capacity, b, c % 2, a % 2);
    break;
  case 3:
    at->handle = octree_create(dimensions, capacity, (int32_t)a - 1, (int32_t)c * 12 - 1,
                               next_small(from), -8, -8, -8, 8, 8, next_small(from));
    break;
  case 4:
    at->handle = obstacle_create(capacity, capacity + a, b);
    break;
  default:
    at->handle = crowd_create(dimensions, capacity, a, b % 2);
  }
  at->isAlive = at->handle >= 0;
  at->capacity = at->isAlive ? capacity : 0;
}

/* Any bits where JavaScript may write. */
static void write(input *from, const held *at) {
  static const char *const writable[] = {"xs",
                                         "ys",
                                         "zs",
                                         "groups",
                                         "masks",
                                         "given",
                                         "radii",
                                         "boxes",
                                         "vertices",
                                         "goals",
                                         "positions",
                                         "velocities",
                                         "maxNeighborCounts"};
  object *it = any_of(at->handle);
  if (!it) return;
  const uint32_t given = it->room[ROOM_GIVEN];
  if (room_take(it, ROOM_GIVEN, 6 * at->capacity) && it->room[ROOM_GIVEN] > given)
    memset(it->rooms[ROOM_GIVEN], 0, it->room[ROOM_GIVEN] * sizeof(float));
  const char *name = writable[next_byte(from) % (sizeof writable / sizeof *writable)];
  uint32_t which = 0;
  const size_t length = strlen(name);
  for (const char *views = it->family->views; *views; which++) {
    if (!strncmp(views, name, length) && views[length] == ':') break;
    views = strchr(views, ' ') + 1;
  }
  float *view = (float *)view_of(at->handle, which);
  if (!view) return;
  for (uint32_t i = 0; i < at->capacity && from->left; i++) view[i] = next_small(from);
}

/* An agent with anything in any of its fields. */
static copse_crowd_agent next_agent(input *from) {
  copse_crowd_agent agent = copse_crowd_agent_default();
  float *floats[] = {&agent.preferredSpeed,
                     &agent.radius,
                     &agent.maxSpeed,
                     &agent.neighborDistance,
                     &agent.timeHorizon,
                     &agent.timeHorizonObstacles,
                     &agent.maxAcceleration,
                     &agent.priority,
                     agent.goal,
                     agent.goal + 1,
                     agent.goal + 2,
                     agent.velocity,
                     agent.preferredVelocity + 1,
                     agent.velocity + 2};
  uint32_t *words[] = {&agent.maxNeighbors, &agent.groups, &agent.mask, &agent.enabled,
                       &agent.locked};
  for (uint32_t axis = 0; axis < 3; axis++) agent.position[axis] = next_small(from);
  for (uint8_t changes = next_byte(from) % 8; changes > 0; changes--) {
    const uint8_t which = next_byte(from);
    *floats[which % (sizeof floats / sizeof *floats)] = next_small(from);
    if (which % 3 == 0) *words[which / 3 % (sizeof words / sizeof *words)] = next_word(from);
  }
  return agent;
}

/* Who arrived or got stuck is there. */
static void check_events(int32_t handle) {
  const crowd *it = crowd_of(handle);
  const int32_t counts[] = {crowd_arrived(handle), crowd_stuck(handle)};
  if (!it) {
    must(counts[0] == FAILED(COPSE_STALE_SLOT) && counts[1] == counts[0], "events of no crowd");
    return;
  }
  const copse_crowd_arrays arrays = copse_crowd_get(it->core);
  for (int which = 0; which < 2; which++) {
    const uint32_t *told = which ? arrays.stuck : arrays.arrived;
    for (int32_t i = 0; i < counts[which]; i++)
      must(told[i] < it->object.capacity && (!i || told[i - 1] < told[i]), "events");
  }
}

/* What was just built must answer as brute force. */
static void compare(input *from, copse_points *at) {
  const brute_points brute = {readable(copse_points_positions(at)), copse_points_groups(at),
                              copse_points_slots(at), copse_points_dimensions(at)};
  asked ask = {.query = copse_query_default()};
  next_point(from, ask.center);
  next_point(from, ask.direction);
  next_point(from, ask.lo);
  next_point(from, ask.hi);
  ask.radius = next_small(from);
  ask.k = next_byte(from) % 8;
  const char *wrong = compare_queries(at, &brute, &ask);
  must(!wrong, wrong);
}

/* A save, as it is or with a word changed, comes back or is refused. */
static void save_and_restore(input *from, const held *at, int32_t to) {
  const int32_t size = save(at->handle);
  if (size < 0) return;
  if (next_byte(from) % 2) {
    uint32_t *words = staged.bytes;
    words[next_word(from) % ((uint32_t)size / 4)] = next_word(from);
    if (next_byte(from) % 2) snapshot_seal(words, (uint32_t)size, (snapshot_kind)words[2]);
    const int32_t check = restorable(to, (uint32_t)size, 0, (uint32_t)size);
    const int32_t result = restore(to, (uint32_t)size);
    must(check == result || (!check && result == FAILED(COPSE_BAD_SNAPSHOT)), "check of a save");
  } else if (restorable(at->handle, (uint32_t)size, 0, (uint32_t)size) != 0)
    must(false, "check of an own save");
  else
    must(restore(at->handle, (uint32_t)size) == 0, "restore of a save");
}

static void call(input *from) {
  held *at = &all[next_byte(from) % OBJECTS];
  const int32_t on = next_byte(from) % 16 ? at->handle : (int32_t)next_word(from);
  const uint32_t a = next_word(from), mask = next_byte(from) % 4 ? UINT32_MAX : next_word(from);
  const float x = next_small(from), y = next_small(from), z = next_small(from);
  const float u = next_small(from), v = next_small(from), w = next_small(from);
  const uint8_t sort = next_byte(from) % 4;
  switch (next_byte(from) % 48) {
  case 0:
  case 1:
  case 2:
    create(from, at);
    break;
  case 3:
    if (destroy(on) == 0)
      for (int i = 0; i < OBJECTS; i++) all[i].isAlive &= all[i].handle != on;
    break;
  case 4: {
    const uint32_t capacity = next_size(from);
    if (reserve(at->handle, capacity) == 0 && capacity > at->capacity) at->capacity = capacity;
    break;
  }
  case 5:
    points_set_slots(on, a);
    break;
  case 6:
  case 7:
    if (points_build(on) == 0) compare(from, points_of(on)->core);
    break;
  case 8:
    points_within(on, x, y, z, u, mask, a, sort);
    boxes_within(on, x, y, z, u, mask, a, sort);
    break;
  case 9:
    points_range(on, x, y, z, u, v, w, mask, a, sort);
    boxes_range(on, x, y, z, u, v, w, mask, a, sort);
    points_count_range(on, x, y, z, u, v, w, mask, a);
    boxes_count_range(on, x, y, z, u, v, w, mask, a);
    break;
  case 10:
    points_neighbors(on, x, y, z, a, u, mask, UINT32_MAX);
    boxes_neighbors(on, x, y, z, a, u, mask, UINT32_MAX);
    break;
  case 11:
    points_nearest(on, x, y, z, u, mask, a);
    boxes_nearest(on, x, y, z, u, mask, a);
    break;
  case 12:
    points_count_within(on, x, y, z, u, mask, a);
    boxes_count_within(on, x, y, z, u, mask, a);
    break;
  case 13:
    points_any_within(on, x, y, z, u, mask, a);
    boxes_any_within(on, x, y, z, u, mask, a);
    break;
  case 14:
    points_cone(on, x, y, z, u, v, w, x, y, mask, a, sort);
    break;
  case 15:
    points_all_within(on, u, mask);
    break;
  case 16:
    points_within_many(on, a, u, mask, sort);
    break;
  case 17:
    points_all_neighbors(on, a % MOST, u, mask);
    break;
  case 18:
    points_nearest_many(on, a, sort, u, mask, sort);
    break;
  case 19:
    points_pairs(on, u, mask);
    break;
  case 20:
    points_order(on);
    break;
  case 21:
    points_take_radii(on);
    break;
  case 22:
    points_raycast(on, x, y, z, u, v, w, x, mask, a);
    break;
  case 23:
    points_raycast_many(on, a, u, mask, sort);
    break;
  case 24:
    points_remove(on, a);
    boxes_remove(on, a);
    walls_remove(on, a);
    crowd_remove(on, a);
    break;
  case 25:
    points_clear(on);
    boxes_clear(on);
    walls_clear(on);
    crowd_clear(on);
    break;
  case 26:
    points_add(on, x, y, z);
    boxes_add(on, x, y, z, u, v, w);
    break;
  case 27:
    boxes_add_at(on, a, x, y, z, u, v, w);
    break;
  case 28:
    points_move(on, a, x, y, z);
    boxes_move(on, a, x, y, z, u, v, w);
    crowd_move(on, a, x, y, z);
    break;
  case 29:
    boxes_move_all(on);
    break;
  case 30:
    boxes_load(on, a);
    break;
  case 31:
    boxes_pairs(on, mask);
    break;
  case 32:
    boxes_raycast(on, x, y, z, u, v, w, mask, a);
    break;
  case 33:
  case 34: {
    float *points = staged.bytes;
    for (int i = 0; i < 12; i++) points[i] = next_small(from);
    if (sort)
      walls_add(on, a % 7, sort);
    else
      walls_move(on, a, 3);
    break;
  }
  case 35:
    walls_winding(on, a);
    break;
  case 36:
    if (sort)
      walls_build(on);
    else if (walls_build_changed(on) == 0)
      must(!copse_obstacle_changed(walls_of(on)->core), "walls that were built");
    break;
  case 37:
    walls_within(on, x, y, u, sort);
    break;
  case 38:
    walls_nearest(on, x, y, u, sort);
    break;
  case 39:
    walls_visible(on, x, y, u, v, w);
    break;
  case 40:
    walls_raycast(on, x, y, u, v, sort);
    break;
  case 41:
    walls_raycast_many(on, a, sort);
    break;
  case 42:
    walls_contains(on, x, y);
    break;
  case 43:
    walls_visibility(on, x, y, u, v, w, z);
    break;
  case 44: {
    const crowd *it = crowd_of(on);
    if (it) *it->added = next_agent(from);
    crowd_add(on);
    break;
  }
  case 45: {
    const int32_t around = all[next_byte(from) % OBJECTS].handle;
    if (sort)
      crowd_step(on, around, u);
    else
      crowd_inspect(on, around, u, a);
    crowd_hash(on);
    check_events(on);
    break;
  }
  case 46:
    save_and_restore(from, at, all[next_byte(from) % OBJECTS].handle);
    break;
  default:
    cells(on, a);
    walls_lines(on, a);
    walls_room_for(on, a);
    walls_size_of(on, a);
    restorable(on, a, sort * 4u, a);
    must(staging_room() >= sizeof piece, "room to stage");
    figures_of(on);
    points_count(on);
    points_slots(on);
    boxes_count(on);
    boxes_slots(on);
    walls_count(on);
    walls_slots(on);
    walls_used(on);
    crowd_count(on);
    crowd_slots(on);
    view_names(on);
    figure_names(on);
    limits_of(on);
    first_bad();
    view_of(on, a);
    must(!a || stage(a % 256) || isScarce, "bytes to stage");
    must(copse_status_text((copse_status)a) != NULL, "a text for any status");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  input from = {bytes, size};
  for (int i = 0; i < OBJECTS; i++) create(&from, &all[i]);
  while (from.left) {
    if (next_byte(&from) % 8 == 0)
      write(&from, &all[next_byte(&from) % OBJECTS]);
    else {
      isScarce = next_byte(&from) % 16 == 15;
      call(&from);
      isScarce = false;
    }
  }
  for (int i = 0; i < OBJECTS; i++) {
    const object *it = any_of(all[i].handle);
    must((it != NULL) == all[i].isAlive, "who is alive");
    if (!it) continue;
    must(crowd_of(all[i].handle) || validate(all[i].handle), "validate");
    must(destroy(all[i].handle) == 0, "destroy");
    all[i] = (held){.handle = -1};
  }
  return 0;
}

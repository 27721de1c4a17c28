/* Fuzzes all calls of the WebAssembly boundary, and with them the whole C API: in any order, with
 * any arguments, on objects of every kind, including destroyed ones and handles that never existed.
 * No call may touch memory outside its object. Indexes must agree with brute force, all objects
 * stay valid, and every save can be restored. */

#include "../../../c/base/core.h"

/* Makes the boundary's own allocations fail at times. */
static bool isScarce;
static void *scarce_take(const copse_allocator *allocator, uint64_t bytes) {
  return isScarce ? NULL : memory_take(allocator, bytes);
}
#define memory_take scarce_take
#pragma clang diagnostic ignored "-Wunknown-attributes"
#include "../../../wasm/objects.c"

#include "../../../wasm/boxes.c"
#include "../../../wasm/crowd.c"
#include "../../../wasm/paths.c"
#include "../../../wasm/points.c"
#include "../../../wasm/sensors.c"
#include "../../../wasm/walls.c"
#undef memory_take

#include "../../../c/base/snapshot.h"

#include "../fuzz.h"

enum { OBJECTS = 6, MOST = 40 };

typedef struct held {
  int32_t handle; /* kept after the object is destroyed */
  uint32_t capacity;
  bool isAlive;
  bool wraps; /* it is a grid whose world wraps around, with the corners `wrap` */
  float wrap[6];
} held;

static held entries[OBJECTS];

/* Returns a mostly small word. The others are what JavaScript passes for -1, for NaN and for
 * numbers that are too large. */
static uint32_t next_word(input *in) {
  static const uint32_t odd[] = {UINT32_MAX, 1u << 31, INT32_MAX, COPSE_MAX_CAPACITY + 1};
  const uint8_t byte = next_byte(in);
  return byte < 240 ? byte % (MOST + 4) : odd[byte % 4];
}

/* Returns a capacity that there is memory for. */
static uint32_t next_size(input *in) { return next_byte(in) % MOST; }

static float next_small(input *in) {
  return next_byte(in) % 8 ? (float)(next_byte(in) % 32) / 2 - 4 : next_float(in);
}

static void create(input *in, held *entry) {
  const uint32_t dimensions = next_byte(in) % 8 ? 2 + next_byte(in) % 2 : next_word(in);
  const uint32_t capacity = next_size(in);
  const uint32_t a = next_word(in) % 64, b = next_byte(in) % 3, c = next_byte(in) % 3;
  float sides[6] = {0};
  if (entry->isAlive) destroy(entry->handle);
  entry->wraps = false;
  switch (next_byte(in) % 8) {
  case 0:
    entry->handle = agenttree_create(dimensions, capacity, a, b, c, a % 2, c % 2);
    break;
  case 1:
    entry->wraps = a % 4 == 3;
    for (int i = 0; i < 6 && entry->wraps; i++) sides[i] = next_small(in) + (i < 3 ? 0 : 8);
    entry->handle = grid_create(dimensions, capacity, next_small(in), entry->wraps, sides[0],
                                sides[1], sides[2], sides[3], sides[4], sides[5], b, c);
    for (uint32_t i = 0; i < 2 * dimensions && entry->handle >= 0 && entry->wraps; i++)
      entry->wrap[i] = sides[i < dimensions ? i : 3 + i - dimensions];
    break;
  case 2:
    entry->handle = kdtree_create(dimensions, capacity, b, c % 2, a % 2);
    break;
  case 3:
    entry->handle = octree_create(dimensions, capacity, (int32_t)a - 1, (int32_t)c * 12 - 1,
                                  next_small(in), -8, -8, -8, 8, 8, next_small(in));
    break;
  case 4:
    entry->handle = obstacle_create(capacity, capacity + a, b);
    break;
  case 5:
    entry->handle = crowd_create(dimensions, capacity, a, b % 2);
    break;
  case 6:
    entry->handle = flowfield_create(-8, -8, 8, next_small(in) + 8, 1 + (float)b,
                                     0.5f + (float)b + (float)c, capacity, a);
    break;
  default:
    entry->handle = sensors_create(entries[a % OBJECTS].handle, capacity);
  }
  entry->isAlive = entry->handle >= 0;
  entry->capacity = entry->isAlive ? capacity : 0;
}

/* Writes any bits to an array that JavaScript may write. */
static void write(input *in, const held *entry) {
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
                                         "maxNeighborCounts",
                                         "exitRadii",
                                         "agents",
                                         "insideCounts"};
  object *target = any_of(entry->handle);
  if (!target) return;
  const uint32_t given = target->room[ROOM_GIVEN];
  if (room_take(target, ROOM_GIVEN, 6 * entry->capacity) && target->room[ROOM_GIVEN] > given)
    memset(target->rooms[ROOM_GIVEN], 0, target->room[ROOM_GIVEN] * sizeof(float));
  const char *name = writable[next_byte(in) % (sizeof writable / sizeof *writable)];
  uint32_t which = 0;
  const size_t length = strlen(name);
  for (const char *views = target->family->views; *views; which++) {
    if (!strncmp(views, name, length) && views[length] == ':') break;
    views = strchr(views, ' ') + 1;
  }
  float *view = (float *)view_of(entry->handle, which);
  if (!view) return;
  for (uint32_t i = 0; i < entry->capacity && in->left; i++) view[i] = next_small(in);
}

/* Returns an agent with arbitrary values in some fields. */
static copse_crowd_agent next_agent(input *in) {
  copse_crowd_agent agent = copse_crowd_agent_default();
  float *floats[] = {&agent.preferredSpeed,
                     &agent.radius,
                     &agent.maxSpeed,
                     &agent.neighborDistance,
                     &agent.timeHorizon,
                     &agent.obstacleTimeHorizon,
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
  for (uint32_t axis = 0; axis < 3; axis++) agent.position[axis] = next_small(in);
  for (uint8_t changes = next_byte(in) % 8; changes > 0; changes--) {
    const uint8_t which = next_byte(in);
    *floats[which % (sizeof floats / sizeof *floats)] = next_small(in);
    if (which % 3 == 0) *words[which / 3 % (sizeof words / sizeof *words)] = next_word(in);
  }
  return agent;
}

/* Checks that the slots that arrived or got stuck exist, and ascend. */
static void check_events(int32_t handle) {
  const crowd *target = crowd_of(handle);
  const int32_t counts[] = {crowd_arrived(handle), crowd_stuck(handle)};
  if (!target) {
    must(counts[0] == FAILED(COPSE_STALE_SLOT) && counts[1] == counts[0],
         "events of a handle that is no crowd");
    return;
  }
  const copse_crowd_arrays arrays = copse_crowd_get(target->core);
  for (int which = 0; which < 2; which++) {
    const uint32_t *slots = which ? arrays.stuck : arrays.arrived;
    for (int32_t i = 0; i < counts[which]; i++)
      must(slots[i] < target->object.capacity && (!i || slots[i - 1] < slots[i]), "events");
  }
}

/* Compares an index that was just built with brute force. */
static void compare(input *in, int32_t handle) {
  const points *self = points_of(handle);
  copse_points *index = self->core;
  const agents own = points_agents(any_of(handle));
  const float *sides = NULL;
  for (int i = 0; i < OBJECTS; i++)
    if (entries[i].handle == handle && entries[i].wraps) sides = entries[i].wrap;
  const brute_points brute = {own.positions, own.groups, own.slots, own.dimensions, sides};
  point_question question = {.query = copse_query_default()};
  next_point(in, question.center);
  next_point(in, question.direction);
  next_point(in, question.lo);
  next_point(in, question.hi);
  question.radius = next_small(in);
  question.k = next_byte(in) % 8;
  const char *wrong = compare_queries(index, &brute, &question);
  if (!wrong && question.radius >= 0) {
    wrong = compare_rays(index, &brute, &question, NULL);
    if (!wrong) wrong = compare_batches(index, &brute, &question, NULL, NULL);
    if (!wrong) wrong = compare_many(index, &brute, &question);
  }
  must(!wrong, wrong);
}

/* Saves an object and restores it, or restores a changed save into any object. */
static void save_and_restore(input *in, const held *entry, int32_t taker) {
  const int32_t size = save(entry->handle);
  if (size < 0) return;
  if (next_byte(in) % 2) {
    uint32_t *words = staged.bytes;
    words[next_word(in) % ((uint32_t)size / 4)] = next_word(in);
    if (next_byte(in) % 2) snapshot_seal(words, (uint32_t)size, (snapshot_kind)words[2]);
    /* A slot takes at least 4 bytes of a snapshot. */
    const object *other = any_of(taker);
    const uint32_t most = (uint32_t)size / 4, old = other ? other->capacity : 0;
    const int32_t capacity = restore(taker, (uint32_t)size);
    must(capacity <= (int32_t)(old > most ? old : most), "a restore reserves too much");
  } else
    must(restore(entry->handle, (uint32_t)size) == (int32_t)any_of(entry->handle)->capacity,
         "restore: a save");
}

/* Changes the settings of a flow field. */
static void set_up_paths(input *in, int32_t handle, uint32_t count, float radius) {
  paths *self = paths_of(handle);
  if (self)
    for (uint32_t i = next_byte(in); i && in->left; i--)
      copse_flowfield_closed(self->core)[next_byte(in) % (self->sizes.columns * self->sizes.rows)] =
          next_byte(in) % 2;
  paths_set_obstacles(handle, next_byte(in) % 4 ? entries[count % OBJECTS].handle : -1);
  paths_set_radius(handle, radius);
  paths_lead(next_byte(in) % 3, handle, next_byte(in) % 4);
  paths_reserve_goals(handle, count % MOST);
  float *floats = staged.bytes;
  for (uint32_t i = 0; i < count % MOST * 5; i++) floats[i] = next_small(in);
  paths_set_goals(handle, next_byte(in) % 8 ? count % MOST : count);
}

/* Builds a flow field, and asks for paths. */
static void find_paths(input *in, int32_t handle, uint32_t a, float x, float y) {
  paths_build(handle, next_byte(in) % 4 ? a * 50 : 0);
  paths_direction(handle, x, y);
  paths_direction_many(handle, a);
  const int32_t corners = paths_path(handle, x, y);
  const paths *self = paths_of(handle);
  must(corners < 0 || (uint32_t)corners <= self->object.capacity + 1, "corners");
}

static void call(input *in) {
  held *entry = &entries[next_byte(in) % OBJECTS];
  const int32_t handle = next_byte(in) % 16 ? entry->handle : (int32_t)next_word(in);
  const uint32_t a = next_word(in), mask = next_byte(in) % 4 ? UINT32_MAX : next_word(in);
  const float x = next_small(in), y = next_small(in), z = next_small(in);
  const float u = next_small(in), v = next_small(in), w = next_small(in);
  const uint8_t sort = next_byte(in) % 4;
  switch (next_byte(in) % 56) {
  case 0:
  case 1:
  case 2:
    create(in, entry);
    break;
  case 3:
    if (destroy(handle) == 0)
      for (int i = 0; i < OBJECTS; i++) entries[i].isAlive &= entries[i].handle != handle;
    break;
  case 4: {
    const uint32_t capacity = next_size(in);
    if (reserve(entry->handle, capacity) == 0 && capacity > entry->capacity)
      entry->capacity = capacity;
    break;
  }
  case 5:
    points_set_slots(handle, a);
    break;
  case 6:
  case 7:
    if (points_build(handle, a % 2) == 0) compare(in, handle);
    if (points_build_from(handle, entries[a % OBJECTS].handle) >= 0) compare(in, handle);
    break;
  case 8:
    points_within(handle, x, y, z, u, mask, a, sort);
    boxes_within(handle, x, y, z, u, mask, a, sort);
    break;
  case 9:
    points_range(handle, x, y, z, u, v, w, mask, a, sort);
    boxes_range(handle, x, y, z, u, v, w, mask, a, sort);
    points_count_range(handle, x, y, z, u, v, w, mask, a);
    boxes_count_range(handle, x, y, z, u, v, w, mask, a);
    break;
  case 10:
    points_neighbors(handle, x, y, z, a, u, mask, UINT32_MAX);
    boxes_neighbors(handle, x, y, z, a, u, mask, UINT32_MAX);
    break;
  case 11:
    points_nearest(handle, x, y, z, u, mask, a);
    boxes_nearest(handle, x, y, z, u, mask, a);
    break;
  case 12:
    points_count_within(handle, x, y, z, u, mask, a);
    boxes_count_within(handle, x, y, z, u, mask, a);
    break;
  case 13:
    points_any_within(handle, x, y, z, u, mask, a);
    boxes_any_within(handle, x, y, z, u, mask, a);
    break;
  case 14:
    points_cone(handle, x, y, z, u, v, w, x, y, mask, a, sort);
    break;
  case 15:
    points_frustum(handle, a % 8, mask, a, sort);
    boxes_frustum(handle, a % 8, mask, a, sort);
    points_all_within(handle, u, mask);
    break;
  case 16:
    points_within_many(handle, a, u, mask, sort);
    boxes_within_many(handle, a, u, mask, sort);
    points_range_many(handle, a, mask, sort);
    boxes_range_many(handle, a, mask, sort);
    break;
  case 17:
    points_all_neighbors(handle, a % MOST, u, mask);
    break;
  case 18:
    points_neighbors_many(handle, a, sort, u, mask, sort);
    boxes_neighbors_many(handle, a, sort, u, mask, sort);
    break;
  case 19:
    points_pairs(handle, u, mask);
    break;
  case 20:
    points_order(handle);
    break;
  case 21:
    points_has_radii(handle);
    break;
  case 22:
    points_raycast(handle, x, y, z, u, v, w, x, y, mask, a, sort % 2);
    break;
  case 23:
    points_raycast_many(handle, a, v, mask, sort, a + sort, u);
    boxes_raycast_many(handle, a, v, mask, sort, a + sort);
    break;
  case 24:
    points_remove(handle, a);
    boxes_remove(handle, a);
    walls_remove(handle, a);
    crowd_remove(handle, a);
    sensors_remove(handle, a);
    sensors_reset(handle, a);
    break;
  case 25:
    points_clear(handle);
    boxes_clear(handle);
    walls_clear(handle);
    crowd_clear(handle);
    sensors_clear(handle);
    break;
  case 26:
    points_add(handle, x, y, z);
    boxes_add(handle, x, y, z, u, v, w);
    break;
  case 27:
    boxes_add_at(handle, a, x, y, z, u, v, w);
    break;
  case 28:
    points_move(handle, a, x, y, z);
    boxes_move(handle, a, x, y, z, u, v, w);
    crowd_move(handle, a, x, y, z);
    sensors_move(handle, a, x, y, z, u, v, w);
    break;
  case 29:
    boxes_move_all(handle);
    break;
  case 30:
    boxes_load(handle, a);
    break;
  case 31:
    boxes_pairs(handle, mask);
    break;
  case 32:
    boxes_raycast(handle, x, y, z, u, v, w, x, mask, a);
    break;
  case 33:
  case 34: {
    float *points = staged.bytes;
    for (int i = 0; i < 12; i++) points[i] = next_small(in);
    if (sort)
      walls_add(handle, a % 7, sort);
    else
      walls_move(handle, a, 3);
    break;
  }
  case 35:
    walls_winding(handle, a);
    break;
  case 36:
    if (sort)
      walls_build(handle);
    else if (walls_build_changed(handle) == 0)
      must(!copse_obstacle_changed(walls_of(handle)->core), "walls are changed after a build");
    break;
  case 37:
    walls_within(handle, x, y, u, sort);
    break;
  case 38:
    walls_nearest(handle, x, y, u, sort);
    break;
  case 39:
    walls_visible(handle, x, y, u, v, w);
    break;
  case 40:
    walls_raycast(handle, x, y, u, v, sort);
    break;
  case 41:
    walls_raycast_many(handle, a, sort);
    break;
  case 42:
    walls_contains(handle, x, y);
    break;
  case 43:
    walls_visibility(handle, x, y, u, v, w, z);
    break;
  case 44: {
    const crowd *target = crowd_of(handle);
    if (target) *target->added = next_agent(in);
    crowd_add(handle);
    break;
  }
  case 45: {
    const int32_t around = entries[next_byte(in) % OBJECTS].handle;
    if (sort > 1)
      crowd_step(handle, around, u);
    else if (sort)
      paths_step(handle, around, u, next_byte(in) % 3);
    else
      crowd_inspect(handle, around, u, a);
    crowd_hash(handle);
    check_events(handle);
    break;
  }
  case 46:
    save_and_restore(in, entry, entries[next_byte(in) % OBJECTS].handle);
    break;
  case 47:
    sensors_add(handle, sort, x, y, z, u, v, w, a, fabsf(x), fabsf(x) + fabsf(u), mask);
    break;
  case 48:
  case 49:
    sensors_update(handle);
    sensors_take_results(handle, a % MOST);
    break;
  case 50:
  case 51:
  case 52:
    find_paths(in, handle, a, x, y);
    break;
  case 53:
  case 54:
    set_up_paths(in, handle, a, u);
    break;
  default:
    cells(handle, a);
    paths_lines(handle, a);
    paths_is_built(handle);
    paths_distances(handle);
    walls_lines(handle, a);
    walls_size_of(handle, a);
    figures_of(handle);
    points_count(handle);
    points_slots(handle);
    boxes_count(handle);
    boxes_slots(handle);
    walls_count(handle);
    walls_slots(handle);
    walls_used(handle);
    crowd_count(handle);
    crowd_slots(handle);
    sensors_count(handle);
    sensors_slots(handle);
    view_names(handle);
    figure_names(handle);
    limits_of(handle);
    first_bad();
    view_of(handle, a);
    must(!a || stage(a % 256) || isScarce, "staging");
    must(copse_status_text((copse_status)a) != NULL, "status text");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  input in = {bytes, size};
  for (int i = 0; i < OBJECTS; i++) create(&in, &entries[i]);
  while (in.left) {
    if (next_byte(&in) % 8 == 0)
      write(&in, &entries[next_byte(&in) % OBJECTS]);
    else {
      isScarce = next_byte(&in) % 16 == 15;
      call(&in);
      isScarce = false;
    }
  }
  for (int i = 0; i < OBJECTS; i++) {
    const object *target = any_of(entries[i].handle);
    must((target != NULL) == entries[i].isAlive, "handles in use");
    if (!target) continue;
    /* A snapshot may have brought a crowd or a flow field to any state. */
    must(validate(entries[i].handle) || crowd_of(entries[i].handle) || paths_of(entries[i].handle),
         "validate");
    must(destroy(entries[i].handle) == 0, "destroy");
    entries[i] = (held){.handle = -1};
  }
  return 0;
}

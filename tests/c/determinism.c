/* A scenario for each structure. All its results go into one hash, which must be the same in every
 * build of the library, on every machine and in every engine, with any number of threads. The
 * native program prints the scenes and hashes of tests/data/determinism.txt; `determinism 3` does
 * so with 3 threads; `determinism long` plays the long form and prints the hashes of
 * tests/data/determinism-long.txt. In WebAssembly, `scene_hash` is exported instead.
 *
 * The results include the number of nodes that each query visits, and the shape of each structure.
 *
 * All numbers are float32, each step rounded. Random words come from mulberry32, seeded with 1. The
 * hash is FNV-1a over words instead of bytes. */

#include "compare.h"

uint32_t scene_hash(uint32_t scene, bool isLong);

enum { STEP = 7, MOST = 33000, ROOM = 1 << 18 };

static struct form {
  uint32_t frames, boxFrames, wallFrames, crowdSteps;
  uint32_t agents, agentSlots, rectangles; /* of the crowd in 2D */
  float crowdSize;
  bool isCoarse; /* round drawn numbers: many agents coincide, lie on borders, or tie */
} form;
static const struct form SHORT = {60, 24, 24, 200, 300, 400, 20, 32, false},
                         LONG = {1000, 1000, 1000, 1000, 1000, 1200, 80, 64, false};

/* Ends the program when a call fails that must succeed. */
static _Noreturn void fail(void) { __builtin_trap(); }

static uint32_t state, hash;
static uint32_t ids[ROOM], offsets[MOST], counts[MOST];
static float distances2[ROOM], velocities[3 * MOST], radii[MOST], segments[2 * 3 * MOST];

/* The runner of the indexes of `play` and the crowds of `play_crowd`. None: one thread works. */
static copse_tasks tasks;

static uint32_t next(void) { return random_word(&state); }
static float coarse(float x, float grain) { return form.isCoarse ? floorf(x / grain) * grain : x; }
static float draw_below(float size) { return coarse((float)(next() >> 8) * size / 16777216.0f, 1); }
static void add(uint32_t word) { hash = (hash ^ word) * 16777619u; }
static void add_float(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  add(bits);
}

static void add_ids(const copse_results *results, bool distances) {
  add(results->total);
  add(results->visits);
  for (uint32_t i = 0; i < results->total; i++) {
    add(results->ids[i]);
    if (distances) add_float(results->distances2[i]);
  }
}

/* Writes three planes around a place: through it, and two sides of a wedge that opens along x. */
static void planes_at(const float *place, float *planes) {
  const float normals[3][3] = {{1, 0.25f, -0.5f}, {0.75f, 1, 0.125f}, {0.5f, -1, 0.5f}};
  for (int i = 0; i < 3; i++) {
    float dot = 0;
    for (int axis = 0; axis < 3; axis++) {
      planes[4 * i + axis] = normals[i][axis];
      dot += normals[i][axis] * place[axis];
    }
    planes[4 * i + 3] = -dot;
  }
}

static void ask(copse_points *index, uint32_t asker, uint32_t dim, const float *center) {
  copse_results results = {ids, distances2, ROOM, 0, 0};
  copse_points_within(index, center, 12, NULL, &results);
  add_ids(&results, false);

  copse_query others = copse_query_default();
  others.mask = 5;
  others.exclude = asker;
  copse_points_neighbors(index, center, 6, &others, &results);
  add_ids(&results, true);

  copse_query byId = copse_query_default();
  byId.sort = COPSE_SORT_ID;
  float lo[3], hi[3];
  for (uint32_t axis = 0; axis < dim; axis++) {
    lo[axis] = center[axis] - 10;
    hi[axis] = center[axis] + 10;
  }
  copse_points_range(index, lo, hi, &byId, &results);
  add_ids(&results, false);

  float planes[12];
  if (dim == 3) {
    planes_at(center, planes);
    copse_points_frustum(index, planes, 3, &others, &results);
    add_ids(&results, false);
    add(results.visits);
  }

  copse_query byDistance = copse_query_default();
  byDistance.sort = COPSE_SORT_DISTANCE;
  /* Refused, and not hashed, if the direction is 0. */
  if (copse_points_cone(index, center, velocities + asker * dim, 0.7f, 40, &byDistance, &results) ==
      COPSE_OK)
    add_ids(&results, false);

  copse_query secondGroup = copse_query_default();
  secondGroup.mask = 2;
  uint32_t total, visits;
  copse_points_count_within(index, center, 25, &secondGroup, &total, &visits);
  add(total);
  add(visits);

  copse_query notItself = copse_query_default();
  notItself.exclude = asker;
  float target[3];
  for (uint32_t axis = 0; axis < dim; axis++)
    target[axis] = center[axis] + 64 * velocities[asker * dim + axis];
  copse_hit hit;
  copse_points_raycast(index, center, target, 0.5f, NULL, &notItself, &hit, &visits);
  add(visits);
  add(hit.id);
  if (hit.id != COPSE_NONE) add_float(hit.fraction);

  notItself.inflate = 1.5f;
  copse_hits hits = {ids, distances2, ROOM, 0, 0};
  copse_points_raycast_all(index, center, target, 0.5f, NULL, &notItself, &hits);
  add(hits.visits);
  add(hits.total);
  for (uint32_t i = 0; i < hits.total; i++) {
    add(hits.ids[i]);
    add_float(hits.fractions[i]);
  }
}

static void ask_for_all(copse_points *index, uint32_t dim, const float *positions) {
  const uint32_t agents = copse_points_slots(index);
  copse_rows rows = {offsets, counts, ids, ROOM, 0, false};
  copse_points_all_within(index, 12, NULL, NULL, &rows);
  add(rows.total);
  for (uint32_t slot = 0; slot < agents; slot++) {
    add(counts[slot]);
    for (uint32_t i = 0; i < counts[slot]; i++) add(ids[offsets[slot] + i]);
  }

  copse_query near = copse_query_default();
  near.maxDistance = 40;
  copse_neighbor_rows neighbors = {counts, ids, distances2};
  copse_points_all_neighbors(index, 6, &near, NULL, &neighbors);
  for (uint32_t slot = 0; slot < agents; slot++) {
    add(counts[slot]);
    for (uint32_t i = 0; i < counts[slot]; i++) {
      add(ids[6 * slot + i]);
      add_float(distances2[6 * slot + i]);
    }
  }

  copse_results pairs = {ids, NULL, ROOM, 0, 0};
  copse_points_pairs(index, 6, NULL, NULL, &pairs);
  add(pairs.total / 2);
  for (uint32_t i = 0; i < pairs.total; i++) add(ids[i]);

  for (uint32_t slot = 0; slot < agents; slot++) {
    float *segment = segments + 2 * dim * slot;
    memcpy(segment, positions + slot * dim, dim * sizeof *segment);
    memcpy(segment + dim, positions + (slot + 1) % agents * dim, dim * sizeof *segment);
  }
  if (copse_points_raycast_many(index, segments, agents, 1.75f, radii, NULL, NULL, ids,
                                distances2) != COPSE_OK)
    return; /* refused in a world that wraps around */
  for (uint32_t slot = 0; slot < agents; slot++) {
    add(ids[slot]);
    add_float(distances2[slot]);
  }
}

/* The last snapshot of any object. */
static uint32_t saved[ROOM];

static void add_saved(size_t bytes) {
  for (size_t i = 0; i < bytes / sizeof *saved; i++) add(saved[i]);
}

static void save(copse_points *index) {
  size_t bytes;
  if (copse_points_save(index, saved, sizeof saved, &bytes, NULL) != COPSE_OK) fail();
  add_saved(bytes);
  copse_points_set_slots(index, 0);
  copse_points_build(index, NULL);
  if (copse_points_restore(index, saved, bytes, NULL) != COPSE_OK) fail();
}

static float drawn[ROOM];

/* Adds the order of the agents, and the cells. */
static void add_shape(copse_points *index) {
  uint32_t agents;
  const uint32_t *order = copse_points_order(index, &agents);
  for (uint32_t i = 0; i < agents; i++) add(order[i]);
  const size_t floats = copse_points_cells(index, 0, drawn, ROOM);
  if (floats > ROOM) fail();
  for (size_t i = 0; i < floats; i++) add_float(drawn[i]);
}

/* Removes some agents and adds fewer. */
static void come_and_go(copse_points *index, uint32_t agents, float size) {
  for (uint32_t i = 0; i < agents / 16; i++) {
    const float position[] = {draw_below(size), draw_below(size), draw_below(size)};
    uint32_t slot = next() % agents;
    if (i % 4)
      copse_points_remove(index, slot);
    else
      copse_points_add(index, position, &slot);
    add(slot);
    add(copse_points_count(index));
  }
}

/* Builds an index from the buffers of `source`, which may be the index itself. */
static void build(copse_points *index, copse_points *source, uint32_t dim) {
  const float *own = copse_points_positions(source).axes[0];
  const copse_const_positions given = {{own, own + 1, dim == 3 ? own + 2 : NULL}, dim};
  if (index == source)
    copse_points_build(index, NULL);
  else if (copse_points_build_from(index, &given, copse_points_groups(source),
                                   copse_points_generations(source), copse_points_slots(source),
                                   NULL) != COPSE_OK)
    fail();
}

/* Plays frames of moving agents. With `isCopied`, another index is built from them, and that is
 * searched. */
static void play(kind like, uint32_t dim, uint32_t agents, float size, bool isCopied) {
  copse_agenttree_def def = copse_agenttree_default();
  def.leafSize = 16;
  def.dimensions = dim;
  def.capacity = agents;
  def.tasks = tasks;
  copse_points *index;
  if (create_points(&def, like, &index) != COPSE_OK) fail();
  copse_points *searched = index;
  if (isCopied && create_points(&def, like, &searched) != COPSE_OK) fail();
  copse_points_set_slots(index, agents);
  float *positions = copse_points_positions(index).axes[0];
  uint32_t *groups = copse_points_groups(index);
  for (uint32_t agent = 0; agent < agents; agent++) {
    for (uint32_t axis = 0; axis < dim; axis++) {
      positions[agent * dim + axis] = draw_below(size);
      velocities[agent * dim + axis] = coarse(((float)(next() >> 20) - 2048) / 4096, 0.25f);
    }
    groups[agent] = 1u << (next() & 3);
    radii[agent] = (float)(agent & 7) / 4;
  }
  for (uint32_t frame = 0; frame < form.frames; frame++) {
    for (uint32_t i = 0; i < agents * dim; i++) {
      positions[i] += velocities[i];
      if (positions[i] < 0 || positions[i] > size) velocities[i] = -velocities[i];
    }
    if (frame % 4 == 1) come_and_go(index, agents, size);
    if (frame % 16 == 8) copse_points_set_slots(index, agents - next() % 64);
    build(searched, index, dim);
    add_shape(searched);
    if (frame % 100 == 99) save(searched);
    for (uint32_t asker = 0; asker < agents; asker += STEP)
      ask(searched, asker, dim, positions + asker * dim);
    ask_for_all(searched, dim, positions);
  }
  if (isCopied) copse_points_destroy(searched);
  copse_points_destroy(index);
}

static void play_both(kind in2D, kind in3D) {
  play(in2D, 2, 2000, form.isCoarse ? 512 : 1024, false);
  play(in3D, 3, 1000, form.isCoarse ? 64 : 128, false);
}

/* ---- Sensors ---- */

static void add_rows(const copse_rows *rows, uint32_t slots) {
  add(rows->total);
  for (uint32_t slot = 0; slot < slots; slot++) {
    add(rows->counts[slot]);
    for (uint32_t i = 0; i < rows->counts[slot]; i++) add(rows->ids[rows->offsets[slot] + i]);
  }
}

static copse_sensor draw_sensor(uint32_t dim, uint32_t agents, float size) {
  copse_sensor sensor = copse_sensor_default();
  sensor.kind = (copse_sensor_kind)(next() % 3);
  sensor.agent = next() % agents;
  for (uint32_t axis = 0; axis < dim; axis++) {
    sensor.place[axis] = draw_below(size);
    sensor.place[dim + axis] = sensor.place[axis] + draw_below(24);
  }
  sensor.radius = draw_below(24);
  sensor.exitRadius = sensor.radius + draw_below(8);
  if (next() & 1) sensor.mask = 1u << (next() & 3);
  return sensor;
}

static void save_sensors(copse_sensors *sensors) {
  size_t bytes;
  if (copse_sensors_save(sensors, saved, sizeof saved, &bytes) != COPSE_OK) fail();
  add_saved(bytes);
  copse_sensors_clear(sensors);
  if (copse_sensors_restore(sensors, saved, bytes, NULL) != COPSE_OK) fail();
}

static void play_sensors(kind like, uint32_t dim, float size, bool isCopied) {
  enum { SENSED = 500, SENSORS = 60 };
  copse_agenttree_def def = copse_agenttree_default();
  copse_sensors_def sensorsDef = copse_sensors_default();
  copse_points *index;
  copse_sensors *sensors;
  uint32_t slot, needed;
  def.dimensions = sensorsDef.dimensions = dim;
  def.capacity = sensorsDef.agents = SENSED;
  sensorsDef.capacity = SENSORS;
  sensorsDef.results = ROOM;
  if (create_points(&def, like, &index) != COPSE_OK) fail();
  if (copse_sensors_create(&sensorsDef, &sensors) != COPSE_OK) fail();
  copse_points *searched = index;
  if (isCopied && create_points(&def, like, &searched) != COPSE_OK) fail();
  copse_points_set_slots(index, SENSED);
  float *positions = copse_points_positions(index).axes[0];
  for (uint32_t i = 0; i < SENSED * dim; i++) positions[i] = draw_below(size);
  for (uint32_t frame = 0; frame < 4 * form.frames; frame++) {
    for (uint32_t i = 0; i < SENSED * dim; i++) positions[i] += draw_below(4) - 2;
    come_and_go(index, SENSED, size);
    for (uint32_t agent = 0; agent < SENSED; agent++)
      if (next() % 16 == 0) copse_points_groups(index)[agent] = next() & 15;
    for (int i = 0; i < 4; i++) {
      const copse_sensor sensor = draw_sensor(dim, SENSED, size);
      slot = next() % SENSORS;
      if (i == 3)
        copse_sensors_reset(sensors, slot);
      else if (copse_sensors_move(sensors, slot, sensor.place) != COPSE_OK || (next() & 3) == 0) {
        copse_sensors_remove(sensors, slot);
        copse_sensors_add(sensors, &sensor, &slot);
      }
      add(slot);
    }
    build(searched, index, dim);
    if (copse_sensors_update(sensors, searched, &needed) != COPSE_OK) fail();
    const copse_sensors_arrays arrays = copse_sensors_get(sensors);
    const uint32_t slots = copse_sensors_slots(sensors);
    add(needed);
    add_rows(&arrays.left, slots);
    add_rows(&arrays.entered, slots);
    add_rows(&arrays.inside, slots);
    if (frame % 16 == 15) save_sensors(sensors);
  }
  copse_sensors_destroy(sensors);
  if (isCopied) copse_points_destroy(searched);
  copse_points_destroy(index);
}

/* ---- Boxes ---- */

typedef struct boxes {
  copse_octree *tree;
  uint32_t dim, slots;
  float size;
} boxes;

static void draw_box(const boxes *world, float *box) {
  const bool isPoint = (next() & 3) == 0;
  for (uint32_t axis = 0; axis < world->dim; axis++) {
    box[axis] = draw_below(world->size) - 8;
    const float side = coarse((float)(next() >> 20) / 256, 1);
    box[world->dim + axis] = isPoint ? box[axis] : box[axis] + side;
  }
}

static void insert_box(const boxes *world) {
  float box[6];
  uint32_t slot;
  draw_box(world, box);
  copse_octree_add(world->tree, box, &slot);
  add(slot);
  copse_octree_groups(world->tree)[slot] = 1u << (next() & 3);
}

static void churn_boxes(const boxes *world) {
  for (int i = 0; i < 40; i++) {
    const uint32_t slot = next() % world->slots;
    float box[6];
    if (!copse_octree_has(world->tree, slot))
      insert_box(world);
    else if (next() & 1)
      copse_octree_remove(world->tree, slot);
    else {
      draw_box(world, box);
      copse_octree_move(world->tree, slot, box);
    }
  }
}

static void move_boxes(const boxes *world, uint32_t frame) {
  for (uint32_t slot = 0; slot < world->slots; slot++) {
    float *box = copse_octree_boxes(world->tree) + slot * 2 * world->dim;
    if (!copse_octree_has(world->tree, slot)) continue;
    if (frame % 4 == 3 || (frame % 2 == 0 && slot % 16 == frame % 16))
      draw_box(world, box);
    else if (frame % 2 == 1)
      for (uint32_t i = 0; i < 2 * world->dim; i++) box[i] += 0.25f;
  }
  copse_octree_move_all(world->tree, NULL);
}

static void ask_boxes(const boxes *world, uint32_t asker) {
  const uint32_t dim = world->dim;
  const float *center = copse_octree_boxes(world->tree) + asker * 2 * dim;
  copse_results results = {ids, distances2, ROOM, 0, 0};
  copse_octree_within(world->tree, center, 12, NULL, &results);
  add_ids(&results, true);

  float lo[3], hi[3], target[3];
  for (uint32_t axis = 0; axis < dim; axis++) {
    lo[axis] = center[axis] - 10;
    hi[axis] = center[axis] + 10;
    target[axis] = world->size - center[axis];
  }
  copse_octree_range(world->tree, lo, hi, NULL, &results);
  add_ids(&results, false);

  float planes[12];
  if (dim == 3) {
    planes_at(center, planes);
    copse_octree_frustum(world->tree, planes, 3, NULL, &results);
    add_ids(&results, false);
    add(results.visits);
  }

  copse_query others = copse_query_default();
  others.mask = 5;
  others.exclude = asker;
  copse_octree_neighbors(world->tree, center, 6, &others, &results);
  add_ids(&results, true);

  copse_query secondGroup = copse_query_default();
  secondGroup.mask = 2;
  uint32_t total, visits;
  copse_octree_count_within(world->tree, center, 25, &secondGroup, &total, &visits);
  add(total);
  add(visits);

  copse_query notItself = copse_query_default();
  notItself.exclude = asker;
  copse_box_hit hit;
  copse_octree_raycast(world->tree, center, target, &notItself, &hit, &visits);
  add(visits);
  add(hit.id);
  if (hit.id == COPSE_NONE) return;
  add_float(hit.fraction);
  for (int axis = 0; axis < 3; axis++) add((uint32_t)(hit.normal[axis] + 1));
  notItself.inflate = 1.5f;
  copse_octree_raycast(world->tree, center, target, &notItself, &hit, NULL);
  add(hit.id);
  add_float(hit.fraction);
  for (int axis = 0; axis < 3; axis++) add_float(hit.normal[axis]);
}

/* Searches the areas of all items of the first slots, in one call. */
static void add_area_rows(const boxes *world) {
  enum { AREAS = 32 };
  static float areas[6 * AREAS];
  const float *from = copse_octree_boxes(world->tree);
  uint32_t n = 0;
  for (uint32_t slot = 0; slot < world->slots && n < AREAS; slot++) {
    if (!copse_octree_has(world->tree, slot)) continue;
    for (uint32_t axis = 0; axis < world->dim; axis++) {
      areas[2 * world->dim * n + axis] = from[2 * world->dim * slot + axis] - 9;
      areas[2 * world->dim * n + world->dim + axis] = from[2 * world->dim * slot + axis] + 9;
    }
    n++;
  }
  copse_rows rows = {offsets, counts, ids, ROOM, 0, false};
  if (copse_octree_range_many(world->tree, areas, n, NULL, &rows) != COPSE_OK) fail();
  add(rows.total);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t place = 0; place < counts[i]; place++) add(ids[offsets[i] + place]);
}

static void save_boxes(const boxes *world) {
  size_t bytes;
  if (copse_octree_save(world->tree, saved, sizeof saved, &bytes) != COPSE_OK) fail();
  add_saved(bytes);
  copse_octree_clear(world->tree);
  if (copse_octree_restore(world->tree, saved, bytes, NULL) != COPSE_OK) fail();
}

static void play_boxes(uint32_t dim, uint32_t slots, float size, float looseness) {
  copse_octree_def def = copse_octree_default();
  def.dimensions = dim;
  def.capacity = slots;
  def.leafSize = 4;
  def.looseness = looseness;
  for (uint32_t axis = 0; axis < dim; axis++) {
    def.bounds[axis] = 0;
    def.bounds[dim + axis] = size;
  }
  boxes world = {NULL, dim, slots, size};
  if (copse_octree_create(&def, &world.tree) != COPSE_OK) fail();
  for (uint32_t i = 0; i < slots / 4 * 3; i++) insert_box(&world);
  for (uint32_t frame = 0; frame < form.boxFrames; frame++) {
    churn_boxes(&world);
    move_boxes(&world, frame);
    for (uint32_t asker = 0; asker < slots; asker += STEP)
      if (copse_octree_has(world.tree, asker)) ask_boxes(&world, asker);
    add_area_rows(&world);
    copse_results pairs = {ids, NULL, ROOM, 0, 0};
    copse_octree_pairs(world.tree, NULL, &pairs);
    add(pairs.total / 2);
    for (uint32_t i = 0; i < pairs.total; i++) add(ids[i]);
    const copse_octree_statistics stats = copse_octree_stats(world.tree);
    add(stats.nodes);
    add(stats.leaves);
    add(stats.straddlers);
    add(stats.outside);
    for (uint32_t depth = 0; depth <= stats.depth; depth++) add(stats.perDepth[depth]);
    add((uint32_t)stats.changes);
    const size_t floats = copse_octree_cells(world.tree, 0, drawn, ROOM);
    if (floats > ROOM) fail();
    for (size_t i = 0; i < floats; i++) add_float(drawn[i]);
    if (frame % 6 == 5) save_boxes(&world);
  }
  copse_octree_destroy(world.tree);
}

/* ---- Walls ---- */

enum { WALL_SLOTS = 1400, WALL_SIZE = 256, WALL_ASKERS = 40, SIGHTS = 64 };

static float draw_coordinate(void) { return draw_below(WALL_SIZE); }

static void draw_loop(float *points, uint32_t count) {
  const float x = draw_coordinate(), y = draw_coordinate();
  for (uint32_t i = 0; i < 2 * count; i++)
    points[i] = (i & 1 ? y : x) + coarse(((float)(next() >> 20) - 2048) / 128, 1);
}

static void add_loop(copse_obstacle *tree) {
  const uint32_t count = 2 + next() % 5;
  float points[2 * 6];
  uint32_t slot;
  draw_loop(points, count);
  const bool twoSided = (next() & 7) == 0;
  copse_obstacle_add(tree, points, count, twoSided ? COPSE_SOLID_NOWHERE : COPSE_SOLID_WINDING,
                     &slot);
  add(slot);
}

static void churn_walls(copse_obstacle *tree, uint32_t frame) {
  const uint32_t *following = copse_obstacle_next(tree);
  for (int i = 0; i < 20; i++) {
    const uint32_t slot = next() % WALL_SLOTS;
    if (!copse_obstacle_has(tree, slot)) {
      if (copse_obstacle_used(tree) <= WALL_SLOTS - 100) add_loop(tree);
    } else if (next() & 1)
      copse_obstacle_remove(tree, slot);
    else {
      float points[2 * 6];
      uint32_t count = 1;
      for (uint32_t id = following[slot]; id != slot; id = following[id]) count++;
      draw_loop(points, count);
      copse_obstacle_move(tree, slot, points, count);
    }
  }
  float *vertices = copse_obstacle_vertices(tree);
  for (uint32_t id = frame % 8; id < WALL_SLOTS && frame % 2 == 1; id += 8)
    vertices[(size_t)2 * id] += 0.25f;
}

static void add_hit(const copse_obstacle_hit *hit) {
  add(hit->edge);
  if (hit->edge == COPSE_NONE) return;
  add_float(hit->fraction);
  for (int axis = 0; axis < 2; axis++) add_float(hit->point[axis]);
  for (int axis = 0; axis < 2; axis++) add_float(hit->normal[axis]);
}

static void ask_walls(copse_obstacle *tree, uint32_t asker, float *from) {
  static copse_corner corners[4 * WALL_SLOTS + 20];
  const float *vertices = copse_obstacle_vertices(tree);
  float to[2];
  for (int axis = 0; axis < 2; axis++) from[axis] = draw_coordinate();
  for (int axis = 0; axis < 2; axis++) to[axis] = draw_coordinate();
  if (asker % 8 == 0)
    memcpy(from, vertices + (size_t)2 * (asker * 31 % WALL_SLOTS), 2 * sizeof *from);
  const copse_side side = asker & 1 ? COPSE_SIDE_VISIBLE : COPSE_SIDE_BOTH;

  copse_results results = {ids, distances2, ROOM, 0, 0};
  copse_obstacle_within(tree, from, 12, side, &results);
  add_ids(&results, true);
  copse_obstacle_point wall;
  uint32_t visits;
  copse_obstacle_nearest(tree, from, 20, COPSE_SIDE_VISIBLE, &wall, &visits);
  add(visits);
  add(wall.edge);
  if (wall.edge != COPSE_NONE) {
    add_float((float)sqrt((double)wall.distance2));
    for (int axis = 0; axis < 2; axis++) add_float(wall.point[axis]);
  }
  for (int wide = 0; wide < 2; wide++) {
    bool visible;
    copse_obstacle_visible(tree, from, to, wide ? 1.5f : 0, &visible, &visits);
    add(visible);
    add(visits);
  }
  copse_obstacle_hit hit;
  copse_obstacle_raycast(tree, from, to, side, &hit, &visits);
  add_hit(&hit);
  add(visits);
  bool inside;
  copse_obstacle_contains(tree, from, &inside, &visits);
  add(inside);
  add(visits);
  const float lo[2] = {from[0] - 40, from[1] - 40}, hi[2] = {from[0] + 40, from[1] + 40};
  uint32_t total;
  if (copse_obstacle_visibility(tree, from, lo, hi, corners, 4 * WALL_SLOTS + 20, &total, &visits))
    fail();
  add(total);
  add(visits);
  for (uint32_t i = 0; i < total; i++) {
    add_float((float)corners[i].x);
    add_float((float)corners[i].y);
  }
}

static void ask_for_sights(copse_obstacle *tree, const float *from) {
  float *vertices = copse_obstacle_vertices(tree);
  uint32_t edges[SIGHTS];
  for (uint32_t i = 0; i < SIGHTS; i++) {
    memcpy(segments + (size_t)4 * i, vertices + (size_t)2 * i, 2 * sizeof *segments);
    memcpy(segments + (size_t)4 * i + 2, vertices + (size_t)2 * (WALL_SLOTS / 2 + i),
           2 * sizeof *segments);
  }
  copse_obstacle_raycast_many(tree, segments, SIGHTS, COPSE_SIDE_VISIBLE, edges, distances2);
  for (uint32_t i = 0; i < SIGHTS; i++) {
    add(edges[i]);
    add_float(distances2[i]);
  }
  const copse_const_positions positions = {{vertices, vertices + 1, NULL}, 2};
  for (uint32_t id = 0; id < WALL_SLOTS; id++) ids[id] = id;
  const uint32_t kept = copse_obstacle_keep_visible(tree, from, &positions, ids, WALL_SLOTS, ids);
  add(kept);
  for (uint32_t i = 0; i < kept; i++) add(ids[i]);
}

static void add_tree(const copse_obstacle *tree) {
  const copse_obstacle_statistics stats = copse_obstacle_stats(tree);
  const uint32_t figures[] = {stats.edges,  stats.dropped, stats.pieces, stats.nodes,
                              stats.leaves, stats.unsplit, stats.depth,  stats.polygons};
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) add(figures[i]);
  for (int what = 0; what < 2; what++) {
    const size_t total = what ? copse_obstacle_lines(tree, 0, drawn, ROOM)
                              : copse_obstacle_cells(tree, 0, drawn, ROOM);
    if (total > ROOM) fail();
    for (size_t i = 0; i < total; i++) add_float(drawn[i]);
  }
}

static void play_walls(void) {
  copse_obstacle_def def = copse_obstacle_default();
  def.capacity = WALL_SLOTS;
  def.leafSize = 4;
  copse_obstacle *tree;
  if (copse_obstacle_create(&def, &tree) != COPSE_OK) fail();
  while (copse_obstacle_used(tree) < 1100) add_loop(tree);
  for (uint32_t frame = 0; frame < form.wallFrames; frame++) {
    float from[2];
    churn_walls(tree, frame);
    copse_obstacle_build(tree, NULL);
    for (uint32_t asker = 0; asker < WALL_ASKERS; asker++) ask_walls(tree, asker, from);
    ask_for_sights(tree, from);
    add_tree(tree);
    if (frame % 6 != 5) continue;
    size_t bytes;
    if (copse_obstacle_save(tree, saved, sizeof saved, &bytes, NULL) != COPSE_OK) fail();
    add_saved(bytes);
    copse_obstacle_clear(tree);
    if (copse_obstacle_restore(tree, saved, bytes, NULL) != COPSE_OK) fail();
  }
  copse_obstacle_destroy(tree);
}

/* ---- Crowds ---- */

typedef struct crowds {
  copse_crowd *crowd;
  copse_obstacle *walls; /* NULL: none */
  copse_crowd_def def;
  uint32_t dim, slots, least;
  float size;
} crowds;

static float draw_place(const crowds *world) { return draw_below(world->size); }
static float draw_speed(void) { return coarse(((float)(next() >> 20) - 2048) / 2048, 0.25f); }

static void add_agent(const crowds *world) {
  copse_crowd_agent agent = copse_crowd_agent_default();
  for (uint32_t axis = 0; axis < world->dim; axis++) {
    agent.position[axis] = draw_place(world);
    agent.velocity[axis] = draw_speed();
    agent.preferredVelocity[axis] = draw_speed();
    agent.goal[axis] = draw_place(world);
  }
  if ((next() & 3) == 0) agent.goal[0] = agent.goal[1] = agent.goal[2] = NAN;
  agent.radius = coarse((float)(next() >> 24) / 512, 0.125f);
  agent.maxSpeed = 1 + coarse((float)(next() >> 24) / 128, 0.25f);
  agent.preferredSpeed = agent.maxSpeed / 2;
  agent.neighborDistance = 2 + (float)(next() & 7);
  agent.maxNeighbors = next() % 11;
  agent.timeHorizon = 1 + (float)(next() & 3);
  agent.obstacleTimeHorizon = (1 + (float)(next() & 3)) / 2;
  const uint32_t extras = next();
  agent.priority = (float)(extras & 3);
  if ((extras >> 2 & 3) == 0) agent.mask = 2;
  agent.groups = 1 + (extras >> 4 & 1);
  agent.locked = (extras >> 6 & 31) == 0;
  agent.enabled = (extras >> 11 & 31) != 0;
  if ((extras >> 16 & 3) == 0) agent.maxAcceleration = 1 + (float)(extras >> 24) / 8;
  if ((extras >> 18 & 3) == 0) agent.goal[0] = agent.goal[1] = agent.goal[2] = world->size / 2;
  uint32_t slot;
  copse_crowd_add(world->crowd, &agent, &slot);
  add(slot);
}

/* Adds two pairs of agents, all of which meet head-on in one point. */
static void add_pairs(const crowds *world) {
  for (int axis = 0; axis < 2; axis++)
    for (float side = -4; side <= 4; side += 8) {
      copse_crowd_agent agent = copse_crowd_agent_default();
      uint32_t slot;
      for (int i = 0; i < 3; i++) agent.position[i] = agent.goal[i] = 2 * world->size;
      agent.position[axis] += side;
      agent.goal[axis] -= side;
      copse_crowd_add(world->crowd, &agent, &slot);
      add(slot);
    }
}

static void draw_rectangle(const crowds *world, float *points) {
  const float left = draw_place(world), bottom = draw_place(world);
  const float right = left + coarse((float)(next() >> 20) / 2048, 0.5f);
  const float top = bottom + coarse((float)(next() >> 20) / 2048, 0.5f);
  const float corners[] = {left, bottom, right, bottom, right, top, left, top};
  memcpy(points, corners, sizeof corners);
}

/* Adds and removes agents. */
static void churn_agents(const crowds *world) {
  for (int i = 0; i < 3; i++) {
    const uint32_t slot = next() % world->slots;
    if (!copse_crowd_has(world->crowd, slot))
      add_agent(world);
    else if (copse_crowd_count(world->crowd) > world->least)
      copse_crowd_remove(world->crowd, slot);
  }
}

static void churn_crowd(const crowds *world, uint32_t step) {
  churn_agents(world);
  float *goals = copse_crowd_get(world->crowd).goals;
  for (uint32_t slot = step % 16; slot < world->slots && step % 2; slot += 16)
    for (uint32_t axis = 0; axis < world->dim && copse_crowd_has(world->crowd, slot); axis++)
      goals[slot * world->dim + axis] = draw_place(world);
  if (!world->walls || step % 2 == 0) return;
  const uint32_t first = 4 * (next() % form.rectangles);
  if (step % 4 == 3) {
    float points[8];
    draw_rectangle(world, points);
    copse_obstacle_move(world->walls, first, points, 4);
  } else
    for (uint32_t id = first; id < first + 4; id++)
      copse_obstacle_vertices(world->walls)[(size_t)2 * id] += 0.25f;
  copse_obstacle_build(world->walls, NULL);
}

static void add_events(const crowds *world) {
  const copse_crowd_arrays arrays = copse_crowd_get(world->crowd);
  const uint32_t *slots[] = {arrays.arrived, arrays.stuck};
  const uint32_t totals[] = {copse_crowd_arrived(world->crowd), copse_crowd_stuck(world->crowd)};
  for (int sort = 0; sort < 2; sort++) {
    add(totals[sort]);
    for (uint32_t i = 0; i < totals[sort]; i++) add(slots[sort][i]);
  }
}

static void add_crowd(const crowds *world) {
  add(copse_crowd_hash(world->crowd));
  const copse_crowd_statistics stats = copse_crowd_stats(world->crowd);
  add(stats.agents);
  add(stats.infeasible);
  add(stats.overlaps);
  add((uint32_t)stats.steps);
  add_float((float)stats.neighbors);
  add_float((float)stats.time);
  const uint32_t slot = next() % world->slots;
  static copse_crowd_view view;
  if (copse_crowd_inspect(world->crowd, world->walls, 0.125f, slot, &view) != COPSE_OK) return;
  add(view.neighborCount);
  for (uint32_t i = 0; i < view.neighborCount; i++) add(view.neighbors[i]);
  add(view.obstacleCount);
  for (uint32_t i = 0; i < view.obstacleCount; i++) add(view.obstacles[i]);
  add(view.obstacleConstraintCount);
  const uint32_t floats = view.constraintCount * 2 * world->dim;
  add(floats);
  for (uint32_t i = 0; i < floats; i++) add_float(view.constraints[i]);
}

static void replace_crowd(crowds *world) {
  size_t bytes;
  if (copse_crowd_save(world->crowd, saved, sizeof saved, &bytes, NULL) != COPSE_OK) fail();
  add_saved(bytes);
  copse_crowd_destroy(world->crowd);
  if (copse_crowd_create(&world->def, &world->crowd) != COPSE_OK) fail();
  if (copse_crowd_restore(world->crowd, saved, bytes, NULL) != COPSE_OK) fail();
}

static void play_crowd(uint32_t dim, uint32_t slots, uint32_t least, float size) {
  crowds world = {.dim = dim, .slots = slots, .least = least, .size = size};
  world.def = copse_crowd_default();
  world.def.dimensions = dim;
  world.def.capacity = slots;
  world.def.tasks = tasks;
  if (copse_crowd_create(&world.def, &world.crowd) != COPSE_OK) fail();
  if (dim == 2) {
    copse_obstacle_def def = copse_obstacle_default();
    def.capacity = 5 * form.rectangles;
    if (copse_obstacle_create(&def, &world.walls) != COPSE_OK) fail();
    for (uint32_t i = 0; i < form.rectangles; i++) {
      float points[8];
      uint32_t slot;
      draw_rectangle(&world, points);
      copse_obstacle_add(world.walls, points, 4,
                         next() & 3 ? COPSE_SOLID_WINDING : COPSE_SOLID_NOWHERE, &slot);
    }
    copse_obstacle_build(world.walls, NULL);
  }
  add_pairs(&world);
  for (uint32_t i = 0; i < least + least / 10; i++) add_agent(&world);
  for (uint32_t step = 0; step < form.crowdSteps; step++) {
    churn_crowd(&world, step);
    if (copse_crowd_step(world.crowd, world.walls, 0.125f, NULL) != COPSE_OK) fail();
    add_events(&world);
    if (step % 4 == 3) add_crowd(&world);
    if (step % 50 == 49) replace_crowd(&world);
  }
  copse_crowd_destroy(world.crowd);
  copse_obstacle_destroy(world.walls);
}

/* ---- Flow fields ---- */

enum { WALKERS = 40 };

typedef struct walker {
  float place[2];
  copse_flowfield_aim aim;
} walker;

static copse_flowfield *create_field(const copse_obstacle *walls, float size) {
  copse_flowfield_def def = copse_flowfield_default();
  copse_flowfield *field;
  def.bounds[2] = def.bounds[3] = size;
  if (copse_flowfield_create(&def, &field) != COPSE_OK) fail();
  copse_flowfield_set_obstacles(field, walls);
  return field;
}

/* Moves or turns walls, and changes goals, closed cells and the radius. */
static void churn_field(const crowds *world, copse_flowfield *field, uint32_t frame) {
  copse_flowfield_goal goals[3];
  const uint32_t cells = copse_flowfield_columns(field) * copse_flowfield_rows(field);
  if (frame % 3 == 2) {
    float points[8];
    draw_rectangle(world, points);
    copse_obstacle_move(world->walls, 4 * (next() % form.rectangles), points, 4);
    copse_obstacle_build(world->walls, NULL);
  }
  if (frame % 4 == 1)
    for (int i = 0; i < 8; i++) copse_flowfield_closed(field)[next() % cells] ^= 1;
  for (int i = 0; i < 3; i++) {
    copse_flowfield_goal *goal = &goals[i];
    for (int axis = 0; axis < 2; axis++) goal->lo[axis] = goal->hi[axis] = draw_place(world);
    if (i == 2) goal->hi[0] += 3;
    goal->cost = (float)i * 2;
  }
  copse_flowfield_set_goals(field, goals, 1 + frame % 3);
  copse_flowfield_set_radius(field, 0.5f + (float)(next() & 3) / 8);
}

static void ask_field(const copse_flowfield *field, walker *agent) {
  static float path[2 * MOST];
  copse_path found = {.corners = path, .capacity = MOST};
  if (copse_flowfield_path(field, agent->place, &found)) fail();
  add(found.total);
  add_float(found.length);
  for (uint32_t i = 0; i < 2 * found.total && i < 2 * MOST; i++) add_float(path[i]);
  if (copse_flowfield_lead(field, agent->place, 0.45f, &agent->aim)) fail();
  add(agent->aim.anchor);
  add_float(agent->aim.distance);
  for (int axis = 0; axis < 2; axis++) {
    add_float(agent->aim.direction[axis]);
    agent->place[axis] += agent->aim.direction[axis] / 2;
  }
}

static void add_field(const copse_flowfield *field) {
  const copse_flowfield_statistics stats = copse_flowfield_stats(field);
  const uint32_t figures[] = {
      stats.blocked,       stats.reached,  stats.anchors,          stats.moved,
      stats.floods,        stats.restarts, (uint32_t)stats.visits, (uint32_t)stats.sights,
      (uint32_t)stats.work};
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) add(figures[i]);
  const float *distances = copse_flowfield_distances(field);
  for (uint32_t cell = 0; cell < stats.cells; cell++) add_float(distances[cell]);
}

/* Returns a tree of drawn rectangles, with room for `others` more of them. */
static copse_obstacle *create_town(const crowds *world, uint32_t others) {
  copse_obstacle *walls;
  copse_obstacle_def def = copse_obstacle_default();
  def.capacity = 4 * (form.rectangles + others);
  if (copse_obstacle_create(&def, &walls) != COPSE_OK) fail();
  for (uint32_t i = 0; i < form.rectangles; i++) {
    float points[8];
    uint32_t slot;
    draw_rectangle(world, points);
    copse_obstacle_add(walls, points, 4, COPSE_SOLID_WINDING, &slot);
  }
  copse_obstacle_build(walls, NULL);
  return walls;
}

static void play_paths(void) {
  crowds world = {.size = form.crowdSize};
  world.walls = create_town(&world, 0);
  copse_flowfield *field = create_field(world.walls, world.size);
  walker agents[WALKERS];
  for (uint32_t frame = 0; frame < form.wallFrames; frame++) {
    churn_field(&world, field, frame);
    bool done = frame % 2;
    if (done && copse_flowfield_build(field, NULL)) fail();
    for (uint32_t i = 0; i < WALKERS && frame % 8 == 0; i++)
      for (int axis = 0; axis < 2; axis++) {
        agents[i].place[axis] = draw_place(&world);
        agents[i].aim.anchor = COPSE_NONE;
      }
    for (uint32_t i = 0; i < 100 && !done; i++) {
      if (copse_flowfield_build_part(field, 3000, &done, NULL)) fail();
      if (i != 2) continue;
      size_t bytes;
      if (copse_flowfield_save(field, saved, sizeof saved, &bytes) != COPSE_OK) fail();
      add_saved(bytes);
      copse_flowfield_destroy(field);
      field = create_field(world.walls, world.size);
      if (copse_flowfield_restore(field, saved, bytes, NULL) != COPSE_OK) fail();
    }
    for (uint32_t i = 0; i < WALKERS && done; i++) ask_field(field, &agents[i]);
    if (done) add_field(field);
  }
  copse_flowfield_destroy(field);
  copse_obstacle_destroy(world.walls);
}

/* ---- Crowds that follow flow fields ---- */

/* Writes the corners of a rectangle of the wall between two rooms: from one height to another. */
static void put_part(const crowds *world, float from, float to, float *points) {
  const float left = world->size / 2, right = left + 0.5f;
  const float corners[] = {left, from, right, from, right, to, left, to};
  memcpy(points, corners, sizeof corners);
}

/* Moves the door: into the upper gap of the wall, or out of the field. */
static void move_door(const crowds *world, uint32_t slot, bool isClosed) {
  float points[8];
  const float from = world->size * (isClosed ? 0.75f : 2);
  put_part(world, from, from + 4, points);
  copse_obstacle_move(world->walls, slot, points, 4);
  copse_obstacle_build(world->walls, NULL);
}

/* Sends the agents of a field to an area in one room or to a point in the other. */
static void send(const crowds *world, copse_flowfield *field, bool isArea) {
  const float size = world->size;
  const copse_flowfield_goal area = {{size - 8, 4}, {size - 2, size - 4}, 0};
  const copse_flowfield_goal point = {{4, 4}, {4, 4}, 0};
  copse_flowfield_set_goals(field, isArea ? &area : &point, 1);
}

static void follow(const crowds *world, copse_flowfield *const *fields) {
  for (uint32_t i = 0; i < 2; i++)
    if (copse_crowd_follow(world->crowd, fields[i], 1 + i) != COPSE_OK) fail();
}

/* Two groups follow a field each, between two rooms. A door closes and opens, and the goals change:
 * then the fields are built again, in slices. */
static void play_following(void) {
  crowds world = {.dim = 2, .slots = form.agentSlots, .least = form.agents, .size = form.crowdSize};
  const float size = world.size;
  const float parts[4][2] = {{0, size / 4}, {size / 4 + 4, size * 0.75f}, {size * 0.75f + 4, size}};
  copse_flowfield *fields[2];
  bool isBuilt[2] = {false, false};
  const uint32_t slice = 400 * form.rectangles; /* about a tenth of a build */
  uint32_t door;
  world.def = copse_crowd_default();
  world.def.capacity = world.slots;
  if (copse_crowd_create(&world.def, &world.crowd) != COPSE_OK) fail();
  world.walls = create_town(&world, 4);
  for (int i = 0; i < 4; i++) { /* the last one is the door, which is moved before the first step */
    float points[8];
    put_part(&world, parts[i][0], parts[i][1], points);
    if (copse_obstacle_add(world.walls, points, 4, COPSE_SOLID_WINDING, &door) != COPSE_OK) fail();
  }
  for (uint32_t i = 0; i < world.least; i++) add_agent(&world);
  for (int i = 0; i < 2; i++) fields[i] = create_field(world.walls, size);
  follow(&world, fields);
  for (uint32_t step = 0; step < form.crowdSteps; step++) {
    const uint32_t change = step / 40;
    churn_agents(&world);
    if (step % 40 == 0) move_door(&world, door, change % 2);
    for (uint32_t i = 0; i < 2; i++) {
      if (step % 40 == 0) {
        send(&world, fields[i], (change / 2 + i) % 2);
        isBuilt[i] = false;
      }
      if (!isBuilt[i] && copse_flowfield_build_part(fields[i], slice, &isBuilt[i], NULL)) fail();
    }
    if (copse_crowd_step(world.crowd, world.walls, 0.125f, NULL) != COPSE_OK) fail();
    add_events(&world);
    if (step % 4 == 3) add_crowd(&world);
    if (step % 50 == 49) {
      replace_crowd(&world);
      follow(&world, fields);
    }
  }
  copse_crowd_destroy(world.crowd);
  for (int i = 0; i < 2; i++) copse_flowfield_destroy(fields[i]);
  copse_obstacle_destroy(world.walls);
}

/* ---- Scenes ---- */

static void play_agenttree(void) {
  play_both((kind){.noun = AGENTTREE}, (kind){.noun = AGENTTREE});
}
static void play_grid(void) {
  play_both((kind){.noun = GRID, .cellSize = 12}, (kind){.noun = GRID, .cellSize = 5});
}
/* Worlds that wrap around: many agents are outside of them. */
static void play_wrapped(void) {
  static const float plane[] = {100, -10, 450.5f, 500}, space[] = {8, 0, -40, 60, 64, 90};
  play((kind){.noun = GRID, .cellSize = 12, .wrap = plane}, 2, 1000, 512, false);
  play((kind){.noun = GRID, .cellSize = 5, .wrap = space}, 3, 500, 64, false);
}
static void play_kdtree(void) { play_both((kind){.noun = KDTREE}, (kind){.noun = KDTREE}); }
static void play_octree(void) {
  play_boxes(2, 1000, 1024, 1);
  play_boxes(3, 500, 128, 1.25f);
}
static void play_crowds(void) {
  play_crowd(2, form.agentSlots, form.agents, form.crowdSize);
  play_crowd(3, 260, 200, 8);
}

static void play_all_sensors(void) {
  play_sensors((kind){.noun = AGENTTREE}, 2, 256, false);
  play_sensors((kind){.noun = GRID, .cellSize = 12}, 3, 64, false);
  play_sensors((kind){.noun = KDTREE}, 2, 256, false);
}

/* Indexes without buffers of their own. */
static void play_copied(void) {
  play((kind){.noun = AGENTTREE}, 2, 500, 256, true);
  play((kind){.noun = KDTREE}, 3, 300, 64, true);
  play_sensors((kind){.noun = GRID, .cellSize = 12}, 2, 256, true);
  play_sensors((kind){.noun = AGENTTREE}, 3, 64, true);
}

/* Enough agents that everything is divided into tasks: builds, batches and steps. */
static void play_divided(void) {
  form.frames = 3;
  form.crowdSteps = 12;
  play((kind){.noun = AGENTTREE}, 2, 6000, form.isCoarse ? 800 : 1600, false);
  play((kind){.noun = AGENTTREE}, 3, 4500, form.isCoarse ? 100 : 200, false);
  play((kind){.noun = KDTREE}, 2, 5000, form.isCoarse ? 800 : 1600, false);
  play_crowd(2, 1400, 1200, 128);
  form.frames = 1;
  play((kind){.noun = GRID, .cellSize = 12}, 2, MOST, form.isCoarse ? 2000 : 4000, false);
}

static const struct scene {
  const char *name;
  void (*play)(void);
} SCENES[] = {
    {"agenttree", play_agenttree}, {"grid", play_grid},        {"kdtree", play_kdtree},
    {"octree", play_octree},       {"obstacle", play_walls},   {"crowd", play_crowds},
    {"sensors", play_all_sensors}, {"wrap", play_wrapped},     {"paths", play_paths},
    {"copied", play_copied},       {"follow", play_following}, {"divided", play_divided},
};

static uint32_t hash_of(uint32_t scene, const struct form *played) {
  form = *played;
  state = 1;
  hash = 2166136261u;
  SCENES[scene].play();
  return hash;
}

#ifdef __wasm__
__attribute__((export_name("scene_hash")))
#endif
uint32_t
scene_hash(uint32_t scene, bool isLong) {
#ifdef __wasm__
  extern __attribute__((weak))
  copse_tasks pool; /* the threads of wasm/threads.c, if it is linked */
  if (&pool) tasks = pool;
#endif
  return hash_of(scene, isLong ? &LONG : &SHORT);
}

#ifndef __wasm__
#include "threads.h"

#include <stdio.h>

#ifdef COPSE_COUNT_WORK
extern _Thread_local uint64_t copse_work; /* see WORKED in c/base/core.h */
#else
static uint64_t copse_work;
#endif

/* Recorded for each scene: the work of its short form, the hash of its coarse form, and the work of
 * that. The hashes don't depend on the work: more work means a slower build or query, less means a
 * bound that happens to be tighter for these inputs. */
typedef struct measures {
  uint64_t work;
  uint32_t coarseHash;
  uint64_t coarseWork;
} measures;
static const measures MEASURED[] = {
    {53098022, 0xf5d830bd, 16219320},  {196083746, 0x9d034ad6, 27335117},
    {138883382, 0xa0c008eb, 37625398}, {10341036, 0x1cf1e305, 10495269},
    {12077643, 0xf2cd198c, 6043786},   {24372169, 0x3e5b43fa, 9497046},
    {6974067, 0x5bba1c2b, 1133003},    {38572172, 0x460bc4c8, 8125798},
    {2602139, 0xbd626018, 1163903},    {29251751, 0xe28e6b67, 5110125},
    {15827419, 0x0812e1ca, 5729938},   {35545006, 0x5d067707, 44115172},
};

/* Prints a scene's measures if they are not the recorded ones. */
static void check(uint32_t scene) {
  static const struct form COARSE = {12, 24, 12, 80, 300, 400, 20, 32, true};
  const measures *expected = &MEASURED[scene];
  measures now = {copse_work, 0, 0};
  copse_work = 0;
  now.coarseHash = hash_of(scene, &COARSE);
  now.coarseWork = copse_work;
#ifndef COPSE_COUNT_WORK
  now.work = expected->work;
  now.coarseWork = expected->coarseWork;
#endif
  if (now.work == expected->work && now.coarseHash == expected->coarseHash &&
      now.coarseWork == expected->coarseWork)
    return;
  printf("%s: {%llu, 0x%08x, %llu}\n", SCENES[scene].name, (unsigned long long)now.work,
         now.coarseHash, (unsigned long long)now.coarseWork);
}

int main(int count, char **arguments) {
  const bool isLong = count > 1 && !strcmp(arguments[1], "long");
  const int threads = count > 1 ? atoi(arguments[1]) : 0;
  static thread_pool pool;
  if (threads) tasks = pool_start(&pool, (uint32_t)threads);
  for (uint32_t scene = 0; scene < sizeof SCENES / sizeof *SCENES; scene++) {
    copse_work = 0;
    printf("%s 0x%08x\n", SCENES[scene].name, scene_hash(scene, isLong));
    if (!isLong && !threads) check(scene);
  }
  if (threads) pool_end(&pool);
  return 0;
}
#endif

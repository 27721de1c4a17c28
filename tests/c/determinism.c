/* A scenario for each structure whose results all go into one hash: the same number from every
 * build of the library, on every machine and in every engine. The native program prints a line for
 * each scene, as tests/data/determinism.txt has them; `determinism long` plays the long form, whose
 * hashes are in tests/data/determinism-long.txt. WebAssembly exports a scene's hash instead.
 *
 * Part of the results is the work: nodes that a query visits, and the shape of each structure.
 *
 * All numbers are float32, each step rounded. Random words come from mulberry32, seeded with 1. The
 * hash is FNV-1a over words instead of bytes.
 */

#include "compare.h"

uint32_t scene_hash(uint32_t scene, bool isLong);

enum { STEP = 7, MOST = 2000, ROOM = 32 * MOST };

static struct form {
  uint32_t frames, boxFrames, wallFrames, crowdSteps;
  uint32_t agents, agentSlots, rectangles; /* of the crowd in the plane */
  float crowdSize;
  bool isCoarse; /* what is drawn is rounded: many are at one place, on a border, or as far as
                    others */
} form;
static const struct form SHORT = {60, 24, 24, 200, 300, 400, 20, 32, false},
                         LONG = {1000, 1000, 1000, 1000, 1000, 1200, 80, 64, false};

static _Noreturn void fail(void) { __builtin_trap(); } /* no call here may be refused */

static uint32_t state, hash;
static uint32_t ids[ROOM], offsets[MOST], counts[MOST];
static float distances2[ROOM], velocities[3 * MOST], radii[MOST], segments[2 * 3 * MOST];

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

static void ask(copse_points *at, uint32_t asker, uint32_t dim, const float *center) {
  copse_results results = {ids, distances2, ROOM, 0, 0};
  copse_points_within(at, center, 12, NULL, &results);
  add_ids(&results, false);

  copse_query others = copse_query_default();
  others.mask = 5;
  others.exclude = asker;
  copse_points_neighbors(at, center, 6, &others, &results);
  add_ids(&results, true);

  copse_query byId = copse_query_default();
  byId.sort = COPSE_SORT_ID;
  float lo[3], hi[3];
  for (uint32_t axis = 0; axis < dim; axis++) {
    lo[axis] = center[axis] - 10;
    hi[axis] = center[axis] + 10;
  }
  copse_points_range(at, lo, hi, &byId, &results);
  add_ids(&results, false);

  copse_query byDistance = copse_query_default();
  byDistance.sort = COPSE_SORT_DISTANCE;
  /* Without a direction the query is refused, and nothing is hashed. */
  if (copse_points_cone(at, center, velocities + asker * dim, 0.7f, 40, &byDistance, &results) ==
      COPSE_OK)
    add_ids(&results, false);

  copse_query secondGroup = copse_query_default();
  secondGroup.mask = 2;
  uint32_t total, visits;
  copse_points_count_within(at, center, 25, &secondGroup, &total, &visits);
  add(total);
  add(visits);

  copse_query notItself = copse_query_default();
  notItself.exclude = asker;
  float target[3];
  for (uint32_t axis = 0; axis < dim; axis++)
    target[axis] = center[axis] + 64 * velocities[asker * dim + axis];
  copse_hit hit;
  copse_points_raycast(at, center, target, 0.5f, NULL, &notItself, &hit, &visits);
  add(visits);
  add(hit.id);
  if (hit.id != COPSE_NONE) add_float(hit.fraction);
}

static void ask_for_all(copse_points *at, uint32_t dim, const float *positions) {
  const uint32_t agents = copse_points_slots(at);
  copse_rows rows = {offsets, counts, ids, ROOM, 0, false};
  copse_points_all_within(at, 12, NULL, NULL, &rows);
  add(rows.total);
  for (uint32_t slot = 0; slot < agents; slot++) {
    add(counts[slot]);
    for (uint32_t i = 0; i < counts[slot]; i++) add(ids[offsets[slot] + i]);
  }

  copse_query near = copse_query_default();
  near.maxDistance = 40;
  copse_neighbor_rows neighbors = {counts, ids, distances2};
  copse_points_all_neighbors(at, 6, &near, NULL, &neighbors);
  for (uint32_t slot = 0; slot < agents; slot++) {
    add(counts[slot]);
    for (uint32_t i = 0; i < counts[slot]; i++) {
      add(ids[6 * slot + i]);
      add_float(distances2[6 * slot + i]);
    }
  }

  copse_results pairs = {ids, NULL, ROOM, 0, 0};
  copse_points_pairs(at, 6, NULL, NULL, &pairs);
  add(pairs.total / 2);
  for (uint32_t i = 0; i < pairs.total; i++) add(ids[i]);

  for (uint32_t slot = 0; slot < agents; slot++) {
    float *segment = segments + 2 * dim * slot;
    memcpy(segment, positions + slot * dim, dim * sizeof *segment);
    memcpy(segment + dim, positions + (slot + 1) % agents * dim, dim * sizeof *segment);
  }
  copse_points_raycast_many(at, segments, agents, 1.75f, radii, NULL, ids, distances2);
  for (uint32_t slot = 0; slot < agents; slot++) {
    add(ids[slot]);
    add_float(distances2[slot]);
  }
}

/* Of any object: its bytes, which go into the hash, are to be restored. */
static uint32_t saved[ROOM];

static void add_saved(size_t bytes) {
  for (size_t i = 0; i < bytes / sizeof *saved; i++) add(saved[i]);
}

static void save(copse_points *at) {
  size_t bytes;
  if (copse_points_save(at, saved, sizeof saved, &bytes, NULL) != COPSE_OK) fail();
  add_saved(bytes);
  copse_points_set_slots(at, 0);
  copse_points_build(at, NULL);
  if (copse_points_restore(at, saved, bytes) != COPSE_OK) fail();
}

static float drawn[ROOM];

/* A structure's order and cells. */
static void add_shape(copse_points *at) {
  uint32_t agents;
  const uint32_t *order = copse_points_order(at, &agents);
  for (uint32_t i = 0; i < agents; i++) add(order[i]);
  const size_t floats = copse_points_cells(at, 0, drawn, ROOM);
  if (floats > ROOM) fail();
  for (size_t i = 0; i < floats; i++) add_float(drawn[i]);
}

/* Some agents go, and fewer come. */
static void come_and_go(copse_points *at, uint32_t agents, float size) {
  for (uint32_t i = 0; i < agents / 16; i++) {
    const float position[] = {draw_below(size), draw_below(size), draw_below(size)};
    uint32_t slot = next() % agents;
    if (i % 4)
      copse_points_remove(at, slot);
    else
      copse_points_add(at, position, &slot);
    add(slot);
    add(copse_points_count(at));
  }
}

static void play(kind like, uint32_t dim, uint32_t agents, float size) {
  copse_agenttree_def def = copse_agenttree_default();
  def.leafSize = 16;
  def.dimensions = dim;
  def.capacity = agents;
  copse_points *at;
  if (create_points(&def, like, &at) != COPSE_OK) fail();
  copse_points_set_slots(at, agents);
  float *positions = copse_points_positions(at).axes[0];
  uint32_t *groups = copse_points_groups(at);
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
    if (frame % 4 == 1) come_and_go(at, agents, size);
    if (frame % 16 == 8) copse_points_set_slots(at, agents - next() % 64);
    copse_points_build(at, NULL);
    add_shape(at);
    if (frame % 100 == 99) save(at);
    for (uint32_t asker = 0; asker < agents; asker += STEP)
      ask(at, asker, dim, positions + asker * dim);
    ask_for_all(at, dim, positions);
  }
  copse_points_destroy(at);
}

static void play_both(kind in2D, kind in3D) {
  play(in2D, 2, 2000, form.isCoarse ? 512 : 1024);
  play(in3D, 3, 1000, form.isCoarse ? 64 : 128);
}

/* ---- Boxes ---- */

typedef struct boxes {
  copse_octree *tree;
  uint32_t dim, slots;
  float size;
} boxes;

static void draw_box(const boxes *at, float *box) {
  const bool isPoint = (next() & 3) == 0;
  for (uint32_t axis = 0; axis < at->dim; axis++) {
    box[axis] = draw_below(at->size) - 8;
    const float side = coarse((float)(next() >> 20) / 256, 1);
    box[at->dim + axis] = isPoint ? box[axis] : box[axis] + side;
  }
}

static void insert_box(const boxes *at) {
  float box[6];
  uint32_t slot;
  draw_box(at, box);
  copse_octree_add(at->tree, box, &slot);
  add(slot);
  copse_octree_groups(at->tree)[slot] = 1u << (next() & 3);
}

static void churn_boxes(const boxes *at) {
  for (int i = 0; i < 40; i++) {
    const uint32_t slot = next() % at->slots;
    float box[6];
    if (!copse_octree_has(at->tree, slot))
      insert_box(at);
    else if (next() & 1)
      copse_octree_remove(at->tree, slot);
    else {
      draw_box(at, box);
      copse_octree_move(at->tree, slot, box);
    }
  }
}

static void move_boxes(const boxes *at, uint32_t frame) {
  for (uint32_t slot = 0; slot < at->slots; slot++) {
    float *box = copse_octree_boxes(at->tree) + slot * 2 * at->dim;
    if (!copse_octree_has(at->tree, slot)) continue;
    if (frame % 4 == 3 || (frame % 2 == 0 && slot % 16 == frame % 16))
      draw_box(at, box);
    else if (frame % 2 == 1)
      for (uint32_t i = 0; i < 2 * at->dim; i++) box[i] += 0.25f;
  }
  copse_octree_move_all(at->tree, NULL);
}

static void ask_boxes(const boxes *at, uint32_t asker) {
  const uint32_t dim = at->dim;
  const float *center = copse_octree_boxes(at->tree) + asker * 2 * dim;
  copse_results results = {ids, distances2, ROOM, 0, 0};
  copse_octree_within(at->tree, center, 12, NULL, &results);
  add_ids(&results, true);

  float lo[3], hi[3], target[3];
  for (uint32_t axis = 0; axis < dim; axis++) {
    lo[axis] = center[axis] - 10;
    hi[axis] = center[axis] + 10;
    target[axis] = at->size - center[axis];
  }
  copse_octree_range(at->tree, lo, hi, NULL, &results);
  add_ids(&results, false);

  copse_query others = copse_query_default();
  others.mask = 5;
  others.exclude = asker;
  copse_octree_neighbors(at->tree, center, 6, &others, &results);
  add_ids(&results, true);

  copse_query secondGroup = copse_query_default();
  secondGroup.mask = 2;
  uint32_t total, visits;
  copse_octree_count_within(at->tree, center, 25, &secondGroup, &total, &visits);
  add(total);
  add(visits);

  copse_query notItself = copse_query_default();
  notItself.exclude = asker;
  copse_box_hit hit;
  copse_octree_raycast(at->tree, center, target, &notItself, &hit, &visits);
  add(visits);
  add(hit.id);
  if (hit.id == COPSE_NONE) return;
  add_float(hit.fraction);
  for (int axis = 0; axis < 3; axis++) add((uint32_t)(hit.normal[axis] + 1));
}

static void save_boxes(const boxes *at) {
  size_t bytes;
  if (copse_octree_save(at->tree, saved, sizeof saved, &bytes) != COPSE_OK) fail();
  add_saved(bytes);
  copse_octree_clear(at->tree);
  if (copse_octree_restore(at->tree, saved, bytes) != COPSE_OK) fail();
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
  boxes at = {NULL, dim, slots, size};
  if (copse_octree_create(&def, &at.tree) != COPSE_OK) fail();
  for (uint32_t i = 0; i < slots / 4 * 3; i++) insert_box(&at);
  for (uint32_t frame = 0; frame < form.boxFrames; frame++) {
    churn_boxes(&at);
    move_boxes(&at, frame);
    for (uint32_t asker = 0; asker < slots; asker += STEP)
      if (copse_octree_has(at.tree, asker)) ask_boxes(&at, asker);
    copse_results pairs = {ids, NULL, ROOM, 0, 0};
    copse_octree_pairs(at.tree, NULL, &pairs);
    add(pairs.total / 2);
    for (uint32_t i = 0; i < pairs.total; i++) add(ids[i]);
    const copse_octree_statistics stats = copse_octree_stats(at.tree);
    add(stats.nodes);
    add(stats.leaves);
    add(stats.straddlers);
    add(stats.outside);
    for (uint32_t depth = 0; depth <= stats.depth; depth++) add(stats.perDepth[depth]);
    add((uint32_t)stats.changes);
    const size_t floats = copse_octree_cells(at.tree, 0, drawn, ROOM);
    if (floats > ROOM) fail();
    for (size_t i = 0; i < floats; i++) add_float(drawn[i]);
    if (frame % 6 == 5) save_boxes(&at);
  }
  copse_octree_destroy(at.tree);
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

static void add_hit(const copse_wall_hit *hit) {
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
  copse_wall wall;
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
  copse_wall_hit hit;
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
    if (copse_obstacle_restore(tree, saved, bytes) != COPSE_OK) fail();
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

static float draw_place(const crowds *at) { return draw_below(at->size); }
static float draw_speed(void) { return coarse(((float)(next() >> 20) - 2048) / 2048, 0.25f); }

static void add_agent(const crowds *at) {
  copse_crowd_agent agent = copse_crowd_agent_default();
  for (uint32_t axis = 0; axis < at->dim; axis++) {
    agent.position[axis] = draw_place(at);
    agent.velocity[axis] = draw_speed();
    agent.preferredVelocity[axis] = draw_speed();
    agent.goal[axis] = draw_place(at);
  }
  if ((next() & 3) == 0) agent.goal[0] = agent.goal[1] = agent.goal[2] = NAN;
  agent.radius = coarse((float)(next() >> 24) / 512, 0.125f);
  agent.maxSpeed = 1 + coarse((float)(next() >> 24) / 128, 0.25f);
  agent.preferredSpeed = agent.maxSpeed / 2;
  agent.neighborDistance = 2 + (float)(next() & 7);
  agent.maxNeighbors = next() % 11;
  agent.timeHorizon = 1 + (float)(next() & 3);
  agent.timeHorizonObstacles = (1 + (float)(next() & 3)) / 2;
  const uint32_t extras = next();
  agent.priority = (float)(extras & 3);
  if ((extras >> 2 & 3) == 0) agent.mask = 2;
  agent.groups = 1 + (extras >> 4 & 1);
  agent.locked = (extras >> 6 & 31) == 0;
  agent.enabled = (extras >> 11 & 31) != 0;
  if ((extras >> 16 & 3) == 0) agent.maxAcceleration = 1 + (float)(extras >> 24) / 8;
  if ((extras >> 18 & 3) == 0) agent.goal[0] = agent.goal[1] = agent.goal[2] = at->size / 2;
  uint32_t slot;
  copse_crowd_add(at->crowd, &agent, &slot);
  add(slot);
}

/* Two pairs who meet head-on, in one point. */
static void add_pairs(const crowds *at) {
  for (int axis = 0; axis < 2; axis++)
    for (float side = -4; side <= 4; side += 8) {
      copse_crowd_agent agent = copse_crowd_agent_default();
      uint32_t slot;
      for (int i = 0; i < 3; i++) agent.position[i] = agent.goal[i] = 2 * at->size;
      agent.position[axis] += side;
      agent.goal[axis] -= side;
      copse_crowd_add(at->crowd, &agent, &slot);
      add(slot);
    }
}

static void draw_rectangle(const crowds *at, float *points) {
  const float left = draw_place(at), bottom = draw_place(at);
  const float right = left + coarse((float)(next() >> 20) / 2048, 0.5f);
  const float top = bottom + coarse((float)(next() >> 20) / 2048, 0.5f);
  const float corners[] = {left, bottom, right, bottom, right, top, left, top};
  memcpy(points, corners, sizeof corners);
}

static void churn_crowd(const crowds *at, uint32_t step) {
  for (int i = 0; i < 3; i++) {
    const uint32_t slot = next() % at->slots;
    if (!copse_crowd_has(at->crowd, slot))
      add_agent(at);
    else if (copse_crowd_count(at->crowd) > at->least)
      copse_crowd_remove(at->crowd, slot);
  }
  float *goals = copse_crowd_get(at->crowd).goals;
  for (uint32_t slot = step % 16; slot < at->slots && step % 2; slot += 16)
    for (uint32_t axis = 0; axis < at->dim && copse_crowd_has(at->crowd, slot); axis++)
      goals[slot * at->dim + axis] = draw_place(at);
  if (!at->walls || step % 2 == 0) return;
  const uint32_t first = 4 * (next() % form.rectangles);
  if (step % 4 == 3) {
    float points[8];
    draw_rectangle(at, points);
    copse_obstacle_move(at->walls, first, points, 4);
  } else
    for (uint32_t id = first; id < first + 4; id++)
      copse_obstacle_vertices(at->walls)[(size_t)2 * id] += 0.25f;
  copse_obstacle_build(at->walls, NULL);
}

static void add_events(const crowds *at) {
  const copse_crowd_arrays all = copse_crowd_get(at->crowd);
  const uint32_t *slots[] = {all.arrived, all.stuck};
  const uint32_t totals[] = {copse_crowd_arrived(at->crowd), copse_crowd_stuck(at->crowd)};
  for (int sort = 0; sort < 2; sort++) {
    add(totals[sort]);
    for (uint32_t i = 0; i < totals[sort]; i++) add(slots[sort][i]);
  }
}

static void add_crowd(const crowds *at) {
  add(copse_crowd_hash(at->crowd));
  const copse_crowd_statistics stats = copse_crowd_stats(at->crowd);
  add(stats.agents);
  add(stats.infeasible);
  add(stats.overlaps);
  add((uint32_t)stats.steps);
  add_float((float)stats.neighbors);
  add_float((float)stats.time);
  const uint32_t slot = next() % at->slots;
  static copse_crowd_view seen;
  if (copse_crowd_inspect(at->crowd, at->walls, 0.125f, slot, &seen) != COPSE_OK) return;
  add(seen.neighborCount);
  for (uint32_t i = 0; i < seen.neighborCount; i++) add(seen.neighbors[i]);
  add(seen.wallCount);
  for (uint32_t i = 0; i < seen.wallCount; i++) add(seen.walls[i]);
  add(seen.wallConstraintCount);
  const uint32_t floats = seen.constraintCount * 2 * at->dim;
  add(floats);
  for (uint32_t i = 0; i < floats; i++) add_float(seen.constraints[i]);
}

static void replace_crowd(crowds *at) {
  size_t bytes;
  if (copse_crowd_save(at->crowd, saved, sizeof saved, &bytes, NULL) != COPSE_OK) fail();
  add_saved(bytes);
  copse_crowd_destroy(at->crowd);
  if (copse_crowd_create(&at->def, &at->crowd) != COPSE_OK) fail();
  if (copse_crowd_restore(at->crowd, saved, bytes) != COPSE_OK) fail();
}

static void play_crowd(uint32_t dim, uint32_t slots, uint32_t least, float size) {
  crowds at = {.dim = dim, .slots = slots, .least = least, .size = size};
  at.def = copse_crowd_default();
  at.def.dimensions = dim;
  at.def.capacity = slots;
  if (copse_crowd_create(&at.def, &at.crowd) != COPSE_OK) fail();
  if (dim == 2) {
    copse_obstacle_def def = copse_obstacle_default();
    def.capacity = 5 * form.rectangles;
    if (copse_obstacle_create(&def, &at.walls) != COPSE_OK) fail();
    for (uint32_t i = 0; i < form.rectangles; i++) {
      float points[8];
      uint32_t slot;
      draw_rectangle(&at, points);
      copse_obstacle_add(at.walls, points, 4,
                         next() & 3 ? COPSE_SOLID_WINDING : COPSE_SOLID_NOWHERE, &slot);
    }
    copse_obstacle_build(at.walls, NULL);
  }
  add_pairs(&at);
  for (uint32_t i = 0; i < least + least / 10; i++) add_agent(&at);
  for (uint32_t step = 0; step < form.crowdSteps; step++) {
    churn_crowd(&at, step);
    if (copse_crowd_step(at.crowd, at.walls, 0.125f, NULL) != COPSE_OK) fail();
    add_events(&at);
    if (step % 4 == 3) add_crowd(&at);
    if (step % 50 == 49) replace_crowd(&at);
  }
  copse_crowd_destroy(at.crowd);
  copse_obstacle_destroy(at.walls);
}

/* ---- Scenes ---- */

static void play_agenttree(void) {
  play_both((kind){.noun = AGENTTREE}, (kind){.noun = AGENTTREE});
}
static void play_grid(void) {
  play_both((kind){.noun = GRID, .cellSize = 12}, (kind){.noun = GRID, .cellSize = 5});
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

static const struct scene {
  const char *name;
  void (*play)(void);
} SCENES[] = {
    {"agenttree", play_agenttree}, {"grid", play_grid},      {"kdtree", play_kdtree},
    {"octree", play_octree},       {"obstacle", play_walls}, {"crowd", play_crowds},
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
  return hash_of(scene, isLong ? &LONG : &SHORT);
}

#ifndef __wasm__
#include <stdio.h>

#ifdef COPSE_COUNT_WORK
extern uint64_t copse_work; /* see WORKED in c/base/core.h */
#else
static uint64_t copse_work;
#endif

/* Recorded: how much the short form of each scene does, the hash of its coarse form, and how much
 * that does. More would be slower, and less a bound that is lucky here; the hashes are right either
 * way. */
typedef struct measures {
  uint64_t work;
  uint32_t coarseHash;
  uint64_t coarseWork;
} measures;
static const measures MEASURED[] = {
    {61606731, 0xc30cf167, 18472591},  {179902763, 0x575328dd, 24290820},
    {126508978, 0x9236b995, 34949683}, {7441170, 0x745ec71e, 7501329},
    {15089863, 0xf2cd198c, 7532263},   {52022031, 0x6061e2bf, 18128106},
};

/* Prints what is not as recorded. */
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
  for (uint32_t scene = 0; scene < sizeof SCENES / sizeof *SCENES; scene++) {
    copse_work = 0;
    printf("%s 0x%08x\n", SCENES[scene].name, scene_hash(scene, isLong));
    if (!isLong) check(scene);
  }
  return 0;
}
#endif

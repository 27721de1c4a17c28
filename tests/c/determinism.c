/* The scenario of tests/determinism.js, to the letter; prints tests/determinism.txt. */

#include "compare.h"

#include <stdio.h>

enum { FRAMES = 60, STEP = 7, MOST = 2000, ROOM = 16 * MOST };

static uint32_t state, hash;
static uint32_t ids[ROOM], offsets[MOST], counts[MOST];
static float distances2[ROOM], velocities[3 * MOST], radii[MOST], segments[2 * 3 * MOST];

static uint32_t next(void) { return random_word(&state); }
static void add(uint32_t word) { hash = (hash ^ word) * 16777619u; }
static void add_float(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  add(bits);
}

static void add_ids(const copse_results *results, bool distances) {
  add(results->total);
  for (uint32_t i = 0; i < results->total; i++) {
    add(results->ids[i]);
    if (distances) add_float(results->distances2[i]);
  }
}

static void ask(index at, uint32_t asker, uint32_t dim, const float *center) {
  copse_results results = {ids, distances2, ROOM, 0, 0};
  index_within(at, center, 12, NULL, &results);
  add_ids(&results, false);

  copse_query others = copse_query_default();
  others.mask = 5;
  others.exclude = asker;
  index_neighbors(at, center, 6, &others, &results);
  add_ids(&results, true);

  copse_query byId = copse_query_default();
  byId.sort = COPSE_SORT_ID;
  float lo[3], hi[3];
  for (uint32_t axis = 0; axis < dim; axis++) {
    lo[axis] = center[axis] - 10;
    hi[axis] = center[axis] + 10;
  }
  index_range(at, lo, hi, &byId, &results);
  add_ids(&results, false);

  copse_query byDistance = copse_query_default();
  byDistance.sort = COPSE_SORT_DISTANCE;
  /* Without a direction the query is refused, and nothing is hashed. */
  if (index_cone(at, center, velocities + asker * dim, 0.7f, 40, &byDistance, &results) == COPSE_OK)
    add_ids(&results, false);

  copse_query secondGroup = copse_query_default();
  secondGroup.mask = 2;
  uint32_t total;
  index_count_within(at, center, 25, &secondGroup, &total, NULL);
  add(total);

  copse_query notItself = copse_query_default();
  notItself.exclude = asker;
  float target[3];
  for (uint32_t axis = 0; axis < dim; axis++)
    target[axis] = center[axis] + 64 * velocities[asker * dim + axis];
  copse_hit hit;
  index_raycast(at, center, target, 0.5f, NULL, &notItself, &hit, NULL);
  add(hit.id);
  if (hit.id != COPSE_NONE) add_float(hit.fraction);
}

static void ask_for_all(index at, uint32_t agents, uint32_t dim, const float *positions) {
  copse_rows rows = {offsets, counts, ids, ROOM, 0, false};
  index_all_within(at, 12, NULL, NULL, &rows);
  add(rows.total);
  for (uint32_t slot = 0; slot < agents; slot++) {
    add(counts[slot]);
    for (uint32_t i = 0; i < counts[slot]; i++) add(ids[offsets[slot] + i]);
  }

  copse_query near = copse_query_default();
  near.maxDistance = 40;
  copse_neighbor_rows neighbors = {counts, ids, distances2};
  index_all_neighbors(at, 6, &near, NULL, &neighbors);
  for (uint32_t slot = 0; slot < agents; slot++) {
    add(counts[slot]);
    for (uint32_t i = 0; i < counts[slot]; i++) {
      add(ids[6 * slot + i]);
      add_float(distances2[6 * slot + i]);
    }
  }

  copse_results pairs = {ids, NULL, ROOM, 0, 0};
  index_pairs(at, 6, NULL, NULL, &pairs);
  add(pairs.total / 2);
  for (uint32_t i = 0; i < pairs.total; i++) add(ids[i]);

  for (uint32_t slot = 0; slot < agents; slot++) {
    float *segment = segments + 2 * dim * slot;
    memcpy(segment, positions + slot * dim, dim * sizeof *segment);
    memcpy(segment + dim, positions + (slot + 1) % agents * dim, dim * sizeof *segment);
  }
  index_raycast_many(at, segments, agents, 1.75f, radii, NULL, ids, distances2);
  for (uint32_t slot = 0; slot < agents; slot++) {
    add(ids[slot]);
    add_float(distances2[slot]);
  }
}

static void play(kind like, uint32_t dim, uint32_t agents, float size) {
  copse_agenttree_def def = copse_agenttree_default();
  def.leafSize = 16;
  def.dimensions = dim;
  def.capacity = agents;
  index at;
  if (index_create(&def, like, &at) != COPSE_OK) exit(1);
  index_set_count(at, agents);
  float *positions = index_positions(at).axes[0];
  uint32_t *groups = index_groups(at);
  for (uint32_t agent = 0; agent < agents; agent++) {
    for (uint32_t axis = 0; axis < dim; axis++) {
      positions[agent * dim + axis] = (float)(next() >> 8) * size / 16777216.0f;
      velocities[agent * dim + axis] = ((float)(next() >> 20) - 2048) / 4096;
    }
    groups[agent] = 1u << (next() & 3);
    radii[agent] = (float)(agent & 7) / 4;
  }
  for (int frame = 0; frame < FRAMES; frame++) {
    for (uint32_t i = 0; i < agents * dim; i++) {
      positions[i] += velocities[i];
      if (positions[i] < 0 || positions[i] > size) velocities[i] = -velocities[i];
    }
    index_build(at, NULL);
    for (uint32_t asker = 0; asker < agents; asker += STEP)
      ask(at, asker, dim, positions + asker * dim);
    ask_for_all(at, agents, dim, positions);
  }
  index_destroy(at);
}

static void play_both(const char *name, kind in2D, kind in3D) {
  state = 1;
  hash = 2166136261u;
  play(in2D, 2, 2000, 1024);
  play(in3D, 3, 1000, 128);
  printf("%s 0x%08x\n", name, hash);
}

/* ---- Boxes ---- */

enum { BOX_FRAMES = 24 };

typedef struct boxes {
  copse_octree *tree;
  uint32_t dim, slots;
  float size;
} boxes;

static void draw_box(const boxes *at, float *box) {
  const bool isPoint = (next() & 3) == 0;
  for (uint32_t axis = 0; axis < at->dim; axis++) {
    box[axis] = (float)(next() >> 8) * at->size / 16777216.0f - 8;
    const float side = (float)(next() >> 20) / 256;
    box[at->dim + axis] = isPoint ? box[axis] : box[axis] + side;
  }
}

static void insert_box(const boxes *at) {
  float box[6];
  uint32_t slot;
  draw_box(at, box);
  copse_octree_insert(at->tree, box, &slot);
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
  uint32_t total;
  copse_octree_count_within(at->tree, center, 25, &secondGroup, &total, NULL);
  add(total);

  copse_query notItself = copse_query_default();
  notItself.exclude = asker;
  copse_box_hit hit;
  copse_octree_raycast(at->tree, center, target, &notItself, &hit, NULL);
  add(hit.id);
  if (hit.id == COPSE_NONE) return;
  add_float(hit.fraction);
  for (int axis = 0; axis < 3; axis++) add((uint32_t)(hit.normal[axis] + 1));
}

static void save_boxes(const boxes *at) {
  static uint32_t words[ROOM];
  size_t bytes;
  copse_octree_save(at->tree, words, sizeof words, &bytes);
  for (size_t i = 0; i < bytes / sizeof *words; i++) add(words[i]);
  copse_octree_clear(at->tree);
  if (copse_octree_restore(at->tree, words, bytes) != COPSE_OK) exit(1);
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
  if (copse_octree_create(&def, &at.tree) != COPSE_OK) exit(1);
  for (uint32_t i = 0; i < slots / 4 * 3; i++) insert_box(&at);
  for (uint32_t frame = 0; frame < BOX_FRAMES; frame++) {
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
    add((uint32_t)copse_octree_cells(at.tree, NULL, 0));
    if (frame % 6 == 5) save_boxes(&at);
  }
  copse_octree_destroy(at.tree);
}

int main(void) {
  play_both("agenttree", (kind){.noun = AGENTTREE}, (kind){.noun = AGENTTREE});
  play_both("grid", (kind){.noun = GRID, .cellSize = 12}, (kind){.noun = GRID, .cellSize = 5});
  play_both("kdtree", (kind){.noun = KDTREE}, (kind){.noun = KDTREE});
  state = 1;
  hash = 2166136261u;
  play_boxes(2, 1000, 1024, 1);
  play_boxes(3, 500, 128, 1.25f);
  printf("octree 0x%08x\n", hash);
  return 0;
}

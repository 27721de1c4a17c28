/* Fuzzes every restore: with arbitrary bytes, and with real snapshots that were changed and got a
 * right checksum. A refused snapshot must change nothing. After an accepted one the object must be
 * valid, agree with brute force over what it holds, and save bytes that restore the same state. */

#include "../any.h"
#include "../boxes.h"
#include "../crowd.h"
#include "../fuzz.h"
#include "../walls.h"

enum { WORDS = 1200, UNWRITTEN = 0xa5 };

/* The kind of an object, and its options except the capacity. */
typedef struct form {
  snapshot_kind kind;
  uint8_t options;
} form;

/* All that can be seen of an object. */
typedef struct portrait {
  uint32_t saved[WORDS], drawn[WORDS];
  size_t savedBytes, drawnWords;
  uint32_t hash; /* of a crowd */
} portrait;

static copse_octree_def octree_form(form like, uint32_t capacity, ledger *book) {
  copse_octree_def def = copse_octree_default();
  def.allocator = ledger_allocator(book);
  def.dimensions = like.options & 1 ? 3 : 2;
  def.capacity = capacity;
  def.leafSize = like.options >> 1 & 3;
  def.maxDepth = like.options >> 3 & 7;
  def.looseness = like.options & 64 ? 2 : 1;
  for (uint32_t axis = 0; axis < def.dimensions; axis++) {
    def.bounds[axis] = -8;
    def.bounds[def.dimensions + axis] = 8;
  }
  return def;
}

/* Returns the world of a grid that wraps around; NULL for any other object. */
static const float *world_of(form like) {
  static const float PLANE[] = {-4, -8, 4, 8}, SPACE[] = {-4, -8, -1, 4, 8, 7};
  const bool wraps = like.kind == SNAPSHOT_GRID && like.options & 64;
  return wraps ? like.options & 1 ? SPACE : PLANE : NULL;
}

static any create(form like, uint32_t capacity, ledger *book) {
  any made = {0};
  copse_status status;
  const copse_allocator allocator = ledger_allocator(book);
  copse_agenttree_def points = fuzz_def(like.options);
  const copse_octree_def boxes = octree_form(like, capacity, book);
  copse_obstacle_def walls = copse_obstacle_default();
  copse_crowd_def crowd = copse_crowd_default();
  const uint8_t more = like.options >> 5;
  switch (like.kind) {
  case SNAPSHOT_OCTREE:
    status = copse_octree_create(&boxes, &made.octree);
    break;
  case SNAPSHOT_OBSTACLE:
    walls.capacity = capacity;
    walls.leafSize = 1 + like.options % 8;
    walls.allocator = allocator;
    status = copse_obstacle_create(&walls, &made.obstacle);
    break;
  case SNAPSHOT_CROWD:
    crowd.dimensions = like.options & 1 ? 3 : 2;
    crowd.capacity = capacity;
    crowd.maxNeighbors = like.options >> 1 & 31;
    crowd.exact = like.options & 64;
    crowd.allocator = allocator;
    status = copse_crowd_create(&crowd, &made.crowd);
    break;
  default:
    points.capacity = capacity;
    points.leafSize = 1 + more;
    points.allocator = allocator;
    const kind index = {.noun = like.kind == SNAPSHOT_GRID     ? GRID
                                : like.kind == SNAPSHOT_KDTREE ? KDTREE
                                                               : AGENTTREE,
                        .cellSize = more & 1 ? 0.01f : 1,
                        .builder = (copse_builder)(more % 3),
                        .wrap = world_of(like)};
    status = create_points(&points, index, &made.points);
  }
  must(status == COPSE_OK, "create");
  return made;
}

/* ---- Random states ---- */

static void fill_points(any object, input *in) {
  const uint32_t count = next_byte(in) % (any_capacity(object) + 1);
  copse_points_set_slots(object.points, count);
  const copse_positions positions = copse_points_positions(object.points);
  for (uint32_t id = 0; id < count; id++) {
    copse_points_groups(object.points)[id] = next_byte(in) % 5;
    for (uint32_t axis = 0; axis < copse_points_dimensions(object.points); axis++)
      positions.axes[axis][id * positions.stride] = next_side(in);
  }
  copse_points_build(object.points, NULL);
  if (next_byte(in) % 2) return; /* else something changes after the build */
  for (uint32_t slot; next_byte(in) % 4;) {
    copse_points_remove(object.points, next_byte(in) % any_capacity(object));
    if (next_byte(in) % 2) copse_points_add(object.points, (float[]){1, 2, 3}, &slot);
  }
  copse_points_set_slots(object.points, next_byte(in) % (any_capacity(object) + 1));
  positions.axes[0][0] = 7;
}

static void fill(any object, uint32_t seed) {
  uint8_t bytes[2000];
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(random_word(&seed) >> 8);
  input in = {bytes, sizeof bytes};
  const uint32_t items = next_byte(&in) % 80;
  uint32_t slot;
  if (object.octree)
    for (uint32_t i = 0; i < items; i++) {
      float box[6];
      next_box(&in, copse_octree_dimensions(object.octree), box);
      copse_octree_add(object.octree, box, &slot);
      slot = next_byte(&in) % 64;
      if (slot % 4 == 0) copse_octree_remove(object.octree, slot / 4);
      if (slot < copse_octree_capacity(object.octree))
        copse_octree_groups(object.octree)[slot] = i % 8;
    }
  else if (object.obstacle) {
    for (uint32_t i = 0; i < items / 4; i++) {
      float points[8];
      for (int j = 0; j < 8; j++) points[j] = next_side(&in);
      copse_obstacle_add(object.obstacle, points, 2 + i % 3,
                         (i % 5 == 0) ? COPSE_SOLID_NOWHERE : COPSE_SOLID_WINDING, &slot);
      slot = next_byte(&in);
      if (slot % 4 == 0) copse_obstacle_remove(object.obstacle, slot / 4);
    }
    copse_obstacle_build(object.obstacle, NULL);
  } else if (object.crowd) {
    for (uint32_t i = 0; i < items / 2; i++) {
      copse_crowd_agent agent = copse_crowd_agent_default();
      next_place(&in, agent.position);
      if (i % 2) next_place(&in, agent.goal);
      copse_crowd_add(object.crowd, &agent, &slot);
      slot = next_byte(&in);
      if (slot % 4 == 0) copse_crowd_remove(object.crowd, slot / 4);
      if (slot % 4 == 1) copse_crowd_step(object.crowd, NULL, 0.25f, NULL);
    }
  } else
    fill_points(object, &in);
}

/* ---- Comparing states ---- */

static void portray(any object, portrait *seen) {
  memset(seen, 0, sizeof *seen);
  memset(seen->saved, UNWRITTEN, sizeof seen->saved);
  /* Points that a build would refuse can't be saved. */
  if (any_save(object, seen->saved, sizeof seen->saved, &seen->savedBytes) == COPSE_NOT_FINITE)
    seen->savedBytes = 0;
  must(seen->savedBytes <= sizeof seen->saved, "a save is too large");
  /* A failed save may have written its first bytes. */
  for (size_t i = seen->savedBytes ? seen->savedBytes : SNAPSHOT_HEAD; i < sizeof seen->saved; i++)
    must(((uint8_t *)seen->saved)[i] == UNWRITTEN, "a save wrote past its end");
  if (object.crowd) {
    seen->hash = copse_crowd_hash(object.crowd);
    return;
  }
  must(any_validate(object), "validate");
  seen->drawnWords = any_cells(object, (float *)seen->drawn, WORDS);
}

static bool looks_the_same(const portrait *a, const portrait *b) {
  return a->savedBytes == b->savedBytes && a->drawnWords == b->drawnWords && a->hash == b->hash &&
         memcmp(a->saved, b->saved, sizeof a->saved) == 0 &&
         memcmp(a->drawn, b->drawn, sizeof a->drawn) == 0;
}

/* Restores from a block of exactly that size, so that sanitizers catch reads past its end. */
static copse_status restore(any object, const uint32_t *words, size_t size) {
  uint32_t *exact = malloc(size ? size : 1);
  memcpy(exact, words, size);
  uint32_t needed = 0;
  const copse_status status = any_restore(object, exact, size, &needed);
  /* Every slot takes at least 4 bytes of a snapshot. */
  must(status != COPSE_FULL || (needed > any_capacity(object) && needed <= size / 4),
       "the needed capacity");
  free(exact);
  return status;
}

/* ---- Comparing a restored object with brute force ---- */

/* Compares the restored build with the snapshot's agents, then a new build with the agents now. */
static void compare_agents(form like, any object, const portrait *now, input *in) {
  enum { EVER = 11, SLOTS, IS_BUILT, BUILT, HEAD = 17 };
  static float floats[WORDS];
  memcpy(floats, now->saved, sizeof floats);
  const uint32_t dim = copse_points_dimensions(object.points), count = now->saved[SLOTS];
  const uint32_t builtCount = now->saved[BUILT];
  must(copse_points_slots(object.points) == count, "slots");
  must(copse_points_is_built(object.points) == now->saved[IS_BUILT], "is_built");
  const size_t begin = HEAD + now->saved[EVER] + (size_t)count * (dim + 1);
  float *built = floats + begin;
  const uint32_t *groups = now->saved + begin + (size_t)builtCount * dim;
  const brute_points last = {
      {{built, built + 1, built + dim - 1}, dim}, groups, builtCount, dim, world_of(like)};
  copse_points_set_slots(object.points, builtCount); /* fuzz_ask expects as many slots */
  if (now->saved[IS_BUILT]) fuzz_ask(object.points, &last, in);
  must(restore(object, now->saved, now->savedBytes) == COPSE_OK, "restore of a save");
  must(copse_points_build(object.points, NULL) == COPSE_OK && any_validate(object),
       "build after restore");
  const brute_points next = {readable(copse_points_positions(object.points)),
                             copse_points_groups(object.points), count, dim, world_of(like)};
  fuzz_ask(object.points, &next, in);
}

static void compare_octree(form like, copse_octree *tree, ledger *book, input *in) {
  static box_list list;
  const copse_octree_def def = octree_form(like, copse_octree_capacity(tree), book);
  const size_t sides = 2 * def.dimensions;
  list = (box_list){.dimensions = def.dimensions, .groups = copse_octree_groups(tree)};
  for (uint32_t id = 0; id < def.capacity; id++) {
    list.used[id] = copse_octree_has(tree, id);
    memcpy(list.boxes[id], copse_octree_boxes(tree) + id * sides, sides * sizeof(float));
  }
  must(cells_as_new(tree, &def, &list), "the cells differ from a new tree's");
  const char *wrong = ask_boxes(in, tree, &list);
  copse_octree_clear(tree); /* all nodes go back to the pool */
  if (!wrong) wrong = play(&def, tree, *in);
  must(!wrong, wrong);
}

static void compare_obstacle(copse_obstacle *tree, const portrait *now, input *in) {
  enum { HEAD = 8, EACH = 6, SOLID = 3, TWO_SIDED = 2 };
  static wall_list list;
  list = (wall_list){.capacity = copse_obstacle_capacity(tree)};
  const size_t words = list.capacity * sizeof(uint32_t);
  memcpy(list.next, copse_obstacle_next(tree), words);
  memcpy(list.polygons, copse_obstacle_polygons(tree), words);
  memcpy(list.generations, copse_obstacle_generations(tree), words);
  memcpy(list.vertices, copse_obstacle_vertices(tree), 2 * words);
  for (uint32_t id = 0; id < list.capacity; id++) {
    if (!vertex_used(&list, id)) continue;
    const int32_t solid = (int32_t)now->saved[HEAD + EACH * list.polygons[id] + SOLID];
    list.twoSided[id] = solid == TWO_SIDED;
    list.solid[id] = solid == TWO_SIDED ? 0 : solid;
  }
  list_build(&list);
  const char *wrong = compare_loops(tree, &list);
  if (!wrong) wrong = compare_drawn(in, tree);
  const wall_world world = next_world(in);
  for (int i = 0; i < 3 && !wrong; i++) {
    const wall_question ask = next_wall_question(in, &world, &list);
    wrong = compare_walls(in, tree, &list, &ask);
  }
  must(!wrong, wrong);
}

static void compare_crowd(copse_crowd *crowd, input *in) {
  static crowd_game game;
  copse_obstacle_def walls = copse_obstacle_default();
  uint32_t slot;
  const uint32_t before = copse_crowd_hash(crowd);
  memset(&game, 0, sizeof game);
  must(copse_crowd_reserve(crowd, CROWD_SLOTS) == COPSE_OK, "reserve");
  must(copse_crowd_hash(crowd) == before, "reserve changed the hash");
  must(copse_obstacle_create(&walls, &game.walls) == COPSE_OK, "create");
  copse_obstacle_add(game.walls, (float[]){-3, 0, 3, 0, 0, 2}, 3, COPSE_SOLID_WINDING, &slot);
  copse_obstacle_build(game.walls, NULL);
  game.crowd = crowd;
  for (slot = 0; slot < CROWD_SLOTS; slot++) game.used[slot] = copse_crowd_has(crowd, slot);
  const char *wrong = NULL;
  for (int i = 0; i < 3 && !wrong; i++) wrong = play_step(&game, next_side(in));
  if (!wrong) wrong = play_save(&game);
  copse_obstacle_destroy(game.walls);
  must(!wrong, wrong);
}

static void compare(form like, any object, ledger *book, const portrait *now, input *in) {
  if (object.octree)
    compare_octree(like, object.octree, book, in);
  else if (object.obstacle)
    compare_obstacle(object.obstacle, now, in);
  else if (object.crowd)
    compare_crowd(object.crowd, in);
  else
    compare_agents(like, object, now, in);
}

/* ---- Forging ---- */

static uint32_t forged_word(input *in, const uint32_t *words, uint32_t count, uint32_t was) {
  static const float odd[] = {NAN, INFINITY, -0.0f, 1e18f, 1.1e18f, 0.5f, -8, 1e-45f};
  uint32_t word = 0;
  const uint8_t way = next_byte(in), more = next_byte(in);
  switch (way % 8) {
  case 0:
    return was + 1;
  case 1:
    return was - 1;
  case 2:
    memcpy(&word, &odd[more % 8], sizeof word);
    return word;
  case 3:
    return words[more * 4u % count];
  case 4:
    for (int i = 0; i < 4; i++) word = word << 8 | next_byte(in);
    return word;
  case 5:
    return was ^ 1u << more % 32;
  default:
    return more % 70;
  }
}

/* Changes some words, and sometimes the size. Returns the new size; *isChanged: it changed
 * anything. */
static size_t forge(input *in, uint32_t *words, size_t size, bool *isChanged) {
  const uint8_t changes = next_byte(in) % 8;
  for (uint8_t i = 0; i < changes && size; i++) {
    const uint32_t count = (uint32_t)size / 4, place = next_byte(in) * 256u + next_byte(in);
    uint32_t *word = &words[place % (place % 4 ? count : count < 16 ? count : 16)];
    *word = forged_word(in, words, count, *word);
  }
  const uint8_t resize = next_byte(in);
  if (resize % 16 == 0) size = resize / 16 * 4u < size ? size - resize / 16 * 4u : 0;
  if (resize % 16 == 1) size += resize / 16 * 4u;
  *isChanged = changes || resize % 16 < 2;
  return size;
}

/* Does what KdTree.from does: creates a tree with the capacity that a snapshot needs, if the
 * snapshot is long enough for it, and restores. */
static void grow_from(form like, const uint32_t *words, size_t size) {
  enum { HEAD = 14, DIMENSIONS = 6, NON_FINITE = 10, COUNT = 11 };
  ledger book = {-1, 0};
  const uint32_t dimensions = like.options & 1 ? 3 : 2;
  if (size < 4 * HEAD || words[2] != SNAPSHOT_KDTREE || words[DIMENSIONS] != dimensions ||
      words[NON_FINITE] > 1 ||
      (uint64_t)words[COUNT] + words[COUNT + 1] > size / 4 / (dimensions + 1))
    return;
  uint32_t capacity = words[COUNT] > words[COUNT + 1] ? words[COUNT] : words[COUNT + 1];
  if (!capacity) capacity = 1;
  like.options = (uint8_t)((like.options & ~16u) | words[NON_FINITE] << 4);
  const any object = create(like, capacity, &book);
  must(book.bytesHeld <= 8 * size + 4096, "more memory than the snapshot justifies");
  const copse_status status = restore(object, words, size);
  must(status == COPSE_OK || status == COPSE_BAD_SNAPSHOT, "status of KdTree.from");
  must(any_validate(object), "validate");
  any_destroy(object);
  must(book.bytesHeld == 0, "memory is not given back");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static const uint32_t CAPACITIES[] = {1, 7, CROWD_SLOTS, 64};
  static uint32_t words[WORDS];
  static portrait before, after, again;
  ledger book = {-1, 0};
  input in = {bytes, size};
  const uint8_t what = next_byte(&in), sizes = next_byte(&in), seed = next_byte(&in);
  const form like = {(snapshot_kind)(SNAPSHOT_AGENTTREE + what % 6), next_byte(&in)};
  const uint32_t most = like.kind == SNAPSHOT_CROWD ? 3 : 4;
  const uint32_t capacity = CAPACITIES[sizes % most], other = CAPACITIES[sizes / 4 % most];
  const any object = create(like, capacity, &book);
  fill(object, seed);

  size_t total = 0;
  bool isChanged = true, isTrue = sizes & 64;
  memset(words, 0, sizeof words);
  if (isTrue) {
    const any donor = create(like, other, &book);
    fill(donor, seed + 1u + next_byte(&in));
    if (any_save(donor, words, WORDS * 4, &total) != COPSE_OK) total = 0;
    isTrue = total > 0;
    total = forge(&in, words, total, &isChanged);
    any_destroy(donor);
  } else {
    total = in.left / 2 < 4096 ? in.left / 2 : 4096;
    for (size_t i = 0; i < total; i++) ((uint8_t *)words)[i] = next_byte(&in);
  }
  const uint8_t seal = next_byte(&in);
  if (seal % 16 && total >= sizeof(snapshot_header))
    snapshot_seal(words, total, seal % 16 == 1 ? (snapshot_kind)(seal / 16) : like.kind);
  if (like.kind == SNAPSHOT_KDTREE) grow_from(like, words, total);

  portray(object, &before);
  const copse_status status = restore(object, words, total);
  portray(object, &after);
  if (status != COPSE_OK) {
    must(status == COPSE_BAD_SNAPSHOT || (status == COPSE_FULL && capacity < other) ||
             (status == COPSE_FULL && isChanged),
         "restore: status");
    must(!isTrue || isChanged || status == COPSE_FULL || seal % 16 == 1,
         "a valid snapshot was refused");
    must(looks_the_same(&before, &after), "a refused restore changed the object");
  } else {
    must(after.savedBytes > 0, "a restored object was not saved");
    ledger fresh = {-1, 0};
    const any copy = create(like, capacity, &fresh);
    must(restore(copy, after.saved, after.savedBytes) == COPSE_OK, "restore of a save");
    portray(copy, &again);
    must(looks_the_same(&after, &again) ||
             (object.octree && copse_octree_stats(object.octree).unsplit),
         "a save restored another state");
    any_destroy(copy);
    must(fresh.bytesHeld == 0, "memory is not given back");
    compare(like, object, &book, &after, &in);
  }
  any_destroy(object);
  must(book.bytesHeld == 0, "memory is not given back");
  return 0;
}

/* Bytes as snapshots, to every restore: any bytes, and true snapshots that are changed and sealed
 * again, so that they come past the checksum. What is refused changes nothing. What is accepted is
 * valid, answers as brute force over what the object says that it holds, and saves what restores to
 * the same. */

#include "../any.h"
#include "../boxes.h"
#include "../crowd.h"
#include "../fuzz.h"
#include "../walls.h"

enum { WORDS = 1200, UNWRITTEN = 0xa5 };

/* What an object is made of, besides its capacity. */
typedef struct form {
  snapshot_kind kind;
  uint8_t options;
} form;

typedef struct portrait {
  uint32_t saved[WORDS], drawn[WORDS];
  size_t savedBytes, drawnWords;
  uint32_t hash; /* of a crowd */
} portrait;

static copse_octree_def octree_form(form of, uint32_t capacity, ledger *book) {
  copse_octree_def def = copse_octree_default();
  def.allocator = ledger_allocator(book);
  def.dimensions = of.options & 1 ? 3 : 2;
  def.capacity = capacity;
  def.leafSize = of.options >> 1 & 3;
  def.maxDepth = of.options >> 3 & 7;
  def.looseness = of.options & 64 ? 2 : 1;
  for (uint32_t axis = 0; axis < def.dimensions; axis++) {
    def.bounds[axis] = -8;
    def.bounds[def.dimensions + axis] = 8;
  }
  return def;
}

static any create(form of, uint32_t capacity, ledger *book) {
  any made = {0};
  copse_status status;
  const copse_allocator allocator = ledger_allocator(book);
  copse_agenttree_def points = fuzz_def(of.options);
  const copse_octree_def boxes = octree_form(of, capacity, book);
  copse_obstacle_def walls = copse_obstacle_default();
  copse_crowd_def crowd = copse_crowd_default();
  const uint8_t more = of.options >> 5;
  switch (of.kind) {
  case SNAPSHOT_OCTREE:
    status = copse_octree_create(&boxes, &made.octree);
    break;
  case SNAPSHOT_OBSTACLE:
    walls.capacity = capacity;
    walls.leafSize = 1 + of.options % 8;
    walls.allocator = allocator;
    status = copse_obstacle_create(&walls, &made.obstacle);
    break;
  case SNAPSHOT_CROWD:
    crowd.dimensions = of.options & 1 ? 3 : 2;
    crowd.capacity = capacity;
    crowd.maxNeighbors = of.options >> 1 & 31;
    crowd.exact = of.options & 64;
    crowd.allocator = allocator;
    status = copse_crowd_create(&crowd, &made.crowd);
    break;
  default:
    points.capacity = capacity;
    points.leafSize = 1 + more;
    points.allocator = allocator;
    const kind like = {.noun = of.kind == SNAPSHOT_GRID     ? GRID
                               : of.kind == SNAPSHOT_KDTREE ? KDTREE
                                                            : AGENTTREE,
                       .cellSize = more & 1 ? 0.01f : 1,
                       .builder = (copse_builder)(more % 3)};
    status = create_points(&points, like, &made.points);
  }
  must(status == COPSE_OK, "create");
  return made;
}

/* ---- A state drawn from a seed ---- */

static void fill_points(any at, input *from) {
  const uint32_t count = next_byte(from) % (any_capacity(at) + 1);
  copse_points_set_slots(at.points, count);
  const copse_positions positions = copse_points_positions(at.points);
  for (uint32_t id = 0; id < count; id++) {
    copse_points_groups(at.points)[id] = next_byte(from) % 5;
    for (uint32_t axis = 0; axis < copse_points_dimensions(at.points); axis++)
      positions.axes[axis][id * positions.stride] = next_side(from);
  }
  copse_points_build(at.points, NULL);
  if (next_byte(from) % 2) return; /* else something changes after the build */
  for (uint32_t slot; next_byte(from) % 4;) {
    copse_points_remove(at.points, next_byte(from) % any_capacity(at));
    if (next_byte(from) % 2) copse_points_add(at.points, (float[]){1, 2, 3}, &slot);
  }
  copse_points_set_slots(at.points, next_byte(from) % (any_capacity(at) + 1));
  positions.axes[0][0] = 7;
}

static void fill(any at, uint32_t seed) {
  uint8_t bytes[2000];
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(random_word(&seed) >> 8);
  input from = {bytes, sizeof bytes};
  const uint32_t items = next_byte(&from) % 80;
  uint32_t slot;
  if (at.octree)
    for (uint32_t i = 0; i < items; i++) {
      float box[6];
      next_box(&from, copse_octree_dimensions(at.octree), box);
      copse_octree_add(at.octree, box, &slot);
      slot = next_byte(&from) % 64;
      if (slot % 4 == 0) copse_octree_remove(at.octree, slot / 4);
      if (slot < copse_octree_capacity(at.octree)) copse_octree_groups(at.octree)[slot] = i % 8;
    }
  else if (at.obstacle) {
    for (uint32_t i = 0; i < items / 4; i++) {
      float points[8];
      for (int j = 0; j < 8; j++) points[j] = next_side(&from);
      copse_obstacle_add(at.obstacle, points, 2 + i % 3,
                         (i % 5 == 0) ? COPSE_SOLID_NOWHERE : COPSE_SOLID_WINDING, &slot);
      slot = next_byte(&from);
      if (slot % 4 == 0) copse_obstacle_remove(at.obstacle, slot / 4);
    }
    copse_obstacle_build(at.obstacle, NULL);
  } else if (at.crowd) {
    for (uint32_t i = 0; i < items / 2; i++) {
      copse_crowd_agent agent = copse_crowd_agent_default();
      next_place(&from, agent.position);
      if (i % 2) next_place(&from, agent.goal);
      copse_crowd_add(at.crowd, &agent, &slot);
      slot = next_byte(&from);
      if (slot % 4 == 0) copse_crowd_remove(at.crowd, slot / 4);
      if (slot % 4 == 1) copse_crowd_step(at.crowd, NULL, 0.25f, NULL);
    }
  } else
    fill_points(at, &from);
}

/* ---- What can be seen of an object ---- */

static void portray(any at, portrait *of) {
  memset(of, 0, sizeof *of);
  memset(of->saved, UNWRITTEN, sizeof of->saved);
  /* Nothing is saved of what no build would take. */
  if (any_save(at, of->saved, sizeof of->saved, &of->savedBytes) == COPSE_NOT_FINITE)
    of->savedBytes = 0;
  must(of->savedBytes <= sizeof of->saved, "room for a save");
  /* What fails may have written its first bytes. */
  for (size_t i = of->savedBytes ? of->savedBytes : COPSE_SNAPSHOT_HEAD; i < sizeof of->saved; i++)
    must(((uint8_t *)of->saved)[i] == UNWRITTEN, "a save ends where it says");
  if (at.crowd) {
    of->hash = copse_crowd_hash(at.crowd);
    return;
  }
  must(any_validate(at), "validate");
  of->drawnWords = any_cells(at, (float *)of->drawn, WORDS);
}

static bool looks_the_same(const portrait *a, const portrait *b) {
  return a->savedBytes == b->savedBytes && a->drawnWords == b->drawnWords && a->hash == b->hash &&
         memcmp(a->saved, b->saved, sizeof a->saved) == 0 &&
         memcmp(a->drawn, b->drawn, sizeof a->drawn) == 0;
}

/* From a block of its own, so that reading past its end is seen. */
static copse_status restore(any at, const uint32_t *words, size_t size) {
  uint32_t *exact = malloc(size ? size : 1);
  memcpy(exact, words, size);
  const copse_status check = any_restorable(at, exact, size);
  const copse_status status = any_restore(at, exact, size);
  must(check == status || (check == COPSE_OK && status == COPSE_BAD_SNAPSHOT), "the head alone");
  free(exact);
  return status;
}

/* ---- What was accepted, against brute force ---- */

/* The last build is what a save of it says. */
static void compare_agents(any at, const portrait *now, input *from) {
  enum { EVER = 11, SLOTS, IS_BUILT, BUILT, HEAD = 17 };
  static float floats[WORDS];
  memcpy(floats, now->saved, sizeof floats);
  const uint32_t dim = copse_points_dimensions(at.points), count = now->saved[SLOTS];
  const uint32_t builtCount = now->saved[BUILT];
  must(copse_points_slots(at.points) == count, "slots");
  must(copse_points_is_built(at.points) == now->saved[IS_BUILT], "a build");
  const size_t begin = HEAD + now->saved[EVER] + (size_t)count * (dim + 1);
  float *built = floats + begin;
  const uint32_t *groups = now->saved + begin + (size_t)builtCount * dim;
  const brute_points last = {{{built, built + 1, built + dim - 1}, dim}, groups, builtCount, dim};
  copse_points_set_slots(at.points, builtCount); /* batches have rows for what is in use */
  if (now->saved[IS_BUILT]) fuzz_ask(at.points, &last, from);
  must(restore(at, now->saved, now->savedBytes) == COPSE_OK, "a restore of what was saved");
  must(copse_points_build(at.points, NULL) == COPSE_OK && any_validate(at),
       "a build after restore");
  const brute_points next = {readable(copse_points_positions(at.points)),
                             copse_points_groups(at.points), count, dim};
  fuzz_ask(at.points, &next, from);
}

static void compare_octree(form of, copse_octree *tree, ledger *book, input *from) {
  static box_list list;
  const copse_octree_def def = octree_form(of, copse_octree_capacity(tree), book);
  const size_t sides = 2 * def.dimensions;
  list = (box_list){.dimensions = def.dimensions, .groups = copse_octree_groups(tree)};
  for (uint32_t id = 0; id < def.capacity; id++) {
    list.used[id] = copse_octree_has(tree, id);
    memcpy(list.boxes[id], copse_octree_boxes(tree) + id * sides, sides * sizeof(float));
  }
  must(cells_as_new(tree, &def, &list), "the cells of a new tree");
  const char *wrong = ask_boxes(from, tree, &list);
  copse_octree_clear(tree); /* and its pools are whole */
  if (!wrong) wrong = play(&def, tree, *from);
  must(!wrong, wrong);
}

static void compare_obstacle(copse_obstacle *tree, const portrait *now, input *from) {
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
  if (!wrong) wrong = compare_drawn(from, tree);
  const wall_world world = next_world(from);
  for (int i = 0; i < 3 && !wrong; i++) {
    const wall_question ask = next_wall_question(from, &world, &list);
    wrong = compare_walls(from, tree, &list, &ask);
  }
  must(!wrong, wrong);
}

static void compare_crowd(copse_crowd *crowd, input *from) {
  static crowd_game game;
  copse_obstacle_def walls = copse_obstacle_default();
  uint32_t slot;
  const uint32_t before = copse_crowd_hash(crowd);
  memset(&game, 0, sizeof game);
  must(copse_crowd_reserve(crowd, CROWD_SLOTS) == COPSE_OK, "reserve");
  must(copse_crowd_hash(crowd) == before, "the hash after reserve");
  must(copse_obstacle_create(&walls, &game.walls) == COPSE_OK, "create");
  copse_obstacle_add(game.walls, (float[]){-3, 0, 3, 0, 0, 2}, 3, COPSE_SOLID_WINDING, &slot);
  copse_obstacle_build(game.walls, NULL);
  game.crowd = crowd;
  for (slot = 0; slot < CROWD_SLOTS; slot++) game.used[slot] = copse_crowd_has(crowd, slot);
  const char *wrong = NULL;
  for (int i = 0; i < 3 && !wrong; i++) wrong = play_step(&game, next_side(from));
  if (!wrong) wrong = play_save(&game);
  copse_obstacle_destroy(game.walls);
  must(!wrong, wrong);
}

static void compare(form of, any at, ledger *book, const portrait *now, input *from) {
  if (at.octree)
    compare_octree(of, at.octree, book, from);
  else if (at.obstacle)
    compare_obstacle(at.obstacle, now, from);
  else if (at.crowd)
    compare_crowd(at.crowd, from);
  else
    compare_agents(at, now, from);
}

/* ---- Forging ---- */

static uint32_t forged_word(input *from, const uint32_t *words, uint32_t count, uint32_t was) {
  static const float odd[] = {NAN, INFINITY, -0.0f, 1e18f, 1.1e18f, 0.5f, -8, 1e-45f};
  uint32_t word = 0;
  const uint8_t way = next_byte(from), more = next_byte(from);
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
    for (int i = 0; i < 4; i++) word = word << 8 | next_byte(from);
    return word;
  case 5:
    return was ^ 1u << more % 32;
  default:
    return more % 70;
  }
}

/* Some words changed, more or fewer of them; answers with the new size, and whether it did. */
static size_t forge(input *from, uint32_t *words, size_t size, bool *isChanged) {
  const uint8_t changes = next_byte(from) % 8;
  for (uint8_t i = 0; i < changes && size; i++) {
    const uint32_t count = (uint32_t)size / 4, place = next_byte(from) * 256u + next_byte(from);
    uint32_t *word = &words[place % (place % 4 ? count : count < 16 ? count : 16)];
    *word = forged_word(from, words, count, *word);
  }
  const uint8_t resize = next_byte(from);
  if (resize % 16 == 0) size = resize / 16 * 4u < size ? size - resize / 16 * 4u : 0;
  if (resize % 16 == 1) size += resize / 16 * 4u;
  *isChanged = changes || resize % 16 < 2;
  return size;
}

/* As KdTree.from does: a tree with the capacity that the bytes ask for, if they can have it. */
static void grow_from(form of, const uint32_t *words, size_t size) {
  enum { HEAD = 14, DIMENSIONS = 6, NON_FINITE = 10, COUNT = 11 };
  ledger book = {-1, 0};
  const uint32_t dimensions = of.options & 1 ? 3 : 2;
  if (size < 4 * HEAD || words[2] != SNAPSHOT_KDTREE || words[DIMENSIONS] != dimensions ||
      words[NON_FINITE] > 1 ||
      (uint64_t)words[COUNT] + words[COUNT + 1] > size / 4 / (dimensions + 1))
    return;
  uint32_t capacity = words[COUNT] > words[COUNT + 1] ? words[COUNT] : words[COUNT + 1];
  if (!capacity) capacity = 1;
  of.options = (uint8_t)((of.options & ~16u) | words[NON_FINITE] << 4);
  const any at = create(of, capacity, &book);
  must(book.bytesHeld <= 8 * size + 4096, "memory for what is in the bytes");
  const copse_status status = restore(at, words, size);
  must(status == COPSE_OK || status == COPSE_BAD_SNAPSHOT, "status of a tree from bytes");
  must(any_validate(at), "validate");
  any_destroy(at);
  must(book.bytesHeld == 0, "memory is given back");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static const uint32_t CAPACITIES[] = {1, 7, CROWD_SLOTS, 64};
  static uint32_t words[WORDS];
  static portrait before, after, again;
  ledger book = {-1, 0};
  input from = {bytes, size};
  const uint8_t what = next_byte(&from), sizes = next_byte(&from), seed = next_byte(&from);
  const form of = {(snapshot_kind)(SNAPSHOT_AGENTTREE + what % 6), next_byte(&from)};
  const uint32_t most = of.kind == SNAPSHOT_CROWD ? 3 : 4;
  const uint32_t capacity = CAPACITIES[sizes % most], other = CAPACITIES[sizes / 4 % most];
  const any at = create(of, capacity, &book);
  fill(at, seed);

  size_t total = 0;
  bool isChanged = true, isTrue = sizes & 64;
  memset(words, 0, sizeof words);
  if (isTrue) {
    const any donor = create(of, other, &book);
    fill(donor, seed + 1u + next_byte(&from));
    if (any_save(donor, words, WORDS * 4, &total) != COPSE_OK) total = 0;
    isTrue = total > 0;
    total = forge(&from, words, total, &isChanged);
    any_destroy(donor);
  } else {
    total = from.left / 2 < 4096 ? from.left / 2 : 4096;
    for (size_t i = 0; i < total; i++) ((uint8_t *)words)[i] = next_byte(&from);
  }
  const uint8_t seal = next_byte(&from);
  if (seal % 16 && total >= sizeof(snapshot_header))
    snapshot_seal(words, total, seal % 16 == 1 ? (snapshot_kind)(seal / 16) : of.kind);
  if (of.kind == SNAPSHOT_KDTREE) grow_from(of, words, total);

  portray(at, &before);
  const copse_status status = restore(at, words, total);
  portray(at, &after);
  if (status != COPSE_OK) {
    must(status == COPSE_BAD_SNAPSHOT || (status == COPSE_FULL && capacity < other) ||
             (status == COPSE_FULL && isChanged),
         "status of a restore");
    must(!isTrue || isChanged || status == COPSE_FULL || seal % 16 == 1, "a true snapshot");
    must(looks_the_same(&before, &after), "a refused restore changes nothing");
  } else {
    must(after.savedBytes > 0, "what was restored is saved");
    ledger fresh = {-1, 0};
    const any copy = create(of, capacity, &fresh);
    must(restore(copy, after.saved, after.savedBytes) == COPSE_OK, "restore of a save");
    portray(copy, &again);
    must(looks_the_same(&after, &again) || (at.octree && copse_octree_stats(at.octree).unsplit),
         "a save restores to the same");
    any_destroy(copy);
    must(fresh.bytesHeld == 0, "memory is given back");
    compare(of, at, &book, &after, &from);
  }
  any_destroy(at);
  must(book.bytesHeld == 0, "memory is given back");
  return 0;
}

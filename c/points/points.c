/* The handle `copse_points`: creation, buffers, builds and snapshots, the same for all
 * structures. */

#include "points.h"

#include "../base/geom.h"
#include "../base/query.h"

#include <string.h>

/* ---- Creation, growth, destruction ------------------------------------------------------- */

bool points_ok(const copse_points *definition) {
  const copse_layout layout = definition->layout;
  const copse_on_non_finite onNonFinite = definition->onNonFinite;
  return (definition->dimensions == 2 || definition->dimensions == 3) &&
         definition->capacity >= 1 && definition->capacity <= COPSE_MAX_CAPACITY &&
         (layout == COPSE_LAYOUT_INTERLEAVED || layout == COPSE_LAYOUT_SEPARATE) &&
         (onNonFinite == COPSE_NON_FINITE_ERROR || onNonFinite == COPSE_NON_FINITE_SKIP);
}

/* Returns the number of slots in the index's buffers for agents. */
static uint32_t own_slots(const copse_points *points) {
  return points->type->hasNoAgents ? 0 : points->capacity;
}

static void carve_own(copse_points *points, arena *block) {
  const uint64_t padded = (uint64_t)points->capacity + SCAN_PADDING;
  const uint32_t count = own_slots(points);
  points->positions = arena_carve(block, (uint64_t)count * points->dimensions, sizeof(float));
  points->groups = arena_carve(block, count, sizeof(uint32_t));
  points->agents.generations = arena_carve(block, count, sizeof(uint32_t));
  points->agents.free = arena_carve(block, slots_words(count), sizeof(uint32_t));
  for (uint32_t axis = 0; axis < points->dimensions; axis++)
    points->ordered.axes[axis] = arena_carve(block, padded, sizeof(float));
  points->ordered.ids = arena_carve(block, padded, sizeof(uint32_t));
  points->ordered.groups = arena_carve(block, padded, sizeof(uint32_t));
}

/* Carves all arrays of an index out of a block. If `block` is NULL, sets them to NULL instead.
 * Returns the size of the block. */
static uint64_t carve(copse_points *points, void *block) {
  arena whole = arena_over(block);
  carve_own(points, &whole);
  points->type->carve(points, &whole);
  return arena_block_bytes(whole.used);
}

/* Room on the stack for a copy of an index's struct, whatever its type. */
typedef union any_points {
  copse_points points;
  char bytes[POINTS_BYTES];
} any_points;

static any_points copy_of(const copse_points *points) {
  any_points copy;
  memcpy(&copy, points, points->type->bytes);
  return copy;
}

/* Allocates the block for the arrays of an index, which must not have one yet, and fills it with
 * zeros. */
static copse_status take_block(copse_points *points) {
  points->blockBytes = carve(points, NULL);
  points->block = memory_take(&points->allocator, points->blockBytes);
  if (!points->block) return COPSE_OUT_OF_MEMORY;
  memset(points->block, 0, (size_t)points->blockBytes);
  carve(points, points->block);
  points->agents.capacity = own_slots(points);
  slots_recount(&points->agents);
  return COPSE_OK;
}

size_t points_bytes(const copse_points *definition) {
  any_points measured = copy_of(definition);
  const uint64_t bytes = definition->type->bytes + carve(&measured.points, NULL);
  return size_of(bytes);
}

copse_status points_create(const copse_points *definition, copse_points **points) {
  const size_t bytes = definition->type->bytes;
  copse_points *made = memory_take(&definition->allocator, bytes);
  if (!made) return COPSE_OUT_OF_MEMORY;
  memcpy(made, definition, bytes);
  const copse_status status = take_block(made);
  if (status == COPSE_OK)
    *points = made;
  else
    memory_give(&definition->allocator, made, bytes);
  return status;
}

void copse_points_destroy(copse_points *points) {
  if (!points) return;
  const copse_allocator allocator = points->allocator;
  memory_give(&allocator, points->block, points->blockBytes);
  memory_give(&allocator, points, points->type->bytes);
}

/* Copies the arrays that all types of index have to `target`, which has more capacity. */
static void keep_own(copse_points *target, const copse_points *points) {
  const size_t dim = points->dimensions, old = own_slots(points), capacity = target->capacity;
  if (points->layout == COPSE_LAYOUT_SEPARATE) {
    for (size_t axis = 0; axis < dim; axis++)
      memcpy(target->positions + axis * capacity, points->positions + axis * old,
             old * sizeof(float));
  } else
    memcpy(target->positions, points->positions, old * dim * sizeof(float));
  memcpy(target->groups, points->groups, old * sizeof(uint32_t));
  memcpy(target->agents.generations, points->agents.generations, old * sizeof(uint32_t));
  slots_recount(&target->agents);
  const size_t built = points->builtCount;
  for (size_t axis = 0; axis < dim; axis++)
    memcpy(target->ordered.axes[axis], points->ordered.axes[axis], built * sizeof(float));
  memcpy(target->ordered.ids, points->ordered.ids, built * sizeof(uint32_t));
  memcpy(target->ordered.groups, points->ordered.groups, built * sizeof(uint32_t));
}

copse_status copse_points_reserve(copse_points *points, uint32_t capacity) {
  if (capacity > COPSE_MAX_CAPACITY) return COPSE_INVALID_ARGUMENT;
  if (capacity <= points->capacity) return COPSE_OK;
  any_points larger = copy_of(points);
  larger.points.capacity = capacity;
  const copse_status status = take_block(&larger.points);
  if (status != COPSE_OK) return status;
  keep_own(&larger.points, points);
  if (points->type->keep) points->type->keep(&larger, points);
  memory_give(&points->allocator, points->block, points->blockBytes);
  memcpy(points, &larger, points->type->bytes);
  return COPSE_OK;
}

/* ---- Agents and their buffers ------------------------------------------------------------ */

uint32_t copse_points_capacity(const copse_points *points) { return points->capacity; }
uint32_t copse_points_dimensions(const copse_points *points) { return points->dimensions; }
uint32_t copse_points_slots(const copse_points *points) { return points->slots; }
uint32_t copse_points_count(const copse_points *points) { return points->agents.used; }
bool copse_points_is_built(const copse_points *points) { return points->isBuilt; }
uint32_t copse_points_built(const copse_points *points) { return points->builtCount; }
uint32_t *copse_points_groups(copse_points *points) { return points->groups; }

const uint32_t *copse_points_generations(const copse_points *points) {
  return points->agents.generations;
}
bool copse_points_has(const copse_points *points, uint32_t slot) {
  return slots_in_use(&points->agents, slot);
}

static copse_positions positions_of(const copse_points *points) {
  const bool separate = points->layout == COPSE_LAYOUT_SEPARATE;
  const size_t step = separate ? points->capacity : 1;
  copse_positions positions = {{0}, separate ? 1 : points->dimensions};
  for (size_t axis = 0; axis < points->dimensions; axis++)
    positions.axes[axis] = points->positions + axis * step;
  return positions;
}

copse_positions copse_points_positions(copse_points *points) { return positions_of(points); }

copse_status copse_points_set_slots(copse_points *points, uint32_t end) {
  if (end > points->agents.capacity) return COPSE_FULL;
  const bool hasFree = points->agents.used < points->slots;
  for (uint32_t slot = hasFree ? 0 : points->slots; slot < end; slot++) {
    if (slots_in_use(&points->agents, slot)) continue;
    slots_take_at(&points->agents, slot);
    points->groups[slot] = 1;
  }
  for (uint32_t slot = end; slot < points->slots; slot++) copse_points_remove(points, slot);
  points->slots = end;
  return COPSE_OK;
}

static void put(copse_points *points, uint32_t slot, const float *position) {
  const copse_positions positions = positions_of(points);
  for (uint32_t axis = 0; axis < points->dimensions; axis++)
    positions.axes[axis][(size_t)slot * positions.stride] = position[axis];
}

copse_status copse_points_add(copse_points *points, const float *position, uint32_t *slot) {
  *slot = COPSE_NONE;
  if (!query_point_ok(position, (int)points->dimensions)) return COPSE_NOT_FINITE;
  if (points->agents.used == points->agents.capacity) return COPSE_FULL;
  *slot = slots_take(&points->agents);
  if (*slot >= points->slots) points->slots = *slot + 1;
  points->groups[*slot] = 1;
  put(points, *slot, position);
  return COPSE_OK;
}

copse_status copse_points_move(copse_points *points, uint32_t slot, const float *position) {
  if (!slots_in_use(&points->agents, slot)) return COPSE_STALE_SLOT;
  if (!query_point_ok(position, (int)points->dimensions)) return COPSE_NOT_FINITE;
  put(points, slot, position);
  return COPSE_OK;
}

copse_status copse_points_remove(copse_points *points, uint32_t slot) {
  const copse_status status = slots_free(&points->agents, slot);
  if (status == COPSE_OK) points->groups[slot] = 0;
  return status;
}

const uint32_t *copse_points_order(const copse_points *points, uint32_t *count) {
  *count = points->present;
  return points->ordered.ids;
}

/* ---- Build ------------------------------------------------------------------------------- */

/* Positions and groups by slot, in memory that can be written: the buffers of an index, or a part
 * of a snapshot. */
typedef struct points_state {
  copse_positions positions;
  uint32_t *groups;
  uint32_t count;
} points_state;

static points_source source_of(const points_state *state) {
  const copse_positions *positions = &state->positions;
  return (points_source){
      {{positions->axes[0], positions->axes[1], positions->axes[2]}, positions->stride},
      state->groups,
      state->count};
}

void points_hide_free(const copse_points *points) {
  if (points->agents.used == points->slots) return;
  for (uint32_t slot = 0; slot < points->slots; slot++)
    if (!slots_in_use(&points->agents, slot)) points->groups[slot] = 0;
}

static points_state buffers_of(const copse_points *points) {
  points_hide_free(points);
  return (points_state){positions_of(points), points->groups, points->slots};
}

static bool source_accepts(const points_source *source, uint32_t slot, uint32_t dimensions) {
  bool ok = true;
  for (uint32_t axis = 0; axis < dimensions; axis++)
    if (!is_coordinate(source_coordinate(source, slot, (int)axis))) ok = false;
  return ok;
}

bool source_has(const points_source *source, uint32_t slot, uint32_t dimensions) {
  return source_group(source, slot) && source_accepts(source, slot, dimensions);
}

static points_survey survey_slowly(const points_source *source, uint32_t dimensions) {
  points_survey survey = {0, 0, COPSE_NONE, 0, COPSE_ALL_GROUPS};
  for (uint32_t slot = 0; slot < source->count; slot++) {
    uint32_t groups = source_group(source, slot);
    if (!groups) continue;
    if (source_accepts(source, slot, dimensions)) {
      survey.present++;
      survey.anyGroups |= groups;
      survey.allGroups &= groups;
    } else if (survey.bad++ == 0)
      survey.firstBad = slot;
  }
  return survey;
}

/* True if none of the floats is NaN or too large for a coordinate. */
static bool are_coordinates(const float *x, uint64_t count) {
  const float4 most = float4_all(COPSE_MAX_COORDINATE), least = float4_all(-COPSE_MAX_COORDINATE);
  word4 ok = word4_all(UINT32_MAX);
  uint64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    float4 four = float4_load(x + i);
    ok = word4_and(ok, word4_and(float4_le(least, four), float4_le(four, most)));
  }
  for (; i < count; i++)
    if (!is_coordinate(x[i])) return false;
  return word4_bits(ok) == 15;
}

/* Writes the group bits that at least one slot has, and the bits that all slots have. Returns false
 * if a slot has no group. */
static bool survey_groups(const uint32_t *groups, uint32_t count, uint32_t *any, uint32_t *all) {
  /* Per lane. any4: bits that at least one slot has; some4: bits that at least one slot lacks;
   * none4: all ones if at least one slot has no group. */
  word4 any4 = word4_all(0), some4 = any4, none4 = any4;
  uint32_t i = 0;
  bool absent = false;
  for (; count - i >= 4; i += 4) {
    const word4 four = word4_load(groups + i);
    any4 = word4_or(any4, four);
    some4 = word4_or(some4, word4_without(word4_all(COPSE_ALL_GROUPS), four));
    none4 = word4_or(none4, word4_equal(four, word4_all(0)));
  }
  uint32_t anyLanes[4], someLanes[4], lacking = 0;
  word4_store(anyLanes, any4);
  word4_store(someLanes, some4);
  *any = anyLanes[0] | anyLanes[1] | anyLanes[2] | anyLanes[3];
  lacking = someLanes[0] | someLanes[1] | someLanes[2] | someLanes[3];
  for (; i < count; i++) {
    *any |= groups[i];
    lacking |= ~groups[i];
    absent |= groups[i] == 0;
  }
  *all = ~lacking;
  return !absent && !word4_bits(none4);
}

/* True if positions are one array, interleaved. Compares addresses as integers: without agents the
 * arrays may be NULL, and adding to a NULL pointer is undefined. */
static bool is_interleaved(const copse_const_positions *positions, uint32_t dimensions) {
  const uintptr_t first = (uintptr_t)positions->axes[0];
  bool ok = positions->stride == dimensions;
  for (uint32_t axis = 1; axis < dimensions; axis++)
    ok = ok && (uintptr_t)positions->axes[axis] == first + axis * sizeof(float);
  return ok;
}

/* Fills in `survey`: what a build must know about its input. Handles only the usual case, with
 * SIMD: every slot has a group and valid coordinates, and positions are interleaved or in one array
 * per axis. Returns false in all other cases: survey_slowly must be used then. */
static bool survey_full(const points_source *source, uint32_t dimensions, points_survey *survey) {
  const copse_const_positions *positions = &source->positions;
  const bool interleaved = is_interleaved(positions, dimensions);
  const uint32_t arrays = interleaved ? 1 : dimensions;
  if (!interleaved && positions->stride != 1) return false;
  for (uint32_t i = 0; i < arrays; i++)
    if (!are_coordinates(positions->axes[i], (uint64_t)source->count * dimensions / arrays))
      return false;
  *survey = (points_survey){source->count, 0, COPSE_NONE, 1, 1};
  return !source->groups ||
         survey_groups(source->groups, source->count, &survey->anyGroups, &survey->allGroups);
}

static points_survey survey_of(const points_source *source, uint32_t dimensions) {
  points_survey survey;
  if (survey_full(source, dimensions, &survey)) return survey;
  return survey_slowly(source, dimensions);
}

static copse_status check(const copse_points *points, const points_source *source,
                          points_survey *survey, uint32_t *firstBad) {
  *survey = survey_of(source, points->dimensions);
  if (firstBad) *firstBad = survey->firstBad;
  const bool refused = survey->bad && points->onNonFinite == COPSE_NON_FINITE_ERROR;
  return refused ? COPSE_NOT_FINITE : COPSE_OK;
}

copse_status points_build_source(copse_points *points, const points_source *source,
                                 uint32_t *firstBad) {
  points_survey survey;
  const copse_status status = check(points, source, &survey, firstBad);
  if (status == COPSE_OK) points->type->build(points, source, &survey);
  return status;
}

copse_status copse_points_build(copse_points *points, uint32_t *firstBad) {
  const points_state buffers = buffers_of(points);
  const points_source source = source_of(&buffers);
  return points_build_source(points, &source, firstBad);
}

static void copy_state(const copse_points *points, const points_source *source,
                       const points_state *to) {
  const uint32_t dim = points->dimensions, count = source->count;
  const copse_positions *positions = &to->positions;
  if (positions->stride == dim && is_interleaved(&source->positions, dim))
    memcpy(positions->axes[0], source->positions.axes[0], (size_t)count * dim * sizeof(float));
  else
    for (uint32_t axis = 0; axis < dim; axis++)
      for (uint32_t slot = 0; slot < count; slot++)
        positions->axes[axis][(size_t)slot * positions->stride] =
            source_coordinate(source, slot, (int)axis);
  for (uint32_t slot = 0; slot < count; slot++) to->groups[slot] = source_group(source, slot);
}

/* Gives the slots 0 … count - 1 these generations, and frees all other slots. */
static void copy_slots(copse_points *points, const uint32_t *generations, uint32_t count) {
  slots *own = &points->agents;
  const size_t bytes = count * sizeof *generations;
  for (uint32_t slot = count; slot < points->slots; slot++) copse_points_remove(points, slot);
  if (count && memcmp(own->generations, generations, bytes) != 0) {
    memcpy(own->generations, generations, bytes);
    slots_recount(own);
  }
  points->slots = count < own->ever ? count : own->ever;
}

copse_status copse_points_build_from(copse_points *points, const copse_const_positions *positions,
                                     const uint32_t *groups, const uint32_t *generations,
                                     uint32_t count, uint32_t *firstBad) {
  const points_source source = {*positions, groups, count};
  points_survey survey;
  if (firstBad) *firstBad = COPSE_NONE;
  for (uint32_t axis = 0; axis < points->dimensions; axis++)
    if (!positions->axes[axis] && count) return COPSE_INVALID_ARGUMENT;
  const copse_status status = check(points, &source, &survey, firstBad);
  if (status != COPSE_OK) return status;
  if (count > points->capacity) return COPSE_FULL;
  if (generations)
    copy_slots(points, generations, count);
  else
    copse_points_set_slots(points, count);
  copy_state(points, &source, &(points_state){positions_of(points), points->groups, count});
  points->type->build(points, &source, &survey);
  return COPSE_OK;
}

void points_take(copse_points *points, const points_source *source, const points_survey *survey) {
  points->isBuilt = true;
  points->builtCount = source->count;
  points->present = survey->present;
  points->skipped = survey->bad;
  points->anyGroups = survey->anyGroups;
  points->allGroups = survey->allGroups;
}

void points_order_slots(const copse_points *points, const points_source *source) {
  uint32_t front = 0, back = points->present;
  const bool areAll = points->present == source->count;
  for (uint32_t slot = 0; slot < source->count; slot++) {
    const bool isPresent = areAll || source_has(source, slot, points->dimensions);
    points->ordered.ids[isPresent ? front++ : back++] = slot;
  }
}

ALWAYS_INLINE void fetch_in(const copse_points *points, const points_source *source, uint32_t begin,
                            uint32_t end, const int dim) {
  /* Local copies, which can stay in registers: the stores below cannot change them. */
  const scan_points ordered = points->ordered;
  const copse_const_positions positions = source->positions;
  for (uint32_t i = begin; i < end; i++) {
    const size_t at = (size_t)ordered.ids[i] * positions.stride;
    EACH_AXIS (axis, dim) ordered.axes[axis][i] = positions.axes[axis][at] + 0.0f;
  }
}

void points_fetch(const copse_points *points, const points_source *source, uint32_t begin,
                  uint32_t end) {
  WITH_DIM(points->dimensions, fetch_in, points, source, begin, end);
}

ALWAYS_INLINE void extend4(float4 *lo, float4 *hi, const float *x) {
  const float4 four = float4_load(x);
  *lo = float4_min(*lo, four);
  *hi = float4_max(*hi, four);
}

void points_bounds(const copse_points *points, uint32_t begin, uint32_t end, float *box) {
  for (uint32_t axis = 0; axis < points->dimensions; axis++) {
    const float *x = points->ordered.axes[axis];
    float4 lo = float4_all(x[begin]), hi = lo;
    uint32_t i = begin;
    for (; end - i >= 4; i += 4) extend4(&lo, &hi, x + i);
    if (i < end && end - begin >= 4)
      extend4(&lo, &hi, x + end - 4); /* reads some coordinates twice, which does no harm */
    else
      for (; i < end; i++) {
        lo = float4_min(lo, float4_all(x[i]));
        hi = float4_max(hi, float4_all(x[i]));
      }
    box[axis] = float4_first(float4_least(lo));
    box[points->dimensions + axis] = float4_first(float4_greatest(hi));
  }
}

void points_fetch_groups(const copse_points *points, const points_source *source, uint32_t begin,
                         uint32_t end) {
  if (points->anyGroups == points->allGroups) return;
  for (uint32_t i = begin; i < end; i++)
    points->ordered.groups[i] = source_group(source, points->ordered.ids[i]);
}

/* True if ordered.ids is a permutation of 0 … builtCount - 1, and `slots`, `capacity`, `builtCount`
 * and `present` are consistent. Marks ids while it runs, and then restores them. */
static bool is_permutation(const copse_points *points) {
  enum { MARK = 1 << 30 }; /* a bit that no id has */
  const uint32_t count = points->builtCount;
  uint32_t *ids = points->ordered.ids, marks = MARK;
  if (points->slots > points->capacity || count > points->capacity || points->present > count)
    return false;
  for (uint32_t i = 0; i < count; i++)
    if (ids[i] >= count) return false;
  /* The ids are a permutation if and only if every entry gets marked. */
  for (uint32_t i = 0; i < count; i++) ids[ids[i] & (MARK - 1)] |= MARK;
  for (uint32_t i = 0; i < count; i++) {
    marks &= ids[i];
    ids[i] &= MARK - 1;
  }
  return marks != 0;
}

/* ---- Cells to draw, statistics, validation ----------------------------------------------- */

size_t copse_points_cells(const copse_points *points, size_t skipped, float *out, size_t capacity) {
  drawing drawn = {out, skipped, capacity, 2 * points->dimensions + 2, 0};
  points->type->cells(points, &drawn);
  return drawn.floats;
}

copse_points_statistics copse_points_stats(const copse_points *points) {
  copse_points_statistics stats = {
      .agents = points->present, .skipped = points->skipped, .bytes = points_memory(points)};
  if (points->isBuilt) points->type->stats(points, &stats);
  return stats;
}

bool copse_points_validate(const copse_points *points) {
  return is_permutation(points) && points->type->validate(points);
}

/* ---- Snapshots --------------------------------------------------------------------------- */

/* The head of a snapshot. After it come the generations of all slots that were ever in use, then
 * the buffers, then the last build, and then the extras (masks and radii, if there are any) of all
 * slots that were ever in use. Buffers and build have the same form: for n slots, n * dimensions
 * coordinates, interleaved, and n groups. Slots that were left out of the build have group 0
 * there. */
typedef struct points_snapshot {
  snapshot_header header;
  /* An index restores the snapshot only if it has the same values of these fields. */
  uint32_t dimensions, options[POINTS_OPTIONS], onNonFinite;
  uint32_t ever, slots, isBuilt, builtCount, skipped;
  uint32_t extras; /* the extras that were saved: a sum of EXTRA_… */
} points_snapshot;
/* The bits of points_snapshot.extras: which arrays of the owner a snapshot holds. The value of a
 * bit is also the number of words per slot that it adds. */
enum {
  EXTRA_MASKS = 1,
  EXTRA_RADII = 2 /* two arrays: the current radii, and the radii at the last build */
};
_Static_assert(sizeof(points_snapshot) <= SNAPSHOT_HEAD, "the head of a snapshot");

static uint64_t state_bytes(const copse_points *points, uint64_t count) {
  return count * (points->dimensions + 1) * 4;
}

static uint64_t snapshot_bytes(const copse_points *points, const points_snapshot *head) {
  return sizeof *head + head->ever * UINT64_C(4) * (1 + head->extras) +
         state_bytes(points, head->slots) + state_bytes(points, head->builtCount);
}

static points_state state_at(const copse_points *points, void *bytes, uint32_t count) {
  points_state part = {.count = count};
  float *coordinates = bytes;
  part.positions.stride = points->dimensions;
  for (uint32_t axis = 0; axis < 3; axis++) /* in 2D the third pointer is not used */
    part.positions.axes[axis] = coordinates + axis;
  part.groups = (uint32_t *)bytes + (size_t)count * points->dimensions;
  return part;
}

static points_snapshot snapshot_head(const copse_points *points) {
  points_snapshot head = {.dimensions = points->dimensions,
                          .onNonFinite = (uint32_t)points->onNonFinite,
                          .ever = points->agents.ever,
                          .slots = points->slots,
                          .isBuilt = points->isBuilt,
                          .builtCount = points->builtCount,
                          .skipped = points->skipped};
  if (points->type->options) points->type->options(points, head.options);
  return head;
}

copse_status copse_points_save(const copse_points *points, void *bytes, size_t capacity,
                               size_t *total, uint32_t *firstBad) {
  return points_save_extras(points, &(points_extras){0}, bytes, capacity, total, firstBad);
}

copse_status points_save_extras(const copse_points *points, const points_extras *extras,
                                void *bytes, size_t capacity, size_t *total, uint32_t *firstBad) {
  const points_state buffers = buffers_of(points);
  const points_source source = source_of(&buffers);
  points_survey survey;
  points_snapshot head = snapshot_head(points);
  if (extras->masks) head.extras += EXTRA_MASKS;
  if (extras->radii) head.extras += EXTRA_RADII;
  snapshot_put_head(bytes, capacity, &head, sizeof head);
  *total = 0;
  if (check(points, &source, &survey, firstBad) != COPSE_OK) return COPSE_NOT_FINITE;
  const uint64_t size = snapshot_bytes(points, &head);
  *total = size_of(size);
  if (size > capacity) return COPSE_FULL;

  char *behind = (char *)bytes + sizeof head;
  memcpy(behind, points->agents.generations, head.ever * sizeof(uint32_t));
  behind += head.ever * sizeof(uint32_t);
  const points_state saved = state_at(points, behind, head.slots);
  copy_state(points, &source, &saved);
  behind += state_bytes(points, head.slots);
  memset(behind, 0, (size_t)state_bytes(points, head.builtCount));
  const points_state built = state_at(points, behind, head.builtCount);
  const bool uniform = points->anyGroups == points->allGroups;
  for (uint32_t i = 0; i < points->present; i++) {
    uint32_t slot = points->ordered.ids[i];
    for (uint32_t axis = 0; axis < points->dimensions; axis++)
      built.positions.axes[axis][(size_t)slot * built.positions.stride] =
          points->ordered.axes[axis][i];
    built.groups[slot] = uniform ? points->anyGroups : points->ordered.groups[i];
  }
  behind += state_bytes(points, head.builtCount);
  const void *arrays[] = {extras->masks, extras->radii, extras->builtRadii};
  for (int i = 0; i < 3; i++) {
    if (!arrays[i]) continue;
    memcpy(behind, arrays[i], head.ever * sizeof(uint32_t));
    behind += head.ever * sizeof(uint32_t);
  }
  snapshot_seal(bytes, size, points->type->kind);
  return COPSE_OK;
}

static bool head_ok(const copse_points *points, const points_snapshot *head, size_t size) {
  const points_snapshot own = snapshot_head(points);
  return head->dimensions == own.dimensions && head->onNonFinite == own.onNonFinite &&
         memcmp(head->options, own.options, sizeof own.options) == 0 &&
         head->extras <= EXTRA_MASKS + EXTRA_RADII && size == snapshot_bytes(points, head) &&
         head->slots <= head->ever && head->skipped <= head->builtCount && head->isBuilt <= 1 &&
         (!head->builtCount || head->isBuilt);
}

points_extras points_saved_extras(const void *bytes, size_t size, uint32_t *count) {
  points_snapshot head;
  memcpy(&head, bytes, sizeof head);
  *count = head.ever;
  const uint32_t *next = (const uint32_t *)bytes + (size / 4 - (size_t)head.ever * head.extras);
  points_extras extras = {0};
  if (head.extras & EXTRA_MASKS) {
    extras.masks = next;
    next += head.ever;
  }
  if (head.extras & EXTRA_RADII) {
    extras.radii = (const float *)next;
    extras.builtRadii = (const float *)next + head.ever;
  }
  return extras;
}

/* True if the generations and groups in a snapshot are consistent: free slots have no group, and
 * only slots below head->slots are in use. */
static bool slots_ok(const uint32_t *generations, const points_snapshot *head,
                     const uint32_t *groups) {
  if (head->ever && !generations[head->ever - 1]) return false;
  for (uint32_t slot = 0; slot < head->ever; slot++) {
    const bool inUse = generations[slot] & 1;
    if (slot >= head->slots ? inUse : !inUse && groups[slot]) return false;
  }
  return true;
}

copse_status copse_points_restore(copse_points *points, const void *bytes, size_t size,
                                  uint32_t *needed) {
  points_snapshot head;
  const copse_status status = snapshot_open(bytes, size, points->type->kind, &head, sizeof head);
  if (status != COPSE_OK) return status;
  if (!head_ok(points, &head, size)) return COPSE_BAD_SNAPSHOT;
  const uint32_t most = head.ever > head.builtCount ? head.ever : head.builtCount;
  if (needed) *needed = most;
  if (most > points->capacity) return COPSE_FULL;
  const uint32_t *generations = (const uint32_t *)((const char *)bytes + sizeof head);
  /* The bytes are only read, in spite of the cast. */
  char *behind = (char *)bytes + sizeof head + head.ever * sizeof *generations;
  const points_state states[] = {
      state_at(points, behind, head.slots),
      state_at(points, behind + state_bytes(points, head.slots), head.builtCount)};
  const points_source saved = source_of(&states[0]), built = source_of(&states[1]);
  const points_survey survey = survey_of(&built, points->dimensions);
  const bool savedOk = points->onNonFinite == COPSE_NON_FINITE_SKIP ||
                       survey_of(&saved, points->dimensions).bad == 0;
  if (!savedOk || survey.bad || survey.present + head.skipped > head.builtCount ||
      !slots_ok(generations, &head, states[0].groups))
    return COPSE_BAD_SNAPSHOT;

  memset(points->agents.generations, 0, points->agents.capacity * sizeof *generations);
  memcpy(points->agents.generations, generations, head.ever * sizeof *generations);
  slots_recount(&points->agents);
  points->slots = head.slots;
  memset(points->groups + head.slots, 0, (points->agents.capacity - head.slots) * sizeof(uint32_t));
  const points_state buffers = buffers_of(points);
  copy_state(points, &saved, &buffers);
  points->type->build(points, &built, &survey);
  points->skipped = head.skipped;
  points->isBuilt = head.isBuilt;
  return COPSE_OK;
}

#include "agents.h"

#include "geom.h"

#include <string.h>

/* ---- Life -------------------------------------------------------------------------------- */

bool agents_ok(const agents *asked) {
  return (asked->dimensions == 2 || asked->dimensions == 3) && asked->capacity >= 1 &&
         asked->capacity <= COPSE_MAX_CAPACITY &&
         (asked->layout == COPSE_LAYOUT_INTERLEAVED || asked->layout == COPSE_LAYOUT_SEPARATE) &&
         (asked->onNonFinite == COPSE_NON_FINITE_ERROR ||
          asked->onNonFinite == COPSE_NON_FINITE_SKIP);
}

static void carve_own(agents *all, arena *block) {
  const uint64_t capacity = all->capacity, padded = capacity + SCAN_PADDING;
  all->positions = arena_carve(block, capacity * all->dimensions, sizeof(float));
  all->groups = arena_carve(block, capacity, sizeof(uint32_t));
  for (uint32_t axis = 0; axis < all->dimensions; axis++)
    all->points.axes[axis] = arena_carve(block, padded, sizeof(float));
  all->points.ids = arena_carve(block, padded, sizeof(uint32_t));
  all->points.groups = arena_carve(block, padded, sizeof(uint32_t));
}

/* Points all arrays of an index into a block, or measures that block. */
static uint64_t carve(agents *all, void *block) {
  arena whole = arena_over(block);
  carve_own(all, &whole);
  all->type->carve(all, &whole);
  return arena_block_bytes(whole.used);
}

/* An index on the stack. */
typedef union any_index {
  agents agents;
  char bytes[INDEX_BYTES];
} any_index;

static any_index copy_of(const agents *all) {
  any_index copy;
  memcpy(&copy, all, all->type->bytes);
  return copy;
}

/* Takes a zeroed block for the arrays of an index that has none. */
static copse_status take_block(agents *all) {
  all->blockBytes = carve(all, NULL);
  all->block = memory_take(&all->allocator, all->blockBytes);
  if (!all->block) return COPSE_OUT_OF_MEMORY;
  memset(all->block, 0, (size_t)all->blockBytes);
  carve(all, all->block);
  for (uint32_t slot = 0; slot < all->capacity; slot++) all->groups[slot] = 1;
  return COPSE_OK;
}

size_t agents_bytes(const agents *asked) {
  any_index measured = copy_of(asked);
  const uint64_t bytes = asked->type->bytes + carve(&measured.agents, NULL);
  return size_of(bytes);
}

void *agents_create(const agents *asked, copse_status *status) {
  const size_t bytes = asked->type->bytes;
  agents *made = memory_take(&asked->allocator, bytes);
  *status = COPSE_OUT_OF_MEMORY;
  if (!made) return NULL;
  memcpy(made, asked, bytes);
  *status = take_block(made);
  if (*status == COPSE_OK) return made;
  memory_give(&asked->allocator, made, bytes);
  return NULL;
}

void agents_destroy(agents *all) {
  if (!all) return;
  const copse_allocator allocator = all->allocator;
  memory_give(&allocator, all->block, all->blockBytes);
  memory_give(&allocator, all, all->type->bytes);
}

/* Copies what the arrays hold. */
static void keep_own(agents *to, const agents *from) {
  const size_t dim = from->dimensions, old = from->capacity, capacity = to->capacity;
  if (from->layout == COPSE_LAYOUT_SEPARATE) {
    for (size_t axis = 0; axis < dim; axis++)
      memcpy(to->positions + axis * capacity, from->positions + axis * old, old * sizeof(float));
  } else
    memcpy(to->positions, from->positions, old * dim * sizeof(float));
  memcpy(to->groups, from->groups, old * sizeof(uint32_t));
  for (size_t axis = 0; axis < dim; axis++)
    memcpy(to->points.axes[axis], from->points.axes[axis], old * sizeof(float));
  memcpy(to->points.ids, from->points.ids, old * sizeof(uint32_t));
  memcpy(to->points.groups, from->points.groups, old * sizeof(uint32_t));
}

copse_status agents_reserve(agents *all, uint32_t capacity) {
  if (capacity > COPSE_MAX_CAPACITY) return COPSE_INVALID_ARGUMENT;
  if (capacity <= all->capacity) return COPSE_OK;
  any_index larger = copy_of(all);
  larger.agents.capacity = capacity;
  const copse_status status = take_block(&larger.agents);
  if (status != COPSE_OK) return status;
  keep_own(&larger.agents, all);
  all->type->keep(&larger, all);
  memory_give(&all->allocator, all->block, all->blockBytes);
  memcpy(all, &larger, all->type->bytes);
  return COPSE_OK;
}

copse_status agents_set_count(agents *all, uint32_t count) {
  if (count > all->capacity) return COPSE_FULL;
  all->count = count;
  return COPSE_OK;
}

copse_positions agents_positions(const agents *all) {
  const bool separate = all->layout == COPSE_LAYOUT_SEPARATE;
  const size_t step = separate ? all->capacity : 1;
  copse_positions positions = {{0}, separate ? 1 : all->dimensions};
  for (size_t axis = 0; axis < all->dimensions; axis++)
    positions.axes[axis] = all->positions + axis * step;
  return positions;
}

const uint32_t *agents_order(const agents *all, uint32_t *count) {
  *count = all->present;
  return all->points.ids;
}

/* ---- Build ------------------------------------------------------------------------------- */

static source buffers_of(const agents *all) {
  return (source){agents_positions(all), all->groups, all->count};
}

bool source_accepts(const source *from, uint32_t slot, uint32_t dimensions) {
  bool ok = true;
  for (uint32_t axis = 0; axis < dimensions; axis++)
    if (!is_coordinate(source_coordinate(from, slot, (int)axis))) ok = false;
  return ok;
}

static survey survey_slowly(const source *from, uint32_t dimensions) {
  survey found = {0, 0, COPSE_NONE, 0, COPSE_ALL_GROUPS};
  for (uint32_t slot = 0; slot < from->count; slot++) {
    uint32_t groups = source_group(from, slot);
    if (!groups) continue;
    if (source_accepts(from, slot, dimensions)) {
      found.present++;
      found.anyGroups |= groups;
      found.allGroups &= groups;
    } else if (found.bad++ == 0)
      found.firstBad = slot;
  }
  return found;
}

/* Whether a run of floats are all coordinates. */
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

/* The bits that some, and that all of the groups have; false: some have none. */
static bool survey_groups(const uint32_t *groups, uint32_t count, uint32_t *any, uint32_t *all) {
  word4 any4 = word4_all(0), some4 = any4, none4 = any4; /* some4: bits that some lack */
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

/* The survey of a source where every slot is present, which is the usual one; false: not so. */
static bool survey_full(const source *from, uint32_t dimensions, survey *found) {
  const copse_positions *positions = &from->positions;
  const bool interleaved = positions->stride == dimensions;
  if (!interleaved && positions->stride != 1) return false;
  for (uint32_t axis = 0; axis < dimensions; axis++) {
    /* As numbers: without agents there may be no arrays, and nothing is added to NULL. */
    if (interleaved &&
        (uintptr_t)positions->axes[axis] != (uintptr_t)positions->axes[0] + axis * sizeof(float))
      return false;
    if (!interleaved && !are_coordinates(positions->axes[axis], from->count)) return false;
  }
  if (interleaved && !are_coordinates(positions->axes[0], (uint64_t)from->count * dimensions))
    return false;
  *found = (survey){from->count, 0, COPSE_NONE, 1, 1};
  return !from->groups ||
         survey_groups(from->groups, from->count, &found->anyGroups, &found->allGroups);
}

static survey survey_of(const source *from, uint32_t dimensions) {
  survey found;
  if (survey_full(from, dimensions, &found)) return found;
  return survey_slowly(from, dimensions);
}

static copse_status check(const agents *all, const source *from, survey *found,
                          uint32_t *firstBad) {
  *found = survey_of(from, all->dimensions);
  if (firstBad) *firstBad = found->firstBad;
  const bool refused = found->bad && all->onNonFinite == COPSE_NON_FINITE_ERROR;
  return refused ? COPSE_NOT_FINITE : COPSE_OK;
}

copse_status agents_build(agents *all, uint32_t *firstBad) {
  const source from = buffers_of(all);
  survey found;
  const copse_status status = check(all, &from, &found, firstBad);
  if (status == COPSE_OK) all->type->build(all, &from, &found);
  return status;
}

copse_status agents_build_from(agents *all, const copse_positions *positions,
                               const uint32_t *groups, uint32_t count, uint32_t *firstBad) {
  if (firstBad) *firstBad = COPSE_NONE;
  if (count > all->capacity) return COPSE_FULL;
  for (uint32_t axis = 0; axis < all->dimensions; axis++)
    if (!positions->axes[axis] && count) return COPSE_INVALID_ARGUMENT;
  const source from = {*positions, (uint32_t *)groups, count};
  survey found;
  const copse_status status = check(all, &from, &found, firstBad);
  if (status != COPSE_OK) return status;
  all->type->build(all, &from, &found);
  all->count = count;
  return COPSE_OK;
}

void agents_take(agents *all, const source *from, const survey *found) {
  all->builtCount = from->count;
  all->present = found->present;
  all->skipped = found->bad;
  all->anyGroups = found->anyGroups;
  all->allGroups = found->allGroups;
}

ALWAYS_INLINE void fetch_in(const agents *all, const source *from, uint32_t begin, uint32_t end,
                            const int dim) {
  const scan_points points = all->points; /* in registers: the stores below may alias anything */
  const copse_positions positions = from->positions;
  for (uint32_t i = begin; i < end; i++) {
    const size_t at = (size_t)points.ids[i] * positions.stride;
    EACH_AXIS (axis, dim) points.axes[axis][i] = positions.axes[axis][at] + 0.0f;
  }
}

void agents_fetch(const agents *all, const source *from, uint32_t begin, uint32_t end) {
  if (all->dimensions == 3)
    fetch_in(all, from, begin, end, 3);
  else
    fetch_in(all, from, begin, end, 2);
}

void agents_bounds(const agents *all, uint32_t begin, uint32_t end, float *box) {
  for (uint32_t axis = 0; axis < all->dimensions; axis++) {
    const float *x = all->points.axes[axis];
    float4 lo = float4_all(x[begin]), hi = lo;
    uint32_t i = begin;
    for (; end - i >= 4; i += 4) {
      const float4 four = float4_load(x + i);
      lo = float4_min(lo, four);
      hi = float4_max(hi, four);
    }
    for (; i < end; i++) {
      lo = float4_min(lo, float4_all(x[i]));
      hi = float4_max(hi, float4_all(x[i]));
    }
    float lanes[4];
    float4_store(lanes, float4_least(lo));
    box[axis] = lanes[0];
    float4_store(lanes, float4_greatest(hi));
    box[all->dimensions + axis] = lanes[0];
  }
}

void agents_fetch_groups(const agents *all, const source *from) {
  if (all->anyGroups == all->allGroups) return;
  for (uint32_t i = 0; i < all->present; i++)
    all->points.groups[i] = source_group(from, all->points.ids[i]);
}

bool agents_valid(const agents *all) {
  enum { MARK = 1 << 30 }; /* above all ids */
  const uint32_t count = all->builtCount;
  uint32_t *ids = all->points.ids, marks = MARK;
  if (all->count > all->capacity || count > all->capacity || all->present > count) return false;
  for (uint32_t i = 0; i < count; i++)
    if (ids[i] >= count) return false;
  /* A permutation marks every place: that of each id. */
  for (uint32_t i = 0; i < count; i++) ids[ids[i] & (MARK - 1)] |= MARK;
  for (uint32_t i = 0; i < count; i++) {
    marks &= ids[i];
    ids[i] &= MARK - 1;
  }
  return marks != 0;
}

/* ---- Snapshots --------------------------------------------------------------------------- */

/* After this head come two states of the same form: the buffers, then the last build (absent slots
 * with group 0). A state of n slots is n * dimensions coordinates, interleaved, and n groups. */
typedef struct agents_snapshot {
  snapshot_header header;
  uint32_t dimensions, options[INDEX_OPTIONS], onNonFinite; /* must agree */
  uint32_t count, builtCount, skipped;
} agents_snapshot;
_Static_assert(sizeof(agents_snapshot) <= COPSE_SNAPSHOT_HEAD, "the head of a snapshot");

static uint64_t state_bytes(const agents *all, uint64_t count) {
  return count * (all->dimensions + 1) * 4;
}

static source state_at(const agents *all, void *bytes, uint32_t count) {
  source state = {.count = count};
  float *coordinates = bytes;
  state.positions.stride = all->dimensions;
  for (uint32_t axis = 0; axis < 3; axis++) /* in 2D the third is of no use */
    state.positions.axes[axis] = coordinates + axis;
  state.groups = (uint32_t *)bytes + (size_t)count * all->dimensions;
  return state;
}

static void copy_state(const agents *all, const source *from, const source *to) {
  for (uint32_t slot = 0; slot < from->count; slot++)
    for (uint32_t axis = 0; axis < all->dimensions; axis++)
      to->positions.axes[axis][(size_t)slot * to->positions.stride] =
          source_coordinate(from, slot, (int)axis);
  memcpy(to->groups, from->groups, from->count * sizeof(uint32_t));
}

static agents_snapshot snapshot_head(const agents *all) {
  agents_snapshot head = {.dimensions = all->dimensions,
                          .onNonFinite = (uint32_t)all->onNonFinite,
                          .count = all->count,
                          .builtCount = all->builtCount,
                          .skipped = all->skipped};
  all->type->options(all, head.options);
  return head;
}

copse_status agents_save(const agents *all, void *bytes, size_t capacity, size_t *total,
                         uint32_t *firstBad) {
  const source buffers = buffers_of(all);
  survey found;
  *total = 0;
  if (check(all, &buffers, &found, firstBad) != COPSE_OK) return COPSE_NOT_FINITE;
  const agents_snapshot head = snapshot_head(all);
  uint64_t size = sizeof head + state_bytes(all, head.count) + state_bytes(all, head.builtCount);
  *total = size_of(size);
  if (size > capacity) return COPSE_FULL;

  char *at = bytes;
  memcpy(at, &head, sizeof head);
  at += sizeof head;
  source state = state_at(all, at, head.count);
  copy_state(all, &buffers, &state);
  at += state_bytes(all, head.count);
  memset(at, 0, (size_t)state_bytes(all, head.builtCount));
  state = state_at(all, at, head.builtCount);
  const bool uniform = all->anyGroups == all->allGroups;
  for (uint32_t i = 0; i < all->present; i++) {
    uint32_t slot = all->points.ids[i];
    for (uint32_t axis = 0; axis < all->dimensions; axis++)
      state.positions.axes[axis][(size_t)slot * state.positions.stride] = all->points.axes[axis][i];
    state.groups[slot] = uniform ? all->anyGroups : all->points.groups[i];
  }
  snapshot_seal(bytes, size, all->type->kind);
  return COPSE_OK;
}

copse_status agents_restorable(const agents *all, const void *bytes, size_t size) {
  agents_snapshot head, own = snapshot_head(all);
  if (size < sizeof head) return COPSE_BAD_SNAPSHOT;
  memcpy(&head, bytes, sizeof head);
  if (!snapshot_fits(&head.header, size, all->type->kind) || head.dimensions != own.dimensions ||
      head.onNonFinite != own.onNonFinite ||
      memcmp(head.options, own.options, sizeof head.options) != 0 ||
      size != sizeof head + state_bytes(all, head.count) + state_bytes(all, head.builtCount) ||
      head.skipped > head.builtCount)
    return COPSE_BAD_SNAPSHOT;
  const bool fits = head.count <= all->capacity && head.builtCount <= all->capacity;
  return fits ? COPSE_OK : COPSE_FULL;
}

copse_status agents_restore(agents *all, const void *bytes, size_t size) {
  if ((uintptr_t)bytes % 4) return COPSE_INVALID_ARGUMENT;
  const copse_status status = agents_restorable(all, bytes, size);
  if (status != COPSE_OK) return status;
  if (!snapshot_is_intact(bytes, size)) return COPSE_BAD_SNAPSHOT;
  agents_snapshot head;
  memcpy(&head, bytes, sizeof head);
  char *at = (char *)bytes + sizeof head; /* only read */
  const source saved = state_at(all, at, head.count);
  const source built = state_at(all, at + state_bytes(all, head.count), head.builtCount);
  const survey found = survey_of(&built, all->dimensions);
  const bool savedOk =
      all->onNonFinite == COPSE_NON_FINITE_SKIP || survey_of(&saved, all->dimensions).bad == 0;
  if (!savedOk || found.bad || found.present + head.skipped > head.builtCount)
    return COPSE_BAD_SNAPSHOT;

  all->count = head.count;
  const source buffers = buffers_of(all);
  copy_state(all, &saved, &buffers);
  all->type->build(all, &built, &found);
  all->skipped = head.skipped;
  return COPSE_OK;
}

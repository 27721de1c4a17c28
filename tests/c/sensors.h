/* Plays random games with sensors over an index of points. After each update, compares the rows
 * with sets that a plain loop computes. */
#ifndef SENSORS_H
#define SENSORS_H

#include "../../c/base/snapshot.h"
#include "bytes.h"
#include "compare.h"
#include "ledger.h"

enum { SENSED_AGENTS = 96, SENSORS = 12, SENSED_WORDS = 8192 };

/* A world that wraps around, in 2D and in 3D. Some agents are outside of it. */
static const float SENSED_WORLD[] = {-8, -8, 8, 8, 6, 12};

typedef struct sensor_game {
  ledger book;
  kind like;
  uint32_t dim;
  copse_points *index;
  copse_sensors *sensors;

  /* The last build. */
  float built[3][SENSED_AGENTS];
  uint32_t builtGroups[SENSED_AGENTS], builtCount;

  /* What the sensors must be, and remember: the generation of each agent inside, or 0. */
  copse_sensor expected[SENSORS];
  bool used[SENSORS];
  uint32_t inside[SENSORS][SENSED_AGENTS], agentGenerations[SENSORS];
} sensor_game;

/* ---- Creating and destroying ---- */

static inline copse_status create_sensors(sensor_game *game, copse_sensors **sensors) {
  copse_sensors_def def = copse_sensors_default();
  def.dimensions = game->dim;
  def.capacity = SENSORS;
  def.agents = 0; /* updates ask for more */
  def.allocator = ledger_allocator(&game->book);
  return copse_sensors_create(&def, sensors);
}

static inline void game_start(sensor_game *game, kind like, uint32_t dim, bool isSeparate) {
  copse_agenttree_def def = copse_agenttree_default();
  *game = (sensor_game){.book = {-1, 0}, .like = like, .dim = dim};
  def.dimensions = dim;
  def.capacity = SENSED_AGENTS;
  def.leafSize = 4;
  def.layout = isSeparate ? COPSE_LAYOUT_SEPARATE : COPSE_LAYOUT_INTERLEAVED;
  def.onNonFinite = COPSE_NON_FINITE_SKIP;
  def.allocator = ledger_allocator(&game->book);
  if (create_points(&def, like, &game->index) != COPSE_OK) abort();
  if (create_sensors(game, &game->sensors) != COPSE_OK) abort();
}

static inline const char *game_end(sensor_game *game) {
  copse_points_destroy(game->index);
  copse_sensors_destroy(game->sensors);
  return game->book.bytesHeld ? "memory is not given back" : NULL;
}

/* ---- Agents and sensors ---- */

static inline void game_place(sensor_game *game, uint32_t agent, const float *place) {
  const copse_positions positions = copse_points_positions(game->index);
  for (uint32_t axis = 0; axis < game->dim; axis++)
    positions.axes[axis][agent * positions.stride] = place[axis];
}

static inline void game_build(sensor_game *game) {
  if (copse_points_build(game->index, NULL) != COPSE_OK) abort();
  const copse_positions positions = copse_points_positions(game->index);
  game->builtCount = copse_points_slots(game->index);
  for (uint32_t agent = 0; agent < game->builtCount; agent++) {
    game->builtGroups[agent] = copse_points_groups(game->index)[agent];
    for (uint32_t axis = 0; axis < game->dim; axis++)
      game->built[axis][agent] = positions.axes[axis][agent * positions.stride];
  }
}

static inline const char *game_add(sensor_game *game, const copse_sensor *sensor) {
  uint32_t slot, free = 0;
  while (free < SENSORS && game->used[free]) free++;
  const copse_status status = copse_sensors_add(game->sensors, sensor, &slot);
  if (status != COPSE_OK)
    return slot == COPSE_NONE && (status != COPSE_FULL || free == SENSORS) ? NULL : "add: refused";
  if (slot != free || !copse_sensors_has(game->sensors, slot)) return "add: slot";
  game->used[slot] = true;
  game->expected[slot] = *sensor;
  game->agentGenerations[slot] = 0;
  memset(game->inside[slot], 0, sizeof game->inside[slot]);
  return NULL;
}

/* Removes a sensor, or only makes it forget. */
static inline const char *game_forget(sensor_game *game, uint32_t slot, bool isRemoved) {
  const copse_status status = isRemoved ? copse_sensors_remove(game->sensors, slot)
                                        : copse_sensors_reset(game->sensors, slot);
  if (status != (game->used[slot] ? COPSE_OK : COPSE_STALE_SLOT)) return "remove or reset: status";
  game->used[slot] &= !isRemoved;
  memset(game->inside[slot], 0, sizeof game->inside[slot]);
  return NULL;
}

static inline const char *game_move(sensor_game *game, uint32_t slot, const float *place) {
  const copse_status status = copse_sensors_move(game->sensors, slot, place);
  if (!game->used[slot]) return status == COPSE_STALE_SLOT ? NULL : "move: a free slot";
  if (game->expected[slot].kind == COPSE_SENSOR_AGENT)
    return status == COPSE_INVALID_ARGUMENT ? NULL : "move: around an agent";
  if (status == COPSE_OK)
    memcpy(game->expected[slot].place, place, sizeof game->expected[slot].place);
  return NULL;
}

/* ---- Updates ---- */

/* Marks the agents within a distance of a sensor, by a plain loop. False if the sensor has no valid
 * place or distance. */
static inline bool brute_sense(const sensor_game *game, uint32_t slot, float distance,
                               bool *isNear) {
  const copse_sensor *sensor = &game->expected[slot];
  const brute_points brute = {{{game->built[0], game->built[1], game->built[2]}, 1},
                              game->builtGroups,
                              game->builtCount,
                              game->dim,
                              game->like.wrap};
  uint32_t ids[SENSED_AGENTS];
  float center[3] = {0}, lo[3] = {0}, hi[3] = {0};
  copse_results results = {ids, NULL, SENSED_AGENTS, 0, 0};
  copse_query query = copse_query_default();
  query.mask = sensor->mask;
  memset(isNear, 0, SENSED_AGENTS * sizeof *isNear);
  for (uint32_t axis = 0; axis < game->dim; axis++) {
    center[axis] = sensor->place[axis];
    lo[axis] = sensor->place[axis] - distance;
    hi[axis] = sensor->place[game->dim + axis] + distance;
  }
  if (sensor->kind == COPSE_SENSOR_AGENT) {
    const uint32_t agent = sensor->agent;
    query.exclude = agent;
    if (!copse_points_has(game->index, agent) || !copse_points_groups(game->index)[agent])
      return true;
    const copse_positions positions = copse_points_positions(game->index);
    for (uint32_t axis = 0; axis < game->dim; axis++) {
      center[axis] = positions.axes[axis][agent * positions.stride];
      if (!(fabsf(center[axis]) <= COPSE_MAX_COORDINATE)) return true;
    }
  }
  const copse_status status = sensor->kind == COPSE_SENSOR_BOX
                                  ? brute_range(&brute, lo, hi, &query, &results)
                                  : brute_within(&brute, center, distance, &query, &results);
  for (uint32_t i = 0; i < results.total; i++) isNear[ids[i]] = true;
  return status == COPSE_OK;
}

/* True if the update must refuse the present distances of a sensor. */
static inline bool is_refused(const sensor_game *game, uint32_t slot) {
  bool isNear[SENSED_AGENTS];
  const copse_sensor *sensor = &game->expected[slot];
  if (!game->used[slot]) return false;
  if (!(sensor->radius >= 0 && sensor->exitRadius >= sensor->radius)) return true;
  if (sensor->kind != COPSE_SENSOR_BOX) return false;
  return !brute_sense(game, slot, sensor->radius, isNear) ||
         !brute_sense(game, slot, sensor->exitRadius, isNear);
}

static inline int compare_words(const void *a, const void *b) {
  const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
  return left < right ? -1 : left > right;
}

/* True if row `slot` holds the ids that are marked; with `isSorted`, in ascending order. */
static inline bool row_is(const copse_rows *rows, uint32_t slot, const bool *isMarked,
                          bool isSorted) {
  uint32_t row[SENSED_AGENTS] = {0}, count = 0;
  if (rows->counts[slot] > SENSED_AGENTS) return false;
  if (rows->counts[slot])
    memcpy(row, rows->ids + rows->offsets[slot], rows->counts[slot] * sizeof *row);
  if (!isSorted) qsort(row, rows->counts[slot], sizeof *row, compare_words);
  for (uint32_t id = 0; id < SENSED_AGENTS; id++)
    if (isMarked[id] && (count >= rows->counts[slot] || row[count++] != id)) return false;
  return count == rows->counts[slot];
}

/* Updates the sets of one sensor, and compares them with its rows. */
static inline const char *compare_sensor(sensor_game *game, uint32_t slot,
                                         const copse_sensors_arrays *arrays) {
  bool mayEnter[SENSED_AGENTS] = {false}, mayStay[SENSED_AGENTS] = {false};
  bool left[SENSED_AGENTS] = {false}, entered[SENSED_AGENTS] = {false};
  bool inside[SENSED_AGENTS] = {false};
  const copse_sensor *sensor = &game->expected[slot];
  uint32_t *remembered = game->inside[slot];
  const uint32_t *generations = copse_points_generations(game->index);
  if (game->used[slot]) {
    brute_sense(game, slot, sensor->radius, mayEnter);
    brute_sense(game, slot, sensor->exitRadius, mayStay);
    if (sensor->kind == COPSE_SENSOR_AGENT) {
      const uint32_t generation = sensor->agent < SENSED_AGENTS ? generations[sensor->agent] : 0;
      if (generation != game->agentGenerations[slot])
        memset(remembered, 0, sizeof game->inside[slot]);
      game->agentGenerations[slot] = generation;
    }
  }
  for (uint32_t id = 0; id < SENSED_AGENTS; id++) {
    const bool isSame = remembered[id] && remembered[id] == generations[id];
    const bool stays = isSame && mayStay[id];
    left[id] = remembered[id] && !stays;
    entered[id] = mayEnter[id] && !isSame && generations[id] % 2;
    inside[id] = stays || entered[id];
    remembered[id] = inside[id] ? generations[id] : 0;
  }
  if (!row_is(&arrays->left, slot, left, true)) return "left";
  if (!row_is(&arrays->entered, slot, entered, true)) return "entered";
  return row_is(&arrays->inside, slot, inside, false) ? NULL : "inside";
}

/* True if all rows are empty. */
static inline bool is_silent(const copse_sensors *sensors) {
  const copse_sensors_arrays arrays = copse_sensors_get((copse_sensors *)sensors);
  for (uint32_t slot = 0; slot < copse_sensors_slots(sensors); slot++)
    if (arrays.left.counts[slot] || arrays.entered.counts[slot] || arrays.inside.counts[slot])
      return false;
  return !arrays.left.total && !arrays.entered.total && !arrays.inside.total;
}

/* Updates; reserves what the update asks for. */
static inline copse_status update_sensors(sensor_game *game, copse_sensors *sensors) {
  uint32_t needed;
  copse_status status;
  for (int attempt = 0; attempt < 3; attempt++) {
    status = copse_sensors_update(sensors, game->index, &needed);
    if (status != COPSE_FULL || !is_silent(sensors)) return status;
    if (copse_sensors_reserve(sensors, 0, needed, needed ? 0 : SENSED_AGENTS) != COPSE_OK) abort();
  }
  return status;
}

static inline const char *game_update(sensor_game *game) {
  bool isWrong = false;
  const copse_sensors_arrays before = copse_sensors_get(game->sensors);
  for (uint32_t slot = 0; slot < SENSORS; slot++) {
    before.radii[slot] = game->expected[slot].radius;
    before.exitRadii[slot] = game->expected[slot].exitRadius;
    before.masks[slot] = game->expected[slot].mask;
    isWrong |= is_refused(game, slot);
  }
  const copse_status status = update_sensors(game, game->sensors);
  if (isWrong) return status == COPSE_INVALID_ARGUMENT ? NULL : "update: distances";
  if (!copse_points_is_built(game->index))
    return status == COPSE_NOT_BUILT ? NULL : "update: not built";
  if (status != COPSE_OK) return "update: status";
  const copse_sensors_arrays arrays = copse_sensors_get(game->sensors);
  const char *wrong = NULL;
  uint32_t totals[3] = {0};
  for (uint32_t slot = 0; slot < copse_sensors_slots(game->sensors) && !wrong; slot++) {
    wrong = compare_sensor(game, slot, &arrays);
    totals[0] += arrays.left.counts[slot];
    totals[1] += arrays.entered.counts[slot];
    totals[2] += arrays.inside.counts[slot];
  }
  if (!wrong &&
      (totals[0] != arrays.left.total || totals[1] != arrays.entered.total ||
       totals[2] != arrays.inside.total || copse_sensors_stats(game->sensors).inside != totals[2]))
    wrong = "totals";
  if (!wrong && !copse_sensors_validate(game->sensors)) wrong = "validate";
  return wrong;
}

/* Replaces the sensors by others that restore their snapshot. */
static inline const char *game_restore(sensor_game *game) {
  static uint32_t words[SENSED_WORDS], again[SENSED_WORDS];
  size_t total, totalAgain;
  copse_sensors *restored;
  if (copse_sensors_save(game->sensors, words, sizeof words, &total) != COPSE_OK) return "save";
  if (create_sensors(game, &restored) != COPSE_OK) abort();
  copse_sensors_def limits;
  const copse_status status = copse_sensors_restore(restored, words, total, &limits);
  if (status != (limits.results || limits.agents ? COPSE_FULL : COPSE_OK)) return "restore: full";
  if (copse_sensors_reserve(restored, limits.capacity, limits.results, limits.agents) != COPSE_OK)
    abort();
  if (copse_sensors_restore(restored, words, total, NULL) != COPSE_OK) return "restore";
  if (!copse_sensors_validate(restored) || !is_silent(restored)) return "restore: state";
  if (copse_sensors_save(restored, again, sizeof again, &totalAgain) != COPSE_OK ||
      total != totalAgain || memcmp(words, again, total))
    return "restore: another state";
  copse_sensors_destroy(game->sensors);
  game->sensors = restored;
  return NULL;
}

/* Restores a snapshot that was changed and got a right checksum. A refused one must change nothing;
 * an accepted one must be valid, and survive an update. */
static inline const char *game_forge(sensor_game *game, input *in) {
  static uint32_t words[SENSED_WORDS], before[SENSED_WORDS], after[SENSED_WORDS];
  size_t total, totalBefore, totalAfter;
  copse_sensors *forged;
  if (copse_sensors_save(game->sensors, words, sizeof words, &total) != COPSE_OK) return "save";
  if (create_sensors(game, &forged) != COPSE_OK) abort();
  copse_sensors_reserve(forged, SENSORS, 64, SENSED_AGENTS);
  copse_sensors_restore(forged, words, total, NULL);
  copse_sensors_save(forged, before, sizeof before, &totalBefore);
  for (uint8_t changes = next_byte(in) % 4; changes > 0; changes--) {
    const uint32_t place = next_bytes(in, 2), size = (uint32_t)total / 4;
    words[place % (place % 2 ? size : 11)] = next_byte(in) % 2 ? next_byte(in) : next_bytes(in, 4);
  }
  snapshot_seal(words, total, SNAPSHOT_SENSORS);
  const copse_status status = copse_sensors_restore(forged, words, total, NULL);
  const char *wrong = NULL;
  copse_sensors_save(forged, after, sizeof after, &totalAfter);
  if (status != COPSE_OK && (totalBefore != totalAfter || memcmp(before, after, totalAfter)))
    wrong = "a refused restore changed something";
  if (!copse_sensors_validate(forged)) wrong = "validate after a forged snapshot";
  update_sensors(game, forged);
  if (!copse_sensors_validate(forged)) wrong = "validate after an update";
  copse_sensors_destroy(forged);
  return wrong;
}

/* ---- Random games ---- */

static inline copse_sensor next_sensor(input *in) {
  copse_sensor sensor = copse_sensor_default();
  sensor.kind = (copse_sensor_kind)(next_byte(in) % 3);
  for (int i = 0; i < 6; i++) sensor.place[i] = next_side(in);
  if (next_byte(in) % 4) /* usually a valid box */
    for (int i = 0; i < 6; i++) sensor.place[i] = (float)(i < 2 ? -i : i);
  sensor.agent = next_byte(in) % (SENSED_AGENTS + 4);
  sensor.radius = fabsf(next_side(in));
  sensor.exitRadius = sensor.radius + (next_byte(in) % 2 ? fabsf(next_side(in)) : 0);
  if (next_byte(in) % 2) sensor.mask = next_byte(in) % 8;
  return sensor;
}

/* Makes one random change or check. Returns what is wrong, or NULL. */
static inline const char *next_move(sensor_game *game, input *in) {
  float place[6];
  const uint32_t slot = next_byte(in) % SENSORS, agent = next_byte(in) % SENSED_AGENTS;
  uint32_t added;
  copse_sensor sensor;
  for (int i = 0; i < 3; i++) place[i] = place[3 + i] = next_side(in);
  switch (next_byte(in) % 14) {
  case 0:
  case 1:
    sensor = next_sensor(in);
    /* A world that wraps around refuses boxes. */
    if (game->like.wrap && sensor.kind == COPSE_SENSOR_BOX && next_byte(in) % 32)
      sensor.kind = COPSE_SENSOR_AGENT;
    return game_add(game, &sensor);
  case 2:
    return game_forget(game, slot, next_byte(in) % 2);
  case 3:
    return game_move(game, slot, place);
  case 4: /* written to the arrays */
    sensor = next_sensor(in);
    game->expected[slot].radius = sensor.radius;
    game->expected[slot].exitRadius = sensor.exitRadius;
    game->expected[slot].mask = sensor.mask;
    return NULL;
  case 5:
    copse_points_set_slots(game->index, agent);
    return NULL;
  case 6:
    copse_points_remove(game->index, agent);
    if (next_byte(in) % 2) copse_points_add(game->index, place, &added);
    return NULL;
  case 7:
    copse_points_groups(game->index)[agent] = next_byte(in) % 5;
    return NULL;
  case 8:
  case 9:
    game_place(game, agent, place);
    return NULL;
  case 10:
    return next_byte(in) % 2 ? game_restore(game) : game_forge(game, in);
  default:
    if (next_byte(in) % 8) game_build(game);
    return game_update(game);
  }
}

/* Plays the bytes on an index of a kind. Returns what is wrong, or NULL. */
static inline const char *play_sensors(kind like, input in) {
  static sensor_game game;
  const uint8_t options = next_byte(&in);
  const char *wrong = NULL;
  game_start(&game, like, options & 1 ? 3 : 2, options & 2);
  copse_points_set_slots(game.index, next_byte(&in) % (SENSED_AGENTS + 1));
  for (uint32_t agent = 0; agent < copse_points_slots(game.index); agent++) {
    float place[3];
    next_place(&in, place);
    game_place(&game, agent, place);
  }
  while (in.left && !wrong) wrong = next_move(&game, &in);
  const char *leak = game_end(&game);
  return wrong ? wrong : leak;
}

#endif

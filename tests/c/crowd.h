/* Plays arbitrary calls and values on a crowd, and checks what must hold after every step. */
#ifndef CROWDS_H
#define CROWDS_H

#include "../../c/base/snapshot.h"
#include "../../c/crowd/crowd.h"
#include "bytes.h"
#include "compare.h"
#include "ledger.h"

enum { CROWD_SLOTS = 20, CROWD_VERTICES = 24, CROWD_WORDS = 2000 };

typedef struct crowd_game {
  copse_crowd *crowd;
  copse_obstacle *walls;
  copse_flowfield *field; /* NULL: none */
  uint32_t led;           /* the mask with which the crowd follows the field */
  bool used[CROWD_SLOTS]; /* by slot: expected to be in use */
  copse_crowd_view views[CROWD_SLOTS];
  float before[2][CROWD_SLOTS * 3]; /* positions and velocities before a step */
  uint32_t saved[CROWD_WORDS], again[CROWD_WORDS];
} crowd_game;

static inline double crowd_in_range(float x) {
  return x > 0 ? fmin((double)x, (double)COPSE_MAX_COORDINATE) : 0;
}

/* True if the agent takes part in steps. */
static inline bool crowd_takes_part(const crowd_game *game, uint32_t slot) {
  return game->used[slot] && copse_crowd_get(game->crowd).enabled[slot];
}

/* True if a step may move the agent. */
static inline bool crowd_is_mover(const crowd_game *game, uint32_t slot) {
  return crowd_takes_part(game, slot) && !copse_crowd_get(game->crowd).locked[slot];
}

/* Returns the first slot whose position or velocities a step must refuse, or a save, which checks
 * disabled agents too; COPSE_NONE if there is none. */
static inline uint32_t crowd_bad_slot(const crowd_game *game, bool isSave) {
  const uint32_t dim = copse_crowd_dimensions(game->crowd);
  const copse_crowd_arrays arrays = copse_crowd_get(game->crowd);
  const float *vectors[] = {arrays.positions, arrays.velocities, arrays.preferredVelocities};
  for (uint32_t slot = 0; slot < CROWD_SLOTS; slot++)
    for (uint32_t i = 0; i < 3 * dim && (isSave ? game->used[slot] : crowd_takes_part(game, slot));
         i++)
      if (!(fabsf(vectors[i / dim][slot * dim + i % dim]) <= COPSE_MAX_COORDINATE)) return slot;
  return COPSE_NONE;
}

/* True if neighbors are ranked by gap, not by the distance of centers: of the agents of the first
 * `end` slots that take part, some differ in radius. */
static inline bool crowd_is_by_gap(copse_crowd *crowd, const bool *takesPart, uint32_t end) {
  const copse_crowd_arrays arrays = copse_crowd_get(crowd);
  double least = INFINITY, most = 0;
  for (uint32_t i = 0; i < end; i++) {
    if (!takesPart[i] || !arrays.groups[i]) continue;
    least = fmin(least, crowd_in_range(arrays.radii[i]));
    most = fmax(most, crowd_in_range(arrays.radii[i]));
  }
  return !crowd->def.exact && least < most;
}

/* Lists the neighbors of an agent by a loop over the first `end` slots, at most CROWD_LISTED.
 * Returns their number. */
enum { CROWD_LISTED = 300 };
static inline uint32_t crowd_list_neighbors(copse_crowd *crowd, const bool *takesPart, uint32_t end,
                                            uint32_t slot, uint32_t *ids) {
  const uint32_t dim = copse_crowd_dimensions(crowd);
  const copse_crowd_arrays arrays = copse_crowd_get(crowd);
  const bool isByGap = crowd_is_by_gap(crowd, takesPart, end);
  const float radius = isByGap ? (float)crowd_in_range(arrays.radii[slot]) : 0;
  const float distance = (float)crowd_in_range(arrays.neighborDistances[slot]);
  uint32_t count = 0, most = arrays.maxNeighbors[slot];
  float ranks[CROWD_LISTED];
  if (most > crowd->def.maxNeighbors) most = crowd->def.maxNeighbors;
  for (uint32_t i = 0; i < end && arrays.groups[slot]; i++) {
    if (i == slot || !takesPart[i] || !(arrays.groups[i] & arrays.masks[slot])) continue;
    float distance2 = 0;
    for (uint32_t axis = 0; axis < dim; axis++) {
      const float d = arrays.positions[i * dim + axis] - arrays.positions[slot * dim + axis];
      distance2 += d * d;
    }
    const float other = isByGap ? (float)crowd_in_range(arrays.radii[i]) : 0;
    const float reach = distance + fabsf(radius - other);
    if (!(distance2 <= reach * reach)) continue;
    const float rank = isByGap ? sqrtf(distance2) - (radius + other) : distance2;
    uint32_t place = count++;
    for (; place > 0 && ranks[place - 1] > rank; place--) { /* slots ascend: ties stay in order */
      ranks[place] = ranks[place - 1];
      ids[place] = ids[place - 1];
    }
    ranks[place] = rank;
    ids[place] = i;
  }
  return count < most ? count : most;
}

/* True if the view of an agent holds exactly the neighbors that a loop finds. */
static inline bool looks_right(const crowd_game *game, uint32_t slot) {
  const copse_crowd_view *view = &game->views[slot];
  bool takesPart[CROWD_SLOTS];
  uint32_t ids[CROWD_SLOTS];
  if (!crowd_takes_part(game, slot)) return true;
  for (uint32_t i = 0; i < CROWD_SLOTS; i++) takesPart[i] = crowd_takes_part(game, i);
  const uint32_t count = crowd_list_neighbors(game->crowd, takesPart, CROWD_SLOTS, slot, ids);
  return count == view->neighborCount && memcmp(ids, view->neighbors, count * sizeof *ids) == 0;
}

/* Solves the program in the view of an agent without a goal. False if a constraint's direction does
 * not have length 1. */
static inline bool crowd_choice(const crowd_game *game, uint32_t slot, float *velocity) {
  static orca2 lines;
  static orca3 planes;
  const uint32_t dim = copse_crowd_dimensions(game->crowd);
  const copse_crowd_arrays arrays = copse_crowd_get(game->crowd);
  const copse_crowd_view *view = &game->views[slot];
  const float *preferred = arrays.preferredVelocities + slot * dim, *constraint = view->constraints;
  const float maxSpeed = (float)crowd_in_range(arrays.maxSpeeds[slot]);
  lines.count = planes.count = view->constraintCount;
  lines.walls = view->obstacleConstraintCount;
  for (uint32_t i = 0; i < view->constraintCount; i++, constraint += 2 * dim) {
    const double x = (double)constraint[dim], y = (double)constraint[dim + 1];
    const double z = dim == 3 ? (double)constraint[5] : 0;
    /* In an extremely short time step a constraint may be infinitely far away. */
    if (isfinite(constraint[0]) && fabs(sqrt(x * x + y * y + z * z) - 1) > 1e-3) return false;
    if (dim == 2) {
      lines.x[i] = constraint[0];
      lines.y[i] = constraint[1];
      lines.directionX[i] = constraint[2];
      lines.directionY[i] = constraint[3];
    }
    for (int axis = 0; axis < 3 && dim == 3; axis++) {
      planes.point[axis][i] = constraint[axis];
      planes.normal[axis][i] = constraint[3 + axis];
    }
  }
  if (dim == 2)
    orca2_solve(&lines, preferred, (float[2]){0}, maxSpeed, velocity);
  else
    orca3_solve(&planes, preferred, maxSpeed, velocity);
  return true;
}

static inline const char *check_agent(const crowd_game *game, uint32_t slot, const float *chosen,
                                      float timeStep) {
  const uint32_t dim = copse_crowd_dimensions(game->crowd);
  const copse_crowd_arrays arrays = copse_crowd_get(game->crowd);
  const size_t offset = (size_t)slot * dim, size = dim * sizeof(float);
  if (!crowd_is_mover(game, slot))
    return memcmp(game->before[0] + offset, arrays.positions + offset, size) == 0 &&
                   memcmp(game->before[1] + offset, arrays.velocities + offset, size) == 0
               ? NULL
               : "a locked or disabled agent moved";
  const double limit = crowd_in_range(arrays.maxSpeeds[slot]);
  const double change = crowd_in_range(arrays.maxAccelerations[slot]) * (double)timeStep;
  double speed2 = 0, chosen2 = 0, before2 = 0, change2 = 0;
  bool hasGoal = true, isSame = true;
  for (uint32_t axis = 0; axis < dim; axis++) {
    const float velocity = arrays.velocities[slot * dim + axis];
    if (!isfinite(velocity)) return "a velocity is not finite";
    if (!isfinite(arrays.positions[slot * dim + axis])) return "a position is not finite";
    hasGoal &= fabsf(arrays.goals[slot * dim + axis]) <= COPSE_MAX_COORDINATE;
    speed2 += (double)velocity * (double)velocity;
    chosen2 += (double)chosen[axis] * (double)chosen[axis];
    isSame &= velocity == chosen[axis];
    const double before = (double)game->before[1][offset + axis];
    before2 += before * before;
    change2 += ((double)velocity - before) * ((double)velocity - before);
  }
  /* 2e-45 is more than the distance of the smallest floats. */
  if (sqrt(speed2) > limit * (1 + 1e-5) + 2e-45) return "too fast";
  if (sqrt(before2) <= limit && sqrt(change2) > change * (1 + 1e-5) + 1e-6 * sqrt(before2) + 2e-45)
    return "too great an acceleration";
  /* Unless it is exact, a crowd may also turn agents aside, or bring them out of walls. */
  if (game->crowd->def.exact && !(arrays.groups[slot] & game->led) && change >= 2 * limit &&
      !hasGoal && chosen2 <= limit * limit && !isSame)
    return "a step chose another velocity than its view gives";
  return NULL;
}

/* True if the slots that arrived, or got stuck, ascend and are agents that a step moves. */
static inline bool events_ok(const crowd_game *game, const uint32_t *slots, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (slots[i] >= CROWD_SLOTS || !crowd_is_mover(game, slots[i]) ||
        (i && slots[i] <= slots[i - 1]))
      return false;
  return count <= CROWD_SLOTS;
}

/* Takes a step, and checks its status and its effect. Returns what is wrong, or NULL. */
static inline const char *play_step(crowd_game *game, float timeStep) {
  copse_crowd *crowd = game->crowd;
  const copse_obstacle *walls = copse_crowd_dimensions(crowd) == 2 ? game->walls : NULL;
  float chosen[CROWD_SLOTS][3];
  const bool isTimed = timeStep > 0 && timeStep <= COPSE_MAX_COORDINATE;
  const uint32_t bad = crowd_bad_slot(game, false), before = copse_crowd_hash(crowd);
  const copse_crowd_arrays arrays = copse_crowd_get(crowd);
  const size_t size = CROWD_SLOTS * copse_crowd_dimensions(crowd) * sizeof(float);
  memcpy(game->before[0], arrays.positions, size);
  memcpy(game->before[1], arrays.velocities, size);
  for (uint32_t slot = 0; slot < CROWD_SLOTS; slot++) {
    const copse_status looked =
        copse_crowd_inspect(crowd, walls, timeStep, slot, &game->views[slot]);
    if (looked != (!game->used[slot] ? COPSE_STALE_SLOT
                   : isTimed         ? COPSE_OK
                                     : COPSE_INVALID_ARGUMENT))
      return "inspect: status";
    if (looked != COPSE_OK || bad != COPSE_NONE) continue;
    if (!looks_right(game, slot)) return "inspect: neighbors";
    if (!crowd_choice(game, slot, chosen[slot])) return "inspect: direction of a constraint";
  }
  uint32_t firstBad = COPSE_NONE;
  const copse_status status = copse_crowd_step(crowd, walls, timeStep, &firstBad);
  if (status != (!isTimed            ? COPSE_INVALID_ARGUMENT
                 : bad != COPSE_NONE ? COPSE_NOT_FINITE
                                     : COPSE_OK))
    return "step: status";
  if (status != COPSE_OK) {
    if (status == COPSE_NOT_FINITE && firstBad != bad) return "step: first bad slot";
    return copse_crowd_hash(crowd) == before ? NULL : "a refused step changed the crowd";
  }
  for (uint32_t slot = 0; slot < CROWD_SLOTS; slot++) {
    const char *wrong = game->used[slot] ? check_agent(game, slot, chosen[slot], timeStep) : NULL;
    if (wrong) return wrong;
  }
  if (!events_ok(game, arrays.arrived, copse_crowd_arrived(crowd)) ||
      !events_ok(game, arrays.stuck, copse_crowd_stuck(crowd)))
    return "events";
  const copse_crowd_statistics stats = copse_crowd_stats(crowd);
  if (stats.infeasible > stats.agents || stats.overlaps > stats.agents ||
      !(stats.neighbors <= COPSE_CROWD_MAX_NEIGHBORS))
    return "statistics";
  return NULL;
}

/* Saves, restores and saves again: the bytes must be the same. */
static inline const char *play_save(crowd_game *game) {
  copse_crowd *crowd = game->crowd;
  size_t total, same;
  uint32_t firstBad = COPSE_NONE;
  const uint32_t before = copse_crowd_hash(crowd), bad = crowd_bad_slot(game, true);
  const copse_status status =
      copse_crowd_save(crowd, game->saved, sizeof game->saved, &total, &firstBad);
  if (bad != COPSE_NONE)
    return status == COPSE_NOT_FINITE && firstBad == bad ? NULL : "save: status";
  if (status != COPSE_OK) return "save: refused";
  copse_crowd_clear(crowd);
  if (copse_crowd_restore(crowd, game->saved, total, NULL) != COPSE_OK) return "restore: refused";
  if (copse_crowd_hash(crowd) != before) return "a restored crowd has another hash";
  if (copse_crowd_save(crowd, game->again, sizeof game->again, &same, NULL) != COPSE_OK ||
      same != total || memcmp(game->saved, game->again, total) != 0)
    return "a restored crowd saves other bytes";
  return NULL;
}

/* Restores arbitrary bytes, or a save with one word changed; mostly with a right checksum. */
static inline const char *play_restore(crowd_game *game, input *in, bool isSave) {
  copse_crowd *crowd = game->crowd;
  size_t total = 4 * (size_t)next_byte(in);
  const uint32_t before = copse_crowd_hash(crowd);
  if (isSave) {
    if (copse_crowd_save(crowd, game->saved, sizeof game->saved, &total, NULL) != COPSE_OK)
      return NULL;
    const size_t word = next_bytes(in, 2) % (total / 4);
    const float value = next_float(in);
    memcpy(game->saved + word, &value, sizeof value);
  } else
    for (size_t i = 0; i < total; i++) ((uint8_t *)game->saved)[i] = next_byte(in);
  if (next_byte(in) % 4 && total >= 24) snapshot_seal(game->saved, total, SNAPSHOT_CROWD);
  if (copse_crowd_restore(crowd, game->saved, total, NULL) != COPSE_OK)
    return copse_crowd_hash(crowd) == before ? NULL : "a refused restore changed the crowd";
  for (uint32_t slot = 0; slot < CROWD_SLOTS; slot++)
    game->used[slot] = copse_crowd_has(crowd, slot);
  return NULL;
}

/* Writes any float into one word of one agent. */
static inline void play_write(crowd_game *game, input *in) {
  copse_crowd *crowd = game->crowd;
  const int field = next_byte(in) % FIELDS;
  const uint32_t words = crowd_words(crowd, field);
  const uint32_t slot = next_byte(in) % CROWD_SLOTS, word = next_byte(in) % words;
  crowd->fields[field][slot * words + word] = next_float(in);
}

/* Returns a number from 0 to 8 or, one time in sixteen, any float. */
static inline float next_number(input *in) {
  const uint8_t byte = next_byte(in);
  return byte % 16 == 0 ? next_float(in) : (float)byte / 32;
}

static inline void play_add(crowd_game *game, input *in) {
  copse_crowd_agent agent = copse_crowd_agent_default();
  uint32_t slot;
  const uint8_t given = next_byte(in), extras = next_byte(in);
  next_place(in, agent.position);
  if (given & 1) next_place(in, agent.velocity);
  if (given & 2) next_place(in, agent.preferredVelocity);
  if (given & 4) next_place(in, agent.goal);
  if (given & 8) agent.goal[0] = agent.goal[1] = agent.goal[2] = 1; /* shared by many */
  agent.radius = next_number(in) / 2;
  agent.maxNeighbors = next_byte(in) % 32;
  if (given & 16) agent.maxSpeed = next_number(in);
  if (given & 16) agent.preferredSpeed = next_number(in);
  if (given & 16) agent.arrivalRadius = next_number(in);
  if (given & 32) agent.neighborDistance = next_number(in);
  if (given & 64) agent.timeHorizon = next_number(in);
  if (given & 128) agent.obstacleTimeHorizon = next_number(in);
  if (extras & 1) agent.maxAcceleration = next_number(in);
  if (extras & 2) agent.priority = (float)(extras >> 4);
  if (extras & 4) agent.groups = next_byte(in) % 4;
  if (extras & 8) agent.mask = next_byte(in) % 4;
  agent.locked = extras >= 224;
  agent.enabled = extras < 192 || extras >= 208;
  if (copse_crowd_add(game->crowd, &agent, &slot) == COPSE_OK) game->used[slot] = true;
}

static inline void play_wall(crowd_game *game, input *in) {
  float points[10];
  uint32_t slot;
  const uint8_t sort = next_byte(in);
  if (sort % 4 == 0) copse_obstacle_remove(game->walls, sort / 4 % CROWD_VERTICES);
  for (int i = 0; i < 10; i++) points[i] = next_side(in);
  copse_obstacle_add(game->walls, points, 2 + sort % 4,
                     (sort & 64) ? COPSE_SOLID_NOWHERE : COPSE_SOLID_WINDING, &slot);
  copse_obstacle_build(game->walls, NULL);
}

/* Changes what a field is built from, and builds it, or a part of it. */
static inline const char *play_field(crowd_game *game, input *in) {
  const uint8_t choice = next_byte(in);
  copse_flowfield_goal goal = {{next_side(in), next_side(in)}, {0, 0}, next_number(in)};
  bool isDone;
  for (int axis = 0; axis < 2; axis++)
    goal.hi[axis] = goal.lo[axis] + (choice & 1 ? next_number(in) : 0);
  if (choice & 2) copse_flowfield_set_goals(game->field, &goal, 1);
  if (choice & 4) copse_flowfield_closed(game->field)[next_byte(in)] = choice & 1;
  if (choice & 8) copse_flowfield_set_obstacles(game->field, choice & 1 ? game->walls : NULL);
  const copse_status status = choice & 16
                                  ? copse_flowfield_build_part(game->field, 40, &isDone, NULL)
                                  : copse_flowfield_build(game->field, NULL);
  if (status != COPSE_OK && status != COPSE_FULL) return "field: status";
  game->led = choice / 32;
  return copse_crowd_follow(game->crowd, game->field, game->led) == COPSE_OK ? NULL
                                                                             : "follow: status";
}

static inline const char *play_once(crowd_game *game, input *in) {
  const uint32_t slot = next_byte(in) % CROWD_SLOTS;
  switch (next_byte(in) % 16) {
  case 0:
  case 1:
  case 2:
  case 3:
    play_add(game, in);
    break;
  case 4:
    if ((copse_crowd_remove(game->crowd, slot) == COPSE_OK) != game->used[slot])
      return "remove: status";
    game->used[slot] = false;
    break;
  case 5:
  case 6:
    play_write(game, in);
    break;
  case 7:
    if (copse_crowd_dimensions(game->crowd) == 2) play_wall(game, in);
    break;
  case 8:
    return play_save(game);
  case 9:
    return play_restore(game, in, next_byte(in) % 2);
  case 10:
    return play_step(game, next_float(in));
  case 11: {
    const float position[3] = {next_side(in), next_side(in), next_side(in)};
    const bool isPlace = is_coordinate(position[0]) && is_coordinate(position[1]) &&
                         (copse_crowd_dimensions(game->crowd) == 2 || is_coordinate(position[2]));
    const copse_status expected = !game->used[slot] ? COPSE_STALE_SLOT
                                  : isPlace         ? COPSE_OK
                                                    : COPSE_NOT_FINITE;
    if (copse_crowd_move(game->crowd, slot, position) != expected) return "move: status";
    const float *positions = copse_crowd_get(game->crowd).positions;
    if (expected == COPSE_OK &&
        positions[slot * copse_crowd_dimensions(game->crowd)] != position[0])
      return "move: position";
    break;
  }
  case 12:
    if (game->field) return play_field(game, in);
    break;
  default:
    return play_step(game, (float)(next_byte(in) % 8 + 1) / 16);
  }
  uint32_t count = 0;
  for (uint32_t i = 0; i < CROWD_SLOTS; i++) count += game->used[i];
  return copse_crowd_count(game->crowd) == count ? NULL : "number of agents";
}

/* Plays the bytes as calls; the first one is the options. Returns what is wrong, or NULL. */
static inline const char *play_crowd(const uint8_t *bytes, size_t size) {
  static crowd_game game;
  input in = {bytes, size};
  const uint8_t options = next_byte(&in);
  copse_crowd_def def = copse_crowd_default();
  copse_obstacle_def walls = copse_obstacle_default();
  def.dimensions = options & 1 ? 3 : 2;
  def.capacity = CROWD_SLOTS;
  def.maxNeighbors = options >> 1 & 31;
  def.exact = options & 64;
  walls.capacity = CROWD_VERTICES;
  memset(&game, 0, sizeof game);
  ledger book = {-1, 0};
  def.allocator = ledger_allocator(&book);
  if (copse_crowd_create(&def, &game.crowd) != COPSE_OK ||
      copse_obstacle_create(&walls, &game.walls) != COPSE_OK)
    abort();
  const char *wrong = book.bytesHeld == copse_crowd_bytes(&def) ? NULL : "bytes";
  if (options & 128 && def.dimensions == 2) {
    copse_flowfield_def field = copse_flowfield_default();
    for (int i = 0; i < 4; i++) field.bounds[i] = i < 2 ? -12 : 12;
    field.cell = 1.5f; /* 16 x 16 cells */
    field.radius = 0.75f;
    field.capacity = 64;
    field.allocator = def.allocator;
    if (copse_flowfield_create(&field, &game.field) != COPSE_OK) abort();
  }
  while (in.left && !wrong) wrong = play_once(&game, &in);
  copse_crowd_destroy(game.crowd);
  copse_flowfield_destroy(game.field);
  copse_obstacle_destroy(game.walls);
  return !wrong && book.bytesHeld ? "memory is not given back" : wrong;
}

#endif

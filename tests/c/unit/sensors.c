/* Sensors: which agents entered, and which left. */

#include "../sensors.h"
#include "../inputs.h"
#include "unit.h"

#include "../../../c/base/core.h"
#include "../../../c/points/sensors.h"

static sensor_game game;

/* Starts a game with agents at x = 0, 1, 2, … */
static void start_row(uint32_t agents) {
  game_start(&game, tested, 2, false);
  copse_points_set_slots(game.index, agents);
  for (uint32_t agent = 0; agent < agents; agent++)
    game_place(&game, agent, (float[]){(float)agent, 0});
  game_build(&game);
}

static void end_game(void) { CHECK(!game_end(&game)); }

static uint32_t add_sensor(copse_sensor_kind sensorKind, float radius, float exitRadius) {
  copse_sensor sensor = copse_sensor_default();
  uint32_t slot;
  sensor.kind = sensorKind;
  sensor.agent = 0;
  sensor.radius = radius;
  sensor.exitRadius = exitRadius;
  CHECK(copse_sensors_add(game.sensors, &sensor, &slot) == COPSE_OK);
  return slot;
}

/* Updates. True if the rows of sensor 0 are these, as text: the ids that left, `>`, those that
 * entered. */
static bool tells(const char *expected) {
  char text[64] = "", *end = text;
  CHECK(update_sensors(&game, game.sensors) == COPSE_OK);
  const copse_sensors_arrays arrays = copse_sensors_get(game.sensors);
  for (uint32_t i = 0; i < arrays.left.counts[0]; i++)
    end += sprintf(end, "%u", arrays.left.ids[arrays.left.offsets[0] + i]);
  end += sprintf(end, ">");
  for (uint32_t i = 0; i < arrays.entered.counts[0]; i++)
    end += sprintf(end, "%u", arrays.entered.ids[arrays.entered.offsets[0] + i]);
  if (strcmp(text, expected)) printf("%s, not %s\n", text, expected);
  return !strcmp(text, expected);
}

static bool tells_at(float x, const char *expected) {
  game_place(&game, 1, (float[]){x, 0});
  game_build(&game);
  return tells(expected);
}

/* ---- What enters and leaves ---- */

static void test_an_agent_enters_within_the_radius_and_leaves_beyond_leave(void) {
  for (int sensorKind = 0; sensorKind < 3; sensorKind++) {
    start_row(2);
    add_sensor((copse_sensor_kind)sensorKind, 2, 3);
    const char *self = sensorKind == COPSE_SENSOR_AGENT ? ">" : ">0";
    CHECK(tells_at(2.5f, self) && tells_at(2.25f, ">"));
    CHECK(tells_at(2, ">1") && tells_at(2, ">"));
    CHECK(tells_at(2.5f, ">") && tells_at(3, ">"));
    CHECK(tells_at(3.25f, "1>") && tells_at(3, ">") && tells_at(1, ">1"));
    end_game();
  }
}

static void test_a_reused_slot_left_and_entered(void) {
  uint32_t slot;
  start_row(4);
  add_sensor(COPSE_SENSOR_CIRCLE, 9, 20);
  CHECK(tells(">0123"));
  CHECK(copse_points_remove(game.index, 1) == COPSE_OK);
  CHECK(copse_points_add(game.index, (float[]){2, 0}, &slot) == COPSE_OK && slot == 1);
  game_build(&game);
  CHECK(tells("1>1"));
  copse_points_remove(game.index, 2);
  copse_points_add(game.index, (float[]){15, 0}, &slot); /* between the radii */
  game_build(&game);
  CHECK(tells("2>"));
  end_game();
}

static void test_a_hidden_or_removed_agent_left(void) {
  start_row(4);
  add_sensor(COPSE_SENSOR_CIRCLE, 9, 9);
  CHECK(tells(">0123"));
  copse_points_groups(game.index)[1] = 0;
  game_build(&game);
  copse_points_remove(game.index, 3); /* after the build, which still holds it */
  CHECK(tells("13>"));
  copse_points_groups(game.index)[1] = 2;
  game_build(&game);
  CHECK(tells(">1"));
  copse_sensors_get(game.sensors).masks[0] = 1;
  CHECK(tells("1>"));
  end_game();
}

static void test_a_sensor_forgets_with_its_agent(void) {
  uint32_t slot;
  start_row(3);
  add_sensor(COPSE_SENSOR_AGENT, 9, 9);
  CHECK(tells(">12"));
  copse_points_groups(game.index)[0] = 0;
  game_build(&game);
  CHECK(tells("12>"));
  copse_points_groups(game.index)[0] = 1;
  game_build(&game);
  CHECK(tells(">12"));
  copse_points_remove(game.index, 0);
  CHECK(tells(">"));
  copse_points_add(game.index, (float[]){1, 1}, &slot);
  game_build(&game);
  CHECK(slot == 0 && tells(">12"));
  copse_points_remove(game.index, 0);
  copse_points_add(game.index, (float[]){1, 1}, &slot);
  game_build(&game);
  CHECK(tells(">12")); /* another agent: nothing is inside yet */
  end_game();
}

static void test_a_reset_or_removed_sensor_forgets(void) {
  start_row(3);
  const uint32_t slot = add_sensor(COPSE_SENSOR_CIRCLE, 1, 2);
  CHECK(tells(">01"));
  CHECK(copse_sensors_reset(game.sensors, slot) == COPSE_OK && tells(">01"));
  CHECK(copse_sensors_remove(game.sensors, slot) == COPSE_OK && tells(">"));
  CHECK(copse_sensors_reset(game.sensors, slot) == COPSE_STALE_SLOT);
  CHECK(copse_sensors_remove(game.sensors, slot) == COPSE_STALE_SLOT);
  CHECK(copse_sensors_move(game.sensors, slot, (float[]){0, 0}) == COPSE_STALE_SLOT);
  CHECK(add_sensor(COPSE_SENSOR_CIRCLE, 1, 2) == slot && tells(">01"));
  CHECK(copse_sensors_get(game.sensors).generations[slot] == 3);
  copse_sensors_clear(game.sensors);
  CHECK(!copse_sensors_count(game.sensors) && copse_sensors_slots(game.sensors) == 1);
  end_game();
}

static void test_a_moved_sensor_remembers(void) {
  start_row(9);
  const uint32_t slot = add_sensor(COPSE_SENSOR_BOX, 1, 2);
  CHECK(tells(">01"));
  CHECK(copse_sensors_move(game.sensors, slot, (float[]){3, 0, 5, 0}) == COPSE_OK);
  CHECK(tells("0>23456"));
  const uint32_t around = add_sensor(COPSE_SENSOR_AGENT, 1, 1);
  CHECK(copse_sensors_move(game.sensors, around, (float[]){0, 0}) == COPSE_INVALID_ARGUMENT);
  end_game();
}

/* ---- Random games ---- */

static void test_sensors_agree_with_sets(void) {
  static uint8_t bytes[4000];
  uint32_t state = 7;
  for (uint32_t round = 0; round < repeats(400); round++) {
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(random_word(&state) >> 8);
    kind like = tested;
    if (like.noun == GRID && round % 2) like.wrap = SENSED_WORLD;
    const char *wrong = play_sensors(like, (input){bytes, sizeof bytes});
    if (wrong) printf("round %u: %s\n", round, wrong);
    CHECK(!wrong);
  }
}

/* Adds sensors of every kind, in the scale of agents that lie at `points`. */
static void add_everywhere(const float *points, uint32_t n, uint32_t *state) {
  for (uint32_t i = 0; i < SENSORS; i++) {
    copse_sensor sensor = copse_sensor_default();
    const float *place = points + (size_t)(random_word(state) % n) * game.dim;
    const float *other = points + (size_t)(random_word(state) % n) * game.dim;
    sensor.kind = (copse_sensor_kind)(i % 3);
    sensor.agent = random_word(state) % n;
    for (uint32_t axis = 0; axis < game.dim; axis++) {
      const bool isLess = place[axis] < other[axis];
      sensor.place[axis] = isLess ? place[axis] : other[axis];
      sensor.place[game.dim + axis] = isLess ? other[axis] : place[axis];
      if (i % 2) sensor.radius = fabsf(place[axis] - other[axis]);
    }
    sensor.exitRadius = sensor.radius * (float)(1 + i % 4);
    CHECK(!game_add(&game, &sensor));
  }
}

static void test_sensors_agree_with_sets_on_every_spread(void) {
  static float points[3 * SENSED_AGENTS];
  uint32_t state = 3;
  for (int spread = 0; spread < 2 * INPUTS; spread++)
    for (uint32_t dim = 2; dim <= 3; dim++) {
      game_start(&game, tested, dim, spread % 3 == 0);
      fill_input(points, spread / 2, SENSED_AGENTS, dim, spread % 2);
      copse_points_set_slots(game.index, SENSED_AGENTS);
      add_everywhere(points, SENSED_AGENTS, &state);
      for (int frame = 0; frame < 6; frame++) {
        for (uint32_t agent = 0; agent < SENSED_AGENTS; agent++) {
          const uint32_t from = random_word(&state) % (frame ? 4 : 1);
          const uint32_t source = from ? agent : random_word(&state) % SENSED_AGENTS;
          game_place(&game, agent, points + (size_t)source * dim);
        }
        game_build(&game);
        const char *wrong = game_update(&game);
        if (wrong) printf("spread %d in %uD: %s\n", spread, dim, wrong);
        CHECK(!wrong);
      }
      end_game();
    }
}

/* ---- What is refused ---- */

static void test_wrong_sensors_are_refused(void) {
  copse_sensor wrong[12];
  const float far = 2e18f;
  uint32_t slot;
  start_row(2);
  for (int i = 0; i < 12; i++) {
    wrong[i] = copse_sensor_default();
    wrong[i].radius = wrong[i].exitRadius = 1;
    if (i >= 6) wrong[i].kind = COPSE_SENSOR_BOX;
  }
  wrong[0].radius = NAN;
  wrong[1].radius = -1;
  wrong[2].exitRadius = 0.5f;
  wrong[3].exitRadius = NAN;
  wrong[4].kind = (copse_sensor_kind)3;
  wrong[5].kind = COPSE_SENSOR_AGENT; /* the agent is COPSE_NONE */
  wrong[6].place[0] = 1;
  wrong[7].place[3] = NAN;
  wrong[8].place[0] = wrong[8].place[2] = INFINITY;
  wrong[8].exitRadius = INFINITY;
  wrong[9].place[1] = wrong[9].place[3] = -INFINITY;
  wrong[9].radius = wrong[9].exitRadius = INFINITY;
  for (int i = 0; i < 10; i++) {
    CHECK(copse_sensors_add(game.sensors, &wrong[i], &slot) == COPSE_INVALID_ARGUMENT);
    CHECK(slot == COPSE_NONE);
  }
  wrong[10].kind = wrong[11].kind = COPSE_SENSOR_CIRCLE;
  wrong[10].place[0] = NAN;
  wrong[11].place[1] = far;
  for (int i = 10; i < 12; i++) {
    CHECK(copse_sensors_add(game.sensors, &wrong[i], &slot) == COPSE_NOT_FINITE);
    CHECK(slot == COPSE_NONE);
  }
  CHECK(!copse_sensors_count(game.sensors));
  slot = add_sensor(COPSE_SENSOR_CIRCLE, 1, 1);
  CHECK(copse_sensors_move(game.sensors, slot, wrong[10].place) == COPSE_NOT_FINITE);
  for (uint32_t i = 1; i < SENSORS; i++) add_sensor(COPSE_SENSOR_BOX, 1, 1);
  CHECK(copse_sensors_add(game.sensors, &game.expected[0], &slot) == COPSE_FULL);
  CHECK(slot == COPSE_NONE);
  end_game();
}

/* Sensors see what a build copied: positions, groups, and generations. */
static void test_agents_that_a_build_copied(void) {
  float places[] = {0, 0, 1, 0, 2, 0};
  uint32_t groups[] = {1, 1, 1}, generations[] = {1, 1, 1};
  const copse_const_positions given = interleaved(places, 2);
  start_row(3);
  add_sensor(COPSE_SENSOR_AGENT, 1, 1);
  CHECK(copse_points_build_from(game.index, &given, groups, generations, 3, NULL) == COPSE_OK);
  CHECK(update_sensors(&game, game.sensors) == COPSE_OK);
  CHECK(copse_sensors_get(game.sensors).entered.total == 1 &&
        copse_sensors_get(game.sensors).entered.ids[0] == 1);
  generations[1] = 3; /* reused */
  CHECK(copse_points_build_from(game.index, &given, groups, generations, 3, NULL) == COPSE_OK);
  CHECK(update_sensors(&game, game.sensors) == COPSE_OK);
  CHECK(copse_sensors_get(game.sensors).entered.total == 1 &&
        copse_sensors_get(game.sensors).left.total == 1);
  places[0] = 3; /* the sensor moves with its agent */
  CHECK(copse_points_build_from(game.index, &given, groups, generations, 3, NULL) == COPSE_OK);
  CHECK(update_sensors(&game, game.sensors) == COPSE_OK);
  CHECK(copse_sensors_get(game.sensors).entered.ids[0] == 2 &&
        copse_sensors_get(game.sensors).left.ids[0] == 1);
  CHECK(copse_points_build_from(game.index, &given, groups, generations, 1, NULL) == COPSE_OK);
  CHECK(update_sensors(&game, game.sensors) == COPSE_OK);
  CHECK(copse_sensors_get(game.sensors).left.total == 1 &&
        copse_sensors_get(game.sensors).inside.total == 0);
  groups[0] = 0; /* a hidden agent finds nothing */
  CHECK(copse_points_build_from(game.index, &given, groups, generations, 3, NULL) == COPSE_OK);
  CHECK(update_sensors(&game, game.sensors) == COPSE_OK &&
        copse_sensors_get(game.sensors).inside.total == 0);
  end_game();
}

static void test_wrong_updates_are_refused(void) {
  uint32_t needed = 5;
  copse_points *other;
  start_row(2);
  add_sensor(COPSE_SENSOR_CIRCLE, 1, 1);
  copse_agenttree_def def = copse_agenttree_default();
  CHECK(create_points(&def, tested, &other) == COPSE_OK);
  CHECK(copse_sensors_update(game.sensors, other, &needed) == COPSE_NOT_BUILT && !needed);
  copse_points_destroy(other);
  def.dimensions = 3;
  CHECK(create_points(&def, tested, &other) == COPSE_OK && !copse_points_build(other, NULL));
  CHECK(copse_sensors_update(game.sensors, other, &needed) == COPSE_INVALID_ARGUMENT);
  copse_points_destroy(other);
  CHECK(tells(">01"));
  copse_sensors_get(game.sensors).radii[0] = 2; /* more than exitRadius */
  CHECK(copse_sensors_update(game.sensors, game.index, &needed) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_sensors_get(game.sensors).entered.total == 2); /* as before the call */
  copse_sensors_get(game.sensors).radii[0] = 1;
  CHECK(tells(">"));
  end_game();
}

static void test_an_update_without_room_changes_nothing(void) {
  uint32_t needed;
  start_row(9);
  add_sensor(COPSE_SENSOR_CIRCLE, 2, 2);
  add_sensor(COPSE_SENSOR_BOX, 2, 4);
  CHECK(copse_sensors_update(game.sensors, game.index, &needed) == COPSE_FULL && !needed);
  CHECK(copse_sensors_reserve(game.sensors, 0, 0, 9) == COPSE_OK);
  for (uint32_t room = 0; room <= 11; room += 10) {
    CHECK(copse_sensors_reserve(game.sensors, 0, room, 0) == COPSE_OK);
    CHECK(copse_sensors_update(game.sensors, game.index, &needed) == COPSE_FULL);
    CHECK(needed == 3 + 3 + 5 && is_silent(game.sensors));
  }
  CHECK(tells(">012"));
  CHECK(copse_sensors_limits(game.sensors).results == 11);
  CHECK(copse_sensors_get(game.sensors).entered.counts[1] == 3);
  end_game();
}

/* ---- Memory ---- */

/* A world that wraps around has no boxes. */
static void test_boxes_are_refused_in_a_world_that_wraps(void) {
  const float wrap[] = {0, 0, 10, 10}, position[] = {9, 5};
  copse_grid_def def = copse_grid_default();
  def.wrap = wrap;
  copse_sensors_def sensorsDef = copse_sensors_default();
  sensorsDef.results = 4;
  copse_points *grid;
  copse_sensors *sensors;
  uint32_t slot, needed;
  CHECK(copse_grid_create(&def, &grid) == COPSE_OK);
  CHECK(copse_sensors_create(&sensorsDef, &sensors) == COPSE_OK);
  CHECK(copse_points_add(grid, position, &slot) == COPSE_OK);
  CHECK(copse_points_build(grid, NULL) == COPSE_OK);
  copse_sensor sensor = copse_sensor_default();
  sensor.kind = COPSE_SENSOR_CIRCLE;
  sensor.radius = sensor.exitRadius = 2;
  CHECK(copse_sensors_add(sensors, &sensor, &slot) == COPSE_OK); /* at 0, 0 */
  sensor.place[1] = 5;
  CHECK(copse_sensors_add(sensors, &sensor, &slot) == COPSE_OK);
  CHECK(copse_sensors_update(sensors, grid, &needed) == COPSE_OK && needed == 1);
  sensor.kind = COPSE_SENSOR_BOX;
  sensor.place[1] = 0;
  CHECK(copse_sensors_add(sensors, &sensor, &slot) == COPSE_OK);
  CHECK(copse_sensors_update(sensors, grid, &needed) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_sensors_remove(sensors, slot) == COPSE_OK);
  CHECK(copse_sensors_update(sensors, grid, &needed) == COPSE_OK && needed == 1);
  copse_sensors_destroy(sensors);
  copse_points_destroy(grid);
}

static void test_wrong_definitions_of_sensors_are_refused(void) {
  copse_sensors_def bad[6];
  for (int i = 0; i < 6; i++) bad[i] = copse_sensors_default();
  bad[0].dimensions = 4;
  bad[1].dimensions = 1;
  bad[2].capacity = 0;
  bad[3].capacity = COPSE_MAX_CAPACITY + 1;
  bad[4].agents = COPSE_MAX_CAPACITY + 1;
  bad[5].results = UINT32_C(1) << 31;
  for (int i = 0; i < 6; i++) {
    copse_sensors *sensors = (copse_sensors *)&sensors;
    CHECK(copse_sensors_create(&bad[i], &sensors) == COPSE_INVALID_ARGUMENT && !sensors);
    CHECK(!copse_sensors_bytes(&bad[i]));
  }
  copse_sensors_destroy(NULL);
}

static void test_failed_allocations_of_sensors_change_nothing(void) {
  copse_sensors *sensors;
  copse_sensors_def def = copse_sensors_default();
  start_row(9);
  const size_t held = game.book.bytesHeld;
  def.allocator = ledger_allocator(&game.book);
  for (int failing = 0; failing < 2; failing++) {
    game.book.callsLeft = failing;
    CHECK(copse_sensors_create(&def, &sensors) == COPSE_OUT_OF_MEMORY && !sensors);
    CHECK(game.book.bytesHeld == held);
  }
  game.book.callsLeft = -1;
  CHECK(copse_sensors_create(&def, &sensors) == COPSE_OK);
  CHECK(game.book.bytesHeld == held + copse_sensors_bytes(&def));
  CHECK(copse_sensors_stats(sensors).bytes == copse_sensors_bytes(&def));
  copse_sensors_destroy(sensors);

  add_sensor(COPSE_SENSOR_CIRCLE, 2, 3);
  add_sensor(COPSE_SENSOR_AGENT, 2, 3);
  CHECK(tells(">012"));
  const size_t before = copse_sensors_stats(game.sensors).bytes;
  CHECK(copse_sensors_reserve(game.sensors, COPSE_MAX_CAPACITY + 1, 0, 0) ==
        COPSE_INVALID_ARGUMENT);
  CHECK(copse_sensors_reserve(game.sensors, 0, 0, COPSE_MAX_CAPACITY + 1) ==
        COPSE_INVALID_ARGUMENT);
  game.book.callsLeft = 0;
  CHECK(copse_sensors_reserve(game.sensors, 40, 50, 60) == COPSE_OUT_OF_MEMORY);
  CHECK(copse_sensors_stats(game.sensors).bytes == before && tells(">"));
  game.book.callsLeft = 0; /* not used by a reserve that changes nothing */
  CHECK(copse_sensors_reserve(game.sensors, 1, 1, 1) == COPSE_OK);
  game.book.callsLeft = -1;
  const copse_sensors_def wanted = {.dimensions = 2, .capacity = 40, .results = 500, .agents = 600};
  CHECK(copse_sensors_reserve(game.sensors, 40, 500, 600) == COPSE_OK);
  CHECK(copse_sensors_stats(game.sensors).bytes == copse_sensors_bytes(&wanted));
  CHECK(copse_sensors_limits(game.sensors).capacity == 40);
  CHECK(copse_sensors_stats(game.sensors).sensors == 2 && is_silent(game.sensors));
  CHECK(tells(">")); /* nothing was forgotten */
  end_game();
}

static void test_updates_do_not_allocate(void) {
  start_row(SENSED_AGENTS);
  for (uint32_t i = 0; i < SENSORS; i++)
    add_sensor((copse_sensor_kind)(i % 3), (float)i, (float)(2 * i));
  CHECK(copse_sensors_reserve(game.sensors, 0, 2 * SENSORS * SENSED_AGENTS, SENSED_AGENTS) ==
        COPSE_OK);
  game.book.callsLeft = 0; /* the next allocation fails */
  for (uint32_t frame = 0; frame < 200; frame++) {
    for (uint32_t agent = 0; agent < SENSED_AGENTS; agent++)
      game_place(&game, agent, (float[]){(float)((agent * 7 + frame) % 50), (float)(frame % 5)});
    game_build(&game);
    CHECK(update_sensors(&game, game.sensors) == COPSE_OK);
  }
  game.book.callsLeft = -1;
  end_game();
}

/* ---- Snapshots ---- */

static void test_saves_need_room_and_alignment(void) {
  static uint32_t words[400];
  size_t total;
  start_row(9);
  add_sensor(COPSE_SENSOR_CIRCLE, 2, 3);
  CHECK(tells(">012"));
  CHECK(copse_sensors_save(game.sensors, NULL, 0, &total) == COPSE_FULL);
  CHECK(copse_sensors_save(game.sensors, words, total - 1, &total) == COPSE_FULL);
  CHECK(copse_sensors_save(game.sensors, words, total, &total) == COPSE_OK);
  memmove((char *)words + 2, words, total);
  CHECK(copse_sensors_restore(game.sensors, (char *)words + 2, total, NULL) ==
        COPSE_INVALID_ARGUMENT);
  memmove(words, (char *)words + 2, total);
  CHECK(copse_sensors_restore(game.sensors, words, total - 4, NULL) == COPSE_BAD_SNAPSHOT);
  CHECK(copse_sensors_restore(game.sensors, words, 12, NULL) == COPSE_BAD_SNAPSHOT);
  words[total / 4 - 1]++;
  CHECK(copse_sensors_restore(game.sensors, words, total, NULL) == COPSE_BAD_SNAPSHOT);
  CHECK(tells(">"));
  end_game();
}

/* ---- Work ---- */

/* The work of an update beside its searches, on 96 agents: it is linear. */
static void test_updates_do_the_recorded_work(void) {
  uint32_t needed;
  uint64_t work[3];
  start_row(SENSED_AGENTS);
  for (uint32_t i = 0; i < SENSORS; i++)
    add_sensor((copse_sensor_kind)(i % 3), (float)(2 + i), (float)(4 + i));
  CHECK(update_sensors(&game, game.sensors) == COPSE_OK);
  for (int frame = 0; frame < 3; frame++) {
    if (frame == 2)
      for (uint32_t agent = 0; agent < SENSED_AGENTS; agent++)
        game_place(&game, agent, (float[]){(float)(SENSED_AGENTS - agent), 0});
    game_build(&game);
    copse_work = 0;
    CHECK(copse_sensors_update(game.sensors, game.index, &needed) == COPSE_OK);
    work[frame] = copse_work;
  }
  static const uint64_t MEASURED[] = {671, 886};
  if (tested.noun == AGENTTREE && (work[1] != MEASURED[0] || work[2] != MEASURED[1]))
    printf("work: {%llu, %llu}\n", (unsigned long long)work[1], (unsigned long long)work[2]);
  CHECK(tested.noun != AGENTTREE || (work[1] == MEASURED[0] && work[2] == MEASURED[1]));
  CHECK(work[0] == work[1]);
  end_game();
}

/* True if sensors with another number at a place are invalid, and valid again with their own. */
static bool is_seen(uint32_t *place, uint32_t wrong) {
  const uint32_t before = *place;
  *place = wrong;
  const bool isValid = copse_sensors_validate(game.sensors);
  *place = before;
  return !isValid && copse_sensors_validate(game.sensors);
}

static void test_validate_detects_damage_in_sensors(void) {
  start_row(4);
  add_sensor(COPSE_SENSOR_CIRCLE, 1, 2);
  add_sensor(COPSE_SENSOR_CIRCLE, 2, 3);
  CHECK(tells(">01"));
  copse_sensors *sensors = game.sensors;
  uint32_t *ids = sensors->sets[INSIDE].ids + sensors->half;
  CHECK(sensors->counts[0] == 2 && sensors->counts[1] == 3);
  CHECK(is_seen(&sensors->slots.generations[0], 2)); /* a free slot */
  CHECK(is_seen(&sensors->begins[1], sensors->half));
  CHECK(is_seen(&sensors->begins[1], sensors->half + sensors->def.results + 1));
  CHECK(is_seen(&sensors->counts[1], sensors->def.results));
  CHECK(is_seen(&ids[0], sensors->def.agents));
  CHECK(is_seen(&ids[0], 5));      /* no agent */
  CHECK(is_seen(&ids[0], ids[1])); /* twice */
  end_game();
}

const unit_test SENSORS_TESTS[] = {
    TEST(test_validate_detects_damage_in_sensors),
    EVERY(test_an_agent_enters_within_the_radius_and_leaves_beyond_leave),
    EVERY(test_a_reused_slot_left_and_entered),
    EVERY(test_a_hidden_or_removed_agent_left),
    EVERY(test_a_sensor_forgets_with_its_agent),
    TEST(test_a_reset_or_removed_sensor_forgets),
    EVERY(test_a_moved_sensor_remembers),
    EVERY(test_sensors_agree_with_sets),
    EVERY(test_sensors_agree_with_sets_on_every_spread),
    TEST(test_wrong_sensors_are_refused),
    EVERY(test_agents_that_a_build_copied),
    EVERY(test_wrong_updates_are_refused),
    TEST(test_an_update_without_room_changes_nothing),
    TEST(test_boxes_are_refused_in_a_world_that_wraps),
    TEST(test_wrong_definitions_of_sensors_are_refused),
    TEST(test_failed_allocations_of_sensors_change_nothing),
    EVERY(test_updates_do_not_allocate),
    TEST(test_saves_need_room_and_alignment),
    EVERY(test_updates_do_the_recorded_work),
    {NULL, NULL, false},
};

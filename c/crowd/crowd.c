/* The crowd: memory, adding, moving and removing agents. */

#include "crowd.h"

#include "../points/agenttree.h"

#include <string.h>

/* ---- Creating, growing and destroying ---------------------------------------------------- */

copse_crowd_def copse_crowd_default(void) {
  return (copse_crowd_def){.dimensions = 2, .capacity = 1000, .maxNeighbors = 10};
}

copse_crowd_agent copse_crowd_agent_default(void) {
  return (copse_crowd_agent){.goal = {NAN, NAN, NAN},
                             .preferredSpeed = 1,
                             .radius = 0.5f,
                             .maxSpeed = 2,
                             .neighborDistance = 10,
                             .maxNeighbors = 10,
                             .timeHorizon = 2,
                             .obstacleTimeHorizon = 2,
                             .maxAcceleration = INFINITY,
                             .groups = 1,
                             .mask = COPSE_ALL_GROUPS,
                             .enabled = true};
}

static bool definition_ok(const copse_crowd_def *def) {
  return (def->dimensions == 2 || def->dimensions == 3) && def->capacity >= 1 &&
         def->capacity <= COPSE_MAX_CAPACITY && def->maxNeighbors <= COPSE_CROWD_MAX_NEIGHBORS;
}

/* Carves the crowd's arrays out of the block `memory`. If `memory` is NULL, sets them to NULL
 * instead. Returns the size of the block in bytes. */
static uint64_t carve(copse_crowd *crowd, void *memory) {
  arena block = arena_over(memory);
  const uint64_t capacity = crowd->def.capacity, rows = capacity * crowd->def.maxNeighbors;
  const uint64_t led = crowd->def.dimensions == 2 ? capacity : 0; /* flow fields are in 2D only */
  for (int field = 0; field < FIELDS; field++)
    crowd->fields[field] =
        arena_carve(&block, capacity * crowd_words(crowd, field) + BOX_PADDING, sizeof(float));
  crowd->slots.generations = arena_carve(&block, capacity, sizeof(uint32_t));
  crowd->slots.free = arena_carve(&block, slots_words((uint32_t)capacity), sizeof(uint32_t));
  crowd->outcome.arrived.slots = arena_carve(&block, capacity, sizeof(uint32_t));
  crowd->outcome.stuck.slots = arena_carve(&block, capacity, sizeof(uint32_t));
  crowd->present = arena_carve(&block, capacity, sizeof(uint32_t));
  crowd->bodies = arena_carve(&block, capacity, sizeof *crowd->bodies);
  crowd->ledVelocities = arena_carve(&block, led * 2, sizeof(float));
  crowd->distances = arena_carve(&block, led, sizeof(float));
  crowd->lists.counts = arena_carve(&block, capacity, sizeof(uint32_t));
  crowd->lists.ids = arena_carve(&block, rows, sizeof(uint32_t));
  crowd->lists.distances2 = arena_carve(&block, rows, sizeof(float));
  crowd->counts = arena_carve(&block, capacity, sizeof(uint32_t));
  crowd->radii = arena_carve(&block, capacity + SCAN_PADDING, sizeof(float));
  const uint64_t nodes = agenttree_node_budget(capacity, copse_agenttree_default().leafSize);
  crowd->widest = arena_carve(&block, nodes, sizeof(float));
  if (tasks_divide(&crowd->def.tasks, (uint32_t)capacity, CROWD_DIVIDED))
    crowd->parts =
        arena_carve(&block, task_ranges(CROWD_RANGE, (uint32_t)capacity), sizeof *crowd->parts);
  return arena_block_bytes(block.used);
}

static copse_agenttree_def tree_definition(const copse_crowd_def *def) {
  copse_agenttree_def treeDef = copse_agenttree_default();
  treeDef.dimensions = def->dimensions;
  treeDef.capacity = def->capacity;
  treeDef.allocator = def->allocator;
  treeDef.tasks = def->tasks;
  return treeDef;
}

/* Allocates memory for all arrays, filled with zeros. */
static copse_status take_memory(copse_crowd *crowd) {
  crowd->memoryBytes = carve(crowd, NULL);
  crowd->memory = memory_take(&crowd->def.allocator, crowd->memoryBytes);
  if (!crowd->memory) return COPSE_OUT_OF_MEMORY;
  memset(crowd->memory, 0, (size_t)crowd->memoryBytes);
  carve(crowd, crowd->memory);
  return COPSE_OK;
}

size_t copse_crowd_bytes(const copse_crowd_def *def) {
  copse_crowd measured = {.def = *def};
  if (!definition_ok(def)) return 0;
  const copse_agenttree_def treeDef = tree_definition(def);
  const uint64_t bytes =
      sizeof measured + carve(&measured, NULL) + agenttree_bytes(&treeDef, &AGENTTREE_OF_CROWD);
  return size_of(bytes);
}

copse_status copse_crowd_create(const copse_crowd_def *def, copse_crowd **crowd) {
  *crowd = NULL;
  if (!definition_ok(def)) return COPSE_INVALID_ARGUMENT;
  const copse_agenttree_def treeDef = tree_definition(def);
  copse_crowd *created = memory_take(&def->allocator, sizeof *created);
  if (!created) return COPSE_OUT_OF_MEMORY;
  *created = (copse_crowd){.def = *def};
  if (agenttree_make(&treeDef, &AGENTTREE_OF_CROWD, &created->tree) != COPSE_OK ||
      take_memory(created) != COPSE_OK) {
    copse_points_destroy(created->tree);
    memory_give(&def->allocator, created, sizeof *created);
    return COPSE_OUT_OF_MEMORY;
  }
  created->slots.capacity = def->capacity;
  slots_recount(&created->slots);
  *crowd = created;
  return COPSE_OK;
}

void copse_crowd_destroy(copse_crowd *crowd) {
  if (!crowd) return;
  const copse_allocator allocator = crowd->def.allocator;
  copse_points_destroy(crowd->tree);
  memory_give(&allocator, crowd->memory, crowd->memoryBytes);
  memory_give(&allocator, crowd, sizeof *crowd);
}

copse_status copse_crowd_reserve(copse_crowd *crowd, uint32_t capacity) {
  if (capacity > COPSE_MAX_CAPACITY) return COPSE_INVALID_ARGUMENT;
  const uint32_t oldCapacity = crowd->def.capacity;
  if (capacity <= oldCapacity) return COPSE_OK;
  copse_crowd larger = *crowd;
  larger.def.capacity = capacity;
  larger.listDistance = 0;
  copse_status status = take_memory(&larger);
  if (status != COPSE_OK) return status;
  status = copse_points_reserve(crowd->tree, capacity);
  if (status != COPSE_OK) {
    memory_give(&larger.def.allocator, larger.memory, larger.memoryBytes);
    return status;
  }
  for (int field = 0; field < FIELDS; field++)
    memcpy(larger.fields[field], crowd->fields[field],
           (size_t)oldCapacity * crowd_words(crowd, field) * sizeof(float));
  memcpy(larger.outcome.arrived.slots, crowd->outcome.arrived.slots,
         crowd->outcome.arrived.count * sizeof(uint32_t));
  memcpy(larger.outcome.stuck.slots, crowd->outcome.stuck.slots,
         crowd->outcome.stuck.count * sizeof(uint32_t));
  slots grown = crowd->slots;
  slots_grow(&grown, larger.slots.generations, larger.slots.free, capacity);
  larger.slots = grown;
  memory_give(&crowd->def.allocator, crowd->memory, crowd->memoryBytes);
  *crowd = larger;
  return COPSE_OK;
}

uint32_t copse_crowd_capacity(const copse_crowd *crowd) { return crowd->def.capacity; }
uint32_t copse_crowd_dimensions(const copse_crowd *crowd) { return crowd->def.dimensions; }
uint32_t copse_crowd_count(const copse_crowd *crowd) { return crowd->slots.used; }
uint32_t copse_crowd_slots(const copse_crowd *crowd) { return crowd->slots.ever; }
uint32_t copse_crowd_arrived(const copse_crowd *crowd) { return crowd->outcome.arrived.count; }
uint32_t copse_crowd_stuck(const copse_crowd *crowd) { return crowd->outcome.stuck.count; }
bool copse_crowd_has(const copse_crowd *crowd, uint32_t slot) {
  return slots_in_use(&crowd->slots, slot);
}

copse_crowd_arrays copse_crowd_get(copse_crowd *crowd) {
  float **fields = crowd->fields;
  return (copse_crowd_arrays){
      .positions = fields[FIELD_POSITION],
      .velocities = fields[FIELD_VELOCITY],
      .preferredVelocities = fields[FIELD_PREFERRED_VELOCITY],
      .goals = fields[FIELD_GOAL],
      .preferredSpeeds = fields[FIELD_PREFERRED_SPEED],
      .arrivalRadii = fields[FIELD_ARRIVAL_RADIUS],
      .radii = fields[FIELD_RADIUS],
      .maxSpeeds = fields[FIELD_MAX_SPEED],
      .neighborDistances = fields[FIELD_NEIGHBOR_DISTANCE],
      .maxNeighbors = crowd_whole(crowd, FIELD_MAX_NEIGHBORS),
      .timeHorizons = fields[FIELD_TIME_HORIZON],
      .obstacleTimeHorizons = fields[FIELD_TIME_HORIZON_OBSTACLES],
      .maxAccelerations = fields[FIELD_MAX_ACCELERATION],
      .priorities = fields[FIELD_PRIORITY],
      .groups = crowd_whole(crowd, FIELD_GROUPS),
      .masks = crowd_whole(crowd, FIELD_MASK),
      .enabled = crowd_whole(crowd, FIELD_ENABLED),
      .locked = crowd_whole(crowd, FIELD_LOCKED),
      .generations = crowd->slots.generations,
      .arrived = crowd->outcome.arrived.slots,
      .stuck = crowd->outcome.stuck.slots,
  };
}

/* ---- Agents ------------------------------------------------------------------------------- */

uint32_t crowd_end(const copse_crowd *crowd) {
  uint32_t end = crowd->def.capacity;
  while (end && !slots_in_use(&crowd->slots, end - 1)) end--;
  return end;
}

const uint32_t *crowd_find_present(copse_crowd *crowd) {
  for (uint32_t slot = 0; slot < crowd->def.capacity; slot++)
    crowd->present[slot] =
        crowd_is_active(crowd, slot) ? crowd_whole(crowd, FIELD_GROUPS)[slot] : 0;
  return crowd->present;
}

/* Resets an agent's progress toward its goal, because the agent is new or was moved by the
 * caller. */
static void reset_progress(copse_crowd *crowd, uint32_t slot) {
  crowd->fields[FIELD_NEAREST][slot] = INFINITY;
  crowd->fields[FIELD_WAITED][slot] = 0;
  crowd->fields[FIELD_SLOWED][slot] = 0;
  crowd_whole(crowd, FIELD_STATE)[slot] = CROWD_NEW;
}

static void put_agent(copse_crowd *crowd, uint32_t slot, const copse_crowd_agent *agent) {
  const float *vectors[FIELD_VECTORS] = {agent->position, agent->velocity, agent->preferredVelocity,
                                         agent->goal,     agent->position, agent->position};
  for (int field = 0; field < FIELD_VECTORS; field++)
    memcpy(crowd_vector(crowd, (crowd_field)field, slot), vectors[field],
           crowd->def.dimensions * sizeof(float));
  crowd->fields[FIELD_PREFERRED_SPEED][slot] = agent->preferredSpeed;
  crowd->fields[FIELD_ARRIVAL_RADIUS][slot] = agent->arrivalRadius;
  crowd->fields[FIELD_RADIUS][slot] = agent->radius;
  crowd->fields[FIELD_MAX_SPEED][slot] = agent->maxSpeed;
  crowd->fields[FIELD_NEIGHBOR_DISTANCE][slot] = agent->neighborDistance;
  crowd->fields[FIELD_TIME_HORIZON][slot] = agent->timeHorizon;
  crowd->fields[FIELD_TIME_HORIZON_OBSTACLES][slot] = agent->obstacleTimeHorizon;
  crowd->fields[FIELD_MAX_ACCELERATION][slot] = agent->maxAcceleration;
  crowd->fields[FIELD_PRIORITY][slot] = agent->priority;
  crowd_whole(crowd, FIELD_MAX_NEIGHBORS)[slot] = agent->maxNeighbors;
  crowd_whole(crowd, FIELD_GROUPS)[slot] = agent->groups;
  crowd_whole(crowd, FIELD_MASK)[slot] = agent->mask;
  crowd_whole(crowd, FIELD_ENABLED)[slot] = agent->enabled;
  crowd_whole(crowd, FIELD_LOCKED)[slot] = agent->locked;
  reset_progress(crowd, slot);
}

copse_status copse_crowd_add(copse_crowd *crowd, const copse_crowd_agent *agent, uint32_t *slot) {
  *slot = COPSE_NONE;
  for (uint32_t axis = 0; axis < crowd->def.dimensions; axis++)
    if (!is_coordinate(agent->position[axis]) || !is_coordinate(agent->velocity[axis]) ||
        !is_coordinate(agent->preferredVelocity[axis]))
      return COPSE_NOT_FINITE;
  *slot = slots_take(&crowd->slots);
  if (*slot == COPSE_NONE) return COPSE_FULL;
  put_agent(crowd, *slot, agent);
  return COPSE_OK;
}

copse_status copse_crowd_move(copse_crowd *crowd, uint32_t slot, const float *position) {
  const uint32_t dim = crowd->def.dimensions;
  if (!slots_in_use(&crowd->slots, slot)) return COPSE_STALE_SLOT;
  if (!query_point_ok(position, (int)dim)) return COPSE_NOT_FINITE;
  memcpy(crowd_vector(crowd, FIELD_POSITION, slot), position, dim * sizeof *position);
  reset_progress(crowd, slot);
  return COPSE_OK;
}

copse_status copse_crowd_remove(copse_crowd *crowd, uint32_t slot) {
  const copse_status status = slots_free(&crowd->slots, slot);
  if (status == COPSE_OK) crowd_whole(crowd, FIELD_GROUPS)[slot] = 0;
  return status;
}

void copse_crowd_clear(copse_crowd *crowd) {
  for (uint32_t slot = 0; slot < crowd->def.capacity; slot++) copse_crowd_remove(crowd, slot);
}

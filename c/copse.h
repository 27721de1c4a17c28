/* copse: spatial trees for many moving agents. The only public header, and also the manual.
 *
 *   int main(void) {
 *     copse_agenttree_def def = copse_agenttree_default();
 *     def.capacity = 3;
 *     copse_points *agents;
 *     if (copse_agenttree_create(&def, &agents) != COPSE_OK) return 1;
 *
 *     float *positions = copse_points_positions(agents).axes[0];
 *     const float corners[] = {0, 0, 1, 0, 5, 5};
 *     for (int i = 0; i < 6; i++) positions[i] = corners[i];
 *     copse_points_set_slots(agents, 3);
 *     copse_points_build(agents, NULL);
 *
 *     const float center[] = {0, 0};
 *     uint32_t ids[3];
 *     copse_results near = {ids, NULL, 3, 0, 0};
 *     copse_points_within(agents, center, 2, NULL, &near);
 *     for (uint32_t i = 0; i < near.total; i++) printf("agent %u is near\n", ids[i]);
 *     copse_points_destroy(agents);
 *     return 0;
 *   }
 *
 * - The library is plain C11. Coordinates and distances are floats. The library never prints,
 *   aborts or touches errno.
 * - Terms. An *agent* is a point with an id. The id is the agent's *slot*: its index in all arrays
 *   of agents. Results are ids. *Groups* are 32 bits per agent; a query's *mask* selects the agents
 *   that share a bit with it. An agent without a group is in no result. A slot's *generation* is
 *   odd while the slot is in use, and increases by one each time the slot is taken or freed. To
 *   detect that a slot was reused, store its generation and compare later. Names that end in 2 are
 *   squared distances. Bounds are inclusive.
 * - Distances. A squared distance is (dx*dx + dy*dy) + dz*dz with dx = x - centerX, computed in
 *   float, each step rounded. An agent is within a radius if its squared distance is <=
 *   radius*radius, also rounded to float. Every query finds exactly what a loop over all agents
 *   finds: pruning drops no match.
 * - Determinism. The same calls give the same bits, with IEEE 754 floats and -ffp-contract=off.
 *   Tested: gcc and clang, -O0 to -O3, on x86-64; gcc on aarch64 and riscv64; WebAssembly with and
 *   without SIMD. mingw compiles the library, but its results are not tested. The results of a
 *   query depend on the data of the last build, not on earlier builds.
 * - Threads. Queries take a const object and use no memory but the stack, so any number of threads
 *   may query one object at once. Every other call, including `_validate`, needs exclusive access.
 * - Memory. Only `_create` and `_reserve` allocate; `_destroy` frees, and accepts NULL. `_create`
 *   makes an empty object; if it fails, it writes NULL. `_reserve` grows an object to at least the
 *   given capacity (at most COPSE_MAX_CAPACITY) and keeps its contents. If `_create` or `_reserve`
 *   fails, it returns COPSE_INVALID_ARGUMENT or COPSE_OUT_OF_MEMORY. `_bytes` returns the size that
 *   an object has after `_create`: 0 if an option is invalid, SIZE_MAX if the size exceeds the
 *   address space. Arrays that a function returns belong to the object, and are valid until
 *   `_reserve` or `_destroy`.
 * - Errors. A call that fails leaves its object unchanged. A call that returns a slot sets `*slot`
 *   to COPSE_NONE if it fails. A call that fails with COPSE_NOT_FINITE writes the first bad slot to
 *   `firstBad`. Queries fail with COPSE_INVALID_ARGUMENT if a coordinate is not finite or too
 *   large, or if a radius is NaN or negative.
 * - Arguments. Points and vectors are 2 or 3 floats. firstBad, visits and distance2 may be NULL.
 * - Snapshots. `_save` writes an object's state as little-endian bytes, and sets *total to the
 *   number of bytes needed. If `capacity` is less, `_save` returns COPSE_FULL and may have written
 *   the first bytes. `_restore` replaces an object's state by the state in a snapshot. The bytes
 *   may be untrusted. `_restore` fails with COPSE_BAD_SNAPSHOT if they are damaged or belong to
 *   another kind of object, and with COPSE_INVALID_ARGUMENT if they are not aligned to 4 bytes. If
 *   it fails with COPSE_FULL, the object's capacity is too small: *needed is the capacity that the
 *   snapshot needs, never more than its bytes account for. Reserve it, then restore again. `needed`
 *   may be NULL.
 * - Debugging. `_cells` and `_lines` write shapes to draw, each as a few floats. They return the
 *   number of floats that all shapes take together, but write only as many whole shapes as fit into
 *   `capacity` floats. In the first call, `skipped` must be 0. To get the rest, call again, with
 *   `skipped` set to the number of floats already written. `_validate`, for tests, returns true if
 *   the internal structure is consistent. */
#ifndef COPSE_H
#define COPSE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define COPSE_VERSION        "0.1.0"
#define COPSE_NONE           UINT32_MAX /* stands for: no id, no slot */
#define COPSE_ALL_GROUPS     UINT32_MAX /* a mask that selects every agent that has a group */
#define COPSE_MAX_CAPACITY   (1u << 28) /* the maximum capacity of any object */
#define COPSE_MAX_COORDINATE 1e18f      /* maximum magnitude: no squared distance can overflow */
#define COPSE_MAX_DEPTH      96         /* the maximum depth of any tree */

/* ---- Status ------------------------------------------------------------------------------ */
typedef enum copse_status {
  COPSE_OK = 0,
  COPSE_INVALID_ARGUMENT, /* an argument is outside its documented range */
  COPSE_FULL,             /* more items or output than there is room for */
  COPSE_OUT_OF_MEMORY,    /* the allocator returned NULL */
  COPSE_NOT_FINITE,       /* a coordinate is NaN, infinite or beyond COPSE_MAX_COORDINATE */
  COPSE_NOT_BUILT,        /* a query was called before the first build */
  COPSE_STALE_SLOT,       /* the slot holds no agent, sensor, item or polygon */
  COPSE_BAD_SNAPSHOT,     /* the bytes are not a valid snapshot of this kind of object */
} copse_status;
const char *copse_status_text(copse_status status); /* returns a short English text; never NULL */

/* ---- Memory ------------------------------------------------------------------------------ */
typedef struct copse_allocator { /* if `allocate` is NULL (the default), malloc and free are used */
  void *(*allocate)(size_t bytes, void *context);             /* returns memory as malloc does */
  void (*release)(void *memory, size_t bytes, void *context); /* `bytes`: the allocated size */
  void *context;
} copse_allocator;

/* ---- Threads ----------------------------------------------------------------------------- *
 * By default, all work is done by the calling thread. A host with its own threads, such as an
 * engine with a job system, can supply a runner, which executes tasks. Set it as `tasks` in the
 * definition of a crowd, or of an index of points. With a runner, these calls are divided into
 * tasks if there are at least this many agents or slots:
 * - copse_points_build: 4,096 agents in an agent tree, 32,768 slots in a grid
 * - copse_points_all_within: 4,096 agents
 * - copse_points_all_neighbors: 2,048 agents
 * - copse_crowd_step: 1,024 slots
 *
 * Results are the same bits with any runner, with any number of threads, and without a runner. An
 * object never starts threads. When a call returns, all its tasks have ended. Tasks call neither
 * the allocator nor the runner. A thread that runs tasks needs a stack of 1 MB, which is more than
 * macOS and musl give to new threads. If several threads use objects that share a runner, the
 * runner must support concurrent calls. */
typedef struct copse_tasks {
  /* Calls task(argument, i) for each i from 0 to count - 1, each once, on any threads and in any
   * order, and returns when all these calls have returned. What a task wrote must then be visible
   * to the caller. NULL (the default): no runner. */
  void (*run)(void *context, void (*task)(void *argument, uint32_t index), void *argument,
              uint32_t count);
  void *context;
  /* How many tasks can run at the same time. copse_points_all_within calls `run` with `count` equal
   * to `threads`. Other functions may call it with a greater `count`. If `threads` is less than 2,
   * `run` is not called. */
  uint32_t threads;
} copse_tasks;

/* Positions of agents: coordinate `axis` of agent i is axes[axis][i * stride]. For one interleaved
 * 2D array p (x0, y0, x1, y1, …), axes are {p, p + 1} and the stride is 2. */
typedef struct copse_positions {
  float *axes[3];  /* x, y and, in 3D, z */
  uint32_t stride; /* floats from one agent to the next; 1 if each axis has its own array */
} copse_positions;
typedef struct copse_const_positions { /* like copse_positions, but read-only */
  const float *axes[3];
  uint32_t stride;
} copse_const_positions;

typedef enum copse_layout {
  COPSE_LAYOUT_INTERLEAVED, /* x0, y0, x1, y1, … */
  COPSE_LAYOUT_SEPARATE,    /* an array for each axis: x0, x1, … and y0, y1, … */
} copse_layout;

/* ---- Queries ----------------------------------------------------------------------------- */
typedef enum copse_sort {
  COPSE_SORT_NONE,     /* unsorted: in the order in which the structure stores agents */
  COPSE_SORT_ID,       /* ascending ids */
  COPSE_SORT_DISTANCE, /* nearest first, ties by lower id; needs results.distances2 */
} copse_sort;

/* The filters of a query, and the order of its results. Passing NULL instead of a query selects the
 * defaults. */
typedef struct copse_query {
  uint32_t mask;     /* finds agents whose groups share a bit with this mask. Default:
                      * COPSE_ALL_GROUPS */
  uint32_t exclude;  /* skips this slot, such as the querying agent's own. Default: COPSE_NONE */
  float maxDistance; /* limit of `nearest` and `neighbors`. Inclusive. Default: INFINITY */
  copse_sort sort;   /* order of the results of `within`, `range` and `cone`. Default:
                      * COPSE_SORT_NONE */
  float inflate; /* for rays: an extra radius for every agent or box, as for a thick bullet. 0 …
                  * INFINITY. Default: 0 */
} copse_query;
copse_query copse_query_default(void);

/* The output of a query. The caller owns the arrays. `total` counts all matches. If there are more
 * matches than `capacity`, the query keeps those that it finds first, and sorts only those: they
 * need not be the nearest. For the nearest matches, call `neighbors`. (The JavaScript API collects
 * and sorts all matches. Only then does it write as many as fit into the caller's array.) */
typedef struct copse_results {
  uint32_t *ids;     /* set by the caller: an array with room for `capacity` ids */
  float *distances2; /* set by the caller: an array with room for `capacity` squared distances, or
                      * NULL */
  uint32_t capacity; /* set by the caller: the size of the arrays */
  uint32_t total;    /* set by the query: the number of matches */
  uint32_t visits;   /* set by the query: the number of nodes visited */
} copse_results;

typedef struct copse_hit { /* the first hit of a ray */
  uint32_t id;             /* COPSE_NONE if nothing is hit */
  float fraction;          /* where on the segment: 0 at its start, 1 at its end; 1 without a hit */
} copse_hit;

/* ---- Points: one handle, three structures ------------------------------------------------- *
 * An index of points holds agents in slots. Add, move and remove agents one by one; or turn slots 0
 * … n - 1 into agents with one call, and write their positions and groups. Then build, then query.
 * Queries see the last build. Before the first build, they fail with COPSE_NOT_BUILT.
 * copse_agenttree_create, copse_grid_create and copse_kdtree_create make an index without agents.
 * All three kinds have the same functions and find the same agents; only speed differs. Only the
 * grid supports worlds that wrap around. */
typedef struct copse_points copse_points;
typedef enum copse_on_non_finite {
  COPSE_NON_FINITE_ERROR, /* build fails with COPSE_NOT_FINITE; queries see the previous build */
  COPSE_NON_FINITE_SKIP,  /* build skips agents that are not finite, and counts them */
} copse_on_non_finite;

/* ---- The agent tree: for agents that all move ---- *
 * If in doubt, use this one. A bucketed k-d tree for hundreds to millions of agents, rebuilt every
 * frame. A build is O(N log N). A query visits O(log N + results) nodes, except in contrived cases.
 */
typedef enum copse_axis {
  COPSE_AXIS_LONGEST, /* divide the longest side of a node's bounds */
  COPSE_AXIS_CYCLE,   /* divide x, y, (z,) x, y, … in turn, as in textbooks; with midpoint splits,
                       * the tree may be unbalanced */
} copse_axis;
typedef enum copse_split {
  COPSE_SPLIT_MIDPOINT, /* split at the middle of a node's bounds: the fastest to build */
  COPSE_SPLIT_MEDIAN,   /* split at the median agent: exact balance */
} copse_split;
typedef struct copse_agenttree_def {
  uint32_t dimensions; /* 2 or 3. Default: 2 */
  uint32_t capacity;   /* maximum number of agents: 1 … COPSE_MAX_CAPACITY. Default: 1,000 */
  uint32_t leafSize; /* maximum number of agents in a leaf: ≥ 1. A leaf exceeds it only if all its
                      * agents are at the same position. Default: tuned for speed */
  copse_axis axis;   /* which axis of a node's bounds is divided. Default: longest */
  copse_split split; /* where a node is split. Default: midpoint */
  copse_layout layout;             /* layout of the index's own positions. Default: interleaved */
  copse_on_non_finite onNonFinite; /* what build does with non-finite agents. Default: error */
  copse_allocator allocator;       /* Default: malloc */
  copse_tasks tasks;               /* Default: none, one thread */
} copse_agenttree_def;
copse_agenttree_def copse_agenttree_default(void);
size_t copse_agenttree_bytes(const copse_agenttree_def *def);
copse_status copse_agenttree_create(const copse_agenttree_def *def, copse_points **points);

/* ---- The grid: for one radius and agents that are spread evenly ---- *
 * Each build sorts the agents into square (in 3D cubic) cells, by a counting sort. The grid is the
 * fastest structure if agents are spread evenly, all queries have about the same radius, and a cell
 * is about as large as that radius. The agent tree is faster where agents are crowded (a grid query
 * reads whole cells), for radii far from the cell size, and if the nearest agent is many cells
 * away.
 *
 * Memory depends on the capacity, not on the size of the world: the cells are in a table with a few
 * entries per agent. If there are more cells than entries, cells that are far apart share an entry.
 * Results stay exact.
 *
 * A build is O(N). A query costs about as much as reading all agents in the cells that it touches.
 * Adjacent cells of a row are read in one run; `visits` counts runs. A ray advances about two cells
 * at a time until its first hit. A very long ray tests all agents instead.
 *
 * The world can wrap around (`wrap`): an agent that leaves it on one side enters on the other. In
 * the formulas, size = max - min, and each step is rounded to float.
 * - A build makes copies of the positions, and moves them into the world: on each axis, x becomes
 *   w = x - floor((x - min) / size) * size. If rounding moved w out of the world
 *   (w < min or w - min >= size), x becomes min instead. Centers of queries are moved into the
 *   world in the same way.
 * - The difference of two coordinates, d = x - c, is measured the shorter way around the world: if
 *   d > size / 2, it becomes d - size; if d < -size / 2, it becomes d + size. So a query of any
 *   radius finds each agent at most once, at its least distance.
 * - The grid enlarges its cells, if needed, so that a whole number of them fits along each axis of
 *   the world. They are also larger than cellSize if there would otherwise be more than about four
 *   cells per agent.
 * - A query that reaches an edge of the world costs a few times as much as without `wrap`, and its
 *   unsorted results may come in another order. Other queries cost the same as without `wrap`.
 * - Supported: within, count_within, any_within, nearest, neighbors, all_within, all_neighbors,
 *   pairs, within_many and neighbors_many. All other queries fail with COPSE_INVALID_ARGUMENT.
 * - `create` fails if a min or max is not a valid coordinate, or a min is not less than its max. */
typedef struct copse_grid_def {
  uint32_t dimensions; /* 2 or 3. Default: 2 */
  uint32_t capacity;   /* maximum number of agents: 1 … COPSE_MAX_CAPACITY. Default: 1,000 */
  float cellSize;      /* > 0, finite; fastest if about as large as the usual radius. Default: 1 */
  copse_layout layout; /* layout of the index's own positions. Default: interleaved */
  copse_on_non_finite onNonFinite; /* what build does with non-finite agents. Default: error */
  /* The corners of a world that wraps around: min x, y, (z,) max x, y, (z). `create` copies them.
   * Default: NULL, the world does not wrap. */
  const float *wrap;
  copse_allocator allocator; /* Default: malloc */
  copse_tasks tasks;         /* Default: none, one thread */
} copse_grid_def;
copse_grid_def copse_grid_default(void);
size_t copse_grid_bytes(const copse_grid_def *def);
copse_status copse_grid_create(const copse_grid_def *def, copse_points **points);

/* ---- The k-d tree: for points that seldom move ---- *
 * For spawn points, resources, waypoints. A balanced tree without pointers. Every point is a node:
 * the median of its subtree along the axis of its level (x, y, (z,) x, …). The tree needs the least
 * memory of the three structures, and is at most log2 N deep. A build is always O(N log N), but
 * takes several times as long as a build of the agent tree. The k-d tree pays off with many queries
 * per build, especially with queries for the nearest points. copse_points_neighbors_many takes
 * about half as long per query as single calls. All values of `builder` make the same tree. */
typedef enum copse_builder {
  COPSE_BUILDER_QUICKSELECT,       /* finds medians by sampling: the fastest */
  COPSE_BUILDER_MEDIAN_OF_MEDIANS, /* finds medians in linear time, whatever the points are */
  COPSE_BUILDER_PRESORT,           /* sorts the points once per axis; needs more memory. (R. A.
                                    * Brown, "Building a balanced k-d tree in O(kn log n) time",
                                    * JCGT 4(1), 2015.) */
} copse_builder;
typedef struct copse_kdtree_def {
  uint32_t dimensions;   /* 2 or 3. Default: 2 */
  uint32_t capacity;     /* maximum number of points: 1 … COPSE_MAX_CAPACITY. Default: 1,000 */
  copse_builder builder; /* the algorithm of the build. Default: quickselect */
  copse_layout layout;   /* layout of the index's own positions. Default: interleaved */
  copse_on_non_finite onNonFinite; /* what build does with non-finite agents. Default: error */
  copse_allocator allocator;       /* Default: malloc */
  copse_tasks tasks;               /* Default: none, one thread */
} copse_kdtree_def;
copse_kdtree_def copse_kdtree_default(void);
size_t copse_kdtree_bytes(const copse_kdtree_def *def);
copse_status copse_kdtree_create(const copse_kdtree_def *def, copse_points **points);

/* ---- Memory, slots, buffers and builds ---- */
void copse_points_destroy(copse_points *points);
copse_status copse_points_reserve(copse_points *points, uint32_t capacity);
uint32_t copse_points_capacity(const copse_points *points);
uint32_t copse_points_dimensions(const copse_points *points);
uint32_t copse_points_count(const copse_points *points); /* the number of agents */
/* Returns an upper bound for a loop over all slots: every agent's slot is less than this. */
uint32_t copse_points_slots(const copse_points *points);
/* Turns the slots 0 … `slots` - 1 into agents, and frees all other slots. Existing agents below
 * `slots` do not change. A new agent's groups are 1; its position is the one that the array of
 * positions already holds for the slot. COPSE_FULL: `slots` exceeds the capacity. */
copse_status copse_points_set_slots(copse_points *points, uint32_t slots);
/* Returns the generation of each slot: odd while the slot is in use. */
const uint32_t *copse_points_generations(const copse_points *points);
/* True if the slot is in use. */
bool copse_points_has(const copse_points *points, uint32_t slot);
/* Adds an agent in the lowest free slot. Its groups are 1. Errors: COPSE_NOT_FINITE,
 * COPSE_FULL. */
copse_status copse_points_add(copse_points *points, const float *position, uint32_t *slot);
/* Writes an agent's position. Errors: COPSE_STALE_SLOT (the slot holds no agent),
 * COPSE_NOT_FINITE. */
copse_status copse_points_move(copse_points *points, uint32_t slot, const float *position);
/* Removes an agent: frees its slot and clears its groups. COPSE_STALE_SLOT: the slot holds no
 * agent. */
copse_status copse_points_remove(copse_points *points, uint32_t slot);
bool copse_points_is_built(const copse_points *points); /* true after the first build */
/* Returns the number of slots in the last build; 0 before the first. Masks and radii that you pass
 * to queries need this many entries, even if agents were added or removed since. */
uint32_t copse_points_built(const copse_points *points);
/* Return the index's own buffers, for the caller to write. Changes take effect at the next
 * build. */
copse_positions copse_points_positions(copse_points *points);
uint32_t *copse_points_groups(copse_points *points);

/* Builds the index from its own buffers. Ignores agents without a group. On COPSE_NOT_FINITE,
 * queries still see the previous build. */
copse_status copse_points_build(copse_points *points, uint32_t *firstBad);
/* Copies agents from arrays of the caller, such as those of a crowd, to the index's own buffers,
 * and builds it. Slot i of the arrays becomes slot i of the index; all slots from `count` on are
 * free. `groups` may be NULL: then every agent's groups are 1. `generations` (odd: the slot is in
 * use, its groups must be 0 otherwise) may be NULL: then slots 0 … count - 1 become agents, as with
 * copse_points_set_slots. Further errors: COPSE_FULL (`count` exceeds the capacity),
 * COPSE_INVALID_ARGUMENT (an axis is NULL). If it fails, the agents stay as they were. */
copse_status copse_points_build_from(copse_points *points, const copse_const_positions *positions,
                                     const uint32_t *groups, const uint32_t *generations,
                                     uint32_t count, uint32_t *firstBad);

/* ---- Queries: they see the last build ---- *
 * Unsorted results come in the order of the structure. Agent tree: leaves from left to right. Grid:
 * cells along x, row by row. K-d tree: left subtree, node, right subtree. */
/* Finds all agents within a radius of a center. Radius 0 finds agents exactly at the center,
 * INFINITY finds all agents. */
copse_status copse_points_within(const copse_points *points, const float *center, float radius,
                                 const copse_query *query, copse_results *results);
/* Finds all agents in the closed box lo … hi, which may be infinite. Writes no distances.
 * COPSE_INVALID_ARGUMENT: a NaN, lo > hi on an axis, or a query that sorts by distance. */
copse_status copse_points_range(const copse_points *points, const float *lo, const float *hi,
                                const copse_query *query, copse_results *results);
/* Finds all agents that a camera sees: those inside all `count` planes. 3D only. A plane is four
 * floats x, y, z, w. A point p is inside if ((p.x * x + p.y * y) + p.z * z) + w >= 0, computed in
 * float, each step rounded. Writes no distances. The agent tree skips nodes that are outside; the
 * grid and the k-d tree test every agent. COPSE_INVALID_ARGUMENT: the index is 2D or wraps around,
 * there is no plane, a number of a plane is not finite or exceeds COPSE_MAX_COORDINATE, or the
 * query sorts by distance. */
copse_status copse_points_frustum(const copse_points *points, const float *planes, uint32_t count,
                                  const copse_query *query, copse_results *results);
/* Finds the nearest agent, ties by lower id. Sets *id to COPSE_NONE if there is none. */
copse_status copse_points_nearest(const copse_points *points, const float *center,
                                  const copse_query *query, uint32_t *id, float *distance2,
                                  uint32_t *visits);
/* Finds the k nearest agents, nearest first, ties by lower id. results->total is at most k. The
 * arrays must have room for min(k, agents of the last build) ids and distances2, else the call
 * fails with COPSE_INVALID_ARGUMENT. */
copse_status copse_points_neighbors(const copse_points *points, const float *center, uint32_t k,
                                    const copse_query *query, copse_results *results);
/* Counts the agents within a radius. Nodes of a tree that are wholly within the radius are counted
 * without testing their agents. */
copse_status copse_points_count_within(const copse_points *points, const float *center,
                                       float radius, const copse_query *query, uint32_t *total,
                                       uint32_t *visits);
/* Counts the agents in a box. The arguments are those of copse_points_range. */
copse_status copse_points_count_range(const copse_points *points, const float *lo, const float *hi,
                                      const copse_query *query, uint32_t *total, uint32_t *visits);
/* Sets *any to true if at least one agent is within a radius. Stops at the first one found. */
copse_status copse_points_any_within(const copse_points *points, const float *center, float radius,
                                     const copse_query *query, bool *any, uint32_t *visits);
/* Finds all agents in a cone, such as a field of view: agents within the radius that are at most
 * halfAngle off the direction. halfAngle is in radians, 0 … pi. The direction may have any length
 * but 0. An agent at the center is in the cone. Let d be the vector from the center to the agent.
 * The angle is tested in float, by dot(d, direction / |direction|) >= cos(halfAngle) * |d|. */
copse_status copse_points_cone(const copse_points *points, const float *center,
                               const float *direction, float halfAngle, float radius,
                               const copse_query *query, copse_results *results);

/* Finds the first agent hit by the segment from the point `from` to the point `to`, ties by lower
 * id. Agents are circles or spheres:
 * - If `radii` is NULL, each has the radius `radius`.
 * - Otherwise, the agent in slot i has the radius radii[i], clamped to 0 … `radius`. NaN counts as
 *   0. Pass INFINITY as `radius` for no upper limit.
 * query.inflate is added to each agent's radius; the sum is rounded to float. An agent that
 * contains `from` is hit at fraction 0. A segment of length 0 hits the agents that contain it. Uses
 * the query's mask, exclude and inflate. Cost: usually O(log N + agents within `radius` of the
 * segment).
 *
 * The exact rule for one agent, in double, is the code of scan_ray_hit in c/base/scan.h. */
copse_status copse_points_raycast(const copse_points *points, const float *from, const float *to,
                                  float radius, const float *radii, const copse_query *query,
                                  copse_hit *hit, uint32_t *visits);
typedef struct copse_hits { /* all hits of a ray, in arrays of the caller */
  uint32_t *ids;            /* set by the caller: an array with room for `capacity` ids */
  float *fractions;         /* set by the caller: an array for `capacity` fractions, each from 0 at
                             * the segment's start to 1 at its end */
  uint32_t capacity;        /* set by the caller: the size of the arrays */
  uint32_t total;           /* set by the query: the number of agents that the segment hits */
  uint32_t visits;          /* set by the query: the number of nodes visited */
} copse_hits;
/* Finds every agent that a segment hits, as for a piercing shot. The rule for a hit is that of
 * copse_points_raycast. Sorts the hits by fraction, ties by lower id. If `total` exceeds
 * `capacity`, the arrays hold the first `capacity` hits along the segment. */
copse_status copse_points_raycast_all(const copse_points *points, const float *from,
                                      const float *to, float radius, const float *radii,
                                      const copse_query *query, copse_hits *hits);

/* ---- Batches: one call for all agents, or for many points, boxes or segments ---- *
 * If `masks` is not NULL, it holds a mask for each slot of the last build. The agent in a slot then
 * searches with masks[slot] & query.mask. Batches use these members of the query: `mask`;
 * `maxDistance`, in all_neighbors and neighbors_many; `exclude`, if the caller passes centers,
 * boxes or segments; `inflate`, in raycast_many. `sort` must be COPSE_SORT_NONE. An agent is never
 * its own neighbor. In a batch for all agents, up to a few hundred nearby agents share one search
 * of the index. The cost is about proportional to the number of results. A batch needs 200 KB of
 * stack. */
/* The output of a batch, in arrays of the caller: a row of ids for each slot, center or box. Row i
 * has counts[i] ids, from ids[offsets[i]] on. The rows for centers or boxes are stored in the order
 * of the centers or boxes (except in copse_octree_range_many). The rows for slots are stored so
 * that agents near each other have rows near each other. The order of rows, and of the ids in a
 * row, depends only on the last build and the query. If `truncated` is true, a row did not fit: it
 * is empty, and so are all rows stored after it. */
typedef struct copse_rows {
  uint32_t *offsets, *counts; /* arrays of the caller, filled by the batch: an entry for each row. A
                               * batch for all agents has max(copse_points_slots,
                               * copse_points_built) rows */
  uint32_t *ids;              /* array of the caller, filled by the batch: room for `capacity`
                               * ids */
  uint32_t capacity;          /* set by the caller: the size of `ids` */
  uint32_t total;             /* set by the batch: the number of ids of all rows, even if
                               * truncated */
  bool truncated;             /* set by the batch: true if `ids` is too short for all rows */
} copse_rows;

/* The output of a batch, in arrays of the caller: a row of at most k ids for each slot or center,
 * nearest first, ties by lower id. Row i has counts[i] ids, from ids[i * k] on. */
typedef struct copse_neighbor_rows {
  uint32_t *counts;  /* array of the caller, filled by the batch: an entry for each row. A batch for
                      * all agents has max(copse_points_slots, copse_points_built) rows */
  uint32_t *ids;     /* array of the caller, filled by the batch: k ids for each row */
  float *distances2; /* array of the caller, filled by the batch: k squared distances for each
                      * row */
} copse_neighbor_rows;

/* Writes every agent's neighbors within a radius. Slots that are not in the last build get empty
 * rows. */
copse_status copse_points_all_within(const copse_points *points, float radius,
                                     const copse_query *query, const uint32_t *masks,
                                     copse_rows *rows);
/* Writes every agent's k nearest neighbors within query.maxDistance. */
copse_status copse_points_all_neighbors(const copse_points *points, uint32_t k,
                                        const copse_query *query, const uint32_t *masks,
                                        copse_neighbor_rows *rows);
/* A broad phase: finds all pairs of agents that are within a distance of each other, each pair
 * once. Writes ids a, b, a, b, … with a < b, in an order that depends only on the last build.
 * results.total counts ids, two per pair. Writes as many pairs as fit into results.ids, and no
 * distances2. If `radii` (by slot) is not NULL, agents are circles or spheres, and two agents are a
 * pair if they touch: if the squared distance of their centers is <= (radius a + radius b) squared.
 * `distance` is then not used. Both agents must match the query's mask. */
copse_status copse_points_pairs(const copse_points *points, float distance, const float *radii,
                                const copse_query *query, copse_results *results);
/* Writes a row for each of n centers (`dimensions` floats each): the agents within a radius. */
copse_status copse_points_within_many(const copse_points *points, const float *centers, uint32_t n,
                                      float radius, const copse_query *query, copse_rows *rows);
/* Writes a row for each of n boxes: the agents that copse_points_range finds, in the same order. A
 * box is lo x, y, (z,) hi x, y, (z). COPSE_INVALID_ARGUMENT: a box has a NaN, or lo > hi on an
 * axis. */
copse_status copse_points_range_many(const copse_points *points, const float *boxes, uint32_t n,
                                     const copse_query *query, copse_rows *rows);
/* Writes a row for each of n centers: the k nearest agents within query.maxDistance. */
copse_status copse_points_neighbors_many(const copse_points *points, const float *centers,
                                         uint32_t n, uint32_t k, const copse_query *query,
                                         copse_neighbor_rows *rows);
/* Filters that differ from segment to segment. Each is NULL, or an array with an entry per
 * segment. */
typedef struct copse_segment_filters {
  const uint32_t *masks;    /* segment i uses masks[i] & query.mask */
  const uint32_t *excludes; /* segment i skips the slot excludes[i], such as a bullet's shooter,
                             * instead of query.exclude */
  const float *inflates;    /* segment i uses inflates[i] instead of query.inflate */
} copse_segment_filters;
/* Casts n segments (2 * dimensions floats each: from, to) like copse_points_raycast. Writes n ids
 * and fractions. `filters` may be NULL. */
copse_status copse_points_raycast_many(const copse_points *points, const float *segments,
                                       uint32_t n, float radius, const float *radii,
                                       const copse_query *query,
                                       const copse_segment_filters *filters, uint32_t *ids,
                                       float *fractions);
/* Returns the slots of the last build in the order of the structure, and their number. Agents near
 * each other in space are near each other in this list. The list is valid until the next build,
 * restore or reserve. A game that renumbers its agents in this order from time to time has fewer
 * cache misses in builds and queries. */
const uint32_t *copse_points_order(const copse_points *points, uint32_t *count);

/* Writes cells to draw, 2 * dimensions + 2 floats each: bounds (lo x, y, (z,) hi x, y, (z)), depth,
 * number of agents. Agent tree: nodes in preorder. Grid: cells that hold agents, row by row, with
 * depth 0. (A cell may be written more than once, each time with some of its agents.) K-d tree: its
 * splitting lines (in 3D, planes), in preorder. Each is written as a box without width along the
 * split axis. */
size_t copse_points_cells(const copse_points *points, size_t skipped, float *out, size_t capacity);
typedef struct copse_points_statistics {
  uint32_t agents;  /* agents in the last build */
  uint32_t skipped; /* agents left out of the last build because they were not finite */
  uint32_t nodes;   /* trees: nodes; grid: table entries */
  uint32_t leaves;  /* trees: leaves; grid: table entries that hold agents */
  uint32_t depth;   /* depth of the deepest leaf; the root has depth 0 */
  bool isShared;    /* true if cells of the grid share table entries */
  size_t bytes;     /* memory of the whole object */
} copse_points_statistics;
copse_points_statistics copse_points_stats(const copse_points *points);
bool copse_points_validate(const copse_points *points); /* checks the last build, in O(N log N) */

/* Saves agents, positions, groups, generations and the last build: after a restore, queries find
 * the same agents. The index that you restore into needs the same structure, dimensions and options
 * as the saved one; only capacity, layout and builder may differ. A save fails with
 * COPSE_NOT_FINITE if copse_points_build would refuse one of the positions. */
copse_status copse_points_save(const copse_points *points, void *bytes, size_t capacity,
                               size_t *total, uint32_t *firstBad);
copse_status copse_points_restore(copse_points *points, const void *bytes, size_t size,
                                  uint32_t *needed);

/* ---- Sensors: which agents entered a zone, and which left it ------------------------------- *
 * For trigger zones, guards that notice agents, and areas of interest. A sensor is one of three
 * shapes: a box, a circle around a point, or a circle around an agent. (In 3D, circles are
 * spheres.) Sensors search an index of points. After each build of the index, call
 * copse_sensors_update: for each sensor, it searches the last build, and writes which agents
 * entered and which left since the previous update.
 *
 * - An agent enters if its distance is at most `radius`, and leaves if its distance is greater than
 *   `exitRadius`, which is >= `radius`. At a distance between `radius` and `exitRadius`, an agent
 * that was inside stays inside, and an agent that was outside stays outside. So an agent that walks
 * along the border does not enter and leave over and over. For a circle, the distance is measured
 * from the center, as in copse_points_within. For a box lo … hi, no distance is measured. Instead,
 * an agent enters if it is inside the box lo - radius … hi + radius, and leaves if it is outside of
 *   the box lo - exitRadius … hi + exitRadius. The corners of both are rounded to float.
 * - An agent also leaves if it is removed, if it is hidden (has no group), or if it no longer
 *   matches the sensor's mask.
 * - The same id may be in both rows, `left` and `entered`. This happens if the agent with that id
 *   was removed, and a new agent, added in the same slot, then entered. So handle `left` first.
 * - A sensor of the kind COPSE_SENSOR_AGENT is a circle around the agent in a given slot. The
 *   sensor never finds this agent. While this agent is hidden, the sensor finds no others either.
 *   If this agent is removed, the sensor forgets which agents are inside: none is reported as
 *   having left. The sensor then surrounds the next agent that is added in the slot.
 *
 * An update takes the time of its searches, plus time linear in the number of agents inside, plus
 * the time to sort the ids that entered and left. */
typedef struct copse_sensors copse_sensors;
typedef struct copse_sensors_def {
  uint32_t dimensions; /* 2 or 3, the same as the index has. Default: 2 */
  uint32_t capacity;   /* maximum number of sensors: 1 … COPSE_MAX_CAPACITY. Default: 1,000 */
  uint32_t results;    /* maximum number of agents that an update finds, summed over all searches: 0
                        * … INT32_MAX. Default: 0. With 0, an update fails if it finds agents: see
                        * copse_sensors_update. A circle or sphere is searched once, for agents
                        * within `exitRadius`. A box whose `radius` and `exitRadius` differ is searched
                        * twice:    within `radius`, and within `exitRadius` */
  uint32_t agents;     /* maximum number of slots of the index: 0 … COPSE_MAX_CAPACITY. Default:
                        * 1,000 */
  copse_allocator allocator; /* Default: malloc */
} copse_sensors_def;
copse_sensors_def copse_sensors_default(void);
size_t copse_sensors_bytes(const copse_sensors_def *def);
copse_status copse_sensors_create(const copse_sensors_def *def, copse_sensors **sensors);
void copse_sensors_destroy(copse_sensors *sensors);
/* Raises the limits `capacity`, `results` and `agents` to at least the given numbers. Empties the
 * rows of the last update. */
copse_status copse_sensors_reserve(copse_sensors *sensors, uint32_t capacity, uint32_t results,
                                   uint32_t agents);
/* Returns the current limits: `capacity`, `results` and `agents`. */
copse_sensors_def copse_sensors_limits(const copse_sensors *sensors);
uint32_t copse_sensors_count(const copse_sensors *sensors);
/* Returns an upper bound for a loop over all sensors: 1 + the highest slot that was ever in use. */
uint32_t copse_sensors_slots(const copse_sensors *sensors);
/* True if the slot is in use. */
bool copse_sensors_has(const copse_sensors *sensors, uint32_t slot);

typedef enum copse_sensor_kind {
  COPSE_SENSOR_CIRCLE, /* a circle (in 3D a sphere) around a point */
  COPSE_SENSOR_BOX,    /* a box with sides parallel to the axes */
  COPSE_SENSOR_AGENT,  /* a circle (in 3D a sphere) around an agent; it moves with the agent */
} copse_sensor_kind;
typedef struct copse_sensor {
  copse_sensor_kind kind; /* Default: circle */
  float place[6];         /* circle: its center. Box: lo x, y, (z,) hi x, y, (z); may be infinite.
                           * Default: 0 */
  uint32_t agent; /* the slot of the agent to surround. The slot may be free. Default: COPSE_NONE */
  float radius;   /* an agent enters within this distance: >= 0, may be INFINITY. Default: 0 */
  float exitRadius; /* an agent has left when it is farther away than this. Must be >= radius: if
                     * you set `radius`, set this too. Default: 0 */
  uint32_t mask;    /* finds agents whose groups share a bit with this mask. Default:
                     * COPSE_ALL_GROUPS */
} copse_sensor;
copse_sensor copse_sensor_default(void);

/* Adds a sensor in the lowest free slot. No agent is inside it before the next update. Errors:
 * COPSE_NOT_FINITE (the center of a circle is not finite), COPSE_INVALID_ARGUMENT, COPSE_FULL. */
copse_status copse_sensors_add(copse_sensors *sensors, const copse_sensor *sensor, uint32_t *slot);
/* Moves a circle to another center, or a box to other corners. COPSE_INVALID_ARGUMENT: the sensor
 * is a circle around an agent, or a box has a NaN, or lo > hi on an axis. Other errors:
 * COPSE_STALE_SLOT, COPSE_NOT_FINITE. */
copse_status copse_sensors_move(copse_sensors *sensors, uint32_t slot, const float *place);
/* Removes a sensor, and frees its slot. COPSE_STALE_SLOT: the slot is free. */
copse_status copse_sensors_remove(copse_sensors *sensors, uint32_t slot);
void copse_sensors_clear(copse_sensors *sensors);
/* Makes a sensor forget which agents are inside: none of them is reported as having left, and
 * agents within `radius` enter again. COPSE_STALE_SLOT: the slot is free. */
copse_status copse_sensors_reset(copse_sensors *sensors, uint32_t slot);

/* The arrays of sensors, by slot, and the rows of the last update. Row i belongs to sensor i. Rows
 * are empty before the first update, and after a restore. */
typedef struct copse_sensors_arrays {
  float *radii, *exitRadii;    /* the caller may write these between updates */
  uint32_t *masks;             /* the caller may write these between updates */
  const uint32_t *kinds;       /* values of copse_sensor_kind */
  const uint32_t *agents;      /* slot of the agent that the sensor surrounds, or COPSE_NONE */
  const uint32_t *generations; /* odd while the slot is in use */
  copse_rows left, entered;    /* ids ascend in each row */
  copse_rows inside;           /* all agents inside at the last update, in the order in which the
                                * index stores them */
} copse_sensors_arrays;
copse_sensors_arrays copse_sensors_get(copse_sensors *sensors);

/* Updates all sensors: finds the agents in each, and writes the rows `left`, `entered` and
 * `inside`. A sensor around an agent is where the index's buffers have the agent. *needed receives
 * the number of agents found. The limit `results` in copse_sensors_def must not be less than this
 * number. Errors:
 * - COPSE_INVALID_ARGUMENT: a `radius` or `exitRadius` is out of range; the index and the sensors
 * differ in dimensions; or the index wraps around and a sensor is a box.
 * - COPSE_NOT_BUILT: the index was never built.
 * - COPSE_FULL, and *needed is 0: the limit `agents` in copse_sensors_def is less than the number
 *   of slots in the last build.
 * - COPSE_FULL, and *needed is not 0: the limit `results` in copse_sensors_def is too small for
 *   this update.
 *
 * If a limit is too small, all rows are empty, but nothing is lost: raise the limit with
 * copse_sensors_reserve, then update again. */
copse_status copse_sensors_update(copse_sensors *sensors, const copse_points *points,
                                  uint32_t *needed);

typedef struct copse_sensors_statistics {
  uint32_t sensors;
  uint32_t inside; /* the number of agents inside, summed over all sensors */
  size_t bytes;    /* memory of the whole object */
} copse_sensors_statistics;
copse_sensors_statistics copse_sensors_stats(const copse_sensors *sensors);
bool copse_sensors_validate(const copse_sensors *sensors);

/* Saves the sensors and which agents are inside them, but not the index: save and restore the index
 * too. The object that you restore into needs the same dimensions as the saved one. If one of its
 * limits is too small, the restore fails with COPSE_FULL, and *needed has the limits that it needs.
 * A save fails with COPSE_INVALID_ARGUMENT if the caller wrote invalid ids or slots to the arrays
 * `inside` or `agents` of copse_sensors_arrays, which are only for reading. */
copse_status copse_sensors_save(const copse_sensors *sensors, void *bytes, size_t capacity,
                                size_t *total);
copse_status copse_sensors_restore(copse_sensors *sensors, const void *bytes, size_t size,
                                   copse_sensors_def *needed);

/* ---- Quadtree and octree ------------------------------------------------------------------- *
 * For boxes and points that are added, moved and removed one at a time: colliders, zones, pickups.
 * A quadtree in 2 dimensions, an octree in 3. There is no build: queries see every change
 * immediately. A split divides a cell in half along each axis. A cell is split if and only if it
 * holds more than leafSize items and its depth is less than maxDepth. The one exception: the number
 * of nodes is limited in proportion to the capacity, and a tree that has run out of nodes splits no
 * more cells (see `unsplit`). Items outside the world are stored and found too.
 *
 * Boxes are closed. The distance from a point to a box has one part per axis: lo - x if x < lo,
 * x - hi if x > hi, else 0. The parts are squared and summed as for points. For a bad box, a call
 * fails with COPSE_NOT_FINITE or, if lo > hi, with COPSE_INVALID_ARGUMENT. *firstBad is the slot of
 * the first bad box. `add` takes the lowest free slot, `remove` frees a slot. Results come in an
 * order that depends only on the sequence of changes so far. */
#define COPSE_OCTREE_MAX_DEPTH     24    /* the greatest valid maxDepth */
#define COPSE_OCTREE_MAX_LOOSENESS 16.0f /* above this, cells overlap too much to be useful */
typedef struct copse_octree_def {
  uint32_t dimensions; /* 2 or 3. Default: 2 */
  uint32_t capacity;   /* maximum number of items: 1 … COPSE_MAX_CAPACITY. Default: 1,000 */
  uint32_t leafSize;   /* maximum number of items in a leaf. With 0, every cell with an item is
                        * split down to maxDepth. Default: tuned for speed */
  uint32_t maxDepth;   /* maximum depth of a cell: 0 … COPSE_OCTREE_MAX_DEPTH. With 0, the tree is
                        * one list: brute force. Default: tuned for speed */
  float looseness;     /* a cell accepts items as if its sides were multiplied by this factor: 1 …
                        * COPSE_OCTREE_MAX_LOOSENESS. With 1, an item across a splitting line stays
                        * in the parent. Default: tuned for speed */
  float bounds[6]; /* the world: lo x, y, (z,) hi x, y, (z); lo < hi. Default, for 2D only: 0 …
                    * 1,000 */
  copse_allocator allocator; /* Default: malloc */
} copse_octree_def;
typedef struct copse_octree copse_octree;
copse_octree_def copse_octree_default(void);
size_t copse_octree_bytes(const copse_octree_def *def);
copse_status copse_octree_create(const copse_octree_def *def, copse_octree **tree);
void copse_octree_destroy(copse_octree *tree);
copse_status copse_octree_reserve(copse_octree *tree, uint32_t capacity);
uint32_t copse_octree_capacity(const copse_octree *tree);
uint32_t copse_octree_dimensions(const copse_octree *tree);
uint32_t copse_octree_count(const copse_octree *tree); /* the number of items */
uint32_t copse_octree_slots(const copse_octree *tree); /* every slot in use is less than this */

/* Return arrays by slot, for the caller to write. Boxes are lo x, y, (z,) hi x, y, (z). Changed
 * boxes take effect with copse_octree_move_all. Changed groups (32 bits, default 1) take effect at
 * once. A slot keeps its groups when an item is added or removed. */
float *copse_octree_boxes(copse_octree *tree);
uint32_t *copse_octree_groups(copse_octree *tree);
const uint32_t *copse_octree_generations(const copse_octree *tree);
bool copse_octree_has(const copse_octree *tree, uint32_t slot); /* true if the slot is in use */

/* Adds a box (2 * dimensions floats; a point has lo = hi), and writes it to the array of boxes too.
 * O(depth), unless a cell is split. Errors: COPSE_FULL, COPSE_NOT_FINITE, COPSE_INVALID_ARGUMENT
 * (lo > hi). */
copse_status copse_octree_add(copse_octree *tree, const float *box, uint32_t *slot);
/* Adds a box in a given free slot. The item's groups are those that the array of groups holds for
 * the slot. COPSE_FULL: the slot is beyond the capacity. COPSE_INVALID_ARGUMENT: the slot is in
 * use, or lo > hi. */
copse_status copse_octree_add_at(copse_octree *tree, uint32_t slot, const float *box);
/* Removes an item in O(depth), even if the caller has overwritten its box in the array of boxes.
 * COPSE_STALE_SLOT: the slot is free. */
copse_status copse_octree_remove(copse_octree *tree, uint32_t slot);
/* Moves an item: in O(1) within its cell, else in O(depth). COPSE_STALE_SLOT: the slot is free. */
copse_status copse_octree_move(copse_octree *tree, uint32_t slot, const float *box);
void copse_octree_clear(copse_octree *tree);
/* Moves every item to its box in the array of boxes. If many items left their cells, rebuilds the
 * tree instead of moving items one by one. */
copse_status copse_octree_move_all(copse_octree *tree, uint32_t *firstBad);
/* Removes all items, then adds the boxes in slots 0 … count - 1 of the array of boxes: much faster
 * than adding them one by one. COPSE_FULL: `count` exceeds the capacity. */
copse_status copse_octree_load(copse_octree *tree, uint32_t count, uint32_t *firstBad);

/* Finds all items that intersect the closed box lo … hi, which may be a point or infinite. Writes
 * no distances. COPSE_INVALID_ARGUMENT: a NaN, lo > hi on an axis, or a query that sorts by
 * distance. */
copse_status copse_octree_range(const copse_octree *tree, const float *lo, const float *hi,
                                const copse_query *query, copse_results *results);
/* Finds all items that a camera may see. A box is left out only if it is wholly outside at least
 * one of the `count` planes. 3D only. A plane is four floats x, y, z, w. Each plane is tested
 * against one corner of the box: the farthest one along the plane's normal. On each axis, this
 * corner is at hi if the normal (x, y, z) is > 0 along that axis, else at lo. The test is the same
 * as for points in copse_points_frustum. An item is found if it passes for all planes. A box near
 * an edge of the frustum may pass although it is outside. Errors: as in copse_points_frustum. */
copse_status copse_octree_frustum(const copse_octree *tree, const float *planes, uint32_t count,
                                  const copse_query *query, copse_results *results);
/* Finds all items that intersect a circle or sphere. To sort by distance, results.distances2 must
 * not be NULL. */
copse_status copse_octree_within(const copse_octree *tree, const float *center, float radius,
                                 const copse_query *query, copse_results *results);
/* Finds the nearest item, ties by lower id. Sets *id to COPSE_NONE if there is none. */
copse_status copse_octree_nearest(const copse_octree *tree, const float *center,
                                  const copse_query *query, uint32_t *id, float *distance2,
                                  uint32_t *visits);
/* Finds the k nearest items, nearest first, ties by lower id. Needs room for min(k, number of
 * items) ids and distances2. */
copse_status copse_octree_neighbors(const copse_octree *tree, const float *center, uint32_t k,
                                    const copse_query *query, copse_results *results);
/* Counts the items that intersect a circle or sphere. copse_octree_any_within only tests whether
 * there is such an item, and stops at the first one found. */
copse_status copse_octree_count_within(const copse_octree *tree, const float *center, float radius,
                                       const copse_query *query, uint32_t *total, uint32_t *visits);
copse_status copse_octree_any_within(const copse_octree *tree, const float *center, float radius,
                                     const copse_query *query, bool *any, uint32_t *visits);
/* Counts the items that intersect a box. The arguments are those of copse_octree_range. */
copse_status copse_octree_count_range(const copse_octree *tree, const float *lo, const float *hi,
                                      const copse_query *query, uint32_t *total, uint32_t *visits);

typedef struct copse_box_hit { /* the first hit of a ray */
  uint32_t id;                 /* COPSE_NONE if nothing is hit */
  float fraction;              /* where on the segment: 0 at its start, 1 at its end; 1 without a
                                * hit */
  float normal[3]; /* outward normal of the side of the box that is hit: one component is 1 or -1,
                    * the others are 0. All are 0 if the segment starts inside */
} copse_box_hit;
/* Finds the first item hit by the segment from the point `from` to the point `to`, ties by lower
 * id. Uses the query's mask, exclude and inflate. If `inflate` is greater than 0, boxes grow by
 * this distance, with rounded corners: the segment hits a box as soon as it comes that near.
 * hit->normal then points from the nearest point of the box to the hit point. It is a unit vector,
 * or 0 if the fraction is 0.
 *
 * The exact rule, in double, is the code in octree_ray.c: enter_box or, if `inflate` is greater
 * than 0, enter_rounded. The fraction is rounded to float. */
copse_status copse_octree_raycast(const copse_octree *tree, const float *from, const float *to,
                                  const copse_query *query, copse_box_hit *hit, uint32_t *visits);
/* Batches run n queries in one call. The output has the same layout as that of the batches of
 * points. Every row holds what the single query finds, in the same order. `sort` must be
 * COPSE_SORT_NONE. A batch costs as much as n single queries. Only range_many costs less, because
 * boxes near each other share a search; range_many needs 30 KB of stack.
 *
 * copse_octree_range_many writes a row for each of n boxes (2 * dimensions floats each: lo, hi):
 * the items that intersect it. Rows are stored so that boxes near each other have rows near each
 * other. COPSE_INVALID_ARGUMENT: a box has a NaN, or lo > hi on an axis. */
copse_status copse_octree_range_many(const copse_octree *tree, const float *boxes, uint32_t n,
                                     const copse_query *query, copse_rows *rows);
/* Writes a row for each of n centers (`dimensions` floats each): the items that intersect the
 * circle or sphere around it. */
copse_status copse_octree_within_many(const copse_octree *tree, const float *centers, uint32_t n,
                                      float radius, const copse_query *query, copse_rows *rows);
/* Writes a row for each of n centers: the k nearest items within query.maxDistance. */
copse_status copse_octree_neighbors_many(const copse_octree *tree, const float *centers, uint32_t n,
                                         uint32_t k, const copse_query *query,
                                         copse_neighbor_rows *rows);
/* Casts n segments (2 * dimensions floats each: from, to) like copse_octree_raycast. Writes n ids
 * and fractions. `filters` may be NULL. */
copse_status copse_octree_raycast_many(const copse_octree *tree, const float *segments, uint32_t n,
                                       const copse_query *query,
                                       const copse_segment_filters *filters, uint32_t *ids,
                                       float *fractions);
/* A broad phase: finds all pairs of items that intersect, each pair once. Writes ids a, b, a, b, …
 * with a < b, in ascending order of a. results.total counts ids, two per pair. Only whole pairs are
 * written, as many as fit. Both items must match the query's mask. */
copse_status copse_octree_pairs(const copse_octree *tree, const copse_query *query,
                                copse_results *results);

/* Writes cells to draw, in preorder, 2 * dimensions + 2 floats each: bounds (cut to the world),
 * depth, number of items in the cell and below. */
size_t copse_octree_cells(const copse_octree *tree, size_t skipped, float *out, size_t capacity);
typedef struct copse_octree_statistics {
  uint32_t items;
  uint32_t nodes;
  uint32_t leaves;                               /* nodes that are not split */
  uint32_t depth;                                /* depth of the deepest node; the root has
                                                  * depth 0 */
  uint32_t perDepth[COPSE_OCTREE_MAX_DEPTH + 1]; /* by depth: items stored in nodes of that depth */
  uint32_t straddlers; /* items stored in inner nodes, because no child contains them; a higher
                        * looseness makes them fewer */
  uint32_t outside;    /* items not wholly inside the world */
  uint32_t unsplit;    /* nodes that are not split because the tree has run out of nodes */
  uint64_t changes; /* a measure of the work since creation: how often an item was put into a node
                     * or taken out of one, plus how often a node was split or merged */
  size_t bytes;     /* memory of the whole object */
} copse_octree_statistics;
/* Counts the items and nodes, in O(nodes + capacity). */
copse_octree_statistics copse_octree_stats(const copse_octree *tree);
/* Checks every node, every item, and the blocks that store the items, in O(N * depth). */
bool copse_octree_validate(const copse_octree *tree);

/* Saves items, slots, generations and groups. A box that the caller wrote to the array `boxes` is
 * saved only after a call of copse_octree_move_all, or of copse_octree_move with the same box. The
 * tree that you restore into needs the same options as the saved one; only the capacity may differ.
 * After a restore, the tree behaves exactly like the saved one, down to the order of results.
 * Exception: if the saved tree had run out of nodes (see `unsplit`), the restored tree may split
 * different nodes. */
copse_status copse_octree_save(const copse_octree *tree, void *bytes, size_t capacity,
                               size_t *total);
copse_status copse_octree_restore(copse_octree *tree, const void *bytes, size_t size,
                                  uint32_t *needed);

/* ---- Obstacle tree ------------------------------------------------------------------------- *
 * A binary space partition of walls in 2 dimensions. Queries find nearby walls, what a ray hits,
 * lines of sight and visibility polygons. Walls are the edges of polygons, which are closed loops
 * of vertices. Loops may touch and cross each other and themselves: every query treats edges one by
 * one.
 *
 * A polygon is solid on its inside, or on its outside (like the boundary of a level), or on neither
 * side (COPSE_SOLID_NOWHERE). Its solid side stays the same, even if its vertices move and its
 * winding flips (for an exception, see copse_obstacle_move).
 *
 * Every edge has a direction. (Left and right are as on a page where x goes right and y goes up.)
 * - If the polygon is COPSE_SOLID_NOWHERE, its edges are visible from both sides.
 * - Otherwise, the solid side is on the left of each edge, and the edge is visible from its right.
 *   A polygon of two vertices is a thin wall without a solid side: its two edges run in opposite
 *   directions, and from each side a different one is visible.
 *
 * For each vertex, there is an edge with the same id, between this vertex and the next one in the
 * loop. Its direction is from this vertex to the next one, unless that would put the solid side on
 * the right: then its direction is the reverse. If the polygon has no area at the moment, neither
 * side is solid, and the direction is from this vertex to the next one. A polygon's slot is the id
 * of its first vertex. New vertices get the lowest free ids, in ascending order. The ids are
 * consecutive if no vertex was removed before. An edge without length (from a repeated vertex)
 * stays in its loop, but is not in the tree.
 *
 * A cell of the tree is split along the line of an edge or, if no edge's line divides well, along a
 * line parallel to an axis. An edge that crosses this line is cut into pieces, one on each side.
 * Queries test whole edges and report each edge once, so they find exactly what a loop over all
 * edges finds. They compute in double, by these rules, and round squared distances and fractions to
 * float at the end:
 * - Let cross(u, v) = u.x * v.y - u.y * v.x. A point p is left of an edge a … b if
 *   cross(b - a, p - a) is positive, and right of the edge if it is negative.
 * - Let t = ((p - a) . (b - a)) / ((b - a) . (b - a)). The nearest point to p on an edge a … b is:
 *   the point a, if t <= 0; the point b, if t >= 1; otherwise a + (b - a) * t.
 * - Two segments intersect if they cross or touch (segments_meet in c/walls/obstacle.h has the
 *   exact rule). Before the test, the ends of a ray or line of sight are ordered (by x, then y), so
 *   that both directions give the same result.
 * Queries see the last build. Before the first build, they find nothing. */
typedef struct copse_obstacle_def {
  uint32_t capacity; /* maximum number of vertices: 1 … COPSE_MAX_CAPACITY. Default: 1,000 */
  uint32_t pieces; /* maximum number of pieces of edges: ≥ capacity. copse_obstacle_reserve scales
                    * this limit too. Default: 0, which means twice the capacity. If there is no
                    * room for more pieces, cells stay unsplit: slower, but still exact */
  uint32_t leafSize; /* maximum number of pieces in a leaf: ≥ 1. If it is at least the capacity, the
                      * tree is one list: brute force. Default: tuned for speed */
  copse_allocator allocator; /* Default: malloc */
} copse_obstacle_def;
typedef struct copse_obstacle copse_obstacle;
copse_obstacle_def copse_obstacle_default(void);
size_t copse_obstacle_bytes(const copse_obstacle_def *def);
copse_status copse_obstacle_create(const copse_obstacle_def *def, copse_obstacle **tree);
void copse_obstacle_destroy(copse_obstacle *tree);
copse_status copse_obstacle_reserve(copse_obstacle *tree, uint32_t capacity);
uint32_t copse_obstacle_capacity(const copse_obstacle *tree);
uint32_t copse_obstacle_count(const copse_obstacle *tree); /* the number of polygons */
uint32_t copse_obstacle_used(const copse_obstacle *tree);  /* the number of vertices in use */
uint32_t copse_obstacle_slots(const copse_obstacle *tree); /* every slot in use is less than this */

/* Returns the vertices (x, y each), for the caller to write. Changes take effect at the next
 * build. */
float *copse_obstacle_vertices(copse_obstacle *tree);
/* Returns an array by vertex: the vertex that comes next in the same polygon. */
const uint32_t *copse_obstacle_next(const copse_obstacle *tree);
/* Returns an array by vertex: the slot of the vertex's polygon. */
const uint32_t *copse_obstacle_polygons(const copse_obstacle *tree);
const uint32_t *copse_obstacle_generations(const copse_obstacle *tree);
/* True if the slot holds a polygon. */
bool copse_obstacle_has(const copse_obstacle *tree, uint32_t slot);
/* Returns the number of vertices of a polygon; 0 if the slot is not a polygon. */
uint32_t copse_obstacle_size(const copse_obstacle *tree, uint32_t slot);

/* The solid side of a polygon. */
typedef enum copse_solid {
  COPSE_SOLID_WINDING, /* solid inside if counter-clockwise, outside if clockwise */
  COPSE_SOLID_INSIDE,
  COPSE_SOLID_OUTSIDE,
  COPSE_SOLID_NOWHERE, /* no solid side: edges are visible from both sides */
} copse_solid;
/* Adds a polygon of `count` vertices (x, y each). Errors: COPSE_INVALID_ARGUMENT (fewer than 2
 * vertices; or a polygon without an area, if `solid` is COPSE_SOLID_INSIDE or COPSE_SOLID_OUTSIDE),
 * COPSE_NOT_FINITE, COPSE_FULL. */
copse_status copse_obstacle_add(copse_obstacle *tree, const float *points, uint32_t count,
                                copse_solid solid, uint32_t *slot);
/* Removes a polygon, in time proportional to its vertices. COPSE_STALE_SLOT: the slot is not a
 * polygon. */
copse_status copse_obstacle_remove(copse_obstacle *tree, uint32_t slot);
/* Moves all vertices of a polygon. Its solid side stays the same. Exception: if the polygon was
 * added without area and with COPSE_SOLID_WINDING, its solid side follows its current winding.
 * Errors: COPSE_STALE_SLOT (not a polygon), COPSE_NOT_FINITE, COPSE_INVALID_ARGUMENT (`count` is
 * not the polygon's size). */
copse_status copse_obstacle_move(copse_obstacle *tree, uint32_t slot, const float *points,
                                 uint32_t count);
void copse_obstacle_clear(copse_obstacle *tree);
/* Returns 1 if a polygon is solid inside, and -1 if it is solid outside. If it is solid on neither
 * side, returns the direction of its vertices: 1 if counter-clockwise, -1 if clockwise. Returns 0
 * if the polygon has no area now, or the slot is not a polygon. */
int copse_obstacle_winding(const copse_obstacle *tree, uint32_t slot);
/* True if polygons were added, removed or moved since the last build. */
bool copse_obstacle_changed(const copse_obstacle *tree);
/* Builds the tree from the current vertices, usually in O(N log N). On COPSE_NOT_FINITE, queries
 * still see the previous build. The candidates for a cell's splitting line are the lines of its
 * edges. If there are many edges, an evenly spread sample is used. The candidate that divides the
 * pieces most evenly, and cuts few of them, is chosen. If no candidate divides well, lines parallel
 * to an axis are candidates too. */
copse_status copse_obstacle_build(copse_obstacle *tree, uint32_t *firstBad);

typedef enum copse_side {
  COPSE_SIDE_BOTH,
  COPSE_SIDE_VISIBLE, /* edges that have the query's point on their right, and also all edges of
                       * polygons with COPSE_SOLID_NOWHERE */
} copse_side;
/* Finds all edges within a radius, nearest first, ties by lower id. results.distances2 must not be
 * NULL. */
copse_status copse_obstacle_within(const copse_obstacle *tree, const float *center, float radius,
                                   copse_side side, copse_results *results);

typedef struct copse_obstacle_point {
  uint32_t edge; /* COPSE_NONE if no edge is found; all other members are then 0 */
  float distance2;
  float point[2]; /* the edge's point that is nearest to the center */
} copse_obstacle_point;
/* Finds the nearest edge, ties by lower id, at most maxDistance away. */
copse_status copse_obstacle_nearest(const copse_obstacle *tree, const float *center,
                                    float maxDistance, copse_side side, copse_obstacle_point *wall,
                                    uint32_t *visits);
/* Sets *visible to true if the line of sight between the points `from` and `to` is clear: no edge
 * intersects it. With radius > 0, every edge must also be more than `radius` away from the line of
 * sight. Both directions give the same result. Nothing is visible from a point on a wall. */
copse_status copse_obstacle_visible(const copse_obstacle *tree, const float *from, const float *to,
                                    float radius, bool *visible, uint32_t *visits);
/* Filters agents by line of sight. Keeps the ids of agents whose centers are visible from a point.
 * Writes these ids to `kept`, in the given order, and returns their number. `kept` may be the same
 * array as `ids`. Positions that are not finite are not visible. */
uint32_t copse_obstacle_keep_visible(const copse_obstacle *tree, const float *from,
                                     const copse_const_positions *positions, const uint32_t *ids,
                                     uint32_t count, uint32_t *kept);

typedef struct copse_obstacle_hit {
  uint32_t edge;   /* COPSE_NONE if nothing is hit */
  float fraction;  /* where on the segment: 0 at its start, 1 at its end; 1 without a hit */
  float point[2];  /* the point that is hit; the end of the segment if nothing is hit */
  float normal[2]; /* unit normal of the edge, toward the side of the ray's start; 0 if
                    * nothing is hit */
} copse_obstacle_hit;
/* Finds the first edge that a segment intersects, ties by lower id. The code of fraction_to,
 * in c/walls/obstacle_query.c, is the exact rule for the fraction of a hit. */
copse_status copse_obstacle_raycast(const copse_obstacle *tree, const float *from, const float *to,
                                    copse_side side, copse_obstacle_hit *hit, uint32_t *visits);
/* Casts n segments (x0, y0, x1, y1 each) like copse_obstacle_raycast. Writes the edge and the
 * fraction of each first hit. */
copse_status copse_obstacle_raycast_many(const copse_obstacle *tree, const float *segments,
                                         uint32_t n, copse_side side, uint32_t *edges,
                                         float *fractions);
/* Sets *inside to true if a point is in a solid area or on its border. An area is solid if its
 * winding number is positive. To compute the winding number of an area:
 * - Let each loop run with its solid side on the left, whatever the order of its vertices.
 * - Add 1 for each counter-clockwise loop around the area, and subtract 1 for each clockwise one.
 * - If there are polygons that are solid outside, add 1 (in total, not for each).
 * Thin walls and polygons with COPSE_SOLID_NOWHERE do not count. */
copse_status copse_obstacle_contains(const copse_obstacle *tree, const float *point, bool *inside,
                                     uint32_t *visits);

typedef struct copse_corner { /* a corner of a visibility polygon */
  double x, y;
  uint32_t edge; /* the edge along which the polygon continues to the next corner. COPSE_NONE: it
                  * continues along a side of the query's box, or along a line of sight past a
                  * wall's end */
  uint32_t unused;
} copse_corner;
/* Writes the visibility polygon of a point: the area in sight inside the box lo … hi. The point
 * must be inside the box, not on its border. Corners are in counter-clockwise order; their
 * coordinates are rounded. *total is the number of corners; 0 if the point is on a wall.
 * COPSE_FULL: `capacity` is too small for the corners or for intermediate results. If walls do not
 * cross, 4 * edges + 20 corners are enough. O(V log V), where V counts the edges in sight and some
 * hidden ones. */
copse_status copse_obstacle_visibility(const copse_obstacle *tree, const float *from,
                                       const float *lo, const float *hi, copse_corner *corners,
                                       uint32_t capacity, uint32_t *total, uint32_t *visits);
/* Writes the bounds of all edges of the last build (lo x, y, hi x, y); zeros if there are none. */
void copse_obstacle_bounds(const copse_obstacle *tree, float *bounds);

/* Writes the leaves that hold pieces, for drawing, in preorder: 6 floats for each leaf. These are
 * the bounds of its pieces (lo x, y, hi x, y), its depth, and the number of its pieces. */
size_t copse_obstacle_cells(const copse_obstacle *tree, size_t skipped, float *out,
                            size_t capacity);
/* Writes the splitting lines, for drawing, in preorder: 5 floats for each line (x0, y0, x1, y1,
 * depth). Each line is clipped to the cell that it splits. */
size_t copse_obstacle_lines(const copse_obstacle *tree, size_t skipped, float *out,
                            size_t capacity);
typedef struct copse_obstacle_statistics {
  uint32_t edges;    /* edges in the tree */
  uint32_t dropped;  /* edges left out of the tree because they have no length */
  uint32_t pieces;   /* pieces of edges, in all leaves: at least as many as edges */
  uint32_t nodes;    /* inner nodes (lines) and leaves (cells) */
  uint32_t leaves;   /* leaves: cells that are not split */
  uint32_t unsplit;  /* leaves with more than leafSize pieces, because no line divides them well or
                      * there is no room for more pieces */
  uint32_t depth;    /* depth of the deepest node; the root has depth 0 */
  uint32_t polygons; /* polygons at the moment, not those of the last build */
  size_t bytes;      /* memory of the whole object */
} copse_obstacle_statistics;
copse_obstacle_statistics copse_obstacle_stats(const copse_obstacle *tree);
/* Checks that the vertices form closed loops, and that the tree holds every piece of every edge, in
 * the right leaves. O(N * depth). */
bool copse_obstacle_validate(const copse_obstacle *tree);

/* Saves polygons, their solid sides, slots and generations. The tree that you restore into needs
 * the same leafSize as the saved one. A restore also builds the tree. A save fails with
 * COPSE_NOT_FINITE if copse_obstacle_build would refuse one of the vertices. */
copse_status copse_obstacle_save(const copse_obstacle *tree, void *bytes, size_t capacity,
                                 size_t *total, uint32_t *firstBad);
copse_status copse_obstacle_restore(copse_obstacle *tree, const void *bytes, size_t size,
                                    uint32_t *needed);

/* ---- Crowd --------------------------------------------------------------------------------- *
 * Agents (discs in 2D, spheres in 3D) head for goals and avoid collisions. In each step, an agent
 * takes a velocity that causes no collision with neighbors or walls during its time horizon: of all
 * such velocities, the one nearest to its preferred velocity. Each agent relies on its neighbors to
 * do half of the avoidance. (Optimal reciprocal collision avoidance, ORCA: J. van den Berg, S. J.
 * Guy, M. Lin, D. Manocha, "Reciprocal n-body collision avoidance", 2011.)
 *
 * `add` takes the lowest free slot, `remove` frees a slot. Between calls the caller may read and
 * write all arrays of agents. In arrays with one number per agent, a step clamps values that are
 * out of range, and reads NaN as 0. For NaN in vectors, see `goal` and copse_crowd_step.
 *
 * Unless the crowd is `exact`, a step handles cases that the published algorithm leaves open. An
 * agent with a neighbor in its way turns a little to its right, so that agents that meet in perfect
 * symmetry pass each other; if that does not help, it turns to the side that is free sooner, then
 * to the other. It slows down for its goal. An agent that has arrived stands still, and makes way
 * for agents that have not, unless its priority is higher. So does an agent that is idle, without a
 * goal and with a preferred velocity of 0: it then goes back to where it became idle, or where the
 * caller last put it. If radii differ, neighbors are ranked by gap. An agent that overlaps a wall,
 * or is inside a solid area (checked every 32 steps), heads for the shortest way out. */
#define COPSE_CROWD_FIELDS        32 /* maximum number of flow fields that lead a crowd */
#define COPSE_CROWD_MAX_NEIGHBORS 64 /* the maximum number of neighbors that an agent avoids */

/* The maximum number of wall constraints per agent. A wall constraint rules out velocities that
 * lead into a wall. Edges near the agent add wall constraints, one each, nearest first. An edge
 * adds none if earlier constraints already keep the agent away from it. The first 16 constraints
 * are exact. Each further constraint treats its edge as endless: this often keeps the agent away
 * from many other edges too. So even a wall of very many short edges needs few constraints. If the
 * limit is still reached, some edges have no constraint. The agent then slows down, so that it
 * can't reach the nearest of those edges in one step. */
#define COPSE_CROWD_OBSTACLES 128
typedef struct copse_crowd_def {
  uint32_t dimensions;   /* 2 or 3. Default: 2 */
  uint32_t capacity;     /* maximum number of agents: 1 … COPSE_MAX_CAPACITY. Default: 1,000 */
  uint32_t maxNeighbors; /* the limit for every agent's maxNeighbors: 0 …
                          * COPSE_CROWD_MAX_NEIGHBORS. Default: 10 */
  bool exact;            /* true: agents follow the published algorithm (ORCA) only, without what
                          * copse adds, such as sidesteps. Default: false */
  copse_allocator allocator; /* Default: malloc */
  copse_tasks tasks;         /* Default: none, one thread */
} copse_crowd_def;

/* The attributes of a new agent. The crowd's arrays hold the same attributes by slot. In 2D the
 * third float of a vector is not used. */
typedef struct copse_crowd_agent {
  float position[3];          /* Default: 0 */
  float velocity[3];          /* Default: 0 */
  float preferredVelocity[3]; /* the velocity that the agent takes if nothing is in its way.
                               * Default: 0 */
  float goal[3]; /* the agent goes there at preferredSpeed, and stops. NaN (the default): no goal;
                  * the agent follows preferredVelocity */
  float preferredSpeed;   /* world units per second. Default: 1 */
  float arrivalRadius;    /* the agent has arrived, and stops, as soon as it is this near to its
                           * goal. Default: 0, at the goal */
  float radius;           /* Default: 0.5 */
  float maxSpeed;         /* world units per second. Default: 2 */
  float neighborDistance; /* the agent ignores neighbors whose centers are farther away than
                           * this plus the difference of the two radii. Default: 10 */
  uint32_t maxNeighbors;  /* the agent avoids at most this many neighbors: those with the smallest
                           * gaps, the distance of the centers less both radii; if the crowd is
                           * `exact`, those with the nearest centers. Default: 10 */
  float timeHorizon;      /* the agent avoids collisions with neighbors this many seconds ahead.
                           * Default: 2 */
  float obstacleTimeHorizon; /* like timeHorizon, but for walls. Horizons shorter than a time step
                              * count as one time step. Default: 2 */
  float maxAcceleration;     /* maximum change of velocity per second. If all time steps are
                              * equally long, the agent brakes early enough not to hit walls. If it
                              * needs more time to stop than obstacleTimeHorizon, it looks further
                              * ahead for walls, up to 100 s. Default: INFINITY */
  float priority;   /* the higher, the less the agent yields. With p as its own priority and q as
                     * its neighbor's, it does q / (p + q) of the avoidance; half if both are 0.
                     * Default: 0 */
  uint32_t groups;  /* 32 bits; 0: the agent avoids no agent, and no agent avoids it. Default: 1 */
  uint32_t mask;    /* groups that the agent avoids. If a neighbor's mask does not include the
                     * agent, the agent does all of the avoidance. Default: all */
  uint32_t enabled; /* if 0, the agent does not move, and no agent avoids it. Default: 1 */
  uint32_t locked;  /* if not 0, other agents avoid the agent, but only the caller moves it, by
                     * writing its position and velocity. Default: 0 */
} copse_crowd_agent;
typedef struct copse_crowd copse_crowd;
copse_crowd_def copse_crowd_default(void);
copse_crowd_agent copse_crowd_agent_default(void);
size_t copse_crowd_bytes(const copse_crowd_def *def);
copse_status copse_crowd_create(const copse_crowd_def *def, copse_crowd **crowd);
void copse_crowd_destroy(copse_crowd *crowd);
copse_status copse_crowd_reserve(copse_crowd *crowd, uint32_t capacity);
uint32_t copse_crowd_capacity(const copse_crowd *crowd);
uint32_t copse_crowd_dimensions(const copse_crowd *crowd);
uint32_t copse_crowd_count(const copse_crowd *crowd);
uint32_t copse_crowd_slots(const copse_crowd *crowd); /* every slot in use is less than this */

/* The crowd's own arrays, by slot, for the caller to read and write. A vector has `dimensions`
 * floats. */
typedef struct copse_crowd_arrays {
  float *positions, *velocities, *preferredVelocities, *goals;
  float *preferredSpeeds, *arrivalRadii, *radii, *maxSpeeds, *neighborDistances;
  uint32_t *maxNeighbors;
  float *timeHorizons, *obstacleTimeHorizons;
  float *maxAccelerations, *priorities;
  uint32_t *groups, *masks, *enabled, *locked;
  const uint32_t *generations;
  const uint32_t *arrived, *stuck; /* the slots that arrived or got stuck in the last step;
                                    * copse_crowd_arrived and copse_crowd_stuck return how many */
} copse_crowd_arrays;
copse_crowd_arrays copse_crowd_get(copse_crowd *crowd);
bool copse_crowd_has(const copse_crowd *crowd, uint32_t slot); /* true if the slot is in use */

/* Adds an agent. Errors: COPSE_NOT_FINITE (a position or velocity), COPSE_FULL. */
copse_status copse_crowd_add(copse_crowd *crowd, const copse_crowd_agent *agent, uint32_t *slot);
/* Teleports an agent, and restarts its progress toward the goal: it then counts as neither arrived
 * nor stuck. Errors: COPSE_STALE_SLOT (the slot is not in use), COPSE_NOT_FINITE. */
copse_status copse_crowd_move(copse_crowd *crowd, uint32_t slot, const float *position);
/* Removes an agent and clears its groups. COPSE_STALE_SLOT: the slot is not in use. */
copse_status copse_crowd_remove(copse_crowd *crowd, uint32_t slot);
void copse_crowd_clear(copse_crowd *crowd);

/* Advances all agents by a time step, in seconds: computes preferred velocities from goals, finds
 * neighbors, chooses new velocities, and moves the agents. `walls` may be NULL; changes to walls
 * since their last build have no effect. O(N log N + N * neighbors). COPSE_INVALID_ARGUMENT: the
 * time step is not positive and finite, or there are walls in 3D. COPSE_NOT_FINITE: a position,
 * velocity or preferred velocity of an enabled agent is not finite. */
copse_status copse_crowd_step(copse_crowd *crowd, const copse_obstacle *walls, float timeStep,
                              uint32_t *firstBad);
/* Returns the number of agents that arrived in the last step. An agent has arrived if it is at its
 * goal. If agents with the same goal are in the way, it is enough to be as near as possible. An
 * agent can arrive again only after it was pushed away, after it got another goal (one that differs
 * in any bit), or after room nearer to the goal became free. */
uint32_t copse_crowd_arrived(const copse_crowd *crowd);
/* Returns the number of agents that got stuck in the last step, because they made no progress
 * toward their goal for 2 seconds. An agent can get stuck again only after it has made progress. */
uint32_t copse_crowd_stuck(const copse_crowd *crowd);

/* The neighbors, walls and constraints that the next step would use for an agent. */
typedef struct copse_crowd_view {
  uint32_t neighborCount, obstacleCount, constraintCount, obstacleConstraintCount;
  uint32_t neighbors[COPSE_CROWD_MAX_NEIGHBORS]; /* ids of neighbors, nearest first */
  uint32_t obstacles[COPSE_CROWD_OBSTACLES];     /* ids of edges of walls, nearest first */
  /* Constraints on the agent's velocity, wall constraints first. 2D: half-planes, 4 floats each: a
   * point of the border, and the border's unit direction. Velocities on the left of the border are
   * permitted. 3D: half-spaces, 6 floats each: a point of the border, and its unit normal, which
   * points to permitted velocities. */
  float constraints[(COPSE_CROWD_MAX_NEIGHBORS + COPSE_CROWD_OBSTACLES) * 6];
} copse_crowd_view;
/* Writes the neighbors, walls and constraints of an agent to `view`. Takes time in proportion to
 * the number of agents. Errors: COPSE_STALE_SLOT; COPSE_INVALID_ARGUMENT as for
 * copse_crowd_step. */
copse_status copse_crowd_inspect(copse_crowd *crowd, const copse_obstacle *walls, float timeStep,
                                 uint32_t slot, copse_crowd_view *view);

typedef struct copse_crowd_statistics {
  uint32_t agents;
  uint32_t infeasible; /* agents for which no velocity was permitted in the last step */
  uint32_t overlaps;   /* agents that touched a neighbor at the start of the last step */
  double neighbors;    /* neighbors per agent in the last step, on average */
  double time;         /* the sum of all time steps, in seconds */
  uint64_t steps;
  size_t bytes; /* memory of the whole object */
} copse_crowd_statistics;
copse_crowd_statistics copse_crowd_stats(const copse_crowd *crowd);
/* Returns a hash of the complete simulation state, including the time, the number of steps, and the
 * options `dimensions`, `maxNeighbors` and `exact`. Equal states have equal hashes; -0 counts as 0.
 */
uint32_t copse_crowd_hash(const copse_crowd *crowd);
/* Saves the complete simulation state. The crowd that you restore into needs the same `dimensions`,
 * `maxNeighbors` and `exact` as the saved one. After a restore, it continues exactly like the saved
 * one, bit for bit. A save fails with COPSE_NOT_FINITE if the position, velocity or preferred
 * velocity of any agent, even a disabled one, is not finite. */
copse_status copse_crowd_save(const copse_crowd *crowd, void *bytes, size_t capacity, size_t *total,
                              uint32_t *firstBad);
copse_status copse_crowd_restore(copse_crowd *crowd, const void *bytes, size_t size,
                                 uint32_t *needed);

/* ---- Flow field ------------------------------------------------------------------------------ *
 * Paths around walls in 2 dimensions, for many agents that head for the same goals. From any point,
 * the path leads to the nearest goal, measured along the path. A build is costly; each agent's
 * direction is then cheap. For a single agent, a search for one path is cheaper.
 *
 * The field divides its bounds into square cells. Walls come from an obstacle tree. Paths keep a
 * minimum distance from walls: the field's *radius*. If the walls have not changed since the
 * build:
 * - The distance from a path to any wall is greater than the radius, unless the path starts closer
 *   to a wall.
 * - If there is a wide path, the field is certain to find a path. (A path is wide if it passes only
 *   through gaps that are at least as wide as one cell plus twice the radius.) If there are only
 *   narrower paths, it may find one or none.
 * - Paths are nearly the shortest: on average less than 0.2% longer, where gaps are at least three
 *   cells wide.
 *
 * The result of a build depends only on the walls, the cells that the game closed (see
 * copse_flowfield_closed), the goals, the radius and the definition. A build in several updates
 * gives the same bits as a build in one call.
 *
 * A path leads from *anchor* to anchor. Most anchors are goals, or turning points just off the
 * corners of walls and of closed cells. In some narrow passages, the center of a cell is an anchor
 * too. A corner of a wall has 1 turning point if the wall turns there by up to 45 degrees, 2 if it
 * turns by up to 90 degrees, else 4. A corner of closed cells has 1 turning point. Turning points
 * that are blocked or outside of the bounds are left out.
 *
 * Due to rounding, the field may miss extremely long walls: a million times as long as its bounds.
 *
 * The obstacle tree must exist during every build and every query, because both builds and queries
 * check lines of sight in it. If the tree is newer than the field, a query tests every line of
 * sight from its point against the new tree. So an agent is never sent through a wall that moved,
 * but it may find no path until the field is built again. */
#define COPSE_FLOWFIELD_MAX_CAPACITY 65534 /* the maximum number of anchors */
#define COPSE_FLOWFIELD_MAX_SIDE     16384 /* the maximum number of cells along each axis */
typedef struct copse_flowfield_def {
  float bounds[4]; /* lo x, y, hi x, y, with lo < hi. Default: 0, 0, 100, 100 */
  float cell; /* the side of a cell, in world units: at least 1/65,536 of the largest coordinate of
               * the bounds. The last column and row may reach beyond the bounds. Default: 1 */
  float radius;      /* clearance of paths, see copse_flowfield_set_radius. Default: 0.5 */
  uint32_t capacity; /* maximum number of anchors: 1 … COPSE_FLOWFIELD_MAX_CAPACITY. Default: 4,096
                      */
  uint32_t goals;    /* maximum number of goals: 1 … COPSE_FLOWFIELD_MAX_CAPACITY. Default: 64 */
  copse_allocator allocator; /* Default: malloc */
} copse_flowfield_def;
typedef struct copse_flowfield copse_flowfield;
copse_flowfield_def copse_flowfield_default(void);
/* Returns how many bytes a field takes: about 21 per cell plus 42 per anchor. A field has two maps,
 * so that queries can read one while the other is built. (A `FlowField` in JavaScript takes 50
 * bytes per anchor: 8 more, for the corners that `path` returns.) */
size_t copse_flowfield_bytes(const copse_flowfield_def *def);
copse_status copse_flowfield_create(const copse_flowfield_def *def, copse_flowfield **field);
void copse_flowfield_destroy(copse_flowfield *field);
/* Grows the field to at least the given numbers of anchors and goals. Keeps the last complete
 * build, and a build that copse_flowfield_build_part has begun. But if the unfinished build has
 * already run out of room for anchors, the next call of that function starts over. */
copse_status copse_flowfield_reserve(copse_flowfield *field, uint32_t capacity, uint32_t goals);
uint32_t copse_flowfield_capacity(const copse_flowfield *field);
uint32_t copse_flowfield_goal_capacity(const copse_flowfield *field);
uint32_t copse_flowfield_columns(const copse_flowfield *field);
uint32_t copse_flowfield_rows(const copse_flowfield *field);

/* ---- Settings: they take effect with the next build that begins ---- */
/* Sets the walls; NULL: none. The tree is not copied: it must exist while the field uses it. */
void copse_flowfield_set_obstacles(copse_flowfield *field, const copse_obstacle *walls);
/* Sets the minimum distance between paths and walls, in world units. Choose slightly more than the
 * radius of the largest agent, such as 1.02 times that radius: agents then have room to turn.
 * COPSE_INVALID_ARGUMENT: less than half a cell, or more than COPSE_MAX_COORDINATE. */
copse_status copse_flowfield_set_radius(copse_flowfield *field, float radius);
float copse_flowfield_radius(const copse_flowfield *field); /* the radius for the next build */
/* Returns a byte per cell, row by row from low y, for the caller to write. Paths don't enter cells
 * whose byte is not 0. Only an agent's center counts: to keep its whole body out of an area, close
 * the cells around the area too. An agent in a closed cell may leave the cell. */
uint8_t *copse_flowfield_closed(copse_flowfield *field);

/* A goal: a point (lo equals hi) or an area, the box lo … hi with its border. An agent anywhere in
 * an area is at the goal. An area has anchors along its border, at most a cell apart. A path to the
 * area ends at one of them.
 *
 * A place is free if it is inside the bounds, not too near to a wall, in no solid area and in no
 * closed cell. If a goal's point is not free, the goal moves to the nearest free cell center, ties
 * by lower index. If no anchor of an area is free, the goal becomes a point: the free cell center
 * nearest to the middle of the area. If no center is free, the goal is ignored. */
typedef struct copse_flowfield_goal {
  float lo[2], hi[2];
  float cost; /* added to the length of paths to this goal: 0 … COPSE_MAX_COORDINATE */
} copse_flowfield_goal;
/* Sets all goals; the array is copied. Errors: COPSE_FULL (more than
 * copse_flowfield_goal_capacity), COPSE_INVALID_ARGUMENT (a coordinate is not finite, lo > hi, or a
 * cost is out of range). */
copse_status copse_flowfield_set_goals(copse_flowfield *field, const copse_flowfield_goal *goals,
                                       uint32_t count);
/* Returns the number of goals that were passed to the last call of copse_flowfield_set_goals. */
uint32_t copse_flowfield_goal_count(const copse_flowfield *field);

/* ---- Builds ---- */
/* Builds the field from the goals, the closed cells, and the walls of the tree's last build. Drops
 * an unfinished build that copse_flowfield_build_part began. Usually O(cells + walls * c), where c
 * is the number of cells in sight of a corner. *needed is the number of anchors; `needed` may be
 * NULL. COPSE_FULL: the capacity is too small. Queries then still see the previous build. *needed
 * is then only a lower bound: a capacity of *needed may still be too small. */
copse_status copse_flowfield_build(copse_flowfield *field, uint32_t *needed);
/* Builds the field a part at a time. Each call goes on with the build under way or, if there is
 * none, begins one. Returns after visiting about `work` cells. A call may visit more, because it
 * never stops in the middle of a search. One kind of search finds the free cell nearest to a goal,
 * another finds what is in sight of an anchor. copse_flowfield_stats returns how much work the last
 * build was.
 *
 * While a build is under way, queries see the previous build. *done becomes true when the build is
 * complete. From then on, queries see the new build, and you need not call this again until
 * something changes.
 *
 * A build reads the goals, the radius and the closed cells when it begins. If the walls have been
 * rebuilt since the build began, the next call starts over. So if the walls are rebuilt in every
 * frame, no build is ever complete: call copse_flowfield_build instead. Errors are those of
 * copse_flowfield_build; after an error, the build under way is dropped. */
copse_status copse_flowfield_build_part(copse_flowfield *field, uint32_t work, bool *done,
                                        uint32_t *needed);
bool copse_flowfield_is_built(const copse_flowfield *field); /* true after the first build */
/* True if the field is built, and its walls are still those of the build. */
bool copse_flowfield_is_current(const copse_flowfield *field);

/* ---- Queries: they see the last build ---- *
 * A path first leads to the best anchor in sight. An anchor is in sight if the straight line from
 * the point to the anchor stays at least the radius away from walls. If the point itself is already
 * closer to a wall, the line must not lead even closer to that wall, apart from rounding.
 *
 * A build stores the best anchor of each cell. A query tries the best anchors of the 4 cells whose
 * centers are around its point. If all 4 share one anchor and no wall is near, as is usual in the
 * open, that anchor is certain to be in sight, and is not tested. If none of the anchors is in
 * sight, as may happen near walls, the query tries the anchors of 12 more cells. If none of these
 * is in sight either, the path first leads to the center of a cell that is in sight. To find this
 * cell, the query tries the 36 cells nearest to the point. After these, it tries other cells within
 * 1.5 times the field's radius, but no more than 16 cells away. From outside of the bounds, paths
 * lead to cells in sight at the border. Queries fail with COPSE_NOT_BUILT before the first build,
 * and with COPSE_INVALID_ARGUMENT for coordinates that are not finite. */
/* Writes the length of the path from a point to the nearest goal, plus the goal's cost. INFINITY:
 * there is no path. In a goal's area, the length of the path to this goal is 0. */
copse_status copse_flowfield_distance(const copse_flowfield *field, const float *point,
                                      float *distance);
/* Writes the direction of the path from a point: a unit vector (x, y); 0, 0 at the goal or if there
 * is no path. Writes *distance as copse_flowfield_distance does; `distance` may be NULL. */
copse_status copse_flowfield_direction(const copse_flowfield *field, const float *point,
                                       float *direction, float *distance);
/* Writes the directions of n points (x, y each). If `distances` is not NULL, also writes the
 * distances. If a point is not finite, writes nothing. */
copse_status copse_flowfield_direction_many(const copse_flowfield *field, const float *points,
                                            uint32_t n, float *directions, float *distances);
typedef struct copse_path {
  float *corners;    /* set by the caller: an array with room for `capacity` corners, x, y each */
  uint32_t capacity; /* set by the caller: the size of the array */
  uint32_t total;    /* set by the query: the number of corners. If it exceeds `capacity`, the array
                      * holds the first `capacity` corners */
  float length;      /* set by the query: the length of the path; INFINITY: there is no path */
  bool reached;      /* set by the query: true if the path ends at a goal */
} copse_path;
/* Finds the path from a point. The last corner is the goal. The point itself is not a corner,
 * unless it is in a goal's area: it is then the only corner. If there is no path, there are no
 * corners. If the walls are newer than the field, only the path's first stretch, from the point to
 * the first corner, is checked against the new walls. */
copse_status copse_flowfield_path(const copse_flowfield *field, const float *point,
                                  copse_path *path);
/* What an agent heads for. copse_flowfield_lead reads the `anchor` that the previous call wrote,
 * and writes all members. */
typedef struct copse_flowfield_aim {
  uint32_t anchor; /* the anchor that the agent heads for; COPSE_NONE if it heads for none. Set it
                    * to COPSE_NONE before the first call */
  float point[2];  /* the next corner of the path; the agent's own position if it is at the goal or
                    * if there is no path. An agent that overshoots this corner may come too near
                    * to a wall */
  float direction[2]; /* the unit vector from the agent toward `point`; 0, 0 if the agent is at
                       * `point` */
  float distance;     /* the length of the path, plus the goal's cost; INFINITY: there is no path */
} copse_flowfield_aim;
/* Writes what a moving agent of a given radius heads for in this step. Keep `aim` for the next
 * step.
 * - The agent keeps heading for its anchor as long as the anchor is in sight and no path via
 *   another anchor is shorter. So agents don't swing to and fro between paths of equal length.
 * - Within 1.5 cells of its anchor, the agent turns to the next anchor as soon as the next one is
 *   in sight. An agent whose radius is less than the field's may turn even before the next anchor
 *   is in sight, if it is certain not to touch a wall.
 * - Anchors keep their numbers from build to build while walls, closed cells and radius are the
 *   same. If aim->anchor is not the number of an anchor, it counts as COPSE_NONE.
 * - For an agent whose radius is greater than the field's, there is no path.
 * - COPSE_INVALID_ARGUMENT: the point is not finite, or the radius is NaN or negative. After any
 *   error, *aim says that there is no path. */
copse_status copse_flowfield_lead(const copse_flowfield *field, const float *point, float radius,
                                  copse_flowfield_aim *aim);

/* Makes a field lead the agents of a crowd whose groups share a bit with `mask`. In each step,
 * these agents prefer the field's direction at their preferredSpeed, until they are at the goal.
 * They count as arrived or stuck by the same rules as agents that have their own goals. The step
 * also overwrites the `goals` of the agents that the field leads. The new value is the center of
 * the goal where the agent's path ends, or NaN if it has no path. If an agent has no path, or its
 * radius is greater than the field's, it stands still, and is then reported as stuck. An agent
 * stops where it enters a goal's area.
 *
 * Several fields can lead a crowd. They are tried in the order in which they were added: an agent
 * follows the first one whose mask shares a bit with the agent's groups. If `field` leads the crowd
 * already, the call replaces its mask. With a mask of 0, `field` leads no agent. Before you destroy
 * the field, set its mask to 0, or destroy the crowd. Snapshots of a crowd hold what each agent
 * heads for, but not which fields lead the agents.
 *
 * O(1). In a step, each agent that is led costs a few tenths of a microsecond.
 * COPSE_INVALID_ARGUMENT: the crowd is 3D. COPSE_FULL: the crowd already has the maximum number of
 * fields, COPSE_CROWD_FIELDS. */
copse_status copse_crowd_follow(copse_crowd *crowd, const copse_flowfield *field, uint32_t mask);

/* Returns an array with an entry for each cell: the length of the path from the cell's center to
 * the nearest goal, or INFINITY if there is none. The array is valid until the next build, update,
 * restore, reserve or destroy, and meaningless before the first build. */
const float *copse_flowfield_distances(const copse_flowfield *field);
/* Writes cells to draw, row by row, 7 floats each: lo x, y, hi x, y; the length of the path from
 * the center (INFINITY: none); the anchor (-1: none); 1 if the cell is blocked, else 0. */
size_t copse_flowfield_cells(const copse_flowfield *field, size_t skipped, float *out,
                             size_t capacity);
/* Writes lines to draw, 5 floats each: x0, y0, x1, y1, length of the path. Each anchor that has a
 * path has a line, which leads to the next anchor on the path. A goal has no next anchor, so its
 * line starts and ends at the goal. */
size_t copse_flowfield_lines(const copse_flowfield *field, size_t skipped, float *out,
                             size_t capacity);
typedef struct copse_flowfield_statistics { /* of the last build, unless a member says otherwise */
  uint32_t cells;                           /* columns * rows */
  uint32_t blocked;  /* cells whose center is too near to a wall, in a solid area, or closed */
  uint32_t reached;  /* cells from whose center there is a path to a goal */
  uint32_t anchors;  /* turning points, goals, and centers of cells at narrow passages */
  uint32_t moved;    /* goals that are not at a free place. Each is replaced by a free cell nearby
                      * or, if no cell is free, ignored */
  uint32_t floods;   /* searches for cells in sight, each from one anchor */
  uint64_t visits;   /* cells visited */
  uint64_t sights;   /* lines of sight tested */
  uint64_t work;     /* the work of the build, in the unit of copse_flowfield_build_part */
  uint32_t restarts; /* since creation: updates that started over because walls were rebuilt */
  bool isUnderWay;   /* true if a build is under way */
  size_t bytes;      /* memory of the whole object */
} copse_flowfield_statistics;
copse_flowfield_statistics copse_flowfield_stats(const copse_flowfield *field);
/* Checks anchors and cells and, if the walls are those of the build, tests every line of sight. */
bool copse_flowfield_validate(const copse_flowfield *field);

/* Saves the last build, the build under way, and the settings except the obstacle tree. The field
 * that you restore into needs the same `bounds` and `cell` as the saved one. If it has too little
 * room for anchors or goals, the restore fails with COPSE_FULL, and *needed has the capacity and
 * the number of goals that it needs. After a restore, the field goes on exactly like the saved one,
 * if its obstacle tree holds the same walls. If not, the walls count as changed since the build. */
copse_status copse_flowfield_save(const copse_flowfield *field, void *bytes, size_t capacity,
                                  size_t *total);
copse_status copse_flowfield_restore(copse_flowfield *field, const void *bytes, size_t size,
                                     copse_flowfield_def *needed);

#ifdef __cplusplus
}
#endif
#endif

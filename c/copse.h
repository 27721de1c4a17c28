/* copse: spatial trees for many moving agents. The only public header; it reads as the manual.
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
 * - Everything is plain C11 and single precision. Nothing here prints, aborts or touches errno.
 * - Words. An *agent* is a point with an id. Its id, in every result, is its *slot*, the index of
 *   its position and `groups`. *Groups* are 32 bits per agent; a query's *mask* keeps the agents
 *   that share a bit with it. An agent without a group is absent from every result. A slot's
 *   *generation* is odd while it is in use, and goes up by one whenever it is taken or freed: a
 *   holder notices reuse. Names that end in 2 are squared. Borders are inclusive.
 * - Distances. The squared distance is computed in float, each step rounded, as (dx*dx + dy*dy) +
 *   dz*dz with dx = x - centerX, and compared by `<=` with radius*radius, also rounded to float.
 *   Every query gives exactly what a loop over all agents gives: pruning drops no match.
 * - Determinism. The same calls give the same bits. Tested: gcc and clang, -O0 to -O3, on x86-64;
 *   gcc on aarch64 and riscv64; WebAssembly with and without SIMD. It needs IEEE 754 floats and
 *   -ffp-contract=off. mingw compiles the library too. Results do not depend on history.
 * - Threads. Queries take a const object and keep all scratch on the caller's stack: any number of
 *   threads may query one object at once. Every other call, also `_validate`, needs it to itself.
 * - Memory. Only `_create` and `_reserve` take memory; `_destroy` frees it, and NULL is harmless.
 *   `_create` makes an empty object. `_reserve` grows it to at least the capacity, at most
 *   COPSE_MAX_CAPACITY, and keeps everything; pointers taken before are void. Errors:
 *   COPSE_INVALID_ARGUMENT, COPSE_OUT_OF_MEMORY; a failed `_create` writes NULL. `_bytes` and
 *   `_reserve_bytes` return its bytes after that: 0 for a refused argument, SIZE_MAX if no memory
 *   can hold it. Returned arrays are the object's, valid until `_reserve` or `_destroy`.
 * - Errors. A call that fails leaves its object as it was. On an error *slot is COPSE_NONE; on
 *   COPSE_NOT_FINITE *firstBad is the first bad slot. firstBad, visits and distance2 may be NULL.
 *   Points are 2 or 3 floats. Queries fail with COPSE_INVALID_ARGUMENT if a coordinate is not
 *   finite or too large, or a radius NaN or negative.
 * - Snapshots. `_save` writes one, little-endian, if all of it fits, else returns COPSE_FULL;
 *   *total is the bytes needed. A failed `_save` may have written its first bytes. `_restore` takes
 *   the state from bytes aligned to 4 (else COPSE_INVALID_ARGUMENT). They may be untrusted:
 *   COPSE_BAD_SNAPSHOT, COPSE_FULL. `_restorable` returns what `_restore` would, by the size and
 * the first bytes alone (all there are, up to COPSE_SNAPSHOT_HEAD): a reader takes memory only for
 * a snapshot that will do.
 * - Insight. `_cells` and `_lines` write shapes to draw. They skip the first `skipped` floats
 *   (whole shapes), write whole shapes while they fit into `capacity` floats, and return the floats
 *   of all shapes. `_validate`, for tests, is true if everything inside is as it must be. */
#ifndef COPSE_H
#define COPSE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define COPSE_VERSION        "0.1.0"
#define COPSE_NONE           UINT32_MAX /* no id, no slot */
#define COPSE_ALL_GROUPS     UINT32_MAX /* the mask that filters nothing */
#define COPSE_MAX_CAPACITY   (1u << 28) /* the maximum capacity of any object */
#define COPSE_MAX_COORDINATE 1e18f      /* the maximum magnitude: no squared distance overflows */
#define COPSE_SNAPSHOT_HEAD  128        /* the number of first bytes that identify a snapshot */
#define COPSE_MAX_DEPTH      96         /* the maximum depth of any tree */

/* ---- Status ------------------------------------------------------------------------------ */
typedef enum copse_status {
  COPSE_OK = 0,
  COPSE_INVALID_ARGUMENT, /* an argument is outside its documented range */
  COPSE_FULL,             /* more items than the capacity */
  COPSE_OUT_OF_MEMORY,    /* the allocator gave no memory */
  COPSE_NOT_FINITE,       /* a coordinate is NaN, infinite or beyond COPSE_MAX_COORDINATE */
  COPSE_NOT_BUILT,        /* a query of points before their first build */
  COPSE_STALE_SLOT,       /* a slot or handle that is free, or was reused */
  COPSE_BAD_SNAPSHOT,     /* bytes that are no snapshot of such an object */
} copse_status;
const char *copse_status_text(copse_status status); /* a short English text; never NULL */

/* ---- Memory ------------------------------------------------------------------------------ */
typedef struct copse_allocator { /* allocate == NULL (the default): malloc and free */
  void *(*allocate)(size_t bytes, void *context);             /* aligned as by malloc, or NULL */
  void (*release)(void *memory, size_t bytes, void *context); /* bytes: as allocated */
  void *context;
} copse_allocator;

/* Coordinate `axis` of agent i: axes[axis][i * stride]. Interleaved: axes {p, p + 1}, stride 2. */
typedef struct copse_positions {
  float *axes[3];  /* x, y and, in 3D, z */
  uint32_t stride; /* in floats; 1 for separate arrays */
} copse_positions;
typedef struct copse_const_positions { /* the same, read-only */
  const float *axes[3];
  uint32_t stride;
} copse_const_positions;

typedef enum copse_layout {
  COPSE_LAYOUT_INTERLEAVED, /* x0, y0, x1, y1, … */
  COPSE_LAYOUT_SEPARATE,    /* x0, x1, …, then y0, y1, … in arrays of their own */
} copse_layout;

/* ---- Queries ----------------------------------------------------------------------------- */
typedef enum copse_sort {
  COPSE_SORT_NONE,     /* tree order: a function of the last build alone */
  COPSE_SORT_ID,       /* ascending ids */
  COPSE_SORT_DISTANCE, /* nearest first, ties by lower id; needs results.distances2 */
} copse_sort;

/* What a query leaves out, and how it orders. A NULL pointer to a query means the defaults. */
typedef struct copse_query {
  uint32_t mask;     /* keep agents whose groups share a bit with it. Default: COPSE_ALL_GROUPS */
  uint32_t exclude;  /* leave out this slot (the one that asks). Default: COPSE_NONE */
  float maxDistance; /* nearest, neighbors: ignore what is farther. Inclusive. Default: INFINITY */
  copse_sort sort;   /* within, range and cone. Default: COPSE_SORT_NONE */
} copse_query;
copse_query copse_query_default(void);

/* Where a query writes. The caller owns the arrays. A query never writes past `capacity`: if
 * `total` is larger, the results are the first `capacity` matches in tree order, then sorted. */
typedef struct copse_results {
  uint32_t *ids;     /* in: room for `capacity` ids */
  float *distances2; /* in: room for `capacity` squared distances, or NULL */
  uint32_t capacity; /* in */
  uint32_t total;    /* out: the number of matches */
  uint32_t visits;   /* out: the number of nodes visited */
} copse_results;

typedef struct copse_hit { /* what a ray hits first */
  uint32_t id;             /* COPSE_NONE: nothing */
  float fraction;          /* of the way: 0 at its begin, 1 at its end or if nothing is hit */
} copse_hit;

/* ---- Points: one handle, three structures ------------------------------------------------- *
 * An index of points holds agents in slots. Add, move and remove them one by one, or make slots
 * 0 … n - 1 agents at once and write their positions and groups. Then build, and query: queries
 * answer for the last build, and fail with COPSE_NOT_BUILT before the first.
 * copse_agenttree_create, copse_grid_create and copse_kdtree_create make an index. From then on all
 * three are used alike, and find the same. A new index has no agents. */
typedef struct copse_points copse_points;
typedef enum copse_on_non_finite {
  COPSE_NON_FINITE_ERROR, /* build fails with COPSE_NOT_FINITE and keeps the last one */
  COPSE_NON_FINITE_SKIP,  /* such agents are absent from every result, and counted */
} copse_on_non_finite;

/* ---- The agent tree: for agents that all move ---- *
 * If in doubt, use this one. A bucketed k-d tree for hundreds to millions of agents, rebuilt every
 * frame. A build is O(N log N) and starts from the order of the last one. A query visits
 * O(log N + results) nodes on all but contrived sets. */
typedef enum copse_axis {
  COPSE_AXIS_LONGEST, /* split the longer side of the bounds */
  COPSE_AXIS_CYCLE, /* x, y, (z,) x, y, … by depth: the textbook form; unbalanced with midpoint */
} copse_axis;
typedef enum copse_split {
  COPSE_SPLIT_MIDPOINT, /* at the middle of the bounds: the fastest to build */
  COPSE_SPLIT_MEDIAN,   /* at the median agent: exact balance */
} copse_split;
typedef struct copse_agenttree_def {
  uint32_t dimensions; /* 2 or 3. Default: 2 */
  uint32_t capacity;   /* maximum number of agents: 1 … COPSE_MAX_CAPACITY. Default: 1,000 */
  uint32_t leafSize;   /* maximum in a leaf, unless agents coincide: ≥ 1. Default: measured */
  copse_axis axis;     /* Default: longest */
  copse_split split;   /* Default: midpoint */
  copse_layout layout; /* Default: interleaved */
  copse_on_non_finite onNonFinite; /* Default: error */
  copse_allocator allocator;       /* Default: malloc */
} copse_agenttree_def;
copse_agenttree_def copse_agenttree_default(void);
size_t copse_agenttree_bytes(const copse_agenttree_def *def);
copse_status copse_agenttree_create(const copse_agenttree_def *def, copse_points **points);

/* ---- The grid: for one radius and agents that are spread evenly ---- *
 * Each build sorts the agents by counting into square (in 3D cubic) cells. Nothing is faster for
 * one radius over evenly spread agents, with cells of that width. The agent tree is faster where
 * agents crowd together (a query reads whole cells), for radii far from the cell size, and for the
 * nearest agent many cells away. The capacity bounds the memory in any world: if there are more
 * cells than table entries, distant cells share entries. Results stay exact.
 * A build is O(N). A query takes about as long as reading the agents of all cells that it meets;
 * `visits` counts runs of cells. A ray is cast in pieces of two cells, until a piece ends behind
 * the hit; a ray of very many pieces tests all agents instead. */
typedef struct copse_grid_def {
  uint32_t dimensions; /* 2 or 3. Default: 2 */
  uint32_t capacity;   /* maximum number of agents: 1 … COPSE_MAX_CAPACITY. Default: 1,000 */
  float cellSize;      /* > 0, finite; best as wide as the usual radius. Default: 1 */
  copse_layout layout; /* Default: interleaved */
  copse_on_non_finite onNonFinite; /* Default: error */
  copse_allocator allocator;       /* Default: malloc */
} copse_grid_def;
copse_grid_def copse_grid_default(void);
size_t copse_grid_bytes(const copse_grid_def *def);
copse_status copse_grid_create(const copse_grid_def *def, copse_points **points);

/* ---- The k-d tree: for points that seldom move ---- *
 * For spawn points, resources, way points. A balanced tree without links: every point is a node,
 * the median of the points below it along the axis of its level (x, y, (z,) x, …). It takes the
 * least memory of all and is at most log2 N deep. A build is always O(N log N), takes several times
 * as long as the agent tree's, and pays off with many queries per build, above all for the nearest.
 * A row of nearest_many takes about half a query's time. All builders give the same tree. */
typedef enum copse_builder {
  COPSE_BUILDER_QUICKSELECT,       /* medians by sampling: the fastest */
  COPSE_BUILDER_MEDIAN_OF_MEDIANS, /* medians in linear time, whatever the points are */
  COPSE_BUILDER_PRESORT,           /* sorts once per axis, in more memory: R. A. Brown, "Building a
                                    * balanced k-d tree in O(kn log n) time" (JCGT 4(1), 2015) */
} copse_builder;
typedef struct copse_kdtree_def {
  uint32_t dimensions;   /* 2 or 3. Default: 2 */
  uint32_t capacity;     /* maximum number of points: 1 … COPSE_MAX_CAPACITY. Default: 1,000 */
  copse_builder builder; /* Default: quickselect */
  copse_layout layout;   /* Default: interleaved */
  copse_on_non_finite onNonFinite; /* Default: error */
  copse_allocator allocator;       /* Default: malloc */
} copse_kdtree_def;
copse_kdtree_def copse_kdtree_default(void);
size_t copse_kdtree_bytes(const copse_kdtree_def *def);
copse_status copse_kdtree_create(const copse_kdtree_def *def, copse_points **points);

/* ---- Life and buffers ---- */
void copse_points_destroy(copse_points *points);
copse_status copse_points_reserve(copse_points *points, uint32_t capacity);
size_t copse_points_reserve_bytes(const copse_points *points, uint32_t capacity);
uint32_t copse_points_capacity(const copse_points *points);
uint32_t copse_points_dimensions(const copse_points *points);
uint32_t copse_points_count(const copse_points *points); /* the number of agents */
/* Returns the bound of a loop over the arrays: agents have slots below it. */
uint32_t copse_points_slots(const copse_points *points);
/* Makes slots 0 … slots - 1 agents, and frees all others. New agents have group 1, wherever they
 * are; agents stay as they are. COPSE_FULL: more than the capacity. */
copse_status copse_points_set_slots(copse_points *points, uint32_t slots);
const uint32_t *copse_points_generations(const copse_points *points); /* by slot */
bool copse_points_has(const copse_points *points, uint32_t slot);     /* true if it is an agent */
/* Adds an agent, of group 1, in the lowest free slot. Errors: COPSE_NOT_FINITE, COPSE_FULL. */
copse_status copse_points_add(copse_points *points, const float *position, uint32_t *slot);
/* Writes an agent's position. Errors: COPSE_STALE_SLOT (no agent), COPSE_NOT_FINITE. */
copse_status copse_points_move(copse_points *points, uint32_t slot, const float *position);
/* Frees a slot, which then has no group. COPSE_STALE_SLOT: it is not an agent. */
copse_status copse_points_remove(copse_points *points, uint32_t slot);
bool copse_points_is_built(const copse_points *points); /* true after the first build */
/* Returns the number of slots in the last build; 0 before the first. Arrays by slot that queries
 * read (masks, radii) need that many entries, also after the slots were changed or restored. */
uint32_t copse_points_built(const copse_points *points);
/* The index's own buffers, for the caller to write. Queries see changes from the next build on. */
copse_positions copse_points_positions(copse_points *points);
uint32_t *copse_points_groups(copse_points *points);

/* Builds from the buffers, without allocation. Agents without a group are not looked at. On
 * COPSE_NOT_FINITE the last build stays. */
copse_status copse_points_build(copse_points *points, uint32_t *firstBad);
/* Builds as above, but from the caller's arrays, which are not kept; groups may be NULL (all 1).
 * Then does set_slots(count). COPSE_FULL above the capacity, COPSE_INVALID_ARGUMENT for a missing
 * axis. */
copse_status copse_points_build_from(copse_points *points, const copse_const_positions *positions,
                                     const uint32_t *groups, uint32_t count, uint32_t *firstBad);

/* ---- Queries: of the last build ---- *
 * Unsorted results come in the order of the structure. Agent tree: leaves from left to right. Grid:
 * columns, row by row. K-d tree: left subtree, node, right subtree. */
/* Finds all agents within a radius of a center. Radius 0: agents exactly there; INFINITY: all. */
copse_status copse_points_within(const copse_points *points, const float *center, float radius,
                                 const copse_query *query, copse_results *results);
/* Finds all agents in the closed box lo … hi, which may be infinite. Writes no distances.
 * COPSE_INVALID_ARGUMENT: NaN, lo > hi, sort by distance. */
copse_status copse_points_range(const copse_points *points, const float *lo, const float *hi,
                                const copse_query *query, copse_results *results);
/* Finds the nearest agent, ties by lower id; COPSE_NONE if there is none. */
copse_status copse_points_nearest(const copse_points *points, const float *center,
                                  const copse_query *query, uint32_t *id, float *distance2,
                                  uint32_t *visits);
/* Finds the k nearest agents, nearest first, ties by lower id; total = min(k, matches).
 * COPSE_INVALID_ARGUMENT without room for min(k, count) ids and distances2. */
copse_status copse_points_neighbors(const copse_points *points, const float *center, uint32_t k,
                                    const copse_query *query, copse_results *results);
/* Counts the agents within a radius. Nodes wholly inside are counted untested. */
copse_status copse_points_count_within(const copse_points *points, const float *center,
                                       float radius, const copse_query *query, uint32_t *total,
                                       uint32_t *visits);
/* Counts the agents in a box, as copse_points_range takes it. */
copse_status copse_points_count_range(const copse_points *points, const float *lo, const float *hi,
                                      const copse_query *query, uint32_t *total, uint32_t *visits);
/* Sets *any if an agent is within a radius. Stops at the first. */
copse_status copse_points_any_within(const copse_points *points, const float *center, float radius,
                                     const copse_query *query, bool *any, uint32_t *visits);
/* Finds all agents in a field of view: within the radius, and at most halfAngle (radians, 0 … pi)
 * off the direction (of any length but 0). An agent at the center is in view. The angle is tested
 * in float as dot(d, direction / |direction|) >= cos(halfAngle) * |d|. */
copse_status copse_points_cone(const copse_points *points, const float *center,
                               const float *direction, float halfAngle, float radius,
                               const copse_query *query, copse_results *results);

/* Finds the first agent that the segment from … to hits, ties by lower id. Agents are circles or
 * spheres around their positions, all of `radius`, which may be INFINITY. With `radii` (by slot)
 * each has its own, at most `radius`: larger ones count as `radius`, NaN and negative ones as 0. An
 * agent around `from` is hit at 0; a segment of one point hits the agents that cover it. The
 * query's mask and exclude count. Cost: usually O(log N + agents within `radius` of the way).
 *
 * Exactly, in double, each step rounded, sums in the order x, y, z: let m = center - from, e =
 * center - to, d = to - from, r2 = radius * radius, and c = the cross product of m and d.
 * - If m.m <= r2, the fraction is 0. Else if m.d <= 0, there is no hit.
 * - Else it is hit if m.d < d.d and c.c <= d.d * r2, or if m.d >= d.d and e.e <= r2: at (m.d -
 *   sqrt(d.d * r2 - c.c)) / d.d (root of a negative number: 0), clamped to 0 … 1, rounded to float.
 * c is exact where differences of coordinates have 26 bits or fewer, and no test is of a difference
 * of squares: small agents are hit or missed rightly far away, agents of radius 0 where c is 0. */
copse_status copse_points_raycast(const copse_points *points, const float *from, const float *to,
                                  float radius, const float *radii, const copse_query *query,
                                  copse_hit *hit, uint32_t *visits);

/* ---- Batches: all agents, or many points, in one call ---- *
 * `masks` is NULL, or holds a mask for each slot of the last build: the groups that this agent
 * looks for, on top of the query's mask. The query's mask and maxDistance count, and for centers
 * its exclude. Results have an order of their own: sort must be COPSE_SORT_NONE. An agent is never
 * its own neighbor. Cost: about that of the results; some hundred agents near each other are served
 * at once, from one gathering of what is around them. Takes 150 KB of stack. */
/* A row of ids for each slot or point, in arrays of the caller. Row i has counts[i] ids from
 * ids[offsets[i]] on. Rows of points follow each other in order, rows of slots such that near
 * agents have near rows. Their order, and that of ids in a row, depends on the last build and the
 * query alone. If `truncated`, the first row that does not fit and all later ones are empty. */
typedef struct copse_rows {
  uint32_t *offsets, *counts; /* in: room for every slot in use or built, or every point */
  uint32_t *ids;              /* in: room for `capacity` ids */
  uint32_t capacity;          /* in */
  uint32_t total;             /* out: the ids of all rows, also if truncated */
  bool truncated;             /* out */
} copse_rows;

/* Rows of at most k ids, nearest first, ties by lower id. Row i has counts[i] ids from i * k on. */
typedef struct copse_neighbor_rows {
  uint32_t *counts;  /* in: room for every slot in use or built, or every point */
  uint32_t *ids;     /* in: room for k times that */
  float *distances2; /* in: room for k times that */
} copse_neighbor_rows;

/* Writes every agent's neighbors within a radius. Slots that are in no build have empty rows. */
copse_status copse_points_all_within(const copse_points *points, float radius,
                                     const copse_query *query, const uint32_t *masks,
                                     copse_rows *rows);
/* Writes every agent's k nearest, within query.maxDistance. */
copse_status copse_points_all_neighbors(const copse_points *points, uint32_t k,
                                        const copse_query *query, const uint32_t *masks,
                                        copse_neighbor_rows *rows);
/* Finds each pair of agents within a distance of each other, once: ids a, b, a, b, … with a < b, in
 * an order that depends on the state alone. results.total counts ids, twice the pairs; whole pairs
 * are written while they fit, without distances2. With `radii` (by slot) instead of `distance`:
 * circles that touch, distance2 <= (radius a + radius b) squared. Both must match the mask. */
copse_status copse_points_pairs(const copse_points *points, float distance, const float *radii,
                                const copse_query *query, copse_results *results);
/* Writes, for each of n centers (dimensions floats each), the agents within a radius. */
copse_status copse_points_within_many(const copse_points *points, const float *centers, uint32_t n,
                                      float radius, const copse_query *query, copse_rows *rows);
/* Writes, for each of n centers, the k nearest agents within query.maxDistance. */
copse_status copse_points_nearest_many(const copse_points *points, const float *centers, uint32_t n,
                                       uint32_t k, const copse_query *query,
                                       copse_neighbor_rows *rows);
/* Casts n segments (from, to: 2 * dimensions floats), as raycast does, for n ids and fractions. */
copse_status copse_points_raycast_many(const copse_points *points, const float *segments,
                                       uint32_t n, float radius, const float *radii,
                                       const copse_query *query, uint32_t *ids, float *fractions);
/* Returns the slots of the last build in the order of the structure, and their number: neighbors in
 * space are near each other. Valid until the next build, restore or reserve. A game that now and
 * then renumbers its agents in this order has fewer cache misses in builds and queries. */
const uint32_t *copse_points_order(const copse_points *points, uint32_t *count);

/* Writes cells: bounds (lo x, y, (z,) hi x, y, (z)), depth and number of agents, 2 * dimensions + 2
 * floats each. Agent tree: nodes in preorder. Grid: cells that hold agents, row by row, of depth 0
 * (cells that share entries may come more than once, each agent counted once). K-d tree: dividing
 * lines, in 3D planes, in preorder, as boxes without width on their axis. */
size_t copse_points_cells(const copse_points *points, size_t skipped, float *out, size_t capacity);
typedef struct copse_points_statistics {
  uint32_t agents;  /* in the last build */
  uint32_t skipped; /* left out of it because they were not finite */
  uint32_t nodes;   /* of a tree; of the grid the entries of its table */
  uint32_t leaves;  /* of a tree; of the grid the entries that have agents */
  uint32_t depth;   /* of the deepest leaf; the root has depth 0 */
  bool isShared;    /* cells of the grid share entries */
  size_t bytes;     /* memory of the whole object */
} copse_points_statistics;
copse_points_statistics copse_points_stats(const copse_points *points);
bool copse_points_validate(const copse_points *points); /* O(N log N) */

/* Saves agents, positions, groups, generations and the last build: queries find the same after
 * restore, which needs the same structure, dimensions and options, but for capacity, layout and
 * builder. COPSE_NOT_FINITE: build would refuse a position. */
copse_status copse_points_save(const copse_points *points, void *bytes, size_t capacity,
                               size_t *total, uint32_t *firstBad);
copse_status copse_points_restore(copse_points *points, const void *bytes, size_t size);
copse_status copse_points_restorable(const copse_points *points, const void *bytes, size_t size);

/* ---- Quadtree and octree ------------------------------------------------------------------- *
 * For boxes and points that come, go and move one at a time: colliders, zones, pickups. In 2
 * dimensions a quadtree, in 3 an octree. There is no build: queries answer for the present. Cells
 * halve the world; a cell is divided if and only if it may be and holds over leafSize items. Boxes
 * are closed; their distance to a point is 0 inside, else (lo - x) or (x - hi) per axis, summed as
 * for points. Bad boxes are COPSE_NOT_FINITE or, if lo > hi, COPSE_INVALID_ARGUMENT; *firstBad is
 * the first. Items outside the world are kept and found. `add` hands out the lowest free slot,
 * `remove` frees it. The order of results depends only on all changes so far and their order. */
#define COPSE_OCTREE_MAX_DEPTH     24    /* the maximum of maxDepth */
#define COPSE_OCTREE_MAX_LOOSENESS 16.0f /* above it, dividing such large cells gains nothing */
typedef struct copse_octree_def {
  uint32_t dimensions; /* 2 or 3. Default: 2 */
  uint32_t capacity;   /* maximum number of items: 1 … COPSE_MAX_CAPACITY. Default: 1,000 */
  uint32_t leafSize;   /* maximum in an undivided cell; 0: divide to maxDepth. Default: measured */
  uint32_t maxDepth;   /* 0 … COPSE_OCTREE_MAX_DEPTH; 0: one list. Default: measured best */
  float looseness;     /* a cell takes items as if so many times larger: 1 (items on a dividing
                        * line stay above it) … COPSE_OCTREE_MAX_LOOSENESS. Default: measured */
  float bounds[6];     /* the world: lo x, y, (z,) hi x, y, (z); lo < hi. Default: 0 … 1,000 */
  copse_allocator allocator; /* Default: malloc */
} copse_octree_def;
typedef struct copse_octree copse_octree;
copse_octree_def copse_octree_default(void);
size_t copse_octree_bytes(const copse_octree_def *def);
copse_status copse_octree_create(const copse_octree_def *def, copse_octree **tree);
void copse_octree_destroy(copse_octree *tree);
copse_status copse_octree_reserve(copse_octree *tree, uint32_t capacity);
size_t copse_octree_reserve_bytes(const copse_octree *tree, uint32_t capacity);
uint32_t copse_octree_capacity(const copse_octree *tree);
uint32_t copse_octree_dimensions(const copse_octree *tree);
uint32_t copse_octree_count(const copse_octree *tree); /* the number of items */
uint32_t copse_octree_slots(const copse_octree *tree); /* the bound of a loop: ever in use */

/* By slot. Boxes are lo x, y, (z,) hi x, y, (z): what the caller writes counts from move_all on.
 * Groups are 32 bits, default 1: what the caller writes counts at once. */
float *copse_octree_boxes(copse_octree *tree);
uint32_t *copse_octree_groups(copse_octree *tree);
const uint32_t *copse_octree_generations(const copse_octree *tree);
bool copse_octree_has(const copse_octree *tree, uint32_t slot); /* true if it is in use */

/* Adds a box (2 * dimensions floats; a point: lo = hi) and writes it to `boxes` too. O(depth),
 * unless a cell divides. Errors: a bad box, COPSE_FULL. */
copse_status copse_octree_add(copse_octree *tree, const float *box, uint32_t *slot);
/* Adds a box at a free slot, with the groups that the caller wrote there. COPSE_FULL: the slot
 * is beyond the capacity; COPSE_INVALID_ARGUMENT: it is in use. */
copse_status copse_octree_add_at(copse_octree *tree, uint32_t slot, const float *box);
/* Removes an item in O(depth), whatever its box is by now. COPSE_STALE_SLOT: the slot is free. */
copse_status copse_octree_remove(copse_octree *tree, uint32_t slot);
/* Moves an item: O(1) within its cell, else O(depth). COPSE_STALE_SLOT: the slot is free. */
copse_status copse_octree_move(copse_octree *tree, uint32_t slot, const float *box);
void copse_octree_clear(copse_octree *tree); /* removes all items */
/* Moves every item to its box in `boxes`: singly or, if many left their cells, by building anew. */
copse_status copse_octree_move_all(copse_octree *tree, uint32_t *firstBad);
/* Replaces all items by slots 0 … count - 1 of `boxes`, much faster than one by one. COPSE_FULL. */
copse_status copse_octree_load(copse_octree *tree, uint32_t count, uint32_t *firstBad);

/* Finds all items that meet the closed box lo … hi, which may be a point or infinite. Writes no
 * distances. COPSE_INVALID_ARGUMENT: NaN, lo > hi, sort by distance. */
copse_status copse_octree_range(const copse_octree *tree, const float *lo, const float *hi,
                                const copse_query *query, copse_results *results);
/* Finds all items that meet a circle or sphere. Sorting by distance needs distances2. */
copse_status copse_octree_within(const copse_octree *tree, const float *center, float radius,
                                 const copse_query *query, copse_results *results);
/* Finds the nearest item, ties by lower id; COPSE_NONE if there is none. */
copse_status copse_octree_nearest(const copse_octree *tree, const float *center,
                                  const copse_query *query, uint32_t *id, float *distance2,
                                  uint32_t *visits);
/* Finds the k nearest items, ties by lower id. Needs room for min(k, count) ids and distances2. */
copse_status copse_octree_neighbors(const copse_octree *tree, const float *center, uint32_t k,
                                    const copse_query *query, copse_results *results);
/* Counts the items that meet a circle or sphere; any_within stops at the first. */
copse_status copse_octree_count_within(const copse_octree *tree, const float *center, float radius,
                                       const copse_query *query, uint32_t *total, uint32_t *visits);
copse_status copse_octree_any_within(const copse_octree *tree, const float *center, float radius,
                                     const copse_query *query, bool *any, uint32_t *visits);
/* Counts the items that meet a box, as copse_octree_range takes it. */
copse_status copse_octree_count_range(const copse_octree *tree, const float *lo, const float *hi,
                                      const copse_query *query, uint32_t *total, uint32_t *visits);

typedef struct copse_box_hit { /* what a ray hits first */
  uint32_t id;                 /* COPSE_NONE: nothing */
  float fraction;              /* of the way: 0 at its begin, 1 at its end or if nothing is hit */
  float normal[3]; /* of the side that it hits: one of them 1 or -1; 0: it begins inside */
} copse_box_hit;
/* Finds the first item that the segment from … to meets, ties by lower id. In double: it meets a
 * box if their intervals meet on every axis and, for any two axes u, v, not all corners are on one
 * side of its line, by products way[u] * (side - from[v]). The fraction is the greatest of (side -
 * from) / way over the axes on which it begins beyond that side, rounded to float; of equal ones
 * the first axis has the normal. The query's mask and exclude count. */
copse_status copse_octree_raycast(const copse_octree *tree, const float *from, const float *to,
                                  const copse_query *query, copse_box_hit *hit, uint32_t *visits);
/* Finds each pair of items that meet, once: ids a, b, a, b, … with a < b, by ascending a. total
 * counts ids, twice the pairs; whole pairs are written while they fit. Both must match the mask. */
copse_status copse_octree_pairs(const copse_octree *tree, const copse_query *query,
                                copse_results *results);

/* Cells in preorder: bounds in the world, depth, items in and below: 2 * dimensions + 2 floats. */
size_t copse_octree_cells(const copse_octree *tree, size_t skipped, float *out, size_t capacity);
typedef struct copse_octree_statistics {
  uint32_t items;
  uint32_t nodes;
  uint32_t leaves;                               /* nodes that are not divided */
  uint32_t depth;                                /* of the deepest; the root has depth 0 */
  uint32_t perDepth[COPSE_OCTREE_MAX_DEPTH + 1]; /* items that nodes of a depth hold themselves */
  uint32_t straddlers; /* items in nodes that are divided: looseness makes them fewer */
  uint32_t outside;    /* items not wholly in the world */
  uint32_t unsplit;    /* nodes that should be divided, but the pool had no more */
  uint64_t changes;    /* since creation: items that changed their cell, cells divided and merged */
  size_t bytes;        /* memory of the whole object */
} copse_octree_statistics;
copse_octree_statistics copse_octree_stats(const copse_octree *tree); /* O(nodes + capacity) */
bool copse_octree_validate(const copse_octree *tree); /* every node, block, item: O(N * depth) */

/* Saves items, slots, generations and groups, but not what was written to boxes and not moved yet.
 * Restoring needs the same options, but for the capacity. Afterwards everything goes on as it would
 * have, down to the order of results, unless nodes were unsplit. */
copse_status copse_octree_save(const copse_octree *tree, void *bytes, size_t capacity,
                               size_t *total);
copse_status copse_octree_restore(copse_octree *tree, const void *bytes, size_t size);
copse_status copse_octree_restorable(const copse_octree *tree, const void *bytes, size_t size);

/* ---- Obstacle tree ------------------------------------------------------------------------- *
 * Walls, in 2 dimensions: what is near, what is in the way, what can be seen. Walls are the edges
 * of polygons, closed loops of vertices. A polygon is solid inside, or it is a boundary: solid
 * outside. It stays so, whichever way round its vertices are moved. Without area there is no
 * inside: two vertices are a thin wall, an edge for either side. Edges go counter-clockwise around
 * what is solid and are seen from their right, the free side (with y up); edges of a polygon that
 * was added without area go as its vertices do. Loops may touch, cross each other and themselves:
 * every query looks at edges one by one.
 *
 * An edge has the id of the first of its two vertices in the loop, a polygon that of its first
 * vertex: its slot. New vertices get the lowest free ids in order: consecutive ones, if none were
 * removed. An edge without length (a repeated vertex) stays in its loop, but not in the tree.
 *
 * Lines of edges divide space where they divide it well, else lines parallel to an axis; edges that
 * cross a line go to both sides, as pieces. Queries test whole edges and name each once, so they
 * give exactly what a loop over all edges gives, whatever the tree. They compute in double from the
 * float coordinates, in these steps, and round squared distances and fractions to float at the end:
 * - Side of p from a … b: (b - a) x (p - a), with u x v = u.x * v.y - u.y * v.x; positive: left.
 * - From a point p to an edge a … b: t = ((p - a) . (b - a)) / ((b - a) . (b - a)); the nearest
 *   point is a for t <= 0, b for t >= 1, else a + (b - a) * t.
 * - Two segments meet if their bounds do and the ends of neither lie strictly on one side of the
 *   other; touching is meeting. The ends of a sight or ray are put in order first (by x, then y),
 *   so that there and back give the same.
 * Queries answer for the last build, and find nothing before the first. */
typedef struct copse_obstacle_def {
  uint32_t capacity; /* maximum number of vertices: 1 … COPSE_MAX_CAPACITY. Default: 1,000 */
  uint32_t pieces;   /* room for pieces of edges, scaled by reserve: ≥ capacity. Default: 0: twice
                      * the capacity. If it runs short, cells stay undivided: slower, as exact */
  uint32_t leafSize; /* pieces that a cell may hold undivided: ≥ 1. From the capacity on:
                      * one list, brute force. Default: measured best */
  copse_allocator allocator; /* Default: malloc */
} copse_obstacle_def;
typedef struct copse_obstacle copse_obstacle;
copse_obstacle_def copse_obstacle_default(void);
size_t copse_obstacle_bytes(const copse_obstacle_def *def);
copse_status copse_obstacle_create(const copse_obstacle_def *def, copse_obstacle **tree);
void copse_obstacle_destroy(copse_obstacle *tree);
copse_status copse_obstacle_reserve(copse_obstacle *tree, uint32_t capacity);
size_t copse_obstacle_reserve_bytes(const copse_obstacle *tree, uint32_t capacity);
uint32_t copse_obstacle_capacity(const copse_obstacle *tree);
uint32_t copse_obstacle_count(const copse_obstacle *tree); /* the number of polygons */
uint32_t copse_obstacle_used(const copse_obstacle *tree);  /* vertices, of the capacity */
uint32_t copse_obstacle_slots(const copse_obstacle *tree); /* the bound of a loop: ever in use */

/* Arrays by vertex. Vertices are x, y: what the caller writes counts from the next build on. */
float *copse_obstacle_vertices(copse_obstacle *tree);
const uint32_t *copse_obstacle_next(const copse_obstacle *tree);     /* the vertex after it */
const uint32_t *copse_obstacle_polygons(const copse_obstacle *tree); /* its polygon */
const uint32_t *copse_obstacle_generations(const copse_obstacle *tree);
bool copse_obstacle_has(const copse_obstacle *tree, uint32_t slot); /* true if it is a polygon's */
uint32_t copse_obstacle_size(const copse_obstacle *tree, uint32_t slot); /* vertices; 0: none */

/* What of a polygon is solid. */
typedef enum copse_solid {
  COPSE_SOLID_WINDING, /* counter-clockwise: the inside; clockwise: the outside */
  COPSE_SOLID_INSIDE,
  COPSE_SOLID_OUTSIDE,
  COPSE_SOLID_NOWHERE, /* nothing: edges are seen from both sides */
} copse_solid;
/* Adds a loop of vertices, x and y each. Errors: COPSE_INVALID_ARGUMENT (fewer than 2, or no area
 * to be solid inside or outside of), COPSE_NOT_FINITE, COPSE_FULL. */
copse_status copse_obstacle_add(copse_obstacle *tree, const float *points, uint32_t count,
                                copse_solid solid, uint32_t *slot);
/* Removes a polygon in O(its vertices). COPSE_STALE_SLOT: the slot is not a polygon's. */
copse_status copse_obstacle_remove(copse_obstacle *tree, uint32_t slot);
/* Moves a polygon's vertices; the side that is solid stays. COPSE_STALE_SLOT, COPSE_NOT_FINITE,
 * COPSE_INVALID_ARGUMENT (count is not the polygon's). */
copse_status copse_obstacle_move(copse_obstacle *tree, uint32_t slot, const float *points,
                                 uint32_t count);
void copse_obstacle_clear(copse_obstacle *tree); /* removes all polygons */
/* Returns which way round a polygon's edges go: 1 counter-clockwise, solid inside; -1 clockwise, a
 * boundary; 0: by its vertices now it has no area, or the slot is not a polygon's. */
int copse_obstacle_winding(const copse_obstacle *tree, uint32_t slot);
bool copse_obstacle_changed(const copse_obstacle *tree); /* added, removed, moved since build */
/* Builds the tree from the vertices as they are, O(N log N) for most N. A polygon's solid side
 * stays, also if its vertices now run the other way round. COPSE_NOT_FINITE: the last build stays.
 * The splitting line of a cell has the least greater, then least smaller, number of pieces on a
 * side: of all its edges, up to a size, else of a spread selection. */
copse_status copse_obstacle_build(copse_obstacle *tree, uint32_t *firstBad);

typedef enum copse_side {
  COPSE_SIDE_BOTH,
  COPSE_SIDE_VISIBLE, /* only edges with the query's point on their right, and two-sided ones */
} copse_side;
/* Finds all edges within a radius, nearest first, ties by lower id. Needs results.distances2. */
copse_status copse_obstacle_within(const copse_obstacle *tree, const float *center, float radius,
                                   copse_side side, copse_results *results);

typedef struct copse_wall {
  uint32_t edge; /* COPSE_NONE: none; the rest is 0 */
  float distance2;
  float point[2]; /* the nearest on it */
} copse_wall;
/* Finds the nearest edge, ties by lower id, at most maxDistance away. */
copse_status copse_obstacle_nearest(const copse_obstacle *tree, const float *center,
                                    float maxDistance, copse_side side, copse_wall *wall,
                                    uint32_t *visits);
/* Sets *visible if no edge meets the segment or, with radius > 0, is as near (`<=`, the least of
 * the four distances from an end to the other segment). The same both ways; not from a wall. */
copse_status copse_obstacle_visible(const copse_obstacle *tree, const float *from, const float *to,
                                    float radius, bool *visible, uint32_t *visits);
/* Writes the ids of agents whose centers are visible to `kept`, which may be `ids`, in the order
 * given. Returns their number. Agents that are not finite are not seen. */
uint32_t copse_obstacle_keep_visible(const copse_obstacle *tree, const float *from,
                                     const copse_const_positions *positions, const uint32_t *ids,
                                     uint32_t count, uint32_t *kept);

typedef struct copse_wall_hit {
  uint32_t edge;   /* COPSE_NONE: none */
  float fraction;  /* of the way: 0 at its begin, 1 at its end; none: 1 */
  float point[2];  /* none: the end */
  float normal[2]; /* of the edge, towards where the ray begins; none: 0 */
} copse_wall_hit;
/* Finds the first edge that a segment meets, ties by lower id. The fraction is a / (a - b), a and b
 * the sides of its ends from the edge's line, within the fractions of the edge's ends along the
 * longer side of the segment's bounds; if a and b are 0, the lesser of these; in 0 … 1. */
copse_status copse_obstacle_raycast(const copse_obstacle *tree, const float *from, const float *to,
                                    copse_side side, copse_wall_hit *hit, uint32_t *visits);
/* Writes the edges and fractions of the first hits of n segments (x0, y0, x1, y1 each). */
copse_status copse_obstacle_raycast_many(const copse_obstacle *tree, const float *segments,
                                         uint32_t n, copse_side side, uint32_t *edges,
                                         float *fractions);
/* Sets *inside for a point in something solid or on its border: more loops go counter-clockwise
 * than clockwise around it, plus 1 with boundaries. Thin and two-sided walls are not solid. */
copse_status copse_obstacle_contains(const copse_obstacle *tree, const float *point, bool *inside,
                                     uint32_t *visits);

typedef struct copse_corner { /* of what can be seen */
  double x, y;
  uint32_t edge; /* the border follows it; COPSE_NONE: the box, or a sight past a wall's end */
  uint32_t unused;
} copse_corner;
/* Writes what can be seen from a point within the box lo … hi, which must be around it: a polygon,
 * counter-clockwise, its corners rounded. From a point on a wall: none. *total is the number of
 * corners. COPSE_FULL: `capacity` is too small for them, or for the work: 4 corners an edge and 20
 * more suffice where walls don't cross. O(V log V) for V edges in sight and some behind. */
copse_status copse_obstacle_visibility(const copse_obstacle *tree, const float *from,
                                       const float *lo, const float *hi, copse_corner *corners,
                                       uint32_t capacity, uint32_t *total, uint32_t *visits);
/* Writes the bounds of all edges of the last build, lo x, y, hi x, y: zeros for none. */
void copse_obstacle_bounds(const copse_obstacle *tree, float *bounds);

/* Cells in preorder: bounds of the pieces (lo x, y, hi x, y), depth, number of pieces: 6 floats. */
size_t copse_obstacle_cells(const copse_obstacle *tree, size_t skipped, float *out,
                            size_t capacity);
/* Splitting lines in preorder, cut to their cells: x0, y0, x1, y1, depth: 5 floats. */
size_t copse_obstacle_lines(const copse_obstacle *tree, size_t skipped, float *out,
                            size_t capacity);
typedef struct copse_obstacle_statistics {
  uint32_t edges;    /* in the tree */
  uint32_t dropped;  /* left out of it: they have no length */
  uint32_t pieces;   /* at least as many as edges */
  uint32_t nodes;    /* lines and cells */
  uint32_t leaves;   /* cells */
  uint32_t unsplit;  /* cells with over leafSize pieces: no good line, or no room for more */
  uint32_t depth;    /* of the deepest; the root has depth 0 */
  uint32_t polygons; /* at present, not in the last build */
  size_t bytes;      /* memory of the whole object */
} copse_obstacle_statistics;
copse_obstacle_statistics copse_obstacle_stats(const copse_obstacle *tree);
bool copse_obstacle_validate(const copse_obstacle *tree); /* loops, nodes, pieces: O(N * depth) */

/* Saves polygons and which side of them is solid, slots and generations. Restoring needs the same
 * leafSize, and builds. COPSE_NOT_FINITE: build would refuse a vertex. */
copse_status copse_obstacle_save(const copse_obstacle *tree, void *bytes, size_t capacity,
                                 size_t *total, uint32_t *firstBad);
copse_status copse_obstacle_restore(copse_obstacle *tree, const void *bytes, size_t size);
copse_status copse_obstacle_restorable(const copse_obstacle *tree, const void *bytes, size_t size);

/* ---- Crowd --------------------------------------------------------------------------------- *
 * Agents that each want to move somewhere and must not collide: discs in the plane, or spheres. Of
 * the velocities that keep an agent clear of its neighbors and walls for a while, every step takes
 * the one nearest to its preferred velocity. The agent counts on its neighbors to do half of what
 * is needed. (Optimal reciprocal collision avoidance: J. van den Berg, S. J. Guy, M. Lin,
 * D. Manocha, "Reciprocal n-body collision avoidance", 2011.)
 *
 * `add` hands out the lowest free slot, `remove` frees it. Between calls the caller may read and
 * write all arrays of agents. Numbers out of range count as the nearest in range, NaN as 0.
 *
 * Unless the crowd is exact, it settles what the algorithm leaves open. An agent that has another
 * in its way turns a little to its right, so that agents that meet in perfect symmetry pass. An
 * agent that has arrived stands still where it is. An agent that overlaps a wall, or is inside
 * something solid (looked up every 32 steps), prefers the shortest way out. */
#define COPSE_CROWD_MAX_NEIGHBORS 64 /* the maximum number of neighbors that an agent avoids */

/* The maximum number of constraints that walls make for an agent. Edges are walked outward, nearest
 * first. An edge that nearer ones already keep the agent away from makes no constraint. From the
 * 17th edge that makes one, an edge counts as if it went on straight, so that it covers the edges
 * that continue it: walls of very many short edges make few constraints. If there are still more,
 * the agent goes no farther in a step than to the first edge that has no place. */
#define COPSE_CROWD_WALLS 128
typedef struct copse_crowd_def {
  uint32_t dimensions;   /* 2 or 3. Default: 2 */
  uint32_t capacity;     /* maximum number of agents: 1 … COPSE_MAX_CAPACITY. Default: 1,000 */
  uint32_t maxNeighbors; /* maximum of any agent: 0 … COPSE_CROWD_MAX_NEIGHBORS. Default: 10 */
  bool exact;            /* nothing but the published algorithm. Default: false */
  copse_allocator allocator; /* Default: malloc */
} copse_crowd_def;

/* What an agent begins with. Arrays hold the same by slot. In 2D the third float is not used. */
typedef struct copse_crowd_agent {
  float position[3];          /* Default: 0 */
  float velocity[3];          /* Default: 0 */
  float preferredVelocity[3]; /* as if it were alone. Default: 0 */
  float goal[3]; /* where it goes, at preferredSpeed, and stops. NaN (the default): nowhere; then
                  * the preferred velocity that the caller writes counts */
  float preferredSpeed;   /* Default: 1 */
  float radius;           /* Default: 0.5 */
  float maxSpeed;         /* Default: 2 */
  float neighborDistance; /* ignores neighbors with farther centers. Inclusive. Default: 10 */
  uint32_t maxNeighbors;  /* maximum number of neighbors that it avoids, the nearest. Default: 10 */
  float timeHorizon; /* seconds for which its velocity must be clear of neighbors. Default: 2 */
  float timeHorizonObstacles; /* and of walls; both at least a time step. Default: 2 */
  float maxAcceleration;      /* maximum change of its velocity in a second. Default: INFINITY */
  float priority;   /* share of avoiding: other's / (own + other's); both 0: half. Default: 0 */
  uint32_t groups;  /* bits; 0: it is not avoided, and avoids none. Default: 1 */
  uint32_t mask;    /* groups that it avoids; alone, if it is not avoided in turn. Default: all */
  uint32_t enabled; /* 0: takes part in nothing. Default: 1 */
  uint32_t locked;  /* not 0: avoided; only the caller moves it: position, velocity. Default: 0 */
} copse_crowd_agent;
typedef struct copse_crowd copse_crowd;
copse_crowd_def copse_crowd_default(void);
copse_crowd_agent copse_crowd_agent_default(void);
size_t copse_crowd_bytes(const copse_crowd_def *def);
copse_status copse_crowd_create(const copse_crowd_def *def, copse_crowd **crowd);
void copse_crowd_destroy(copse_crowd *crowd);
copse_status copse_crowd_reserve(copse_crowd *crowd, uint32_t capacity);
size_t copse_crowd_reserve_bytes(const copse_crowd *crowd, uint32_t capacity);
uint32_t copse_crowd_capacity(const copse_crowd *crowd);
uint32_t copse_crowd_dimensions(const copse_crowd *crowd);
uint32_t copse_crowd_count(const copse_crowd *crowd); /* the number of agents */
uint32_t copse_crowd_slots(const copse_crowd *crowd); /* the bound of a loop: ever in use */

/* The crowd's own arrays, by slot: vectors of `dimensions` floats, and numbers. */
typedef struct copse_crowd_arrays {
  float *positions, *velocities, *preferredVelocities, *goals;
  float *preferredSpeeds, *radii, *maxSpeeds, *neighborDistances;
  uint32_t *maxNeighbors;
  float *timeHorizons, *timeHorizonsObstacles;
  float *maxAccelerations, *priorities;
  uint32_t *groups, *masks, *enabled, *locked;
  const uint32_t *generations;
  const uint32_t *arrived, *stuck; /* slots, as many as copse_crowd_arrived and _stuck return */
} copse_crowd_arrays;
copse_crowd_arrays copse_crowd_get(copse_crowd *crowd);
bool copse_crowd_has(const copse_crowd *crowd, uint32_t slot); /* true if it is in use */

/* Adds an agent. Errors: COPSE_NOT_FINITE (a position or velocity), COPSE_FULL. */
copse_status copse_crowd_add(copse_crowd *crowd, const copse_crowd_agent *agent, uint32_t *slot);
/* Puts an agent elsewhere: it has neither arrived, nor is it stuck. Errors: COPSE_STALE_SLOT (no
 * agent), COPSE_NOT_FINITE. */
copse_status copse_crowd_move(copse_crowd *crowd, uint32_t slot, const float *position);
/* Removes an agent: its slot has no group. COPSE_STALE_SLOT: the slot is not in use. */
copse_status copse_crowd_remove(copse_crowd *crowd, uint32_t slot);
void copse_crowd_clear(copse_crowd *crowd); /* removes all agents */

/* Moves all agents by a time step: preferred velocities from goals, neighbors, walls (of their last
 * build; NULL: none), new velocities, new positions. O(N log N + N * neighbors).
 * COPSE_INVALID_ARGUMENT: the time step is not positive and finite, or there are walls in 3D.
 * COPSE_NOT_FINITE: a position, velocity or preferred velocity of an enabled agent is not. */
copse_status copse_crowd_step(copse_crowd *crowd, const copse_obstacle *walls, float timeStep,
                              uint32_t *firstBad);
/* Returns how many agents arrived in the last step: came to their goal, or as near as others of the
 * same goal that arrived before leave room. An agent arrives again only after it was pushed away,
 * its goal moved, or a place nearer to it came free. */
uint32_t copse_crowd_arrived(const copse_crowd *crowd);
uint32_t copse_crowd_stuck(const copse_crowd *crowd); /* no nearer to the goal for 2 seconds */

/* What the next step will take into account for an agent, as things are now. */
typedef struct copse_crowd_view {
  uint32_t neighborCount, wallCount, constraintCount, wallConstraintCount;
  uint32_t neighbors[COPSE_CROWD_MAX_NEIGHBORS]; /* nearest first */
  uint32_t walls[COPSE_CROWD_WALLS];             /* the nearest edges, nearest first */
  /* Constraints on its velocity, of walls first. 2D: x, y, direction x, y; left of the line through
   * that point in that direction is permitted. 3D: point, unit normal; beyond it is permitted. */
  float constraints[(COPSE_CROWD_MAX_NEIGHBORS + COPSE_CROWD_WALLS) * 6];
} copse_crowd_view;
/* Writes the view of an agent in O(N). COPSE_STALE_SLOT; COPSE_INVALID_ARGUMENT as for step. */
copse_status copse_crowd_inspect(copse_crowd *crowd, const copse_obstacle *walls, float timeStep,
                                 uint32_t slot, copse_crowd_view *view);

typedef struct copse_crowd_statistics {
  uint32_t agents;
  uint32_t infeasible; /* agents for which no velocity was permitted in the last step */
  uint32_t overlaps;   /* agents that touched or overlapped a neighbor when it began */
  double neighbors;    /* per agent, on average */
  double time;         /* the sum of all time steps */
  uint64_t steps;
  size_t bytes; /* memory of the whole object */
} copse_crowd_statistics;
copse_crowd_statistics copse_crowd_stats(const copse_crowd *crowd);
/* Returns a hash of everything that decides the future, steps and options included, but not the
 * capacity. Equal states have equal hashes; -0 counts as 0. */
uint32_t copse_crowd_hash(const copse_crowd *crowd);
/* Saves everything that decides the future. Restoring needs the same dimensions, maxNeighbors and
 * exact. Afterwards everything goes on bit for bit. COPSE_NOT_FINITE: a position, velocity or
 * preferred velocity of any agent, enabled or not, is not. */
copse_status copse_crowd_save(const copse_crowd *crowd, void *bytes, size_t capacity, size_t *total,
                              uint32_t *firstBad);
copse_status copse_crowd_restore(copse_crowd *crowd, const void *bytes, size_t size);
copse_status copse_crowd_restorable(const copse_crowd *crowd, const void *bytes, size_t size);

#ifdef __cplusplus
}
#endif
#endif

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
 *     copse_points_set_count(agents, 3);
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
 * Everything is plain C11 and single precision. An object takes all its memory when it is created
 * (or reserved) and none afterwards. Nothing here prints, aborts or touches errno.
 *
 * Words. An *agent* is a point with an id. Its id is its *slot*: the index of its position in the
 * position buffer, of its bits in `groups`, and what every result holds. *Groups* are 32 bits per
 * agent; a query's *mask* keeps the agents that share a bit with it. An agent with no group bit is
 * absent from every result. Names that end in 2 are squared. Borders are inclusive.
 *
 * Distances. The squared distance is computed in float, each step rounded, as
 * (dx*dx + dy*dy) + dz*dz with dx = x - centerX, and compared by `<=` with radius*radius, also
 * rounded to float. Pruning never drops what that test accepts, so every query gives exactly what
 * a loop over all agents gives.
 *
 * Determinism. The same calls give the same bits. Tested: gcc and clang, -O0 to -O3, on x86-64;
 * gcc on aarch64 and riscv64; WebAssembly with and without SIMD. It needs IEEE 754 floats and
 * -ffp-contract=off. mingw compiles the library too. Results do not depend on history.
 *
 * Threads. Queries take a const object and keep all scratch on the caller's stack: any number of
 * threads may query one object at once. Every other call needs the object to itself.
 */
#ifndef COPSE_H
#define COPSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define COPSE_VERSION "0.1.0"

/* No slot: the id of nobody. */
#define COPSE_NONE UINT32_MAX

/* Every group: the mask that filters nothing. */
#define COPSE_ALL_GROUPS UINT32_MAX

/* The most items that any object can be created for. */
#define COPSE_MAX_CAPACITY (1u << 28)

/* Coordinates are accepted up to this magnitude, so that no squared distance overflows. */
#define COPSE_MAX_COORDINATE 1e18f

/* So many of its first bytes tell what a snapshot is of. */
#define COPSE_SNAPSHOT_HEAD 128

/* No tree is deeper than this. */
#define COPSE_MAX_DEPTH 96

/* ---- Status ------------------------------------------------------------------------------ */

typedef enum copse_status {
  COPSE_OK = 0,
  COPSE_INVALID_ARGUMENT, /* an argument is outside its documented range */
  COPSE_FULL,             /* more items than the capacity */
  COPSE_OUT_OF_MEMORY,    /* the allocator gave no memory */
  COPSE_NOT_FINITE,       /* a coordinate is NaN, infinite or beyond COPSE_MAX_COORDINATE */
  COPSE_STALE_HANDLE,     /* a slot or handle that is free, or was reused */
  COPSE_BAD_SNAPSHOT,     /* bytes that are no snapshot of such an object */
} copse_status;

/* A short English text for a status; never NULL. */
const char *copse_status_text(copse_status status);

/* ---- Memory ------------------------------------------------------------------------------ */

/* Where an object takes its memory. `allocate` returns memory aligned as malloc's, or NULL.
 * `release` gets the size that was asked for. Without one (allocate == NULL), malloc and free. */
typedef struct copse_allocator {
  void *(*allocate)(size_t bytes, void *context);
  void (*release)(void *memory, size_t bytes, void *context);
  void *context;
} copse_allocator;

/* Where coordinates lie: coordinate `axis` of agent i is axes[axis][i * stride]. Interleaved
 * x0, y0, x1, y1, …: axes = {p, p + 1}, stride 2. Separate arrays: stride 1. */
typedef struct copse_positions {
  float *axes[3];  /* x, y and, in 3D, z */
  uint32_t stride; /* in floats */
} copse_positions;

/* The same, only to be read. */
typedef struct copse_const_positions {
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

/* What a query leaves out, and how it orders. NULL in place of a pointer to one = the defaults. */
typedef struct copse_query {
  uint32_t mask;     /* keep agents whose groups share a bit with it */
  uint32_t exclude;  /* leave out this slot (the one that asks), or COPSE_NONE */
  float maxDistance; /* nearest and neighbors: nobody farther than this, inclusive */
  copse_sort sort;   /* within, range and cone */
} copse_query;

/* {COPSE_ALL_GROUPS, COPSE_NONE, INFINITY, COPSE_SORT_NONE} */
copse_query copse_query_default(void);

/* Where a query writes. The caller owns the arrays. A query never writes past `capacity`: when
 * `total` is larger, the result was truncated to the first `capacity` matches in tree order, and
 * those were sorted. */
typedef struct copse_results {
  uint32_t *ids;     /* in: room for `capacity` ids */
  float *distances2; /* in: room for `capacity` squared distances, or NULL */
  uint32_t capacity; /* in */
  uint32_t total;    /* out: the number of matches */
  uint32_t visits;   /* out: the number of nodes visited */
} copse_results;

/* What a ray hits first. */
typedef struct copse_hit {
  uint32_t id;    /* COPSE_NONE: nobody */
  float fraction; /* of the way: 0 at its begin, 1 at its end; nobody: 1 */
} copse_hit;

/* ---- Points: one handle, three structures ------------------------------------------------- *
 *
 * An index of points holds agents in slots 0 … count - 1. Write positions and groups, build, query;
 * queries answer for the last build. Three structures make one: copse_agenttree_create,
 * copse_grid_create and copse_kdtree_create. From then on they are used alike, and find the same.
 */
typedef struct copse_points copse_points;

typedef enum copse_on_non_finite {
  COPSE_NON_FINITE_ERROR, /* build fails with COPSE_NOT_FINITE and keeps the last one */
  COPSE_NON_FINITE_SKIP,  /* such agents are absent from every result, and counted */
} copse_on_non_finite;

/* ---- The agent tree: for agents that all move ----
 *
 * A bucketed k-d tree for hundreds to millions of agents, rebuilt every frame. A build is
 * O(N log N) and starts from the order of the last one; a query visits O(log N + results) nodes on
 * all but contrived sets. If in doubt, use this one.
 */

typedef enum copse_axis {
  COPSE_AXIS_LONGEST, /* split the longer side of the bounds */
  COPSE_AXIS_CYCLE, /* x, y, (z,) x, y, … by depth: the textbook form; unbalanced with midpoint */
} copse_axis;

typedef enum copse_split {
  COPSE_SPLIT_MIDPOINT, /* at the middle of the bounds: the fastest to build */
  COPSE_SPLIT_MEDIAN,   /* at the median agent: exact balance */
} copse_split;

typedef struct copse_agenttree_def {
  uint32_t dimensions; /* 2 or 3 */
  uint32_t capacity;   /* the maximum number of agents; 1 … COPSE_MAX_CAPACITY */
  uint32_t leafSize;   /* the maximum in a leaf, unless they coincide; ≥ 1 */
  copse_axis axis;
  copse_split split;
  copse_layout layout;
  copse_on_non_finite onNonFinite;
  copse_allocator allocator;
} copse_agenttree_def;

/* 2 dimensions, capacity 1,000, longest axis, midpoint, interleaved, error, malloc; leafSize as
 * measured best. */
copse_agenttree_def copse_agenttree_default(void);

/* Returns the bytes that an object of this definition takes: 0 for a definition that create
 * refuses, SIZE_MAX for what no memory can hold. So do all functions of this name. */
size_t copse_agenttree_bytes(const copse_agenttree_def *def);

/* Creates an index of no agents, all positions 0, all groups 1. *points is NULL on error:
 * COPSE_INVALID_ARGUMENT, COPSE_OUT_OF_MEMORY. */
copse_status copse_agenttree_create(const copse_agenttree_def *def, copse_points **points);

/* ---- The grid: for one radius and agents that are spread evenly ----
 *
 * Agents are sorted by counting into square (in 3D cubic) cells, anew in every build. For one
 * radius over evenly spread agents nothing is faster, with cells as wide as that radius. It loses
 * to the agent tree where agents crowd together (a query reads whole cells), for a radius far from
 * the size of a cell, and for the nearest agent where that is many cells away. The memory is
 * bounded by the capacity however large the world is: where there are more cells than the table has
 * entries, those far from each other share entries. Results are exact all the same.
 *
 * A build is O(N); a query takes about as long as reading the agents of all cells that it meets.
 * `visits` counts runs of cells. A ray walks its way in pieces of two cells, until one ends behind
 * what was hit; a way of very many pieces asks all agents instead.
 */
typedef struct copse_grid_def {
  uint32_t dimensions; /* 2 or 3 */
  uint32_t capacity;   /* the maximum number of agents; 1 … COPSE_MAX_CAPACITY */
  float cellSize;      /* > 0, finite; best as wide as the usual radius */
  copse_layout layout;
  copse_on_non_finite onNonFinite;
  copse_allocator allocator;
} copse_grid_def;

/* 2 dimensions, capacity 1,000, cellSize 1, interleaved, error, malloc. */
copse_grid_def copse_grid_default(void);
size_t copse_grid_bytes(const copse_grid_def *def);

/* As copse_agenttree_create. */
copse_status copse_grid_create(const copse_grid_def *def, copse_points **points);

/* ---- The k-d tree: for points that seldom move ----
 *
 * Spawn points, resources, way points. A balanced tree: every point is a node, the median of what
 * is below it along the axis of its level (x, y, (z,) x, …), and there are no links. It takes the
 * least memory of all indexes, and no set of points makes it deeper than log2 N. A build takes
 * several times as long as that of the agent tree, O(N log N) in the worst case too, and pays off
 * with many queries per build, the nearest before all; nearest_many takes about half as long for a
 * row as a query does. All builders give the same tree.
 */

typedef enum copse_builder {
  COPSE_BUILDER_QUICKSELECT,       /* medians by sampling: the fastest */
  COPSE_BUILDER_MEDIAN_OF_MEDIANS, /* medians in linear time, whatever the points are */
  COPSE_BUILDER_PRESORT,           /* sorts once per axis, in more memory: R. A. Brown, "Building a
                                    * balanced k-d tree in O(kn log n) time" (JCGT 4(1), 2015) */
} copse_builder;

typedef struct copse_kdtree_def {
  uint32_t dimensions; /* 2 or 3 */
  uint32_t capacity;   /* the maximum number of points; 1 … COPSE_MAX_CAPACITY */
  copse_builder builder;
  copse_layout layout;
  copse_on_non_finite onNonFinite;
  copse_allocator allocator;
} copse_kdtree_def;

/* 2 dimensions, capacity 1,000, quickselect, interleaved, error, malloc. */
copse_kdtree_def copse_kdtree_default(void);
size_t copse_kdtree_bytes(const copse_kdtree_def *def);

/* As copse_agenttree_create. */
copse_status copse_kdtree_create(const copse_kdtree_def *def, copse_points **points);

/* ---- Life and buffers ---- */

/* Frees the index; NULL is harmless. */
void copse_points_destroy(copse_points *points);

/* Grows to at least this capacity and keeps everything; pointers taken before are void.
 * COPSE_INVALID_ARGUMENT above COPSE_MAX_CAPACITY; on COPSE_OUT_OF_MEMORY everything is as it was.
 */
copse_status copse_points_reserve(copse_points *points, uint32_t capacity);

/* Returns the bytes that the object takes after reserve; 0 and SIZE_MAX as copse_agenttree_bytes.
 */
size_t copse_points_reserve_bytes(const copse_points *points, uint32_t capacity);

uint32_t copse_points_capacity(const copse_points *points);
uint32_t copse_points_dimensions(const copse_points *points);

/* How many slots are in use: 0 … count - 1. COPSE_FULL above the capacity. */
uint32_t copse_points_count(const copse_points *points);
copse_status copse_points_set_count(copse_points *points, uint32_t count);

/* Returns how many slots the last build had; 0 before the first. Arrays by slot that queries read
 * (masks, radii) need that many entries, also after the count was changed or restored. */
uint32_t copse_points_built(const copse_points *points);

/* The index's own buffers, for the caller to write: positions, and 32 group bits an agent. Owned by
 * the index, valid until reserve or destroy. Queries see changes from the next build on. */
copse_positions copse_points_positions(copse_points *points);
uint32_t *copse_points_groups(copse_points *points);

/* ---- Build ---- */

/* Builds from the buffers; queries answer for the last build, and are empty before the first.
 * Agents without a group are not looked at. On COPSE_NOT_FINITE the last build stays and *firstBad
 * (may be NULL) is the first such slot. No allocation. */
copse_status copse_points_build(copse_points *points, uint32_t *firstBad);

/* Builds from the caller's own arrays, which are not kept; groups may be NULL (all 1). Sets the
 * count. COPSE_FULL above the capacity, COPSE_INVALID_ARGUMENT for a missing axis. */
copse_status copse_points_build_from(copse_points *points, const copse_const_positions *positions,
                                     const uint32_t *groups, uint32_t count, uint32_t *firstBad);

/* ---- Queries: of the last build ----
 *
 * A center, corner or end is 2 or 3 floats. Coordinates that are not finite or too large, and radii
 * that are NaN or negative, are COPSE_INVALID_ARGUMENT. *visits may be NULL. Unsorted results come
 * in the order of the structure: leaves of the agent tree from left to right, columns of the grid
 * row by row, left subtree, node, right subtree of the k-d tree.
 */

/* Finds all agents within a radius of a center. radius 0: those exactly there; INFINITY: all. To
 * sort by distance needs distances2. */
copse_status copse_points_within(const copse_points *points, const float *center, float radius,
                                 const copse_query *query, copse_results *results);

/* Finds all agents in the closed box lo … hi, which may be infinite. No distances.
 * COPSE_INVALID_ARGUMENT: NaN, lo > hi, sort by distance. */
copse_status copse_points_range(const copse_points *points, const float *lo, const float *hi,
                                const copse_query *query, copse_results *results);

/* Finds the nearest agent, ties by lower id: *id, or COPSE_NONE. *distance2 may be NULL. */
copse_status copse_points_nearest(const copse_points *points, const float *center,
                                  const copse_query *query, uint32_t *id, float *distance2,
                                  uint32_t *visits);

/* Finds the k nearest agents, nearest first, ties by lower id; total = min(k, matches). Needs room
 * for min(k, count) results, ids and distances2: COPSE_INVALID_ARGUMENT otherwise. */
copse_status copse_points_neighbors(const copse_points *points, const float *center, uint32_t k,
                                    const copse_query *query, copse_results *results);

/* Counts the agents within a radius; nodes wholly inside are counted untested. */
copse_status copse_points_count_within(const copse_points *points, const float *center,
                                       float radius, const copse_query *query, uint32_t *total,
                                       uint32_t *visits);

/* Tells whether any agent is within a radius; stops at the first. */
copse_status copse_points_any_within(const copse_points *points, const float *center, float radius,
                                     const copse_query *query, bool *any, uint32_t *visits);

/* Finds all agents in a field of view: within the radius, and at most halfAngle (radians, 0 … pi)
 * off the direction (of any length but 0). An agent at the center is in view. The angle is tested
 * in float as dot(d, direction / |direction|) >= cos(halfAngle) * |d|. */
copse_status copse_points_cone(const copse_points *points, const float *center,
                               const float *direction, float halfAngle, float radius,
                               const copse_query *query, copse_results *results);

/* Finds the first agent that the segment from … to hits, ties by lower id. Agents are circles or
 * spheres around their positions: all of `radius`, INFINITY included, or, with `radii` (by slot),
 * each of its own; then `radius` is the greatest, the larger ones count as that, and those that are
 * NaN or negative as 0. An agent in which the segment begins is hit at 0; a segment of one point
 * hits those that cover it. Of the query, mask and exclude count. Cost: O(log N + agents within the
 * greatest radius of the way), ordinarily.
 *
 * Exactly, in double, each step rounded, sums in the order x, y, z: let m = center - from, e =
 * center - to, d = to - from, r2 = radius * radius, and c = the cross product of m and d.
 * - m.m <= r2: the fraction is 0. Else where m.d <= 0 there is no hit.
 * - Else it is hit if m.d < d.d and c.c <= d.d * r2, or if m.d >= d.d and e.e <= r2: at
 *   (m.d - sqrt(d.d * r2 - c.c)) / d.d, with the root of what is negative 0, clamped to 0 … 1,
 *   rounded to float.
 * c is exact where differences of coordinates have 26 bits or fewer, and no test is of a difference
 * of squares: small agents are hit or missed rightly far away, those of radius 0 where c is 0. */
copse_status copse_points_raycast(const copse_points *points, const float *from, const float *to,
                                  float radius, const float *radii, const copse_query *query,
                                  copse_hit *hit, uint32_t *visits);

/* ---- Batches: all agents, or many points, in one call ----
 *
 * `masks`, where there is one, holds a mask for each slot of the last build: whom that agent looks
 * for, on top of the query's mask; NULL: no such masks. Of the query, mask and maxDistance count,
 * and for points exclude; results have an order of their own, so sort must be COPSE_SORT_NONE. An
 * agent is never its own neighbor. Cost: about that of the results; some hundred agents near each
 * other are answered as a whole, from one gathering of what is around them. Takes 150 KB of stack.
 */

/* A row of ids for each slot or point. The caller owns the arrays. Row i is ids[offsets[i]] … ids
 * [offsets[i] + counts[i] - 1]. Rows are written one after the other: of points in their order, of
 * slots such that agents near each other have rows near each other, in an order that depends on the
 * last build and the query alone, as does the order of the ids in a row. When
 * `truncated`, the first row that does not fit and all after it are empty, while `total` counts
 * what all rows hold. */
typedef struct copse_rows {
  uint32_t *offsets, *counts; /* in: room for every slot in use or built, or every point */
  uint32_t *ids;              /* in: room for `capacity` ids */
  uint32_t capacity;          /* in */
  uint32_t total;             /* out */
  bool truncated;             /* out */
} copse_rows;

/* Rows of at most k ids and their squared distances, nearest first, ties by lower id: row i begins
 * at i * k and holds counts[i]. */
typedef struct copse_neighbor_rows {
  uint32_t *counts;  /* in: room for every slot in use or built, or every point */
  uint32_t *ids;     /* in: room for k times that */
  float *distances2; /* in: likewise */
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
 * are written while they fit. distances2 is not used. With `radii` (by slot), pairs whose circles
 * touch: distance2 <= (radius a + radius b) squared; then `distance` is not used. Both agents must
 * match the query's mask. */
copse_status copse_points_pairs(const copse_points *points, float distance, const float *radii,
                                const copse_query *query, copse_results *results);

/* Writes, for each of n centers (dimensions floats each), the agents within a radius. */
copse_status copse_points_within_many(const copse_points *points, const float *centers, uint32_t n,
                                      float radius, const copse_query *query, copse_rows *rows);

/* Writes, for each of n centers, the k nearest agents within query.maxDistance. */
copse_status copse_points_nearest_many(const copse_points *points, const float *centers, uint32_t n,
                                       uint32_t k, const copse_query *query,
                                       copse_neighbor_rows *rows);

/* Casts n segments (from and to, 2 * dimensions floats each) as copse_points_raycast does: ids and
 * fractions have room for n of each. */
copse_status copse_points_raycast_many(const copse_points *points, const float *segments,
                                       uint32_t n, float radius, const float *radii,
                                       const copse_query *query, uint32_t *ids, float *fractions);

/* Returns the slots of the last build in the order of the structure, and their number: neighbors in
 * space are near each other in it. Owned by the index, valid until the next build, restore or
 * reserve. A game that renumbers its agents so, now and then, has builds and queries that miss the
 * cache less. */
const uint32_t *copse_points_order(const copse_points *points, uint32_t *count);

/* ---- What is inside ---- */

/* Writes cells to draw: per cell its bounds (lo x, y, (z,) hi x, y, (z)), its depth and its number
 * of agents, 2 * dimensions + 2 floats. Nodes of the agent tree in preorder; cells of the grid that
 * hold agents, row by row, of depth 0 (those that share entries may come more than once, each agent
 * counted once); dividing lines, in 3D planes, of the k-d tree in preorder: boxes without width on
 * their axis. Skips the first `skipped` floats, a multiple of that, then writes whole cells while
 * they fit into `capacity` floats. Returns the number of floats of all cells. */
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

/* Checks everything that must hold inside; for tests. O(N log N). Needs the object to itself. */
bool copse_points_validate(const copse_points *points);

/* Writes a snapshot: count, positions and groups, and the agents of the last build, so that after
 * restore the object answers as it did. Little-endian. Writes only when everything fits, and always
 * sets *total, the bytes needed. COPSE_FULL: it does not fit; COPSE_NOT_FINITE: a position that
 * build would refuse: *firstBad (may be NULL) is its slot. */
copse_status copse_points_save(const copse_points *points, void *bytes, size_t capacity,
                               size_t *total, uint32_t *firstBad);

/* Takes the state of a snapshot saved by an index of the same structure, dimensions and options;
 * capacity, layout and builder may differ. Untrusted input: COPSE_BAD_SNAPSHOT and COPSE_FULL leave
 * everything as it was. The bytes must be aligned to 4: COPSE_INVALID_ARGUMENT. */
copse_status copse_points_restore(copse_points *points, const void *bytes, size_t size);

/* Returns what restore would say of a snapshot by its size and its first bytes alone (those that
 * there are, up to COPSE_SNAPSHOT_HEAD): for a reader that takes memory only for what will do. */
copse_status copse_points_restorable(const copse_points *points, const void *bytes, size_t size);

/* ---- Quadtree and octree ------------------------------------------------------------------- *
 *
 * For boxes and points that come, go and move one at a time: colliders, zones, pickups. In 2
 * dimensions a quadtree, in 3 an octree. The tree always answers for the present: there is no
 * build. Cells divide the world in halves; a cell is divided if and only if it may be and holds
 * more than leafSize items. Boxes are closed; their distance to a point is 0 inside, else computed
 * per axis as (lo - x) or (x - hi) and summed as for points. Items outside the world are kept and
 * found.
 *
 * An id is a slot, which insert hands out (the lowest that is free) and remove frees. Results come
 * in an order that depends on all changes so far and their order, and on nothing else.
 */

/* How deep these trees may be. */
#define COPSE_OCTREE_MAX_DEPTH 24

/* How loose: beyond that, cells would be so large that all divisions are in vain. */
#define COPSE_OCTREE_MAX_LOOSENESS 16.0f

typedef struct copse_octree_def {
  uint32_t dimensions; /* 2 or 3 */
  uint32_t capacity;   /* the most items; 1 … COPSE_MAX_CAPACITY */
  uint32_t leafSize; /* the most items in a cell that is not divided; 0: divide down to maxDepth */
  uint32_t maxDepth; /* 0 … COPSE_OCTREE_MAX_DEPTH; 0: one list */
  float looseness;   /* how much larger than itself a cell is for what it takes; from 1 (items on a
                      * dividing line stay above it) to COPSE_OCTREE_MAX_LOOSENESS */
  float bounds[6];   /* the world: lo x, y, (z,) hi x, y, (z); lo < hi */
  copse_allocator allocator;
} copse_octree_def;

typedef struct copse_octree copse_octree;

/* 2 dimensions, capacity 1,000, the world 0 … 1,000, malloc; leafSize, maxDepth and looseness as
 * measured best. */
copse_octree_def copse_octree_default(void);

size_t copse_octree_bytes(const copse_octree_def *def);

/* Creates a tree of no items, all groups 1. *tree is NULL on error. COPSE_INVALID_ARGUMENT,
 * COPSE_OUT_OF_MEMORY. */
copse_status copse_octree_create(const copse_octree_def *def, copse_octree **tree);

/* Frees the tree; NULL is harmless. */
void copse_octree_destroy(copse_octree *tree);

/* Grows to at least this capacity and keeps everything; pointers taken before are void.
 * On COPSE_OUT_OF_MEMORY the tree is as it was. */
copse_status copse_octree_reserve(copse_octree *tree, uint32_t capacity);
size_t copse_octree_reserve_bytes(const copse_octree *tree, uint32_t capacity);

uint32_t copse_octree_capacity(const copse_octree *tree);
uint32_t copse_octree_dimensions(const copse_octree *tree);

/* How many items there are. */
uint32_t copse_octree_count(const copse_octree *tree);

/* The tree's own buffers, valid until reserve or destroy. Boxes, 2 * dimensions floats a slot (lo
 * x, y, (z,) hi x, y, (z)): what the caller writes there counts from move_all on. 32 group bits a
 * slot, 1 at first: what the caller writes there counts at once. */
float *copse_octree_boxes(copse_octree *tree);
uint32_t *copse_octree_groups(copse_octree *tree);

/* By slot: odd while it is in use; one more at every insert and remove, so that a holder notices
 * reuse. */
const uint32_t *copse_octree_generations(const copse_octree *tree);
bool copse_octree_has(const copse_octree *tree, uint32_t slot);

/* Inserts a box (2 * dimensions floats; a point: both ends the same) in O(depth), unless a cell
 * divides. Writes it to boxes too. COPSE_NOT_FINITE, COPSE_INVALID_ARGUMENT (lo > hi), COPSE_FULL:
 * *slot is COPSE_NONE, and nothing has changed. */
copse_status copse_octree_insert(copse_octree *tree, const float *box, uint32_t *slot);

/* The same, in a free slot of the caller's choice: COPSE_INVALID_ARGUMENT where it is in use,
 * COPSE_FULL beyond the capacity. Its group is what the caller wrote there. */
copse_status copse_octree_insert_at(copse_octree *tree, uint32_t slot, const float *box);

/* COPSE_STALE_HANDLE: the slot is not in use. O(depth); the box may be anything by now. */
copse_status copse_octree_remove(copse_octree *tree, uint32_t slot);

/* Moves an item: O(1) within its cell, else O(depth). As insert; COPSE_STALE_HANDLE. */
copse_status copse_octree_move(copse_octree *tree, uint32_t slot, const float *box);

/* Removes all items. */
void copse_octree_clear(copse_octree *tree);

/* Everything moved: every item is now where `boxes` says, moved one by one or, where many left
 * their cells, built anew. On COPSE_NOT_FINITE and COPSE_INVALID_ARGUMENT (lo > hi) nothing has
 * changed, and *firstBad (may be NULL) is the first such slot. */
copse_status copse_octree_move_all(copse_octree *tree, uint32_t *firstBad);

/* All anew: the items are those in the slots 0 … count - 1, where `boxes` says: much faster than to
 * insert one by one. Errors as move_all; COPSE_FULL. */
copse_status copse_octree_load(copse_octree *tree, uint32_t count, uint32_t *firstBad);

/* All items that meet the closed box lo … hi, which may be a point or infinite; as for agents. */
copse_status copse_octree_range(const copse_octree *tree, const float *lo, const float *hi,
                                const copse_query *query, copse_results *results);

/* All items that meet a circle or sphere; as for agents. */
copse_status copse_octree_within(const copse_octree *tree, const float *center, float radius,
                                 const copse_query *query, copse_results *results);

copse_status copse_octree_nearest(const copse_octree *tree, const float *center,
                                  const copse_query *query, uint32_t *id, float *distance2,
                                  uint32_t *visits);

/* Needs room for min(k, count) results, ids and distances2. */
copse_status copse_octree_neighbors(const copse_octree *tree, const float *center, uint32_t k,
                                    const copse_query *query, copse_results *results);

copse_status copse_octree_count_within(const copse_octree *tree, const float *center, float radius,
                                       const copse_query *query, uint32_t *total, uint32_t *visits);
copse_status copse_octree_any_within(const copse_octree *tree, const float *center, float radius,
                                     const copse_query *query, bool *any, uint32_t *visits);

/* What a ray hits first of boxes. */
typedef struct copse_box_hit {
  uint32_t id;     /* COPSE_NONE: nobody */
  float fraction;  /* of the way: 0 at its begin, 1 at its end; nobody: 1 */
  float normal[3]; /* of the side that it hits: one of them 1 or -1; 0: it begins inside */
} copse_box_hit;

/* The first item that the segment from … to meets, ties by lower id. In double: it meets a box if
 * on every axis their intervals meet and, for every two axes u, v, not all corners are on one side
 * of its line, which compares products way[u] * (side - from[v]). The fraction is the greatest of
 * (side - from) / way over the axes on which it begins beyond that side, rounded to float; of axes
 * with equal ones the first has the normal. Of the query, mask and exclude count. */
copse_status copse_octree_raycast(const copse_octree *tree, const float *from, const float *to,
                                  const copse_query *query, copse_box_hit *hit, uint32_t *visits);

/* Each pair of items that meet, once: ids a, b, a, b, … with a < b, by ascending a. results.total
 * counts ids, twice the pairs; whole pairs are written while they fit. Both must match the mask. */
copse_status copse_octree_pairs(const copse_octree *tree, const copse_query *query,
                                copse_results *results);

/* The cells in preorder, to draw: per cell its bounds within the world, its depth and the number of
 * items in it and below, 2 * dimensions + 2 floats. Skips and writes as for the agent tree. */
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

/* O(nodes + capacity). */
copse_octree_statistics copse_octree_stats(const copse_octree *tree);

/* Checks every node, block and item; for tests. O(N * depth). */
bool copse_octree_validate(const copse_octree *tree);

/* A snapshot: items, slots, generations and groups; not what was written to boxes and not moved
 * yet. Restoring needs the same options but for the capacity, and checks bytes from anywhere:
 * COPSE_BAD_SNAPSHOT and COPSE_FULL leave the tree as it was. Afterwards everything goes on as it
 * would have, down to the order of results, unless nodes were unsplit. */
copse_status copse_octree_save(const copse_octree *tree, void *bytes, size_t capacity,
                               size_t *total);
copse_status copse_octree_restore(copse_octree *tree, const void *bytes, size_t size);
copse_status copse_octree_restorable(const copse_octree *tree, const void *bytes, size_t size);

/* ---- Obstacle tree ------------------------------------------------------------------------- *
 *
 * Walls, in 2 dimensions: what is near, what is in the way, what can be seen. Walls are the edges
 * of polygons, closed loops of vertices. A polygon that is added counter-clockwise (with y up) is
 * solid inside; one that is added clockwise is a boundary, solid outside. It stays so, whichever
 * way round its vertices are moved. Without area there is no inside: two vertices are a thin wall,
 * an edge for either side. Edges go counter-clockwise around what is solid and are seen from their
 * right, the free side; those of a polygon that was added without area go as its vertices do. Loops
 * may touch, cross each other and themselves: every query looks at edges one by one.
 *
 * An edge has the id of the first of its two vertices in the loop, a polygon that of its first
 * vertex: its slot. New vertices get the lowest ids that are free, in order: without removals
 * before they follow each other. An edge of no length (a vertex that is repeated) is kept in its
 * loop, but dropped from the tree.
 *
 * Space is divided by the lines of edges, where they divide it well, else by lines parallel to an
 * axis; edges that cross a line go to both sides, as pieces. Queries test whole edges and name each
 * once, so they give exactly what a loop over all edges gives, whatever the tree. They compute in
 * double from the float coordinates, in these steps, and round squared distances and fractions to
 * float at the end:
 *
 * - The side of p from a line a … b: (b - a) x (p - a), where u x v = u.x * v.y - u.y * v.x;
 *   positive: left.
 * - From a point p to an edge a … b: t = ((p - a) . (b - a)) / ((b - a) . (b - a)); the nearest
 *   point is a for t <= 0, b for t >= 1, else a + (b - a) * t.
 * - Two segments meet if their bounds do and the ends of neither lie strictly on one side of the
 *   other; touching is meeting. The ends of a sight or ray are put in order first (by x, then y),
 *   so that there and back give the same.
 *
 * Queries answer for the last build, and find nothing before the first.
 */
typedef struct copse_obstacle_def {
  uint32_t capacity; /* the most vertices; 1 … COPSE_MAX_CAPACITY */
  uint32_t pieces;   /* room for the pieces of edges, at least the capacity; 0: twice the capacity.
                      * Where it runs short, cells stay undivided: slower, as exact */
  uint32_t leafSize; /* pieces that a cell may hold undivided; at least 1. From the capacity on:
                      * one list, brute force */
  copse_allocator allocator;
} copse_obstacle_def;

typedef struct copse_obstacle copse_obstacle;

/* Capacity 1,000, malloc; leafSize as measured best. */
copse_obstacle_def copse_obstacle_default(void);

size_t copse_obstacle_bytes(const copse_obstacle_def *def);

/* Creates a tree of no walls. *tree is NULL on error. COPSE_INVALID_ARGUMENT, COPSE_OUT_OF_MEMORY.
 */
copse_status copse_obstacle_create(const copse_obstacle_def *def, copse_obstacle **tree);

/* Frees the tree; NULL is harmless. */
void copse_obstacle_destroy(copse_obstacle *tree);

/* Grows to at least this capacity, `pieces` in proportion, and keeps everything; pointers taken
 * before are void. On COPSE_OUT_OF_MEMORY the tree is as it was. */
copse_status copse_obstacle_reserve(copse_obstacle *tree, uint32_t capacity);
size_t copse_obstacle_reserve_bytes(const copse_obstacle *tree, uint32_t capacity);

uint32_t copse_obstacle_capacity(const copse_obstacle *tree);

/* How many vertices there are. */
uint32_t copse_obstacle_count(const copse_obstacle *tree);

/* By vertex, valid until reserve or destroy. Vertices: x, y; what the caller writes there counts
 * from the next build on. */
float *copse_obstacle_vertices(copse_obstacle *tree);
const uint32_t *copse_obstacle_next(const copse_obstacle *tree);     /* the vertex after it */
const uint32_t *copse_obstacle_polygons(const copse_obstacle *tree); /* whose it is */
/* Odd while it is in use; one more whenever it is taken and freed. */
const uint32_t *copse_obstacle_generations(const copse_obstacle *tree);

/* Whether a slot is a polygon's. */
bool copse_obstacle_has(const copse_obstacle *tree, uint32_t slot);

/* Returns how many vertices a polygon has; 0: the slot is not a polygon's. */
uint32_t copse_obstacle_size(const copse_obstacle *tree, uint32_t slot);

/* Adds a loop of vertices, x and y each. twoSided: its edges are seen from both sides, and it has
 * no inside. COPSE_INVALID_ARGUMENT (fewer than 2), COPSE_NOT_FINITE, COPSE_FULL: *slot is
 * COPSE_NONE, and nothing has changed. */
copse_status copse_obstacle_add(copse_obstacle *tree, const float *points, uint32_t count,
                                bool twoSided, uint32_t *slot);

/* COPSE_STALE_HANDLE: the slot is not a polygon's. O(its vertices). */
copse_status copse_obstacle_remove(copse_obstacle *tree, uint32_t slot);

/* Puts a polygon's vertices elsewhere; what is solid of it, inside or outside, stays. As add;
 * COPSE_INVALID_ARGUMENT: it has not so many; COPSE_STALE_HANDLE. */
copse_status copse_obstacle_move(copse_obstacle *tree, uint32_t slot, const float *points,
                                 uint32_t count);

/* Removes all polygons. */
void copse_obstacle_clear(copse_obstacle *tree);

/* Returns which way round a polygon's edges go: 1 counter-clockwise, solid inside; -1 clockwise, a
 * boundary; 0: by its vertices now it has no area, or the slot is not a polygon's. */
int copse_obstacle_winding(const copse_obstacle *tree, uint32_t slot);

/* Whether polygons were added, removed or moved since the last build. */
bool copse_obstacle_changed(const copse_obstacle *tree);

/* Builds the tree from the vertices as they are, O(N log N) for most N. What is solid of a polygon
 * stays, also where the caller wrote its vertices the other way round. COPSE_NOT_FINITE: the last
 * build stays, and *firstBad (may be NULL) is the first such vertex. The splitting line of a cell
 * is that with the least greater, then least smaller, number of pieces on a side: of all its edges,
 * up to a size, else of some that are spread over them. */
copse_status copse_obstacle_build(copse_obstacle *tree, uint32_t *firstBad);

typedef enum copse_side {
  COPSE_SIDE_BOTH,
  COPSE_SIDE_VISIBLE, /* only edges on whose right the asker is, and those of two sides */
} copse_side;

/* All edges within a radius, nearest first, ties by lower id. Needs results.distances2. */
copse_status copse_obstacle_within(const copse_obstacle *tree, const float *center, float radius,
                                   copse_side side, copse_results *results);

typedef struct copse_wall {
  uint32_t edge; /* COPSE_NONE: none; the rest is 0 */
  float distance2;
  float point[2]; /* the nearest on it */
} copse_wall;

/* The nearest edge, ties by lower id, not farther than maxDistance. */
copse_status copse_obstacle_nearest(const copse_obstacle *tree, const float *center,
                                    float maxDistance, copse_side side, copse_wall *wall,
                                    uint32_t *visits);

/* Whether the way between two points is free: no edge meets the segment or, with a radius above 0,
 * comes as near to it as that (of the four distances from an end to the other segment the least,
 * `<=`). The same there and back. From a point on a wall nothing is visible. */
copse_status copse_obstacle_visible(const copse_obstacle *tree, const float *from, const float *to,
                                    float radius, bool *visible, uint32_t *visits);

/* Of the agents with these ids those whose centers are visible, in the order given: writes them to
 * `kept`, which may be `ids`, and returns their number. Agents that are not finite are not seen. */
uint32_t copse_obstacle_keep_visible(const copse_obstacle *tree, const float *from,
                                     const copse_const_positions *positions, const uint32_t *ids,
                                     uint32_t count, uint32_t *kept);

typedef struct copse_wall_hit {
  uint32_t edge;   /* COPSE_NONE: none */
  float fraction;  /* of the way: 0 at its begin, 1 at its end; none: 1 */
  float point[2];  /* none: the end */
  float normal[2]; /* of the edge, towards where the ray begins; none: 0 */
} copse_wall_hit;

/* The first edge that a segment meets, ties by lower id. The fraction is a / (a - b), with a and b
 * the sides of its ends from the edge's line, within the fractions of the edge's ends along the
 * longer side of the segment's bounds; where a and b are 0, the lesser of those; within 0 … 1. */
copse_status copse_obstacle_raycast(const copse_obstacle *tree, const float *from, const float *to,
                                    copse_side side, copse_wall_hit *hit, uint32_t *visits);

/* For n segments (x0, y0, x1, y1 each) the edge and the fraction of what each meets first. */
copse_status copse_obstacle_raycast_many(const copse_obstacle *tree, const float *segments,
                                         uint32_t n, copse_side side, uint32_t *edges,
                                         float *fractions);

/* Whether a point is in something solid or on its border: wound around by more loops
 * counter-clockwise than clockwise, where outside of all counts 1 if there are boundaries. Thin and
 * two-sided walls are not solid. */
copse_status copse_obstacle_contains(const copse_obstacle *tree, const float *point, bool *inside,
                                     uint32_t *visits);

/* A corner of what can be seen, and the edge along which its border goes on from there, COPSE_NONE:
 * none, but the box, or a line of sight that passes a wall's end. */
typedef struct copse_corner {
  double x, y;
  uint32_t edge;
  uint32_t unused;
} copse_corner;

/* What can be seen from a point within the box lo … hi, which must be around it: a polygon,
 * counter-clockwise; its corners are rounded. From a point on a wall: none. *total is how many, and
 * they are written if no more than `capacity`, else COPSE_FULL. It needs room to work, for which 4
 * corners an edge and 20 more suffice where walls don't cross. O(V log V) for V edges in sight and
 * some behind. */
copse_status copse_obstacle_visibility(const copse_obstacle *tree, const float *from,
                                       const float *lo, const float *hi, copse_corner *corners,
                                       uint32_t capacity, uint32_t *total, uint32_t *visits);

/* The bounds of all edges of the last build, lo x, y, hi x, y: zeros for none. */
void copse_obstacle_bounds(const copse_obstacle *tree, float *bounds);

/* The cells in preorder, to draw: per cell the bounds of its pieces (x, y, x, y), its depth and
 * their number, 6 floats. Skips and writes as for the agent tree. */
size_t copse_obstacle_cells(const copse_obstacle *tree, size_t skipped, float *out,
                            size_t capacity);

/* The splitting lines in preorder, cut to their cells: x0, y0, x1, y1 and depth, 5 floats. */
size_t copse_obstacle_lines(const copse_obstacle *tree, size_t skipped, float *out,
                            size_t capacity);

typedef struct copse_obstacle_statistics {
  uint32_t edges;    /* in the tree */
  uint32_t dropped;  /* left out of it: they have no length */
  uint32_t pieces;   /* at least as many as edges */
  uint32_t nodes;    /* lines and cells */
  uint32_t leaves;   /* cells */
  uint32_t unsplit;  /* of them those with more than leafSize pieces, since no line divides them
                      * well, or there is no room for more pieces */
  uint32_t depth;    /* of the deepest; the root has depth 0 */
  uint32_t polygons; /* now, as the vertices */
  size_t bytes;      /* memory of the whole object */
} copse_obstacle_statistics;

copse_obstacle_statistics copse_obstacle_stats(const copse_obstacle *tree);

/* Checks loops, nodes and pieces; for tests. O(N * depth). Needs the object to itself. */
bool copse_obstacle_validate(const copse_obstacle *tree);

/* A snapshot: polygons and what is solid of them, slots and generations. Restoring needs the same
 * leafSize, builds, and checks bytes from anywhere: COPSE_BAD_SNAPSHOT and COPSE_FULL leave the
 * tree as it was. COPSE_NOT_FINITE of save: see build. */
copse_status copse_obstacle_save(const copse_obstacle *tree, void *bytes, size_t capacity,
                                 size_t *total, uint32_t *firstBad);
copse_status copse_obstacle_restore(copse_obstacle *tree, const void *bytes, size_t size);
copse_status copse_obstacle_restorable(const copse_obstacle *tree, const void *bytes, size_t size);

/* ---- Crowd --------------------------------------------------------------------------------- *
 *
 * Agents that each want to move somewhere and must not collide: discs in the plane, or spheres.
 * Every step each of them takes the velocity, of those that keep it clear of its neighbors and
 * walls for a while, that is nearest to the one it prefers; it counts on its neighbors to do half
 * of what is needed. (Optimal reciprocal collision avoidance: J. van den Berg, S. J. Guy, M. Lin,
 * D. Manocha, "Reciprocal n-body collision avoidance", 2011.)
 *
 * An id is a slot, which add hands out (the lowest that is free) and remove frees. What an agent is
 * and wants lies in arrays by slot, which the caller may read and write between calls. Of numbers
 * out of range the nearest in range counts, of NaN 0.
 *
 * Unless the crowd is exact, it adds to that what the algorithm leaves open. Who has someone in the
 * way turns a little to its right, so that those who meet in perfect symmetry pass. Who has arrived
 * stands still where it is. Who overlaps a wall, or is inside something solid (looked up every 32
 * steps), prefers the shortest way out.
 *
 * The same calls give the same bits everywhere, and so does a crowd restored from a snapshot.
 */

/* The most neighbors that an agent heeds. */
#define COPSE_CROWD_MAX_NEIGHBORS 64

/* The most constraints that walls make for an agent. Edges are walked outward, nearest first, and
 * one that nearer ones already keep the agent away from makes no constraint. From the 17th edge
 * that does, an edge counts as if it went on straight, so that it covers those that continue it:
 * walls of very many short edges make few constraints. Where there are more all the same, the agent
 * goes no farther in a step than to the first edge that has no place. */
#define COPSE_CROWD_WALLS 128

typedef struct copse_crowd_def {
  uint32_t dimensions;   /* 2 or 3 */
  uint32_t capacity;     /* the most agents; 1 … COPSE_MAX_CAPACITY */
  uint32_t maxNeighbors; /* the most that any agent of it heeds; 0 … COPSE_CROWD_MAX_NEIGHBORS */
  bool exact;            /* nothing but the published algorithm: see above */
  copse_allocator allocator;
} copse_crowd_def;

/* What an agent begins with; the arrays of a crowd hold the same by slot. In 2 dimensions the third
 * of three floats is not used. */
typedef struct copse_crowd_agent {
  float position[3];
  float velocity[3];
  float preferredVelocity[3]; /* where it would move if it were alone */
  float goal[3]; /* where it heads, at preferredSpeed, and stops; NaN: nowhere, and what is
                  * written to its preferred velocity counts */
  float preferredSpeed;
  float radius;
  float maxSpeed;
  float neighborDistance;     /* farther neighbors (between centers) are not heeded; inclusive */
  uint32_t maxNeighbors;      /* nor more than the nearest so many */
  float timeHorizon;          /* for how long its velocity has to be clear of neighbors, and of */
  float timeHorizonObstacles; /* walls; at least a time step */
  float maxAcceleration;      /* by how much its velocity may change in a second */
  float priority;             /* who avoids whom: of two agents one does its part of
                               * other's / (own + other's), each one half where both are 0 */
  uint32_t groups;            /* bits; in none: nobody avoids it, and it avoids nobody */
  uint32_t mask;              /* of the groups that it avoids; who is not avoided by another has to
                               * avoid it alone */
  uint32_t enabled;           /* 0: takes part in nothing */
  uint32_t locked;            /* not 0: is avoided, and moved by nobody but the caller, who writes
                               * its position and velocity */
} copse_crowd_agent;

typedef struct copse_crowd copse_crowd;

/* 2 dimensions, capacity 1,000, 10 neighbors, malloc. */
copse_crowd_def copse_crowd_default(void);

/* At 0, standing, without a goal; radius 0.5, maxSpeed 2, preferredSpeed 1, neighborDistance 10,
 * maxNeighbors 10, both horizons 2, maxAcceleration INFINITY, priority 0, group 1, all groups
 * avoided, enabled, not locked. */
copse_crowd_agent copse_crowd_agent_default(void);

size_t copse_crowd_bytes(const copse_crowd_def *def);

/* *crowd is NULL on error. COPSE_INVALID_ARGUMENT, COPSE_OUT_OF_MEMORY. */
copse_status copse_crowd_create(const copse_crowd_def *def, copse_crowd **crowd);

/* Frees the crowd; NULL is harmless. */
void copse_crowd_destroy(copse_crowd *crowd);

/* Grows to at least this capacity and keeps everything; pointers taken before are void.
 * On COPSE_OUT_OF_MEMORY the crowd is as it was. */
copse_status copse_crowd_reserve(copse_crowd *crowd, uint32_t capacity);
size_t copse_crowd_reserve_bytes(const copse_crowd *crowd, uint32_t capacity);

uint32_t copse_crowd_capacity(const copse_crowd *crowd);
uint32_t copse_crowd_dimensions(const copse_crowd *crowd);

/* How many agents there are. */
uint32_t copse_crowd_count(const copse_crowd *crowd);

/* The crowd's arrays, by slot: vectors of `dimensions` floats, and numbers. Valid until reserve or
 * destroy. */
typedef struct copse_crowd_arrays {
  float *positions, *velocities, *preferredVelocities, *goals;
  float *preferredSpeeds, *radii, *maxSpeeds, *neighborDistances;
  uint32_t *maxNeighbors;
  float *timeHorizons, *timeHorizonsObstacles;
  float *maxAccelerations, *priorities;
  uint32_t *groups, *masks, *enabled, *locked;
  const uint32_t *generations;     /* odd while in use; one more at every add and remove */
  const uint32_t *arrived, *stuck; /* slots: see copse_crowd_arrived and copse_crowd_stuck */
} copse_crowd_arrays;

copse_crowd_arrays copse_crowd_get(copse_crowd *crowd);
bool copse_crowd_has(const copse_crowd *crowd, uint32_t slot);

/* COPSE_NOT_FINITE (a position or velocity), COPSE_FULL: *slot is COPSE_NONE, and nothing has
 * changed. */
copse_status copse_crowd_add(copse_crowd *crowd, const copse_crowd_agent *agent, uint32_t *slot);

/* COPSE_STALE_HANDLE: the slot is not in use. */
copse_status copse_crowd_remove(copse_crowd *crowd, uint32_t slot);

/* Removes all agents. */
void copse_crowd_clear(copse_crowd *crowd);

/* Moves all agents by a time step: preferred velocities from goals, neighbors, walls (of their last
 * build; NULL: none), new velocities, new positions. O(N log N + N * neighbors).
 * COPSE_INVALID_ARGUMENT: the time step is not positive and finite, or there are walls in space.
 * COPSE_NOT_FINITE: a position, velocity or preferred velocity of an enabled agent is not;
 * *firstBad (may be NULL) is the first such slot. On any error nothing has changed. */
copse_status copse_crowd_step(copse_crowd *crowd, const copse_obstacle *walls, float timeStep,
                              uint32_t *firstBad);

/* How many agents arrived in the last step: came to their goal, or as near as others of the same
 * goal leave room, who arrived before. An agent arrives again only after it was pushed away, its
 * goal moved, or a place nearer to it came free. */
uint32_t copse_crowd_arrived(const copse_crowd *crowd);

/* How many got stuck: have come no nearer to their goal for 2 seconds. */
uint32_t copse_crowd_stuck(const copse_crowd *crowd);

/* What an agent heeds, as things are now: what the next step will take into account. */
typedef struct copse_crowd_view {
  uint32_t neighborCount, wallCount, constraintCount, wallConstraintCount;
  uint32_t neighbors[COPSE_CROWD_MAX_NEIGHBORS]; /* nearest first */
  uint32_t walls[COPSE_CROWD_WALLS];             /* the nearest edges, nearest first */
  /* Constraints on its velocity, those of walls first. In the plane x, y, direction x, y: permitted
   * is what lies left of the line through that point in that direction. In space a point and a unit
   * normal: what lies beyond. */
  float constraints[(COPSE_CROWD_MAX_NEIGHBORS + COPSE_CROWD_WALLS) * 6];
} copse_crowd_view;

/* O(N). COPSE_STALE_HANDLE, COPSE_INVALID_ARGUMENT as step. */
copse_status copse_crowd_look(copse_crowd *crowd, const copse_obstacle *walls, float timeStep,
                              uint32_t slot, copse_crowd_view *view);

typedef struct copse_crowd_statistics {
  uint32_t agents;
  uint32_t infeasible; /* agents for which no velocity was permitted in the last step */
  uint32_t overlaps;   /* agents that touched or overlapped a neighbor when it began */
  double neighbors;    /* of an agent, in the mean */
  double time;         /* the sum of all time steps */
  uint64_t steps;
  size_t bytes; /* memory of the whole object */
} copse_crowd_statistics;

copse_crowd_statistics copse_crowd_stats(const copse_crowd *crowd);

/* Returns a hash of everything that decides the future, steps and options included, but not the
 * capacity. Equal states have equal hashes; -0 counts as 0. */
uint32_t copse_crowd_hash(const copse_crowd *crowd);

/* A snapshot of everything that decides the future. Restoring needs the same dimensions,
 * maxNeighbors and exact, and checks bytes from anywhere: COPSE_BAD_SNAPSHOT and COPSE_FULL leave
 * the crowd as it was. Afterwards everything goes on bit for bit. COPSE_NOT_FINITE: see step; of
 * any agent, enabled or not. */
copse_status copse_crowd_save(const copse_crowd *crowd, void *bytes, size_t capacity, size_t *total,
                              uint32_t *firstBad);
copse_status copse_crowd_restore(copse_crowd *crowd, const void *bytes, size_t size);
copse_status copse_crowd_restorable(const copse_crowd *crowd, const void *bytes, size_t size);

#ifdef __cplusplus
}
#endif

#endif

/* The obstacle tree: walls in a binary space partition.
 *
 * An inner node holds a line: pieces of edges left of the line are in the left child's subtree,
 * pieces right of it in the right child's. Leaves hold the pieces. An edge that crosses a line is
 * split there into pieces; an uncut edge is one piece. Each piece has the edge's id and covers an
 * interval of the edge, in fractions from 0 to 1. The lines of nodes are relative to the center of
 * all edges, so that floats are precise where the walls are.
 *
 * A piece within a thin tolerance of a line may be stored on either side of it. Queries allow for
 * twice the tolerance and for their own rounding, so that they reach every piece that can matter.
 * Then they test the whole edge of the piece, in double, from the caller's coordinates. An edge may
 * be reached through several of its pieces. To report it once, a query picks one point of the edge,
 * such as the nearest: only the piece that contains this point reports the edge.
 *
 * After H. Fuchs, Z. M. Kedem, B. F. Naylor, "On visible surface generation by a priori tree
 * structures" (1980); the choice of lines after J. van den Berg and others, RVO2. */
#ifndef COPSE_OBSTACLE_H
#define COPSE_OBSTACLE_H

#include "../base/geom.h"

#include <math.h>

typedef struct obstacle_node {
  float normal[2];     /* unit normal of the line; points to its left side */
  float offset;        /* dot product of the normal and any point of the line */
  uint32_t left;       /* index of the left child; 0 in a leaf. The right child follows this node */
  uint32_t begin, end; /* the pieces in the node's subtree are begin … end - 1 */
} obstacle_node;

/* A part of an edge, see above. */
typedef struct obstacle_piece {
  uint32_t edge;
  float from, to; /* the interval of the edge that the piece covers, as fractions 0 … 1 */
} obstacle_piece;

/* The ends of an edge: the vertex that has the edge's id, then the next vertex of the loop; swapped
 * if the edge is reversed. The solid side is on the left of from … to. */
typedef struct obstacle_edge {
  float from[2], to[2];
} obstacle_edge;

/* How an edge is joined to the previous and the next edge of its loop. */
typedef struct obstacle_corner {
  uint32_t before, after; /* ids of the loop's previous and next edge, in the edge's direction */
  float direction[2];     /* unit vector along the edge */
  int32_t turn;           /* how the loop turns at the edge's start: 1 left, -1 right, 0 straight */
} obstacle_corner;

/* Pieces of edges while the tree is built. Their ends are in four arrays, so that SIMD code reads
 * the ends of four pieces at once. */
typedef struct obstacle_work {
  float *ends[4]; /* x0, y0, x1, y1 of each piece, relative to the tree's center */
  obstacle_piece *pieces;
} obstacle_work;

enum { OBSTACLE_STACK = COPSE_MAX_DEPTH + 1 };

/* The solid side of a polygon. Snapshots hold these values, so the values must never change. */
enum {
  SOLID_OUTSIDE = -1,
  SOLID_BY_WINDING, /* the polygon had no area when it was added: its current winding decides which
                     * side is solid */
  SOLID_INSIDE,
  SOLID_NOWHERE /* no solid side: edges are visible from both sides */
};

struct copse_obstacle {
  copse_obstacle_def def;
  void *memory; /* the block that holds all arrays */
  uint64_t memoryBytes;

  /* The current polygons, in arrays by vertex. */
  slots slots;
  float *vertices; /* the caller may write new coordinates here */
  uint32_t *next, *polygons;
  int32_t *solid; /* the solid side of a polygon (SOLID_…), stored at its first vertex; 0 at its
                   * other vertices */
  uint32_t polygonCount;
  uint32_t builds; /* the number of builds so far, to notice that the tree was built again */

  /* The edges of the last build, in arrays by edge id. An edge has the id of its first vertex. */
  obstacle_edge *edges;
  uint32_t *kinds;   /* bits EDGE_*; 0: the edge is not in the tree */
  float (*lines)[3]; /* normal x, y and offset of the edge's line, which can divide a node */
  obstacle_corner *corners;

  /* The tree of the last build. */
  obstacle_node *nodes;
  float (*boxes)[4]; /* by node: the bounds of all edges that have a piece in its subtree, as lo x,
                      * lo y, -hi x, -hi y: with hi negated, one SIMD minimum extends all four */
  obstacle_piece *pieces;
  float *pieceEnds[4]; /* by piece: the ends of the whole edge that it belongs to, x0, y0, x1, y1 */
  uint32_t nodeCount, pieceCount, edgeCount, dropped;
  float bounds[4];
  float center[2];
  float tolerance;
  bool hasBoundaries;
  bool changed; /* true if polygons differ from those of the last build */

  obstacle_work work[2];
};

/* Bits of `kinds`. EDGE_OF_AREA: the edge's polygon is neither two-sided nor a thin wall of two
 * vertices. EDGE_REVERSED: the edge runs from the second of its vertices to the first. */
enum { EDGE_PRESENT = 1, EDGE_TWO_SIDED = 2, EDGE_OF_AREA = 4, EDGE_REVERSED = 8 };

/* ---- Exact tests, in double, as documented in copse.h ---- */

typedef struct vec {
  double x, y;
} vec;

/* piece_from and piece_to return the start and the end of the whole edge that a piece belongs
 * to. */
ALWAYS_INLINE vec piece_from(const copse_obstacle *tree, uint32_t piece) {
  return (vec){(double)tree->pieceEnds[0][piece], (double)tree->pieceEnds[1][piece]};
}
ALWAYS_INLINE vec piece_to(const copse_obstacle *tree, uint32_t piece) {
  return (vec){(double)tree->pieceEnds[2][piece], (double)tree->pieceEnds[3][piece]};
}

ALWAYS_INLINE vec vec_of(const float *point) { return (vec){(double)point[0], (double)point[1]}; }
ALWAYS_INLINE vec vec_to(vec a, vec b) { return (vec){b.x - a.x, b.y - a.y}; }
ALWAYS_INLINE double vec_cross(vec u, vec v) { return u.x * v.y - u.y * v.x; }
ALWAYS_INLINE double vec_dot(vec u, vec v) { return u.x * v.x + u.y * v.y; }

/* Returns a positive number if p is left of the line from a to b, a negative number if p is right
 * of the line, 0 if p is on it. */
ALWAYS_INLINE double side_of(vec a, vec b, vec p) {
  WORKED(1);
  return vec_cross(vec_to(a, b), vec_to(a, p));
}

/* The point of an edge that is nearest to a given point, as a fraction of the edge and as
 * coordinates, and its squared distance from the given point. */
typedef struct foot {
  double fraction, x, y, distance2;
} foot;

ALWAYS_INLINE foot foot_on(vec a, vec b, vec p) {
  const vec way = vec_to(a, b), off = vec_to(a, p);
  const double along = vec_dot(off, way), length2 = vec_dot(way, way);
  foot nearest = {0, a.x, a.y, 0};
  if (along >= length2)
    nearest = (foot){1, b.x, b.y, 0};
  else if (along > 0) {
    const double fraction = along / length2;
    nearest = (foot){fraction, a.x + way.x * fraction, a.y + way.y * fraction, 0};
  }
  const vec gap = {p.x - nearest.x, p.y - nearest.y};
  nearest.distance2 = vec_dot(gap, gap);
  return nearest;
}

ALWAYS_INLINE bool is_between(double a, double b, double x) {
  return a < b ? a <= x && x <= b : b <= x && x <= a;
}

/* True if a segment p … q intersects an edge a … b. The ends p, q must be in the order that
 * in_order tests. The code has no branches, because they would be unpredictable. */
ALWAYS_INLINE bool segments_meet(vec p, vec q, vec a, vec b) {
  const bool aside = ((a.x < p.x) & (b.x < p.x)) | ((a.x > q.x) & (b.x > q.x)) |
                     ((a.y < p.y) & (b.y < p.y) & (a.y < q.y) & (b.y < q.y)) |
                     ((a.y > p.y) & (b.y > p.y) & (a.y > q.y) & (b.y > q.y));
  const double ofA = side_of(p, q, a), ofB = side_of(p, q, b);
  const double ofP = side_of(a, b, p), ofQ = side_of(a, b, q);
  const bool apart = ((ofA > 0) & (ofB > 0)) | ((ofA < 0) & (ofB < 0)) | ((ofP > 0) & (ofQ > 0)) |
                     ((ofP < 0) & (ofQ < 0));
  return !(aside | apart);
}

/* True if the ends of a segment are in the order that segments_meet expects: by x, then by y. */
ALWAYS_INLINE bool in_order(vec p, vec q) { return p.x < q.x || (p.x == q.x && p.y <= q.y); }

/* True if an edge, its ends included, contains a point. */
ALWAYS_INLINE bool edge_contains(vec a, vec b, vec p) {
  return is_between(a.x, b.x, p.x) && is_between(a.y, b.y, p.y) && side_of(a, b, p) == 0;
}

/* True if a piece contains the point at a fraction of its edge. Exactly one piece of the edge does:
 * the one that reports a result at this point. */
ALWAYS_INLINE bool piece_reports(const obstacle_piece *piece, double fraction) {
  return fraction >= (double)piece->from && (fraction < (double)piece->to || piece->to == 1);
}

/* ---- The sides of a node's line ---- */

/* Returns the signed distance from a node's line to a point: positive on the left of the line. x, y
 * is the point relative to the tree's center. */
ALWAYS_INLINE float node_side(const obstacle_node *node, float x, float y) {
  WORKED(1);
  return (node->normal[0] * x + node->normal[1] * y) - node->offset;
}

/* Returns a safety margin for queries around a point. A query skips the far side of a node's line
 * only if the point is farther from the line than the query's radius plus this margin. There are
 * three reasons. Pieces near the line may be stored on its wrong side. The point's distance from
 * the line is rounded. Distances below LEAST may have squares that underflow to 0, and then match
 * even a radius of 0. x, y is the point relative to the tree's center. */
ALWAYS_INLINE float obstacle_slack(const copse_obstacle *tree, float x, float y) {
  const float LEAST = 1e-22f, far = (x < 0 ? -x : x) + (y < 0 ? -y : y);
  return 2 * tree->tolerance + far * 0x1p-20f + LEAST;
}

/* ---- Shared by several files ---- */

/* A search for the edges around a point, those of COPSE_SIDE_VISIBLE, nearest first, a few at a
 * time. The caller can prune the search: if `covers` returns true for some points, the search may
 * skip the edges that are within the convex hull of these points. */
typedef struct obstacle_search {
  const float *center;
  float radius;
  bool (*covers)(const void *context, const float *points, uint32_t count);
  const void *context;
  float last2; /* squared distance of the last edge that was returned; -1 before the first */
  uint32_t last;
} obstacle_search;

/* Writes the next edges of a search, nearest first, ties by lower id. Returns their number, which
 * is less than `capacity` if there are no more. */
uint32_t obstacle_search_next(const copse_obstacle *tree, obstacle_search *search, uint32_t *edges,
                              float *distances2, uint32_t capacity);

/* Returns a piece of an edge that blocks the line of sight between two points, by the rules of
 * copse_obstacle_visible; COPSE_NONE if no edge does. The points must be valid coordinates. *visits
 * is the number of nodes visited. */
uint32_t obstacle_blocker(const copse_obstacle *tree, const float *from, const float *to,
                          float radius, uint32_t *visits);
/* True if the edge of a given piece blocks the line of sight between two points. */
bool obstacle_blocks(const copse_obstacle *tree, uint32_t piece, const float *from, const float *to,
                     float radius);

/* Makes the tree one empty leaf. */
void obstacle_empty(copse_obstacle *tree);
/* Returns the winding of a polygon's edges: 1 counter-clockwise, -1 clockwise, 0 no area. Sets
 * *isReversed to true if the edges run against the order of the vertices, to have the solid side on
 * their left. */
int obstacle_winding(const copse_obstacle *tree, uint32_t slot, bool *isReversed);

#endif

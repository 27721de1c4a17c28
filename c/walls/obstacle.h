/* The obstacle tree: walls in a binary space partition.
 *
 * A node is a line with all that lies left of it below one child, all that lies right below the
 * other; a leaf holds pieces of edges. An edge that crosses a line is split there, into pieces that
 * share its id and each cover some of its way from 0 to 1. Positions inside are relative to the
 * middle of all edges, so that floats are precise where the walls are.
 *
 * What lies within a thin tolerance of a line may be on either side; queries allow for twice that
 * and for their own rounding, so that they reach every piece that matters. Then they test the whole
 * edge, in double, from the caller's coordinates. What a query finds on an edge lies on one of its
 * pieces: only that piece reports it.
 *
 * After H. Fuchs, Z. M. Kedem, B. F. Naylor, "On visible surface generation by a priori tree
 * structures" (1980); the choice of lines after J. van den Berg and others, RVO2. */
#ifndef COPSE_OBSTACLE_H
#define COPSE_OBSTACLE_H

#include "../base/geom.h"

#include <math.h>

typedef struct obstacle_node {
  float normal[2];     /* of the line, to its left; unit length */
  float offset;        /* of its points along the normal */
  uint32_t left;       /* the right child is the next node; 0: a leaf */
  uint32_t begin, end; /* the pieces in it and below */
} obstacle_node;

typedef struct obstacle_piece {
  uint32_t edge;
  float from, to; /* of the edge's way */
} obstacle_piece;

/* Where an edge begins and ends. Vertices of its id and after it: in this order, unless it is
 * reversed, so that what is solid lies left. */
typedef struct obstacle_edge {
  float from[2], to[2];
} obstacle_edge;

/* An edge in its loop, for those who walk along walls. */
typedef struct obstacle_corner {
  uint32_t before, after; /* the edges that end where it begins, and begin where it ends */
  float direction[2];     /* of the edge; unit length */
  int32_t turn;           /* at its begin: positive to the left, negative to the right */
} obstacle_corner;

/* Pieces while the tree is built: their ends, in arrays for four at a time. */
typedef struct obstacle_work {
  float *ends[4]; /* x0, y0, x1, y1 */
  obstacle_piece *pieces;
} obstacle_work;

enum { OBSTACLE_STACK = COPSE_MAX_DEPTH + 1 };

/* What is solid of a polygon: the winding of its edges, or one of the others. That of snapshots,
 * too. */
enum {
  SOLID_OUTSIDE = -1,
  SOLID_BY_WINDING, /* of its vertices as they are: it had no area when it was added */
  SOLID_INSIDE,
  SOLID_NOWHERE /* it is two-sided */
};

struct copse_obstacle {
  copse_obstacle_def def;
  void *memory; /* holds all arrays */
  uint64_t memoryBytes;

  /* By vertex. */
  slots slots;
  float *vertices; /* the caller's side */
  uint32_t *next, *polygons;
  int32_t *solid; /* by polygon; other vertices: 0 */
  uint32_t polygonCount;
  bool changed;

  /* Of the last build, by vertex. */
  obstacle_edge *edges;
  uint32_t *kinds;   /* what the tree has of this edge */
  float (*lines)[3]; /* normal and offset, for the choice of a line */
  obstacle_corner *corners;

  /* The last build. */
  obstacle_node *nodes;
  float (*boxes)[4]; /* of each node the bounds of its edges: lo x, y, -hi x, -y */
  obstacle_piece *pieces;
  float *pieceEnds[4]; /* of each piece its whole edge: x0, y0, x1, y1 */
  uint32_t nodeCount, pieceCount, edgeCount, dropped;
  float bounds[4];
  float center[2];
  float tolerance;
  bool hasBoundaries;

  obstacle_work work[2];
};

/* Bits of `kinds`; 0: not in the tree. */
enum { EDGE_PRESENT = 1, EDGE_TWO_SIDED = 2, EDGE_OF_AREA = 4, EDGE_REVERSED = 8 };

/* ---- Exact tests, in double: those that copse.h tells ---- */

typedef struct vec {
  double x, y;
} vec;

/* The ends of a piece's edge. */
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

/* Positive when p lies left of the line a … b. */
ALWAYS_INLINE double side_of(vec a, vec b, vec p) { return vec_cross(vec_to(a, b), vec_to(a, p)); }

/* The nearest to a point on an edge: where on its way, and how far. */
typedef struct foot {
  double at, x, y, distance2;
} foot;

ALWAYS_INLINE foot foot_on(vec a, vec b, vec p) {
  const vec way = vec_to(a, b), off = vec_to(a, p);
  const double along = vec_dot(off, way), length2 = vec_dot(way, way);
  foot found = {0, a.x, a.y, 0};
  if (along >= length2)
    found = (foot){1, b.x, b.y, 0};
  else if (along > 0) {
    const double at = along / length2;
    found = (foot){at, a.x + way.x * at, a.y + way.y * at, 0};
  }
  const vec gap = {p.x - found.x, p.y - found.y};
  found.distance2 = vec_dot(gap, gap);
  return found;
}

ALWAYS_INLINE bool is_between(double a, double b, double x) {
  return a < b ? a <= x && x <= b : b <= x && x <= a;
}

/* Whether a segment p … q, its ends in order, meets an edge a … b. Without branches: which of these
 * hold is anyone's guess. */
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

/* Whether the ends of a segment are in order. */
ALWAYS_INLINE bool in_order(vec p, vec q) { return p.x < q.x || (p.x == q.x && p.y <= q.y); }

/* Whether a closed edge contains a point. */
ALWAYS_INLINE bool edge_contains(vec a, vec b, vec p) {
  return is_between(a.x, b.x, p.x) && is_between(a.y, b.y, p.y) && side_of(a, b, p) == 0;
}

/* Whether a piece is the one that reports what is found at a place on its edge's way. */
ALWAYS_INLINE bool piece_reports(const obstacle_piece *piece, double at) {
  return at >= (double)piece->from && (at < (double)piece->to || piece->to == 1);
}

/* ---- Sides of a node's line ---- */

/* How far left of it a point is, relative to the tree's center. */
ALWAYS_INLINE float node_side(const obstacle_node *node, float x, float y) {
  return (node->normal[0] * x + node->normal[1] * y) - node->offset;
}

/* How far beyond a line a query about points so far from the center has to look. What is nearer
 * than LEAST has a squared distance that floats round. */
ALWAYS_INLINE float obstacle_slack(const copse_obstacle *tree, float x, float y) {
  const float LEAST = 1e-22f, far = (x < 0 ? -x : x) + (y < 0 ? -y : y);
  return 2 * tree->tolerance + far * 0x1p-20f + LEAST;
}

/* ---- What several files call ---- */

/* A search for the edges around a point that it sees, nearest first, a few at a time. The caller
 * may say that edges do not matter: `covers` returns whether that is so of all that lies between
 * some points. */
typedef struct obstacle_search {
  const float *center;
  float radius;
  bool (*covers)(const void *context, const float *points, uint32_t count);
  const void *context;
  float last2; /* the search goes on behind this distance and edge: at first -1 */
  uint32_t last;
} obstacle_search;

/* Writes the next edges, ties by lower id. Returns how many: fewer than `capacity` are the last. */
uint32_t obstacle_search_next(const copse_obstacle *tree, obstacle_search *search, uint32_t *edges,
                              float *distances2, uint32_t capacity);

/* The tree of no edges. */
void obstacle_empty(copse_obstacle *tree);
/* Returns which way round the edges of a polygon go: 1 counter-clockwise around what is solid, -1
 * clockwise, 0 for no area. *isReversed: its vertices, where they are now, go the other way. */
int obstacle_winding(const copse_obstacle *tree, uint32_t slot, bool *isReversed);

#endif

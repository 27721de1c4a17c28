/* The obstacle tree: walls in a binary space partition.
 *
 * An inner node is a line: pieces left of it are below one child, pieces right of it below the
 * other. A leaf holds pieces of edges. An edge that crosses a line is split there into pieces. Each
 * piece has the edge's id and covers an interval of the edge, in fractions from 0 to 1. Positions
 * in the tree are relative to the center of all edges, so that floats are precise where the walls
 * are.
 *
 * A piece within a thin tolerance of a line may be on either side. Queries allow for twice the
 * tolerance and for their own rounding, so that they reach every piece that can matter. Then they
 * test the whole edge, in double, from the caller's coordinates. The result is a point of the edge.
 * It lies on one of the edge's pieces, and only that piece reports it.
 *
 * After H. Fuchs, Z. M. Kedem, B. F. Naylor, "On visible surface generation by a priori tree
 * structures" (1980); the choice of lines after J. van den Berg and others, RVO2. */
#ifndef COPSE_OBSTACLE_H
#define COPSE_OBSTACLE_H

#include "../base/geom.h"

#include <math.h>

typedef struct obstacle_node {
  float normal[2];     /* of the line, pointing left; unit length */
  float offset;        /* dot product of the normal and any point of the line */
  uint32_t left;       /* the left child; 0 in a leaf. The right child is the next node */
  uint32_t begin, end; /* the pieces of its subtree */
} obstacle_node;

typedef struct obstacle_piece {
  uint32_t edge;
  float from, to; /* fractions of the edge */
} obstacle_piece;

/* The ends of an edge: the vertex of its id and the next one, in this order unless the edge is
 * reversed. The solid side is left. */
typedef struct obstacle_edge {
  float from[2], to[2];
} obstacle_edge;

/* An edge's neighbors in its loop, and its turn. */
typedef struct obstacle_corner {
  uint32_t before, after; /* the edge that ends at its start, the edge that starts at its end */
  float direction[2];     /* unit vector along the edge */
  int32_t turn;           /* of the loop at its start: 1 left, -1 right, 0 straight */
} obstacle_corner;

/* Pieces while the tree is built. Their ends are in arrays, to be read four at a time. */
typedef struct obstacle_work {
  float *ends[4]; /* x0, y0, x1, y1 */
  obstacle_piece *pieces;
} obstacle_work;

enum { OBSTACLE_STACK = COPSE_MAX_DEPTH + 1 };

/* The solid side of a polygon. Snapshots hold these values. */
enum {
  SOLID_OUTSIDE = -1,
  SOLID_BY_WINDING, /* by the current winding: the polygon had no area when it was added */
  SOLID_INSIDE,
  SOLID_NOWHERE /* two-sided */
};

struct copse_obstacle {
  copse_obstacle_def def;
  void *memory; /* holds all arrays */
  uint64_t memoryBytes;

  /* By vertex: the current polygons. */
  slots slots;
  float *vertices; /* written by the caller */
  uint32_t *next, *polygons;
  int32_t *solid; /* the solid side of a polygon, at its first vertex; 0 at the others */
  uint32_t polygonCount;
  bool changed;

  /* By vertex: the edges of the last build. */
  obstacle_edge *edges;
  uint32_t *kinds;   /* bits EDGE_*; 0: the edge is not in the tree */
  float (*lines)[3]; /* normal and offset of the edge's line: candidates for nodes */
  obstacle_corner *corners;

  /* The tree of the last build. */
  obstacle_node *nodes;
  float (*boxes)[4]; /* by node, the bounds of its whole edges: lo x, lo y, -hi x, -hi y */
  obstacle_piece *pieces;
  float *pieceEnds[4]; /* by piece, the ends of its whole edge: x0, y0, x1, y1 */
  uint32_t nodeCount, pieceCount, edgeCount, dropped;
  float bounds[4];
  float center[2];
  float tolerance;
  bool hasBoundaries;

  obstacle_work work[2];
};

/* Bits of `kinds`. */
enum { EDGE_PRESENT = 1, EDGE_TWO_SIDED = 2, EDGE_OF_AREA = 4, EDGE_REVERSED = 8 };

/* ---- Exact tests, in double, as documented in copse.h ---- */

typedef struct vec {
  double x, y;
} vec;

/* Return the two ends of the whole edge that a piece belongs to. */
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

/* Returns a positive number if p is left of the line a … b, a negative one if it is right of it. */
ALWAYS_INLINE double side_of(vec a, vec b, vec p) {
  WORKED(1);
  return vec_cross(vec_to(a, b), vec_to(a, p));
}

/* The point of an edge that is nearest to a given point: its fraction of the edge, its position,
 * and its squared distance. */
typedef struct foot {
  double fraction, x, y, distance2;
} foot;

ALWAYS_INLINE foot foot_on(vec a, vec b, vec p) {
  WORKED(1);
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

/* True if a segment p … q, whose ends must be in order, intersects an edge a … b. Has no branches,
 * because they would be unpredictable. */
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

/* True if the ends of a segment are in the order that segments_meet expects. */
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

/* Returns the signed distance of a point, relative to the tree's center, from a node's line:
 * positive left of it. */
ALWAYS_INLINE float node_side(const obstacle_node *node, float x, float y) {
  WORKED(1);
  return (node->normal[0] * x + node->normal[1] * y) - node->offset;
}

/* Returns how far beyond a line a query for a point has to look. x, y is the point relative to the
 * center. LEAST covers distances whose squares underflow. */
ALWAYS_INLINE float obstacle_slack(const copse_obstacle *tree, float x, float y) {
  const float LEAST = 1e-22f, far = (x < 0 ? -x : x) + (y < 0 ? -y : y);
  return 2 * tree->tolerance + far * 0x1p-20f + LEAST;
}

/* ---- Shared by several files ---- */

/* A search for the edges around a point that face it, nearest first, a few at a time. The caller
 * can prune: `covers` returns true if edges within the convex hull of some points don't matter. */
typedef struct obstacle_search {
  const float *center;
  float radius;
  bool (*covers)(const void *context, const float *points, uint32_t count);
  const void *context;
  float last2; /* squared distance of the last edge returned; -1 before the first */
  uint32_t last;
} obstacle_search;

/* Writes the next edges, ties by lower id. Returns their number, which is less than `capacity` if
 * there are no more. */
uint32_t obstacle_search_next(const copse_obstacle *tree, obstacle_search *search, uint32_t *edges,
                              float *distances2, uint32_t capacity);

/* Makes the tree one empty leaf. */
void obstacle_empty(copse_obstacle *tree);
/* Returns the winding of a polygon's edges: 1 is counter-clockwise (solid inside), -1 clockwise
 * (solid outside), 0 without an area. Sets *isReversed to true if the vertices now run in the
 * opposite order. */
int obstacle_winding(const copse_obstacle *tree, uint32_t slot, bool *isReversed);

#endif

/* The flow field: paths around walls to the nearest of some goals.
 *
 * The area is divided into square cells. A *map* says for each cell how long the path from the
 * cell's center to the nearest goal is, and which *anchor* is the first on that path: a point to
 * which the center has a clear line of sight. Anchors are the goals and the *turning points*, which
 * are just off the corners of walls. Each anchor has a parent, the next anchor of the path; a goal
 * has none. So a path is a position, its anchor, that anchor's parent, and so on, and is as
 * straight as walls allow. "Clear" means farther than the radius from all walls, and in no closed
 * cell.
 *
 * A build marks the cells that walls block, finds the turning points, and then takes anchors from a
 * heap, nearest first, as in Dijkstra's algorithm. Each anchor *floods*: from its cell outward,
 * ring by ring, the cells that see the anchor, and get a shorter path through it, are assigned to
 * it. Most cells need no test of their line of sight. The line from a cell to the anchor crosses a
 * *square*, whose corners are the centers of four cells, and passes between two cells of the
 * previous ring. If both of these see the anchor, and the square is clear of walls, then the cell
 * sees the anchor too: any other wall in the way would be within half a cell of the line of sight
 * of one of the two. So this rule needs a radius of at least half a cell. Cells that it does not
 * cover are tested exactly.
 *
 * An exact test uses `reach`, the radius plus a little, so that untested lines of sight keep the
 * radius in spite of rounding.
 *
 * There are two maps: queries read one while the other is built, a step at a time.
 *
 * The order of anchors is that of the continuous Dijkstra method: J. S. B. Mitchell, "Shortest
 * paths among obstacles in the plane" (1996). */
#ifndef COPSE_FLOWFIELD_H
#define COPSE_FLOWFIELD_H

#include "../walls/obstacle.h"

enum {
  NO_ANCHOR = UINT16_MAX,
  LINK_CELLS = 8 /* an anchor is linked to all turning points in sight within this many cells, to
                  * find paths through gaps narrower than a cell */
};

/* Bits of a cell. Two of them describe the cell's *square*. Its corners are the centers of four
 * cells: this cell, the next one along x, and the two cells above these. */
enum {
  CELL_BLOCKED = 1,        /* closed, or its center is in a solid area or within `reach` of a
                            * wall */
  CELL_SQUARE_BLOCKED = 2, /* one of the four cells around the cell's square is blocked or missing,
                            * or CELL_NEAR_VERTEX is set */
  CELL_NEAR_VERTEX = 4,    /* an end of an edge is within `reach` of the cell's square: that between
                            * the centers of this cell, the next one along x, and the two above */
  CELL_CLOSED = 8,         /* the game closed the cell */
  CELL_TURNS = 16,         /* a turning point is in the cell or in one of the 8 around it */
  CELL_GOAL = 32,          /* part of a goal's area is in the cell */
  CELL_BITS = 63
};

/* A point that paths lead to: a goal, a turning point or, in narrow passages, a cell's center. */
typedef struct flow_anchor {
  float point[2];
  float distance;     /* length of the path to a goal, plus the goal's cost; INFINITY: no path */
  uint16_t parent;    /* the next anchor of the path; NO_ANCHOR: a goal, or not reached */
  uint16_t isWaiting; /* 1 if the point waits in the heap; snapshots hold this, not the heap */
} flow_anchor;

typedef struct flow_map {
  float *distances; /* by cell: length of the path from its center to a goal; INFINITY: no path */
  uint16_t *aims;   /* by cell: the first anchor on the path from its center; NO_ANCHOR: no path */
  uint8_t *cells;   /* by cell: bits CELL_* */
  flow_anchor *anchors; /* turning points, goals, then centers of cells (see flow_mend_row) */
  copse_flowfield_goal *goals;
  uint32_t anchorCount, goalCount;
  uint32_t turns; /* the number of turning points, which are the first anchors */
  uint32_t moved; /* the number of goals that were not at a free place */
  float radius, reach;
  uint32_t hasClosed; /* 1 if a cell is closed */
  /* These members tell if the walls have changed since the build. wallsHash: a hash of the edges at
   * that time. wallsBuilds: the tree's number of builds when its edges were last compared with this
   * hash. isMatched, the result of the comparison, holds until the tree is built again. */
  uint32_t wallsHash, wallsBuilds;
  bool isMatched;
  /* Counts of what the build did, for statistics. */
  uint32_t blocked, floods;
  uint64_t visits, sights, work;
} flow_map;

/* The stages of a build, in this order. Snapshots hold these values, so they must never change. */
typedef enum flow_stage {
  FLOW_IDLE,    /* no build is under way */
  FLOW_RASTER,  /* marks blocked cells, some rows at a time */
  FLOW_TURNS,   /* finds turning points at corners of walls, at a part of the walls per call */
  FLOW_CORNERS, /* finds turning points at corners of closed cells, row by row */
  FLOW_GOALS,   /* adds the goals as anchors, one by one */
  FLOW_SPREAD   /* floods from anchors; then looks for cells that floods missed, row by row */
} flow_stage;

/* A run of adjacent cells on one side of a ring around an anchor's cell, as offsets from that cell
 * along the side. */
typedef struct flow_span {
  int32_t first, last;
} flow_span;

enum { RING_SIDES = 4 };

struct copse_flowfield {
  copse_flowfield_def def;
  const copse_obstacle *walls; /* NULL: none. Not owned */
  void *memory;                /* the block that holds all arrays */
  uint64_t memoryBytes;
  uint32_t columns, rows;

  /* Settings that the next build uses. */
  uint8_t *closed; /* by cell: not 0 if closed. Written by the caller */
  copse_flowfield_goal *goals;
  uint32_t goalCount;
  float radius;

  flow_map maps[2];
  uint32_t shown; /* the index of the map that queries see; a build writes the other map */
  bool isBuilt;

  /* The build under way. */
  flow_stage stage;
  uint32_t cursor;   /* the row, edge or goal at which the stage continues */
  uint32_t needed;   /* the number of anchors so far, including those for which there is no room */
  uint32_t gained;   /* how many anchors the current search for missed cells has added */
  uint32_t restarts; /* how often an update began the build again because the walls had changed */

  /* Scratch memory of builds. */
  uint32_t *stamps;         /* by cell: the number of the last flood (a search from an anchor) that
                             * saw the cell */
  uint32_t *tested;         /* by anchor: the number of the last flood that tested it */
  uint16_t *heap, *places;  /* a heap of anchors (goals and turning points) to flood from;
                             * places[anchor]: an anchor's index in it, or NO_ANCHOR */
  uint16_t *firsts, *nexts; /* by cell: its first turning point; by point: the next in its cell */
  uint32_t waiting, flood;
  flow_span *spans[2][RING_SIDES];
};

/* ---- Geometry ---- */

ALWAYS_INLINE uint32_t flow_cell_count(const copse_flowfield *field) {
  return field->columns * field->rows;
}
/* Returns a coordinate of a cell's center. `index` is the column (axis 0) or the row (axis 1). */
float flow_center(const copse_flowfield *field, int axis, uint32_t index);
void flow_center_of(const copse_flowfield *field, uint32_t cell, float *center);
/* Converts a coordinate to cells: 0 at the center of the first column or row, 1 at the next. */
double flow_place(const copse_flowfield *field, int axis, double coordinate);
/* Returns `place` rounded down and clamped to lo … hi. */
int32_t flow_floor(double place, int32_t lo, int32_t hi);
/* Returns the cell of a point; if the point is outside of the field, the nearest cell. */
uint32_t flow_cell_at(const copse_flowfield *field, const float *point);
bool flow_covers(const copse_flowfield *field, const float *point);
float flow_length(const float *from, const float *to);

ALWAYS_INLINE bool flow_is_in(const copse_flowfield_goal *goal, const float *point) {
  return point[0] >= goal->lo[0] && point[0] <= goal->hi[0] && point[1] >= goal->lo[1] &&
         point[1] <= goal->hi[1];
}

/* ---- Shared by several files ---- */

/* True if a segment touches no closed cell, even if the segment is widened by a margin along both
 * axes. */
bool flow_is_open(const copse_flowfield *field, const flow_map *map, const float *from,
                  const float *to, float margin);
/* True if the straight path between two points keeps farther than `radius` from all walls, and
 * touches no closed cell. If `radius` exceeds the map's radius by some distance, the path must also
 * keep this distance from closed cells. */
bool flow_sees(const copse_flowfield *field, const flow_map *map, const float *from,
               const float *to, float radius);
/* True if the field's walls are known to be those that the map was made from. */
bool flow_is_current(const copse_flowfield *field, const flow_map *map);
/* Sets map->isMatched: compares the hash of the field's walls with the hash in the map. */
void flow_match_walls(const copse_flowfield *field, flow_map *map);
/* Returns a hash of the edges in the last build of an obstacle tree; 0 if `walls` is NULL. */
uint32_t flow_hash_walls(const copse_obstacle *walls);

/* Marks the blocked cells of rows first … end - 1. Then marks the blocked squares, which lie
 * between the centers of cells in two marked rows. Call this for all rows in ascending order. */
void flow_raster_rows(copse_flowfield *field, flow_map *map, uint32_t first, uint32_t end);
/* The next three functions add anchors: turning points where an edge starts; turning points at
 * corners of closed cells, between a row and the next one; the anchors of a goal. `count` is the
 * number of anchors so far. Each function returns the new number, which includes anchors for which
 * there is no room. */
uint32_t flow_turns_of_edge(copse_flowfield *field, flow_map *map, uint32_t edge, uint32_t count);
uint32_t flow_turns_of_row(copse_flowfield *field, flow_map *map, uint32_t row, uint32_t count);
uint32_t flow_add_goal(copse_flowfield *field, flow_map *map, uint32_t index, uint32_t count);
/* Adds a turning point to the list of its cell. Sets CELL_TURNS in the 3 x 3 cells around it. */
void flow_link(copse_flowfield *field, flow_map *map, uint32_t anchor);

/* Puts an anchor into the heap of anchors to flood from, or moves it up after its distance
 * decreased. */
void flow_wait(copse_flowfield *field, flow_map *map, uint32_t anchor);
/* Floods from the anchor (a goal or turning point) with the shortest path to a goal, after taking
 * it out of the heap, which must not be empty. */
void flow_spread(copse_flowfield *field, flow_map *map);
/* Looks in a row for the first cell that floods missed, as may happen in narrow passages: a cell
 * whose path to a goal would be shorter through the center of a neighboring cell. Makes that center
 * an anchor. False if there is no room for the anchor. */
bool flow_mend_row(copse_flowfield *field, flow_map *map, uint32_t row);

/* Returns the distance from walls that a build tests for: the radius, plus a margin for rounding
 * errors, which grow with the coordinates of the field's bounds. */
float flow_reach(const copse_flowfield *field, float radius);
/* Fills the scratch arrays of the build under way again, after the maps were moved or restored.
 * Drops the build if there was no room for some anchors. */
void flow_resume(copse_flowfield *field);
/* True if the coordinates and costs of goals are in range. */
bool flow_goals_ok(const copse_flowfield_goal *goals, uint32_t count);

#endif

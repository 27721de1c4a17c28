/* The flow field: ways around walls to the nearest of some goals.
 *
 * The area is divided into square cells. A *map* says for each cell how far its center is from the
 * goals, and by which *anchor*: the next point of the way, to which the center has a clear line of
 * sight. Anchors are the goals and the *turning points*, which are just off the corners of walls.
 * Each anchor has a parent, the next anchor of the way; a goal has none. So a way is a position,
 * its anchor, that anchor's parent, and so on, and is as straight as walls allow. "Clear" means
 * farther than the radius from all walls, and in no closed cell.
 *
 * A build marks the cells that walls block, finds the turning points, and then takes anchors from a
 * heap, nearest first, as in Dijkstra's algorithm. Each anchor *floods*: from its cell outward,
 * ring by ring, it takes the cells that it sees and brings nearer to a goal. The line of sight from
 * a cell to the anchor crosses the previous ring between two cells. If both see the anchor, and the
 * square between the four centers is clear of walls, then the cell sees it as well: a wall between
 * the two lines of sight would be within half a cell of one of them. This saves most tests, but is
 * true only if the radius is at least half a cell. Other cells are tested exactly.
 *
 * An exact test compares with `reach`, which is the radius plus a little: more than rounding can
 * make a line of sight that was not tested come nearer to a wall than one that was.
 *
 * There are two maps: one is shown to queries while the other is built, a step at a time.
 *
 * The order of anchors is that of the continuous Dijkstra method: J. S. B. Mitchell, "Shortest
 * paths among obstacles in the plane" (1996). */
#ifndef COPSE_FLOWFIELD_H
#define COPSE_FLOWFIELD_H

#include "../walls/obstacle.h"

enum {
  NO_ANCHOR = UINT16_MAX,
  LINK_CELLS = 8 /* an anchor is linked to all turning points in sight within so many cells: so ways
                  * through gaps narrower than a cell are found */
};

/* Bits of a cell. A square is that of the four centers of a cell, the next one along x, and the two
 * above: it has the index of its lowest cell. */
enum {
  CELL_BLOCKED = 1,        /* the center is within reach of a wall, in a solid area, or closed */
  CELL_SQUARE_BLOCKED = 2, /* the square is not clear, or is partly outside of the field */
  CELL_NEAR_VERTEX = 4,    /* the square is within reach of an edge's end */
  CELL_CLOSED = 8,         /* the game closed the cell */
  CELL_TURNS = 16,         /* a turning point is in the cell or in one of the 8 around it */
  CELL_GOAL = 32,          /* a goal that is an area reaches into the cell */
  CELL_BITS = 63
};

typedef struct flow_anchor {
  float point[2];
  float distance;     /* from a goal, including the goal's cost; INFINITY: not reached */
  uint16_t parent;    /* the next anchor of the way; NO_ANCHOR: a goal, or not reached */
  uint16_t isWaiting; /* 1 if it is in the heap. Kept for snapshots */
} flow_anchor;

typedef struct flow_map {
  float *distances;     /* by cell; INFINITY: not reached */
  uint16_t *aims;       /* by cell: the anchor */
  uint8_t *cells;       /* by cell: bits CELL_* */
  flow_anchor *anchors; /* turning points, goals, then centers of cells beside unreached ones */
  copse_flowfield_goal *goals;
  uint32_t anchorCount, goalCount;
  uint32_t turns; /* the first anchors are turning points: so many */
  uint32_t moved; /* goals that were moved to a free place */
  float radius, reach;
  uint32_t hasClosed; /* 1 if a cell is closed */
  /* Walls are the same if the tree has not been built since, or if the hash of its edges is equal.
   */
  uint32_t wallsHash, wallsBuilds;
  bool isMatched; /* false: the walls differ, whatever wallsBuilds is */
  /* What the build did, for statistics. */
  uint32_t blocked, floods;
  uint64_t visits, sights, work;
} flow_map;

/* The steps of a build, in this order. Snapshots hold these values, so they must never change. */
typedef enum flow_stage {
  FLOW_IDLE,    /* no build is under way */
  FLOW_RASTER,  /* marks blocked cells, some rows at a time */
  FLOW_TURNS,   /* finds turning points at corners of walls, some edges at a time */
  FLOW_CORNERS, /* finds turning points at corners of closed cells, row by row */
  FLOW_GOALS,   /* adds the goals as anchors, one by one */
  FLOW_SPREAD   /* floods; then looks for cells that floods missed, row by row */
} flow_stage;

/* Some adjacent cells on one side of a ring, as offsets from the anchor's cell along that side. */
typedef struct flow_span {
  int32_t first, last;
} flow_span;

enum { RING_SIDES = 4 };

struct copse_flowfield {
  copse_flowfield_def def;
  const copse_obstacle *walls; /* NULL: none. Not owned */
  void *memory;                /* holds all arrays */
  uint64_t memoryBytes;
  uint32_t columns, rows;

  /* What the next build takes. */
  uint8_t *closed; /* by cell, written by the caller */
  copse_flowfield_goal *goals;
  uint32_t goalCount;
  float radius;

  flow_map maps[2];
  uint32_t shown; /* the index of the map that queries see; the other one is built */
  bool isBuilt;

  /* The build under way. */
  flow_stage stage;
  uint32_t cursor;   /* the row, edge or goal at which the stage continues */
  uint32_t needed;   /* the number of anchors so far, including those without room */
  uint32_t gained;   /* anchors that the current search for missed cells has added */
  uint32_t restarts; /* updates that started over because walls were built */

  /* Scratch. */
  uint32_t *stamps;         /* by cell: the last flood that saw the cell */
  uint32_t *tested;         /* by anchor: the last flood that tested it */
  uint16_t *heap, *places;  /* anchors that wait; by anchor: its place in the heap, or NO_ANCHOR */
  uint16_t *firsts, *nexts; /* by cell: its first turning point; by anchor: the next in its cell */
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
/* Returns a coordinate in cells: 0 is the center of the first column or row, 1 that of the next. */
double flow_place(const copse_flowfield *field, int axis, double coordinate);
/* Rounds down, and clamps to lo … hi. */
int32_t flow_floor(double place, int32_t lo, int32_t hi);
/* Returns the cell of a point; if the point is outside of the field, the nearest cell. */
uint32_t flow_cell_at(const copse_flowfield *field, const float *point);
/* True if a point is in a cell. */
bool flow_covers(const copse_flowfield *field, const float *point);
float flow_length(const float *from, const float *to);

ALWAYS_INLINE bool flow_is_in(const copse_flowfield_goal *goal, const float *point) {
  return point[0] >= goal->lo[0] && point[0] <= goal->hi[0] && point[1] >= goal->lo[1] &&
         point[1] <= goal->hi[1];
}

/* ---- Shared by several files ---- */

/* True if all cells within a margin of a segment are open: with 0, all cells that it touches. */
bool flow_is_open(const copse_flowfield *field, const flow_map *map, const float *from,
                  const float *to, float margin);
/* True if the straight way between two points keeps farther than the radius from all walls, and
 * touches no closed cell. A radius above the map's counts as a margin for closed cells too. */
bool flow_sees(const copse_flowfield *field, const flow_map *map, const float *from,
               const float *to, float radius);
/* True if the field's walls are those that the map was made from. */
bool flow_is_current(const copse_flowfield *field, const flow_map *map);
/* Finds out whether a map was made from the field's walls, by the hash of their edges. */
void flow_match_walls(const copse_flowfield *field, flow_map *map);
/* Returns a hash of the edges of the tree's last build. */
uint32_t flow_hash_walls(const copse_obstacle *walls);

/* Marks the blocked cells of some rows, and the squares below them. */
void flow_raster_rows(copse_flowfield *field, flow_map *map, uint32_t first, uint32_t end);
/* Add the turning points at an edge's first end, those above a row of cells, or the anchors of a
 * goal. `count` is the number of anchors that were needed so far. Return it with the new ones: it
 * grows even if there is no more room. */
uint32_t flow_turns_of_edge(copse_flowfield *field, flow_map *map, uint32_t edge, uint32_t count);
uint32_t flow_turns_of_row(copse_flowfield *field, flow_map *map, uint32_t row, uint32_t count);
uint32_t flow_add_goal(copse_flowfield *field, flow_map *map, uint32_t index, uint32_t count);
/* Enters a turning point in the list of its cell, and marks the cells around. */
void flow_link(copse_flowfield *field, flow_map *map, uint32_t anchor);

/* Puts an anchor into the heap, or moves it up after its distance decreased. */
void flow_wait(copse_flowfield *field, flow_map *map, uint32_t anchor);
/* Takes the nearest anchor from the heap, which must not be empty, and floods from it. */
void flow_spread(copse_flowfield *field, flow_map *map);
/* Looks for cells of a row whose way through a cell beside is shorter than their own, because they
 * lie in passages narrower than a cell: makes the center of the cell beside an anchor. Stops at the
 * first one. False if there is no room for the anchor. */
bool flow_mend_row(copse_flowfield *field, flow_map *map, uint32_t row);

/* Returns the radius with which a build tests: greater than the radius by more than the errors of
 * coordinates, which grow with the field's bounds. */
float flow_reach(const copse_flowfield *field, float radius);
/* Makes the scratch arrays of the build under way again, after its maps were moved or restored. */
void flow_resume(copse_flowfield *field);
/* True if goals are valid. */
bool flow_goals_ok(const copse_flowfield_goal *goals, uint32_t count);

#endif

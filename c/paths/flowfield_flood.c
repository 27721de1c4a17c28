/* Floods of the flow field. A flood starts at an anchor (a goal or a turning point), and goes
 * outward from cell to cell. It assigns a cell to the anchor if this makes the cell's path to a
 * goal shorter. */

#include "flowfield.h"

#include <string.h>

/* ---- Lines of sight ----------------------------------------------------------------------- */

bool flow_is_current(const copse_flowfield *field, const flow_map *map) {
  return map->isMatched && map->wallsBuilds == (field->walls ? field->walls->builds : 0);
}

/* True if a row has a closed cell between x = `from` and x = `to`, in cells from the field's left
 * side. */
static bool closed_between(const copse_flowfield *field, const flow_map *map, int32_t row,
                           double from, double to) {
  const int32_t last = (int32_t)field->columns - 1;
  if (row < 0 || row >= (int32_t)field->rows || to < 0 || from > (double)last + 1) return false;
  const uint8_t *cells = map->cells + (size_t)(uint32_t)row * field->columns;
  const int32_t end = flow_floor(to, 0, last);
  for (int32_t column = flow_floor(from, 0, last); column <= end; column++)
    if (cells[column] & CELL_CLOSED) return true;
  return false;
}

bool flow_is_open(const copse_flowfield *field, const flow_map *map, const float *from,
                  const float *to, float margin) {
  if (!map->hasClosed) return true;
  const double around = (double)margin / (double)field->def.cell + 1e-6; /* in cells */
  const bool isUp = from[1] <= to[1];
  const float *low = isUp ? from : to, *high = isUp ? to : from;
  const double x0 = flow_place(field, 0, (double)low[0]) + 0.5,
               y0 = flow_place(field, 1, (double)low[1]) + 0.5;
  const double x1 = flow_place(field, 0, (double)high[0]) + 0.5,
               y1 = flow_place(field, 1, (double)high[1]) + 0.5;
  const int32_t last = flow_floor(y1 + around, -1, (int32_t)field->rows);
  for (int32_t row = flow_floor(y0 - around, -1, (int32_t)field->rows); row <= last; row++) {
    /* The part of the segment that is at most `around` above or below the row of cells. */
    const double bottom = (double)row - around, top = (double)row + 1 + around;
    const double slope = y1 > y0 ? (x1 - x0) / (y1 - y0) : 0;
    const double begin = y0 < bottom ? x0 + slope * (bottom - y0) : x0;
    const double end = y1 > top && y1 > y0 ? x0 + slope * (top - y0) : x1;
    const double least = begin < end ? begin : end, most = begin < end ? end : begin;
    if (closed_between(field, map, row, least - around, most + around)) return false;
  }
  return true;
}

bool flow_sees(const copse_flowfield *field, const flow_map *map, const float *from,
               const float *to, float radius) {
  const float more = radius - map->radius;
  if (!flow_is_open(field, map, from, to, more > 0 ? more : 0)) return false;
  uint32_t visits;
  return !field->walls || obstacle_blocker(field->walls, from, to, radius, &visits) == COPSE_NONE;
}

/* ---- The heap of anchors ------------------------------------------------------------------ */

static bool is_before(const flow_map *map, uint32_t a, uint32_t b) {
  const float first = map->anchors[a].distance, second = map->anchors[b].distance;
  return first < second || (first == second && a < b);
}

static void put(copse_flowfield *field, uint32_t place, uint32_t anchor) {
  field->heap[place] = (uint16_t)anchor;
  field->places[anchor] = (uint16_t)place;
}

void flow_wait(copse_flowfield *field, flow_map *map, uint32_t anchor) {
  uint32_t place = field->places[anchor];
  if (place == NO_ANCHOR) place = field->waiting++;
  map->anchors[anchor].isWaiting = 1;
  for (; place; place = (place - 1) / 2) {
    const uint32_t above = field->heap[(place - 1) / 2];
    if (!is_before(map, anchor, above)) break;
    put(field, place, above);
  }
  put(field, place, anchor);
}

/* Removes from the heap the anchor (a goal or turning point) that has the shortest path to a goal.
 * Returns this anchor. */
static uint32_t take_nearest(copse_flowfield *field, flow_map *map) {
  const uint32_t nearest = field->heap[0], last = field->heap[--field->waiting];
  map->anchors[nearest].isWaiting = 0;
  field->places[nearest] = NO_ANCHOR;
  if (nearest == last) return nearest;
  uint32_t place = 0;
  for (uint32_t below; (below = 2 * place + 1) < field->waiting; place = below) {
    if (below + 1 < field->waiting && is_before(map, field->heap[below + 1], field->heap[below]))
      below++;
    if (!is_before(map, field->heap[below], last)) break;
    put(field, place, field->heap[below]);
  }
  put(field, place, last);
  return nearest;
}

/* ---- Floods ------------------------------------------------------------------------------- */

enum { SETS = RING_SIDES + 1, BLOCKERS = 2 };

typedef struct flood {
  copse_flowfield *field;
  flow_map *map;
  uint32_t anchor, stamp;
  float point[2], distance; /* the anchor's position and the length of its path */
  int32_t column, row;      /* the cell of the anchor */
  double offset[2];         /* from the center of the anchor's cell to the anchor, in cells */
  /* A cell's known path may be shorter than its path through the anchor. If the difference is less
   * than this, the flood goes on through the cell, else it stops there. */
  float slack;
  /* For each side of a ring, and for its corners: the pieces of walls that last hid a cell from the
   * anchor. They are tested first, because they often hide the next cells too. COPSE_NONE: none. */
  uint32_t blockers[SETS][BLOCKERS];
} flood;

/* True if a cell's center sees the point where the flood started. Tests the line exactly. */
OUT_OF_LINE bool sees_cell(flood *from, uint32_t cell, int set) {
  const copse_flowfield *field = from->field;
  const copse_obstacle *walls = field->walls;
  const float reach = from->map->reach;
  float center[2];
  flow_center_of(field, cell, center);
  from->map->sights++;
  const float margin = reach - from->map->radius;
  if (!flow_is_open(field, from->map, from->point, center, margin)) return false;
  if (!walls) return true;
  uint32_t *blockers = from->blockers[set];
  for (int i = 0; i < BLOCKERS; i++)
    if (blockers[i] != COPSE_NONE &&
        obstacle_blocks(walls, blockers[i], from->point, center, reach))
      return false;
  uint32_t visits;
  const uint32_t blocker = obstacle_blocker(walls, from->point, center, reach, &visits);
  if (blocker == COPSE_NONE) return true;
  blockers[1] = blockers[0];
  blockers[0] = blocker;
  return false;
}

/* Makes the flood's anchor the parent (the next anchor of the path) of the turning point `other`,
 * if the two see each other and the path from `other` gets shorter. */
static void relax(flood *from, uint32_t other) {
  copse_flowfield *field = from->field;
  if (field->tested[other] == from->stamp) return;
  field->tested[other] = from->stamp;
  flow_anchor *turn = &from->map->anchors[other];
  const float total = from->distance + flow_length(from->point, turn->point);
  if (!(total < turn->distance)) return;
  from->map->sights++;
  if (!flow_sees(field, from->map, from->point, turn->point, from->map->reach)) return;
  turn->distance = total;
  turn->parent = (uint16_t)from->anchor;
  flow_wait(field, from->map, other);
}

/* Calls relax for all turning points at most `cells` columns and rows away from a cell. */
OUT_OF_LINE void relax_around(flood *from, int32_t column, int32_t row, int32_t cells) {
  const copse_flowfield *field = from->field;
  const int32_t left = column > cells ? column - cells : 0, low = row > cells ? row - cells : 0;
  for (int32_t y = low; y <= row + cells && y < (int32_t)field->rows; y++)
    for (int32_t x = left; x <= column + cells && x < (int32_t)field->columns; x++) {
      uint32_t turn = field->firsts[(size_t)(uint32_t)y * field->columns + (uint32_t)x];
      for (; turn != NO_ANCHOR; turn = field->nexts[turn]) relax(from, turn);
    }
}

/* A cell of a ring around an anchor. The line from the cell's center to the anchor passes between
 * the centers of the cells `first` and `second`, which the flood has visited before. */
typedef struct ring_cell {
  uint32_t cell, first, second;
  uint32_t square; /* the square between four cell centers that the line to the anchor crosses;
                    * COPSE_NONE: none */
  /* From the anchor to the cell's center, in cells. On a side of the ring, x is along the side, y
   * is outward. At a corner of the ring, they are the usual x and y. */
  float x, y;
  int set;
} ring_cell;

/* Visits a cell. If the cell sees the point where the flood started, and its path to a goal is
 * shorter through this point, stores that path. True if the flood goes on from the cell. */
ALWAYS_INLINE bool offer(flood *from, const ring_cell *next) {
  const copse_flowfield *field = from->field;
  flow_map *map = from->map;
  const uint32_t cell = next->cell;
  WORKED(1);
  const uint8_t bits = map->cells[cell];
  if (bits & CELL_BLOCKED) return false;
  const float away = sqrtf(next->x * next->x + next->y * next->y) * field->def.cell;
  const float total = from->distance + away, known = map->distances[cell];
  if (!(total < known + from->slack)) return false;
  const bool inherits = next->square != COPSE_NONE && field->stamps[next->first] == from->stamp &&
                        field->stamps[next->second] == from->stamp &&
                        !(map->cells[next->square] & CELL_SQUARE_BLOCKED);
  if (!inherits && !sees_cell(from, cell, next->set)) return false;
  field->stamps[cell] = from->stamp;
  if (total < known) {
    map->distances[cell] = total;
    map->aims[cell] = (uint16_t)from->anchor;
  }
  if (bits & CELL_TURNS)
    relax_around(from, (int32_t)(cell % field->columns), (int32_t)(cell / field->columns), 1);
  return true;
}

/* A side of a ring of cells around the anchor's cell: a row above or below that cell, or a column
 * left or right of it. The side's cells are numbered -ring … ring; the first and the last are
 * corners of the ring. */
typedef struct ring_side {
  int32_t ring, sign, least, most; /* `ring`: the ring's number. `sign`: 1 for a side above or right
                                    * of the anchor, else -1. Cells least … most are inside the
                                    * field */
  int32_t along, across; /* added to a cell's index: `along` for the next cell of the side, `across`
                          * for the next ring, farther from the anchor */
  uint32_t middle;       /* the index of the anchor's cell */
  double far;    /* the distance from the anchor to the line of the cells' centers, in cells */
  double offset; /* from the center of the anchor's cell to the anchor, in cells: along x for a row,
                  * along y for a column */
  bool isRow;
  int set;
} ring_side;

static ring_side side_of_ring(const flood *from, int set, int32_t ring) {
  const int32_t columns = (int32_t)from->field->columns, rows = (int32_t)from->field->rows;
  const bool isRow = set < 2;
  const int32_t sign = set % 2 ? -1 : 1, place = isRow ? from->column : from->row;
  return (ring_side){.ring = ring,
                     .sign = sign,
                     .least = -place,
                     .most = (isRow ? columns : rows) - 1 - place,
                     .along = isRow ? 1 : columns,
                     .across = sign * (isRow ? columns : 1),
                     .middle = (uint32_t)(from->row * columns + from->column),
                     .far = (double)ring - sign * from->offset[isRow],
                     .offset = from->offset[!isRow],
                     .isRow = isRow,
                     .set = set};
}

static bool has_side(const flood *from, const ring_side *side) {
  const int32_t place = (side->isRow ? from->row : from->column) + side->sign * side->ring;
  return place >= 0 && place < (int32_t)(side->isRow ? from->field->rows : from->field->columns);
}

/* Returns the index of cell `number` on one side of a ring of cells. If `inner` is 1, returns the
 * index of this cell's neighbor in the previous ring instead. */
ALWAYS_INLINE uint32_t side_cell(const ring_side *side, int32_t number, int32_t inner) {
  return side->middle + (uint32_t)(number * side->along + (side->ring - inner) * side->across);
}

/* Visits the cells first … last of one side of a ring. Appends to `spans` each run of adjacent
 * cells from which the flood goes on outward. *count is the number of spans. */
OUT_OF_LINE void flood_cells(flood *from, const ring_side *side, int32_t first, int32_t last,
                             flow_span *spans, uint32_t *count) {
  enum { BIAS = 1 << 20 };
  const double inward = (side->far - 1) / side->far;
  bool isOpen = false;
  if (first <= last) from->map->visits += (uint32_t)(last - first) + 1;
  for (int32_t number = first; number <= last; number++) {
    const double along = (double)number - side->offset;
    ring_cell next = {.cell = side_cell(side, number, 0),
                      .square = COPSE_NONE,
                      .x = (float)along,
                      .y = (float)side->far,
                      .set = side->set};
    if (side->ring > 1) {
      const int32_t crossed = (int32_t)(side->offset + along * inward + BIAS) - BIAS;
      if (crossed >= side->least && crossed < side->most) {
        next.first = side_cell(side, crossed, 1);
        next.second = next.first + (uint32_t)side->along;
        next.square = side->sign > 0 ? next.first : next.first + (uint32_t)side->across;
      }
    }
    if (!offer(from, &next))
      isOpen = false;
    else if (isOpen)
      spans[*count - 1].last = number;
    else {
      isOpen = true;
      spans[(*count)++] = (flow_span){number, number};
    }
  }
}

/* Floods a side of a ring from `before`, the spans of cells on the same side of the previous ring.
 * Writes the side's spans to `spans`. Returns their number. */
static uint32_t flood_side(flood *from, const ring_side *side, const flow_span *before,
                           uint32_t beforeCount, flow_span *spans) {
  uint32_t count = 0;
  int32_t reached = INT32_MIN;
  for (uint32_t i = 0; i < beforeCount; i++) {
    int32_t first = 0, last = 0;
    if (side->ring > 1) {
      /* first … last: the cells whose line to the start of the flood crosses the previous ring less
       * than one cell away from the center of a cell of before[i], a run of cells in that ring. */
      const double outward = side->far / (side->far - 1), offset = side->offset;
      const double low = (before[i].first - 1 - offset) * outward + offset + 1e-4;
      const double high = (before[i].last + 1 - offset) * outward + offset - 1e-4;
      first = flow_floor(low, -side->ring, side->ring - 1) + 1;
      last = flow_floor(high, -side->ring, side->ring - 1);
    }
    if (first <= reached) first = reached + 1;
    if (first < side->least) first = side->least;
    if (last > side->most) last = side->most;
    flood_cells(from, side, first, last, spans, &count);
    if (last > reached) reached = last;
  }
  return count;
}

/* Adds a cell to the spans of a side of the ring. The cell is a corner of the ring: the first or
 * last cell of this side. */
static void extend_spans(flow_span *spans, uint32_t *count, int32_t number) {
  if (number > 0) {
    if (*count && spans[*count - 1].last == number - 1)
      spans[*count - 1].last = number;
    else
      spans[(*count)++] = (flow_span){number, number};
  } else if (*count && spans[0].first == number + 1)
    spans[0].first = number;
  else {
    memmove(spans + 1, spans, *count * sizeof *spans);
    (*count)++;
    spans[0] = (flow_span){number, number};
  }
}

/* Visits the corner of a ring that `right` and `up` (1 or -1) select. True if the flood goes on
 * from that corner. */
static bool flood_corner(flood *from, int32_t ring, int32_t right, int32_t up) {
  const copse_flowfield *field = from->field;
  const int32_t columns = (int32_t)field->columns;
  const int32_t column = from->column + right * ring, row = from->row + up * ring;
  if (column < 0 || column >= columns || row < 0 || row >= (int32_t)field->rows) return false;
  ring_cell next = {.cell = (uint32_t)(row * columns + column),
                    .square = COPSE_NONE,
                    .x = (float)((double)ring * right - from->offset[0]),
                    .y = (float)((double)ring * up - from->offset[1]),
                    .set = RING_SIDES};
  if (ring > 1) {
    const uint32_t inner = (uint32_t)((row - up) * columns + column - right);
    const uint32_t below = (uint32_t)((row - up) * columns + column);
    const uint32_t beside = (uint32_t)(row * columns + column - right);
    const uint32_t *stamps = field->stamps, stamp = from->stamp;
    if (stamps[inner] != stamp && stamps[below] != stamp && stamps[beside] != stamp) return false;
    next.first = inner;
    next.second = fabsf(next.x) <= fabsf(next.y) ? below : beside;
    next.square =
        (uint32_t)((up > 0 ? row - 1 : row) * columns + (right > 0 ? column - 1 : column));
  }
  return offer(from, &next);
}

/* Floods ring by ring, until a ring has no cell from which the flood goes on. */
static void flood_rings(flood *from) {
  const copse_flowfield *field = from->field;
  uint32_t counts[RING_SIDES] = {1, 1, 1, 1};
  for (int32_t ring = 1;; ring++) {
    flow_span *const *before = field->spans[(ring + 1) % 2];
    flow_span *const *spans = field->spans[ring % 2];
    uint32_t reached = 0;
    from->slack = field->def.cell / (float)(2 * ring + 1);
    for (int set = 0; set < RING_SIDES; set++) {
      const ring_side side = side_of_ring(from, set, ring);
      counts[set] =
          has_side(from, &side) ? flood_side(from, &side, before[set], counts[set], spans[set]) : 0;
      reached += counts[set];
    }
    for (int corner = 0; corner < 4; corner++) {
      const int32_t right = corner % 2 ? -1 : 1, up = corner / 2 ? -1 : 1;
      if (!flood_corner(from, ring, right, up)) continue;
      const int row = up > 0 ? 0 : 1, column = right > 0 ? 2 : 3;
      extend_spans(spans[row], &counts[row], right * ring);
      extend_spans(spans[column], &counts[column], up * ring);
      reached++;
    }
    if (!reached) return;
  }
}

void flow_spread(copse_flowfield *field, flow_map *map) {
  const uint32_t anchor = take_nearest(field, map);
  const flow_anchor *own = &map->anchors[anchor];
  flood from = {.field = field,
                .map = map,
                .anchor = anchor,
                .stamp = ++field->flood,
                .point = {own->point[0], own->point[1]},
                .distance = own->distance,
                .slack = field->def.cell / 2};
  const uint32_t cell = flow_cell_at(field, own->point);
  from.column = (int32_t)(cell % field->columns);
  from.row = (int32_t)(cell / field->columns);
  from.offset[0] = flow_place(field, 0, (double)own->point[0]) - from.column;
  from.offset[1] = flow_place(field, 1, (double)own->point[1]) - from.row;
  memset(from.blockers, 0xff, sizeof from.blockers);
  field->tested[anchor] = from.stamp;
  map->floods++;
  relax_around(&from, from.column, from.row, LINK_CELLS);
  const ring_cell center = {.cell = cell,
                            .square = COPSE_NONE,
                            .x = (float)-from.offset[0],
                            .y = (float)-from.offset[1],
                            .set = RING_SIDES};
  offer(&from, &center);
  flood_rings(&from);
}

/* ---- Cells that floods missed ------------------------------------------------------------- */

/* Returns the adjacent cell through which a cell's path to a goal is shortest, ties by lower index.
 * Ignores adjacent cells whose centers are not in sight of the cell's center. Returns COPSE_NONE if
 * that path is not shorter, by more than half a cell, than the one that the floods found. */
static uint32_t best_beside(const copse_flowfield *field, flow_map *map, uint32_t column,
                            uint32_t row) {
  const uint32_t columns = field->columns, cell = row * columns + column;
  const float side = field->def.cell;
  uint32_t best = COPSE_NONE;
  float own[2], center[2], least = map->distances[cell] - side / 2;
  for (uint32_t y = row ? row - 1 : 0; y <= row + 1 && y < field->rows; y++)
    for (uint32_t x = column ? column - 1 : 0; x <= column + 1 && x < columns; x++) {
      const uint32_t other = y * columns + x;
      if (!(map->distances[other] + side < least)) continue;
      flow_center_of(field, cell, own);
      flow_center_of(field, other, center);
      const float total = map->distances[other] + flow_length(own, center);
      if (!(total < least)) continue;
      map->sights++;
      if (!flow_sees(field, map, own, center, map->reach)) continue;
      best = other;
      least = total;
    }
  return best;
}

bool flow_mend_row(copse_flowfield *field, flow_map *map, uint32_t row) {
  const uint8_t *cells = map->cells + (size_t)row * field->columns;
  for (uint32_t column = 0; column < field->columns && !field->waiting; column++) {
    if (cells[column] & CELL_BLOCKED) continue;
    const uint32_t best = best_beside(field, map, column, row);
    if (best == COPSE_NONE) continue;
    if (map->anchorCount == field->def.capacity) return false;
    flow_anchor *anchor = &map->anchors[map->anchorCount];
    *anchor = (flow_anchor){{0, 0}, map->distances[best], map->aims[best], 0};
    flow_center_of(field, best, anchor->point);
    flow_wait(field, map, map->anchorCount++);
    field->gained++;
  }
  return true;
}

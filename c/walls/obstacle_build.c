/* Building the obstacle tree: choosing the line that divides a cell, and dividing the cell's pieces
 * (edges or parts of edges). */

#include "obstacle.h"

#include <string.h>

/* The line that divides a cell is chosen among the lines along its pieces of edges: all of them up
 * to EXACT pieces, else a sample of SAMPLES. If none divides well, lines parallel to an axis are
 * tried, through the median of at most EXACT pieces. Measured: larger numbers cost more than they
 * gain. */
enum { EXACT = 32, SAMPLES = 16 };

/* A line, and the number of pieces of edges on each side. A piece that crosses the line counts on
 * both. */
typedef struct division {
  float normal[2], offset;
  uint32_t left, right;
} division;

static uint32_t greater_of(const division *line) {
  return line->left > line->right ? line->left : line->right;
}
static uint32_t smaller_of(const division *line) {
  return line->left > line->right ? line->right : line->left;
}
static bool is_better(const division *line, const division *best) {
  const uint32_t greater = greater_of(line), greaterOfBest = greater_of(best);
  return greater < greaterOfBest ||
         (greater == greaterOfBest && smaller_of(line) < smaller_of(best));
}

/* For four pieces of edges, a mask of those wholly left of a line and a mask of those wholly right
 * of it. A piece on the line counts as left. */
typedef struct sides4 {
  word4 left, right;
} sides4;

/* A line and the tolerance, each number repeated in all four lanes. */
typedef struct line4 {
  float4 x, y, offset, tolerance;
} line4;

static line4 line4_of(const division *line, float tolerance) {
  return (line4){float4_all(line->normal[0]), float4_all(line->normal[1]), float4_all(line->offset),
                 float4_all(tolerance)};
}

/* Returns the signed distances of four points from a line: positive on its left. */
ALWAYS_INLINE float4 line4_side(const line4 *line, const float *x, const float *y) {
  const float4 along =
      float4_add(float4_mul(line->x, float4_load(x)), float4_mul(line->y, float4_load(y)));
  return float4_sub(along, line->offset);
}

ALWAYS_INLINE sides4 line4_sides(const line4 *line, float4 begin, float4 end) {
  const float4 below = float4_sub(float4_all(0), line->tolerance);
  const word4 left = word4_and(float4_le(below, begin), float4_le(below, end));
  const word4 right = word4_and(float4_le(begin, line->tolerance), float4_le(end, line->tolerance));
  return (sides4){left, word4_without(right, left)};
}

/* Adds 1 to each lane whose mask is set. A set mask is the integer -1, so subtracting it adds 1. */
ALWAYS_INLINE word4 count_lanes(word4 counts, word4 mask) { return word4_sub(counts, mask); }

/* Counts the pieces on each side of a line. Stops early once the line can't be better than the best
 * line so far; line->left and line->right are then too low. */
OUT_OF_LINE void count_sides(const obstacle_work *work, uint32_t begin, uint32_t end,
                             float tolerance, const division *best, division *line) {
  enum { STEP = 64 };
  const line4 wide = line4_of(line, tolerance);
  uint32_t start = begin;
  line->left = line->right = 0;
  while (start < end && !is_better(best, line)) {
    const uint32_t stop = end - start > STEP ? start + STEP : end;
    word4 left = word4_all(0), right = word4_all(0);
    for (uint32_t i = start; i < stop; i += 4) {
      const sides4 sides =
          line4_sides(&wide, line4_side(&wide, work->ends[0] + i, work->ends[1] + i),
                      line4_side(&wide, work->ends[2] + i, work->ends[3] + i));
      const word4 inRange = word4_greater(word4_all(stop), word4_count_from(i));
      /* A piece that crosses the line counts on both sides. */
      left = count_lanes(left, word4_without(inRange, sides.right));
      right = count_lanes(right, word4_without(inRange, sides.left));
    }
    uint32_t lefts[4], rights[4];
    word4_store(lefts, left);
    word4_store(rights, right);
    line->left += lefts[0] + lefts[1] + lefts[2] + lefts[3];
    line->right += rights[0] + rights[1] + rights[2] + rights[3];
    start = stop;
  }
}

/* Returns the median coordinate, along an axis, of the points where pieces start; of a sample if
 * there are many pieces. */
static float median(const float *starts, uint32_t begin, uint32_t size) {
  float sorted[EXACT];
  const uint32_t samples = size < EXACT ? size : EXACT;
  for (uint32_t i = 0; i < samples; i++) {
    const float value = starts[begin + (uint64_t)i * size / samples];
    uint32_t place = i;
    for (; place > 0 && value < sorted[place - 1]; place--) sorted[place] = sorted[place - 1];
    sorted[place] = value;
  }
  return sorted[samples / 2];
}

static void extend(float *box, int axis, float x) {
  if (x < box[axis]) box[axis] = x;
  if (x > box[2 + axis]) box[2 + axis] = x;
}

/* Returns the axis along which the bounds of the pieces begin … end - 1 are longer. */
static int longer_axis(const obstacle_work *work, uint32_t begin, uint32_t end) {
  float box[4] = {INFINITY, INFINITY, -INFINITY, -INFINITY};
  for (uint32_t i = begin; i < end; i++)
    for (int side = 0; side < 4; side++) extend(box, side & 1, work->ends[side][i]);
  return box[3] - box[1] > box[2] - box[0];
}

/* Finds the line that divides a range of pieces (parts of edges) best. False if every line has more
 * than three quarters of the pieces on one side: then none is worth using. */
static bool choose_line(const copse_obstacle *tree, uint32_t begin, uint32_t end, division *best) {
  const obstacle_work *work = &tree->work[0];
  const uint32_t size = end - begin, most = 3 * size / 4;
  const uint32_t tries = size <= EXACT ? size : SAMPLES;
  *best = (division){{0, 0}, 0, UINT32_MAX, UINT32_MAX};
  for (uint32_t i = 0; i < tries; i++) {
    const uint32_t sample =
        begin + (uint32_t)(((uint64_t)2 * i + 1) * size / ((uint64_t)2 * tries));
    const float *edge = tree->lines[work->pieces[sample].edge];
    division line = {{edge[0], edge[1]}, edge[2], 0, 0};
    count_sides(work, begin, end, tree->tolerance, best, &line);
    if (is_better(&line, best)) *best = line;
  }
  if (greater_of(best) <= most) return true;
  const int longer = longer_axis(work, begin, end);
  for (int i = 0; i < 2 && greater_of(best) > most; i++) {
    const int axis = i ^ longer;
    division line = {{axis == 0 ? 1.0f : 0.0f, axis == 1 ? 1.0f : 0.0f},
                     median(work->ends[axis], begin, size),
                     0,
                     0};
    count_sides(work, begin, end, tree->tolerance, best, &line);
    if (is_better(&line, best)) *best = line;
  }
  return greater_of(best) <= most;
}

/* ---- Dividing ----------------------------------------------------------------------------- */

/* A node that is still to be built, and its pieces of edges. */
typedef struct build_task {
  uint32_t begin, end; /* the node's pieces are begin … end - 1 of work[0] */
  uint32_t spare;      /* how many pieces the splits in the node's subtree may add */
  uint32_t depth;
  uint32_t parent; /* if the node is a left child: its parent, whose `left` must be set to the
                    * index of the node; else COPSE_NONE */
} build_task;

static void copy_piece(const obstacle_work *source, uint32_t sourcePlace,
                       const obstacle_work *target, uint32_t targetPlace) {
  for (int end = 0; end < 4; end++) target->ends[end][targetPlace] = source->ends[end][sourcePlace];
  target->pieces[targetPlace] = source->pieces[sourcePlace];
}

/* Writes the point at a fraction of an edge, relative to the tree's center. */
static void point_on(const copse_obstacle *tree, uint32_t edge, float fraction, float *point) {
  const obstacle_edge *ends = &tree->edges[edge];
  for (int axis = 0; axis < 2; axis++) {
    const double from = (double)ends->from[axis], to = (double)ends->to[axis];
    point[axis] = (float)(from + (to - from) * (double)fraction - (double)tree->center[axis]);
  }
}

/* Cuts a piece of an edge in two, given the signed distances of its ends from a line. The piece is
 * at the index `place` of work[0]: the part left of the line stays there, the right part goes to
 * the index `rightPlace` of work[1]. beginsLeft is true if the piece starts on the left side. */
static void split_piece(copse_obstacle *tree, uint32_t place, uint32_t rightPlace, float begin,
                        float end, bool beginsLeft) {
  obstacle_work *left = &tree->work[0], *right = &tree->work[1];
  obstacle_piece *piece = &left->pieces[place];
  float middle = piece->from + (piece->to - piece->from) * (begin / (begin - end)), point[2];
  point_on(tree, piece->edge, middle, point);
  copy_piece(left, place, right, rightPlace);
  obstacle_work *head = beginsLeft ? left : right, *tail = beginsLeft ? right : left;
  const uint32_t headPlace = beginsLeft ? place : rightPlace,
                 tailPlace = beginsLeft ? rightPlace : place;
  for (int axis = 0; axis < 2; axis++) {
    head->ends[2 + axis][headPlace] = point[axis];
    tail->ends[axis][tailPlace] = point[axis];
  }
  head->pieces[headPlace].to = middle;
  tail->pieces[tailPlace].from = middle;
}

/* Divides a range of pieces by their side of a line: left ones first, then right ones. Splits the
 * pieces that cross the line. */
static void divide(copse_obstacle *tree, uint32_t begin, uint32_t end, const division *line) {
  obstacle_work *work = &tree->work[0], *aside = &tree->work[1];
  const line4 wide = line4_of(line, tree->tolerance);
  uint32_t left = begin, right = 0;
  for (uint32_t i = begin; i < end; i += 4) {
    float begins[4], ends[4];
    const float4 begin4 = line4_side(&wide, work->ends[0] + i, work->ends[1] + i);
    const float4 end4 = line4_side(&wide, work->ends[2] + i, work->ends[3] + i);
    const sides4 sides = line4_sides(&wide, begin4, end4);
    const uint32_t lefts = word4_bits(sides.left), rights = word4_bits(sides.right);
    float4_store(begins, begin4);
    float4_store(ends, end4);
    for (uint32_t lane = 0; lane < 4 && i + lane < end; lane++) {
      const bool isRight = rights >> lane & 1;
      if (isRight)
        copy_piece(work, i + lane, aside, right++);
      else {
        if (left != i + lane) copy_piece(work, i + lane, work, left);
        if (!(lefts >> lane & 1))
          split_piece(tree, left, right++, begins[lane], ends[lane], begins[lane] > 0);
        left++;
      }
    }
  }
  for (int side = 0; side < 4; side++)
    memcpy(work->ends[side] + left, aside->ends[side], right * sizeof(float));
  memcpy(work->pieces + left, aside->pieces, right * sizeof *work->pieces);
}

/* True if the pieces of a task should be divided: then writes the line to divide them by. Each
 * piece that the line cuts becomes two. So the line must not cut more than `spare` pieces, the
 * number that the task may add. */
static bool is_divisible(const copse_obstacle *tree, const build_task *task, division *line) {
  const uint32_t size = task->end - task->begin;
  return size > tree->def.leafSize && task->depth < COPSE_MAX_DEPTH &&
         choose_line(tree, task->begin, task->end, line) &&
         line->left + line->right - size <= task->spare;
}

/* Builds the tree from `count` pieces in work[0]. The stack holds a task for each node that is
 * still to be built. The pieces of the task that is taken next are the last ones in work[0]: so
 * behind them, there is room for the pieces that splits add. */
OUT_OF_LINE void build_from(copse_obstacle *tree, uint32_t count) {
  build_task stack[OBSTACLE_STACK];
  uint32_t waiting = 1;
  tree->nodeCount = tree->pieceCount = 0;
  stack[0] = (build_task){0, count, tree->def.pieces - count, 0, COPSE_NONE};
  while (waiting) {
    const build_task task = stack[--waiting];
    WORKED(1);
    const uint32_t nodeIndex = tree->nodeCount++, size = task.end - task.begin;
    obstacle_node *node = &tree->nodes[nodeIndex];
    division line = {{0, 0}, 0, 0, 0};
    if (task.parent != COPSE_NONE) tree->nodes[task.parent].left = nodeIndex;
    *node = (obstacle_node){{0, 0}, 0, 0, tree->pieceCount, 0};
    if (!is_divisible(tree, &task, &line)) {
      memcpy(tree->pieces + tree->pieceCount, tree->work[0].pieces + task.begin,
             size * sizeof *tree->pieces);
      tree->pieceCount += size;
      continue;
    }
    divide(tree, task.begin, task.end, &line);
    for (int axis = 0; axis < 2; axis++) node->normal[axis] = line.normal[axis];
    node->offset = line.offset;
    const uint32_t total = line.left + line.right, spare = task.spare - (total - size);
    const uint32_t spareRight = (uint32_t)((double)spare * (double)line.right / (double)total);
    const uint32_t middle = task.begin + line.left;
    stack[waiting++] =
        (build_task){task.begin, middle, spare - spareRight, task.depth + 1, nodeIndex};
    stack[waiting++] =
        (build_task){middle, middle + line.right, spareRight, task.depth + 1, COPSE_NONE};
  }
}

/* Sets the end of each node's pieces. The pieces of the left child come last, so a parent has the
 * same end as its left child. Children come after their parents, so the loop goes backward. */
static void set_ends(copse_obstacle *tree) {
  for (uint32_t nodeIndex = tree->nodeCount; nodeIndex-- > 0;) {
    obstacle_node *node = &tree->nodes[nodeIndex];
    if (node->left)
      node->end = tree->nodes[node->left].end;
    else
      node->end =
          nodeIndex + 1 < tree->nodeCount ? tree->nodes[nodeIndex + 1].begin : tree->pieceCount;
  }
}

/* Sets the bounds of each node: they contain the whole edges that the node's pieces belong to. */
static void set_boxes(copse_obstacle *tree) {
  for (uint32_t nodeIndex = tree->nodeCount; nodeIndex-- > 0;) {
    const obstacle_node *node = &tree->nodes[nodeIndex];
    float4 box = float4_all(INFINITY);
    if (node->left)
      box =
          float4_min(float4_load(tree->boxes[nodeIndex + 1]), float4_load(tree->boxes[node->left]));
    for (uint32_t i = node->begin; i < node->end && !node->left; i++) {
      const obstacle_edge *edge = &tree->edges[tree->pieces[i].edge];
      const float *from = edge->from, *to = edge->to;
      const float begin[] = {from[0], from[1], -from[0], -from[1]};
      const float end[] = {to[0], to[1], -to[0], -to[1]};
      box = float4_min(box, float4_min(float4_load(begin), float4_load(end)));
    }
    float4_store(tree->boxes[nodeIndex], box);
  }
}

/* ---- From vertices to edges --------------------------------------------------------------- */

/* Copies the edges of a polygon from the caller's vertices. */
static void take_polygon(copse_obstacle *tree, uint32_t slot) {
  bool isReversed = false;
  uint32_t id = slot, kind = EDGE_PRESENT;
  if (tree->solid[slot] == SOLID_NOWHERE)
    kind |= EDGE_TWO_SIDED;
  else if (tree->next[tree->next[slot]] != slot) {
    tree->hasBoundaries |= obstacle_winding(tree, slot, &isReversed) < 0;
    kind |= EDGE_OF_AREA | (isReversed ? EDGE_REVERSED : 0);
  }
  do {
    const uint32_t next = tree->next[id];
    obstacle_edge *edge = &tree->edges[id];
    memcpy(isReversed ? edge->to : edge->from, tree->vertices + (size_t)2 * id, sizeof edge->from);
    memcpy(isReversed ? edge->from : edge->to, tree->vertices + (size_t)2 * next, sizeof edge->to);
    const bool hasLength = edge->from[0] != edge->to[0] || edge->from[1] != edge->to[1];
    tree->kinds[id] = hasLength ? kind : 0;
    tree->edgeCount += hasLength;
    tree->dropped += !hasLength;
    id = next;
  } while (id != slot);
}

/* Copies the edges of all polygons from the caller's vertices. */
static void take_edges(copse_obstacle *tree) {
  tree->edgeCount = tree->dropped = 0;
  tree->hasBoundaries = false;
  memset(tree->kinds, 0, tree->def.capacity * sizeof *tree->kinds);
  for (uint32_t slot = 0; slot < tree->def.capacity; slot++)
    if (slots_in_use(&tree->slots, slot) && tree->polygons[slot] == slot) take_polygon(tree, slot);
}

/* Links each edge to the previous and the next edge of its loop, skipping edges without length.
 * Sets the edge's direction, and how the loop turns at the edge's start. */
static void link_edges(copse_obstacle *tree) {
  for (uint32_t id = 0; id < tree->def.capacity; id++) {
    if (!tree->kinds[id]) continue;
    const vec way = vec_to(vec_of(tree->edges[id].from), vec_of(tree->edges[id].to));
    const double length = sqrt(vec_dot(way, way));
    uint32_t after = tree->next[id];
    while (!tree->kinds[after]) after = tree->next[after];
    const bool isReversed = tree->kinds[id] & EDGE_REVERSED;
    tree->corners[isReversed ? after : id].after = isReversed ? id : after;
    tree->corners[isReversed ? id : after].before = isReversed ? after : id;
    tree->corners[id].direction[0] = (float)(way.x / length);
    tree->corners[id].direction[1] = (float)(way.y / length);
  }
  for (uint32_t id = 0; id < tree->def.capacity; id++) {
    if (!tree->kinds[id]) continue;
    const obstacle_edge *edge = &tree->edges[id], *before = &tree->edges[tree->corners[id].before];
    const double side = side_of(vec_of(before->from), vec_of(edge->from), vec_of(edge->to));
    tree->corners[id].turn = (side > 0) - (side < 0);
  }
}

/* Sets the bounds and the center of all edges, and the tolerance (see obstacle.h), which is
 * proportional to the bounds. */
static void measure(copse_obstacle *tree) {
  float bounds[4] = {INFINITY, INFINITY, -INFINITY, -INFINITY};
  for (uint32_t id = 0; id < tree->def.capacity; id++)
    for (int axis = 0; axis < 2 && tree->kinds[id]; axis++) {
      extend(bounds, axis, tree->edges[id].from[axis]);
      extend(bounds, axis, tree->edges[id].to[axis]);
    }
  float reach = 0;
  for (int axis = 0; axis < 2; axis++) {
    tree->bounds[axis] = bounds[axis];
    tree->bounds[2 + axis] = bounds[2 + axis];
    tree->center[axis] = bounds[axis] + (bounds[2 + axis] - bounds[axis]) / 2;
    reach += bounds[2 + axis] - tree->center[axis];
  }
  tree->tolerance = reach * 0x1p-18f + 1e-36f;
}

/* Fills work[0] with one piece per edge, and sets the line of each edge. Returns the number of
 * pieces. */
static uint32_t start_pieces(copse_obstacle *tree) {
  const obstacle_work *work = &tree->work[0];
  uint32_t count = 0;
  for (uint32_t id = 0; id < tree->def.capacity; id++) {
    if (!tree->kinds[id]) continue;
    float ends[4];
    point_on(tree, id, 0, ends);
    point_on(tree, id, 1, ends + 2);
    const float *direction = tree->corners[id].direction;
    float *line = tree->lines[id];
    line[0] = -direction[1];
    line[1] = direction[0];
    line[2] = (float)((double)line[0] * (double)ends[0] + (double)line[1] * (double)ends[1]);
    for (int end = 0; end < 4; end++) work->ends[end][count] = ends[end];
    work->pieces[count++] = (obstacle_piece){id, 0, 1};
  }
  return count;
}

SMALL_CODE copse_status copse_obstacle_build(copse_obstacle *tree, uint32_t *firstBad) {
  for (uint32_t id = 0; id < tree->def.capacity; id++) {
    const float *vertex = tree->vertices + (size_t)2 * id;
    if (!slots_in_use(&tree->slots, id) || (is_coordinate(vertex[0]) && is_coordinate(vertex[1])))
      continue;
    if (firstBad) *firstBad = id;
    return COPSE_NOT_FINITE;
  }
  take_edges(tree);
  tree->changed = false;
  tree->builds++;
  if (tree->edgeCount == 0) {
    const uint32_t dropped = tree->dropped;
    obstacle_empty(tree);
    tree->dropped = dropped;
    return COPSE_OK;
  }
  link_edges(tree);
  measure(tree);
  build_from(tree, start_pieces(tree));
  set_ends(tree);
  for (uint32_t i = 0; i < tree->pieceCount; i++) {
    const obstacle_edge *edge = &tree->edges[tree->pieces[i].edge];
    for (int axis = 0; axis < 2; axis++) {
      tree->pieceEnds[axis][i] = edge->from[axis];
      tree->pieceEnds[2 + axis][i] = edge->to[axis];
    }
  }
  set_boxes(tree);
  return COPSE_OK;
}

/* The programs of the crowd, solved slowly and in double: the best velocity is one of finitely many
 * candidates, where constraints and the greatest speed meet, and all of them are tried. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "../../c/crowd/orca.h"
#include "compare.h"

enum { PROGRAM_LINES = 12, PROGRAM_BORDERS = PROGRAM_LINES * (PROGRAM_LINES + 1) / 2 };

typedef struct point3 {
  double x[3];
} point3;

static inline double dot3(point3 a, point3 b) {
  return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2];
}
/* a + b * by */
static inline point3 along3(point3 a, point3 b, double by) {
  return (point3){{a.x[0] + b.x[0] * by, a.x[1] + b.x[1] * by, a.x[2] + b.x[2] * by}};
}
static inline point3 cross3(point3 a, point3 b) {
  return (point3){{a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2],
                   a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}
static inline double length3(point3 a) { return sqrt(dot3(a, a)); }
static inline point3 unit3(point3 a) { return along3((point3){{0, 0, 0}}, a, 1 / length3(a)); }
static inline double distance3(point3 a, point3 b) { return length3(along3(a, b, -1)); }

/* A plane, in 2D a line, of all points with normal . x = offset; permitted is what is beyond. */
typedef struct border {
  point3 normal;
  double offset;
} border;

static inline double violation_of(const border *of, point3 x) {
  return of->offset - dot3(of->normal, x);
}

/* A program in the plane or in space, and what is the best found for it. */
typedef struct program {
  int dimensions, count, walls; /* walls come first */
  border borders[PROGRAM_LINES];
  double maxSpeed;
  point3 preferred;

  bool isMinimax; /* the worst violation is made least, else the way from what is preferred */
  bool isFound;
  double best;
} program;

static inline double worst_of(const program *of, int from, int to, point3 x) {
  double worst = -INFINITY;
  for (int i = from; i < to; i++) worst = fmax(worst, violation_of(&of->borders[i], x));
  return worst;
}

static inline void try(program *at, point3 x) {
  const double rounding = 1e-9 * at->maxSpeed;
  if (!(length3(x) <= at->maxSpeed + rounding)) return;
  const double worst = worst_of(at, at->isMinimax ? at->walls : 0, at->count, x);
  if (at->isMinimax ? worst_of(at, 0, at->walls, x) > rounding : worst > rounding) return;
  const double value = at->isMinimax ? worst : distance3(x, at->preferred);
  if (at->isFound && value >= at->best) return;
  at->isFound = true;
  at->best = value;
}

/* The two points of a straight line that are as fast as permitted, and that nearest to what is
 * preferred. */
static inline void try_line(program *at, point3 point, point3 direction) {
  const point3 middle = along3(point, direction, -dot3(point, direction));
  const double half2 = at->maxSpeed * at->maxSpeed - dot3(middle, middle);
  try(at, along3(point, direction, dot3(direction, along3(at->preferred, point, -1))));
  if (half2 < 0) return;
  try(at, along3(middle, direction, sqrt(half2)));
  try(at, along3(middle, direction, -sqrt(half2)));
}

/* On one border: what is nearest to a point and, as far as the speed permits, farthest out in its
 * direction from the middle. */
static inline void try_toward(program *at, const border *on, point3 sought) {
  const point3 middle = along3((point3){{0, 0, 0}}, on->normal, on->offset);
  const point3 nearest = along3(sought, on->normal, violation_of(on, sought));
  const point3 out = along3(nearest, middle, -1);
  const double half2 = at->maxSpeed * at->maxSpeed - dot3(middle, middle);
  try(at, nearest);
  try(at, middle);
  if (half2 >= 0 && length3(out) > 0) try(at, along3(middle, unit3(out), sqrt(half2)));
}

static inline void try_two(program *at, const border *a, const border *b, const border *others,
                           int count) {
  const point3 cross = cross3(a->normal, b->normal);
  if (length3(cross) < 1e-12) return;
  /* The point of both nearest to 0. */
  const double share = dot3(a->normal, b->normal), rest = 1 - share * share;
  const point3 point =
      along3(along3((point3){{0, 0, 0}}, a->normal, (a->offset - share * b->offset) / rest),
             b->normal, (b->offset - share * a->offset) / rest);
  if (at->dimensions == 2) {
    try(at, point);
    return;
  }
  const point3 direction = unit3(cross);
  try_line(at, point, direction);
  for (int i = 0; i < count; i++) {
    const double toward = dot3(others[i].normal, direction);
    if (fabs(toward) > 1e-12)
      try(at, along3(point, direction, violation_of(&others[i], point) / toward));
  }
}

/* Where two constraints are violated alike; false: everywhere or nowhere. */
static inline bool bisector_of(const border *a, const border *b, border *between) {
  const point3 normal = along3(a->normal, b->normal, -1);
  const double length = length3(normal);
  if (length < 1e-12) return false;
  *between = (border){unit3(normal), (a->offset - b->offset) / length};
  return true;
}

/* Finds the best there is; false: nothing is permitted (by the walls, where the worst violation
 * counts). */
static inline bool program_solve(program *at, bool isMinimax) {
  static border borders[PROGRAM_BORDERS];
  int count = 0;
  at->isMinimax = isMinimax;
  at->isFound = false;
  for (int i = 0; i < (isMinimax ? at->walls : at->count); i++) borders[count++] = at->borders[i];
  if (isMinimax)
    for (int i = at->walls; i < at->count; i++)
      for (int j = i + 1; j < at->count; j++)
        if (bisector_of(&at->borders[i], &at->borders[j], &borders[count])) count++;

  const double speed = length3(at->preferred);
  try(at, speed > at->maxSpeed ? along3((point3){{0, 0, 0}}, at->preferred, at->maxSpeed / speed)
                               : at->preferred);
  for (int i = 0; i < at->count; i++)
    try(at, along3((point3){{0, 0, 0}}, at->borders[i].normal, at->maxSpeed));
  for (int i = 0; i < count; i++) {
    try_toward(at, &borders[i], at->preferred);
    if (at->dimensions == 2)
      try_line(at, along3((point3){{0, 0, 0}}, borders[i].normal, borders[i].offset),
               (point3){{-borders[i].normal.x[1], borders[i].normal.x[0], 0}});
    for (int j = 0; j < at->count && at->dimensions == 3; j++)
      try_toward(at, &borders[i],
                 along3((point3){{0, 0, 0}}, at->borders[j].normal, 10 * at->maxSpeed));
    for (int j = 0; j < i; j++)
      try_two(at, &borders[i], &borders[j], borders, at->dimensions == 3 ? j : 0);
  }
  return at->isFound;
}

/* ---- Drawn at random ---- */

static inline double random_number(uint32_t *state, double low, double high) {
  return low + (high - low) * (double)random_word(state) / 4294967296.0;
}

static inline point3 random_direction(uint32_t *state, int dimensions) {
  point3 x = {{0, 0, 0}};
  do
    for (int axis = 0; axis < dimensions; axis++) x.x[axis] = random_number(state, -1, 1);
  while (length3(x) > 1 || length3(x) < 0.1);
  return unit3(x);
}

/* Constraints of all sorts: independent, equal, parallel, opposite, and almost so. `slant` is the
 * least angle between those that are only almost parallel. */
static inline program random_program(uint32_t *state, int dimensions, int most, double slant) {
  program drawn = {.dimensions = dimensions, .maxSpeed = 1};
  drawn.count = (int)(random_word(state) % ((uint32_t)most + 1));
  for (int scale = (int)(random_word(state) % 7) - 3; scale; scale += scale < 0 ? 1 : -1)
    drawn.maxSpeed *= scale < 0 ? 0.1 : 10;
  const double spread = random_word(state) % 3 ? 1.2 : 0.5;
  for (int i = 0; i < drawn.count; i++) {
    border *made = &drawn.borders[i];
    *made = (border){random_direction(state, dimensions),
                     random_number(state, -spread, spread * 0.7) * drawn.maxSpeed};
    if (i == 0) continue;
    const border *like = &drawn.borders[random_word(state) % (uint32_t)i];
    const uint32_t sort = random_word(state) % 16;
    if (sort == 0) *made = *like;
    if (sort == 1) made->normal = like->normal;
    if (sort == 2) *made = (border){along3((point3){{0, 0, 0}}, like->normal, -1), -like->offset};
    if (sort == 3) made->normal = along3((point3){{0, 0, 0}}, like->normal, -1);
    if (sort == 4)
      made->normal = unit3(along3(like->normal, made->normal, slant * random_number(state, 2, 9)));
  }
  drawn.preferred = along3((point3){{0, 0, 0}}, random_direction(state, dimensions),
                           drawn.maxSpeed * random_number(state, 0, 1.5));
  return drawn;
}

/* The same for the crowd: as floats, and then exactly what the floats say. */
typedef struct program_floats {
  orca2 lines;
  orca3 planes;
  float preferred[3];
} program_floats;

static inline void program_round(program *at, uint32_t *state, program_floats *to) {
  to->lines.count = to->planes.count = (uint32_t)at->count;
  to->lines.walls = (uint32_t)at->walls;
  for (int i = 0; i < at->count; i++) {
    border *of = &at->borders[i];
    const double *n = of->normal.x, aside = random_number(state, -1, 1) * at->maxSpeed;
    double rounded = 0;
    if (at->dimensions == 2) {
      orca2 *lines = &to->lines;
      lines->directionX[i] = (float)n[1];
      lines->directionY[i] = (float)-n[0];
      lines->x[i] = (float)(n[0] * of->offset + n[1] * aside);
      lines->y[i] = (float)(n[1] * of->offset - n[0] * aside);
      of->normal = (point3){{-(double)lines->directionY[i], (double)lines->directionX[i], 0}};
      rounded = of->normal.x[0] * (double)lines->x[i] + of->normal.x[1] * (double)lines->y[i];
    }
    for (int axis = 0; axis < 3 && at->dimensions == 3; axis++) {
      to->planes.normal[axis][i] = (float)n[axis];
      to->planes.point[axis][i] = (float)(n[axis] * of->offset);
      of->normal.x[axis] = (double)to->planes.normal[axis][i];
      rounded += of->normal.x[axis] * (double)to->planes.point[axis][i];
    }
    of->offset = rounded / length3(of->normal);
    of->normal = unit3(of->normal);
  }
  for (int axis = 0; axis < 3; axis++) {
    to->preferred[axis] = (float)at->preferred.x[axis];
    at->preferred.x[axis] = (double)to->preferred[axis];
  }
  at->maxSpeed = (double)(float)at->maxSpeed;
}

/* The least that the worst violation of these can be, in greatest speeds: below 0 where velocities
 * are permitted that keep away from all borders. */
static inline double program_slack(const program *of, int count) {
  program alone = *of;
  alone.count = count;
  alone.walls = 0;
  return count && program_solve(&alone, true) ? alone.best / of->maxSpeed : -1;
}

/* How near to parallel constraints are drawn. */
enum { PROGRAM_SLANTS = 5 };

/* Solves one program drawn at random; answers with what is wrong, or NULL. Those that can only just
 * be solved, or just not, are left out, and walls that contradict each other. */
static inline const char *compare_program(uint32_t *state, int dimensions, int sort) {
  static const double ACCEPTED = 1e-4; /* in greatest speeds */
  static const double SLANTS[PROGRAM_SLANTS] = {0.02, 1e-3, 1e-4, 1e-5, 1e-6};
  static program_floats floats;
  const double slant = SLANTS[sort];
  program at = random_program(state, dimensions, dimensions == 2 ? PROGRAM_LINES : 7, slant);
  if (dimensions == 2 && random_word(state) % 2)
    at.walls = (int)(random_word(state) % ((uint32_t)at.count + 1));
  program_round(&at, state, &floats);
  float velocity[3] = {0};
  const float maxSpeed = (float)at.maxSpeed;
  const bool isFeasible = dimensions == 2
                              ? orca2_solve(&floats.lines, floats.preferred, maxSpeed, velocity)
                              : orca3_solve(&floats.planes, floats.preferred, maxSpeed, velocity);
  const point3 x = {{(double)velocity[0], (double)velocity[1], (double)velocity[2]}};
  if (!(length3(x) <= at.maxSpeed * 1.001)) return "too fast";

  const double slack = program_slack(&at, at.count);
  const double violation = worst_of(&at, 0, at.count, x) / at.maxSpeed;
  if (slack < -1e-3) {
    if (!isFeasible) return "a program that can be solved is not";
    if (!program_solve(&at, false)) return "the slow way finds nothing";
    if (violation > ACCEPTED) return "a constraint is violated";
    if ((distance3(x, at.preferred) - at.best) / at.maxSpeed > ACCEPTED) return "not the best";
  } else if (slack > 1e-3 && program_slack(&at, at.walls) < -1e-3) {
    if (isFeasible) return "a program that can't be solved is";
    if (!program_solve(&at, true)) return "the slow way finds no least violation";
    if (at.walls && worst_of(&at, 0, at.walls, x) / at.maxSpeed > ACCEPTED)
      return "a wall is violated";
    if (worst_of(&at, at.walls, at.count, x) / at.maxSpeed - at.best / at.maxSpeed > ACCEPTED)
      return "the worst violation is not the least";
  }
  return NULL;
}

#endif

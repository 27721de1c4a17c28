/* The oracle of the crowd's programs: solves them slowly, in double. The best velocity is one of
 * finitely many candidates, where constraints and the speed limit meet. All of them are tried. */
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
/* Returns a + b * by. */
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

/* The plane (in 2D the line) normal . x = offset. Points beyond it are permitted. */
typedef struct border {
  point3 normal;
  double offset;
} border;

static inline double violation_of(const border *plane, point3 x) {
  return plane->offset - dot3(plane->normal, x);
}

/* A program in 2D or 3D, and the best value found for it so far. */
typedef struct program {
  int dimensions, count, walls; /* the first `walls` of the borders are walls */
  border borders[PROGRAM_LINES];
  double maxSpeed;
  point3 preferred;

  bool isMinimax; /* minimize the worst violation, else the distance from `preferred` */
  bool isFound;
  double best;
} program;

static inline double worst_of(const program *problem, int begin, int end, point3 x) {
  double worst = -INFINITY;
  for (int i = begin; i < end; i++) worst = fmax(worst, violation_of(&problem->borders[i], x));
  return worst;
}

static inline void try(program *problem, point3 x) {
  const double rounding = 1e-9 * problem->maxSpeed;
  if (!(length3(x) <= problem->maxSpeed + rounding)) return;
  const double worst =
      worst_of(problem, problem->isMinimax ? problem->walls : 0, problem->count, x);
  if (problem->isMinimax ? worst_of(problem, 0, problem->walls, x) > rounding : worst > rounding)
    return;
  const double value = problem->isMinimax ? worst : distance3(x, problem->preferred);
  if (problem->isFound && value >= problem->best) return;
  problem->isFound = true;
  problem->best = value;
}

/* Tries the two points of a line at the speed limit, and its point nearest to `preferred`. */
static inline void try_line(program *problem, point3 point, point3 direction) {
  const point3 middle = along3(point, direction, -dot3(point, direction));
  const double half2 = problem->maxSpeed * problem->maxSpeed - dot3(middle, middle);
  try(problem, along3(point, direction, dot3(direction, along3(problem->preferred, point, -1))));
  if (half2 < 0) return;
  try(problem, along3(middle, direction, sqrt(half2)));
  try(problem, along3(middle, direction, -sqrt(half2)));
}

/* Tries three points of a border: the nearest to a given point, the nearest to 0, and the one at
 * the speed limit in the direction from the latter to the former. */
static inline void try_toward(program *problem, const border *plane, point3 sought) {
  const point3 middle = along3((point3){{0, 0, 0}}, plane->normal, plane->offset);
  const point3 nearest = along3(sought, plane->normal, violation_of(plane, sought));
  const point3 out = along3(nearest, middle, -1);
  const double half2 = problem->maxSpeed * problem->maxSpeed - dot3(middle, middle);
  try(problem, nearest);
  try(problem, middle);
  if (half2 >= 0 && length3(out) > 0) try(problem, along3(middle, unit3(out), sqrt(half2)));
}

static inline void try_two(program *problem, const border *a, const border *b, const border *others,
                           int count) {
  const point3 cross = cross3(a->normal, b->normal);
  if (length3(cross) < 1e-12) return;
  /* The point on both borders that is nearest to 0. */
  const double share = dot3(a->normal, b->normal), rest = 1 - share * share;
  const point3 point =
      along3(along3((point3){{0, 0, 0}}, a->normal, (a->offset - share * b->offset) / rest),
             b->normal, (b->offset - share * a->offset) / rest);
  if (problem->dimensions == 2) {
    try(problem, point);
    return;
  }
  const point3 direction = unit3(cross);
  try_line(problem, point, direction);
  for (int i = 0; i < count; i++) {
    const double toward = dot3(others[i].normal, direction);
    if (fabs(toward) > 1e-12)
      try(problem, along3(point, direction, violation_of(&others[i], point) / toward));
  }
}

/* Writes the border on which two constraints are violated equally. False if their normals are
 * equal. */
static inline bool bisector_of(const border *a, const border *b, border *between) {
  const point3 normal = along3(a->normal, b->normal, -1);
  const double length = length3(normal);
  if (length < 1e-12) return false;
  *between = (border){unit3(normal), (a->offset - b->offset) / length};
  return true;
}

/* Finds the best value. False if no velocity is permitted (with isMinimax: by the walls). */
static inline bool program_solve(program *problem, bool isMinimax) {
  static border borders[PROGRAM_BORDERS];
  int count = 0;
  problem->isMinimax = isMinimax;
  problem->isFound = false;
  for (int i = 0; i < (isMinimax ? problem->walls : problem->count); i++)
    borders[count++] = problem->borders[i];
  if (isMinimax)
    for (int i = problem->walls; i < problem->count; i++)
      for (int j = i + 1; j < problem->count; j++)
        if (bisector_of(&problem->borders[i], &problem->borders[j], &borders[count])) count++;

  const double speed = length3(problem->preferred);
  try(problem, speed > problem->maxSpeed
                   ? along3((point3){{0, 0, 0}}, problem->preferred, problem->maxSpeed / speed)
                   : problem->preferred);
  for (int i = 0; i < problem->count; i++)
    try(problem, along3((point3){{0, 0, 0}}, problem->borders[i].normal, problem->maxSpeed));
  for (int i = 0; i < count; i++) {
    try_toward(problem, &borders[i], problem->preferred);
    if (problem->dimensions == 2)
      try_line(problem, along3((point3){{0, 0, 0}}, borders[i].normal, borders[i].offset),
               (point3){{-borders[i].normal.x[1], borders[i].normal.x[0], 0}});
    for (int j = 0; j < problem->count && problem->dimensions == 3; j++)
      try_toward(problem, &borders[i],
                 along3((point3){{0, 0, 0}}, problem->borders[j].normal, 10 * problem->maxSpeed));
    for (int j = 0; j < i; j++)
      try_two(problem, &borders[i], &borders[j], borders, problem->dimensions == 3 ? j : 0);
  }
  return problem->isFound;
}

/* ---- Random programs ---- */

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

/* Draws a program with independent, equal, parallel, opposite and almost parallel constraints.
 * `slant` is about the smallest angle between almost parallel ones. */
static inline program random_program(uint32_t *state, int dimensions, int most, double slant) {
  program drawn = {.dimensions = dimensions, .maxSpeed = 1};
  drawn.count = (int)(random_word(state) % ((uint32_t)most + 1));
  for (int scale = (int)(random_word(state) % 7) - 3; scale; scale += scale < 0 ? 1 : -1)
    drawn.maxSpeed *= scale < 0 ? 0.1 : 10;
  const double spread = random_word(state) % 3 ? 1.2 : 0.5;
  for (int i = 0; i < drawn.count; i++) {
    border *plane = &drawn.borders[i];
    *plane = (border){random_direction(state, dimensions),
                      random_number(state, -spread, spread * 0.7) * drawn.maxSpeed};
    if (i == 0) continue;
    const border *like = &drawn.borders[random_word(state) % (uint32_t)i];
    const uint32_t sort = random_word(state) % 16;
    if (sort == 0) *plane = *like;
    if (sort == 1) plane->normal = like->normal;
    if (sort == 2) *plane = (border){along3((point3){{0, 0, 0}}, like->normal, -1), -like->offset};
    if (sort == 3) plane->normal = along3((point3){{0, 0, 0}}, like->normal, -1);
    if (sort == 4)
      plane->normal =
          unit3(along3(like->normal, plane->normal, slant * random_number(state, 2, 9)));
  }
  drawn.preferred = along3((point3){{0, 0, 0}}, random_direction(state, dimensions),
                           drawn.maxSpeed * random_number(state, 0, 1.5));
  return drawn;
}

/* A program in the form that the crowd solves. */
typedef struct program_floats {
  orca2 lines;
  orca3 planes;
  float preferred[3];
} program_floats;

/* Writes a program as floats, and rounds it to exactly these floats. */
static inline void program_round(program *problem, uint32_t *state, program_floats *floats) {
  floats->lines.count = floats->planes.count = (uint32_t)problem->count;
  floats->lines.walls = (uint32_t)problem->walls;
  for (int i = 0; i < problem->count; i++) {
    border *plane = &problem->borders[i];
    const double *n = plane->normal.x, aside = random_number(state, -1, 1) * problem->maxSpeed;
    double rounded = 0;
    if (problem->dimensions == 2) {
      orca2 *lines = &floats->lines;
      lines->directionX[i] = (float)n[1];
      lines->directionY[i] = (float)-n[0];
      lines->x[i] = (float)(n[0] * plane->offset + n[1] * aside);
      lines->y[i] = (float)(n[1] * plane->offset - n[0] * aside);
      plane->normal = (point3){{-(double)lines->directionY[i], (double)lines->directionX[i], 0}};
      rounded = plane->normal.x[0] * (double)lines->x[i] + plane->normal.x[1] * (double)lines->y[i];
    }
    for (int axis = 0; axis < 3 && problem->dimensions == 3; axis++) {
      floats->planes.normal[axis][i] = (float)n[axis];
      floats->planes.point[axis][i] = (float)(n[axis] * plane->offset);
      plane->normal.x[axis] = (double)floats->planes.normal[axis][i];
      rounded += plane->normal.x[axis] * (double)floats->planes.point[axis][i];
    }
    plane->offset = rounded / length3(plane->normal);
    plane->normal = unit3(plane->normal);
  }
  for (int axis = 0; axis < 3; axis++) {
    floats->preferred[axis] = (float)problem->preferred.x[axis];
    problem->preferred.x[axis] = (double)floats->preferred[axis];
  }
  problem->maxSpeed = (double)(float)problem->maxSpeed;
}

/* Returns the minimum of the worst violation of the first `count` constraints, relative to the
 * speed limit. Negative if some velocity keeps clear of all borders. */
static inline double program_slack(const program *problem, int count) {
  program alone = *problem;
  alone.count = count;
  alone.walls = 0;
  return count && program_solve(&alone, true) ? alone.best / problem->maxSpeed : -1;
}

/* The number of slants that compare_program can draw with. */
enum { PROGRAM_SLANTS = 5 };

/* Solves a random program, and compares the solution with the oracle's. Returns what is wrong, or
 * NULL. Skips programs at the edge of being feasible, and walls that contradict each other. */
static inline const char *compare_program(uint32_t *state, int dimensions, int sort) {
  static const double ACCEPTED = 1e-4; /* relative to the speed limit */
  static const double SLANTS[PROGRAM_SLANTS] = {0.02, 1e-3, 1e-4, 1e-5, 1e-6};
  static program_floats floats;
  const double slant = SLANTS[sort];
  program problem = random_program(state, dimensions, dimensions == 2 ? PROGRAM_LINES : 7, slant);
  if (dimensions == 2 && random_word(state) % 2)
    problem.walls = (int)(random_word(state) % ((uint32_t)problem.count + 1));
  program_round(&problem, state, &floats);
  float velocity[3] = {0};
  const float maxSpeed = (float)problem.maxSpeed;
  const bool isFeasible =
      dimensions == 2
          ? orca2_solve(&floats.lines, floats.preferred, (float[2]){0}, maxSpeed, velocity)
          : orca3_solve(&floats.planes, floats.preferred, maxSpeed, velocity);
  const point3 x = {{(double)velocity[0], (double)velocity[1], (double)velocity[2]}};
  if (!(length3(x) <= problem.maxSpeed * 1.001)) return "too fast";

  const double slack = program_slack(&problem, problem.count);
  const double violation = worst_of(&problem, 0, problem.count, x) / problem.maxSpeed;
  if (slack < -1e-3) {
    if (!isFeasible) return "a feasible program was not solved";
    if (!program_solve(&problem, false)) return "the oracle found nothing";
    if (violation > ACCEPTED) return "a constraint is violated";
    if ((distance3(x, problem.preferred) - problem.best) / problem.maxSpeed > ACCEPTED)
      return "not the best";
  } else if (slack > 1e-3 && program_slack(&problem, problem.walls) < -1e-3) {
    if (isFeasible) return "an infeasible program was solved";
    if (!program_solve(&problem, true)) return "the oracle found no least violation";
    if (problem.walls && worst_of(&problem, 0, problem.walls, x) / problem.maxSpeed > ACCEPTED)
      return "a wall is violated";
    if (worst_of(&problem, problem.walls, problem.count, x) / problem.maxSpeed -
            problem.best / problem.maxSpeed >
        ACCEPTED)
      return "the worst violation is not the least";
  }
  return NULL;
}

#endif

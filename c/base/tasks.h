/* Work divided among the threads of a runner that the caller supplies (copse_tasks). Results never
 * depend on the runner: each task writes to places of its own, and what tasks add up is combined
 * in a fixed order.
 *
 * In a WebAssembly core for one thread (COPSE_ONE_THREAD), tasks_divide returns false, a constant:
 * the compiler then drops all code for several threads. */
#ifndef COPSE_TASKS_H
#define COPSE_TASKS_H

#include "core.h"

#if defined(__unix__) || defined(__APPLE__)
#include <sched.h>
#endif

typedef void task_function(void *argument, uint32_t index);

/* True if the work on `items` items is to be divided: if there are threads, and at least `from`
 * items. With fewer, starting other threads takes longer than they save. */
ALWAYS_INLINE bool tasks_divide(const copse_tasks *tasks, uint32_t items, uint32_t from) {
#ifdef COPSE_ONE_THREAD
  (void)tasks, (void)items, (void)from;
  return false;
#else
  return tasks->run && tasks->threads > 1 && items >= from;
#endif
}

/* The runner that a definition has; with one thread, none. */
#ifdef COPSE_ONE_THREAD
#define TASKS_OF(def)                                                                              \
  { 0 }
#else
#define TASKS_OF(def) (def)->tasks
#endif

/* Calls task(argument, i) for all i < count, on any threads, in any order. Returns when all calls
 * have returned. */
ALWAYS_INLINE void tasks_run(const copse_tasks *tasks, task_function *task, void *argument,
                             uint32_t count) {
  tasks->run(tasks->context, task, argument, count);
}

#if defined(__wasm__) && !defined(COPSE_ONE_THREAD)
/* Traps if a thread has trapped, or if the wait takes too long because one was killed. */
void task_check(uint32_t tries);
#endif

/* Called while a thread waits for another one, with the number of times that it was called. Lets
 * another thread of the processor work and, now and then, another thread of the system. */
ALWAYS_INLINE void task_pause(uint32_t tries) {
#if defined(__wasm__) && !defined(COPSE_ONE_THREAD)
  task_check(tries);
#endif
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
#if defined(__unix__) || defined(__APPLE__)
  if (tries % 256 == 0) sched_yield();
#endif
  (void)tries;
}

/* A range of items: begin … end - 1. */
typedef struct task_range {
  uint32_t begin, end;
} task_range;

/* True if a range does not overlap the items first … last. NULL is the range of all items: with one
 * thread, there is no other. */
ALWAYS_INLINE bool task_range_misses(const task_range *range, uint32_t first, uint32_t last) {
#ifdef COPSE_ONE_THREAD
  (void)range, (void)first, (void)last;
  return false;
#else
  return range && (first >= range->end || last < range->begin);
#endif
}
/* Returns *range; if it is NULL, the range of all items. */
ALWAYS_INLINE task_range task_range_or_all(const task_range *range, uint32_t items) {
#ifndef COPSE_ONE_THREAD
  if (range) return *range;
#endif
  (void)range;
  return (task_range){0, items};
}

/* Returns range `index` of those into which `items` items are divided, `size` in each. */
ALWAYS_INLINE task_range task_range_of(uint32_t index, uint32_t size, uint32_t items) {
  const uint32_t begin = index * size;
  return (task_range){begin, items - begin < size ? items : begin + size};
}
/* The maximum number of ranges that task_range_size makes. */
enum { TASK_RANGES = 4 * 64 };
/* Returns how many items to put into each range, a multiple of `least`. Makes four ranges per
 * thread: enough that all threads are busy to the end, but not more, because each range takes some
 * time. */
ALWAYS_INLINE uint32_t task_range_size(const copse_tasks *tasks, uint32_t items, uint32_t least) {
  const uint32_t ranges = tasks->threads < TASK_RANGES / 4 ? 4 * tasks->threads : TASK_RANGES;
  return ((items - 1) / least / ranges + 1) * least;
}
ALWAYS_INLINE uint32_t task_ranges(uint32_t size, uint32_t items) {
  return items / size + (items % size != 0);
}

#endif

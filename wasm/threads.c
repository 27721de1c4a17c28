/* The pool of threads of a core with shared memory. Each thread besides the main one is a worker
 * of JavaScript, which instantiates the same core over the same memory and calls `thread_work`.
 *
 * The main thread works too, and waits only for tasks that a worker has begun: so a worker that is
 * asleep, slow to start or gone costs nothing. A worker without work spins for a moment, because
 * the next tasks often follow at once, and then sleeps. */

#include "threads.h"

#include <stdatomic.h>

/* How often a worker looks for work before it sleeps: some 50 µs. */
enum { SPINS = 20000 };

/* High half: the round, which counts calls of `run`. Low half: how many tasks of the round are not
 * claimed yet; the last one is claimed first. */
static _Atomic uint64_t left;
static _Atomic uint32_t done;     /* tasks of the round that have ended */
static _Atomic uint32_t rounds;   /* workers sleep until it changes */
static _Atomic uint32_t sleeping; /* how many workers sleep, or are about to */
static _Atomic bool hasFailed;    /* true after a trap in a worker */
static _Atomic(task_function *) currentTask;
static _Atomic(void *) currentArgument;

/* Runs tasks of the current round until all are claimed. */
static void work(void) {
  for (;;) {
    uint64_t now = atomic_load(&left);
    /* Read before the claim: if another round has begun since then, the claim fails. */
    task_function *const task = atomic_load(&currentTask);
    void *const argument = atomic_load(&currentArgument);
    if (!(uint32_t)now) return;
    if (!atomic_compare_exchange_strong(&left, &now, now - 1)) continue;
    task(argument, (uint32_t)now - 1);
    atomic_fetch_add(&done, 1);
  }
}

static void run(void *context, task_function *task, void *argument, uint32_t count) {
  (void)context;
  const uint64_t round = (atomic_load(&left) >> 32) + 1;
  atomic_store(&currentTask, task);
  atomic_store(&currentArgument, argument);
  atomic_store(&done, 0);
  atomic_store(&left, round << 32 | count);
  atomic_fetch_add(&rounds, 1);
  if (atomic_load(&sleeping)) __builtin_wasm_memory_atomic_notify((int *)&rounds, UINT32_MAX);
  work();
  for (uint32_t tries = 0; atomic_load(&done) < count;) {
    if (atomic_load(&hasFailed)) __builtin_trap();
    task_pause(++tries);
  }
}

/* Objects that are created from now on divide their work among `threads` threads. */
copse_tasks pool;
EXPORT("threads_set") void threads_set(uint32_t threads) {
  pool = (copse_tasks){run, NULL, threads};
}

/* Allocates the stack of a worker. Returns its upper end, where a stack begins; 0 if there is no
 * memory. */
EXPORT("threads_stack") uintptr_t threads_stack(uint32_t bytes) {
  const copse_allocator MALLOC = {0};
  char *stack = can_allocate(bytes) ? memory_take(&MALLOC, bytes) : NULL;
  return stack ? ((uintptr_t)stack + bytes) & ~(uintptr_t)15 : 0;
}

/* Called in a worker, which it never leaves. */
EXPORT("threads_work") void threads_work(void) {
  uint32_t seen = atomic_load(&rounds);
  for (uint32_t spins = 0;;) {
    const uint32_t now = atomic_load(&rounds);
    if (now != seen) {
      seen = now;
      spins = 0;
      work();
    } else if (++spins == SPINS) {
      atomic_fetch_add(&sleeping, 1);
      __builtin_wasm_memory_atomic_wait32((int *)&rounds, (int)seen, -1);
      atomic_fetch_sub(&sleeping, 1);
      spins = 0;
    }
  }
}

/* Called in a worker after a trap: the main thread then traps instead of waiting forever. */
EXPORT("threads_fail") void threads_fail(void) { atomic_store(&hasFailed, true); }

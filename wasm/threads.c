/* The pool of threads of a core with shared memory. Each thread besides the main one is a worker
 * of JavaScript, which instantiates the same core over the same memory and calls `threads_work`.
 *
 * Each thread owns an equal share of the tasks of a round (a call of `run`), and takes them from
 * the front; when it has none left, it takes those of others from the back. So it works on the same
 * part of the data in one round after another, and finds it in its cache.
 *
 * The main thread waits only for tasks that a worker has begun: so a worker that is asleep, slow to
 * start or gone costs nothing. A worker without work spins for a moment, because the next round
 * often follows at once, and then sleeps. */

#include "threads.h"

#include <stdatomic.h>

/* MOST_THREADS: as in pool.js. SPINS: how often a worker looks for work before it sleeps, some
 * 50 µs. FEW_SPINS: the same for a worker that has slept. It may have been woken on the main
 * thread's processor: while it spins there, the main thread waits. */
enum { MOST_THREADS = 64, SPINS = 20000, FEW_SPINS = 1000 };

/* The tasks of a thread that are not claimed yet: the round (32 bits), the first task and one past
 * the last (16 bits each). In a cache line of its own. */
typedef struct share {
  _Alignas(64) _Atomic uint64_t left;
} share;

static share shares[MOST_THREADS];
static _Alignas(64) _Atomic uint32_t round; /* workers sleep until it changes */
static _Atomic(task_function *) currentTask;
static _Atomic(void *) currentArgument;
static _Alignas(64) _Atomic uint32_t done;     /* tasks of the round that have ended */
static _Alignas(64) _Atomic uint32_t sleeping; /* how many workers sleep, or are about to */
static _Atomic bool hasFailed;                 /* true after a trap in a worker */

/* 2^31 tries take more than 10 s. No task takes that long: its worker was killed. */
void task_check(uint32_t tries) {
  if (atomic_load(&hasFailed) || tries >> 31) __builtin_trap();
}

/* The runner of objects that are created from now on. */
copse_tasks pool;

/* Claims a task of a round. Returns false if none is left in the share. */
static bool claim(share *from, uint32_t now, bool isOwn, uint32_t *index) {
  uint64_t left = atomic_load(&from->left);
  for (;;) {
    const uint32_t first = (uint32_t)left >> 16, end = (uint32_t)left & 0xffff;
    if (left >> 32 != now || first == end) return false;
    *index = isOwn ? first : end - 1;
    if (atomic_compare_exchange_strong(&from->left, &left, isOwn ? left + 0x10000 : left - 1))
      return true;
  }
}

/* Runs tasks of a round until all are claimed. `self` is the index of this thread. */
static void work(uint32_t self, uint32_t now) {
  task_function *const task = atomic_load(&currentTask);
  void *const argument = atomic_load(&currentArgument);
  uint32_t ended = 0;
  for (uint32_t i = 0; i < pool.threads; i++) {
    share *from = &shares[(self + i) % pool.threads];
    /* If another round has begun since `task` was read, no claim succeeds. */
    for (uint32_t index; claim(from, now, i == 0, &index); ended++) task(argument, index);
  }
  if (ended) atomic_fetch_add(&done, ended);
}

static void run(void *context, task_function *task, void *argument, uint32_t count) {
  (void)context;
  if (pool.threads == 1) { /* the workers are being terminated: none may begin a task */
    for (uint32_t i = 0; i < count; i++) task(argument, i);
    return;
  }
  const uint32_t now = atomic_load(&round) + 1;
  atomic_store(&currentTask, task);
  atomic_store(&currentArgument, argument);
  atomic_store(&done, 0);
  for (uint32_t i = 0; i < pool.threads; i++) {
    const uint64_t first = count * i / pool.threads, end = count * (i + 1) / pool.threads;
    atomic_store(&shares[i].left, (uint64_t)now << 32 | first << 16 | end);
  }
  atomic_store(&round, now);
  /* A small count, because V8 makes garbage to pass a large one. */
  if (atomic_load(&sleeping)) __builtin_wasm_memory_atomic_notify((int *)&round, MOST_THREADS);
  work(0, now);
  for (uint32_t tries = 0; atomic_load(&done) < count;) task_pause(++tries);
}

/* Sets the number of threads. Called when all workers are ready, and again, with 1, before they are
 * terminated. */
EXPORT("threads_set") void threads_set(uint32_t threads) {
  if (threads <= MOST_THREADS) pool = (copse_tasks){run, NULL, threads};
}

/* Allocates the stack of a worker. Returns its upper end, where a stack begins; 0 if there is no
 * memory. */
EXPORT("threads_stack") uintptr_t threads_stack(uint32_t bytes) {
  char *stack = memory_take(&objectMemory, bytes);
  return stack ? ((uintptr_t)stack + bytes) & ~(uintptr_t)15 : 0;
}

/* Called in worker `self`, 1 or more, which it never leaves. */
EXPORT("threads_work") void threads_work(uint32_t self) {
  uint32_t seen = atomic_load(&round);
  for (uint32_t spins = 0, most = FEW_SPINS;;) {
    const uint32_t now = atomic_load(&round);
    if (now != seen) {
      seen = now;
      if (spins) most = SPINS;
      spins = 0;
      work(self, now);
    } else if (++spins == most) {
      atomic_fetch_add(&sleeping, 1);
      __builtin_wasm_memory_atomic_wait32((int *)&round, (int)seen, -1);
      atomic_fetch_sub(&sleeping, 1);
      spins = 0;
      most = FEW_SPINS;
    }
  }
}

/* Called in a worker after a trap: the main thread then traps instead of waiting forever. */
EXPORT("threads_fail") void threads_fail(void) { atomic_store(&hasFailed, true); }

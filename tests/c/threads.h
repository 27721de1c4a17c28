/* A small runner for copse_tasks: a pool of threads. A host of the library would use its own job
 * system.
 *
 * Each thread owns an equal share of the tasks of a round (a call of pool_run), and takes them from
 * the front; when it has none left, it takes those of others from the back. So it works on the same
 * part of the data in one round after another, and finds it in its cache. A thread without work
 * spins for a moment, and then sleeps. */
#ifndef THREADS_H
#define THREADS_H

#include "../../c/copse.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { POOL_MOST = 16, POOL_SPINS = 20000 };

typedef void pool_task(void *argument, uint32_t index);

/* The tasks of a thread that are not claimed yet: the round (32 bits), the first task and one past
 * the last (16 bits each). In a cache line of its own. */
typedef struct pool_share {
  _Alignas(64) _Atomic uint64_t left;
} pool_share;

typedef struct thread_pool {
  pool_share shares[POOL_MOST];
  _Alignas(64) _Atomic uint32_t round;
  _Atomic(pool_task *) task;
  _Atomic(void *) argument;
  _Alignas(64) _Atomic uint32_t done;    /* tasks of the round that have ended */
  _Alignas(64) _Atomic uint32_t started; /* gives each thread an index */
  _Atomic bool ends;
  uint32_t size; /* the number of threads, the calling one included */
  pthread_t threads[POOL_MOST];
  pthread_mutex_t lock;
  pthread_cond_t wake;
} thread_pool;

/* Claims a task of a round. Returns false if none is left in the share. */
static inline bool pool_claim(pool_share *share, uint32_t round, bool isOwn, uint32_t *index) {
  uint64_t left = atomic_load(&share->left);
  for (;;) {
    const uint32_t first = (uint32_t)left >> 16, end = (uint32_t)left & 0xffff;
    if (left >> 32 != round || first == end) return false;
    *index = isOwn ? first : end - 1;
    if (atomic_compare_exchange_weak(&share->left, &left, isOwn ? left + 0x10000 : left - 1))
      return true;
  }
}

/* Runs tasks of a round until all are claimed. */
static inline void pool_work(thread_pool *pool, uint32_t self, uint32_t round) {
  pool_task *const task = atomic_load(&pool->task);
  void *const argument = atomic_load(&pool->argument);
  uint32_t done = 0;
  for (uint32_t i = 0; i < pool->size; i++) {
    pool_share *share = &pool->shares[(self + i) % pool->size];
    /* If another round has begun since `task` was read, no claim succeeds. */
    for (uint32_t index; pool_claim(share, round, i == 0, &index); done++) task(argument, index);
  }
  if (done) atomic_fetch_add(&pool->done, done);
}

static inline void *pool_thread(void *argument) {
  thread_pool *pool = argument;
  const uint32_t self = atomic_fetch_add(&pool->started, 1) + 1;
  uint32_t round = 0;
  for (uint32_t spins = 0; !atomic_load(&pool->ends); spins++) {
    const uint32_t now = atomic_load(&pool->round);
    if (now != round) {
      round = now;
      spins = 0;
      pool_work(pool, self, round);
    } else if (spins > POOL_SPINS) {
      pthread_mutex_lock(&pool->lock);
      while (atomic_load(&pool->round) == round && !atomic_load(&pool->ends))
        pthread_cond_wait(&pool->wake, &pool->lock);
      pthread_mutex_unlock(&pool->lock);
    }
  }
  return NULL;
}

static inline void pool_wake(thread_pool *pool) {
  pthread_mutex_lock(&pool->lock);
  pthread_cond_broadcast(&pool->wake);
  pthread_mutex_unlock(&pool->lock);
}

static inline void pool_run(void *context, pool_task *task, void *argument, uint32_t count) {
  thread_pool *pool = context;
  const uint32_t round = atomic_load(&pool->round) + 1;
  atomic_store(&pool->task, task);
  atomic_store(&pool->argument, argument);
  atomic_store(&pool->done, 0);
  for (uint32_t i = 0; i < pool->size; i++) {
    const uint64_t first = count * i / pool->size, end = count * (i + 1) / pool->size;
    atomic_store(&pool->shares[i].left, (uint64_t)round << 32 | first << 16 | end);
  }
  atomic_store(&pool->round, round);
  pool_wake(pool);
  pool_work(pool, 0, round);
  for (uint32_t spins = 1; atomic_load(&pool->done) < count; spins++)
    if (spins % 256 == 0) sched_yield();
}

/* Starts a pool of `threads` threads, the calling one included, and returns a runner for it. */
static inline copse_tasks pool_start(thread_pool *pool, uint32_t threads) {
  *pool = (thread_pool){.size = threads};
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->wake, NULL);
  for (uint32_t i = 1; i < threads; i++)
    if (pthread_create(&pool->threads[i], NULL, pool_thread, pool)) abort();
  return (copse_tasks){pool_run, pool, threads};
}

static inline void pool_end(thread_pool *pool) {
  atomic_store(&pool->ends, true);
  pool_wake(pool);
  for (uint32_t i = 1; i < pool->size; i++) pthread_join(pool->threads[i], NULL);
}

#endif

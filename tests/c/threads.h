/* A small runner for copse_tasks: a pool of threads that claim tasks one by one. A thread without
 * work spins for a moment, and then sleeps. A host of the library would use its own job system. */
#ifndef THREADS_H
#define THREADS_H

#include "../../c/copse.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { POOL_MOST = 16, POOL_SPINS = 20000 };

typedef void pool_task(void *argument, uint32_t index);

typedef struct thread_pool {
  pthread_t threads[POOL_MOST];
  uint32_t size; /* threads besides the calling one */
  pthread_mutex_t lock;
  pthread_cond_t wake;
  _Atomic bool ends;
  /* High half: the round, which counts calls of pool_run. Low half: how many tasks of the round are
   * not claimed yet. The last one is claimed first. */
  _Atomic uint64_t left;
  _Atomic uint32_t done; /* tasks of the round that have ended */
  _Atomic(pool_task *) task;
  _Atomic(void *) argument;
} thread_pool;

/* Runs tasks of the current round until all are claimed. Returns the round. */
static inline uint32_t pool_work(thread_pool *pool) {
  for (;;) {
    uint64_t left = atomic_load(&pool->left);
    /* Read before the claim: if another round has begun since then, the claim fails. */
    pool_task *const task = atomic_load(&pool->task);
    void *const argument = atomic_load(&pool->argument);
    if (!(uint32_t)left) return (uint32_t)(left >> 32);
    if (!atomic_compare_exchange_strong(&pool->left, &left, left - 1)) continue;
    task(argument, (uint32_t)left - 1);
    atomic_fetch_add(&pool->done, 1);
  }
}

static inline void *pool_thread(void *argument) {
  thread_pool *pool = argument;
  uint32_t spins = 0, round = pool_work(pool);
  while (!atomic_load(&pool->ends)) {
    if (atomic_load(&pool->left) >> 32 != round) {
      round = pool_work(pool);
      spins = 0;
    } else if (spins++ > POOL_SPINS) {
      pthread_mutex_lock(&pool->lock);
      while (atomic_load(&pool->left) >> 32 == round && !atomic_load(&pool->ends))
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
  const uint64_t round = (atomic_load(&pool->left) >> 32) + 1;
  atomic_store(&pool->task, task);
  atomic_store(&pool->argument, argument);
  atomic_store(&pool->done, 0);
  atomic_store(&pool->left, round << 32 | count);
  pool_wake(pool);
  pool_work(pool);
  for (uint32_t spins = 1; atomic_load(&pool->done) < count; spins++)
    if (spins % 256 == 0) sched_yield();
}

/* Starts a pool of `threads` threads, the calling one included, and returns a runner for it. */
static inline copse_tasks pool_start(thread_pool *pool, uint32_t threads) {
  *pool = (thread_pool){.size = threads - 1};
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->wake, NULL);
  for (uint32_t i = 0; i < pool->size; i++)
    pthread_create(&pool->threads[i], NULL, pool_thread, pool);
  return (copse_tasks){pool_run, pool, threads};
}

static inline void pool_end(thread_pool *pool) {
  atomic_store(&pool->ends, true);
  pool_wake(pool);
  for (uint32_t i = 0; i < pool->size; i++) pthread_join(pool->threads[i], NULL);
}

#endif

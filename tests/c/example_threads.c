#include <copse.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* Threads that wait for tasks, and claim them one by one. */
typedef struct thread_pool {
  pthread_mutex_t lock; /* guards what follows */
  pthread_cond_t begun, ended;
  void (*task)(void *argument, uint32_t index);
  void *argument;
  uint32_t count, claimed, done;
} thread_pool;

/* Runs tasks until all are claimed. The calling thread holds the lock. */
static void work(thread_pool *pool) {
  while (pool->claimed < pool->count) {
    const uint32_t index = pool->claimed++;
    pthread_mutex_unlock(&pool->lock);
    pool->task(pool->argument, index);
    pthread_mutex_lock(&pool->lock);
    if (++pool->done == pool->count) pthread_cond_signal(&pool->ended);
  }
}

static void *serve(void *context) {
  thread_pool *pool = (thread_pool *)context;
  pthread_mutex_lock(&pool->lock);
  while (pthread_cond_wait(&pool->begun, &pool->lock) == 0) work(pool);
  return NULL;
}

/* The runner. */
static void run(void *context, void (*task)(void *argument, uint32_t index), void *argument,
                uint32_t count) {
  thread_pool *pool = (thread_pool *)context;
  pthread_mutex_lock(&pool->lock);
  pool->task = task;
  pool->argument = argument;
  pool->count = count;
  pool->claimed = pool->done = 0;
  pthread_cond_broadcast(&pool->begun);
  work(pool);
  while (pool->done < count) pthread_cond_wait(&pool->ended, &pool->lock);
  pthread_mutex_unlock(&pool->lock);
}

/* Steps a crowd. Returns a hash of its state. */
static uint32_t play(copse_tasks tasks) {
  copse_crowd_def def = copse_crowd_default();
  def.capacity = 5000;
  def.tasks = tasks;
  copse_crowd *crowd;
  if (copse_crowd_create(&def, &crowd) != COPSE_OK) exit(1);
  copse_crowd_agent agent = copse_crowd_agent_default();
  for (uint32_t i = 0, slot; i < def.capacity; i++) {
    agent.position[0] = (float)(i % 71);
    agent.position[1] = (float)(i / 71);
    agent.goal[0] = 70 - agent.position[0];
    agent.goal[1] = 70 - agent.position[1];
    copse_crowd_add(crowd, &agent, &slot);
  }
  for (int i = 0; i < 30; i++) copse_crowd_step(crowd, NULL, 1 / 30.f, NULL);
  const uint32_t hash = copse_crowd_hash(crowd);
  copse_crowd_destroy(crowd);
  return hash;
}

int main(void) {
  static thread_pool pool;
  pthread_mutex_init(&pool.lock, NULL);
  pthread_cond_init(&pool.begun, NULL);
  pthread_cond_init(&pool.ended, NULL);
  const copse_tasks one = {NULL, NULL, 0}, four = {run, &pool, 4};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 1 << 20); /* on some systems, the default is less */
  for (uint32_t i = 1; i < four.threads; i++) {
    pthread_t thread;
    if (pthread_create(&thread, &attributes, serve, &pool)) return 1;
  }
  puts(play(one) == play(four) ? "four threads: the same bits" : "four threads: other bits");
  return 0;
}

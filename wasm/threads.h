/* The runner of the objects in this core, see threads.c. A core for one thread has none, nor has a
 * native program, which tests use. */
#ifndef COPSE_THREADS_H
#define COPSE_THREADS_H

#include "objects.h"

#include "../c/base/tasks.h"

#if defined(COPSE_ONE_THREAD) || !defined(__wasm__)
#define USE_POOL(def) ((void)(def))
#else
extern copse_tasks pool;
#define USE_POOL(def) ((def)->tasks = pool)
#endif

#endif

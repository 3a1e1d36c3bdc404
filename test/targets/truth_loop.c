/*
 * A paced loop that knows its own truth, for samplers of native code.
 *
 *   truth_loop FILE HZ PHYSICS_US RAYCAST_US PUBLISH_US
 *
 * Each step burns so much CPU time of its thread in each function, then sleeps until the next step is due. After every step a row is
 * written into FILE, which is mapped: nanoseconds of CLOCK_MONOTONIC, then the CPU nanoseconds that each function has had so far. Prints
 * "ready" after the first step. Ends with its parent, or by a signal.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { ROWS = 1 << 17 };

struct row {
  uint64_t at, physics, raycast, publish;
};

struct ring {
  uint64_t rows;
  struct row row[ROWS];
};

static uint64_t now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t used(void) { return now(CLOCK_THREAD_CPUTIME_ID); }

/*
 * About 10 us of arithmetic between two looks at the clock, so that nearly all samples stand in it and not in the kernel: whose libc has no
 * frame pointers, hides the caller of a system call. Each function has its own, or the compiler would make one of them.
 */
#define BURN(name, factor)                                          \
  __attribute__((noinline)) static uint64_t name(uint64_t ns) {     \
    static volatile double sink;                                    \
    uint64_t from = used();                                         \
    while (used() - from < ns) {                                    \
      double x = sink;                                              \
      for (int i = 0; i < 4000; i++) x = x * factor + 0.5;          \
      sink = x;                                                     \
    }                                                               \
    return used() - from;                                           \
  }
BURN(burn_physics, 0.999999)
BURN(burn_raycast, 0.999998)
BURN(burn_publish, 0.999997)

__attribute__((noinline)) static void pace_until(uint64_t due) {
  struct timespec t = {(time_t)(due / 1000000000u), (long)(due % 1000000000u)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) != 0) {
  }
}

int main(int argc, char **argv) {
  if (argc != 6) {
    fprintf(stderr, "usage: truth_loop FILE HZ PHYSICS_US RAYCAST_US PUBLISH_US\n");
    return 2;
  }
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  int file = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || ftruncate(file, sizeof(struct ring)) != 0) {
    perror(argv[1]);
    return 1;
  }
  struct ring *ring = mmap(NULL, sizeof(struct ring), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (ring == MAP_FAILED) {
    perror("mmap");
    return 1;
  }
  uint64_t period = 1000000000u / (uint64_t)atoi(argv[2]);
  uint64_t physics_ns = (uint64_t)atoi(argv[3]) * 1000u;
  uint64_t raycast_ns = (uint64_t)atoi(argv[4]) * 1000u;
  uint64_t publish_ns = (uint64_t)atoi(argv[5]) * 1000u;
  uint64_t physics = 0, raycast = 0, publish = 0;
  uint64_t due = now(CLOCK_MONOTONIC);
  for (uint64_t step = 0; step < ROWS; step++) {
    physics += burn_physics(physics_ns);
    raycast += burn_raycast(raycast_ns);
    publish += burn_publish(publish_ns);
    ring->row[step] = (struct row){now(CLOCK_MONOTONIC), physics, raycast, publish};
    __atomic_store_n(&ring->rows, step + 1, __ATOMIC_RELEASE);
    if (step == 0) {
      puts("ready");
      fflush(stdout);
    }
    due += period;
    uint64_t t = now(CLOCK_MONOTONIC);
    /* A late loop starts afresh, as most pacers do. */
    if (due > t) pace_until(due);
    else due = t;
  }
  return 0;
}

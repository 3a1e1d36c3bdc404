// A loop that no rule knows, in a program that is no Python: for as many steps as it is told. Ends with exit code 4.
#include <stdlib.h>
#include <time.h>

static volatile double sum;

__attribute__((noinline)) void advance(void) {
  for (int i = 0; i < 400000; i++) sum += i;
}

int main(int argc, char **argv) {
  struct timespec pause = {0, 3000000};
  for (int left = argc > 1 ? atoi(argv[1]) : 1000; left > 0; left--) {
    advance();
    nanosleep(&pause, 0);
  }
  return 4;
}

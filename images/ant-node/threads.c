/* Preloaded into the node: it believes in as many hardware threads as SQUALL_THREADS says, and its fetch concurrency
   follows. Asking another process, or a mask too small for the answer, is left to the kernel. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *mask) {
  const char *text = getenv("SQUALL_THREADS");
  long wanted = text ? strtol(text, NULL, 10) : 0;
  if (pid != 0 || wanted <= 0 || (size_t)wanted > size * 8) {
    long got = syscall(SYS_sched_getaffinity, pid, size, mask);
    if (got < 0) return -1;
    if ((size_t)got < size) memset((char *)mask + got, 0, size - (size_t)got);
    return 0;
  }
  memset(mask, 0, size);
  for (long cpu = 0; cpu < wanted; cpu++) CPU_SET_S(cpu, size, mask);
  return 0;
}

/** CLOCK_MONOTONIC in nanoseconds: on Linux `hrtime` reads the same clock as the nodes' `monoNs`. */
export function nowNs(): number {
  return Number(process.hrtime.bigint());
}

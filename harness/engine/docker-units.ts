/** The only place where Docker's units are converted: CPUs ↔ nano-CPUs, its times ↔ milliseconds. */

export function nanoCpus(cpus: number): number {
  return Math.round(cpus * 1e9);
}

/** Unix seconds with nine decimals, as `since` wants them, of an RFC 3339 time with up to nanoseconds. */
export function sinceParameter(rfc3339: string): string {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/.exec(rfc3339);
  if (!match) throw new RangeError(`time "${rfc3339}": expected RFC 3339, as the engine gives it`);
  const seconds = Math.floor(Date.parse(`${match[1]}${match[3]}`) / 1000);
  return `${seconds}.${(match[2] ?? '').padEnd(9, '0')}`;
}

/** Unix seconds with nine decimals of nanoseconds since the epoch, without the loss of a double. */
export function nanosecondsParameter(timeNano: bigint): string {
  return `${timeNano / 1_000_000_000n}.${String(timeNano % 1_000_000_000n).padStart(9, '0')}`;
}

export function secondsToMs(seconds: number): number {
  return seconds * 1000;
}

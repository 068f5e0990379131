/** 0, 1, 10, 100 …: the default ticks of a symmetric logarithm crowd near its top. */
export function symlogTicks(top: number): number[] {
  const ticks = [0, 1];
  for (let tick = 10; tick <= top * 1.6; tick *= 10) ticks.push(tick);
  return ticks;
}

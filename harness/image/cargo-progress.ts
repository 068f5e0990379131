import { formatDurationMs } from '../units/index.ts';

/** A word now and then is enough: such a build takes minutes. */
const EVERY_CRATES = 40;

/** Turns cargo's lines into a few: how many crates are compiled, and for how long it has been at it. */
export function cargoProgress(
  tell: (text: string) => void,
  nowMs: () => number = () => performance.now(),
): (line: string) => void {
  const beganMs = nowMs();
  let compiled = 0;
  let waits = false;
  return (line) => {
    if (/^\s*Compiling /.test(line)) {
      compiled += 1;
      if (compiled % EVERY_CRATES === 0)
        tell(`${compiled} crates compiled in ${formatDurationMs(nowMs() - beganMs)}`);
    } else if (/^\s*Blocking waiting for file lock/.test(line)) {
      if (!waits) tell('waits for another build by cargo');
      waits = true;
    } else if (/^\s*(Finished|Installing|Installed) /.test(line)) {
      tell(line.trim());
    }
  };
}

/** One letter a kind of fault, so that a picture can be read without colours; kinds that share one share an effect. */
const LETTERS: Readonly<Record<string, string>> = {
  hold: 'H',
  drop: 'D',
  loss: 'L',
  delay: 'Y',
  duplicate: 'U',
  reorder: 'O',
  corrupt: 'C',
  rate: 'R',
  'blackhole-connect': 'B',
  'blackhole-stream': 'B',
  'blackhole-after': 'B',
  refuse: 'X',
  reset: 'X',
  slow: 'Y',
  slice: 'S',
  limit: 'X',
  throttle: 'R',
  'storm-421': '4',
  pause: 'P',
  kill: 'K',
  stop: 'K',
  restart: 'A',
  'disk-full': 'F',
  'memory-limit': 'M',
  'cpu-quota': 'Q',
  'clock-offset': 'T',
};

export function faultLetter(kind: string): string {
  return LETTERS[kind] ?? '!';
}

import { SquallError } from '../../harness/errors/index.ts';
import type { RecordedEvent } from '../../harness/index.ts';

/** What was laid into a holder's store before it started. */
export interface LaidStore {
  readonly chunks: number;
  readonly bytes: number;
}

/** What the stores of all holders together should have. */
export interface WantedStores {
  readonly keys: number;
  /** Of a chunk. */
  readonly minBytes: number;
  readonly maxBytes: number;
  /** Nodes nearest to a key that hold it, as far as there are so many. */
  readonly group: number;
}

/**
 * Holds what was laid against what should have been, and against what each node found when it opened its store: with a layout
 * that it does not know, a node would begin empty and the wave would measure nothing.
 * @throws SquallError `not-populated`
 */
export function requireLaid(
  laid: ReadonlyMap<string, LaidStore>,
  wanted: WantedStores,
  events: readonly RecordedEvent[],
): void {
  const problems: string[] = [];
  const copies = wanted.keys * Math.min(wanted.group, laid.size);
  const [chunks, bytes] = [total(laid, 'chunks'), total(laid, 'bytes')];
  if (chunks !== copies) problems.push(`${chunks} chunks were laid in all; expected ${copies}`);
  const [least, most] = [copies * wanted.minBytes, copies * wanted.maxBytes];
  if (bytes < least || bytes > most)
    problems.push(
      `${bytes} bytes were laid in all; expected ${least === most ? least : `${least} to ${most}`}`,
    );
  for (const [holder, { chunks: own }] of laid) {
    const opened = events.find(({ event, node }) => event === 'store.opened' && node === holder);
    const found = opened?.fields['chunks'];
    if (found === own) continue;
    problems.push(
      `${holder} ${opened ? `found ${found}` : 'did not say what it found'}; expected ${own} chunks`,
    );
  }
  if (problems.length === 0) return;
  throw new SquallError(`the network is not populated: ${problems.join(', ')}.`, {
    code: 'not-populated',
    facts: { problems },
    hint: 'See what the nodes logged of their stores; another version may lay its chunks out, or say so, in another way (adapters of images/ant-node).',
  });
}

function total(laid: ReadonlyMap<string, LaidStore>, field: keyof LaidStore): number {
  return [...laid.values()].reduce((sum, one) => sum + one[field], 0);
}

import {
  openTrial,
  type RecordedEvent,
  readEvents,
  type TrialRecord,
  type TrialWriter,
} from '../record/index.ts';

/** What the record of a flood holds, read back from the disk. */
export interface RecordedFlood {
  /** Numbered events of all nodes; one that stands there twice counts once. */
  readonly events: number;
  /** From the first of them to the last, by the nodes' clock; not a number for fewer than two. */
  readonly perSecond: number;
  readonly logLines: number;
  readonly lostLogLines: number;
}

/** Stands in no line; looked for in every one, as the secrets of a topology are. */
const SECRET = 'a secret of the bench that nobody says';

/** The record of a flood, through the writer of every trial: events, each node's log, and what is blanked in them. */
export class FloodRecord {
  readonly #writer: TrialWriter;
  #finished = false;

  private constructor(writer: TrialWriter) {
    this.#writer = writer;
  }

  /** @param runDir gets `trials/flood/1` */
  static async open(runDir: string): Promise<FloodRecord> {
    return new FloodRecord(await openTrial(runDir, { pointId: 'flood', trial: 1 }, { secrets: [SECRET] }));
  }

  /** What comes after the end, while the bed is removed, is no part of it. */
  readonly event = (event: RecordedEvent): void => {
    if (!this.#finished) this.#writer.event(event);
  };

  readonly line = (node: string, line: string): void => {
    if (!this.#finished) this.#writer.log(node).line(line);
  };

  /**
   * Ends the record and reads it back.
   * @param trial - what stands in trial.json beside the counts; its nodes are those whose logs are looked at
   */
  async finish(trial: TrialRecord): Promise<RecordedFlood> {
    this.#finished = true;
    const { nodes } = await this.#writer.finish(trial);
    const numbers = new Map<string, Set<unknown>>();
    let [firstNs, lastNs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for await (const { event, node, atNs, fields } of readEvents(this.#writer.dir)) {
      if (event !== 'flood.line') continue;
      const seen = numbers.get(node) ?? new Set();
      numbers.set(node, seen.add(fields['number']));
      firstNs = Math.min(firstNs, atNs);
      lastNs = Math.max(lastNs, atNs);
    }
    const events = [...numbers.values()].reduce((sum, { size }) => sum + size, 0);
    return {
      events,
      perSecond: lastNs > firstNs ? (events * 1e9) / (lastNs - firstNs) : Number.NaN,
      logLines: nodes.reduce((sum, { log }) => sum + (log?.lines ?? 0), 0),
      lostLogLines: nodes.reduce((sum, { log }) => sum + (log?.lostLines ?? 0), 0),
    };
  }
}

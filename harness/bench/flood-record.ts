import {
  openTrial,
  type RecordedEvent,
  readEvents,
  type TrialRecord,
  type TrialWriter,
} from '../record/index.ts';
import { nowNs } from '../testnet/index.ts';

/** The event that is counted. */
const LINE = 'flood.line';

/** What the record of a flood holds, read back from the disk. */
export interface RecordedFlood {
  /** Numbered events of all nodes; one that stands there twice counts once. */
  readonly events: number;
  /**
   * By the harness's clock, from the first that was taken until the last stood in the file: a record that lags behind its
   * nodes is slow, however evenly they wrote. Not a number for fewer than two.
   */
  readonly perSecond: number;
  readonly logLines: number;
  readonly lostLogLines: number;
}

/** Stands in no line; looked for in every one, as the secrets of a topology are. */
const SECRET = 'a secret of the bench that nobody says';

/** The record of a flood, through the writer of every trial: events, each node's log, and what is blanked in them. */
export class FloodRecord {
  readonly #writer: TrialWriter;
  readonly #nowNs: () => number;
  #firstTakenNs: number | undefined;
  #finished = false;

  private constructor(writer: TrialWriter, clock: () => number) {
    this.#writer = writer;
    this.#nowNs = clock;
  }

  /**
   * @param runDir gets `trials/flood/1`
   * @param clock the harness's own, in ns
   */
  static async open(runDir: string, clock: () => number = nowNs): Promise<FloodRecord> {
    const writer = await openTrial(runDir, { pointId: 'flood', trial: 1 }, { secrets: [SECRET] });
    return new FloodRecord(writer, clock);
  }

  /** What comes after the end, while the bed is removed, is no part of it. */
  readonly event = (event: RecordedEvent): void => {
    if (this.#finished) return;
    if (event.event === LINE) this.#firstTakenNs ??= this.#nowNs();
    this.#writer.event(event);
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
    await this.#writer.drained();
    const tookNs = this.#nowNs() - (this.#firstTakenNs ?? Number.NaN);
    const { nodes } = await this.#writer.finish(trial);
    const numbers = new Map<string, Set<unknown>>();
    for await (const { event, node, fields } of readEvents(this.#writer.dir)) {
      if (event !== LINE) continue;
      const seen = numbers.get(node) ?? new Set();
      numbers.set(node, seen.add(fields['number']));
    }
    const events = [...numbers.values()].reduce((sum, { size }) => sum + size, 0);
    return {
      events,
      perSecond: events > 1 && tookNs > 0 ? (events * 1e9) / tookNs : Number.NaN,
      logLines: nodes.reduce((sum, { log }) => sum + (log?.lines ?? 0), 0),
      lostLogLines: nodes.reduce((sum, { log }) => sum + (log?.lostLines ?? 0), 0),
    };
  }
}

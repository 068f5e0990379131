import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { ConnectionRecord } from './connection-record.ts';

/** What outlives a restart of the agent: its connections and its configuration. Choices and streaks are not in it. */
export interface AgentRecord {
  /** How often the agent has been restarted; ids of messages and operations carry it. */
  life: number;
  lastConnection: number;
  servers: readonly string[];
  proxies: readonly string[];
  /** Addresses of all servers that connections name. */
  readonly addresses: Record<string, string>;
  readonly connections: ConnectionRecord[];
}

export interface StorePlace {
  /** File; '' keeps the record in memory alone. */
  readonly path: string;
  /** Only a record of the same trial is read back. */
  readonly tag: string;
}

/** Holds the record, and writes it to its file at every change. */
export class AgentStore {
  readonly record: AgentRecord;
  readonly #place: StorePlace;

  constructor(place: StorePlace, record: AgentRecord) {
    this.#place = place;
    this.record = record;
  }

  /** The stored record, or the one given when there is none of this trial. */
  static open(place: StorePlace, fresh: AgentRecord): AgentStore {
    if (place.path === '' || !existsSync(place.path)) return new AgentStore(place, fresh);
    const stored = JSON.parse(readFileSync(place.path, 'utf8')) as { tag: string; record: AgentRecord };
    if (stored.tag !== place.tag) return new AgentStore(place, fresh);
    stored.record.life += 1;
    return new AgentStore(place, stored.record);
  }

  save(): void {
    const { path, tag } = this.#place;
    if (path === '') return;
    // A reader, and the next life, see the old record or the new one, never half of it.
    writeFileSync(`${path}.new`, JSON.stringify({ tag, record: this.record }));
    renameSync(`${path}.new`, path);
  }

  /** The next life's store: the same record as it would be read from disk, so that nothing else outlives a restart. */
  restarted(): AgentStore {
    const record = JSON.parse(JSON.stringify(this.record)) as AgentRecord;
    record.life += 1;
    return new AgentStore(this.#place, record);
  }
}

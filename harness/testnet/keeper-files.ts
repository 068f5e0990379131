import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { stateHome } from '../state/index.ts';
import { type OwnerLife, ownerLife, parseOwner } from './owner.ts';

/** Linux limits a socket's path to 107 bytes; a bed's id is short, and so is this. */
const SOCKET_SUFFIX = '.sock';

const cardSchema = z.object({
  bedId: z.string(),
  runId: z.string(),
  topology: z.string(),
  /** Absent when it was built in code. */
  file: z.string().optional(),
  endpoint: z.string(),
  owner: z.string(),
  startedAt: z.string(),
});

/** A keeper's card in the state directory: which bed it keeps and how to reach it. */
export type KeeperCard = z.infer<typeof cardSchema>;

export function bedsDir(): string {
  const path = join(stateHome(), 'beds');
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return path;
}

export function socketPath(bedId: string): string {
  return join(bedsDir(), `${bedId}${SOCKET_SUFFIX}`);
}

export function keeperLogPath(bedId: string): string {
  return join(bedsDir(), `${bedId}.log`);
}

function cardPath(bedId: string): string {
  return join(bedsDir(), `${bedId}.json`);
}

/** Appears whole or not at all. */
export function writeCard(card: KeeperCard): void {
  const draft = `${cardPath(card.bedId)}.${process.pid}.draft`;
  writeFileSync(draft, `${JSON.stringify(card, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, cardPath(card.bedId));
}

/** Everything of a keeper that has ended; its log stays when `keepLog`. */
export function removeCard(bedId: string, options: { readonly keepLog?: boolean } = {}): void {
  rmSync(cardPath(bedId), { force: true });
  rmSync(socketPath(bedId), { force: true });
  if (!options.keepLog) rmSync(keeperLogPath(bedId), { force: true });
}

export interface KeeperEntry {
  readonly card: KeeperCard;
  readonly life: OwnerLife;
}

/** All cards with the life of their keepers, oldest first. A file that is no card is passed over. */
export function listKeepers(): readonly KeeperEntry[] {
  return readdirSync(bedsDir())
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => {
      const card = readCard(join(bedsDir(), name));
      if (!card) return [];
      const owner = parseOwner(card.owner);
      return [{ card, life: owner ? ownerLife(owner) : ('unknown' as const) }];
    })
    .sort((a, b) => a.card.startedAt.localeCompare(b.card.startedAt));
}

function readCard(path: string): KeeperCard | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined; // Gone since the listing.
    throw error;
  }
  try {
    return cardSchema.parse(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return undefined;
    throw error;
  }
}

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Engine } from '../engine/index.ts';
import { exitCodeForSignal, SquallError } from '../errors/index.ts';
import { LABEL, nowNs } from '../testnet/index.ts';
import { findCut, readCancelled } from './cancelled-run.ts';
import type { Row } from './table.ts';

const NODES = 40;
const CUT = 8;
const ROUNDS = 3;
/** Of the promise that a person at a terminal is given. */
const LIMIT_S = 3;
/** The cut has held packets by then: each of its nodes sends one a second. */
const INTO_THE_CUT_MS = 2_000;
const LOOK_EVERY_MS = 100;
/** To start the bed, and for the watchdog to remove what is left. */
const PATIENCE_MS = 180_000;

const SQUALL = fileURLToPath(new URL('../cli/squall.mjs', import.meta.url));
const SCENARIO = `name: long
description: a cut that Ctrl-C ends
topology: memberlist-128
overrides: {counts: {member: ${NODES}}}
phases:
  - name: warm-up
    steps: [{until: {event: converged, on: member, count: all}, within: 120s}]
  - name: fault
    steps: [{name: cut, fault: {kind: hold, id: cut, on: 'pick(${CUT},member)', for: 10m}}]
checks: [{check: no-event, title: nobody dies, kind: invariant, parameters: {event: member.dead}}]
`;

/** A run that was interrupted in mid-fault. */
export interface Cancelled {
  /** From the signal until the process had ended, its reports written. */
  readonly endedMs: number;
  readonly exitCode: number | null;
  /** The record says that the fault had bitten and was seen to be gone. */
  readonly lifted: boolean;
}

/** How long `squall run` takes to end after Ctrl-C in mid-fault: faults lifted, bed stopped, partial reports written. */
export async function measureCancel(
  engine: Engine,
  { say, signal }: { readonly say: (text: string) => void; readonly signal: AbortSignal },
): Promise<{ readonly rows: Row[]; readonly details: unknown }> {
  const rounds: Cancelled[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    say(`round ${round} of ${ROUNDS}: a run on ${NODES} nodes, ${CUT} of them cut off, is interrupted`);
    const one = await cancelOnce(engine, signal);
    say(`it ended after ${(one.endedMs / 1e3).toFixed(2)} s`);
    rounds.push(one);
  }
  return { rows: [cancelRow(rounds)], details: { nodes: NODES, cut: CUT, rounds } };
}

/** By the slowest of them; no figure when one did not end as an interrupted run does, or left its fault in force. */
export function cancelRow(rounds: readonly Cancelled[]): Row {
  const orderly =
    rounds.length > 0 &&
    rounds.every(({ exitCode, lifted }) => lifted && exitCode === exitCodeForSignal('SIGINT'));
  const slowest = orderly ? Math.max(...rounds.map(({ endedMs }) => endedMs)) / 1e3 : Number.NaN;
  return {
    what: `Ctrl-C in mid-fault until the end, ${NODES} nodes, slowest of ${rounds.length}`,
    ours: slowest,
    unit: 's',
    figure: slowest,
    figureUnit: 's',
    limit: LIMIT_S,
  };
}

async function cancelOnce(engine: Engine, signal: AbortSignal): Promise<Cancelled> {
  const folder = mkdtempSync(join(tmpdir(), 'squall-bench-'));
  const reports = join(folder, 'reports');
  const file = join(folder, 'long.scenario.yaml');
  writeFileSync(file, SCENARIO);
  const run = startRun(engine, file, reports);
  try {
    const cut = await untilSome(async () => {
      if (run.hasEnded()) {
        throw new SquallError(`bench: the run ended before its cut: ${run.said()}`, { code: 'bench-no-cut' });
      }
      const found = await findCut(reports);
      return found !== undefined && found.appliedNs <= nowNs() ? found : undefined;
    }, signal);
    await sleep(INTO_THE_CUT_MS, undefined, { signal });
    const sentMs = performance.now();
    run.child.kill('SIGINT');
    const exitCode = await run.ended;
    const endedMs = performance.now() - sentMs;
    // What it left is the watchdog's: the next round is not to compete with that.
    await untilSome(async () => {
      const labels = [`${LABEL.run}=${cut.runId}`];
      const left = await Promise.all([engine.listContainers(labels), engine.listNetworks(labels)]);
      return left.flat().length === 0 ? true : undefined;
    }, signal);
    return { endedMs, exitCode, lifted: await readCancelled(cut.runDir) };
  } finally {
    // One that is killed here leaves its bed to its watchdog.
    if (!run.hasEnded()) run.child.kill('SIGKILL');
    await run.ended;
    rmSync(folder, { recursive: true });
  }
}

function startRun(
  engine: Engine,
  file: string,
  reports: string,
): {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  hasEnded(): boolean;
  said(): string;
} {
  const child = spawn(process.execPath, [SQUALL, 'run', file, '--reports', reports], {
    env: { ...process.env, DOCKER_HOST: engine.info.endpoint },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-2_000);
  });
  let over = false;
  const ended = new Promise<number | null>((resolve) => {
    const end = (code: number | null): void => {
      over = true;
      resolve(code);
    };
    child.once('error', (error) => {
      said += error.message;
      end(null);
    });
    child.once('close', end);
  });
  return { child, ended, hasEnded: () => over, said: () => said };
}

/** @throws SquallError `bench-too-long` */
async function untilSome<T>(look: () => Promise<T | undefined>, signal: AbortSignal): Promise<T> {
  const untilMs = performance.now() + PATIENCE_MS;
  while (performance.now() < untilMs) {
    const found = await look();
    if (found !== undefined) return found;
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
  throw new SquallError(
    `bench: an interrupted run was not in its cut, or not gone, within ${PATIENCE_MS / 1_000} s`,
    { code: 'bench-too-long', hint: 'Look at `squall status`, and sweep what is left.' },
  );
}

/** What the points of the suite say of the topology, and the fault that it is about. */
import type { FaultStep, ParameterSpec, Point } from '../../harness/index.ts';
import { MUTANTS, VARIANTS } from './points.ts';

export const SMP_PORT = 5223;

/**
 * Bytes that a connection from a proxy to a relay passes each way before the black hole: more than its handshakes take,
 * less than they and one block. `test/handshake-size.unit.ts` measures both.
 */
export const HANDSHAKE_BYTES = 20_480;

export const variantParameter: ParameterSpec = {
  type: 'choice',
  description: 'the old agent, the new one, the new one with an option or with a piece switched off',
  default: 'repick',
  choices: [...VARIANTS, ...MUTANTS],
};

export const proxiesParameter: ParameterSpec = {
  type: 'integer',
  description: 'proxies that the agent can choose from; proxy-1 is the bad one',
  default: 2,
  minimum: 1,
  maximum: 10,
};

export const picksParameter: ParameterSpec = {
  type: 'integer',
  description: 'a good proxy is among so many first picks of the trial’s seed; 0: as chance has it',
  default: 6,
  minimum: 0,
};

/** The agent's variant, and the number of proxies where it is a parameter. */
export const bedOverrides = (point: Point) => ({
  variant: { app: String(point['variant']) },
  ...(point['proxies'] !== undefined && { counts: { proxy: Number(point['proxies']) } }),
});

/** Every connection from P1 to R completes its handshakes, then loses every byte; reconnects included. */
export const blackHole = (from = 'proxy-1'): FaultStep => ({
  kind: 'blackhole-after',
  id: 'cut',
  from,
  to: 'relay-1',
  ports: [SMP_PORT],
  bytes: HANDSHAKE_BYTES,
});

/** In force until the end of the trial. */
export const holeStep = {
  name: 'P1 to R is black-holed after the handshakes',
  fault: blackHole(),
  background: true,
} as const;

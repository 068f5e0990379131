import { SquallError } from '../../errors/index.ts';
import type { WireFault } from '../agent/protocol.ts';
import type { FaultKind, FaultPlan } from '../types.ts';

/** Kinds that the packet agent makes. */
export const PACKET_KINDS = [
  'hold',
  'drop',
  'loss',
  'delay',
  'duplicate',
  'reorder',
  'corrupt',
  'rate',
  'blackhole-connect',
] as const satisfies readonly FaultKind[];

/** Refuses what the agent cannot do, before anything starts. @throws SquallError `bad-fault` (input) */
export function checkPacketPlan(plan: FaultPlan): void {
  const problem = packetProblem(plan);
  if (problem === undefined) return;
  throw new SquallError(`fault ${plan.id} (${plan.kind}): ${problem}`, {
    code: 'bad-fault',
    blame: 'input',
    facts: { id: plan.id, settings: plan.settings },
  });
}

function packetProblem({ kind, direction, settings, targets }: FaultPlan): string | undefined {
  if (targets.length === 0) return 'no targets; expected at least one node';
  if (kind === 'duplicate' && direction === 'in') {
    return 'an inbound packet cannot be handed over twice; put the fault on the senders, with direction out';
  }
  if (kind === 'delay' && Number(settings.jitterMs) > Number(settings.delayMs)) {
    return `jitterMs is ${settings.jitterMs}; expected at most delayMs, ${settings.delayMs}`;
  }
  if (kind === 'hold' && [settings.udp, settings.tcp, settings.other].every((action) => action === 'pass')) {
    return 'every protocol passes; expected at least one to be held or dropped';
  }
  return undefined;
}

/** A plan in the agent's words. `addressOf` turns names of peers into addresses. */
export function wireFault(
  plan: FaultPlan,
  wireId: string,
  nodes: readonly string[],
  addressOf: (name: string) => string | readonly string[],
): WireFault {
  return {
    id: wireId,
    kind: plan.kind,
    nodes,
    direction: plan.kind === 'duplicate' ? 'out' : plan.direction,
    protocol: plan.kind === 'blackhole-connect' ? 'tcp' : plan.protocol,
    ...(plan.peers.length > 0 ? { peers: plan.peers.flatMap((peer) => addressOf(peer)) } : {}),
    ...(plan.ports.length > 0 ? { ports: plan.ports } : {}),
    seed: wireSeed(plan),
    ...kindFields(plan),
  };
}

/**
 * The agent draws from seed, kind and node: two faults of one kind on one node need two seeds. Ids do not enter, since
 * they count up over the trials of a bed, and the same seed must draw the same.
 */
function wireSeed({ seed, selector, direction, protocol, ports }: FaultPlan): string {
  return [seed, selector, direction, protocol, ...ports].join('/');
}

function kindFields({ kind, settings }: FaultPlan): Readonly<Record<string, unknown>> {
  switch (kind) {
    case 'hold': {
      const { udp, tcp, other, pacePps } = settings;
      return { udp, tcp, other, ...(Number(pacePps) > 0 ? { pacePps } : {}) };
    }
    case 'loss':
      return { ratio: settings.lossRatio };
    case 'duplicate':
      return { ratio: settings.duplicateRatio };
    case 'reorder':
      return { ratio: settings.reorderRatio, delayMs: settings.delayMs };
    case 'corrupt':
      return { ratio: settings.corruptRatio, detected: settings.detected };
    case 'delay':
      return { delayMs: settings.delayMs, jitterMs: settings.jitterMs };
    case 'rate': {
      const { bytesPerSecond, burstBytes, queuePackets } = settings;
      return { bytesPerSecond, burstBytes, queuePackets };
    }
    default:
      return {};
  }
}

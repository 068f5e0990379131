import type { ContainerSpec } from '../engine/index.ts';
import type { ResolvedNode } from '../topology/index.ts';
import type { NodeImage } from './live-node.ts';
import { formatOwner, type Owner } from './owner.ts';
import { LABEL } from './types.ts';

/** Labels of one thing of a bed, complete at its creation. */
export function bedLabels(of: {
  readonly runId: string;
  readonly bedId: string;
  readonly owner: Owner;
  readonly kind: 'node' | 'agent' | 'network' | 'toxiproxy' | 'helper';
}): Readonly<Record<string, string>> {
  return {
    [LABEL.run]: of.runId,
    [LABEL.bed]: of.bedId,
    [LABEL.kind]: of.kind,
    [LABEL.owner]: formatOwner(of.owner),
    [LABEL.created]: String(Date.now()),
  };
}

/** A node as the engine is asked for it. The topology's own labels cannot take the place of ours. */
export function nodeContainer(of: {
  readonly node: ResolvedNode;
  readonly address: string;
  readonly networkId: string;
  readonly image: NodeImage;
  readonly bedId: string;
  readonly labels: Readonly<Record<string, string>>;
}): ContainerSpec {
  const { node } = of;
  const { memoryBytes, cpus, pids, tmpfsBytes } = node.resources;
  return {
    name: `squall-${of.bedId}-${node.name}`,
    hostname: node.name,
    image: of.image.reference,
    ...(node.command ? { command: node.command } : {}),
    environment: node.environment,
    labels: { ...node.labels, ...of.labels, [LABEL.role]: node.role, [LABEL.node]: node.name },
    network: { id: of.networkId, address: of.address, aliases: [node.name] },
    ...(memoryBytes === undefined ? {} : { memoryBytes }),
    ...(cpus === undefined ? {} : { cpus }),
    ...(pids === undefined ? {} : { pids }),
    ...(tmpfsBytes === undefined ? {} : { tmpfs: { '/data': `rw,size=${tmpfsBytes}` } }),
  };
}

/**
 * The life of the bed that a process belongs to, counted from 1. Images of ours speak only to nodes with the same
 * label: what a process of the last trial sent late says nothing in the next, and a node that is reset a moment before
 * the others learns nothing of their past.
 */
function generationLabel(generation: number): Readonly<Record<string, string>> {
  return { SQUALL_LABEL: `g${generation}` };
}

/** An environment with the bed's generation in it, unless it names a label of its own. */
export function withGeneration(
  environment: Readonly<Record<string, string>>,
  generation: number,
): Readonly<Record<string, string>> {
  // Settings carry their defaults, and the label's is empty.
  return environment['SQUALL_LABEL'] ? environment : { ...environment, ...generationLabel(generation) };
}

import type { FaultKind, PlannedBed, PlannedNode } from '../fault/index.ts';
import type { ImageDescription } from '../image/index.ts';
import { stream } from '../random/index.ts';
import { imageText } from '../testnet/index.ts';
import { type ResolvedNode, type ResolvedTopology, select } from '../topology/index.ts';

/** Where a node's tmpfs lies that its topology gives it. */
const TMPFS = '/data';

const NO_STORM = 'it has no /storm switch';
const STATIC = 'its program is statically linked, so that libfaketime cannot be preloaded';
const NO_LIBFAKETIME = 'its image holds no libfaketime that could be preloaded';

/** A topology as the fault room plans for it: what nodes and images say of themselves while nothing runs. */
export function plannedBed(topology: ResolvedTopology, images: readonly ImageDescription[]): PlannedBed {
  const nodes = topology.nodes.map((node) => plannedNode(node, images));
  return {
    nodes: () => nodes,
    select: (selector, seed) => select(selector, topology.nodes, stream(seed, 'targets')),
  };
}

function plannedNode(node: ResolvedNode, images: readonly ImageDescription[]): PlannedNode {
  const { name, image, adminPort, resources } = node;
  return {
    name,
    image: imageText(image),
    imageKind: image.kind,
    ...(adminPort !== undefined && { adminPort }),
    tmpfs: resources.tmpfsBytes === undefined ? [] : [TMPFS],
    ...(image.kind === 'ours' && { cannot: impossibleIn(images.find((one) => one.name === image.name)) }),
  };
}

/** What an image of ours rules out by the way it is made. A Dockerfile may hold anything: the living node tells. */
function impossibleIn(image: ImageDescription | undefined): Partial<Record<FaultKind, string>> {
  if (!image) return {};
  const noClock = {
    go: STATIC,
    'go-install': STATIC,
    cargo: STATIC,
    node: NO_LIBFAKETIME,
    'node-base': NO_LIBFAKETIME,
  };
  const { kind } = image.build;
  return {
    ...(kind !== 'dockerfile' && { 'clock-offset': noClock[kind] }),
    ...(!image.storms && { 'storm-421': NO_STORM }),
  };
}

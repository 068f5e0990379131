import type { Engine } from '../engine/index.ts';
import { ensureImage } from '../image/index.ts';
import type { RunPlan } from '../scenario/index.ts';
import type { ImageSource } from '../topology/index.ts';
import { needsToxiproxy } from './check-faults.ts';

/** What beds need besides their nodes. */
const HELPERS = ['packet-agent', 'canary'];

/**
 * Pulls or builds every image of a plan before its first bed starts: a build in the middle of a run would take the host
 * from the trials that go on.
 */
export async function ensureImages(
  engine: Engine,
  plan: RunPlan,
  onProgress: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const sources = new Map<string, ImageSource>(
    [...HELPERS, ...(needsToxiproxy(plan) ? ['toxiproxy'] : [])].map((name) => [
      `ours:${name}`,
      { kind: 'ours', name },
    ]),
  );
  for (const { topology } of plan.points) {
    for (const { image } of topology.nodes) sources.set(keyOf(image), image);
  }
  for (const source of sources.values()) {
    const label = source.kind === 'ours' ? source.name : source.reference;
    const { outcome } = await ensureImage(engine, source, {
      onProgress: (text) => onProgress(`image ${label}: ${text}`),
      signal,
    });
    if (outcome !== 'cached') onProgress(`image ${label}: ${outcome}`);
  }
}

function keyOf(source: ImageSource): string {
  // Variants are settings of one image.
  return source.kind === 'ours' ? `ours:${source.name}:${source.version ?? ''}` : source.reference;
}

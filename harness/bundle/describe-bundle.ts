import { formatBytes } from '../units/index.ts';
import type { BundleManifest } from './manifest.ts';

/** What is in a bundle, for a person who decides whether to hand it on. */
export function describeBundle(manifest: BundleManifest): string {
  const { runId, squallVersion, seed, command, verdict, images, suites, files, leftOut } = manifest;
  const kinds = new Map<string, { count: number; sizeBytes: number }>();
  for (const { what, sizeBytes } of files) {
    const kind = kinds.get(what) ?? { count: 0, sizeBytes: 0 };
    kinds.set(what, { count: kind.count + 1, sizeBytes: kind.sizeBytes + sizeBytes });
  }
  return [
    `run ${runId} of Squall ${squallVersion}, seed ${seed}: ${verdict ?? 'not judged'}`,
    `  squall ${command.join(' ')}`,
    'in it:',
    ...[...kinds].map(([what, { count, sizeBytes }]) => `  ${count} × ${what} (${formatBytes(sizeBytes)})`),
    'images:',
    ...images.map(({ image, imageId }) => `  ${image}  ${imageId}`),
    ...(suites.length > 0 ? [`needs the code of: ${suites.join(', ')}`] : []),
    'left out:',
    ...leftOut.map((one) => `  ${one}`),
    '',
  ].join('\n');
}

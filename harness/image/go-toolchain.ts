import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram, runProgram } from '../program/index.ts';

let cachedVersion: Promise<string | undefined> | undefined;

/** Version of this host's Go, such as `1.26.8`; undefined when there is none. Asked once a process. */
export function hostGoVersion(): Promise<string | undefined> {
  cachedVersion ??= askGoVersion();
  return cachedVersion;
}

async function askGoVersion(): Promise<string | undefined> {
  if (!findProgram('go')) return undefined;
  const result = await runProgram(['go', 'env', 'GOVERSION'], { environment: { GOTOOLCHAIN: 'local' } });
  return /^go(\d[\w.]*)/.exec(result.tail.at(-1) ?? '')?.[1];
}

/** The version that a folder's go.mod asks for; undefined without a go.mod. */
export function requiredGoVersion(folder: string): string | undefined {
  const path = join(folder, 'go.mod');
  if (!existsSync(path)) return undefined;
  return /^go\s+(\d[\w.]*)/m.exec(readFileSync(path, 'utf8'))?.[1];
}

/** Negative when a is older than b. Missing parts count as 0. */
export function compareGoVersions(a: string, b: string): number {
  const parts = (text: string): number[] => text.split('.').map((part) => Number.parseInt(part, 10) || 0);
  const [left, right] = [parts(a), parts(b)];
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Why this host's Go cannot build the folder; undefined when it can. */
export async function whyNotHostGo(folder: string): Promise<string | undefined> {
  const wanted = requiredGoVersion(folder);
  const present = await hostGoVersion();
  if (!present) return `this host has no Go${wanted ? ` (${wanted} or newer is needed)` : ''}`;
  if (wanted && compareGoVersions(present, wanted) < 0) {
    return `this host's Go is ${present}; its go.mod asks for ${wanted} or newer`;
  }
  return undefined;
}

/** A build must give the same bytes wherever it runs, and ask nothing of git or of a newer toolchain. */
export const GO_ENVIRONMENT = {
  CGO_ENABLED: '0',
  GOOS: 'linux',
  GOTOOLCHAIN: 'local',
  GOFLAGS: '-buildvcs=false',
};

/** The same for the engine's machine, which need not be of this one's kind: Go's names of architectures are the engine's. */
export function goEnvironmentFor(engineArch: string): Readonly<Record<string, string>> {
  return { ...GO_ENVIRONMENT, GOARCH: engineArch };
}

export const GO_BUILD = ['go', 'build', '-trimpath', '-ldflags', '-s -w'] as const;

import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * Arguments that make Node run one of this room's programs. (`import.meta.resolve` is not there when a test runner loads
 * modules its own way; `require.resolve` is.)
 */
export function tsxProgram(file: './watchdog.ts' | './keeper.ts'): readonly string[] {
  const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  return ['--import', loader, fileURLToPath(new URL(file, import.meta.url))];
}

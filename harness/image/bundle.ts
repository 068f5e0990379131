import { createRequire } from 'node:module';
import { join } from 'node:path';
import { SquallError } from '../errors/index.ts';

/** The part of esbuild's API that is used here. */
interface Esbuild {
  build(options: Readonly<Record<string, unknown>>): Promise<{
    readonly outputFiles: readonly { readonly path: string; readonly text: string }[];
  }>;
}

export interface Bundle {
  readonly code: string;
  readonly sourceMap: string;
}

/** Node versions before this are not run anywhere; newer syntax is left as it is. */
const TARGET = 'node20';

/**
 * esbuild as tsx brings it: the same compiler that runs these sources unbundled, at the version that the lock file pins.
 */
function loadEsbuild(): Esbuild {
  const here = createRequire(import.meta.url);
  const besideTsx = createRequire(here.resolve('tsx/package.json'));
  return besideTsx('esbuild') as Esbuild;
}

/**
 * A TypeScript program and all that it imports, in one ES module for Node. The same sources give the same bytes on every
 * checkout (paths in the source map are relative). Packages are bundled too; native addons are refused by esbuild.
 * @throws SquallError `bundle-failed` with esbuild's messages, each with its place
 */
export async function bundleNode(folder: string, entry: string): Promise<Bundle> {
  try {
    const result = await loadEsbuild().build({
      absWorkingDir: folder,
      entryPoints: [join(folder, entry)],
      outfile: join(folder, 'main.mjs'),
      write: false,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: TARGET,
      sourcemap: 'linked',
      sourcesContent: false,
      logLevel: 'silent',
      // CommonJS packages in an ES module bundle still ask for `require`.
      banner: {
        js: "import { createRequire as __cr } from 'node:module'; const require = __cr(import.meta.url);",
      },
    });
    const text = (ending: string): string =>
      result.outputFiles.find((file) => file.path.endsWith(ending))?.text ?? '';
    return { code: text('main.mjs'), sourceMap: text('.map') };
  } catch (cause) {
    throw new SquallError(
      `bundle ${join(folder, entry)}: ${cause instanceof Error ? cause.message : String(cause)}`,
      {
        code: 'bundle-failed',
        cause,
      },
    );
  }
}

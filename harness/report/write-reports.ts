import { join } from 'node:path';
import { describeError } from '../errors/index.ts';
import { writeAtomically } from '../record/index.ts';
import { renderHtml } from './html/page.ts';
import { renderJUnit } from './junit.ts';
import { loadReport, type ReportInput } from './load-report.ts';

/** A rendering of a judged run into a file of its folder. */
export interface Renderer {
  readonly file: string;
  readonly render: (input: ReportInput) => string;
}

export const RENDERERS: readonly Renderer[] = [
  { file: 'junit.xml', render: renderJUnit },
  { file: 'index.html', render: renderHtml },
];

export interface WrittenReports {
  readonly paths: readonly string[];
  /** Renderers that threw, each with its error; the others have written theirs. */
  readonly problems: readonly string[];
  readonly input: ReportInput;
}

/**
 * Renders a judged run into all its files. A renderer that throws is seen in `problems` and does not stop the others.
 * @throws SquallError what `loadReport` throws
 */
export async function writeReports(
  runDir: string,
  renderers: readonly Renderer[] = RENDERERS,
): Promise<WrittenReports> {
  const input = await loadReport(runDir);
  const paths: string[] = [];
  const problems: string[] = [];
  for (const { file, render } of renderers) {
    try {
      const path = join(input.dir, file);
      await writeAtomically(path, render(input));
      paths.push(path);
    } catch (error) {
      problems.push(`${file}: could not be rendered: ${describeError(error)}`);
    }
  }
  return { paths, problems, input };
}

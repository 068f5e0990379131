/** Writes the reference part of docs/faults.md again, below its mark: `npx tsx harness/fault/reference/write-reference.ts`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderFaultReference } from './render-reference.ts';

const MARK = '<!-- reference -->\n';
const file = join(import.meta.dirname, '../../../docs/faults.md');
const [prose] = readFileSync(file, 'utf8').split(MARK);
writeFileSync(file, `${prose}${MARK}\n${renderFaultReference()}`);

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder of images made for one test. */
export class ScratchImages {
  readonly directory = mkdtempSync(join(tmpdir(), 'squall-images-'));

  /** Options of `ensureImage` that keep everything in here. */
  get options() {
    return {
      imagesDir: this.directory,
      reportsDir: join(this.directory, '.reports'),
      stateDir: join(this.directory, '.state'),
    };
  }

  write(path: string, content: string | object): void {
    const file = join(this.directory, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  }

  /** An image by its Dockerfile, or by the recipe given. */
  add(name: string, more: object = {}): void {
    this.write(`${name}/image.json`, { name, description: 'a test', build: { kind: 'dockerfile' }, ...more });
    this.write(`${name}/Dockerfile`, 'FROM scratch\nCOPY a.txt /\n');
    this.write(`${name}/a.txt`, 'a');
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

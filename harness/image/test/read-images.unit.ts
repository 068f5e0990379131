import { join } from 'node:path';
import { expect } from 'chai';
import { readImage, readImages, requireImage } from '../read-images.ts';
import { ScratchImages } from './scratch-images.ts';

describe('the images of this project', () => {
  it('are all described without a problem', () => {
    const names = readImages().map((image) => image.name);
    expect(names).to.include.members(['memberlist-node', 'node-base', 'packet-agent', 'toxiproxy']);
  });

  it('are found by name, or a name like it is suggested', () => {
    expect(requireImage('toxiproxy').build.kind).to.equal('go');
    expect(() => requireImage('toxyproxy')).to.throw(/none of ours has this name; did you mean "toxiproxy"/);
  });
});

describe('an image description', () => {
  const withImage = (document: object, judge: (read: () => unknown) => void): void => {
    using images = new ScratchImages();
    images.add('x', document);
    judge(() => readImage(join(images.directory, 'x')));
  };
  const setting = {
    name: 'graceMs',
    env: 'SQUALL_GRACE_MS',
    type: 'duration',
    unit: 'ms',
    default: 1,
    description: 'd',
  };
  const fix = { name: 'grace', env: 'SQUALL_GRACE', type: 'boolean', default: true, description: 'd' };

  it('says which keys are unknown, and which were meant, with their place', () => {
    withImage({ setings: [] }, (read) =>
      expect(read).to.throw(/image\.json:\d+:\d+ setings: unknown key; did you mean "settings"/),
    );
  });

  it('reports all problems at once', () => {
    const document = {
      settings: [setting, { ...fix, default: 'yes' }, { ...setting, unit: undefined }],
      fixes: ['grce', 'graceMs'],
      variants: { fast: { settings: { graceMz: 1, grace: 3 } } },
      mutants: { fast: { settings: {}, mutates: { fix: 'grac', rule: 'r' } } },
    };
    withImage(document, (read) => {
      for (const problem of [
        /settings\[1\]\.default: "yes" found; expected a boolean/,
        /settings\[2\]\.name: "graceMs" is there twice/,
        /settings\[2\]: a duration needs its unit/,
        /fixes\[0\]: "grce" is no setting; did you mean "grace/,
        /fixes\[1\]: "graceMs" is not boolean/,
        /variants\.fast\.settings\.graceMz: no such setting; did you mean "graceMs"/,
        /variants\.fast\.settings\.grace: 3 found; expected a boolean/,
        /mutants\.fast: a variant has this name already/,
        /mutants\.fast\.mutates\.fix: "grac" is no fix/,
      ]) {
        expect(read).to.throw(problem);
      }
    });
  });

  it("keeps values within their setting's bounds and choices", () => {
    const level = {
      name: 'level',
      env: 'LEVEL',
      type: 'choice',
      choices: ['low', 'high'],
      default: 'hgh',
      description: 'd',
    };
    withImage({ settings: [{ ...setting, minimum: 5 }, level] }, (read) => {
      expect(read).to.throw(/settings\[0\]\.default: 1 found; expected 5 to/);
      expect(read).to.throw(/settings\[1\]\.default: "hgh" is not a choice; did you mean "high"/);
    });
  });

  it('has the name of its folder', () => {
    withImage({ name: 'y' }, (read) => expect(read).to.throw(/"y" in the folder x; expected the same name/));
  });
});

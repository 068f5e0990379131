import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { SquallError } from '../../errors/index.ts';
import { CaptureFiles, openTrial, readTrial, SCHEMAS } from '../index.ts';
import { sampleTrial } from './sample-record.ts';

describe('captures in a record', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'squall-pcap-'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));
  const failure = (work: Promise<unknown>): Promise<SquallError> =>
    work.then(
      () => expect.fail('expected a rejection'),
      (error: SquallError) => error,
    );

  it('are a file a node, of the bytes as they came', async () => {
    const files = await CaptureFiles.open(dir, { nodes: ['a-1', 'b-1', 'c-1'], fileBytes: 100 });
    await files.write('b-1', Buffer.from([1, 2]));
    await files.write('a-1', Buffer.from([0xff]));
    await files.write('b-1', Buffer.from([3]));
    expect(await files.close()).to.deep.equal([
      { node: 'a-1', path: 'pcap/a-1.pcapng', bytes: 1 },
      { node: 'b-1', path: 'pcap/b-1.pcapng', bytes: 3 },
    ]);
    expect([...(await readFile(join(dir, 'pcap/b-1.pcapng')))]).to.deep.equal([1, 2, 3]);
    expect(await files.close()).to.have.length(2);
  });

  it('take nothing of other nodes, nothing over their size, and nothing after their end', async () => {
    const files = await CaptureFiles.open(dir, { nodes: ['a-1'], fileBytes: 4 });
    expect((await failure(files.write('../../a-2', Buffer.from('x')))).code).to.equal('capture-refused');
    await files.write('a-1', Buffer.from('abc'));
    expect((await failure(files.write('a-1', Buffer.from('de')))).message).to.include('over 4 bytes');
    await files.close();
    expect((await failure(files.write('a-1', Buffer.from('d')))).code).to.equal('capture-refused');
    expect(await readFile(join(dir, 'pcap/a-1.pcapng'), 'utf8')).to.equal('abc');
  });

  it('stay inside their folder whatever a node is called', async () => {
    const files = await CaptureFiles.open(dir, { nodes: ['../../etc/passwd'], fileBytes: 4 });
    await files.write('../../etc/passwd', Buffer.from('x'));
    await files.close();
    expect(await readdir(join(dir, 'pcap'))).to.have.length(1);
  });

  it('are refused when the disk could not hold them all', async () => {
    const error = await failure(CaptureFiles.open(dir, { nodes: ['a-1', 'a-2'], fileBytes: 1e17 }));
    expect(error.code).to.equal('capture-no-room');
    expect(error.facts).to.have.property('wantedBytes').above(2e17);
  });

  it('are named in the trial, and those of an earlier try are gone', async () => {
    const trial = { pointId: 'p', trial: 1 };
    const first = await openTrial(dir, trial);
    const files = await CaptureFiles.open(first.dir, { nodes: ['a-1'], fileBytes: 100 });
    await files.write('a-1', Buffer.from('x'));
    const written = (await files.close()).map((file) => ({ ...file, complete: true }));
    const pcap = { snapBytes: 1, fileBytes: 100, files: written, problems: [] };
    await first.finish({ ...sampleTrial(trial), pcap });
    const read = await readTrial(first.dir);
    expect(read.pcap).to.deep.equal(pcap);
    expect(SCHEMAS.trial.safeParse({ ...read, pcap: { files: 'x' } }).success).to.equal(false);
    await openTrial(dir, trial);
    expect(await readdir(first.dir)).to.not.include('pcap');
  });
});

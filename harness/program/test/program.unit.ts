import { expect } from 'chai';
import { findProgram, requireProgram, systemPath } from '../find-program.ts';
import { runProgram } from '../run-program.ts';

describe('another program', () => {
  it("is found in PATH, and in the system's folders that PATH lacks", () => {
    expect(findProgram('sh', { PATH: '/nowhere' })).to.match(/\/bin\/sh$/);
    expect(findProgram('no-such-program')).to.equal(undefined);
    expect(() => requireProgram('no-such-program', 'Install it.')).to.throw(/no-such-program: not found/);
    expect(systemPath({ PATH: '/a:/b' })).to.match(/^\/a:\/b:/);
  });

  it('gives its lines, its exit code and its last lines', async () => {
    const lines: string[] = [];
    const result = await runProgram(['sh', '-c', 'echo one; echo two; echo three; exit 3'], {
      onLine: (line) => lines.push(line),
      tailLines: 2,
    });
    expect(lines).to.deep.equal(['one', 'two', 'three']);
    expect(result).to.deep.equal({ exitCode: 3, tail: ['two', 'three'] });
  });

  it('is given the environment and folder that were asked for, and no input', async () => {
    const result = await runProgram(['sh', '-c', 'pwd; echo $WORD; cat'], {
      cwd: '/',
      environment: { WORD: 'x' },
    });
    expect(result.tail).to.deep.equal(['/', 'x']);
  });

  it('that does not exist is an error, and one that is aborted is ended', async () => {
    expect(
      await runProgram(['no-such-program']).catch((error: NodeJS.ErrnoException) => error.code),
    ).to.equal('ENOENT');
    const outcome = await runProgram(['sleep', '60'], { signal: AbortSignal.timeout(20) }).catch(
      (error: Error) => error.name,
    );
    expect(outcome).to.match(/Abort|Timeout/);
  });
});

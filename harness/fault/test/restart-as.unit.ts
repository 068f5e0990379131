import { expect } from 'chai';
import { SquallError } from '../../errors/index.ts';
import { fakeBed, never } from './fake-bed.ts';

/** An engine with one container whose start time changes with every run. */
function countingEngine() {
  let runs = 1;
  return {
    restart: () => {
      runs += 1;
    },
    engine: {
      inspectContainer: async (id: string) => ({
        id,
        running: true,
        paused: false,
        pid: runs,
        startedAt: String(runs),
      }),
    },
  };
}

describe('restart as another variant', () => {
  it('stays in force until it is lifted, and then comes back as before', async () => {
    const asked: unknown[] = [];
    const { engine, restart } = countingEngine();
    const bed = await fakeBed({
      engine: engine as never,
      restartAs: async (name, as) => {
        asked.push([name, as]);
        restart();
        return bed.nodes().find((node) => node.name === name)!;
      },
    });
    const request = {
      id: 'r',
      kind: 'restart',
      on: 'member-1',
      seed: 's',
      settings: { variant: 'both' },
    } as const;
    const [applied] = await bed.board.apply([bed.board.plan(request)], never());
    expect(asked).to.deep.equal([['member-1', { variant: 'both' }]]);
    expect((await bed.board.list()).map((fault) => fault.id)).to.deep.equal(['r']);
    await bed.board.lift('r');
    expect(asked).to.deep.equal([
      ['member-1', { variant: 'both' }],
      ['member-1', {}],
    ]);
    const record = await applied!.lifted;
    expect(record).to.include({ bit: true, gone: true });
    expect(record.witness?.counts).to.deep.equal({ restarted: 1 });
  });

  it('leaves a node alone that it never began, when it is refused', async () => {
    const asked: unknown[] = [];
    const { engine } = countingEngine();
    const bed = await fakeBed({
      engine: engine as never,
      restartAs: async (name, as) => {
        asked.push([name, as]);
        throw new Error('no such variant');
      },
    });
    const plan = bed.board.plan({
      kind: 'restart',
      on: 'member-1',
      seed: 's',
      settings: { variant: 'booth' },
    });
    const refused = await bed.board.apply([plan], never()).catch((error: Error) => error.message);
    expect(refused).to.equal('no such variant');
    expect(asked).to.deep.equal([['member-1', { variant: 'booth' }]]);
  });

  it('is refused at planning on a bed that cannot do it', async () => {
    const bed = await fakeBed();
    const request = { kind: 'restart', on: 'member-1', seed: 's', settings: { image: 'x:2' } } as const;
    expect(() => bed.board.plan(request)).to.throw(SquallError, /cannot start a node again as another/);
  });

  it('refuses a length for a plain restart, which is over when the node runs', async () => {
    const bed = await fakeBed();
    const request = { kind: 'restart', on: 'member-1', seed: 's', forMs: 5 } as const;
    expect(() => bed.board.plan(request)).to.throw(SquallError, /give no length/);
  });
});

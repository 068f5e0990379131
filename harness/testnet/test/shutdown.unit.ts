import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { createShutdown } from '../shutdown.ts';

describe('shutdown', () => {
  it('aborts once, runs the undos last in, first out, and knows its exit code', async () => {
    const source = new EventEmitter();
    using shutdown = createShutdown({ source });
    const order: string[] = [];
    shutdown.onUndo('network', async () => void order.push('network'));
    shutdown.onUndo('nodes', async () => void order.push('nodes'));
    source.emit('SIGTERM');
    await shutdown.undoAll();
    expect(order).to.deep.equal(['nodes', 'network']);
    expect(shutdown.signal.aborted).to.equal(true);
    expect(shutdown.exitCode).to.equal(143);
  });

  it('does not start the clean-up again at a second signal', async () => {
    const source = new EventEmitter();
    const repeats: string[] = [];
    using shutdown = createShutdown({ source, onRepeat: (name) => repeats.push(name) });
    let runs = 0;
    let finish = (): void => undefined;
    shutdown.onUndo('bed', () => {
      runs += 1;
      return new Promise((resolve) => {
        finish = resolve;
      });
    });
    source.emit('SIGINT');
    source.emit('SIGINT');
    source.emit('SIGHUP');
    finish();
    await shutdown.undoAll();
    expect(runs).to.equal(1);
    expect(repeats).to.deep.equal(['SIGINT', 'SIGHUP']);
    expect(shutdown.exitCode).to.equal(130);
  });

  it('does not run what was taken back', async () => {
    using shutdown = createShutdown({ source: new EventEmitter() });
    const order: string[] = [];
    const takeBack = shutdown.onUndo('a', async () => void order.push('a'));
    shutdown.onUndo('b', async () => void order.push('b'));
    takeBack();
    await shutdown.undoAll();
    expect(order).to.deep.equal(['b']);
  });

  it('tries every undo, on its own time, and throws one error that carries them all', async () => {
    using shutdown = createShutdown({ source: new EventEmitter() });
    const order: string[] = [];
    shutdown.onUndo('last', async () => void order.push('last'));
    shutdown.onUndo('broken', async () => {
      throw new Error('no');
    });
    shutdown.onUndo('hangs', () => new Promise(() => undefined), { budgetMs: 20 });
    const error = await shutdown.undoAll().then(
      () => undefined,
      (thrown: unknown) => thrown as AggregateError,
    );
    expect(order).to.deep.equal(['last']);
    expect(error?.errors).to.have.length(2);
    expect(String(error?.errors[0])).to.contain('clean-up "hangs": not done within 20 ms');
  });

  it('listens no longer once it is disposed of', () => {
    const source = new EventEmitter();
    createShutdown({ source })[Symbol.dispose]();
    expect(source.listenerCount('SIGINT')).to.equal(0);
  });
});

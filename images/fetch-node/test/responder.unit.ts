import { expect } from 'chai';
import { type LeapingClock, manualClock } from '../../../harness/clock/index.ts';
import { stream } from '../../../harness/random/index.ts';
import { keyOf } from '../chunk-key.ts';
import type { FetchAnswer } from '../fetch-answer.ts';
import { FetchResponder, type RefusedRequest, type ResponderLimits } from '../fetch-responder.ts';
import { rule, type Variant, variant } from './rule-test.ts';

const LIMITS: ResponderLimits = {
  slots: 12,
  slotsPerPeer: 2,
  workers: 3,
  shedAfterMs: 30_000,
  busy: false,
  busyWaitMs: 2_000,
  busyReplyPool: 16,
};

class ResponderWorld {
  readonly clock: LeapingClock = manualClock();
  readonly answers: (FetchAnswer['kind'] | number)[] = [];
  readonly refused: RefusedRequest[] = [];
  readonly responder: FetchResponder;
  /** Answers that were given and have not left. */
  readonly leaving: (() => void)[] = [];
  holdReplies = false;

  constructor({ rules }: Variant, limits: Partial<ResponderLimits> = {}) {
    this.responder = new FetchResponder(
      rules,
      { ...LIMITS, ...limits },
      {
        clock: this.clock,
        chance: stream('seed', 'busy'),
        read: async (key) => (key === keyOf(Buffer.from('here')) ? Buffer.from('here') : undefined),
        onRefused: (one) => this.refused.push(one),
      },
    );
  }

  ask(peer: string, options: { readonly knowsBusy?: boolean; readonly content?: string } = {}): void {
    this.responder.request({
      peer,
      version: 'share',
      key: keyOf(Buffer.from(options.content ?? 'here')),
      pastSilence: false,
      knowsBusy: options.knowsBusy ?? false,
      reply: (answer) => {
        this.answers.push(answer.kind === 'busy' ? answer.waitMs : answer.kind);
        return this.holdReplies ? new Promise((left) => this.leaving.push(left)) : Promise.resolve();
      },
    });
  }

  reasons(): readonly string[] {
    return this.refused.map(({ request, reason, slotsInUse }) => `${request.peer} ${reason} ${slotsInUse}`);
  }
}

describe('a responder', () => {
  it('drops the third outstanding request of a peer without a word, with most slots free', async () => {
    const world = new ResponderWorld(variant('share'));
    world.responder.closeGate();
    for (const peer of ['A', 'A', 'A', 'B']) world.ask(peer);
    expect(world.reasons()).to.deep.equal(['A per-peer 2']);
    world.responder.openGate();
    await world.clock.leap(0);
    await world.responder.stop();
    expect(world.answers).to.deep.equal(['chunk', 'chunk', 'chunk']);
  });

  it('drops the thirteenth request of all', () => {
    const world = new ResponderWorld(variant('share'));
    world.responder.closeGate();
    for (let peer = 1; peer <= 7; peer += 1) for (const _ of [1, 2]) world.ask(`P${peer}`);
    expect(world.reasons()).to.deep.equal(['P7 pool 12', 'P7 pool 12']);
    expect(world.responder.facts).to.include({
      slotsInUse: 12,
      waiting: 9,
      droppedPool: 2,
      droppedPerPeer: 0,
    });
  });

  it('serves with three workers, and a slot is taken until its answer has left', async () => {
    const world = new ResponderWorld(variant('share'));
    world.holdReplies = true;
    for (const peer of ['A', 'B', 'C', 'D']) world.ask(peer);
    await turn();
    expect(world.answers).to.have.length(3);
    expect(world.responder.facts).to.include({ slotsInUse: 4, waiting: 1 });
    world.leaving[0]?.();
    await turn();
    expect(world.answers).to.have.length(4);
    expect(world.responder.facts.slotsInUse).to.equal(3);
  });

  it('answers busy to a requester that knows of it and drops the others, each wait drawn anew', () => {
    const world = new ResponderWorld(variant('share+busy'), { busy: true });
    world.responder.closeGate();
    for (let turnOf = 0; turnOf < 6; turnOf += 1) world.ask('A', { knowsBusy: true });
    for (let turnOf = 0; turnOf < 3; turnOf += 1) world.ask('old');
    const waits = world.answers as number[];
    expect(waits).to.have.length(4);
    expect(new Set(waits).size).to.be.greaterThan(1);
    for (const waitMs of waits) expect(waitMs).to.be.within(1_000, 3_000);
    expect(world.refused.map(({ answered }) => answered)).to.deep.equal([true, true, true, true, false]);
  });

  it('counts busy answers that find their pool full, and drops those', () => {
    const world = new ResponderWorld(variant('busy'), { busy: true, busyReplyPool: 2, slotsPerPeer: 0 });
    world.holdReplies = true;
    for (let turnOf = 0; turnOf < 5; turnOf += 1) world.ask('A', { knowsBusy: true });
    expect(world.answers).to.have.length(2);
    expect(world.responder.facts.fetch_busy_reply_send_pool_full).to.equal(3);
  });

  it('sheds what waited as long as its requester did, and says that it has no chunk', async () => {
    const world = new ResponderWorld(variant('share'));
    world.responder.closeGate();
    world.ask('A');
    await world.clock.leap(30_000);
    world.ask('B', { content: 'elsewhere' });
    world.responder.openGate();
    await turn();
    expect(world.answers).to.deep.equal(['not-found']);
    expect(world.responder.counts).to.include({ shed: 1, missing: 1 });
  });

  rule(
    'releaseGateOnStop',
    'stops although its gate is closed, and what the gate held is not served',
    async (one) => {
      const world = new ResponderWorld(one);
      world.responder.closeGate();
      for (const peer of ['A', 'B', 'C', 'D', 'E']) world.ask(peer);
      let stopped = false;
      void world.responder.stop().then(() => {
        stopped = true;
      });
      await turn();
      return stopped && world.answers.length === 0;
    },
  );
});

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

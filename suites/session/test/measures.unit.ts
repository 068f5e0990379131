import { expect } from 'chai';
import type { RecordedEvent, TrialRecord } from '../../../harness/index.ts';
import { comparedCopies, storedMeanwhile } from '../change-measures.ts';
import { clientMeasures } from '../client-measures.ts';
import { herdMeasures, REFRESH_BYTES } from '../herd-measures.ts';
import { messageMeasures } from '../message-measures.ts';
import { noteMeasures } from '../notes.ts';

const trial = {} as unknown as TrialRecord;
let atNs = 0;
const event = (node: string, name: string, fields: Readonly<Record<string, unknown>> = {}): RecordedEvent => {
  atNs += 1;
  return { node, event: name, fields, atNs };
};
const client = (name: string, fields: Readonly<Record<string, unknown>> = {}) =>
  event('client-1', name, fields);
const began = () => event('harness', 'course.began');
const noted = (name: string, value: number) => event('harness', 'course.noted', { name, value });

describe('measures of a client', () => {
  it('count what it told since the course began last, and nothing else', () => {
    const events = [
      client('refresh.started'),
      began(),
      client('refresh.started'),
      began(),
      client('refresh.started'),
      client('refresh.finished', { outcome: 'replaced', bytes: 2295, requests: 3 }),
      event('storage-1', 'refresh.started'),
    ];
    expect(clientMeasures(trial, events)).to.include({
      refreshes: 1,
      refreshesDone: 1,
      refreshBytes: 2295,
      refreshRequests: 3,
    });
  });

  it('are of nothing where no course began', () => {
    expect(clientMeasures(trial, [client('refresh.started')]).refreshes).to.equal(0);
    expect(noteMeasures(trial, [noted('answered', 1)]).answered).to.equal(null);
  });

  it('tell failures by their error, and those that say what was sent', () => {
    const failed = (error: string, reason: string) => client('request.failed', { error, reason });
    const events = [
      began(),
      failed('421', '421, and the retries are spent'),
      failed('ERROR_UNAUTHENTICATED_RESPONSE', 'not the destination’s answer, sent with status 406: no'),
      failed('ERROR_INSUFFICIENT_NODES', 'no path'),
    ];
    expect(clientMeasures(trial, events)).to.include({
      failures: 3,
      rejected: 1,
      unauthenticated: 1,
      insufficient: 1,
      saysStatus: 1,
    });
  });

  it('tell what rotations asked for, and what an edge node was struck for', () => {
    const events = [
      began(),
      client('path.rotation-started', { asked: 2, keepsEdge: true }),
      client('path.rotation-started', { asked: 3, keepsEdge: false }),
      client('strike.added', { node: 'storage-1', reason: 'handshake', out: false }),
      client('strike.added', { node: 'storage-1', reason: 'verification', out: true }),
    ];
    expect(clientMeasures(trial, events)).to.include({
      rotations: 2,
      rotationNodes: 5,
      handshakeStrikes: 1,
      verificationStrikes: 1,
      strikes: 2,
      struckOut: 1,
    });
  });

  it('call a retry stray that goes where no redirect of its account led', () => {
    const redirect = (account: string, nodes: readonly string[]) =>
      client('redirect.followed', { account, nodes, asks: null });
    const retried = (account: string, to: string) => client('request.retried', { account, to });
    const events = [
      began(),
      redirect('a', ['storage-1', 'storage-2']),
      retried('a', 'storage-2'),
      retried('a', 'storage-3'),
      retried('b', 'storage-1'),
    ];
    expect(clientMeasures(trial, events).strayRetries).to.equal(2);
  });

  it('hold retries against the swarm that the list has for the account, and say nothing where none was noted', () => {
    const retried = (to: string) => client('request.retried', { account: 'a', to });
    const swarm = (members: readonly string[]) => event('harness', 'swarm.noted', { account: 'a', members });
    const outside = (...events: readonly RecordedEvent[]) => clientMeasures(trial, events).retriedOutside;
    expect(outside(began(), retried('storage-9'))).to.equal(null);
    expect(outside(began(), retried('storage-9'), swarm(['storage-1']), retried('storage-1'))).to.equal(0);
    expect(outside(began(), swarm(['storage-1']), retried('storage-9'))).to.equal(1);
    expect(outside(began(), swarm(['storage-9']), swarm(['storage-1']), retried('storage-9'))).to.equal(1);
  });

  it('refuse an event that lacks what the image always writes', () => {
    expect(() => clientMeasures(trial, [began(), client('refresh.finished')])).to.throw(
      /refresh.finished of client-1/,
    );
  });
});

describe('messages that an answer held twice', () => {
  it('are counted, although their reader takes each but once', () => {
    const events = [
      began(),
      client('message.repeated', { count: 2 }),
      client('message.repeated', { count: 3 }),
    ];
    expect(clientMeasures(trial, events)).to.include({ repeated: 5 });
    expect(messageMeasures(trial, events)).to.include({ doubled: 5 });
    expect(clientMeasures(trial, [began()])).to.include({ repeated: 0 });
  });
});

describe('copies of a swarm’s members', () => {
  it('are compared message by message, so that one that is there twice does not stand for one that is missing', () => {
    expect(
      comparedCopies(
        [
          ['a', 'b'],
          ['b', 'a'],
        ],
        2,
      ),
    ).to.deep.equal({ missing: 0, surplus: 0 });
    expect(
      comparedCopies(
        [
          ['a', 'b'],
          ['a', 'a'],
        ],
        2,
      ),
    ).to.deep.equal({ missing: 1, surplus: 1 });
    expect(comparedCopies([['a'], ['b']], 1)).to.deep.equal({ missing: 2, surplus: 1 });
    expect(comparedCopies([['a'], ['a']], 2)).to.deep.equal({ missing: 2, surplus: 0 });
    expect(comparedCopies([['a'], ['a', 'b']], 1, 1)).to.deep.equal({ missing: 1, surplus: 0 });
    expect(comparedCopies([[], []], 1)).to.deep.equal({ missing: 2, surplus: 0 });
  });
});

describe('stores over a change of swarms', () => {
  const changed = (height: number) => event('storage-1', 'view.changed', { height });
  const invoked = (operation: string, kind = 'store') =>
    client('operation.invoked', { operation, process: 'a', kind });
  const ok = (operation: string) => client('operation.ok', { operation });

  it('count when they were under way between the first node that took the new list and the last', () => {
    const before = [invoked('1'), ok('1')];
    const [begun, read] = [invoked('2'), invoked('3', 'retrieve')];
    const first = changed(7);
    const between = [ok('2'), invoked('4'), ok('4'), ok('3')];
    const last = changed(7);
    const events = [...before, begun, read, first, ...between, last, invoked('5'), ok('5')];
    expect(storedMeanwhile(events)).to.equal(2);
    expect(storedMeanwhile(before)).to.equal(0);
  });

  it('do not count between one change and the next', () => {
    expect(storedMeanwhile([changed(7), invoked('1'), ok('1'), changed(8)])).to.equal(0);
  });
});

describe('what steps note', () => {
  it('is summed under its name, and null where nobody noted it', () => {
    const measures = noteMeasures(trial, [
      noted('answered', 5),
      began(),
      noted('answered', 1),
      noted('answered', 2),
    ]);
    expect(measures).to.include({ answered: 3, hanging: null });
  });
});

describe('measures of a herd', () => {
  const wire = (tcpBytesIn: number, tcpBytesOut: number) =>
    ({
      faults: [{ id: 'wire', witness: { counts: { tcpBytesIn, tcpBytesOut } } }],
    }) as unknown as TrialRecord;
  const sockets = (receivedBytes: number, sentBytes: number) =>
    event('harness', 'herd.sockets', { receivedBytes, sentBytes });
  const counted = (seconds: number, lists: number, answered = lists): RecordedEvent => ({
    ...event('storage-1', 'requests.counted', { listBytes: lists * 765, answered }),
    atNs: seconds * 1e9,
  });

  it('hold the nodes’ sockets against what the packet agent counted meanwhile', () => {
    const events = [began(), sockets(100, 1_000), sockets(400, 3_000)];
    expect(herdMeasures(wire(310, 2_013), events)).to.include({ socketBytes: 2_300, wireBytes: 2_323 });
    expect(herdMeasures(wire(310, 2_013), events)['wireAgreement']).to.be.closeTo(1.01, 1e-6);
    expect(herdMeasures({ ...trial, faults: [] }, events)['wireAgreement']).to.equal(null);
    expect(herdMeasures(wire(1, 1), events.slice(0, 2))['wireAgreement']).to.equal(null);
  });

  it('tell the bytes of lists beside the formula, and the most within a second at the nodes', () => {
    const events = [
      began(),
      event('harness', 'herd.counted', { clients: 2 }),
      client('refresh.finished', { bytes: REFRESH_BYTES }),
      client('refresh.finished', { bytes: REFRESH_BYTES }),
      counted(10, 2),
      counted(10.5, 3),
      counted(12, 1),
    ];
    expect(herdMeasures(wire(0, 0), events)).to.include({
      ofPredicted: 1,
      agreement: 1,
      gigabytesForMillion: 2.295,
      peakListRequestsPerS: 5,
    });
  });

  it('tell the most requests within a second, of all nodes and of one, and who was seen without an address', () => {
    const events = [
      began(),
      counted(10, 0, 40),
      counted(10.5, 1, 30),
      counted(12, 0, 60),
      event('harness', 'herd.counted', { clients: 500 }),
      event('harness', 'herd.callers', { callers: 499, limited: 3 }),
    ];
    expect(herdMeasures(wire(0, 0), events)).to.include({
      peakRequestsPerS: 70,
      peakRequestsAtOneNode: 60,
      withoutAddress: 1,
      limited: 3,
    });
    expect(herdMeasures(wire(0, 0), events.slice(0, -1))).to.include({ withoutAddress: null, limited: null });
  });
});

import { expect } from 'chai';
import { call } from '../call.ts';
import { toEngineError } from '../engine-errors.ts';

const said = (statusCode: number, message: string) => ({
  statusCode,
  message: `(HTTP code ${statusCode}) x - ${message} `,
  json: { message },
});

describe('what the engine says', () => {
  const cases: readonly (readonly [what: string, failure: object, code: string])[] = [
    [
      'network b',
      said(
        404,
        'could not find an available, non-overlapping IPv4 address pool among the defaults to assign to the network',
      ),
      'address-pool-exhausted',
    ],
    [
      'network b',
      said(400, 'all predefined address pools have been fully subnetted'),
      'address-pool-exhausted',
    ],
    ['network b', said(403, 'Pool overlaps with other one on this address space'), 'subnet-overlap'],
    [
      'network b',
      said(
        403,
        'cannot create network 5e (br-5e): conflicts with network 7a (br-7a): networks have overlapping IPv4',
      ),
      'subnet-overlap',
    ],
    ['container a', said(404, 'network 3f8ee not found'), 'network-not-found'],
    ['container a', said(404, 'could not find network 3f8ee: network 3f8ee not found'), 'network-not-found'],
    ['container a', said(403, 'Address already in use'), 'address-in-use'],
    [
      'container a',
      said(409, 'Conflict. The container name "/a" is already in use by container "5c"'),
      'name-conflict',
    ],
    ['container a', said(404, 'No such container: a'), 'container-not-found'],
    ['container a', said(409, 'Container 5c is not running'), 'container-not-running'],
    ['container a', said(409, 'removal of container 5c is already in progress'), 'removal-in-progress'],
    ['container a', said(404, 'No such image: alpine:3'), 'image-not-found'],
    [
      'network b',
      said(403, 'error while removing network: network b id 5e has active endpoints'),
      'network-in-use',
    ],
    [
      'image x',
      said(500, 'Get "https://registry.example/v2/": dial tcp: lookup registry.example: no such host'),
      'registry-unreachable',
    ],
    [
      'image x',
      said(
        409,
        'conflict: unable to remove repository reference "x" (must force) - container 5c is using its referenced image',
      ),
      'image-in-use',
    ],
    [
      'engine',
      said(400, 'client version 1.24 is too old. Minimum supported API version is 1.44'),
      'client-too-old',
    ],
    ['container a', said(500, 'something nobody has seen before'), 'engine-refused'],
    ['container a', { code: 'ECONNREFUSED', message: 'connect ECONNREFUSED /x.sock' }, 'engine-unreachable'],
    ['container a', { code: 'ECONNRESET', message: 'socket hang up' }, 'engine-unreachable'],
  ];
  for (const [what, failure, code] of cases) {
    it(`means ${code}: ${(failure as { message: string }).message.slice(0, 70)}`, () => {
      expect(toEngineError(what, failure).code).to.equal(code);
    });
  }

  it('is shown in its own words, without the wrapping', () => {
    const error = toEngineError('container a', said(500, 'driver failed'));
    expect(error.message).to.equal('container a: the engine says: driver failed');
  });
});

describe('a call to the engine', () => {
  it('that is not answered becomes an error within its deadline', async () => {
    const outcome = await call('container a', { deadlineMs: 20 }, () => new Promise(() => undefined)).catch(
      (error: unknown) => error,
    );
    expect(outcome).to.include({ code: 'engine-timeout' });
    expect((outcome as Error).message).to.match(/expected an answer within 20 ms/);
  });

  it('that is aborted rejects with the reason of the abort', async () => {
    const controller = new AbortController();
    const running = call(
      'container a',
      { deadlineMs: 10_000, signal: controller.signal },
      () => new Promise(() => undefined),
    );
    controller.abort(new Error('enough'));
    expect(await running.catch((error: Error) => error.message)).to.equal('enough');
  });

  it('is tried once more over a dead connection when asking twice is harmless, and only then', async () => {
    let asked = 0;
    const flaky = async (): Promise<string> => {
      asked += 1;
      if (asked === 1) throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
      return 'answer';
    };
    expect(await call('list', { deadlineMs: 1000, idempotent: true }, flaky)).to.equal('answer');
    asked = 0;
    expect(await call('create', { deadlineMs: 1000 }, flaky).catch((error: unknown) => error)).to.include({
      code: 'engine-unreachable',
    });
    expect(asked).to.equal(1);
  });
});

import { expect } from 'chai';
import { squallHere } from './in-process.ts';

describe('an option that a call gives twice', function () {
  this.timeout(60_000);

  for (const [argv, option, values] of [
    [['plan', 'memberlist', '--seed', '1', '--seed', '2'], '--seed', '1 and 2'],
    [['run', 'memberlist', '--seed=1', '--trials', '1', '--seed', '1'], '--seed', '1 and 1'],
    [['run', 'memberlist', '--trials', '1', '--trials', '2', '--trials', '3'], '--trials', '1 and 2 and 3'],
    [['run', 'memberlist', '--parallel-beds', '1', '--parallelBeds', '2'], '--parallel-beds', '1 and 2'],
    [['plan', 'memberlist', '--grid', 'gate', '--grid', 'core'], '--grid', 'gate and core'],
    [['mutate', 'smp', '--warp', '1', '--warp', '4'], '--warp', '1 and 4'],
    [['gate', '--budget', '1m', '--budget', '2m', '--plan'], '--budget', '1m and 2m'],
    [['baseline', 'save', 'x', '--name', 'a', '--name', 'b'], '--name', 'a and b'],
    [['fault', 'drop', '--on', '*', '--direction', 'in', '--direction', 'out'], '--direction', 'in and out'],
    [['fault', 'loss', '--lossRatio', '1%', '--lossRatio', '2%'], '--lossRatio', '1% and 2%'],
    [['watch', '--metrics', '1', '--metrics', '2'], '--metrics', '1 and 2'],
    [['gate', '--plan', '--json', '--no-json'], '--json', '--json and --no-json'],
    [['--yes', 'gate', '--plan', '--yes=false'], '--yes', '--yes and --yes=false'],
  ] as const) {
    it(`is refused in \`squall ${argv.join(' ')}\`, with what it was given`, async () => {
      const { error } = await squallHere(...argv);
      expect(error?.message).to.equal(
        `${option} is given ${values.split(' and ').length} times: ${values}; expected it once.`,
      );
      expect(error).to.include({ code: 'given-twice', blame: 'input' });
    });
  }

  for (const [argv, message] of [
    [
      ['up', 'topologies/memberlist-16.yaml', '--count', 'member=8', '--count', 'member=9'],
      '--count member is given 2 times: 8 and 9',
    ],
    [
      ['up', 'topologies/memberlist-16.yaml', '--variant', 'member=both', '--variant', 'member=grace'],
      '--variant member is given 2 times: both and grace',
    ],
    [
      ['fault', 'loss', '--set', 'lossRatio=1%', '--set', 'lossRatio=2%'],
      '--set lossRatio is given 2 times: 1% and 2%',
    ],
    [
      ['bisect', 'suites/memberlist', '--scenario', 'crash', '--set', 'crashes=1', '--set', 'crashes=2'],
      '--set crashes is given 2 times: 1 and 2',
    ],
    [['init', 'image', '--yes', '--env', 'A=1', '--env', 'A=2'], '--env A is given 2 times: 1 and 2'],
    [
      ['replay', 'none.tar.gz', '--secret', 'KEY=one', '--secret', 'KEY=two'],
      '--secret KEY is given 2 times',
    ],
  ] as const) {
    it(`is refused by its name in \`squall ${argv.join(' ')}\``, async () => {
      const { error } = await squallHere(...argv);
      expect(error?.message).to.equal(`${message}; expected it once.`);
      expect(error).to.include({ code: 'given-twice', blame: 'input' });
    });
  }

  for (const argv of [
    ['plan', 'memberlist', '--grid', 'onset', '--warp', '1', '--warp', '4'],
    ['plan', 'memberlist', '--scenario', 'crash', '--scenario', 'loss'],
    ['plan', 'memberlist', '--set', 'variant=both', '--set', 'outage=40s'],
    ['plan', 'memberlist', '--outage', '24s', '--outage', '40s'],
    ['gate', '--quick', '--tag', 'smp', '--tag', 'session', '--plan'],
    ['gate', '--quick', '--quick', '--plan'],
    ['plan', 'suites/canary', 'suites/memberlist', '--json'],
  ]) {
    it(`is taken in \`squall ${argv.join(' ')}\``, async () => {
      expect((await squallHere(...argv)).error).to.equal(undefined);
    });
  }

  it('is the program’s own business behind --', async () => {
    const { error } = await squallHere(
      'exec',
      'member-1',
      '--bed',
      'none',
      '--',
      'sleep',
      '--yes',
      '--no-yes',
    );
    expect(error?.code).to.not.equal('given-twice');
  });
});

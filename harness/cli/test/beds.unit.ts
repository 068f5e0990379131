import { expect } from 'chai';
import { chooseBedName } from '../bed-name.ts';
import { alignColumns } from '../columns.ts';
import { splitWords } from '../commands/attach.ts';
import { programOf } from '../commands/exec.ts';
import { wantedTopology } from '../commands/up.ts';
import { topologyOverrides } from '../topology-overrides.ts';

const nothing = { count: [], variant: [], set: [], warp: undefined };

describe('bed commands', () => {
  it('name a bed after its topology, and the next of it with a number', () => {
    expect(chooseBedName(undefined, 'memberlist-16', [])).to.equal('memberlist-16');
    expect(chooseBedName(undefined, 'memberlist-16', ['memberlist-16', 'memberlist-16-2'])).to.equal(
      'memberlist-16-3',
    );
    expect(chooseBedName(undefined, 'Meine Käse/Probe', [])).to.equal('meine-k-se-probe');
    expect(chooseBedName(undefined, '///', [])).to.equal('bed');
    expect(chooseBedName('mine', 'x', [])).to.equal('mine');
  });

  it('refuse names that are taken or that some part of the way would not carry', () => {
    expect(() => chooseBedName('mine', 'x', ['mine'])).to.throw(/is up already/);
    for (const name of ['', 'Mine', '-x', 'a/b', 'x'.repeat(41)])
      expect(() => chooseBedName(name, 'x', []), name).to.throw(/not possible/);
  });

  it('turn options into overrides of the topology', () => {
    expect(
      topologyOverrides({
        count: ['member=8', 'relay=2'],
        variant: ['both'],
        set: ['member.suspicionMult=4', 'member.join=a=b'],
        warp: 2,
        seed: '9',
      }),
    ).to.deep.equal({
      counts: { member: 8, relay: 2 },
      variant: 'both',
      settings: { member: { suspicionMult: '4', join: 'a=b' } },
      warp: 2,
      seed: '9',
    });
    expect(topologyOverrides({ ...nothing, variant: ['member=both', 'relay=old'] })).to.deep.equal({
      variant: { member: 'both', relay: 'old' },
    });
    expect(topologyOverrides(nothing)).to.deep.equal({});
  });

  it('give the seed to the nodes, so that the same one draws the same', () => {
    const asked = { ...nothing, topology: 'topologies/smp-two-proxies.yaml', 'adopt-compose': undefined };
    const { nodes } = wantedTopology({ ...asked, seed: '9' });
    expect(new Set(nodes.map(({ environment }) => environment['SQUALL_SEED']))).to.deep.equal(new Set(['9']));
  });

  it('take a topology or a compose project that runs, and one of the two', () => {
    const neither = { ...nothing, topology: undefined, 'adopt-compose': undefined, seed: undefined };
    expect(wantedTopology({ ...neither, 'adopt-compose': 'shop' })).to.include({ name: 'shop' });
    expect(() => wantedTopology(neither)).to.throw('expected a topology, or --adopt-compose');
    expect(() => wantedTopology({ ...neither, topology: 'x.yaml', 'adopt-compose': 'shop' })).to.throw(
      'expected a topology, or --adopt-compose',
    );
    for (const change of [{ count: ['web=3'] }, { variant: ['old'] }, { set: ['web.port=1'] }, { warp: 2 }]) {
      expect(() => wantedTopology({ ...neither, 'adopt-compose': 'shop', ...change })).to.throw(
        'are for nodes that Squall starts',
      );
    }
  });

  for (const [option, value] of [
    ['count', 'member'],
    ['count', 'member=x'],
    ['count', '=3'],
    ['set', 'member=3'],
    ['set', '.x=3'],
  ] as const) {
    it(`refuse --${option} ${value} with an example`, () => {
      expect(() => topologyOverrides({ ...nothing, [option]: [value] })).to.throw(
        /not understood; expected, for example/,
      );
    });
  }

  it('refuse two variants for everything', () => {
    expect(() => topologyOverrides({ ...nothing, variant: ['a', 'b'] })).to.throw(/--variant a b/);
    expect(() => topologyOverrides({ ...nothing, variant: ['a', 'member=b'] })).to.throw(/--variant/);
  });

  it('pass a program on exactly as it was typed', () => {
    expect(programOf([], ['node', 'squall', 'exec', 'relay-1', '--', 'head', '-n', '007'])).to.deep.equal([
      'head',
      '-n',
      '007',
    ]);
    expect(programOf(['ls'], ['node', 'squall', 'exec', 'relay-1', 'ls'])).to.deep.equal(['ls']);
  });

  it('split a line at the prompt as a shell would', () => {
    expect(splitWords(`fault hold --on 'member[1..3]' --set "a b=c"  x'y'z`)).to.deep.equal([
      'fault',
      'hold',
      '--on',
      'member[1..3]',
      '--set',
      'a b=c',
      'xyz',
    ]);
    expect(splitWords('   ')).to.deep.equal([]);
  });

  it('align columns without trailing spaces', () => {
    expect(
      alignColumns([
        ['A', 'B'],
        ['long', ''],
      ]),
    ).to.deep.equal(['A     B', 'long']);
  });
});

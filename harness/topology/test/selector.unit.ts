import { expect } from 'chai';
import fc from 'fast-check';
import { SquallError } from '../../errors/index.ts';
import { stream } from '../../random/index.ts';
import { parseSelector, type SelectableNode, select } from '../index.ts';

function nodesOf(counts: Readonly<Record<string, number>>): SelectableNode[] {
  return Object.entries(counts).flatMap(([role, count]) =>
    Array.from({ length: count }, (_, index) => ({
      name: `${role}-${index + 1}`,
      role,
      index: index + 1,
      labels: { rack: index % 2 === 0 ? 'a' : 'b', zone: 'north east' },
    })),
  );
}

const NODES = nodesOf({ member: 6, relay: 3, 'storage-node': 2 });
const chance = () => stream('7', 'targets');

describe('a selector', () => {
  const cases: readonly [string, readonly string[]][] = [
    ['relay', ['relay-1', 'relay-2', 'relay-3']],
    ['relay[3]', ['relay-3']],
    ['member[2..4]', ['member-2', 'member-3', 'member-4']],
    ['member[5..]', ['member-5', 'member-6']],
    ['member[..2]', ['member-1', 'member-2']],
    ['member[rack=b]', ['member-2', 'member-4', 'member-6']],
    ['member[rack=b][1..4]', ['member-2', 'member-4']],
    ['*[zone=north east][2]', ['member-2', 'relay-2', 'storage-node-2']],
    ['storage-node-2', ['storage-node-2']],
    ['relay[2], member[1]', ['member-1', 'relay-2']],
    ['relay,relay[2]', ['relay-1', 'relay-2', 'relay-3']],
    ['relay,!relay[2]', ['relay-1', 'relay-3']],
    ['!relay[2],relay', ['relay-1', 'relay-3']],
    ['!member,!storage-node', ['relay-1', 'relay-2', 'relay-3']],
    ['*,!member,!relay', ['storage-node-1', 'storage-node-2']],
  ];
  for (const [text, expected] of cases) {
    it(`reads ${text} as ${expected.join(' ')}`, () => {
      expect(select(text, NODES)).to.deep.equal(expected);
    });
  }

  it('picks the same nodes for the same seed and others for another', () => {
    const first = select('pick(3,member)', NODES, chance());
    expect(first).to.have.length(3);
    expect(select('pick(3,member)', NODES, chance())).to.deep.equal(first);
    const others = ['8', '9', '10', '11'].map((seed) =>
      select('pick(3,member)', NODES, stream(seed, 'targets')).join(),
    );
    expect(new Set([first.join(), ...others]).size).to.be.above(1);
  });

  it('takes what a smaller pick takes into a larger one', () => {
    const many = nodesOf({ member: 128 });
    const [one, eight, all] = [1, 8, 32].map((count) => select(`pick(${count},member)`, many, chance()));
    expect(eight).to.include.members(one ?? []);
    expect(all).to.include.members(eight ?? []);
  });

  it('rounds a share, but never to nobody', () => {
    expect(select('share(50%,member)', NODES, chance())).to.have.length(3);
    expect(select('share(1%,member)', NODES, chance())).to.have.length(1);
    expect(select('share(100%,*)', NODES, chance())).to.have.length(NODES.length);
  });

  it('draws from a union inside the brackets and takes away what was drawn', () => {
    const rest = select('*,!pick(2,relay,storage-node)', NODES, chance());
    expect(rest).to.have.length(NODES.length - 2);
    expect(rest.filter((name) => name.startsWith('member'))).to.have.length(6);
  });

  const refused: readonly [string, string, RegExp][] = [
    ['', 'bad-selector', /the end found at character 1/],
    ['member[', 'bad-selector', /the end found at character 8; expected a number/],
    ['member[0]', 'bad-selector', /counted from 1/],
    ['member[4..2]', 'bad-selector', /a range that rises/],
    ['member[1', 'bad-selector', /expected "\]"/],
    ['member relay', 'bad-selector', /"relay" found at character 8; expected a comma or the end/],
    ['pick(x,member)', 'bad-selector', /expected a whole number/],
    ['pick(1.5,member)', 'bad-selector', /whole number/],
    ['share(130%,member)', 'bad-selector', /expected a share/],
    ['membr', 'unknown-node', /did you mean "member"/],
    ['member,relais', 'unknown-node', /did you mean "relay"/],
    ['member[7]', 'zero-targets', /beyond the nodes of "member"; expected at most 6/],
    ['relay,member[5..9]', 'zero-targets', /beyond/],
    ['member[rack=c]', 'zero-targets', /matches no node/],
    ['relay,!relay', 'zero-targets', /matches no node/],
    ['pick(0,member)', 'zero-targets', /matches no node/],
    ['pick(4,relay)', 'too-few-targets', /asks for 4 of "relay"; expected at most 3/],
  ];
  for (const [text, code, message] of refused) {
    it(`refuses "${text}" and says why`, () => {
      expect(() => select(text, NODES, chance()))
        .to.throw(SquallError, message)
        .that.includes({ code, blame: 'input' });
    });
  }

  it('refuses to draw without a stream', () => {
    expect(() => select('pick(1,member)', NODES)).to.throw('draws by chance');
  });

  const atom = fc.oneof(
    fc.constantFrom(
      '*',
      'member',
      'relay',
      'storage-node',
      'member-3',
      'relay[1]',
      'member[2..5]',
      'member[rack=a]',
    ),
    fc
      .tuple(fc.integer({ min: 0, max: 3 }), fc.constantFrom('member', 'relay', '*'))
      .map(([n, of]) => `pick(${n},${of})`),
    fc
      .tuple(fc.integer({ min: 0, max: 100 }), fc.constantFrom('member', 'relay'))
      .map(([n, of]) => `share(${n}%,${of})`),
  );
  const selectorText = fc
    .array(fc.tuple(fc.boolean(), atom), { minLength: 1, maxLength: 5 })
    .map((terms) => terms.map(([without, text]) => `${without ? '!' : ''}${text}`).join(','));

  it('gives each node at most once, in the order of the nodes, or refuses', () => {
    fc.assert(
      fc.property(selectorText, fc.string(), (text, seed) => {
        let names: string[];
        try {
          names = select(text, NODES, stream(seed, 'targets'));
        } catch (error) {
          return error instanceof SquallError && error.code === 'zero-targets';
        }
        const order = names.map((name) => NODES.findIndex((node) => node.name === name));
        return (
          names.length > 0 &&
          order.every((at, index) => at >= 0 && (index === 0 || at > (order[index - 1] ?? -1)))
        );
      }),
    );
  });

  it('splits the nodes in two with its own negation', () => {
    fc.assert(
      fc.property(fc.constantFrom('member', 'relay[2]', 'member[rack=a]', 'storage-node-1'), (text) => {
        const both = [...select(text, NODES), ...select(`!${text}`, NODES)];
        expect(both.sort()).to.deep.equal(NODES.map((node) => node.name).sort());
      }),
    );
  });

  it('never fails on any text but with a SquallError', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'abr[].,!*()=1% -pick') }), (text) => {
        try {
          parseSelector(text);
        } catch (error) {
          expect(error).to.be.instanceOf(SquallError);
        }
      }),
    );
  });
});

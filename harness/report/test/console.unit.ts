import { expect } from 'chai';
import type { TrialRecord } from '../../record/index.ts';
import { samplePlan, sampleTrial } from '../../record/test/sample-record.ts';
import { broadcast, createLiveConsole, plainText, textTable } from '../index.ts';

function target(isTTY: boolean): {
  readonly isTTY: boolean;
  readonly columns: number;
  write(text: string): void;
  written: string;
} {
  return {
    isTTY,
    columns: 100,
    written: '',
    write(text) {
      this.written += text;
    },
  };
}

const plan = samplePlan({
  scenarios: [
    {
      suite: 'synthetic',
      scenario: 'outage',
      description: '',
      kills: [],
      points: [{ point: { cutoff: 8 }, pointId: 'cutoff=8', trials: 4, estimatedMs: 100_000 }],
      checks: [],
      expectations: [],
      published: [],
      measures: [{ name: 'falseDeaths', title: 'False deaths', unit: 'deaths' }],
      plots: [],
    },
  ],
});
const label = { scenario: 'outage', point: { cutoff: 8 }, pointId: 'cutoff=8', trial: 1, bedId: 'bed-1' };
const done = (changes: Partial<TrialRecord> = {}): TrialRecord =>
  sampleTrial({ measures: { falseDeaths: 3 }, ...changes });

describe('the live console', () => {
  it('writes plain lines where there is no terminal, with progress and time left in words', () => {
    const out = target(false);
    let nowMs = 0;
    const console = createLiveConsole({ target: out, nowMs: () => nowMs });
    console.planned?.(plan, 0);
    console.trialStarted?.(label);
    console.stepped?.(label, 'cut off 8 nodes');
    nowMs = 200_000;
    console.trialFinished?.(done(), { willRepeat: false });
    expect(out.written).not.to.contain('\u001b').and.not.to.contain('\r');
    expect(out.written).to.contain('[cutoff=8 #1] cut off 8 nodes');
    expect(out.written).to.contain('done in 1 min 40 s falseDeaths 3');
    // Trials take twice as long as estimated, and three are left: 3 × 100 s × 2.
    expect(out.written).to.contain('1 of 4 trials (25 %), about 10 min 00 s left');
  });

  it('keeps a bar under the lines on a terminal, and takes it away at the end', () => {
    const out = target(true);
    const console = createLiveConsole({ target: out, nowMs: () => 0 });
    console.planned?.(plan, 1);
    console.trialFinished?.(done(), { willRepeat: false });
    expect(out.written).to.contain('█').and.to.contain('░');
    console.closed?.();
    expect(out.written.endsWith('\r\u001b[2K')).to.equal(true);
  });

  it('shows a void trial with its reason, and that it will be repeated', () => {
    const out = target(false);
    const console = createLiveConsole({ target: out, nowMs: () => 0 });
    console.planned?.(plan, 0);
    console.trialFinished?.(done({ outcome: 'void', reasons: ['CPU steal'] }), { willRepeat: true });
    expect(out.written).to.contain('void after 1 min 40 s: CPU steal (will be repeated)');
    expect(out.written).to.contain('0 of 4 trials (0 %), 1 void');
  });

  it('lets nothing that a container said move the cursor', () => {
    const hostile = 'x\u001b[2J\u001b]0;title\u0007\r\n\u009b31m\u202eevil';
    for (const isTTY of [true, false]) {
      const out = target(isTTY);
      const console = createLiveConsole({ target: out, nowMs: () => 0 });
      console.stepped?.({ ...label, pointId: hostile }, hostile);
      console.noted?.(hostile);
      console.trialFinished?.(done({ outcome: 'error', reasons: [hostile], pointId: hostile }), {
        willRepeat: false,
      });
      const ours = out.written.replaceAll(/\u001b\[(2|33|0|2K)m?|\n/g, '');
      expect(ours, String(isTTY)).not.to.match(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    }
  });
});

describe('many observers', () => {
  it('go on when one of them throws, which is told once', async () => {
    const seen: string[] = [];
    const problems: string[] = [];
    const all = broadcast(
      [
        {
          noted() {
            throw new Error('disk full');
          },
        },
        { noted: (text) => seen.push(text), closed: () => void seen.push('closed') },
      ],
      (problem) => problems.push(problem),
    );
    all.noted('one');
    all.noted('two');
    await all.closed();
    expect(seen).to.deep.equal(['one', 'two', 'closed']);
    expect(problems).to.have.length(1);
    expect(problems[0]).to.contain('disk full');
  });
});

describe('plain text', () => {
  for (const [given, shown] of [
    ['a\tb', 'a b'],
    ['\u001b[31mred', '␛[31mred'],
    ['\u0000', '␀'],
    ['\u007f', '␡'],
    ['\u0085', '[U+0085]'],
    ['\u202eabc', '[U+202E]abc'],
    ['\ud800x', '\ufffdx'],
    ['héllo 🦭', 'héllo 🦭'],
  ] as const) {
    it(`shows ${JSON.stringify(given)} as ${shown}`, () => {
      expect(plainText(given)).to.equal(shown);
    });
  }

  it('cuts at a limit', () => {
    expect(plainText('abcdef', 4)).to.equal('abc…');
  });
});

describe('a text table', () => {
  it('aligns columns by what they take on a screen', () => {
    expect(
      textTable(
        ['name', 'n'],
        [
          ['日本', '1'],
          ['ab', '20'],
        ],
        { rightFrom: 1 },
      ),
    ).to.equal(['name   n', '────  ──', '日本   1', 'ab    20'].join('\n'));
  });
});

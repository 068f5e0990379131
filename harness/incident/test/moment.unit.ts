import { expect } from 'chai';
import { SquallError } from '../../errors/index.ts';
import { parseMoment } from '../moment.ts';
import { isZone } from '../zone-time.ts';

describe('a time of an incident', () => {
  for (const [text, zone, iso] of [
    ['2026-03-14T02:23:10Z', 'Europe/Berlin', '2026-03-14T02:23:10.000Z'],
    ['2026-03-14T02:23:10+01:00', 'UTC', '2026-03-14T01:23:10.000Z'],
    ['2026-03-14 02:23:10', 'Europe/Berlin', '2026-03-14T01:23:10.000Z'],
    ['2026-07-14 02:23:10.5', 'Europe/Berlin', '2026-07-14T00:23:10.500Z'],
    ['2026-03-14 02:23', '-05:30', '2026-03-14T07:53:00.000Z'],
    // On either side of the hour that is skipped, and of the one that comes twice.
    ['2026-03-29 01:59:59', 'Europe/Berlin', '2026-03-29T00:59:59.000Z'],
    ['2026-03-29 03:00:00', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
    ['2026-10-25 03:00:00', 'Europe/Berlin', '2026-10-25T02:00:00.000Z'],
    ['2026-10-25T02:30:00+02:00', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
  ] as const) {
    it(`${text} in ${zone} is ${iso}`, () => {
      expect(parseMoment(text, zone)).to.deep.equal({ kind: 'at', epochMs: Date.parse(iso) });
    });
  }

  it('may count from the start', () => {
    expect(parseMoment('+12m', 'UTC')).to.deep.equal({ kind: 'after', ms: 720_000 });
  });

  for (const [text, problem] of [
    ['2026-03-29 02:30:00', /were put forward over it/],
    ['2026-10-25 02:30:00', /showed it twice.*2026-10-25T00:30:00.000Z or 2026-10-25T01:30:00.000Z/],
    ['2026-04-31 10:00:00', /not understood/],
    ['2026-03-14 25:00:00', /not understood/],
    ['about noon', /not understood/],
    ['+soon', /duration "soon"/],
  ] as const) {
    it(`${text} in Berlin is refused: ${problem.source}`, () => {
      expect(() => parseMoment(text, 'Europe/Berlin')).to.throw(SquallError, problem);
    });
  }

  it('knows zones from what is none', () => {
    expect(['UTC', 'Z', '+02:00', 'Asia/Kolkata'].every(isZone)).to.equal(true);
    expect(['Berlin', 'CETT', ''].some(isZone)).to.equal(false);
  });
});

import { z } from 'zod';

export const OPERATORS = ['<=', '<', '>=', '>', '='] as const;
export type Operator = (typeof OPERATORS)[number];

export const operator = z.enum(OPERATORS);

export function satisfies(value: number, op: Operator, bound: number): boolean {
  switch (op) {
    case '<=':
      return value <= bound;
    case '<':
      return value < bound;
    case '>=':
      return value >= bound;
    case '>':
      return value > bound;
    case '=':
      return value === bound;
  }
}

const SYMBOLS: Readonly<Record<Operator, string>> = { '<=': '≤', '<': '<', '>=': '≥', '>': '>', '=': '=' };

/** A bound for people: `≤ 15 s`, `= 0`. */
export function boundText(op: Operator, bound: number, unit = ''): string {
  return `${SYMBOLS[op]} ${bound === 0 ? '0' : formatQuantity(bound, unit)}`;
}

/** Where an interval lies: wholly within the bound, wholly outside, or across it. */
export function placeInterval(
  interval: { readonly low: number; readonly high: number },
  op: Operator,
  bound: number,
): 'within' | 'outside' | 'across' {
  const lowFits = satisfies(interval.low, op, bound);
  const highFits = satisfies(interval.high, op, bound);
  if (op === '=') {
    if (lowFits && highFits) return 'within';
    return interval.low <= bound && bound <= interval.high ? 'across' : 'outside';
  }
  if (lowFits && highFits) return 'within';
  return lowFits || highFits ? 'across' : 'outside';
}

/** A number for people: at most four significant digits, thousands grouped, no trailing zeros. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value))
    return value === Number.POSITIVE_INFINITY ? '∞' : value === Number.NEGATIVE_INFINITY ? '−∞' : '–';
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return group(String(value));
  const digits = Math.abs(value) >= 1_000 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
  return group(digits);
}

function group(digits: string): string {
  const [whole = '', fraction] = digits.replace('-', '').split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, '\u202f');
  return `${digits.startsWith('-') ? '−' : ''}${grouped}${fraction === undefined ? '' : `.${fraction}`}`;
}

/** A number with its unit: `12.4 s`, `0 deaths`; a ratio in percent. */
export function formatQuantity(value: number, unit: string): string {
  if (unit === 'ratio') return `${formatNumber(value * 100)} %`;
  return unit === '' ? formatNumber(value) : `${formatNumber(value)} ${unit}`;
}

/** A p-value for people: `p = 0.032`, `p < 0.001`. */
export function pValueText(pValue: number): string {
  return pValue < 0.001 ? 'p < 0.001' : `p = ${formatNumber(Number(pValue.toFixed(3)))}`;
}

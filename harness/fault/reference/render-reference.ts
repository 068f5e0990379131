import { FAULT_KINDS, type FaultKind } from '../types.ts';
import { FAULT_REFERENCE, type FaultReference } from './fault-reference.ts';

/** The reference part of docs/faults.md: Markdown, one section a kind. */
export function renderFaultReference(): string {
  return FAULT_KINDS.map((kind) => section(kind, FAULT_REFERENCE[kind])).join('\n');
}

function section(kind: FaultKind, reference: FaultReference): string {
  const { feels, maker, settings, link, bite, caveats, example } = reference;
  const rows = Object.entries(settings).map(([name, setting]) => {
    const initial =
      setting.default === undefined ? 'required' : `\`${setting.default === '' ? "''" : setting.default}\``;
    return `| \`${name}\` | ${setting.unit.replaceAll('|', '\\|')} | ${initial} | ${setting.description} |`;
  });
  const table =
    rows.length > 0 ? ['', '| setting | unit | default | meaning |', '|---|---|---|---|', ...rows] : [];
  return [
    `### ${kind}`,
    '',
    `${feels[0]?.toUpperCase()}${feels.slice(1)}. Made by the ${maker}; `,
    `${link.length > 0 ? `narrowed by ${link.map((option) => `\`${option}\``).join(', ')}` : 'whole nodes only'}; `,
    `its witness must show \`${bite.join('` + `')}\` of at least 1.`,
    ...table,
    ...(caveats.length > 0 ? ['', ...caveats.map((caveat) => `- ${caveat}`)] : []),
    '',
    '```sh',
    example,
    '```',
    '',
  ]
    .join('\n')
    .replaceAll('; \n', '; ');
}

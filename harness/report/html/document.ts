import { POLICY } from './policy.ts';
import { STYLES } from './styles.ts';
import { html, Markup } from './template.ts';

export const WORDMARK = new Markup(
  '<svg viewBox="0 0 32 20" aria-hidden="true"><path d="M1 14c4 0 4-8 9-8s5 8 10 8 5-8 11-8" fill="none" stroke="currentColor" stroke-width="2.6" stroke-linecap="round"/></svg>',
);

/** A page of one file: no script, no font, no picture from elsewhere; light, dark and on paper. */
export function document(page: {
  readonly title: string;
  /** Beside the wordmark. */
  readonly label: string;
  readonly body: Markup;
  readonly footer?: string;
  readonly generator?: string;
}): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${new Markup(POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${page.generator && html`<meta name="generator" content="${page.generator}">`}
<title>${page.title} · Squall</title>
<style>${new Markup(STYLES)}</style>
</head>
<body>
<a class="skip" href="#main">To the content</a>
<header><span class="wordmark">${WORDMARK}Squall</span><span class="run">${page.label}</span></header>
<main id="main">
${page.body}
</main>
<footer>${page.footer ?? 'Drawn from the records beside this file.'}</footer>
</body>
</html>
`.text;
}

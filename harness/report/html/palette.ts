/**
 * Series colours after Okabe and Ito, which people with any kind of colour blindness can tell apart; one set for light
 * and one for dark paper. Beyond eight series colours repeat: direct labels and markers carry the names all the same.
 */
const LIGHT = ['#0072b2', '#d55e00', '#009e73', '#b5588f', '#b07c00', '#3f93c9', '#6b5bb5', '#6b6b6b'];
const DARK = ['#5ab4e8', '#f58a4f', '#35cfa3', '#e79cc8', '#f0bd4e', '#9bd4f5', '#b3a6f2', '#b9b9b9'];

export const SERIES_COLORS = LIGHT.map((_, index) => `var(--series-${index})`);

/** The colours as custom properties, for the style sheet. */
export function seriesProperties(mode: 'light' | 'dark'): string {
  return (mode === 'light' ? LIGHT : DARK).map((color, index) => `--series-${index}: ${color};`).join(' ');
}

export function seriesColor(index: number): string {
  return SERIES_COLORS[index % SERIES_COLORS.length] as string;
}

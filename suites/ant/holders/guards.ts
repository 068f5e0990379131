import type { CheckSpec } from '../../../harness/index.ts';

export const guards: readonly CheckSpec[] = [
  { check: 'bed-clean', title: 'the bed was clean afterwards', kind: 'guard', parameters: {} },
  { check: 'logs-complete', title: 'no event was lost', kind: 'guard', parameters: {} },
];

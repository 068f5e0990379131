/** Labels that everything of ours carries from its creation. */
export const LABEL = {
  project: 'squall',
  run: 'squall.run',
  bed: 'squall.bed',
  role: 'squall.role',
  node: 'squall.node',
  kind: 'squall.kind',
} as const;

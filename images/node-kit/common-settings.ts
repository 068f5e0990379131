import type { SettingFacts } from './image-facts.ts';

/** What the harness tells every node of ours; an image.json need not name them. */
export const COMMON_SETTINGS: readonly SettingFacts[] = [
  { name: 'nodeName', env: 'SQUALL_NODE_NAME', type: 'text', default: '' },
  { name: 'role', env: 'SQUALL_ROLE', type: 'text', default: '' },
  { name: 'bind', env: 'SQUALL_BIND', type: 'text', default: '0.0.0.0' },
  { name: 'fleet', env: 'SQUALL_FLEET', type: 'list', default: '' },
  { name: 'adminPort', env: 'SQUALL_ADMIN_PORT', type: 'port', default: 7100 },
  { name: 'variant', env: 'SQUALL_VARIANT', type: 'text', default: '' },
  { name: 'warp', env: 'SQUALL_WARP', type: 'number', minimum: 0.01, maximum: 100, default: 1 },
  { name: 'seed', env: 'SQUALL_SEED', type: 'text', default: '' },
];

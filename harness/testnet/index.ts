/** testnet: a bed's nodes from start to removal, its logs, its keeper and its watchdog. */
export { LABEL } from './types.ts';

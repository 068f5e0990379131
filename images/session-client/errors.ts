/** What a request of the client fails with, besides the statuses that nodes answer; as the library names them. */
export const ERROR = {
  UNKNOWN: -1,
  NETWORK_SUSPENDED: -10_001,
  CONNECTION_CLOSED: -10_002,
  FAILED_TO_PARSE: -10_003,
  INVALID_DESTINATION: -10_004,
  REQUEST_TIMEOUT: -10_005,
  UNAUTHENTICATED_RESPONSE: -10_012,
  INSUFFICIENT_NODES: -10_013,
} as const;

export type ErrorName = keyof typeof ERROR;

const NAMES = new Map<number, string>(Object.entries(ERROR).map(([name, code]) => [code, `ERROR_${name}`]));

/** `ERROR_INSUFFICIENT_NODES` for its code, `421` for a status. */
export function errorName(status: number): string {
  return NAMES.get(status) ?? String(status);
}

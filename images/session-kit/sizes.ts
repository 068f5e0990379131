/** Sizes and times that are the protocol's own, as storage server 2.8 has them. */
export const SIZE = {
  bodyMaxBytes: 10 * 1024 ** 2,
  /** Nesting of JSON. The protocol needs 7 (a batch in an onion answer); the rest is room. */
  jsonDepthMax: 32,
  messageMaxBytes: 76_800,
  retrieveMaxBytes: 7_800_000,
  nodeRecordBytes: 51,
  accountDigits: 66,
  messageHashCharacters: 43,
  batchMax: 20,
  onionHopsMax: 15,
  subaccountTokenBytes: 36,
  revokeMax: 50,
} as const;

export const DURATION = {
  ttlMinMs: 10_000,
  ttlMaxMs: 14 * 86_400_000,
  /** In namespaces that take no unsigned messages. */
  ttlMaxPrivateMs: 30 * 86_400_000,
  storeToleranceMs: 10_000,
  signatureToleranceMs: 60_000,
  signatureToleranceForwardedMs: 70_000,
  swarmRequestMs: 5_000,
  onionToServerMs: 25_000,
} as const;

/** The header of an answer to a ping: the node's legacy key, in base64. */
export const PING_HEADER = 'X-Oxen-Snode-Pubkey';

/** Where the storage server and the registry are asked. */
export const PATH = {
  rpc: '/storage_rpc/v1',
  onion: '/onion_req/v2',
  /** Answered with the header `PING_HEADER`. */
  ping: '/ping_test/v1',
  stats: '/get_stats/v1',
  /** Between nodes of a swarm; the real ones use OxenMQ for these. */
  swarmCommand: '/swarm_cc/v1',
  swarmData: '/swarm_data/v1',
  /** The registry's. */
  jsonRpc: '/json_rpc',
} as const;

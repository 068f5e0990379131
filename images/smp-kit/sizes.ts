/** Sizes in bytes, as the published protocol text has them. */
export const SIZE = {
  /** A transport block. */
  block: 16_384,
  /** A correlation id, which is the nonce of a box as well. */
  correlationId: 24,
  /** A message id of a server, which is the nonce of its encryption to the recipient. */
  messageId: 24,
  /** Ids of queues that our servers make; others may have 16. */
  queueId: 24,
  /** Longest `smpEncMessage` of SEND. */
  message: 16_064,
  /** Transmission and response between client and relay, padded, before encryption. */
  forwarded: 16_242,
  /** What a server delivers: timestamp, flags and message, padded, before encryption. */
  delivered: 16_082,
  /** Message between clients, padded, before encryption: without and with the sender's key beside it. */
  clientMessage: 16_016,
  clientConfirmation: 15_920,
  /** SHA-256 of a certificate. */
  fingerprint: 32,
} as const;

/** What our servers and clients speak: from SKEY and the encoding of NEW that came with it, to before encrypted blocks. */
export const VERSIONS = { min: 9, max: 10 } as const;

export interface VersionRange {
  readonly min: number;
  readonly max: number;
}

/** Where both ranges meet. */
export function sharedVersions(one: VersionRange, other: VersionRange): VersionRange | undefined {
  const shared = { min: Math.max(one.min, other.min), max: Math.min(one.max, other.max) };
  return shared.min <= shared.max ? shared : undefined;
}

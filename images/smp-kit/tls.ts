import { constants } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';

/** Name of the protocol in TLS; without it real servers fall back to a version that has no proxies. */
export const ALPN = 'smp/1';

/** What the protocol restricts TLS to. Tickets are off: no session is taken up again. */
export const TLS_OPTIONS = {
  minVersion: 'TLSv1.3',
  maxVersion: 'TLSv1.3',
  ciphers: 'TLS_CHACHA20_POLY1305_SHA256',
  sigalgs: 'ed25519',
  ecdhCurve: 'X25519',
  secureOptions: constants.SSL_OP_NO_TICKET,
} as const satisfies SecureContextOptions;

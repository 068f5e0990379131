import { SquallError } from '../../harness/errors/index.ts';

/** An invitation to connect, good for one other agent. */
export interface Link {
  /** What the holder calls its server; a label for events, believed only while no other address has it. */
  readonly serverName: string;
  /** `smp://FINGERPRINT@host:port` */
  readonly server: string;
  readonly senderId: string;
  /** Public X25519 key that what is sent is sealed to. */
  readonly boxKey: string;
}

const PREFIX = 'simplex:/invitation#';
const LONGEST = 4_096;
const FIELDS = ['serverName', 'server', 'senderId', 'boxKey'] as const;

export function encodeLink({ serverName, server, senderId, boxKey }: Link): string {
  const content = JSON.stringify({ serverName, server, senderId, boxKey });
  return PREFIX + Buffer.from(content).toString('base64url');
}

/** @throws SquallError `bad-link` (input) */
export function parseLink(text: string): Link {
  const link = text.length <= LONGEST && text.startsWith(PREFIX) ? contentOf(text.slice(PREFIX.length)) : {};
  if (FIELDS.every((field) => typeof link[field] === 'string' && link[field] !== '')) {
    return Object.fromEntries(FIELDS.map((field) => [field, link[field]])) as unknown as Link;
  }
  throw new SquallError(
    `link ${JSON.stringify(text.slice(0, 80))}: is none; expected ${PREFIX}… as POST /link answers it`,
    { code: 'bad-link', blame: 'input' },
  );
}

function contentOf(encoded: string): Readonly<Record<string, unknown>> {
  try {
    const content: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8'));
    return typeof content === 'object' && content !== null ? (content as Record<string, unknown>) : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

import { SquallError } from '../../harness/errors/index.ts';
import type { DestinationServer } from './command.ts';
import { serverIdentity } from './server-identity.ts';
import { SIZE } from './sizes.ts';

export const SMP_PORT = 5223;

/** A server as a client knows it. */
export interface ServerAddress extends DestinationServer {
  readonly fingerprint: Uint8Array;
}

/**
 * A server's address: `smp://FINGERPRINT@host[,host…][:port]`, or `name@host[:port]` for a server of this run, whose
 * fingerprint follows from seed and name. Port 5223 when none is given.
 * @throws SquallError `bad-server-address` (input)
 */
export function parseServerAddress(text: string, seed: string): ServerAddress {
  const real = /^smp:\/\/([A-Za-z0-9_-]{43})=?@([^\s:@/]+)(?::(\d{1,5}))?$/.exec(text);
  if (real) {
    const [, digest = '', hosts = '', port = String(SMP_PORT)] = real;
    return {
      fingerprint: Buffer.from(digest, 'base64url'),
      hosts: hosts.split(','),
      port: checked(port, text),
    };
  }
  const own = /^([^\s:@/]+)@([^\s:@/]+)(?::(\d{1,5}))?$/.exec(text);
  if (!own) throw badAddress(text);
  const [, name = '', host = '', port = String(SMP_PORT)] = own;
  return { fingerprint: serverIdentity(seed, name).fingerprint, hosts: [host], port: checked(port, text) };
}

/** `smp://FINGERPRINT@host[,host…]:port`; the same server has the same text, so it serves as its key too. */
export function formatServerAddress({ fingerprint, hosts, port }: ServerAddress): string {
  const digest = Buffer.from(fingerprint).toString('base64url');
  return `smp://${digest}=@${hosts.join(',')}:${port || SMP_PORT}`;
}

/** The same text for everything that tells servers apart. */
export function isSameServer(one: ServerAddress, other: ServerAddress): boolean {
  return formatServerAddress(one) === formatServerAddress(other);
}

/** The first host that a server without Tor can reach. @returns undefined when there is none */
export function publicHost(hosts: readonly string[]): string | undefined {
  return hosts.find((host) => !host.toLowerCase().endsWith('.onion'));
}

function checked(port: string, text: string): string {
  const number = Number(port);
  if (number < 1 || number > 65_535) throw badAddress(text);
  return String(number);
}

function badAddress(text: string): SquallError {
  return new SquallError(
    `server address ${JSON.stringify(text)}: not understood; expected name@host[:port] or smp://FINGERPRINT@host[:port] ` +
      `with a fingerprint of ${SIZE.fingerprint} bytes in base64url`,
    { code: 'bad-server-address', blame: 'input' },
  );
}

import { isIPv4 } from 'node:net';

/** The 4 or 16 bytes of an address that `isIP` takes; a zone behind % is left out. */
export function ipBytes(address: string): Uint8Array {
  if (isIPv4(address)) return Uint8Array.from(address.split('.').map(Number));
  // A URL writes it in one form: groups in hexadecimal, an IPv4 end among them, one run of zeros as `::`.
  const { hostname } = new URL(`http://[${address.replace(/%.*$/, '')}]`);
  const [front = [], back = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((half) => half.split(':').filter((group) => group !== ''));
  const zeros = new Array<string>(8 - front.length - back.length).fill('0');
  return Uint8Array.from(
    [...front, ...zeros, ...back]
      .map((group) => Number.parseInt(group, 16))
      .flatMap((n) => [n >> 8, n & 0xff]),
  );
}

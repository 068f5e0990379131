const P = 2n ** 255n - 19n;

/**
 * The X25519 public key that belongs to an Ed25519 public key: u = (1 + y) / (1 − y) mod 2^255 − 19 (RFC 7748, 4.1).
 * @returns undefined for a key that has none (not 32 bytes, y = 1, or y beyond the field)
 */
export function x25519OfEd25519(ed25519: Uint8Array): Buffer | undefined {
  if (ed25519.length !== 32) return undefined;
  const bytes = Buffer.from(ed25519);
  bytes[31] = (bytes[31] as number) & 0x7f;
  const y = BigInt(`0x${bytes.reverse().toString('hex')}`);
  if (y >= P || y === 1n) return undefined;
  const u = ((1n + y) * inverse((1n - y + P) % P)) % P;
  return Buffer.from(u.toString(16).padStart(64, '0'), 'hex').reverse();
}

/** By Fermat: a^(p − 2). */
function inverse(of: bigint): bigint {
  let [result, base, exponent] = [1n, of, P - 2n];
  while (exponent > 0n) {
    if (exponent & 1n) result = (result * base) % P;
    base = (base * base) % P;
    exponent >>= 1n;
  }
  return result;
}

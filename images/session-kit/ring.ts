/** Swarm ids are 64-bit and always bigint here: a number would lose their last digits. */

/** Of a node in no swarm (decommissioned, or none known): all ones. It is never on the ring. */
export const INVALID_SWARM_ID = 2n ** 64n - 1n;
const RING = 2n ** 64n;

/** Where an account's key lies on the ring of 2^64: its four big-endian words XORed. @param key 32 bytes */
export function ringPosition(key: Uint8Array): bigint {
  const bytes = Buffer.from(key.buffer, key.byteOffset, key.byteLength);
  let position = 0n;
  for (let word = 0; word < 4; word += 1) position ^= bytes.readBigUInt64BE(word * 8);
  return position;
}

/** Steps from `from` up to `to`, over the top of the ring where it has to be. */
export function ringDistance(from: bigint, to: bigint): bigint {
  return (to - from + RING) % RING;
}

/**
 * The swarm id that is nearest to a position, on either side; equally near: the lower neighbour.
 * @param ascending ids in order, without INVALID_SWARM_ID
 */
export function nearestSwarm(position: bigint, ascending: readonly bigint[]): bigint | undefined {
  if (ascending.length === 0) return undefined;
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] as bigint) < position) low = middle + 1;
    else high = middle;
  }
  const right = ascending[low % ascending.length] as bigint;
  const left = ascending[(low + ascending.length - 1) % ascending.length] as bigint;
  return ringDistance(position, right) < ringDistance(left, position) ? right : left;
}

/** Hexadecimal without leading zeros, as the storage server writes it. */
export function formatSwarmId(id: bigint): string {
  return id.toString(16);
}

/** @returns the id of 1 to 16 hexadecimal digits, or undefined */
export function parseSwarmId(text: unknown): bigint | undefined {
  return typeof text === 'string' && /^[0-9a-fA-F]{1,16}$/.test(text) ? BigInt(`0x${text}`) : undefined;
}

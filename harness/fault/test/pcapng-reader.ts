/** A packet of UDP over IPv4 and Ethernet in a capture. */
export interface CapturedDatagram {
  /** µs since 1970, UTC. */
  readonly utcUs: number;
  readonly outbound: boolean;
  readonly from: string;
  readonly to: string;
  readonly toPort: number;
}

const SECTION = 0x0a0d0d0a;
const PACKET = 6;

/** The datagrams of a pcapng file as the packet agent writes it: little-endian, nanoseconds, options with directions. */
export function readDatagrams(file: Buffer): CapturedDatagram[] {
  if (file.length < 12 || file.readUInt32LE(0) !== SECTION) throw new Error('no pcapng file');
  const datagrams: CapturedDatagram[] = [];
  for (let at = 0; at < file.length; ) {
    const size = file.readUInt32LE(at + 4);
    if (size < 12 || at + size > file.length || file.readUInt32LE(at + size - 4) !== size) {
      throw new Error(`the block at ${at} is cut, or says two lengths`);
    }
    if (file.readUInt32LE(at) === PACKET) {
      const datagram = readPacket(file.subarray(at + 8, at + size - 4));
      if (datagram) datagrams.push(datagram);
    }
    at += size;
  }
  return datagrams;
}

function readPacket(body: Buffer): CapturedDatagram | undefined {
  const kept = body.readUInt32LE(12);
  const frame = body.subarray(20, 20 + kept);
  if (kept < 42 || frame.readUInt16BE(12) !== 0x0800 || frame[14] !== 0x45 || frame[23] !== 17)
    return undefined;
  const utcNs = (BigInt(body.readUInt32LE(4)) << 32n) | BigInt(body.readUInt32LE(8));
  const options = body.subarray(20 + Math.ceil(kept / 4) * 4);
  if (options.readUInt16LE(0) !== 2) throw new Error('a packet without its direction');
  return {
    utcUs: Number(utcNs / 1_000n),
    outbound: (options.readUInt32LE(4) & 3) === 2,
    from: frame.subarray(26, 30).join('.'),
    to: frame.subarray(30, 34).join('.'),
    toPort: frame.readUInt16BE(36),
  };
}

import { SquallError } from '../errors/index.ts';
import { type Block, blockSize, formatAddress, formatBlock, overlaps, parseBlock } from './ipv4.ts';

/** All beds live in the benchmarking range of RFC 2544, which no VPN or office network uses. */
export const BED_RANGE: Block = parseBlock('198.18.0.0/15');

/** The engine's own pools and default bridge (see the engine room); no bed goes there. */
export const ENGINE_RANGE: Block = parseBlock('198.18.240.0/20');

export const DEFAULT_BED_PREFIX = 20;

/** Smallest and largest bed: 256 addresses, or half the range. */
const MIN_PREFIX = 16;
const MAX_PREFIX = 24;

/** The top of a bed's last /24 is not for nodes: the engine gives addresses there to whoever asks for none. */
const AUTO_RANGE_PREFIX = 26;

/** The addresses of one bed. */
export interface SubnetLayout {
  /** `198.18.16.0/20` */
  readonly subnet: string;
  /** Last usable address of the subnet, so that no node's address meets it. */
  readonly gateway: string;
  /** The /26 at the end, for what asks for no fixed address (Toxiproxy, a suite's own containers). */
  readonly autoRange: string;
  /** How many /24s nodes are spread over. */
  readonly slash24Count: number;
  /** Highest host number that a node may have in this /24 (254, or 191 in the last). */
  lastHost(slash24: number): number;
  /**
   * The address of host `hostIndex` (1 to `lastHost`) in the /24 number `slash24` (0-based).
   * @throws SquallError `address-outside-bed`
   */
  addressAt(slash24: number, hostIndex: number): string;
}

export function layoutSubnet(block: Block): SubnetLayout {
  const end = block.first + blockSize(block);
  const slash24Count = blockSize(block) / 256;
  const autoSize = 2 ** (32 - AUTO_RANGE_PREFIX);
  const lastHost = (slash24: number): number => (slash24 === slash24Count - 1 ? 255 - autoSize : 254);
  return {
    subnet: formatBlock(block),
    gateway: formatAddress(end - 2),
    autoRange: formatBlock({ first: end - autoSize, prefix: AUTO_RANGE_PREFIX }),
    slash24Count,
    lastHost,
    addressAt: (slash24, hostIndex) => {
      const inside =
        slash24 >= 0 && slash24 < slash24Count && hostIndex >= 1 && hostIndex <= lastHost(slash24);
      if (!inside || !Number.isInteger(slash24) || !Number.isInteger(hostIndex)) {
        throw new SquallError(
          `address: host ${hostIndex} of /24 number ${slash24} is outside ${formatBlock(block)}; ` +
            `expected /24 0 to ${slash24Count - 1} and host 1 to ${lastHost(slash24)}`,
          {
            code: 'address-outside-bed',
            blame: 'input',
            hint: 'Give the bed a shorter prefix, or spread its nodes.',
          },
        );
      }
      return formatAddress(block.first + slash24 * 256 + hostIndex);
    },
  };
}

/** All blocks of this size that beds may have, in order. @throws SquallError `bad-bed-prefix` (input) */
export function candidateBlocks(prefix: number): readonly Block[] {
  if (!Number.isInteger(prefix) || prefix < MIN_PREFIX || prefix > MAX_PREFIX) {
    throw new SquallError(`bed prefix /${prefix}: not possible; expected /${MIN_PREFIX} to /${MAX_PREFIX}`, {
      code: 'bad-bed-prefix',
      blame: 'input',
    });
  }
  const count = 2 ** (prefix - BED_RANGE.prefix);
  const size = 2 ** (32 - prefix);
  return Array.from({ length: count }, (_, index) => ({
    first: BED_RANGE.first + index * size,
    prefix,
  })).filter((block) => !overlaps(block, ENGINE_RANGE));
}

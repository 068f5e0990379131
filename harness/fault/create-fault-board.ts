import type { FaultBedPort } from './fault-bed-port.ts';
import { FaultBoard } from './fault-board.ts';
import { packetProvider } from './packet/packet-provider.ts';
import { processProvider } from './process/process-provider.ts';

/** The board of a bed, with every maker of faults that this project has. */
export function createFaultBoard(bed: FaultBedPort): FaultBoard {
  const board: FaultBoard = new FaultBoard(bed, [
    packetProvider(bed),
    processProvider(bed, (name, signal) => board.nodeRestarted(name, signal)),
  ]);
  return board;
}

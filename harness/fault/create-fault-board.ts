import type { FaultBedPort } from './fault-bed-port.ts';
import { FaultBoard } from './fault-board.ts';
import { packetProvider } from './packet/packet-provider.ts';
import { processProvider } from './process/process-provider.ts';
import { resourceProvider } from './resource/resource-provider.ts';
import { stormProvider } from './storm/storm-provider.ts';
import { RouteTable } from './toxiproxy/route-table.ts';
import { toxiproxyProvider } from './toxiproxy/toxiproxy-provider.ts';

/** The board of a bed, with every maker of faults that this project has. */
export function createFaultBoard(bed: FaultBedPort): FaultBoard {
  const routes = new RouteTable(bed);
  const board: FaultBoard = new FaultBoard(
    bed,
    [
      packetProvider(bed),
      processProvider(bed, (name, signal) => board.nodeRestarted(name, signal)),
      toxiproxyProvider(bed, routes),
      resourceProvider(bed),
      stormProvider(bed),
    ],
    routes,
  );
  return board;
}

import type { CommandModule } from 'yargs';
import { describeError } from '../../errors/index.ts';
import {
  type BedStatus,
  connectKeeper,
  type KeeperCard,
  listKeepers,
  type NodeStatus,
  requireBed,
  showControl,
} from '../../testnet/index.ts';
import { formatDurationMs } from '../../units/index.ts';
import { addBedOption } from '../bed-option.ts';
import { alignColumns } from '../columns.ts';

const DETAILS_MAX = 20;
const DETAIL_LENGTH = 160;

interface StatusArguments {
  bed: string | undefined;
  json: boolean;
}

type Status = KeeperCard & BedStatus;
type Shown = Status | (KeeperCard & { readonly problem: string });

/** `squall status`: every testnet that is up, read from engine, agent and nodes. */
export const command: CommandModule<object, StatusArguments> = {
  command: 'status',
  describe: 'nodes and faults of the testnets that are up',
  builder: (cli) =>
    addBedOption(cli)
      .option('json', { type: 'boolean', default: false, describe: 'print everything that is known as JSON' })
      .example('$0 status', 'a table of nodes, and what is in force')
      .example("$0 status --json | jq '.beds[0].nodes[].state.counts'", "the nodes' own counts"),
  handler: async (args) => {
    const cards =
      args.bed === undefined ? listKeepers() : [{ card: requireBed(args.bed), life: 'alive' as const }];
    const beds = await Promise.all(
      cards.map(async ({ card, life }): Promise<Shown> => {
        if (life === 'dead') {
          return { ...card, problem: 'its keeper is dead; `squall sweep` removes what its watchdog has not' };
        }
        try {
          using keeper = await connectKeeper({ bed: card.bedId });
          return (await keeper.request('status')) as Status;
        } catch (error) {
          return { ...card, problem: describeError(error) };
        }
      }),
    );
    if (args.json) console.log(JSON.stringify({ beds }, null, 2));
    else if (beds.length === 0) console.log('No testnet is up. Start one with `squall up TOPOLOGY`.');
    else console.log(beds.map(bedText).join('\n\n'));
  },
};

function bedText(bed: Shown): string {
  if ('problem' in bed) return `${bed.bedId} (${bed.topology}): ${bed.problem}`;
  const head = `${bed.bedId} (${bed.topology}): ${bed.nodes.length} nodes on ${bed.subnet}, up for ${formatDurationMs(bed.upMs)}`;
  const rows = bed.nodes.map((node) => [
    node.name,
    node.address,
    node.variant === undefined ? node.image : `${node.image.replace(/@.*/, '')}@${node.variant}`,
    containerText(node),
    stateText(node),
  ]);
  const faults = bed.faults.map(({ id, kind, targets, leftMs }) => {
    const left = leftMs === undefined ? 'until lifted' : `${formatDurationMs(leftMs)} left`;
    return `  ${id}: ${kind} on ${targets.length} nodes, ${left}`;
  });
  const details = bed.nodes.flatMap((node) => detailsOf(node).map((line) => `  ${node.name}: ${line}`));
  return [
    head,
    ...(bed.agentLost === undefined ? [] : [`  the packet agent is lost: ${bed.agentLost}`]),
    ...alignColumns([['NODE', 'ADDRESS', 'IMAGE', 'CONTAINER', 'SAYS'], ...rows]).map((line) => `  ${line}`),
    ...details,
    ...(faults.length === 0 ? ['  no fault in force'] : ['  faults in force:', ...faults]),
  ].join('\n');
}

function containerText(node: NodeStatus): string {
  return node.exit ? `ended ${node.exit.code} (${node.exit.cause})` : node.container;
}

/** What the node has to say in lines of its own; a node's word, so bounded and shown as text. */
function detailsOf({ state }: NodeStatus): readonly string[] {
  const lines = state?.['details'];
  if (!Array.isArray(lines)) return [];
  const shown = lines.slice(0, DETAILS_MAX).map((line) => showControl(String(line)).slice(0, DETAIL_LENGTH));
  const left = lines.length - shown.length;
  return left > 0 ? [...shown, `and ${left} more`] : shown;
}

/** What the node says of itself, in few words: its own summary, its counts, or else its plain numbers. */
function stateText(node: NodeStatus): string {
  if (node.stateProblem !== undefined) return showControl(node.stateProblem);
  if (!node.state) return '';
  const own = node.state['summary'];
  if (typeof own === 'string') return showControl(own).slice(0, 100);
  const counts = node.state['counts'];
  const source = typeof counts === 'object' && counts !== null ? counts : node.state;
  const words = Object.entries(source)
    .filter(([, value]) => typeof value === 'number')
    .slice(0, 6)
    .map(([key, value]) => `${key} ${value}`);
  return showControl(words.join(', ')).slice(0, 100);
}

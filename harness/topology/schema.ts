import { z } from 'zod';
import { rehearsalDocument } from './rehearsal-schema.ts';
import { bytes, duration, ratio } from './unit-text.ts';

const scalar = z.union([z.string(), z.number(), z.boolean()], 'a text, a number, or true or false');
const port = z.int('a port number, 1 to 65535').min(1).max(65_535);

const readiness = z
  .strictObject({
    event: z.string().optional().describe('Event that says so; `ready` is the default for our images.'),
    log: z.string().optional().describe('Regular expression that a line of the log must match.'),
    http: z
      .strictObject({
        port,
        path: z.string().default('/'),
        status: z.int().min(100).max(599).default(200),
      })
      .optional()
      .describe('Answer to a GET on the node’s own loopback.'),
    started: z.literal(true, 'true').optional().describe('Ready as soon as its process runs.'),
    timeout: duration.optional().describe('How long it may take; 60s by default.'),
  })
  .describe('When a node counts as ready: one of event, log, http and started.');

/** As topologies write it, and image.json of a wrapped foreign program. */
export const adapter = z.strictObject({
  source: z.enum(['stdout', 'http', 'metrics', 'file']),
  match: z
    .strictObject({ regex: z.string().optional(), jsonpath: z.string().optional() })
    .describe(
      'A regular expression with named groups, a JSON path, or both: the expression is then tried on the text at the path.',
    ),
  event: z.string().describe('Name of the event that a match becomes, past tense: peer.lost'),
  fields: z
    .record(z.string(), z.string())
    .default({})
    .describe('Event field → named group of the regular expression, or JSON path.'),
  values: z
    .record(z.string(), z.record(z.string(), scalar))
    .default({})
    .describe('Event field → what its texts stand for, such as {reason: {per_peer_cap_full: per-peer}}.'),
  rest: z
    .boolean()
    .default(false)
    .describe('Of a JSON text: its other fields are kept under their own names, known or not.'),
  optional: z
    .boolean()
    .default(false)
    .describe('What it looks for may never happen: matching nothing is then no reason to doubt a trial.'),
  time: z.string().optional().describe('Named group or JSON path that holds the time.'),
  url: z.string().optional().describe('For http and metrics: an address on the node’s own loopback.'),
  path: z.string().optional().describe('For file: absolute path inside the container.'),
  every: duration.optional().describe('For http, metrics and file: how often to look; 1s by default.'),
});

const diagnosis = z
  .strictObject({
    http: z
      .strictObject({
        port: port.optional().describe('The admin port by default.'),
        path: z.string(),
      })
      .optional()
      .describe('A GET on the node’s own loopback.'),
    command: z.array(z.string()).optional().describe('A program inside the container, with its arguments.'),
  })
  .describe('One of http and command.');

const group = z
  .strictObject({
    role: z.string().describe('What these nodes do; they are called role-1, role-2, …'),
    name: z.string().optional().describe('A name of its own, for a group of one.'),
    count: z.int().min(0).max(4096).default(1),
    image: z
      .string()
      .describe(
        'One of ours, NAME[:VERSION][@VARIANT], or any Docker reference such as registry.example/app:1.2.',
      ),
    variant: z.string().optional().describe('Variant or mutant of one of our images.'),
    settings: z
      .record(z.string(), scalar)
      .optional()
      .describe('Settings of one of our images, by its own names.'),
    env: z
      .record(z.string(), scalar)
      .optional()
      .describe('Further environment; placeholders such as {address:role-1} are replaced.'),
    command: z.array(z.string()).optional().describe('Replaces the image’s command.'),
    labels: z.record(z.string(), scalar).optional().describe('For selectors: role[rack=a].'),
    network: z.string().optional(),
    placement: z
      .union(
        [z.enum(['spread', 'one']), z.array(ratio)],
        '`spread`, `one`, or a list of shares such as [50%, 50%]',
      )
      .default('spread')
      .describe('Over the /24s of the network: spread evenly, all in one, or by shares.'),
    at: z
      .strictObject({ slash24: z.int().min(0), host: z.int().min(0).max(255) })
      .optional()
      .describe('A fixed place, for a group of one.'),
    ports: z.record(z.string(), port).optional().describe('Ports that the node serves, by name, for links.'),
    adminPort: port
      .optional()
      .describe('Port of the admin interface on the node’s loopback; 7100 for our images.'),
    resources: z
      .strictObject({
        memory: bytes.optional(),
        cpus: z.number().positive().max(1024).optional(),
        tmpfs: bytes.optional().describe('Size of a tmpfs at /data.'),
        pids: z.int().min(1).optional(),
      })
      .default({}),
    readiness: readiness.optional(),
    adapters: z.array(adapter).default([]).describe('Turn what a foreign image says into events.'),
    diagnosis: z
      .array(diagnosis)
      .max(8)
      .default([])
      .describe('What these nodes are asked after a trial that failed, before their bed is torn down.'),
    after: z
      .array(z.string())
      .default([])
      .describe('Selectors of nodes that must be ready before these start.'),
    fleet: z
      .int()
      .min(0)
      .max(3000)
      .default(0)
      .describe('Further addresses of each node, for clients inside it.'),
  })
  .describe('Nodes that are alike.');

const link = z.strictObject({
  name: z.string().optional(),
  from: z.string().describe('Selector of the clients.'),
  to: z.string().describe('Selector of the servers.'),
  port: z
    .union([port, z.string()], 'a port number or the name of a port')
    .describe('Number, or a name from the servers’ ports.'),
  protocol: z.enum(['tcp', 'udp']).default('tcp'),
  path: z.enum(['agent', 'toxiproxy']).default('agent').describe('How the link can be broken.'),
});

export const topologyDocument = z.strictObject({
  name: z.string().optional().describe('The file’s name without its ending by default.'),
  description: z.string().default(''),
  mesh: z
    .boolean()
    .default(false)
    .describe('Every node talks to every other: N(N−1) neighbour entries are needed.'),
  prefix: z.int().min(16).max(24).default(20).describe('Prefix length of each network’s subnet.'),
  networks: z
    .array(z.strictObject({ name: z.string(), ipv6: z.boolean().default(false) }))
    .default([])
    .describe('One network called `bed` by default.'),
  nodes: z.array(group),
  links: z.array(link).default([]),
  rehearsal: rehearsalDocument.optional(),
});

export type TopologyDocument = z.output<typeof topologyDocument>;
export type NodeGroup = TopologyDocument['nodes'][number];
export type Scalar = string | number | boolean;

/** The JSON Schema (draft 2020-12) that editors complete topology files with. */
export function topologySchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(topologyDocument, { io: 'input', target: 'draft-2020-12' });
  return { $id: 'squall-topology', title: 'Squall topology', ...schema };
}

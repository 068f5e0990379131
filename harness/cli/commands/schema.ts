import type { CommandModule } from 'yargs';
import { explorationSchema } from '../../exploration/index.ts';
import { gateSchema } from '../../gate/index.ts';
import { incidentSchema } from '../../incident/index.ts';
import { recordSchema } from '../../record/index.ts';
import { scenarioSchema } from '../../scenario/index.ts';
import { topologySchema } from '../../topology/index.ts';

const SCHEMAS = {
  topology: topologySchema,
  scenario: scenarioSchema,
  incident: incidentSchema,
  exploration: explorationSchema,
  record: recordSchema,
  gate: gateSchema,
} as const;
type SchemaName = keyof typeof SCHEMAS;

interface SchemaArguments {
  readonly kind: SchemaName;
}

export const command: CommandModule<object, SchemaArguments> = {
  command: 'schema <kind>',
  describe: 'JSON Schema of topologies, scenarios, incidents, records or gates',
  builder: (cli) =>
    cli
      .positional('kind', {
        choices: Object.keys(SCHEMAS) as SchemaName[],
        demandOption: true,
        describe: 'what to describe',
      })
      .example(
        'squall schema topology > topology.schema.json',
        'for editors: name it in the first line of a topology',
      ),
  handler: ({ kind }) => {
    process.stdout.write(`${JSON.stringify(SCHEMAS[kind](), null, 2)}\n`);
  },
};

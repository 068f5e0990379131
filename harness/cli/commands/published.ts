import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandModule } from 'yargs';
import { EXIT, SquallError } from '../../errors/index.ts';
import { findMisquotes, readPublishedList } from '../published-list.ts';
import { paragraphsOf, reachedParagraphs } from '../published-paragraphs.ts';

interface PublishedArguments {
  suite: string;
  source: string | undefined;
  json: boolean;
}

/** `squall published SUITE [--source FILE]`: the figures that a suite prints as published, held against their source. */
export const command: CommandModule<object, PublishedArguments> = {
  command: 'published <suite>',
  describe: "list a suite's published figures, or hold them against the source text",
  builder: (yargs) =>
    yargs
      .positional('suite', { type: 'string', demandOption: true, describe: 'folder of the suite' })
      .option('source', { type: 'string', describe: 'text of the source document to hold the list against' })
      .option('json', { type: 'boolean', default: false, describe: 'print the list as JSON' })
      .example('$0 published suites/memberlist', 'what the document says, what our copy lost, what we chose')
      .example(
        '$0 published suites/memberlist --source memberlist-blackout.txt',
        'exit 1 when a value is not in it, or when a paragraph of it is in no entry of a list that has them',
      ),
  handler: (args) => {
    const published = readPublishedList(join(args.suite, 'published.json'));
    if (args.source !== undefined) {
      let text: string;
      try {
        text = readFileSync(args.source, 'utf8');
      } catch (cause) {
        throw new SquallError(`source ${args.source}: cannot be read`, {
          code: 'no-source',
          blame: 'input',
          cause,
        });
      }
      const misquotes = findMisquotes(published, text);
      for (const line of misquotes) console.error(line);
      const quotedRules = published.rules.filter((one) => 'quote' in one).length;
      const quoted = published.values.length + quotedRules + published.paragraphs.length;
      const of = published.rules.length > 0 ? 'values, rules and paragraphs' : 'values';
      console.log(`${quoted - misquotes.length} of ${quoted} ${of} stand in the source`);
      const { unlisted, inTheMiddle, repeated } = reachedParagraphs(published, text);
      for (const line of unlisted) console.error(line);
      if (published.paragraphs.length > 0) {
        const all = paragraphsOf(text).length;
        console.log(`${all - unlisted.length} of ${all} paragraphs of the source stand in the list`);
        told('reached only in the middle, by an entry that begins inside', inTheMiddle);
        told('entries whose words the source has more often than once', repeated);
      }
      if (misquotes.length + unlisted.length > 0) process.exitCode = EXIT.fail;
      return;
    }
    if (args.json) {
      console.log(JSON.stringify(published, null, 2));
      return;
    }
    console.log(`"${published.document}"\n`);
    for (const entry of published.values)
      console.log(`  ${entry.label}: ${entry.value} ${entry.unit}`.trimEnd());
    const elsewhere = published.rules.filter((one) => 'elsewhere' in one);
    if (published.rules.length > 0)
      console.log(`\nRules: ${published.rules.length}, ${elsewhere.length} of them from elsewhere:`);
    for (const entry of elsewhere) console.log(`  ${entry.rule}: ${entry.elsewhere}`);
    if (published.lost.length > 0) console.log('\nLost in our copy (never printed as published):');
    for (const entry of published.lost) console.log(`  ${entry.what}`);
    console.log('\nChosen by us:');
    for (const entry of published.chosen) console.log(`  ${entry.name}: ${entry.value}. ${entry.reason}`);
  },
};

/** For a reader to judge: nothing of it fails. */
function told(what: string, lines: readonly string[]): void {
  if (lines.length > 0)
    console.log(`\n${lines.length} ${what}:\n${lines.map((line) => `  ${line}`).join('\n')}`);
}

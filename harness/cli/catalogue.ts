import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CommandModule } from 'yargs';

/** Folder with one module a command, each exporting `command`. */
export const COMMANDS_DIR = join(dirname(fileURLToPath(import.meta.url)), 'commands');

/**
 * First words and summaries as the top-level help shows them, in the order of a first use. They are written down here
 * so that `--help` and completion load no command (a test compares them with the modules). A command file that is
 * missing here is found by its name all the same.
 */
export const SUMMARIES: Readonly<Record<string, { readonly usage: string; readonly summary: string }>> = {
  doctor: { usage: 'doctor', summary: 'what this host can do, what is missing, and what to do about it' },
  init: {
    usage: 'init [image]',
    summary: 'write a topology, a suite, a gate and a workflow for your own image',
  },
  plan: {
    usage: 'plan <suites..>',
    summary: 'trials, beds, minutes, memory and disk, before anything starts',
  },
  run: {
    usage: 'run <suites..>',
    summary: 'run suites or scenarios; writes a record and reports under reports/',
  },
  gate: {
    usage: 'gate',
    summary: 'what guards a release, within a time budget: one verdict, JUnit, annotations',
  },
  baseline: {
    usage: 'baseline <action> [which]',
    summary: 'keep figures of a run, for bounds that are relative to them',
  },
  mutate: {
    usage: 'mutate <suites..>',
    summary: 'switch each fix off in turn: the designated scenario must fail',
  },
  repro: {
    usage: 'repro <incidents..>',
    summary: 'make a field incident happen again, shrink it, and write it as a scenario',
  },
  explore: {
    usage: 'explore <exploration>',
    summary: 'random fault schedules against invariants; what breaks one is shrunk and kept',
  },
  bisect: {
    usage: 'bisect <suite>',
    summary: 'find the first bad version, or the missing fix, with enough trials to be sure',
  },
  rehearse: {
    usage: 'rehearse <topology>',
    summary: 'a release against its candidates, wave by wave in turns, until it is clear which to ship',
  },
  watch: { usage: 'watch [run]', summary: 'a live view of a run, or of a testnet that is up' },
  timeline: {
    usage: 'timeline [run]',
    summary: 'logs, events and faults of a recorded trial on one timeline, filtered',
  },
  bundle: {
    usage: 'bundle [run]',
    summary: 'pack a run into one file, without secrets and environments, to be replayed anywhere',
  },
  replay: {
    usage: 'replay <bundle>',
    summary: 'run a bundle again, and say whether every check says the same',
  },
  recheck: { usage: 'recheck [run]', summary: 'judge a finished run again from its record alone' },
  report: { usage: 'report [run]', summary: "render a run's reports again" },
  prune: { usage: 'prune', summary: 'remove old runs from reports/, by number, size or age' },
  import: { usage: 'import <compose>', summary: 'make a topology of a docker-compose file' },
  up: { usage: 'up <topology>', summary: 'start an interactive testnet and leave it running' },
  status: { usage: 'status', summary: 'nodes and faults of the testnets that are up' },
  logs: { usage: 'logs <node>', summary: "a node's log, followed with -f" },
  ask: {
    usage: 'ask <nodes> <path> [body]',
    summary: "ask nodes' admin ports: state, links, messages, storms",
  },
  exec: { usage: 'exec <node>', summary: 'run a command inside a node' },
  fault: { usage: 'fault <kind>', summary: 'disturb nodes of a testnet that is up' },
  faults: { usage: 'faults', summary: 'faults in force, with what they have done so far' },
  lift: { usage: 'lift [id]', summary: 'lift one fault, or all' },
  down: { usage: 'down', summary: 'remove a testnet' },
  attach: { usage: 'attach <run>', summary: 'enter the bed that a run kept' },
  images: { usage: 'images', summary: 'build, list, prune, save and load the images of this project' },
  engine: { usage: 'engine', summary: 'start, show or stop the engine that Squall started' },
  sweep: { usage: 'sweep', summary: 'remove what runs that are gone have left behind' },
  schema: {
    usage: 'schema <kind>',
    summary: 'JSON Schema of topologies, scenarios, incidents, records or gates',
  },
  published: {
    usage: 'published <suite>',
    summary: "a suite's published figures, held against their source",
  },
  completion: { usage: 'completion [shell]', summary: 'print a completion script for bash, zsh or fish' },
};

/** Names of all commands that exist, those of the catalogue first; internal ones (`__…`) are left out. */
export function commandNames(files: readonly string[] = readdirSync(COMMANDS_DIR)): string[] {
  const present = files.filter((file) => file.endsWith('.ts')).map((file) => file.slice(0, -'.ts'.length));
  const known = Object.keys(SUMMARIES).filter((name) => present.includes(name));
  const others = present.filter((name) => !(name in SUMMARIES)).sort();
  return [...known, ...others];
}

/** Loads one command's module. Internal commands are called with two underscores: `__watchdog` is `watchdog.ts`. */
export async function loadCommand(name: string): Promise<CommandModule | undefined> {
  const file = name.replace(/^__/, '');
  if (!/^[a-z][a-z-]*$/.test(file) || !commandNames().includes(file)) return undefined;
  const module = (await import(`./commands/${file}.ts`)) as { readonly command?: CommandModule };
  if (!module.command || firstWord(module.command) !== name) return undefined;
  return module.command;
}

/** The word that calls a command: `run` of `run <suites..>`. */
export function firstWord(command: CommandModule): string {
  const usage = Array.isArray(command.command) ? command.command[0] : command.command;
  return String(usage ?? '').split(' ')[0] ?? '';
}

/** Commands that the harness calls itself: in no help and no completion. */
export function isInternal(name: string): boolean {
  return name === 'watchdog' || name === 'keeper';
}

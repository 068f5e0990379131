import type { Argv } from 'yargs';
import { SquallError } from '../errors/index.ts';
import type { ParameterValue } from '../record/index.ts';
import {
  formatParameter,
  type ParameterSpec,
  type ResolvedScenario,
  readParameter,
} from '../scenario/index.ts';
import { offerValues } from './offered-values.ts';
import { didYouMean } from './suggest.ts';

/** A parameter as an option of one call, with the scenarios that have it. */
interface ParameterOption {
  readonly name: string;
  readonly spec: ParameterSpec;
  readonly scenarios: string[];
}

/**
 * The parameters of all scenarios as options. Scenarios may share a parameter of one type.
 * @throws SquallError `parameter-clash` (input)
 */
export function parameterOptions(scenarios: readonly ResolvedScenario[]): ParameterOption[] {
  const options = new Map<string, ParameterOption>();
  for (const scenario of scenarios) {
    for (const [name, spec] of Object.entries(scenario.parameters)) {
      const known = options.get(name);
      if (!known) {
        options.set(name, { name, spec, scenarios: [scenario.name] });
        continue;
      }
      if (known.spec.type !== spec.type) {
        throw new SquallError(
          `parameter ${name}: ${spec.type} in scenario ${scenario.name}, ${known.spec.type} in ${known.scenarios.join(', ')}; expected one type.`,
          { code: 'parameter-clash', blame: 'input' },
        );
      }
      known.scenarios.push(scenario.name);
    }
  }
  return [...options.values()];
}

/** Adds them to a command's parser, each taking one value or several with commas, and again; those it has to choose from are completed. */
export function addParameterOptions<T>(cli: Argv<T>, options: readonly ParameterOption[]): Argv<T> {
  for (const { name, spec, scenarios } of options) {
    const choices = spec.choices ? `: ${spec.choices.join(', ')}` : '';
    cli.option(name, {
      type: 'string',
      array: true,
      nargs: 1,
      group: 'Parameters of the suite (a list replaces the axis of the grid):',
      describe: `${spec.description}${choices} [${spec.type}, ${formatParameter(spec, readParameter(name, spec, spec.default))}; ${scenarios.join(', ')}]`,
    });
    offerValues(cli, name, (spec.choices ?? []).map(String));
  }
  return cli;
}

/** Values given by `--NAME a,b` or `--set NAME=a,b`, as texts by parameter. */
export function givenParameters(
  args: Readonly<Record<string, unknown>>,
  options: readonly ParameterOption[],
): Record<string, readonly string[]> {
  const names = options.map((option) => option.name);
  const given: Record<string, readonly string[]> = {};
  const add = (name: string, text: string): void => {
    given[name] = [...(given[name] ?? []), ...text.split(',').map((one) => one.trim())];
  };
  for (const name of names) {
    const value = args[name];
    for (const text of Array.isArray(value) ? value : [value])
      if (text !== undefined) add(name, String(text));
  }
  for (const text of [args.set ?? []].flat().map(String)) {
    const at = text.indexOf('=');
    const name = text.slice(0, at);
    if (at < 1 || !names.includes(name)) {
      throw new SquallError(
        at < 1
          ? `--set ${text}: expected NAME=VALUE[,VALUE].`
          : `--set ${text}: no parameter "${name}". ${didYouMean(name, names)}`,
        { code: 'bad-parameter', blame: 'input' },
      );
    }
    add(name, text.slice(at + 1));
  }
  return given;
}

/**
 * The lists for one scenario, typed; undefined when the scenario lacks a parameter that was given. Values that are none of a
 * parameter's choices are left out, and the parameter's list is then shorter, or empty.
 */
export function listsFor(
  scenario: ResolvedScenario,
  given: Readonly<Record<string, readonly string[]>>,
): Record<string, readonly ParameterValue[]> | undefined {
  const lists: Record<string, readonly ParameterValue[]> = {};
  for (const [name, texts] of Object.entries(given)) {
    const spec = scenario.parameters[name];
    if (!spec) return undefined;
    const fitting = spec.type === 'choice' ? texts.filter((text) => spec.choices?.includes(text)) : texts;
    lists[name] = fitting.map((text) => readParameter(name, spec, text));
  }
  return lists;
}

/** Reads every value at every one of these scenarios that has the parameter. @throws SquallError `bad-parameter` (input) for one that fits none */
export function requireFitting(
  scenarios: readonly ResolvedScenario[],
  given: Readonly<Record<string, readonly string[]>>,
): void {
  for (const [name, texts] of Object.entries(given)) {
    const specs = scenarios.flatMap(({ parameters }) => parameters[name] ?? []);
    for (const text of texts) {
      if (specs.some(({ type, choices }) => type === 'choice' && choices?.includes(text))) continue;
      for (const spec of specs) readParameter(name, spec, text);
    }
  }
}

import type { Argv } from 'yargs';

/** `--bed NAME`, for every command that speaks to a bed that is up. */
export function addBedOption<T>(cli: Argv<T>): Argv<T & { bed: string | undefined }> {
  return cli.option('bed', {
    type: 'string',
    describe: 'which testnet, when more than one is up (its name in `squall status`)',
  });
}

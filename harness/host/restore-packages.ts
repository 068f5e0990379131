import { SquallError } from '../errors/index.ts';
import { runProgram } from '../program/index.ts';
import { Ledger, type LedgerEntry } from '../state/index.ts';

/**
 * Removes the packages that Squall installed for its engine, as the ledger says. Call it only when that engine does not
 * run.
 * @returns a line for each entry
 * @throws SquallError `restore-failed` with the last lines of apt
 */
export async function restorePackages(
  ledger: Ledger = new Ledger(),
  onProgress?: (text: string) => void,
  run: typeof runProgram = runProgram,
): Promise<readonly string[]> {
  const said: string[] = [];
  for (const entry of ledger.entries().filter(isInstallation)) {
    const names = entry.packages.join(' ');
    onProgress?.(`removing ${names} with apt-get`);
    const command = ['apt-get', 'remove', '-y', ...entry.packages];
    const result = await run(command, { environment: { DEBIAN_FRONTEND: 'noninteractive' }, tailLines: 15 });
    if (result.exitCode !== 0) {
      throw new SquallError(`restore: \`${command.join(' ')}\` ended with ${result.exitCode}`, {
        code: 'restore-failed',
        facts: { tail: result.tail },
        hint: `Last lines:\n${result.tail.map((line) => `    ${line}`).join('\n')}`,
      });
    }
    await ledger.remove(entry.id);
    said.push(
      `${names}: removed; the engine's own files stay in its data root, what only it needed goes with \`apt-get autoremove\``,
    );
  }
  return said;
}

function isInstallation(entry: LedgerEntry): entry is LedgerEntry & { kind: 'packages-installed' } {
  return entry.kind === 'packages-installed';
}

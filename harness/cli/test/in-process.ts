import { SquallError } from '../../errors/index.ts';
import { dispatch } from '../main.ts';

/** A call in this process, with what it printed; starting a process for each would cost a second. */
export async function squallHere(
  ...argv: string[]
): Promise<{ readonly stdout: string; readonly stderr: string; readonly error?: SquallError }> {
  const written: string[] = [];
  const told: string[] = [];
  const { write } = process.stdout;
  const { write: writeError } = process.stderr;
  const { log } = console;
  process.stdout.write = ((chunk: string | Uint8Array) => {
    written.push(String(chunk));
    return true;
  }) as typeof write;
  process.stderr.write = ((chunk: string | Uint8Array) => {
    told.push(String(chunk));
    return true;
  }) as typeof writeError;
  console.log = (text: string) => void written.push(`${text}\n`);
  try {
    await dispatch(argv);
    return { stdout: written.join(''), stderr: told.join('') };
  } catch (error) {
    if (!(error instanceof SquallError)) throw error;
    return { stdout: written.join(''), stderr: told.join(''), error };
  } finally {
    process.stdout.write = write;
    process.stderr.write = writeError;
    console.log = log;
  }
}

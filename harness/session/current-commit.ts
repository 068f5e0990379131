import { runProgram } from '../program/index.ts';

/** What a run was made of. */
export interface Commit {
  /** Full hash. */
  readonly hash: string;
  /** Files differ from it, so that two runs of it need not be of the same thing. */
  readonly dirty: boolean;
}

/** The commit of the repository around `cwd`, or the one that a CI server names; undefined where there is none. */
export async function currentCommit(
  cwd = process.cwd(),
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Commit | undefined> {
  const head = await git(cwd, ['rev-parse', 'HEAD']);
  const status = await git(cwd, ['status', '--porcelain', '--untracked-files=no']);
  if (head && status) return { hash: head[0] ?? '', dirty: status.length > 0 };
  const named = environment['GITHUB_SHA'] ?? environment['CI_COMMIT_SHA'];
  return named ? { hash: named, dirty: false } : undefined;
}

/** Lines that git printed; undefined where there is no git, or no repository. */
async function git(cwd: string, args: readonly string[]): Promise<readonly string[] | undefined> {
  try {
    const { exitCode, tail } = await runProgram(['git', ...args], { cwd });
    return exitCode === 0 ? tail : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

import type { ProblemPath } from '../document/index.ts';
import type { ProblemList } from './problem-list.ts';
import type { NodeGroup } from './schema.ts';
import type { DiagnosisAsk } from './types.ts';

/**
 * What the nodes of a group are asked before a bed with a failed trial is torn down, beside what every node is.
 * @param adminPort where a GET goes that names no port
 */
export function resolveDiagnosis(
  group: NodeGroup,
  adminPort: number | undefined,
  path: ProblemPath,
  problems: ProblemList,
): readonly DiagnosisAsk[] {
  return group.diagnosis.flatMap(({ http, command }, index): DiagnosisAsk[] => {
    const here = [...path, index];
    if ((http === undefined) === (command === undefined)) {
      if (!problems.within(here))
        problems.add(
          here,
          `${http ? 'http and command found together' : 'says nothing'}; expected one of http and command`,
        );
      return [];
    }
    if (command !== undefined) {
      if (command.length === 0)
        problems.add([...here, 'command'], 'is empty; expected a program and its arguments');
      return [{ kind: 'command', command }];
    }
    if (http === undefined) return [];
    if (!http.path.startsWith('/'))
      problems.add([...here, 'http', 'path'], `"${http.path}" found; expected a path that begins with /`);
    const port = http.port ?? adminPort;
    if (port === undefined) {
      problems.add([...here, 'http'], 'names no port, and the group has no adminPort; expected one of them');
      return [];
    }
    return [{ kind: 'http', port, path: http.path }];
  });
}

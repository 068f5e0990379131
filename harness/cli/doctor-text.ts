import type { DoctorReport } from '../host/index.ts';
import { formatBytes, formatDurationMs } from '../units/index.ts';
import { formatTable } from './table.ts';

const MARK = {
  yes: 'ok',
  no: 'no',
  unknown: '?',
  found: 'ok',
  failed: 'no',
  'not-applicable': '-',
  'not-tried': '-',
} as const;

const size = (bytes: number | undefined): string => (bytes === undefined ? '?' : formatBytes(bytes));
const figure = (value: number | undefined): string => (value === undefined ? '?' : String(value));

function section(title: string, rows: readonly (readonly string[])[]): string {
  const body = formatTable(rows.map((row) => ['', ...row]));
  return `${title}\n${body}`;
}

function hostRows({ host }: DoctorReport): readonly (readonly string[])[] {
  const { neighbour, conntrack, inotify, files } = host;
  return [
    ['kernel', `${host.kernel ?? '?'} (${host.platform})`],
    ['CPUs', figure(host.cpus)],
    ['memory', `${size(host.memoryAvailableBytes)} of ${size(host.memoryTotalBytes)} available`],
    ['disk', `${size(host.diskFreeBytes)} free`],
    [
      'neighbour table',
      `${neighbour.entries} entries; thresholds ${[neighbour.gcThresh1, neighbour.gcThresh2, neighbour.gcThresh3].map(figure).join(', ')}`,
    ],
    ['connection tracking', `${figure(conntrack.entries)} of ${figure(conntrack.max)} entries`],
    ['packets that may wait', `${figure(host.backlogMax)} on an interface`],
    ['inotify', `${figure(inotify.instancesMax)} instances, ${figure(inotify.watchesMax)} watches a user`],
    [
      'open files',
      `${figure(files.open)} of ${figure(files.max)}; this process may have ${figure(files.processMax)}`,
    ],
  ];
}

/** Its error names the endpoint already; what was found does not. */
function tried({ endpoint, reason }: DoctorReport['engine']['trace'][number]): string {
  return endpoint && !reason.includes(endpoint) ? `${endpoint}: ${reason}` : reason.replace(/^engine /, '');
}

/** What a capability is needed for; the engine is needed for all. */
function forFaults({ faults }: DoctorReport['capabilities'][number], { faults: all }: DoctorReport): string {
  return faults.length === all.length ? 'every fault' : faults.join(', ');
}

/** Faults that share an answer share a line. */
function faultRows({ faults }: DoctorReport): readonly (readonly string[])[] {
  const groups = new Map<string, { mark: string; names: string[]; reason: string }>();
  for (const { fault, available, reason } of faults) {
    const mark = MARK[available];
    const group = groups.get(`${mark} ${reason}`) ?? { mark, names: [], reason };
    group.names.push(fault);
    groups.set(`${mark} ${reason}`, group);
  }
  return [...groups.values()].map(({ mark, names, reason }) => [
    mark,
    reason ? `${names.join(', ')}: ${reason}` : names.join(', '),
  ]);
}

/** The report for a person. */
export function doctorText(report: DoctorReport): string {
  const parts = [
    section(
      'Engine: what was tried',
      report.engine.trace.map((step) => [MARK[step.outcome], step.strategy, tried(step)]),
    ),
    section('Host', hostRows(report)),
    section(
      'What this host can do',
      report.capabilities.map((one) => [
        MARK[one.state],
        one.name,
        `${one.reason}; for ${forFaults(one, report)}`,
      ]),
    ),
    section('Faults', faultRows(report)),
  ];
  if (report.leftovers.length > 0) {
    const rows = report.leftovers.map((one) => [
      one.what,
      `${one.containers} containers, ${one.networks} networks, ${formatDurationMs(one.ageMs)} old`,
      one.reason,
    ]);
    parts.push(section('Beds in the engine', rows));
  }
  const advice = report.advice.map((one) => [`${one.level}:`, `${one.subject}: ${one.found}. ${one.remedy}`]);
  parts.push(advice.length > 0 ? section('What to do', advice) : 'Nothing to do: all is well.');
  return parts.join('\n\n');
}

/** topology: YAML → a validated, resolved topology. Nothing here talks to an engine. */
export type {
  AdapterSpec,
  ImageSource,
  Readiness,
  ResolvedLink,
  ResolvedNode,
  ResolvedTopology,
  TopologyOverrides,
} from './types.ts';

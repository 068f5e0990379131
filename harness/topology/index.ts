/**
 * topology: YAML → a checked, resolved topology; selectors over its nodes.
 *
 *   file ─ resolveTopology(file, overrides, {images}) ─▶ ResolvedTopology ─ addressNodes(topology, addressAt) ─▶ nodes
 *
 * Defaults: count 1, subnet /20, placement `spread`, hosts 10 to 249 of each /24, admin port 7100 and the event `ready`
 * within 60 s for our images, `started` for others. All problems of a document are reported together.
 * Not here: reading image.json (handed in as data), leasing subnets, starting anything.
 */
export { type AddressAt, addressNodes } from './address-nodes.ts';
export type { ImageDescription, SettingDescription, VariantDescription } from './image-description.ts';
export { parseImageSource } from './image-source.ts';
export { isRandomSelector, parseSelector, type Selector } from './parse-selector.ts';
export { readRehearsal } from './read-rehearsal.ts';
export type { RehearsalSpec } from './rehearsal-schema.ts';
export {
  parseTopology,
  type ResolveOptions,
  resolveTopology,
  resolveTopologyText,
} from './resolve-topology.ts';
export { type Scalar, type TopologyDocument, topologyDocument, topologySchema } from './schema.ts';
export { type SelectableNode, select } from './selector.ts';
export { settingText } from './setting-value.ts';
export type {
  AdapterSpec,
  AddressedNode,
  DiagnosisAsk,
  ImageSource,
  Readiness,
  ResolvedLink,
  ResolvedNode,
  ResolvedTopology,
  TopologyOverrides,
} from './types.ts';

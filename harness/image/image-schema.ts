import { z } from 'zod';

const scalar = z.union([z.string(), z.number(), z.boolean()]);
const words = z.array(z.string().min(1)).min(1);

/** Files and folders, relative to the image's own, whose content decides whether it must be built again. */
const inputs = words.optional();

const setting = z.strictObject({
  name: z.string().regex(/^[a-z][A-Za-z0-9]*$/, 'expected a camelCase name'),
  env: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]*$/, 'expected an environment variable such as SQUALL_PROBE_INTERVAL_MS'),
  type: z.enum([
    'boolean',
    'integer',
    'number',
    'ratio',
    'duration',
    'bytes',
    'port',
    'choice',
    'list',
    'text',
  ]),
  unit: z.string().optional(),
  default: scalar.optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  choices: z.array(z.string()).optional(),
  description: z.string().min(1),
});

const variant = z.strictObject({
  description: z.string().optional(),
  settings: z.record(z.string(), scalar),
});

const mutant = variant.extend({
  mutates: z.strictObject({ fix: z.string(), rule: z.string().min(1) }),
});

const build = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('go'),
    /** Package to build, relative to the folder. */
    package: z.string().default('.'),
    /** Instead of `go build`: a command run in the folder that writes the binary to `{out}`. */
    command: words.optional(),
    inputs,
  }),
  z.strictObject({
    kind: z.literal('go-install'),
    module: z.string().min(1),
    version: z.string().min(1),
  }),
  z.strictObject({
    kind: z.literal('cargo'),
    crate: z.string().min(1),
    /** A version; NAME:VERSION may name another, a path with a slash, or from:IMAGE. */
    version: z.string().min(1),
    /** The crate's binary; of its own name when absent. */
    binary: z.string().optional(),
    /** Folder of the Go program that the image runs, and that runs the binary. */
    front: z.string().min(1),
    /** C file that becomes /threads.so. */
    preload: z.string().min(1),
    /** Tag of the rust image, where this host has no cargo, and the image that its binary then runs in. */
    rust: z.string().default('1'),
    runtime: z.string().default('debian:stable-slim'),
  }),
  z.strictObject({
    kind: z.literal('node'),
    /** TypeScript file that is the program, relative to the folder. */
    entry: z.string().min(1),
  }),
  z.strictObject({ kind: z.literal('node-base') }),
  z.strictObject({
    kind: z.literal('dockerfile'),
    dockerfile: z.string().default('Dockerfile'),
    inputs,
  }),
]);

/** `images/NAME/image.json` */
export const imageSchema = z.strictObject({
  $schema: z.string().optional(),
  name: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'expected a kebab-case name'),
  description: z.string().min(1),
  roles: z.array(z.string()).default([]),
  adminPort: z.number().int().min(1).max(65535).optional(),
  ports: z.record(z.string(), z.number().int().min(1).max(65535)).default({}),
  /** It can be told to answer requests with 421: `/storm` on its admin port. */
  storms: z.boolean().default(false),
  settings: z.array(setting).default([]),
  /** Setting whose value is the folder of what a node must find again when another version of the image takes its place. */
  keeps: z.string().optional(),
  /** Names of boolean settings, each a fix that can be switched off. */
  fixes: z.array(z.string()).default([]),
  variants: z.record(z.string(), variant).default({}),
  mutants: z.record(z.string(), mutant).default({}),
  /** How what a wrapped program says becomes events; in the form of a topology's adapters, which checks them. */
  adapters: z.array(z.record(z.string(), z.unknown())).default([]),
  /** A published image of the same content, preferred where its registry answers. */
  pull: z.string().optional(),
  build,
});

export type ImageDocument = z.infer<typeof imageSchema>;
export type BuildRecipe = ImageDocument['build'];
export type SettingDocument = ImageDocument['settings'][number];

/** What a topology needs to know of our images: a part of each `images/<name>/image.json`, handed in as plain data. */

import type { Scalar } from './schema.ts';

export interface SettingDescription {
  readonly name: string;
  /** Environment variable that carries it, `SQUALL_…`. */
  readonly env: string;
  /** boolean, integer, number, ratio, duration, bytes, port, choice, list or text. */
  readonly type: string;
  /** Unit of the number in the environment: ms, s, bytes, ratio … */
  readonly unit?: string | undefined;
  /** In the setting's unit; written into the environment as well, so that a reset leaves nothing of the trial before. */
  readonly default?: Scalar | undefined;
  readonly choices?: readonly string[] | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
}

export interface VariantDescription {
  readonly settings: Readonly<Record<string, Scalar>>;
}

export interface ImageDescription {
  readonly name: string;
  /** Roles that its nodes may have; empty, or with `*`: any. */
  readonly roles: readonly string[];
  readonly adminPort?: number | undefined;
  readonly ports?: Readonly<Record<string, number>> | undefined;
  readonly settings: readonly SettingDescription[];
  /** Adapters of the program that it wraps, as written. */
  readonly adapters?: readonly unknown[] | undefined;
  readonly variants: Readonly<Record<string, VariantDescription>>;
  readonly mutants: Readonly<Record<string, VariantDescription>>;
}

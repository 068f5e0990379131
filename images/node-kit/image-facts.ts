/** The part of image.json that a node needs of itself. */

export interface SettingFacts {
  readonly name: string;
  readonly env: string;
  readonly type: string;
  readonly unit?: string | undefined;
  readonly default?: string | number | boolean | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly choices?: readonly string[] | undefined;
}

type Variants = Readonly<
  Record<string, { readonly settings: Readonly<Record<string, string | number | boolean | undefined>> }>
>;

export interface ImageFacts {
  readonly name: string;
  readonly settings: readonly SettingFacts[];
  readonly variants: Variants;
  readonly mutants: Variants;
}

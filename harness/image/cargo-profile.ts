/**
 * What this environment changes of cargo's release profile (`CARGO_PROFILE_RELEASE_LTO=off`): another build of the same
 * version, which is not to be taken for the published one.
 */
export function cargoProfile(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): readonly (readonly [name: string, value: string])[] {
  return Object.entries(environment)
    .flatMap(([name, value]) =>
      /^CARGO_PROFILE_RELEASE_[A-Z_]+$/.test(name) && value !== undefined && /^[\w.-]+$/.test(value)
        ? [[name, value] as const]
        : [],
    )
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

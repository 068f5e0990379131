/** Settings of an image as the environment of a process. */
export type Settings = Readonly<Record<string, string | number | boolean>>;

interface Named {
  readonly name: string;
  readonly settings: readonly { readonly name: string; readonly env: string }[];
}

/** @throws Error for a setting that the image does not have */
export function environmentOf(image: Named, settings: Settings): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(settings).map(([setting, value]) => {
      const env = image.settings.find(({ name }) => name === setting)?.env;
      if (env === undefined) throw new Error(`${image.name}: has no setting "${setting}"`);
      return [env, String(value)];
    }),
  );
}

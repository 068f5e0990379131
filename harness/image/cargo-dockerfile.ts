/** A program behind the front, in an image that has it or is to get it from a rust container. */
export function cargoDockerfile(of: {
  /** The program's own image, or one with the libraries that it links to. */
  readonly base: string;
  /** Its name in the PATH of the image. */
  readonly program: string;
  readonly build?: {
    readonly rust: string;
    readonly crate: string;
    readonly version: string;
    readonly profile?: readonly (readonly [name: string, value: string])[];
  };
}): string {
  const { base, program, build } = of;
  return [
    ...(build
      ? [
          `FROM ${build.rust} AS build`,
          ...(build.profile ?? []).map(([name, value]) => `ENV ${name}=${value}`),
          `RUN ${JSON.stringify(['cargo', 'install', build.crate, '--version', build.version, '--locked', '--bin', program, '--root', '/out'])}`,
        ]
      : []),
    `FROM ${base}`,
    ...(build ? [`COPY --from=build /out/bin/${program} /usr/local/bin/${program}`] : []),
    'USER root',
    // A slim runtime has none; an image of one's own knows what it trusts.
    ...(build ? ['COPY certificates.crt /etc/ssl/certs/ca-certificates.crt'] : []),
    'COPY front threads.so /',
    `ENV SQUALL_PROGRAM=${program}`,
    'ENTRYPOINT ["/front"]',
    'CMD []',
    '',
  ].join('\n');
}

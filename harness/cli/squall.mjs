#!/usr/bin/env node
// The command's entry in plain JavaScript: it registers the TypeScript loader, then hands over to main.ts.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `squall: Node.js ${process.version} is too old; expected 20.19 or newer. Install it and run this again.\n`,
  );
  process.exitCode = 4;
} else {
  const { register } = await import('tsx/esm/api');
  register();
  const { main } = await import('./main.ts');
  await main(process.argv.slice(2));
}

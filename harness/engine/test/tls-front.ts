import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { identityOf, issueCertificate } from '../../identity/index.ts';

/** A TLS listener before an engine's socket that asks callers for a certificate. */
export interface TlsFront extends AsyncDisposable {
  readonly endpoint: string;
  /** Folder with ca.pem, cert.pem and key.pem of a caller that is let in. */
  readonly certificates: string;
  /** A DOCKER_CONFIG whose current context is this engine, with copies of the certificates. */
  readonly dockerConfig: string;
}

/** The engine behind `socket` over TCP with TLS, as a remote one is reached. */
export async function startTlsFront(socket: string): Promise<TlsFront> {
  const authority = { commonName: 'test authority', key: identityOf('tls', 'authority').ed25519 };
  const ca = issueCertificate({ ...authority, authority: true });
  const issue = (name: string, hosts: readonly string[]) =>
    issueCertificate({ commonName: name, key: identityOf('tls', name).ed25519, hosts, issuer: authority });
  const [own, client] = [issue('engine', ['127.0.0.1']), issue('client', ['client'])];
  const pem = { 'ca.pem': ca.pem, 'cert.pem': client.pem, 'key.pem': client.keyPem };
  const folder = mkdtempSync(join(tmpdir(), 'squall-tls-'));
  const certificates = join(folder, 'certificates');
  writeAll(certificates, pem);
  const server = createServer(
    {
      key: own.keyPem,
      cert: own.pem,
      ca: ca.pem,
      requestCert: true,
      allowHalfOpen: true,
      rejectUnauthorized: true,
    },
    (caller) => {
      const engine = connect({ path: socket, allowHalfOpen: true });
      caller.pipe(engine).pipe(caller);
      for (const side of [caller, engine]) {
        side.on('error', () => {
          caller.destroy();
          engine.destroy();
        });
      }
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const dockerConfig = join(folder, 'config');
  const id = createHash('sha256').update('lab').digest('hex');
  const meta = { Name: 'lab', Endpoints: { docker: { Host: endpoint } } };
  writeAll(join(dockerConfig, 'contexts', 'meta', id), { 'meta.json': JSON.stringify(meta) });
  writeAll(join(dockerConfig, 'contexts', 'tls', id, 'docker'), pem);
  writeAll(dockerConfig, { 'config.json': JSON.stringify({ currentContext: 'lab' }) });
  return {
    endpoint,
    certificates,
    dockerConfig,
    async [Symbol.asyncDispose]() {
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function writeAll(folder: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

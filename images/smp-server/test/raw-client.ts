import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { x25519Key } from '../../../harness/identity/index.ts';
import {
  ALPN,
  BlockStream,
  BoxKey,
  encodeBlock,
  encodeClientHello,
  errorText,
  NOTHING,
  openSignedKey,
  parseBlock,
  parseServerHello,
  parseServerMessage,
  type ServerAddress,
  type ServerHello,
  TLS_OPTIONS,
} from '../../smp-kit/index.ts';

/** A client that may send whatever it likes. */
export class RawClient {
  readonly stream: BlockStream;
  readonly hello: ServerHello;
  readonly #socket: Socket;

  private constructor(socket: Socket, stream: BlockStream, hello: ServerHello) {
    this.#socket = socket;
    this.stream = stream;
    this.hello = hello;
  }

  /** Through TLS and the server's hello. */
  static async connect({ hosts, port }: ServerAddress): Promise<RawClient> {
    const options = {
      host: hosts[0] ?? '',
      port: Number(port),
      ALPNProtocols: [ALPN],
      rejectUnauthorized: false,
    };
    const socket = connectTls({ ...TLS_OPTIONS, ...options });
    const stream = new BlockStream(socket);
    const hello = parseServerHello((await stream.next()) ?? NOTHING);
    if (!hello) throw new Error(`no hello: ${await stream.closed}`);
    return new RawClient(socket, stream, hello);
  }

  /** And through the client's own hello; as a proxy with the box that the relay then has too. */
  static async join(address: ServerAddress, asProxy = false): Promise<RawClient & { box?: BoxKey }> {
    const client: RawClient & { box?: BoxKey } = await RawClient.connect(address);
    const own = x25519Key(Buffer.alloc(32, 77));
    const { fingerprint } = address;
    const serverKey = openSignedKey(client.hello.chain, client.hello.signedKey, fingerprint) ?? NOTHING;
    if (asProxy) client.box = new BoxKey(own, serverKey);
    const clientKey = asProxy ? own.publicKey : undefined;
    client.stream.send(encodeClientHello({ version: 10, fingerprint, clientKey }));
    return client;
  }

  /** What the server says to a transmission: the error, or the tag of another answer. */
  async ask(
    content: string | Uint8Array,
    more: Partial<Record<'authorization' | 'correlationId' | 'entityId', Uint8Array>> = {},
  ) {
    const transmission = {
      authorization: NOTHING,
      correlationId: Buffer.alloc(24, 3),
      entityId: NOTHING,
      ...more,
    };
    return await this.askBlock(encodeBlock([{ ...transmission, content: Buffer.from(content) }]));
  }

  /** Sends a transmission, and reads no answer. */
  tell(content: Uint8Array): void {
    const correlationId = Buffer.alloc(24, 5);
    this.stream.send(encodeBlock([{ authorization: NOTHING, correlationId, entityId: NOTHING, content }]));
  }

  async askBlock(block: Uint8Array): Promise<string> {
    this.stream.send(block);
    const answer = parseBlock((await this.stream.next()) ?? NOTHING)?.[0];
    const message = parseServerMessage(answer?.content ?? NOTHING);
    if (typeof message === 'string') return `no answer: ${await this.stream.closed}`;
    return message.tag === 'ERR' ? errorText(message.error) : message.tag;
  }

  /** Says nothing more, in order; the server notices the end. */
  async end(last: Uint8Array = NOTHING): Promise<string> {
    this.#socket.end(last);
    return await this.stream.closed;
  }

  close(): void {
    this.stream.close('the client ends');
  }
}

/** Bytes to a server without any TLS, and then whatever it does until it cuts the connection. */
export async function sendPlain({ hosts, port }: ServerAddress, bytes: Uint8Array): Promise<string> {
  const socket = connectTcp({ host: hosts[0] ?? '', port: Number(port) });
  socket.on('error', () => socket.destroy());
  socket.resume();
  socket.write(bytes);
  await once(socket, 'close');
  return 'closed';
}

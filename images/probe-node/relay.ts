import { once } from 'node:events';
import { createServer, type TLSSocket } from 'node:tls';
import { identityOf, selfSigned } from '../../harness/identity/index.ts';
import type { NodeContext, RunningNode } from '../node-kit/index.ts';
import { type Frame, onFrames, writeFrame } from './frames.ts';

/** Takes messages over TLS, answers, and hands them to the client they are for, at once or when it comes. */
export async function startRelay(node: NodeContext): Promise<RunningNode> {
  const certificate = selfSigned(identityOf(node.seed, node.name));
  const chance = node.chance('misbehaviour');
  const [loseRatio, doubleRatio] = [node.settings.number('loseRatio'), node.settings.number('doubleRatio')];
  const connected = new Map<string, TLSSocket>();
  const waiting = new Map<string, Set<string>>();
  const answers: Record<string, number> = {};
  let storm = false;

  const keep = (message: string, to: string): void => {
    const kept = waiting.get(to) ?? new Set();
    waiting.set(to, kept.add(message));
    node.clock.after(node.settings.number('expiryMs'), () => {
      if (kept.delete(message)) node.emit('message.expired', { message, to });
    });
  };
  const deliver = (message: string, to: string): void => {
    const socket = connected.get(to);
    if (socket?.writable) writeFrame(socket, { kind: 'deliver', message });
    else keep(message, to);
  };
  const take = ({ id, message, to }: Frame & { kind: 'send' }): Frame => {
    const status = storm ? 421 : 200;
    answers[status] = (answers[status] ?? 0) + 1;
    if (!storm && chance.next() >= loseRatio) {
      deliver(message, to);
      if (chance.next() < doubleRatio) deliver(message, to);
    }
    return { kind: 'answer', id, status };
  };

  const server = createServer({ cert: certificate.pem, key: certificate.keyPem }, (socket) => {
    let client: string | undefined;
    node.emit('client.connected', { from: socket.remoteAddress });
    onFrames(socket, (frame) => {
      if (frame.kind === 'send') writeFrame(socket, take(frame));
      if (frame.kind !== 'hello') return;
      client = frame.client;
      connected.set(client, socket);
      for (const message of waiting.get(client) ?? []) writeFrame(socket, { kind: 'deliver', message });
      waiting.delete(client);
    });
    socket.on('error', (error) => node.log(`client ${client}: ${error.message}`));
    socket.on('close', () => {
      if (client !== undefined && connected.get(client) === socket) connected.delete(client);
    });
  });
  server.listen(node.settings.number('port'), node.address);
  await once(server, 'listening');

  return {
    state: () => ({
      fingerprint: certificate.fingerprint,
      clients: connected.size,
      kept: [...waiting.values()].reduce((sum, kept) => sum + kept.size, 0),
      answers: { ...answers },
      storm,
    }),
    handlers: {
      'POST /storm': (body) => {
        storm = (body as { on?: unknown } | undefined)?.on === true;
        node.emit(storm ? 'storm.began' : 'storm.ended', {});
        return { status: 200, body: { storm, answers: { ...answers } } };
      },
    },
    stop: async () => {
      server.close();
      for (const socket of connected.values()) socket.destroy();
    },
  };
}

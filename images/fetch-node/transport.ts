import { createServer, type Server, type Socket, connect as tcpConnect } from 'node:net';
import { connect as tlsConnect, createServer as tlsCreateServer } from 'node:tls';
import { fingerprint, type IssuedCertificate, identityOf, selfSigned } from '../../harness/identity/index.ts';
import type { Peer } from './peer-book.ts';

/** How nodes reach each other: bare TCP, or TLS in which a holder proves its name. */
export interface Transport {
  listen(onSocket: (socket: Socket) => void): Server;
  /** @param onOpen the connection stands, and it is the peer that was meant */
  connect(peer: Peer, localAddress: string, onOpen: () => void): Socket;
}

export const tcpTransport: Transport = {
  listen: (onSocket) => createServer(onSocket),
  connect: ({ host, port }, localAddress, onOpen) => tcpConnect({ host, port, localAddress }, onOpen),
};

/** Certificates follow from the run's seed and the node's name, so that everybody knows whom to expect. */
export function tlsTransport(seed: string, ownName: string): Transport {
  const certificates = new Map<string, IssuedCertificate & { readonly fingerprint: string }>();
  const certificateOf = (name: string) => {
    const known = certificates.get(name) ?? selfSigned(identityOf(seed, name));
    certificates.set(name, known);
    return known;
  };
  return {
    listen: (onSocket) => {
      const { pem, keyPem } = certificateOf(ownName);
      const server = tlsCreateServer({ cert: pem, key: keyPem, minVersion: 'TLSv1.3' }, onSocket);
      // Whoever does not get through the handshake has no name yet, and nothing is owed to it.
      server.on('tlsClientError', (_error, socket) => socket.destroy());
      return server;
    },
    connect: ({ name, host, port }, localAddress, onOpen) => {
      const options = { host, port, localAddress, rejectUnauthorized: false, minVersion: 'TLSv1.3' } as const;
      const socket = tlsConnect(options, () => {
        const { raw } = socket.getPeerCertificate();
        if (raw && fingerprint(raw) === certificateOf(name).fingerprint) onOpen();
        else socket.destroy(new Error('another certificate'));
      });
      return socket;
    },
  };
}

import { connect } from 'node:net';

/** A healed port takes a connection within this time (incident 10). */
const CONNECT_WITHIN_MS = 1_000;

/** Why a new connection could not be made, or undefined when one was. It is closed at once, and sends nothing. */
export function connectProblem(address: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port });
    const finish = (problem: string | undefined) => {
      socket.destroy();
      resolve(problem);
    };
    socket.setTimeout(CONNECT_WITHIN_MS, () => finish(`none within ${CONNECT_WITHIN_MS} ms`));
    socket.once('connect', () => finish(undefined));
    socket.once('error', (error) => finish(error.message));
  });
}

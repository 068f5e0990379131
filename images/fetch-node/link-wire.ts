import type { FetchWire } from './fetch-worker.ts';
import type { PeerLink } from './peer-link.ts';

/** Fetches over the links to peers. What ends with the connection is lost, and says so. */
export function linkWire(linkTo: (name: string) => PeerLink | undefined): FetchWire {
  return {
    fetch: ({ key, source, pastSilence }, { answered, lost }) => {
      const link = linkTo(source);
      if (!link) {
        lost('connection: no such peer');
        return () => undefined;
      }
      return link.ask(
        { kind: 'fetch', key, pastSilence },
        {
          answered: (answer, payload) => {
            if (answer.kind === 'chunk') answered({ kind: 'chunk', bytes: payload });
            else if (answer.kind === 'error' || answer.kind === 'busy' || answer.kind === 'not-found')
              answered(answer);
            else answered({ kind: 'error', reason: `answered with ${answer.kind}` });
          },
          lost: (reason) => lost(`connection: ${reason}`),
        },
      );
    },
  };
}

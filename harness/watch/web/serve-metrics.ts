import { OPEN_METRICS_TYPE, openMetrics } from '../open-metrics.ts';
import { closeServer, isLoopbackHost, LOOPBACK, listenOnLoopback } from './loopback-server.ts';
import type { Watched } from './serve-watch.ts';

export interface MetricsServer extends AsyncDisposable {
  readonly url: string;
}

/** `GET /metrics` on loopback, for a Prometheus of this machine. @throws SquallError `watch-port-taken` (input) */
export async function serveMetrics(
  watched: Watched,
  options: { readonly port: number; readonly nowNs: () => number },
): Promise<MetricsServer> {
  let port = 0;
  const listening = await listenOnLoopback(options.port, (request, response) => {
    const found = request.method === 'GET' && (request.url ?? '').replace(/\?.*$/, '') === '/metrics';
    if (!isLoopbackHost(request.headers.host, port) || !found) {
      response.writeHead(found ? 403 : 404, { 'content-type': 'text/plain; charset=utf-8' });
      response.end('GET /metrics is answered, to programs of this machine.\n');
      return;
    }
    const running = watched.running.map((story) => story.view(options.nowNs()));
    response.writeHead(200, { 'content-type': OPEN_METRICS_TYPE, 'cache-control': 'no-store' });
    response.end(openMetrics(watched.view(), running));
  });
  port = listening.port;
  return {
    url: `http://${LOOPBACK}:${port}/metrics`,
    [Symbol.asyncDispose]: () => closeServer(listening.server),
  };
}

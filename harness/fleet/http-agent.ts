import { Agent as HttpAgent } from 'node:http';
import { type AgentOptions, Agent as HttpsAgent } from 'node:https';

/** Agents whose connections come from one client's address, for `http.request` and `https.request`. */
export function agentFor(
  address: string,
  options: AgentOptions = {},
): { readonly http: HttpAgent; readonly https: HttpsAgent; destroy(): void } {
  const http = new HttpAgent({ keepAlive: true, ...options, localAddress: address });
  const https = new HttpsAgent({ keepAlive: true, ...options, localAddress: address });
  return {
    http,
    https,
    destroy: () => {
      http.destroy();
      https.destroy();
    },
  };
}

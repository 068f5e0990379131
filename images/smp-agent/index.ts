/**
 * smp-agent: the SimpleX agent under test, and what a suite needs to know about it beforehand.
 *
 *   firstPick({seed, agent, destination, proxies}) ─▶ the proxy that an agent tries first; pickStream, pickProxy: the later ones
 *   parseLink · encodeLink                         ─▶ an invitation, to be looked into or changed
 *
 * The agent itself is the image of this folder (`image.json`, `main.ts`). Not here: servers and proxies (images/smp-server),
 * the protocol (images/smp-kit), scenarios (suites/smp).
 */
export { encodeLink, type Link, parseLink } from './link.ts';
export { firstPick, pickProxy, pickStream } from './pick-proxy.ts';

/** The one Toxiproxy server of a bed. */
export interface ToxiproxyServer {
  readonly containerId: string;
  /** On the bed's network, where redirected traffic goes. */
  readonly address: string;
}

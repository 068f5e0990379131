import { type ConnectOptions, connectEngine } from './connect-engine.ts';
import type { Engine, EngineInfo } from './types.ts';

/** How another process reaches an engine that this one has found, whatever its own environment says. */
export interface EngineAddress {
  readonly endpoint: string;
  /** Over TLS: absolute folder of the certificates, which may be a context's and stand in no environment. */
  readonly certificatesDir?: string;
}

export function engineAddress({ endpoint, certificatesDir }: EngineInfo): EngineAddress {
  return { endpoint, ...(certificatesDir !== undefined && { certificatesDir }) };
}

/** Connects to the engine at an address that was handed over. @throws SquallError as `connectEngine` */
export function connectTo(
  { endpoint, certificatesDir }: EngineAddress,
  options: Pick<ConnectOptions, 'origin' | 'signal'> = {},
): Promise<Engine> {
  return connectEngine(endpoint, {
    ...options,
    ...(certificatesDir !== undefined && { certificatesDir, tls: true }),
  });
}

/** The address as programs take it that read DOCKER_HOST and its kin. */
export function addressEnvironment({ endpoint, certificatesDir }: EngineAddress): Record<string, string> {
  return {
    DOCKER_HOST: endpoint,
    ...(certificatesDir !== undefined && { DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: certificatesDir }),
  };
}

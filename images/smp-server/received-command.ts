import type { X25519Key } from '../../harness/identity/index.ts';
import {
  type Command,
  type CommandError,
  isAuthorizationSize,
  parseCommand,
  type ReceivedTransmission,
  type ServerMessage,
  SIZE,
  type SmpError,
} from '../smp-kit/index.ts';

/** A command with what it was authorized by. */
export interface ReceivedCommand {
  readonly command: Command;
  readonly transmission: ReceivedTransmission;
  /** The session that its authorization names, and the server's key in it. */
  readonly session: { readonly sessionId: Uint8Array; readonly serverKey: X25519Key };
}

/** @returns the command, or what its sender is to be told */
export function receiveCommand(
  transmission: ReceivedTransmission,
  session: ReceivedCommand['session'],
): ReceivedCommand | SmpError {
  const isWellFormed =
    isAuthorizationSize(transmission.authorization.length) &&
    transmission.correlationId.length === SIZE.correlationId;
  if (!isWellFormed) return { tag: 'BLOCK' };
  const command = parseCommand(transmission.content);
  const problem = typeof command === 'string' ? command : credentialProblem(command, transmission);
  if (problem !== undefined || typeof command === 'string') {
    return { tag: 'CMD', command: problem ?? 'SYNTAX' };
  }
  return { command, transmission, session };
}

/** Whether the command came with the authorization and the entity that its kind needs, and with none that it may not have. */
function credentialProblem(
  { tag }: Command,
  { authorization, entityId }: ReceivedTransmission,
): CommandError | undefined {
  const isAuthorized = authorization.length > 0;
  const hasEntity = entityId.length > 0;
  switch (tag) {
    case 'NEW':
      if (!isAuthorized) return 'NO_AUTH';
      return hasEntity ? 'HAS_AUTH' : undefined;
    case 'SEND':
      return hasEntity ? undefined : 'NO_ENTITY';
    case 'PFWD':
      if (!hasEntity) return 'NO_ENTITY';
      return isAuthorized ? 'HAS_AUTH' : undefined;
    case 'PING':
    case 'PRXY':
    case 'RFWD':
      return isAuthorized || hasEntity ? 'HAS_AUTH' : undefined;
    default:
      return isAuthorized && hasEntity ? undefined : 'NO_AUTH';
  }
}

export function refusal(error: SmpError): ServerMessage {
  return { tag: 'ERR', error };
}

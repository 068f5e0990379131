import {
  ACCESS,
  DURATION,
  isOpenToRead,
  isPublicInbox,
  isPublicOutbox,
  isUnrevocable,
  type RetrieveRequest,
  SIZE,
  type StoreRequest,
  signedText,
} from '../session-kit/index.ts';
import { type AccountHandler, type Carrier, refusal } from './account-handler.ts';
import { messageHash } from './message.ts';
import { isAuthorized } from './verify.ts';

export const storeHandler: AccountHandler<StoreRequest> = {
  refuse: (request, carrier) => {
    const { namespace, timestampMs, expiryMs, authorization } = request;
    const ttlMs = expiryMs - timestampMs;
    const maxMs = isPublicInbox(namespace) ? DURATION.ttlMaxMs : DURATION.ttlMaxPrivateMs;
    if (ttlMs < DURATION.ttlMinMs || ttlMs > maxMs) return refusal(403, 'Provided expiry/TTL is not valid.');
    const tooEarly = timestampMs > carrier.nowMs + DURATION.storeToleranceMs;
    if (tooEarly || expiryMs < carrier.nowMs - DURATION.storeToleranceMs)
      return refusal(406, 'Timestamp error: check your clock');
    if (isPublicInbox(namespace)) return undefined;
    if (!authorization) return refusal(401, `store: signature required to store to namespace ${namespace}`);
    if (Math.abs(authorization.signedAtMs - carrier.nowMs) > toleranceMs(carrier))
      return refusal(406, 'store signature timestamp too far from current time');
    const access = isPublicOutbox(namespace) ? ACCESS.write | ACCESS.delete : ACCESS.write;
    return mayBeDone(request, carrier, access)
      ? undefined
      : refusal(401, 'store signature verification failed');
  },
  act: (request, carrier) => {
    const { account, namespace, timestampMs, expiryMs, data } = request;
    const hash = messageHash(account, namespace, data);
    const kept = carrier.store.put({ account: account.id, namespace, hash, timestampMs, expiryMs, data });
    if (!kept) return { failed: true, query_failure: true, reason: 'no room for more messages' };
    if (kept.isNew) carrier.stored(hash, request);
    return {
      hash,
      signature: carrier.sign(Buffer.from(hash)),
      expiry: kept.expiryMs,
      ...(kept.isNew ? {} : { already: true }),
    };
  },
};

export const retrieveHandler: AccountHandler<RetrieveRequest> = {
  refuse: (request, carrier) => {
    const { authorization, namespace } = request;
    if (!authorization)
      return isOpenToRead(namespace) ? undefined : refusal(401, 'retrieve: request signature required');
    if (Math.abs(authorization.timestampMs - carrier.nowMs) > DURATION.signatureToleranceMs)
      return refusal(406, 'retrieve timestamp too far from current time');
    return mayBeDone(request, carrier, ACCESS.read)
      ? undefined
      : refusal(401, 'retrieve signature verification failed');
  },
  act: ({ account, namespace, lastHash, maxCount, maxSizeBytes }, { store }) => {
    const { messages, more } = store.retrieve(account.id, namespace, {
      lastHash,
      maxCount: maxCount !== undefined && maxCount > 0 ? maxCount : Number.POSITIVE_INFINITY,
      maxSizeBytes: sizeLimit(maxCount, maxSizeBytes),
    });
    return {
      messages: messages.map(({ hash, timestampMs, expiryMs, data }) => ({
        hash,
        timestamp: timestampMs,
        expiration: expiryMs,
        data: data.toString('base64'),
      })),
      more,
    };
  },
};

/** Neither limit given: a fifth of the most there is; negative: that part of it. */
function sizeLimit(maxCount: number | undefined, maxSizeBytes: number | undefined): number {
  const given = maxSizeBytes || (maxCount ? SIZE.retrieveMaxBytes : -5);
  if (given < 0) return Math.floor(SIZE.retrieveMaxBytes / -given);
  return Math.min(given, SIZE.retrieveMaxBytes);
}

/** A request that was handed on has been under way a little longer. */
export function toleranceMs({ forwarded }: Carrier): number {
  return forwarded ? DURATION.signatureToleranceForwardedMs : DURATION.signatureToleranceMs;
}

function mayBeDone(request: StoreRequest | RetrieveRequest, { store }: Carrier, access: number): boolean {
  const { account, authorization, namespace } = request;
  const text = signedText(request);
  if (!authorization || !text) return false;
  const isRevoked = (token: Buffer): boolean =>
    !(access === ACCESS.read && isUnrevocable(namespace)) && store.isRevoked(account.id, token);
  return isAuthorized({ account, authorization, text, access, isRevoked });
}

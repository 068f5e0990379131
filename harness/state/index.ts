/**
 * state: what outlives one process of Squall on this machine.
 *
 *     state directory ─▶ locks (who: pid + start time) ─▶ ledger of changes to the host
 *
 * Defaults: root keeps state in /var/lib/squall, anyone else in $XDG_STATE_HOME/squall or ~/.local/state/squall;
 * SQUALL_STATE_HOME overrides both. Locks of dead owners are taken over; a recycled pid does not fool them.
 * Not here: what is kept per run (record) and the engine's own files (engine).
 */
export { Ledger, type LedgerEntry, type NewLedgerEntry } from './ledger.ts';
export { acquireLock, type HeldLock, type LockOptions, readLockOwner, tryLock } from './lock.ts';
export { isAlive, type ProcessIdentity, processIdentity, selfIdentity } from './process-identity.ts';
export { stateHome } from './state-home.ts';

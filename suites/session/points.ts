/** The suite's variants and mutants, read from the images that have them. */
import client from '../../images/session-client/image.json' with { type: 'json' };
import storage from '../../images/session-storage/image.json' with { type: 'json' };

/** What the document and its discussion went through, oldest first. */
export const VARIANTS = Object.keys(client.variants);

export const CLIENT_MUTANTS: readonly string[] = Object.keys(client.mutants);
export const STORAGE_MUTANTS: readonly string[] = Object.keys(storage.mutants);
export const MUTANTS: readonly string[] = [...CLIENT_MUTANTS, ...STORAGE_MUTANTS];

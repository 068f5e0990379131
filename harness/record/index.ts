/** record: the run record's shapes, reading and writing; the only room that acting and judging share. */
export * from './types.ts';

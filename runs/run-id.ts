import { randomBytes } from 'node:crypto';

/** A readable, unique run id: `ingest-2026-11-21-a7f3c09b`, with the date in UTC, so that ids of all hosts sort alike. */
export const newRunId = (pipeline: string, at: Date = new Date()): string =>
  `${pipeline}-${at.toISOString().slice(0, 10)}-${randomBytes(4).toString('hex')}`;

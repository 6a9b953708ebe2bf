import { randomBytes } from 'node:crypto';

/** A readable, unique run id: `ingest-2026-11-21-a7f3`, with the local date. */
export const newRunId = (pipeline: string, at: Date = new Date()): string => {
  const day = `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, '0')}-${String(at.getDate()).padStart(2, '0')}`;
  return `${pipeline}-${day}-${randomBytes(2).toString('hex')}`;
};

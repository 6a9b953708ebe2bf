import { z } from 'zod';
import { serviceNames } from '../../contracts/index.ts';

const byService = (what: string) => z.record(z.enum(serviceNames), z.string()).describe(what);

/** `portolan dev`: what `.portolan/dev.json` says. */
export const devReady = z.strictObject({
  version: z.literal(1),
  pid: z.int(),
  startTime: z.string(),
  temporal: z.strictObject({
    address: z.string(),
    namespace: z.string(),
    uiUrl: z.string().optional(),
    source: z.string().describe('Where the server comes from; `cluster`: a configured one.'),
    forced: z.boolean().describe('Asked for by name.'),
    pid: z.int().optional(),
  }),
  service: z.strictObject({
    url: z.string(),
    keyFiles: byService('File of the admin key of each API.'),
    control: z.boolean().describe('Whether faults, limits and the journal can be asked for.'),
    embedding: z.string().optional(),
    pid: z.int(),
    startTime: z.string(),
  }),
  worker: z.strictObject({ pid: z.int(), startTime: z.string() }).optional(),
  startedAt: z.string().describe('ISO 8601.'),
});

/** `portolan dev --stop`. */
export const devStopped = z.strictObject({ stopped: z.boolean().describe('False where none ran here.') });

/** `portolan dev --reset`. */
export const devReset = z.strictObject({ removed: z.array(z.string()).describe('Paths from the current folder.') });

/** `portolan service keys create`. */
export const serviceKey = z.strictObject({ key: z.string().describe('A secret, said this once.') });

/** `portolan service`, when it listens. */
export const serviceReady = z.strictObject({
  url: z.string(),
  adminKeys: byService('Admin key of each API: a secret.'),
  keyFiles: byService('File that holds it.'),
  pid: z.int(),
});

/** A line of `portolan doctor --probe`. */
export const readingLine = z.strictObject({
  name: z.string().describe('Assumption: docs/assumptions.md.'),
  reading: z.string().optional(),
  unknown: z.string().optional().describe('Why it cannot be known.'),
});

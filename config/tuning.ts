import { z } from 'zod';
import type { Readings } from '../contracts/assumptions/index.ts';
import { readingsSchema } from '../contracts/assumptions/schema.ts';
import { batches, batchesOf, type Batches } from '../contracts/maps/batches.ts';

const batchSchema = z
  .strictObject(
    Object.fromEntries(
      Object.entries(batches).map(([name, { most, of }]) => [name, z.int().positive().optional().describe(`Most ${of}; default ${most}.`)]),
    ) as { [Name in keyof Batches]: z.ZodOptional<z.ZodInt> },
  )
  .describe('Largest calls that the service takes, where they are smaller than is assumed.');

/** How a service that the texts leave open behaves: fields of a connection. */
export const tuningFields = {
  settleMs: z
    .int()
    .min(0)
    .max(600_000)
    .optional()
    .describe('How long after its sending a request can still take effect, in milliseconds; default 75000, on this machine 1000.'),
  lagMs: z
    .int()
    .min(0)
    .max(600_000)
    .optional()
    .describe('How long counts and reads may lag behind an answered write, in milliseconds; default 60000, on this machine 5000.'),
  batch: batchSchema.optional(),
  readings: readingsSchema
    .optional()
    .describe('How the service fills gaps of its text (portolan docs assumptions); portolan doctor --probe finds them.'),
  names: z
    .record(z.string().min(1), z.string().min(1))
    .optional()
    .describe('What the service calls a model or projection, by the name that the text gives it.'),
};

/** What a step knows of how the service of its connection behaves. */
export type Tuning = {
  /** How long after its sending a request can still take effect, in milliseconds. */
  settleMs: number;
  /** How long counts and reads may lag behind an answered write, in milliseconds. */
  lagMs: number;
  batch: Batches;
  /** Readings that the configuration names. */
  readings: Partial<Readings>;
  /** Names of models and projections at the service, by those of the text. */
  names: { [name: string]: string };
};

type Given = { [Name in keyof typeof tuningFields]?: z.output<(typeof tuningFields)[Name]> };

export const tuningOf = ({ settleMs, lagMs, batch, readings = {}, names = {} }: Given, hosted: boolean): Tuning => ({
  // A client gives up after 60 s, and what stands between it and the service a little later. The local service has nothing between.
  settleMs: settleMs ?? (hosted ? 75_000 : 1_000),
  lagMs: lagMs ?? (hosted ? 60_000 : 5_000),
  batch: batchesOf(batch),
  readings,
  names,
});

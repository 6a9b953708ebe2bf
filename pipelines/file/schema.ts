import { z } from 'zod';
import { slugPattern, slugRule } from '../../text/slug.ts';
import { endStatuses } from '../plan.ts';
import { durationPattern, durationRule } from '../../text/duration.ts';

/** Names that expressions refer to: steps and params. A hyphen would be a minus sign in `steps.my-step`. */
const words = /^[A-Za-z][A-Za-z0-9_]*$/;
const reserved = new Set(['true', 'false', 'null', 'in', 'constructor', 'prototype']);
const name = z
  .string()
  .max(64, 'a name has at most 64 characters')
  .regex(words, 'a name begins with a letter and has letters, digits and underscores only, so that expressions can refer to it')
  .refine((value) => !reserved.has(value), { error: 'a reserved word cannot be a name' });

/** Nothing refers to an output by its name: it is a label of the result. */
const label = z.string().regex(/^\S(.{0,98}\S)?$/, 'a label of at most 100 characters on one line');

export const duration = z.string().regex(durationPattern, durationRule);

const share = z.string().regex(/^(100|\d{1,2})(\.\d+)?%$/, 'a share such as 1% or 0.5%');

const threshold = z.union([share, z.int().min(0)]);

/** Ends of a step after which another one starts. */
const accepted = z.union([z.literal('any'), z.enum(endStatuses), z.array(z.enum(endStatuses)).min(1, 'name an end, or write any')]);

export const paramTypes = ['path', 'slug', 'string', 'integer', 'number', 'boolean'] as const;

export const param = z
  .strictObject({
    type: z
      .enum(paramTypes)
      .describe('`path` is resolved against the folder of the file; `slug` is lower-case letters, digits and single hyphens.'),
    default: z
      .union([z.string(), z.number(), z.boolean()])
      .optional()
      .describe('Value where the run gives none. Without it the parameter is required.'),
    description: z.string().optional(),
  })
  .describe('A value that a run may set: `--param name=value`.');

export const step = z
  .strictObject({
    use: z.string().min(1).describe('Name of the step, such as `dataset.ensure`.'),
    with: z.record(z.string(), z.unknown()).default({}).describe('Input of the step. Values may hold `${{ }}` expressions.'),
    needs: z
      .union([z.array(z.string()), z.record(z.string(), accepted)])
      .optional()
      .describe(
        'Steps that must have ended first, beside those that are referred to. A list: this step starts where they are done or their failure is tolerated. By id: the ends under which it starts, or `any`.',
      ),
    when: z
      .union([z.boolean(), z.string()])
      .optional()
      .describe('An expression that gives true or false, read when the needs have ended. Where it gives false the step is skipped.'),
    onError: z.enum(['fail', 'tolerate']).optional().describe('`tolerate`: the run goes on where this step fails. Default: `fail`.'),
    tolerate: z
      .record(z.string(), threshold)
      .optional()
      .describe('Items that may end so without failing the step, by status: a share of all (`1%`) or a count.'),
    timeout: duration
      .optional()
      .describe('Longest time of the whole step, waiting for limits included; also of the look at its sources before the run.'),
    window: z.int().min(1).max(100).optional().describe('Chunks in flight at a time; only for steps that work in chunks.'),
  })
  .describe('One step of the pipeline.');

/** A pipeline file: what is checked, what editors complete, what the reference shows. */
export const pipelineFile = z
  .strictObject({
    name: z.string().regex(slugPattern, slugRule).max(64).describe('Name of the pipeline; runs are named after it.'),
    description: z.string().optional(),
    params: z.record(name, param).default({}).describe('Parameters by name, referred to as `${{ params.NAME }}`.'),
    connection: z
      .string()
      .min(1)
      .optional()
      .describe('Connection of `portolan.config.mts` that the steps use, unless the run names another.'),
    steps: z
      .record(name, step)
      .refine((steps) => Object.keys(steps).length > 0, { error: 'a pipeline has at least one step' })
      .describe('Steps by id. Order follows from references and `needs`.'),
    outputs: z.record(label, z.unknown()).default({}).describe('What the run gives back, by name.'),
    concurrency: z
      .string()
      .min(1)
      .max(200)
      .nullable()
      .optional()
      .describe(
        'What only one run may hold at a time. Default: connection and slug of the dataset that the first `dataset.ensure` names; null: nothing.',
      ),
  })
  .describe('A pipeline of Portolan.');

export type PipelineFile = z.output<typeof pipelineFile>;
export type PipelineInput = z.input<typeof pipelineFile>;
export type ParamType = (typeof paramTypes)[number];

/** `1%` is a share of 0.01, 10 a count. */
export const toThreshold = (value: string | number): { share: number } | { count: number } =>
  typeof value === 'number' ? { count: value } : { share: Number(value.slice(0, -1)) / 100 };

import type { z } from 'zod';
import type { Json } from '../../text/json.ts';
import type { PipelineFile } from '../file/schema.ts';
import type { Concurrency } from '../lock.ts';
import type { StepOrLoop } from '../step.ts';
import type { AnalysedStep } from './analysed-step.ts';

export type AnalyseOptions = {
  /** Every step there is, by name. */
  steps: Readonly<Record<string, StepOrLoop>>;
  /** Values of parameters by name; text is read by the type of the parameter. */
  params?: Readonly<Record<string, unknown>>;
  /** The environment of the file that the run takes. */
  environment?: string;
  /** Folder that relative paths resolve against. */
  baseDir: string;
  /** Parameters whose values nobody knows before the run, so that their defaults do not count either: these, or all. */
  open?: 'all' | readonly string[];
};

export type Analysis = {
  file: PipelineFile;
  steps: AnalysedStep[];
  /** What takes steps back. */
  undo: AnalysedStep[];
  params: { [name: string]: Json };
  required: string[];
  outputs: { [name: string]: Json };
  /** What each output is, where it is an output of a step. */
  gives: { [name: string]: z.ZodType };
  /** What the file says of the key; `null`: the run holds none. */
  concurrency: Partial<Concurrency> | null;
  /** Connection that the file names, for its environment or for all. */
  connection: string | undefined;
};

/** The steps of a file, and those that take them back. */
export const allSteps = ({ steps, undo }: Pick<Analysis, 'steps' | 'undo'>): AnalysedStep[] => [...steps, ...undo];

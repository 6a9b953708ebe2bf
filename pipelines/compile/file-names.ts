import { z } from 'zod';
import type { FlatStep } from '../file/flat-steps.ts';
import { reach } from '../file/reach.ts';
import type { PipelineFile } from '../file/schema.ts';
import { typed } from '../own/operation-step.ts';
import { loop } from '../steps/loop.ts';
import type { Step, StepOrLoop } from '../step.ts';
import type { Json } from '../../text/json.ts';
import type { Misplaced } from './misplaced.ts';
import type { Names } from './names.ts';

type Of = {
  value: Json;
  file: PipelineFile;
  steps: readonly FlatStep[];
  table: Readonly<Record<string, Step>>;
  misplaced: readonly Misplaced[];
};

/** What the expressions of a file may name, by the loop that they stand in; names that are wrong otherwise count too. */
export function namesOf({ value, file, steps, table, misplaced }: Of): (loop: string | undefined) => Names {
  const params: Names['params'] = new Map(
    writtenAt(value, ['params']).flatMap((name) => spelt(name).map((each) => [each, file.params[name]] as const)),
  );
  const byId = new Map(steps.map((step) => [step.id, step]));
  const loops = new Map(steps.flatMap(({ id, in: loop }) => (loop === undefined ? [] : [[id, loop] as const])));
  const beside = (loop: string | undefined): string[] => {
    if (loop !== undefined) return writtenAt(value, [...byId.get(loop)!.path, 'steps']);
    return [...misplaced.flatMap(({ step }) => step ?? []), ...writtenAt(value, ['steps']), ...writtenAt(value, ['finally'])];
  };
  const known = new Map<string | undefined, Names>();
  const inside = (loop: string | undefined): Names => {
    const around = loop === undefined ? undefined : inside(byId.get(loop)!.in);
    const own = beside(loop).flatMap((id) => {
      const step = steps.find((each) => each.in === loop && each.id === id);
      return spelt(id).map((each) => [each, definitionOf(step, table)] as const);
    });
    return {
      params,
      steps: new Map([...(around?.steps ?? []), ...own]),
      siblings: new Set(own.map(([id]) => id)),
      items: new Set([...(around?.items ?? []), ...(loop === undefined ? [] : [byId.get(loop)!.loop!.as])]),
      loops,
    };
  };
  return (loop) => {
    if (!known.has(loop)) known.set(loop, inside(loop));
    return known.get(loop)!;
  };
}

const writtenAt = (value: Json, path: readonly (string | number)[]): string[] => {
  const part = reach(value, path);
  return part !== null && typeof part === 'object' && !Array.isArray(part) ? Object.keys(part) : [];
};

/** A name, and what it is to be called where expressions cannot refer to it. */
const spelt = (name: string): string[] => [name, name.replaceAll(/[^A-Za-z0-9_]+(\w)/g, (_, letter: string) => letter.toUpperCase())];

/** What a step is; of a loop the fields of its rows are those of its outputs. */
function definitionOf(step: FlatStep | undefined, table: Readonly<Record<string, Step>>): StepOrLoop | undefined {
  if (step?.loop) {
    const row = z.object(Object.fromEntries(Object.keys(step.loop.outputs).map((name) => [name, z.unknown()])));
    return { ...loop, output: loop.output.extend({ rows: z.array(row) }) };
  }
  return step && Object.hasOwn(table, step.file.use) ? typed(table[step.file.use]!, step.file.with) : undefined;
}

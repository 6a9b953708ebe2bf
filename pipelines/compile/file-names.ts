import { z } from 'zod';
import { ofLoop, type FlatStep } from '../file/flat-steps.ts';
import { reach } from '../file/reach.ts';
import type { PipelineFile } from '../file/schema.ts';
import { typed } from '../own/operation-step.ts';
import { loop } from '../steps/loop.ts';
import type { StepOrLoop } from '../step.ts';
import type { Json } from '../../text/json.ts';
import { undoId } from '../undo-ids.ts';
import type { Misplaced } from './misplaced.ts';
import type { Names } from './names.ts';

type Of = {
  value: Json;
  file: PipelineFile;
  steps: readonly FlatStep[];
  table: Readonly<Record<string, StepOrLoop>>;
  misplaced: readonly Misplaced[];
};

/** Where expressions stand: in a loop, in what is done about failures of a step, in what takes a step back, or in none of them. */
export type Place = Pick<FlatStep, 'in' | 'on' | 'undoes'>;

/** What the expressions of a file may name, by where they stand; names that are wrong otherwise count too. */
export function namesOf({ value, file, steps, table, misplaced }: Of): (place: Place) => Names {
  const params: Names['params'] = new Map(
    writtenAt(value, ['params']).flatMap((name) => spelt(name).map((each) => [each, file.params[name]] as const)),
  );
  const byId = new Map(steps.map((step) => [step.id, step]));
  const owners: Names['owners'] = new Map(
    steps.flatMap(({ id, in: of, on }) => (of === undefined ? [] : [[id, { of, ...(on === undefined ? {} : { on }) }] as const])),
  );
  const beside = ({ in: of, on }: Place): string[] => {
    if (of !== undefined) return writtenAt(value, [...byId.get(of)!.path, ...(on === undefined ? [] : ['onError', on]), 'steps']);
    return [...misplaced.flatMap(({ step }) => step ?? []), ...writtenAt(value, ['steps']), ...writtenAt(value, ['finally'])];
  };
  const run = runFields(file.schedule);
  const known = new Map<string, Names>();
  const inside = (place: Place): Names => {
    if (place.in === undefined && place.undoes !== undefined) return takingBack(place.undoes);
    const owner = place.in === undefined ? undefined : byId.get(place.in)!;
    const around = owner && inside({ in: owner.in, on: owner.on, undoes: owner.undoes });
    const own = beside(place).flatMap((id) => {
      const step = steps.find((each) => each.in === place.in && each.on === place.on && each.id === id);
      return spelt(id).map((each) => [each, definitionOf(step, table)] as const);
    });
    return {
      params,
      steps: new Map([...(around?.steps ?? []), ...(owner && place.on ? [[owner.id, failed] as const] : []), ...own]),
      siblings: new Set(own.map(([id]) => id)),
      items: new Set([...(around?.items ?? []), ...(owner && !place.on ? [owner.loop!.as] : [])]),
      owners,
      run,
    };
  };
  // It reads what the steps of the file gave, and waits for none of them.
  const takingBack = (step: string): Names => {
    const [file, id] = [inside({}), undoId(step)];
    return { ...file, steps: new Map([...file.steps, [id, definitionOf(byId.get(id), table)]]), siblings: new Set() };
  };
  return (place) => {
    const key = `${place.in ?? ''} ${place.on ?? ''} ${place.undoes ?? ''}`;
    if (!known.has(key)) known.set(key, inside(place));
    return known.get(key)!;
  };
}

/** A failed step, as what is done about it reads it. */
const failed: StepOrLoop = {
  ...loop,
  output: z.object({ error: z.object({ type: z.string(), message: z.string() }) }),
};

const runFields = (schedule: PipelineFile['schedule']): Names['run'] => ({
  id: 'string',
  pipeline: 'string',
  ...(schedule && { scheduledAt: 'string' }),
  ...(schedule?.window && { window: { from: 'string', to: 'string' } }),
});

const writtenAt = (value: Json, path: readonly (string | number)[]): string[] => {
  const part = reach(value, path);
  return part !== null && typeof part === 'object' && !Array.isArray(part) ? Object.keys(part) : [];
};

/** A name, and what it is to be called where expressions cannot refer to it. */
const spelt = (name: string): string[] => [name, name.replaceAll(/[^A-Za-z0-9_]+(\w)/g, (_, letter: string) => letter.toUpperCase())];

/** What a step is; of a loop the fields of its rows are those of its outputs. */
function definitionOf(step: FlatStep | undefined, table: Readonly<Record<string, StepOrLoop>>): StepOrLoop | undefined {
  if (step?.loop) {
    const row = z.object(Object.fromEntries(Object.keys(step.loop.outputs).map((name) => [name, z.unknown()])));
    return { ...ofLoop(step.file.with), output: loop.output.extend({ rows: z.array(row) }) };
  }
  return step && Object.hasOwn(table, step.file.use) ? typed(table[step.file.use]!, step.file.with) : undefined;
}

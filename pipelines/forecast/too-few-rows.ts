import { fewestRows } from '../../contracts/maps/map-size.ts';
import { counted } from '../../text/units.ts';
import { mustBeDone } from '../ends.ts';
import type { Plan, PlanStep } from '../plan.ts';
import type { DatasetFacts, Facts, Step } from '../step.ts';
import { definition as append } from '../steps/dataset/append.ts';
import { definition as ensure } from '../steps/dataset/ensure.ts';
import { definition as load } from '../steps/dataset/load.ts';
import { definition as mirror } from '../steps/dataset/mirror.ts';
import { definition as upload } from '../steps/dataset/upload.ts';
import { definition as build } from '../steps/index/build.ts';
import { definition as update } from '../steps/index/update.ts';
import { notAfter } from './certain.ts';
import { changes } from './changes.ts';

/** Steps that add the rows of a table to their dataset. */
const adding: readonly string[] = [append.name, load.name, upload.name, mirror.name];

/** Steps that change something and add no row. */
const rowless: readonly string[] = [ensure.name, build.name, update.name];

export type KnownRows = {
  /** The dataset of each step, as far as it was looked at. */
  datasets: ReadonlyMap<string, DatasetFacts>;
  table: (step: string) => Facts['table'];
};

/**
 * Why a map will have too few rows, by the most that its dataset has when its turn comes: what is there, and what each step before it adds
 * at most. Undefined where that is enough, or where something before it, or beside it, may add rows that nobody has counted. `certain`:
 * the dataset is not there yet. One that is there may have a map already, and its count may lag behind.
 */
export function tooFewRows(
  step: PlanStep,
  plan: Pick<Plan, 'steps'>,
  steps: Readonly<Record<string, Step>>,
  { datasets, table }: KnownRows,
): { says: string; certain: boolean } | undefined {
  const dataset = datasets.get(step.id);
  if (step.use !== build.name || step.in !== undefined || !dataset || !isNamed(step, plan) || !mustBeDone(step.id, plan.steps))
    return undefined;
  let rows = dataset.rows;
  for (const each of notAfter(step, plan)) {
    const added = mostAdded(each);
    if (added === undefined) return undefined;
    rows += added;
  }
  if (rows >= fewestRows) return undefined;
  const says = `a map needs at least ${fewestRows} rows, and its dataset will have ${counted(rows, 'row')} at most: add rows, or leave the map out`;
  return { says, certain: !dataset.exists };

  function mostAdded(each: PlanStep): number | undefined {
    if (adding.includes(each.use) && each.in === undefined) {
      const other = datasets.get(each.id);
      if (!other || !isNamed(each, plan)) return undefined;
      if (areTwo(dataset!, other)) return 0;
      return isOne(dataset!, other) ? table(each.id)?.sent : undefined;
    }
    // What a person does at a gate nobody knows.
    return rowless.includes(each.use) || (each.kind !== 'gate' && !changes(each, steps)) ? 0 : undefined;
  }
}

/** Two steps may name a dataset that is not there yet by the same slug. */
const isOne = (one: DatasetFacts, other: DatasetFacts): boolean => one === other || (one.exists && other.exists && one.id === other.id);
const areTwo = (one: DatasetFacts, other: DatasetFacts): boolean =>
  one.exists !== other.exists || (one.exists && other.exists && one.id !== other.id);

/** The dataset of a step is that of another step of these: what any other hands on is known only in the run. */
function isNamed({ with: input }: PlanStep, plan: Pick<Plan, 'steps'>): boolean {
  const { dataset } = input as { dataset?: unknown };
  const [, named] = /^\$\{\{\s*steps\.(\w+)\.(?:id|dataset)\s*\}\}$/.exec(String(dataset)) ?? [];
  const { use = '' } = plan.steps.find(({ id }) => id === named) ?? {};
  return [...adding, ...rowless].includes(use);
}

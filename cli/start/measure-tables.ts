import { join } from 'node:path';
import type { DataColumn } from '../../child/data-column.ts';
import { listFiles } from '../../child/listed-files.ts';
import { isHere } from '../../child/source-files.ts';
import { automaticIdField } from '../../contracts/maps/unique-id.ts';
import { BadInput, NotFetched } from '../../errors/classes.ts';
import { mustBeDone } from '../../pipelines/ends.ts';
import { known } from '../../pipelines/file/embedded-expressions.ts';
import { datasetsOf } from '../../pipelines/forecast/datasets.ts';
import type { Plan, PlanSource } from '../../pipelines/plan.ts';
import type { TableFacts } from '../../pipelines/source-spec.ts';
import { isAsked, sourceOf } from '../../pipelines/source-name.ts';
import { anyConnection, type ConnectionFacts, type DatasetFacts, type Step } from '../../pipelines/step.ts';
import { definition as mirror } from '../../pipelines/steps/dataset/mirror.ts';
import { definition as append, tableInput } from '../../pipelines/steps/dataset/append.ts';
import { definition as load } from '../../pipelines/steps/dataset/load.ts';
import { rowsLoop } from '../../pipelines/steps/rows-loop.ts';
import { goneRows } from './gone-rows.ts';
import { noTable, ownerOf, readingFrom, type KnownMark, type MarkedStep } from './known-marks.ts';
import type { LentTables } from './lent-tables.ts';
import type { DatasetOf } from './rows-there.ts';

/** Steps that add no row where there is none. */
const adds: ReadonlySet<string> = new Set([append.name, load.name]);

/** A source of which nothing is known, and why. `fails`: the step would fail for it. */
export type Unread = PlanSource & { because: string; fails?: true };

/**
 * What is wrong with a source stays wrong; that it is elsewhere, or takes too much here, says nothing of the run, and a run may do without a
 * step.
 */
const refused = (planned: PlanSource, { steps }: Plan, error: unknown): Unread => {
  if (!(error instanceof BadInput)) throw error;
  const fails = error.verdict === 'bad_input' && !(error instanceof NotFetched) && mustBeDone(planned.step, steps);
  return { ...planned, because: error.message, ...(fails && { fails }) };
};

export type MeasureOptions = {
  steps: Readonly<Record<string, Step>>;
  datasets: ReadonlyMap<string, DatasetFacts>;
  connection: (name: string) => ConnectionFacts | undefined;
  tables: LentTables;
  /** The mark from which a step reads a source into a dataset, or the list of a mirror. */
  mark: (step: string, owner: MarkedStep) => Promise<KnownMark | undefined>;
  /** Which of these rows the dataset of a step holds; `of`: it is there now. Undefined where that is not known. */
  there: (step: string, of: DatasetOf | undefined, ids: readonly string[]) => Promise<ReadonlySet<string> | undefined>;
  /** Folder that gets the lists of what would be deleted; absent: none is written. */
  plansDir?: string;
  signal: AbortSignal;
};

/**
 * The tables whose rows the steps of a plan add, by step, as their datasets would take them: of a dataset that has no columns yet the first
 * table fixes those of the next. What cannot be read on this host is named.
 */
export async function measureTables(
  plan: Plan,
  { steps, datasets, connection, tables, mark, there, plansDir, signal }: MeasureOptions,
): Promise<{ tables: ReadonlyMap<string, TableFacts>; unread: Unread[] }> {
  const measured = new Map<string, TableFacts>();
  const unread: Unread[] = [];
  for (const { step, path, list } of plan.sources)
    if (list && (await isHere(path))) {
      const { files, bytes } = await listFiles(path);
      measured.set(step, { rows: files.length, bytes, sent: files.length, shards: 0, arrowBytes: [0, 0] });
    }
  const sources = plan.sources.filter(({ raw }) => !raw);
  if (sources.length === 0) return { tables: measured, unread };
  const ofStep = datasetsOf(plan, steps, datasets);
  const schemas = new Map<DatasetFacts | undefined, DataColumn[] | undefined>();
  const opened = await tables.get();
  for (const planned of sources) {
    const step = plan.steps.find(({ id }) => id === planned.step)!;
    const source = sourceOf(planned);
    const given = tableInput.safeParse(known(step.with));
    const dataset = ofStep.get(step.id);
    if (!(await tables.reaches(source))) unread.push({ ...planned, because: 'it is not on this host' });
    // Rows that become no rows of a dataset are counted alone.
    else if (step.use === rowsLoop.name || steps[step.use]?.dataset?.as !== 'writes')
      try {
        const { rows, bytes } = await opened.inspect(source, { signal });
        measured.set(step.id, { rows, bytes, sent: rows, shards: 0, arrowBytes: [0, 0] });
      } catch (error) {
        unread.push(refused(planned, plan, error));
      }
    else if (!given.success) unread.push({ ...planned, because: 'what is made of it is known only in the run' });
    else
      try {
        const { id, columns, since, drift } = given.data;
        const idField = (dataset?.exists ? dataset.idField : madeWith(plan, dataset, datasets)) ?? automaticIdField;
        if (!schemas.has(dataset)) schemas.set(dataset, await schemaOf(dataset, idField));
        const schema = schemas.get(dataset);
        const { batch } = connection(step.connections['maps'] ?? '') ?? anyConnection;
        const limits = { maxRows: batch.rows, maxBytes: batch.bytes };
        const owner = ownerOf(plan, step, dataset);
        const known = since && owner && (await mark(step.id, { ...owner, source }));
        const reading = since && (await readingFrom(since, source, known, opened));
        const request = {
          source,
          id,
          idField,
          ...(columns ? { columns } : {}),
          ...(schema ? { schema } : {}),
          ...(drift ? { drift } : {}),
          ...(adds.has(step.use) && isAsked(source) ? { mayBeEmpty: true } : {}),
          ...limits,
        };
        const { since: found, ...table } =
          reading?.rows.files?.length === 0 ? noTable : await opened.measure({ ...request, ...reading?.rows }, { signal });
        const from = owner ? { from: known?.mark.value ?? null } : {};
        const said = reading && { since: { ...from, of: found?.of ?? reading.of ?? 0, noun: reading.noun } };
        measured.set(step.id, { ...table, ...said });
        if (step.use === mirror.name && owner) {
          const list = await mark(step.id, owner);
          const of = dataset?.exists ? { connection: owner.connection, dataset: dataset.id, idField } : undefined;
          const held = (ids: readonly string[]) => there(step.id, of, ids);
          const file = plansDir && join(plansDir, `${plan.pipeline}-${step.id}-gone.jsonl`);
          const { deletes } = step.with as { deletes?: unknown };
          measured.set(step.id, { ...table, gone: await goneRows(opened, request, { list, deletes, there: held, file, signal }) });
        }
        if (dataset && table.rows > 0) schemas.set(dataset, schema ?? table.columns);
      } catch (error) {
        unread.push(refused(planned, plan, error));
      }
  }
  return { tables: measured, unread };
}

/** Column of the ids in a dataset that the plan makes. */
function madeWith({ steps }: Plan, dataset: DatasetFacts | undefined, datasets: ReadonlyMap<string, DatasetFacts>): string | undefined {
  const { idField } = (steps.find(({ id }) => dataset && datasets.get(id) === dataset)?.with ?? {}) as { idField?: unknown };
  return typeof idField === 'string' ? idField : undefined;
}

async function schemaOf(dataset: DatasetFacts | undefined, idField: string): Promise<DataColumn[] | undefined> {
  if (!dataset?.exists || dataset.schema === undefined) return undefined;
  const { schemaColumns } = await import('../../child/schema-columns.ts');
  return schemaColumns(dataset.schema, idField);
}

import type { Config } from '../../config/load.ts';
import { compile } from '../../pipelines/compile/compile.ts';
import { byPosition, formatPath, type Finding } from '../../pipelines/file/findings.ts';
import type { LoadedFile } from '../../pipelines/file/load.ts';
import { inside, type Plan, type PlanStep } from '../../pipelines/plan.ts';
import type { RunSnapshot } from '../../runs/view.ts';
import type { RunRecord } from '../../store/run-record.ts';
import { canonical } from '../../text/canonical-json.ts';
import { UsageError } from '../frame/errors.ts';
import { checkColumns } from '../start/check-columns.ts';
import { connectionOf } from '../start/compile-file.ts';
import { declaredOf, openFile } from '../start/open-file.ts';
import { InvalidFile } from '../start/invalid-file.ts';
import type { LentTables } from '../start/lent-tables.ts';
import { missingStep } from '../start/missing-step.ts';

/** A run that is to be taken back as another file says: how it ended, its plan, and what it was started with. */
export type Ran = { snapshot: Pick<RunSnapshot, 'view' | 'connections'>; plan: Plan; record: RunRecord };

export type Corrected = { plan: Plan; baseDir: string; file?: string };

/**
 * The plan of a run with the undo of a corrected file: what ran, in which order and with which parameters, stays as it was. Fails with
 * `UsageError` and every finding where the file is wrong, or another pipeline than the one that ran.
 */
export async function corrected(
  ran: Ran,
  file: string,
  { config, cwd, tables, elsewhere }: { config: Config; cwd: string; tables: LentTables; elsewhere: boolean },
): Promise<Corrected> {
  const { view, connections } = ran.snapshot;
  const open = await openFile({ cwd, options: {} }, config, file, tables);
  const { loaded, steps, shown } = open;
  const connection = Object.values(connections)[0] ?? connectionOf(open, config, undefined);
  const compiled = compile(loaded, {
    steps,
    params: declaredOf(ran.plan.params, loaded),
    baseDir: loaded.baseDir,
    timed: ran.record.time !== undefined,
    ...(connection !== undefined && { connection }),
  });
  if ('findings' in compiled)
    throw new InvalidFile(
      shown,
      compiled.findings.map((finding) => missingStep(finding, loaded.value, config)),
    );
  const { plan } = compiled;
  if (plan.pipeline !== view.pipeline)
    throw new UsageError(
      `${shown} is the pipeline ${plan.pipeline}; run ${view.run} is of ${view.pipeline}`,
      `name the corrected file of ${view.pipeline}`,
    );
  const others = otherSteps(ran, plan, loaded);
  if (others.length > 0) throw new InvalidFile(shown, others.sort(byPosition));
  const { undo, version, cel, params, pipelines } = plan;
  const findings = await checkColumns(
    { ...plan, steps: undo?.steps ?? [], sources: undo?.sources ?? [] },
    { ...loaded, given: Object.keys(params), steps, projectDir: config.root, filesElsewhere: elsewhere, tables },
  );
  if (findings.length > 0) throw new InvalidFile(shown, findings);
  const { undo: former, ...rest } = ran.plan;
  return {
    plan: {
      ...rest,
      version,
      cel,
      params,
      ...(undo && { undo: { ...undo, steps: undo.steps.map((step) => stillApproved(step, former)) } }),
      pipelines: { ...rest.pipelines, ...pipelines },
    },
    baseDir: loaded.baseDir,
    ...(loaded.file !== undefined && { file: loaded.file }),
  };
}

/** What a gate of the run approved is approved while it is the same. */
function stillApproved({ approved, ...step }: PlanStep, former: Plan['undo']): PlanStep {
  const same = former?.steps.find(({ id }) => id === step.id);
  return approved && same && canonical(same) === canonical({ ...step, approved }) ? { ...step, approved } : step;
}

/** Steps that the run has done, and that are not there in the file, or are others. */
const otherSteps = ({ snapshot: { view }, plan }: Ran, now: Plan, { locate }: LoadedFile): Finding[] =>
  view.steps.flatMap(({ id, status }): Finding[] => {
    const was = inside(plan, undefined).find((step) => step.id === id);
    const is = inside(now, undefined).find((step) => step.id === id);
    if (!was || (status !== 'done' && status !== 'tolerated') || was.use === is?.use) return [];
    const remedy = 'leave the steps as they ran, and correct how they are undone';
    if (is === undefined)
      return [
        {
          code: 'no-such-step',
          message: `run ${view.run} has done '${id}', which is not here`,
          path: 'steps',
          remedy,
          ...locate.key(['steps']),
        },
      ];
    const path = [...(is.finally ? ['finally'] : ['steps']), id, is.each ? 'forEach' : 'use'];
    const message = `run ${view.run} has done '${id}' by ${was.use}, which is ${is.use} here`;
    return [{ code: 'invalid-value', message, path: formatPath(path), remedy, ...locate.value(path) }];
  });

import { inPipeline } from '../../pipelines/compile/sub-pipelines.ts';
import { hasExpression } from '../../pipelines/expressions/scan.ts';
import type { Finding } from '../../pipelines/file/findings.ts';
import type { LoadedFile } from '../../pipelines/file/load.ts';
import { folderOf, instantiate } from '../../pipelines/instantiate.ts';
import { placeInFile, type Plan, type PlanStep } from '../../pipelines/plan.ts';
import type { Json } from '../../text/json.ts';

/** Looks at a pipeline that a step runs; `run`: its plan, and what it is given, where the step writes its parameters out. */
export type UsedCheck = (used: LoadedFile, run: { plan: Plan; given: string[] } | undefined) => Promise<Finding[]>;

/** The plan of the run that a step would be; undefined where its parameters are known only in the run. */
export function planIfKnown({ version, with: given }: PlanStep, { pipelines }: Pick<Plan, 'pipelines'>, folder: string): Plan | undefined {
  if (hasExpression(JSON.stringify(given))) return undefined;
  return instantiate(pipelines![String(version)]!, given as { [name: string]: Json }, folder, pipelines);
}

/** Findings of the pipelines that the steps of a file run, and of those that these run, each at the step that names it. */
export async function checkUsed(plan: Pick<Plan, 'steps' | 'undo' | 'pipelines'>, file: LoadedFile, check: UsedCheck): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const step of [...plan.steps, ...(plan.undo?.steps ?? [])]) {
    const used = step.kind === 'pipeline' ? file.uses?.[step.use] : undefined;
    if (!used || 'problem' in used) continue;
    const sub = plan.pipelines![String(step.version)]!;
    const made = planIfKnown(step, plan, folderOf(file));
    const inside = [
      ...(await check(used, made && { plan: made, given: Object.keys(step.with as object) })),
      ...(await checkUsed({ ...(made ?? sub.plan), ...(plan.pipelines && { pipelines: plan.pipelines }) }, used, check)),
    ];
    found.push(...inside.map((each) => inPipeline({ path: placeInFile(plan, step.id), use: step.use }, each, file.locate)));
  }
  const said = new Set<string>();
  return found.filter(({ message, path }) => !said.has(path + message) && said.add(path + message));
}

import { connectionNames } from '../../config/connections.ts';
import { loadConfig } from '../../config/load.ts';
import { secretProblem } from '../../config/named-secret.ts';
import { clauses } from '../../text/clauses.ts';
import { suggestion } from '../../text/nearest.ts';
import { check } from '../../pipelines/file/schema-findings.ts';
import { nowhere } from '../../pipelines/file/parse.ts';
import { isIrreversible } from '../../pipelines/acts.ts';
import type { OwnSweep } from '../../pipelines/own/define.ts';
import { toSweep } from '../../pipelines/own/sweep.ts';
import type { Step } from '../../pipelines/step.ts';
import type { Json } from '../../text/json.ts';
import type { SentRequest } from '../../workers/try/recorded.ts';
import type { Tried } from '../../workers/try/try-step.ts';
import { UsageError } from '../frame/errors.ts';
import { nearestWord } from '../frame/nearest.ts';
import { projectSteps } from './own-steps.ts';

/** What `step test` shows. `missing`: requests that the step's `fake` has no answer to. */
export type StepTest = Tried & { step: string; with: string; input: Json; sent: SentRequest[]; missing: string[] };

type Asked = {
  /** Input as JSON; default: the example of the step. */
  input?: string | undefined;
  /** Connection; default: fake answers. */
  connection?: string | undefined;
  /** Items of a sweep that are tried. */
  first: number;
  /** Although it cannot be taken back. */
  yes?: boolean | undefined;
};

/** Runs an own step of the project once, without Temporal. Fails with `UsageError` for what is known before. */
export async function testStep(name: string, asked: Asked, cwd: string, signal: AbortSignal): Promise<StepTest> {
  const config = await loadConfig(cwd);
  const steps = await projectSteps(config);
  const step = found(name, steps);
  const { code } = step.own!;
  const input = inputOf(step, asked.input);
  const { connection } = asked;
  const known = connectionNames(config);
  if (connection !== undefined && !known.includes(connection))
    throw new UsageError(`there is no connection '${connection}'${suggestion(connection, known)}`, `known: ${known.join(', ')}`);
  if (connection !== undefined && isIrreversible(step) && !asked.yes)
    throw new UsageError(
      `${step.name} cannot be taken back, and --connection sends it for real`,
      'add --yes to do it, or leave --connection away',
    );
  const lacking = connection === undefined ? [] : (code.secrets ?? []).flatMap((each) => secretProblem(config, each) ?? []);
  if (lacking[0]) throw new UsageError(lacking[0].message, lacking[0].remedy);
  const sent: SentRequest[] = [];
  const missing = new Set<string>();
  const [{ tryStep }, { fakeSurroundings, realSurroundings }] = await Promise.all([
    import('../../workers/try/try-step.ts'),
    import('../../workers/try/surroundings.ts'),
  ]);
  const around = connection === undefined ? fakeSurroundings(code, sent, missing) : realSurroundings(config, steps, connection, sent);
  const tried = await tryStep(shortened(step, asked.first), input, around, signal);
  return { step: step.name, with: connection ?? 'fake answers', input, ...tried, sent, missing: [...missing] };
}

function found(name: string, steps: readonly Step[]): Step {
  const step = steps.find((each) => each.name === name || each.name === `own.${name}`);
  if (step) return step;
  const names = steps.map((each) => each.name);
  const meant = names.find((each) => each.endsWith(`.${name}`)) ?? nearestWord(name, names);
  throw new UsageError(
    `the project has no step '${name}' of its own`,
    `${meant ? `did you mean ${meant}? ` : ''}${names.length === 0 ? 'make one: portolan step new NAME' : `its steps: ${names.join(', ')}`}`,
  );
}

function inputOf(step: Step, given: string | undefined): Json {
  if (given === undefined && step.own!.code.example === undefined)
    throw new UsageError(`${step.name} has no example`, "give it one (example: { … }), or name an input: --input '{ … }'");
  const input = given === undefined ? (step.example as Json) : parsed(given);
  const findings = check({ value: input, schema: step.input, base: [], of: step.name, locate: nowhere, literal: true });
  if (findings.length > 0)
    throw new UsageError(
      `${given === undefined ? 'the example' : '--input'} does not fit: ${clauses(findings.map(({ message }) => message))}`,
    );
  return input;
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new UsageError(`--input is not JSON: ${(error as Error).message}`, `quote it for the shell: --input '{"field": "value"}'`);
  }
}

/** A sweep whose first chunk has so many items. */
function shortened(step: Step, first: number): Step {
  if (step.kind !== 'sweep') return step;
  const code = { ...(step.own!.code as OwnSweep), chunk: first };
  return { ...toSweep({ ...step.own!, code }), version: step.own!.version };
}

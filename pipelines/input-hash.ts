import { canonical } from '../text/canonical-json.ts';
import { references } from './expressions/references.ts';
import { expressionsIn } from './file/embedded-expressions.ts';
import { isKept, isLarge } from './kept.ts';
import type { Plan, PlanStep, SourceFingerprint } from './plan.ts';
import { sha256Of } from './sandbox-hash.ts';
import type { Json } from '../text/json.ts';
import { printName } from './source-name.ts';

/** Of the plan: the steps inside of a loop, and the parameters that they read. */
type HashedPlan = Pick<Plan, 'steps' | 'sources' | 'params'>;

/** What the hash is made of, beside the input and the plan: a step of it. */
export type HashedStep = Pick<PlanStep, 'id' | 'kind' | 'use' | 'version' | 'connections' | 'tolerate' | 'each'>;
type Fingerprints = { readonly [source: string]: Pick<SourceFingerprint, 'sha256'> };

/**
 * Hash of all that a step's result depends on: its type, the version of its code, its evaluated input, the bytes of the
 * sources that it names (not their paths: a file may move) and its connections; of a loop also all that its turns do. Pure, also in the
 * workflow sandbox. An input that stands in the run store counts by the hash of its bytes, wherever they lie. What is hashed and how
 * stands in histories: it never changes.
 */
export function inputHash(step: HashedStep, input: Json, plan: HashedPlan, fingerprints: Fingerprints, run: string): string {
  const value = isKept(input) ? { kept: input.sha256 } : isLarge(input) ? { kept: sha256Of(canonical(input)) } : input;
  const bytes = bytesOf(step, plan, fingerprints);
  return sha256Of(
    canonical({
      use: step.use,
      version: step.version ?? 1,
      connections: step.connections,
      tolerate: (step.tolerate ?? {}) as Json,
      input: typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value, ...bytes } : value,
      ...(step.each ? { body: bodyOf(step, plan, fingerprints, run) } : {}),
    }),
  );
}

const bytesOf = ({ id }: Pick<PlanStep, 'id'>, { sources }: Pick<Plan, 'sources'>, fingerprints: Fingerprints): { [field: string]: Json } =>
  Object.fromEntries(
    sources.flatMap((source) => {
      const print = source.step === id ? fingerprints[printName(source)] : undefined;
      return print ? [[source.field, { sha256: print.sha256 }] as const] : [];
    }),
  );

/**
 * What the turns of a loop do, and what is done about failures in it: the expressions as they are written, with the parameters that they
 * read, and with the run where one of them may read it.
 */
function bodyOf(loop: Pick<PlanStep, 'id' | 'each'>, plan: HashedPlan, fingerprints: Fingerprints, run: string): Json {
  const steps = plan.steps.filter((step) => step.in === loop.id);
  const body = canonical({
    each: loop.each ?? null,
    steps: steps.map((step) => {
      const { timeouts: _, window: __, ...does } = step;
      return {
        step: does,
        bytes: bytesOf(step, plan, fingerprints),
        ...(plan.steps.some((each) => each.in === step.id) ? { body: bodyOf(step, plan, fingerprints, run) } : {}),
      };
    }),
  });
  const params = readIn([loop.each ?? null, steps], plan.params);
  return { ...(/\brun\b/.test(body) && { run }), ...(Object.keys(params).length > 0 && { params }), body };
}

/** The parameters that expressions read: all of them where one is named by a value. */
function readIn(value: unknown, params: Plan['params']): Plan['params'] {
  const names = expressionsIn(value).flatMap(({ text }) => references(text).params.map(({ name }) => name));
  const isRead = (name: string): boolean => names.includes(name) || names.includes(undefined);
  return names.length === 0 ? {} : Object.fromEntries(Object.entries(params).filter(([name]) => isRead(name)));
}

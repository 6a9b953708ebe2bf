import { limits, type Limit, type LimitClass } from '../../contracts/limits.ts';
import { clauses } from '../../text/clauses.ts';
import { thatMayBegin } from '../ends.ts';
import type { Plan, PlanStep } from '../plan.ts';
import {
  anyConnection,
  type AbsentFiles,
  type Act,
  type BudgetFacts,
  type ConnectionFacts,
  type DatasetFacts,
  type Facts,
  type NamedFacts,
  type PlannedCalls,
  type Step,
  type StepForecast,
  type StepOrLoop,
  type SpentFacts,
} from '../step.ts';
import { mostHanded } from '../steps/bounds.ts';
import { isCertain } from './certain.ts';
import { conditionsOf } from './conditions.ts';
import { datasetsOf } from './datasets.ts';
import { longest } from './longest.ts';
import { notHeld } from './not-held.ts';
import { chargedBy, isSafe, limitClassOf } from './planned.ts';
import { tooFewRows } from './too-few-rows.ts';
import { once, times, turnsOf, type Turns } from './turns.ts';
import { undoForecast, type UndoForecast } from './undo.ts';
import type { Difference } from '../budgets/difference.ts';
import { ofLoop } from '../file/flat-steps.ts';
import { known } from '../file/embedded-expressions.ts';

/** At least and at most; null where nothing bounds it before the run. */
export type Interval = [min: number, max: number | null];

export type LimitForecast = { limit: LimitClass; calls: Interval; floorSeconds: number };

export type ForecastStep = {
  id: string;
  use: string;
  does: string;
  calls: PlannedCalls[];
  writing: Interval;
  reads: Interval;
  /** Limit classes that the calls count against; `floorSeconds` under the published limit, 0 where none is. */
  limits: LimitForecast[];
  /** Time of the work itself, of all that may have to be done: an estimate. */
  seconds?: number;
  /** What the service charges for it, in US dollars. */
  cost?: NonNullable<StepForecast['cost']>;
  /** What the service charges by: `the pages of the document`; absent: nothing that is known. */
  charged?: string[];
  /** What differs, of a step that compares. */
  differences?: Difference[];
  /** Why it will fail: a run is refused. */
  problems?: string[];
  /** Why it would fail as things are now. */
  doubts?: string[];
  /** Files that the table of a step names and that are not there: of this step, or of one of the pipeline that it runs. */
  absent?: ({ step: string } & Omit<AbsentFiles, 'inside'>)[];
};

/** `gate`: the step of a person's approval. */
export type PlannedAct = { step: string } & Omit<Act, 'inside'> & { gate?: string; unapproved?: true };

export type Forecast = {
  pipeline: string;
  /** Hash of the plan that this is about. */
  hash: string;
  steps: ForecastStep[];
  totals: {
    /** Calls that change something; one number where it is exact. */
    writing: number | Interval;
    reads: Interval;
    /** Shortest time that the published limits allow, by the fewest calls. */
    floorSeconds: number;
    /** Longest chain of steps by their estimates and floors. */
    estimateSeconds: number;
  };
  /** Acts that cannot be taken back, with the step; `unapproved`: the step fails before it does it unless the run is started with `--accept STEP`. */
  irreversible: PlannedAct[];
  /** Own steps that do not say what they do outside of the APIs. */
  own: string[];
  /** Datasets that the run makes or writes and does not hold: its key is that of another one. Absent where there are none. */
  notHeld?: string[];
  /** How its steps are taken back; absent where the file says nothing of it. */
  undo?: UndoForecast;
};

const none: Interval = [0, 0];
const add = (a: Interval, b: Interval): Interval => [a[0] + b[0], a[1] === null || b[1] === null ? null : a[1] + b[1]];
const total = (calls: readonly PlannedCalls[]): Interval => calls.reduce<Interval>((sum, { min, max }) => add(sum, [min, max]), none);

/** Shortest time in seconds for so many requests: one window's worth at once, then window after window. */
export function floorOf(limit: Limit, requests: number): number {
  return limit.count === null || requests <= limit.count ? 0 : Math.ceil(requests / limit.count - 1) * limit.seconds;
}

/** What is known of the world before a run. */
export type PlanFacts = {
  /** The table whose rows a step adds, by the step's id; undefined where it could not be read. */
  table: (step: string) => Facts['table'];
  /** The datasets that steps name by their slugs, by the steps' ids; none where nobody looked. */
  datasets?: ReadonlyMap<string, DatasetFacts>;
  /** What agents of the kind of a step have cost so far, by the steps' ids. */
  spent?: ReadonlyMap<string, SpentFacts>;
  /** What own sweeps list, by the steps' ids. */
  listed?: ReadonlyMap<string, Facts['listed']>;
  /** What the runs of pipelines will do, by the ids of the steps that they are; of one that nobody looked at nothing is known. */
  pipelines?: ReadonlyMap<string, Forecast>;
  /** What differs of the budgets that steps compare, by the steps' ids; none where nobody looked. */
  budgets?: ReadonlyMap<string, BudgetFacts>;
  /** Files that the tables of steps name, by the steps' ids; none where nobody looked. */
  named?: ReadonlyMap<string, NamedFacts>;
  /** The connection of a step, where it has one. */
  connection?: (name: string) => ConnectionFacts | undefined;
};

/** What a run of this plan will do, before anything is sent. */
export function forecast(plan: Plan, steps: Readonly<Record<string, Step>>, facts: PlanFacts): Forecast {
  const datasets = datasetsOf(plan, steps, facts.datasets ?? new Map());
  const items = new Map<string, number | null>();
  const conditions = conditionsOf(plan.steps);
  const begin = new Set(thatMayBegin(plan.steps));
  const turns = new Map<string, Turns>();
  const often = new Map<string, Turns>();
  const irreversible: Forecast['irreversible'] = [];
  const gates = new Map(plan.steps.flatMap(({ id, approves = [] }) => approves.map(({ step }) => [step, id] as const)));
  const forecasts = plan.steps.map((planned): ForecastStep => {
    const definition: StepOrLoop | undefined = planned.each ? ofLoop(planned.with as object) : steps[planned.use];
    const around = planned.in === undefined ? once : (planned.on === undefined ? turns : often).get(planned.in)!;
    often.set(planned.id, around);
    if (planned.each) turns.set(planned.id, turnsOf(planned, around, facts.table(planned.id)?.rows));
    const upstream = mostHanded(planned.needs.map((id) => items.get(id)));
    const inside = facts.pipelines?.get(planned.id);
    const asItIs: StepForecast = inside
      ? asStep(inside)
      : definition
        ? definition.forecast(known(planned.with), {
            table: facts.table(planned.id),
            items: upstream,
            listed: facts.listed?.get(planned.id),
            dataset: datasets.get(planned.id),
            spent: facts.spent?.get(planned.id),
            budgets: facts.budgets?.get(planned.id),
            named: facts.named?.get(planned.id),
            ...(facts.connection?.(planned.connections['maps'] ?? '') ?? anyConnection),
          })
        : { does: planned.kind === 'pipeline' ? 'run a pipeline' : 'not known here', calls: [] };
    const carriedOut = withFewRows(
      asItIs.problems && !isCertain(planned, plan, steps) ? doubted(asItIs) : asItIs,
      tooFewRows(planned, plan, steps, { datasets, table: facts.table }),
    );
    const forecast = begin.has(planned) ? perhaps(conditions(planned), times(carriedOut, around)) : skipped(planned);
    // What nobody knows is handed on by steps that hand on nothing themselves.
    const handed = forecast.items ?? (upstream === null ? null : forecast.items);
    if (handed !== undefined) items.set(planned.id, handed);
    irreversible.push(
      ...(forecast.acts ?? []).map(({ inside: place, ...act }): PlannedAct => {
        const below = (id: string): string => `${planned.id}.${id}`;
        if (place)
          return {
            ...act,
            step: below(place.step),
            ...(place.gate === undefined ? {} : { gate: below(place.gate) }),
            ...(place.unapproved ? { unapproved: true } : {}),
          };
        return {
          step: planned.id,
          ...act,
          ...(gates.has(planned.id) ? { gate: gates.get(planned.id)! } : {}),
          ...(act.perhaps && !planned.approved ? { unapproved: true } : {}),
        };
      }),
    );
    return toForecastStep(planned, forecast);
  });
  const writing = forecasts.reduce<Interval>((sum, step) => add(sum, step.writing), none);
  const open = notHeld(plan, steps);
  const seconds = (of: (step: ForecastStep) => number) => new Map(forecasts.map((step) => [step.id, of(step)]));
  return {
    pipeline: plan.pipeline,
    hash: plan.hash,
    steps: forecasts,
    totals: {
      writing: writing[0] === writing[1] ? writing[0] : writing,
      reads: forecasts.reduce<Interval>((sum, step) => add(sum, step.reads), none),
      floorSeconds: Math.max(
        0,
        longest(plan.steps, seconds(ownFloor)),
        ...limitsOf(forecasts.flatMap((step) => step.calls)).map(({ floorSeconds }) => floorSeconds),
      ),
      estimateSeconds: longest(
        plan.steps,
        seconds((step) => Math.max(step.seconds ?? 0, ownFloor(step))),
      ),
    },
    irreversible,
    own: plan.steps.flatMap(({ id, use }) => [
      ...(actsUnseen(steps[use]) ? [id] : []),
      ...(facts.pipelines?.get(id)?.own ?? []).map((inner) => `${id}.${inner}`),
    ]),
    ...(open.length > 0 && { notHeld: open }),
    ...(plan.undo && { undo: undoForecast(plan, plan.undo, steps) }),
  };
}

const sumOf = (costs: readonly NonNullable<StepForecast['cost']>[]): NonNullable<StepForecast['cost']> => ({
  min: costs.reduce((sum, { min }) => sum + min, 0),
  max: costs.some(({ max }) => max === null) ? null : costs.reduce((sum, { max }) => sum + (max ?? 0), 0),
  because: [...new Set(costs.map(({ because }) => because))].join('; '),
});

/** What the run of a pipeline will do, as one step of another. */
const asStep = ({ pipeline, steps, totals, irreversible }: Forecast): StepForecast => ({
  does: `run the pipeline ${pipeline}: ${steps.map(({ id }) => id).join(', ')}`,
  calls: steps.flatMap(({ calls }) => calls),
  seconds: totals.estimateSeconds,
  ...(steps.some(({ cost }) => cost) && { cost: sumOf(steps.flatMap(({ cost }) => cost ?? [])) }),
  ...(irreversible.length > 0 && {
    acts: irreversible.map(({ step, gate, unapproved, ...act }): Act => ({
      ...act,
      inside: { step, ...(gate === undefined ? {} : { gate }), ...(unapproved ? { unapproved } : {}) },
    })),
  }),
  charged: [...new Set(steps.flatMap(({ charged = [] }) => charged))],
  ...said(steps, 'problems'),
  ...said(steps, 'doubts'),
  ...(steps.some(({ absent }) => absent) && {
    absent: steps.flatMap(({ absent = [] }) => absent.map(({ step, ...files }): AbsentFiles => ({ ...files, inside: step }))),
  }),
});

/** What the steps of a pipeline have to say, each with the one that does. */
function said(steps: readonly ForecastStep[], what: 'problems' | 'doubts'): Pick<StepForecast, 'problems' | 'doubts'> {
  const all = steps.flatMap(({ id, [what]: texts = [] }) => texts.map((text) => `${id}: ${text}`));
  return all.length === 0 ? {} : { [what]: all };
}

/** What fails now may not fail in the run. */
const doubted = ({ problems = [], doubts = [], ...rest }: StepForecast): StepForecast => ({ ...rest, doubts: [...problems, ...doubts] });

/** What the steps before a map do is counted in it already. */
function withFewRows(forecast: StepForecast, few: ReturnType<typeof tooFewRows>): StepForecast {
  if (few === undefined) return forecast;
  const field = few.certain ? 'problems' : 'doubts';
  return { ...forecast, [field]: [...(forecast[field] ?? []), few.says] };
}

/** Why the steps of a forecast will fail, each with its step. */
export const mistakesOf = ({ steps }: Pick<Forecast, 'steps'>): string[] =>
  steps.flatMap(({ id, problems = [] }) => problems.map((problem) => `${id}: ${problem}`));

/** An own step may do anything outside of the APIs, unless it says what, or that it changes nothing. */
const actsUnseen = (step: Step | undefined): boolean =>
  step?.own !== undefined && step.effect !== 'safe' && step.own.code.acts === undefined;

/** One entry for each operation: what several parts of a step call is added up. */
const byOperation = (calls: readonly PlannedCalls[]): PlannedCalls[] =>
  [...Map.groupBy(calls, ({ operation }) => operation)].map(([operation, of]) => {
    const [min, max] = total(of);
    const reasons = [...new Set(of.filter((each) => max !== null || each.max === null).flatMap(({ because }) => because ?? []))];
    const because = reasons.join('; ');
    return max === null ? { operation, min, max, because } : { operation, min, max, ...(because === '' ? {} : { because }) };
  });

const skipped = ({ when }: PlanStep): StepForecast => ({
  does: when === false ? 'skipped: its `when` gives false' : 'skipped: a need ends otherwise than it accepts',
  calls: [],
  items: 0,
});

/** What may do nothing sends nothing at least. */
function perhaps(conditions: readonly string[], forecast: StepForecast): StepForecast {
  if (conditions.length === 0) return forecast;
  const { calls, cost, acts } = forecast;
  return {
    ...forecast,
    calls: calls.map((each) => ({ ...each, min: 0, because: clauses([each.because, ...conditions]) })),
    ...(cost ? { cost: { ...cost, min: 0 } } : {}),
    ...(acts ? { acts: acts.map((act) => ({ ...act, perhaps: true as const })) } : {}),
  };
}

function toForecastStep(
  { id, use }: PlanStep,
  { does, calls: parts, seconds, cost, charged: inside, differences, problems, doubts, absent }: StepForecast,
): ForecastStep {
  const calls = byOperation(parts);
  const charged = inside ?? chargedBy(calls, cost);
  const [reads, writing] = [true, false].map((safe) => total(calls.filter(({ operation }) => isSafe(operation) === safe)));
  return {
    id,
    use,
    does,
    calls,
    writing: writing!,
    reads: reads!,
    limits: limitsOf(calls),
    ...(seconds === undefined ? {} : { seconds }),
    ...(cost ? { cost } : {}),
    ...(charged.length > 0 && { charged }),
    ...(differences && { differences }),
    ...(problems && { problems }),
    ...(doubts && { doubts }),
    ...(absent && { absent: absent.map(({ inside, ...files }) => ({ step: inside === undefined ? id : `${id}.${inside}`, ...files })) }),
  };
}

function limitsOf(calls: readonly PlannedCalls[]): LimitForecast[] {
  const classes = Map.groupBy(
    calls.filter(({ max }) => max !== 0),
    ({ operation }) => limitClassOf(operation),
  );
  return [...classes].map(([limit, members]) => {
    const interval = total(members);
    return { limit, calls: interval, floorSeconds: floorOf(limits[limit], interval[0]) };
  });
}

const ownFloor = (step: ForecastStep): number => Math.max(0, ...step.limits.map(({ floorSeconds }) => floorSeconds));

import {
  inside,
  type ActivityInput,
  type CollectInput,
  type EvaluateInput,
  type GatherInput,
  type ItemsInput,
  type LoopBody,
  type PlanStep,
} from '../../pipelines/plan.ts';
import { blockOf, placeOf } from './block.ts';
import { listsAround, pathByItem } from './by-item.ts';
import { scopeFor, scopeOf } from './scope.ts';
import { parseKey, type Command, type State, type StepState, type World } from './state.ts';

/** Commands that an activity does. */
export type Work = Exclude<Command, { do: 'child' | 'timer' }>;

/** What a worker is given for a command. */
export function argumentsOf(command: Work, state: State, world: World): unknown {
  const { plan, run } = world;
  switch (command.do) {
    case 'inspect':
      return { run, sources: plan.sources };
    case 'evaluate':
      return evaluateInput(command, state, world);
    case 'items':
      return { run, list: state.steps[command.step]!.input!, from: command.from } satisfies ItemsInput;
    case 'collect':
      return { run, step: command.step, batch: command.batch, rows: command.rows } satisfies CollectInput;
    case 'gather':
      return gatherInput(command.step, state, world);
    case 'activity':
      return activityInput(command, state, world);
  }
}

function evaluateInput({ tree, each, key }: Extract<Work, { do: 'evaluate' }>, state: State, world: World): EvaluateInput {
  const scope = scopeFor(tree, scopeOf(state, world, blockOf(world.plan, parseKey(key).step)));
  return { run: world.run, tree, scope, ...(each ? { each } : {}) };
}

function gatherInput(step: string, { steps }: State, { plan, run }: World): GatherInput {
  const { items, done, failed } = steps[step]!.loop!;
  const { each } = placeOf(plan, step).planned;
  return { run, step, columns: Object.keys(each!.outputs), counts: { count: items!, done, failed } };
}

function activityInput(command: Extract<Work, { do: 'activity' }>, state: State, world: World): ActivityInput {
  const { plan, run } = world;
  const { block, planned } = placeOf(plan, command.step);
  const { sweep, token, counts, input, retries } = state.steps[command.step]!;
  const byItem = pathByItem(state, block, planned.id);
  const lists = run.former && listsAround(state, block);
  return {
    run,
    step: {
      id: command.step,
      ...(byItem === undefined ? {} : { byItem }),
      ...(lists ? { lists } : {}),
      use: planned.use,
      ...(planned.version === undefined ? {} : { version: planned.version }),
      connections: planned.connections,
      ...(planned.tolerate ? { tolerate: planned.tolerate } : {}),
      ...(planned.approved ? { approved: planned.approved } : {}),
      ...(triesOf(retries, sweep) > 0 ? { retry: triesOf(retries, sweep) } : {}),
    },
    input: input ?? null,
    sources: state.sources ?? {},
    ...(command.phase === 'prepare' && planned.each ? { body: bodyOf(command.step, planned, state, world) } : {}),
    ...(command.chunk === undefined ? {} : { chunk: command.chunk }),
    ...(sweep ? { state: sweep.state } : {}),
    ...(command.phase === 'finish' ? { counts: counts ?? {} } : {}),
    ...(command.phase === 'check' ? { token: token ?? null } : {}),
  };
}

/** What names the attempts of a chunk that is sent again apart from those before it. */
const triesOf = (retries: StepState['retries'], sweep: StepState['sweep']): number => (retries?.begun ?? 0) + (sweep?.stopped ?? 0);

/** What workers do for each row, with what its expressions see: outputs of steps that it reads. */
function bodyOf(path: string, { id, each }: PlanStep, state: State, world: World): LoopBody {
  const steps = inside(world.plan, id);
  const read = [each!.outputs, ...steps.map(({ with: input, when }) => [input, when ?? true])];
  return { ...each!, steps, scope: scopeFor(read, scopeOf(state, world, blockOf(world.plan, path))) };
}

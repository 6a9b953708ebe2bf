import { rowsLoop } from '../../pipelines/steps/rows-loop.ts';
import type { Kind, Step } from '../../pipelines/step.ts';
import type { Activity, ActivityOf } from './activity.ts';
import type { definitions } from '../../pipelines/steps/table.ts';
import { ownPoll } from '../own/poll.ts';
import { ownStep } from '../own/step.ts';
import { ownSweep } from '../own/sweep.ts';

type Definitions = typeof definitions;
type Load<A> = () => Promise<{ default: A }>;

/** How each built-in step is done: a definition without code does not compile. Modules are loaded when their step is first run. */
const builtin: {
  [Name in keyof Definitions as Definitions[Name]['kind'] extends 'gate' ? never : Name]: Load<ActivityOf<Definitions[Name]>>;
} = {
  'dataset.ensure': () => import('../dataset/ensure.ts'),
  'dataset.append': () => import('../dataset/append.ts'),
  'dataset.upload': () => import('../dataset/upload.ts'),
  'dataset.load': () => import('../dataset/load.ts'),
  'dataset.mirror': () => import('../dataset/mirror.ts'),
  'images.add': () => import('../images/add.ts'),
  'documents.parse': () => import('../documents/parse.ts'),
  'index.build': () => import('../index/build.ts'),
  'index.update': () => import('../index/update.ts'),
  'data.delete': () => import('../data/delete.ts'),
  'points.select': () => import('../points/select.ts'),
  'points.list': () => import('../points/list.ts'),
  'points.search': () => import('../points/search.ts'),
  'points.neighbors': () => import('../points/neighbors.ts'),
  'points.tag': () => import('../points/tag.ts'),
  'points.restore': () => import('../points/restore.ts'),
  'agent.run': () => import('../agent/run.ts'),
  'budgets.compare': () => import('../budgets/compare.ts'),
  'budgets.apply': () => import('../budgets/apply.ts'),
  'budgets.ledger': () => import('../budgets/ledger.ts'),
  'api.call': () => import('../api/call.ts'),
};

/** The code of a step, a user's own included; undefined for a gate, where a person acts. `steps`: those that may stand in a loop over rows. */
export function codeOf({ name, own }: Step, steps: Readonly<Record<string, Step>> = {}): Load<Activity<any, any, Kind>> | undefined {
  if (name === rowsLoop.name) {
    const codeIn = (use: string) => (Object.hasOwn(steps, use) ? codeOf(steps[use]!, steps) : undefined);
    return async () => ({ default: (await import('../rows/loop.ts')).rowsOf(steps, codeIn) });
  }
  if (own) {
    const { code, ...file } = own;
    return async () => ({ default: 'each' in code ? ownSweep(code, file) : 'check' in code ? ownPoll(code, file) : ownStep(code, file) });
  }
  return (builtin as Readonly<Record<string, Load<Activity<any, any, Kind>>>>)[name];
}

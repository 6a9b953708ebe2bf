import type { z } from 'zod';
import type { Path } from '../file/findings.ts';
import { bare } from '../file/schema-fields.ts';
import { ids } from '../steps/ids.ts';
import { misfit, otherId } from './fits.ts';
import { idsOf, outputsOf, type Names } from './names.ts';

/**
 * References that fit where one does not, the likeliest first: outputs of the same step, where few do; for an id those of all steps
 * above. `path`: where the reference stands.
 */
export function fitting(code: string, taken: z.ZodType, all: Names, path: Path): string[] {
  const [root, id = ''] = code.split('.');
  const names = above(all, path);
  const step = root === 'steps' ? names.steps.get(id) : undefined;
  const same = step ? outputsOf(step).filter(([, given]) => !misfit(given, taken) && !otherId(given, taken)) : [];
  const of = ids.get(bare(taken))?.of;
  if (of !== undefined)
    return [...same.map(([name]) => `steps.${id}.${name}`), ...idsOf(of, names)].filter((each, at, all) => all.indexOf(each) === at);
  return same.length <= 3 ? same.map(([name]) => `steps.${id}.${name}`) : [];
}

/** The names that a place may refer to without a circle: the steps above its own. */
function above(names: Names, path: Path): Names {
  const list = [...names.steps];
  const own = stepAt(path);
  const at = list.findIndex(([id]) => id === own);
  return { ...names, steps: new Map(at < 0 ? list : list.slice(0, at)) };
}

/** The step in which a place stands: `b` of `steps.a.steps.b.with`. */
const stepAt = ([part, id, ...rest]: Path): Path[number] | undefined => (part === 'steps' ? (stepAt(rest) ?? id) : undefined);

import { formatPath, type Finding, type Locate, type Path } from '../file/findings.ts';
import { rowsLoop } from '../steps/rows-loop.ts';
import type { AnalysedStep } from './analysed-step.ts';

/** Kinds of steps that a worker cannot do for one row among thousands, and what to write instead. */
const elsewhere: Readonly<Partial<Record<AnalysedStep['definition']['kind'], { because: string; remedy: string }>>> = {
  gate: {
    because: 'nobody decides once for each of a million rows',
    remedy: 'put the gate before the loop: its approval holds for all rows',
  },
  loop: {
    because: 'a loop stands in no loop over rows',
    remedy: 'go over the inner list in an own step, or make a table with a row for each turn',
  },
  sweep: {
    because: 'it works in chunks itself',
    remedy: 'put it before or behind the loop; steps.LOOP.results is a table of what the rows gave',
  },
  poll: {
    because: 'it waits, and its row would hold up its chunk',
    remedy: 'start it in an own step, and wait for all of them behind the loop',
  },
  pipeline: {
    because: 'its run is some events, and a million rows are none',
    remedy: 'go over a list (forEach: { items: … }), or give the pipeline the whole table',
  },
};

/** Steps inside of a loop over rows that workers cannot do row by row, and reactions that need more than the row. */
export function checkRowsBody(steps: readonly AnalysedStep[], locate: Locate): Finding[] {
  const loops = new Set(steps.filter(({ definition }) => definition.name === rowsLoop.name).map(({ id }) => id));
  return steps
    .filter((step) => step.in !== undefined && step.on === undefined && loops.has(step.in))
    .flatMap(({ definition, path, loop, file: { onError } }): Finding[] => {
      const place: Path = [...path, loop ? 'forEach' : 'use'];
      const wrong = elsewhere[loop ? 'loop' : definition.kind];
      const name = loop ? 'a loop' : definition.name;
      return [
        ...(wrong
          ? [
              {
                code: 'not-in-rows' as const,
                message: `${name} cannot stand in a loop over rows: ${wrong.because}`,
                path: formatPath(place),
                remedy: wrong.remedy,
                ...locate.key(place),
              },
            ]
          : []),
        ...reactions({ onError, path }, locate),
      ];
    });
}

/** Of a row nothing is done about a failure but to count it: its chunk does not wait for it, and begins no steps of its own. */
const reactions = ({ onError, path }: { onError: AnalysedStep['file']['onError']; path: Path }, locate: Locate): Finding[] =>
  typeof onError !== 'object'
    ? []
    : Object.entries(onError).flatMap(([name, reaction]): Finding[] => {
        if (typeof reaction === 'string') return [];
        const place = [...path, 'onError', name];
        return [
          {
            code: 'not-in-rows',
            message: `in a loop over rows onError knows fail and tolerate: what may pass is tried again by itself, as long as the step's timeout allows`,
            path: formatPath(place),
            remedy: `write ${name}: tolerate, or tolerate: { failed: … } at the loop`,
            ...locate.key(place),
          },
        ];
      });

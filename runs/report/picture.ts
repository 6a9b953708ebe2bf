import { graphOf } from '../../pipelines/graph/graph.ts';
import { svg } from '../../pipelines/graph/svg.ts';
import type { RunView } from '../../workflows/messages.ts';
import { graphMarks } from '../graph-marks.ts';
import type { Order } from './order.ts';

/** The plan as a picture with what ran of it; nothing where the plan is lost. */
export const picture = (order: Order | undefined, view: RunView): string =>
  order
    ? `<h2>What ran</h2><div class="panel scroll">${svg(graphOf(order.plan.steps, graphMarks(view, order.plan.steps), order.plan.undo), `Steps of ${view.pipeline}`)}</div>`
    : '';

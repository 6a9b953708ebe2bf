import { forecast, type Forecast } from '../../pipelines/forecast/forecast.ts';
import { openly } from '../../pipelines/instantiate.ts';
import type { Plan } from '../../pipelines/plan.ts';
import type { CompiledFile } from './compile-file.ts';

/** What a plan would do, by the file alone: no source is opened and no service asked. What depends on them is taken as it may be. */
export function bareForecast(plan: Plan, steps: CompiledFile['open']['steps']): Forecast {
  const subs = plan.steps.filter(({ kind }) => kind === 'pipeline');
  const pipelines = new Map(subs.map(({ id, version }) => [id, bareForecast(openly(plan.pipelines![String(version)]!, plan), steps)]));
  return forecast(plan, steps, { table: () => undefined, datasets: new Map(), pipelines });
}

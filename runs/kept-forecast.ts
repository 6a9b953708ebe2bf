import type { Forecast } from '../pipelines/forecast/forecast.ts';
import { forecastFile } from '../store/kept-shapes.ts';
import type { RunStore } from '../store/run-store.ts';

export const keepForecast = (store: RunStore, forecast: Forecast): Promise<void> => store.writeJson(forecastFile, forecast);

/** Undefined where it is not there, or damaged: then it is made anew. */
export const readForecast = (store: RunStore): Promise<Forecast | undefined> =>
  store.readJson<Forecast>(forecastFile).catch(() => undefined);

import type { Forecast } from '../pipelines/forecast/forecast.ts';
import type { RunStore } from '../store/run-store.ts';

/** The plan of a run as it was before its first write; absent until somebody has asked for it. */
const forecastFile = 'forecast.json';

export const keepForecast = (store: RunStore, forecast: Forecast): Promise<void> => store.writeJson(forecastFile, forecast);

export const readForecast = (store: RunStore): Promise<Forecast | undefined> =>
  store.readJson<Forecast>(forecastFile).catch(() => undefined);

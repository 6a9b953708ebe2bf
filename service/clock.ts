/** Epoch milliseconds that never run backwards within one process. */
export const now = (): number => performance.timeOrigin + performance.now();

/** ISO time with fraction and zone, the form that public clients of the maps API parse. */
export const isoTime = (at: number = now()): string => new Date(at).toISOString();

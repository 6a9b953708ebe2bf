/** Whoever asked for a turn. `begin` gives it. */
type Asking = { alone: boolean; begin: () => void };

/**
 * Turns of work that runs beside other work, and of work that runs alone: given in the order of asking, so that neither kind waits
 * for ever. Resolves with what ends the turn; fails with the signal's reason where it aborts before.
 */
export function createTurns(): (how: { alone: boolean; signal?: AbortSignal }) => Promise<() => void> {
  const waiting: Asking[] = [];
  let underWay = 0;
  let oneIsAlone = false;
  const next = (): void => {
    for (let first = waiting[0]; first && !oneIsAlone && (underWay === 0 || !first.alone); first = waiting[0]) {
      waiting.shift();
      underWay++;
      oneIsAlone = first.alone;
      first.begin();
    }
  };
  const end = (): void => {
    underWay--;
    oneIsAlone = false;
    next();
  };
  return async ({ alone, signal }) => {
    signal?.throwIfAborted();
    const turn = Promise.withResolvers<void>();
    const asking = { alone, begin: turn.resolve };
    const leave = (): void => {
      const at = waiting.indexOf(asking);
      if (at < 0) return;
      waiting.splice(at, 1);
      turn.reject(signal!.reason);
      next();
    };
    signal?.addEventListener('abort', leave, { once: true });
    waiting.push(asking);
    next();
    await turn.promise.finally(() => signal?.removeEventListener('abort', leave));
    return end;
  };
}

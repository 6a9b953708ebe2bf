/** Time for code to hear an abort. */
const graceMs = 5_000;

/** Rejects a while after the signal, for code that does not hear it. */
export function whenUnheard(signal: AbortSignal) {
  const { promise, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  let happened = false;
  const wait = (): void => {
    timer = setTimeout(() => {
      happened = true;
      reject(signal.reason);
    }, graceMs);
  };
  if (signal.aborted) wait();
  else signal.addEventListener('abort', wait, { once: true });
  return {
    rejects: promise,
    happened: () => happened,
    end() {
      clearTimeout(timer);
      signal.removeEventListener('abort', wait);
    },
  };
}

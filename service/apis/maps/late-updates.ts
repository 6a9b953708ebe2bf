/** How long an update that is begun late waits after its answer, in milliseconds. */
const lateMs = 700;

/** Updates that were answered and are not begun: the reading `late` of `update-start`. They are lost with the process. */
export const createLateUpdates = () => {
  const waiting = new Map<string, NodeJS.Timeout>();
  return {
    /** Runs `begin` later; an order that waits for the same dataset already is the same one. */
    order(projectId: string, begin: () => Promise<unknown>): void {
      if (waiting.has(projectId)) return;
      const timer = setTimeout(() => {
        waiting.delete(projectId);
        // What a late order is refused for nobody is there to hear.
        begin().catch((error: unknown) => process.stderr.write(`late update of ${projectId}: ${String(error)}\n`));
      }, lateMs);
      timer.unref();
      waiting.set(projectId, timer);
    },
  };
};

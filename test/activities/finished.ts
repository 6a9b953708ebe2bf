/** Does it again until what it waits for is there. */
export async function finished(work: () => Promise<unknown>): Promise<unknown> {
  for (;;)
    try {
      return await work();
    } catch (error) {
      if ((error as { type?: string }).type !== 'NotYet') throw error;
    }
}

import { hadNoEffect } from '../effects/send-once.ts';
import { GivenAway } from '../frame/fence.ts';

/** Calls with an effect that have left for one attempt of a step or an item, and have not shown that nothing came of them. */
export type EffectsLeft = {
  count(): number;
  /** Follows one call, which says when it leaves; an answer may show too that nothing came of it. */
  follow<T>(call: (leaving: () => void) => Promise<T>, refused?: (answer: T) => boolean): Promise<T>;
};

export function countEffects(): EffectsLeft {
  let count = 0;
  return {
    count: () => count,
    async follow(call, refused = () => false) {
      let left = 0;
      const leaving = (): void => {
        left++;
        count++;
      };
      try {
        const answer = await call(leaving);
        if (refused(answer)) count -= left;
        return answer;
      } catch (error) {
        // An attempt that was given away ends its calls, whether they have left or not.
        if (hadNoEffect(error) && !(error instanceof GivenAway)) count -= left;
        throw error;
      }
    },
  };
}

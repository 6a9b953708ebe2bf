/** What is found of a write afterwards: the whole of it, nothing, or what is half about it. */
export type Found = 'whole' | 'none' | { half: string };

/** Of one that is there or not. */
export const whole = (is: boolean): Found => (is ? 'whole' : 'none');

/** Of one that has several parts. */
export const share = (found: number, all: number): Found =>
  found === all ? 'whole' : found === 0 ? 'none' : { half: `${found} of ${all}` };

/** Of one that makes a thing: two of them are one too many. */
export const once = (found: number): Found => (found === 1 ? 'whole' : found === 0 ? 'none' : { half: `${found} times` });

/** Goes on until its service is gone, or to an end. */
export const forEver =
  (act: (at: number) => Promise<void>, end = Infinity) =>
  async (): Promise<void> => {
    for (let at = 0; at < end; at++) await act(at);
  };

import { onThisMachine } from '../text/this-machine.ts';

/** Whether an address is on this machine. */
export const isLoopbackUrl = (url: string): boolean => onThisMachine.test(new URL(url).hostname);

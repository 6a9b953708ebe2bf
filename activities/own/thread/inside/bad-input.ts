/** What the code of a step gave is at fault: the worker reads its class by name and verdict, and does not try it again. */
export const badInput = (message: string): Error => Object.assign(new Error(message), { name: 'BadInput', verdict: 'bad_input' });

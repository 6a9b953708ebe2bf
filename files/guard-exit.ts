import { placesOf } from '../text/stack-places.ts';

/** Loads under way: several files are loaded side by side. */
let loads = 0;

/** `process.exit` as it was, while there are loads. */
let before: PropertyDescriptor | undefined;

/**
 * Until what it returns is called, a user's module cannot end this process: `process.exit` fails in its code, and does what it
 * always did in ours. Behind that it is the one that it was: a program that uses this package ends as it likes.
 */
export function guardExit(): () => void {
  loads += 1;
  if (loads === 1) {
    before = Object.getOwnPropertyDescriptor(process, 'exit');
    process.exit = guarded(process.exit.bind(process));
  }
  return () => {
    loads -= 1;
    if (loads === 0) Object.defineProperty(process, 'exit', before!);
  };
}

const guarded =
  (exit: typeof process.exit): typeof process.exit =>
  (code) => {
    const refusal = new Error(`its code calls process.exit(${code ?? ''})`);
    if (placesOf(refusal.stack).length > 0) throw refusal;
    return exit(code);
  };

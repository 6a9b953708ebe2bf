/** An error as it crosses between threads. `mine`: its number at the sender; `yours`: its number at the receiver, who threw it first. */
export type PackedError = {
  name: string;
  message: string;
  stack: string;
  fields: Readonly<Record<string, string | number | boolean>>;
  cause?: PackedError;
} & ({ mine: number } | { yours: number });

export type ErrorCodec = { pack(error: unknown): PackedError; unpack(packed: PackedError): Error };

/** Errors that may come back as they were; of more the oldest are forgotten, and come back as copies. */
const mostKept = 1_000;

const deepest = 5;

/**
 * Packs and unpacks errors with name, message, plain fields, stack and causes. One that comes back to the side which made it
 * is the same object again, so that its class counts there. `stacks`: whose frames an unpacked error has.
 */
export function createErrorCodec({ stacks }: { stacks: 'sender' | 'receiver' }): ErrorCodec {
  const made = new Map<number, Error>();
  const received = new WeakMap<Error, number>();
  let last = 0;
  const number = (error: Error): { mine: number } | { yours: number } => {
    const yours = received.get(error);
    if (yours !== undefined) return { yours };
    made.set(++last, error);
    if (made.size > mostKept) made.delete(last - mostKept);
    return { mine: last };
  };
  const pack = (thrown: unknown, depth = 0): PackedError => {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    return {
      name: error.name,
      message: error.message,
      stack: error.stack ?? '',
      fields: plainFields(error),
      ...(error.cause !== undefined && depth < deepest ? { cause: pack(error.cause, depth + 1) } : {}),
      ...number(error),
    };
  };
  const unpack = (packed: PackedError): Error => {
    const original = 'yours' in packed ? made.get(packed.yours) : undefined;
    const error = original ?? copy(packed);
    if (stacks === 'sender') error.stack = packed.stack;
    if ('mine' in packed) received.set(error, packed.mine);
    return error;
  };
  const copy = ({ name, message, fields, cause }: PackedError): Error => {
    const error = new Error(message, cause && { cause: unpack(cause) });
    Object.defineProperty(error, 'name', { value: name, configurable: true, writable: true });
    return Object.assign(error, fields);
  };
  return { pack, unpack };
}

const plain = new Set(['string', 'number', 'boolean']);

const plainFields = (error: Error): PackedError['fields'] =>
  Object.fromEntries(Object.entries(error).filter(([name, value]) => plain.has(typeof value) && name !== 'name'));

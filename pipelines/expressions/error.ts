import { roots } from './environment.ts';

/**
 * - `expression-syntax`: does not parse, or uses what is not allowed; found before the run.
 * - `expression-evaluation`: a missing field, an operator without such operands, a conversion that fails.
 * - `expression-cost`: would take too long on the data at hand.
 * - `expression-result`: evaluates to something that is not plain JSON.
 */
export type ExpressionErrorType = 'expression-syntax' | 'expression-evaluation' | 'expression-cost' | 'expression-result';

/** The one class that leaves this folder. `offset` counts characters from the start of the text that was given. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
  readonly type: ExpressionErrorType;
  readonly offset: number;
  constructor(type: ExpressionErrorType, message: string, offset = 0) {
    super(message);
    this.type = type;
    this.offset = offset;
  }
}

/** An expression begins with a name that is none here. `items`: the names of the items of the loops around it. */
export const unknownName = (name: string, items: ReadonlySet<string>, offset: number): ExpressionError =>
  new ExpressionError(
    'expression-syntax',
    `unknown name '${name}': an expression begins with ${[...roots, ...items].join(', ')}; text needs quotes`,
    offset,
  );

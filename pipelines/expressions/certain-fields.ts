import type { ASTNode } from '@marcbachmann/cel-js';
import { compileExpression } from './compile.ts';
import { children, comprehension } from './inspect.ts';
import { hasExpression, split } from './scan.ts';

/** A field of an item that an expression reads whatever the data are; `offset` counts characters from the start of the string. */
export type CertainField = { field: string; offset: number };

/**
 * Fields of an item without which the expressions of a string fail, whatever the data are: not those that are asked for (`has`, `.?`),
 * nor what stands in a branch, beside one that may decide alone, or in a comprehension, whose list may be empty.
 */
export function certainFields(text: string, item: string): CertainField[] {
  if (!hasExpression(text)) return [];
  return split(text).flatMap((segment) =>
    segment.kind === 'text'
      ? []
      : fieldsIn(compileExpression(segment.code).ast, item).map(({ field, offset }) => ({ field, offset: segment.codeStart + offset })),
  );
}

function fieldsIn(node: ASTNode, item: string): CertainField[] {
  const field = fieldOf(node, item);
  if (field) return [field];
  return evaluated(node).flatMap((child) => fieldsIn(child, item));
}

/** `row.title`, `row["title"]`. */
function fieldOf(node: ASTNode, item: string): CertainField | undefined {
  if (node.op !== '.' && node.op !== '[]') return undefined;
  const [of, key] = node.args;
  if (of.op !== 'id' || of.args !== item) return undefined;
  const field = typeof key === 'string' ? key : key.op === 'value' ? key.args : undefined;
  return typeof field === 'string' ? { field, offset: of.start } : undefined;
}

/** Operands that are surely evaluated, and whose failure is that of the whole. */
function evaluated(node: ASTNode): ASTNode[] {
  switch (node.op) {
    case '?:':
      return [node.args[0]];
    case '&&':
    case '||':
    case '.?':
    case '[?]':
      return [];
    case 'call':
      return node.args[0] === 'has' ? [] : children(node);
    case 'rcall':
      // The parts of what may be nothing are for the case that it is.
      if (['or', 'orValue'].includes(node.args[0])) return [];
      return comprehension(node) ? [node.args[1]] : children(node);
    default:
      return children(node);
  }
}

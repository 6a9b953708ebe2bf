import { nearest } from '../../text/nearest.ts';
import { comprehensions, functions, leftOut, methods } from './functions.ts';

/** What is wrong with an expression in plain words, and what to do. */
export type Explained = { message: string; remedy?: string };

const kinds: Readonly<Record<string, string>> = {
  int: 'a whole number',
  double: 'a number',
  string: 'a text',
  bool: 'true or false',
  list: 'a list',
  map: 'fields',
  null_type: 'null',
  dyn: 'a value',
};

/** A type of CEL in plain words. */
export const kindOfType = (type: string): string => kinds[type.replace(/<.*$/, '')] ?? (type.startsWith('$') ? 'fields' : type);

const convert = 'string(…) makes a text of a number, int(…) or double(…) a number of a text';
const syntax = 'operators: + - * / %, == != < <= > >=, in, && || !, a ? b : c; texts stand in quotes';

const known = [...Object.keys(functions), ...Object.keys(methods), ...Object.keys(comprehensions)];

function unknownCall(call: string): Explained {
  const [, on, name = ''] = /^(?:([\w<>$., ]+)\.)?(\w+)\(/.exec(call) ?? [];
  if (Object.hasOwn(leftOut, name)) return { message: `${name}() is left out`, remedy: leftOut[name]! };
  const near = nearest(name, known);
  if (known.includes(name))
    return {
      message: on === undefined ? `${name}() does not take these values` : `${kindOfType(on)} has no ${name}() with these values`,
      remedy: convert,
    };
  return near === undefined
    ? {
        message: `there is no ${name}()`,
        remedy: `there are ${Object.keys(functions).join(', ')}, and after a dot ${Object.keys(methods).slice(0, 11).join(', ')}`,
      }
    : { message: `there is no ${name}(); did you mean ${near}()?` };
}

/** Messages of the expression library by their beginning. */
const explanations: readonly (readonly [RegExp, (match: RegExpExecArray) => Explained])[] = [
  [
    /^no such overload: ([\w<>$., ]+?) ([-+*/%<>=!]+|in) ([\w<>$., ]+)$/,
    ([, left, operator, right]) => ({
      message: `${kindOfType(left!)} ${operator} ${kindOfType(right!)}: '${operator}' takes two values of one kind (${left} ${operator} ${right})`,
      remedy: convert,
    }),
  ],
  [
    /^no such overload: ([-!])(.*)$/,
    ([, operator, type]) => ({ message: `'${operator}' does not take ${kindOfType(type!)}`, remedy: syntax }),
  ],
  [/^found no matching overload for '(.*)'$/, ([, call]) => unknownCall(call!)],
  [
    /^Ternary condition must be bool, got '(.*)'$/,
    ([, type]) => ({ message: `before the '?' stands a condition, not ${kindOfType(type!)}`, remedy: 'compare it: a > 0 ? b : c' }),
  ],
  [
    /^Logical operator requires bool operands, got '(.*)'$/,
    ([, type]) => ({ message: `&& and || take conditions, not ${kindOfType(type!)}`, remedy: 'compare it: a > 0 && b' }),
  ],
  [
    /^Cannot index type '(.*)'$/,
    ([, type]) => ({ message: `${kindOfType(type!)} has no fields and no places`, remedy: 'leave out what stands behind it' }),
  ],
  [/^No such key: (.*)$/, ([, name]) => ({ message: `there is no field '${name}'`, remedy: 'take one that is there' })],
  [/^(\w+)\(\) is not available/, ([, name]) => unknownCall(`${name}()`)],
  [
    /^Unexpected token: EOF$/,
    () => ({ message: 'the expression ends too early', remedy: 'an operator or a bracket lacks its right side' }),
  ],
  [
    /^Expected (\w+), got EOF$/,
    ([, token]) => ({
      message: `the expression ends too early: ${{ RPAREN: "a ')'", RBRACKET: "a ']'", RBRACE: "a '}'", COLON: "the ':' of a ? b : c" }[token!] ?? 'something'} is missing`,
      remedy: 'close what is open',
    }),
  ],
  [/^Unterminated string/, () => ({ message: 'a text in it is not closed', remedy: 'close the quote' })],
  [/^Unexpected character: '?(.+?)'?$/, ([, character]) => ({ message: `'${character}' cannot stand here`, remedy: syntax })],
  [/^Unexpected token: (\w+)$/, ([, token]) => ({ message: `${token!.toLowerCase()} cannot stand here`, remedy: syntax })],
  [
    /^Expected IDENTIFIER, got (\w+)$/,
    () => ({ message: "a name is missing behind the '.'", remedy: 'write steps.ID.OUTPUT or params.NAME' }),
  ],
  [
    /^unknown name 'env'/,
    () => ({ message: 'an expression does not read the environment', remedy: 'declare a parameter and give it: --param NAME="$VALUE"' }),
  ],
  [
    /^unknown name 'secrets?'/,
    () => ({ message: 'an expression does not read secrets', remedy: 'portolan.config.mts names them, for connections and own steps' }),
  ],
  [
    /^(?:unknown name '|Unknown variable: )(\w+)(?:'(.*))?/,
    ([, name, rest = ': an expression begins with params, steps, run; text needs quotes']) => ({
      message: `unknown name '${name}'${rest}`,
      remedy: `"${name}" for a text`,
    }),
  ],
  [/^Reserved identifier: (\w+)$/, ([, name]) => ({ message: `'${name}' is no part of an expression`, remedy: syntax })],
  [
    /^the expression is empty$/,
    () => ({ message: 'the expression is empty', remedy: 'write ${{ params.NAME }} or ${{ steps.ID.OUTPUT }}' }),
  ],
  [
    /^the expression is not closed/,
    () => ({
      message: 'the expression is not closed: `${{` needs its `}}`',
      remedy: 'close it: ${{ … }}; for the two characters themselves write $${{',
    }),
  ],
];

export function explain(message: string): Explained {
  for (const [pattern, by] of explanations) {
    const match = pattern.exec(message);
    if (match) return by(match);
  }
  return { message };
}

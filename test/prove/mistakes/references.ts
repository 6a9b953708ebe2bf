import { at, misspelt, otherValue, useOf, type Maker, type Mistake, type MistakeClass, type Right } from './mistake.ts';
import { lineOf, replaced, type Place } from './places.ts';

type Found = { start: number; end: number; code: string };

/** Expressions of a file: where their code stands. */
const expressionsOf = ({ text }: Right): Found[] =>
  [...text.matchAll(/\$\{\{ (.*?) \}\}/g)].map((match) => ({ start: match.index, end: match.index + match[0].length, code: match[1]! }));

/** Changes the code of one expression that a pattern fits. */
const inExpression = (
  what: string,
  pattern: RegExp,
  change: (match: RegExpExecArray, draw: Parameters<Maker['make']>[1], right: Right) => string | undefined,
): Maker => ({
  what,
  make(right, draw) {
    const fitting = expressionsOf(right).filter(({ code }) => pattern.test(code));
    if (fitting.length === 0) return undefined;
    const { start, end, code } = draw.pick(fitting);
    const match = pattern.exec(code)!;
    const by = change(match, draw, right);
    if (by === undefined) return undefined;
    return at(right.text, { start, end }, `\${{ ${code.slice(0, match.index)}${by}${code.slice(match.index + match[0].length)} }}`);
  },
});

const whole = (
  what: string,
  fits: (place: Place, right: Right) => boolean,
  by: (code: string, right: Right, draw: Parameters<Maker['make']>[1]) => string | undefined,
): Maker => ({
  what,
  make(right, draw) {
    const fitting = right.places.filter(
      (place) => typeof place.data === 'string' && /^\$\{\{ [^{}]* \}\}$/.test(place.data) && fits(place, right),
    );
    if (fitting.length === 0) return undefined;
    const place = draw.pick(fitting);
    const code = String(place.data).slice(4, -3);
    const made = by(code, right, draw);
    if (made === undefined) return undefined;
    return at(right.text, place.value, place.flow && made.startsWith('${{') ? JSON.stringify(made) : made);
  },
});

const isField = (place: Place, ...names: string[]): boolean => names.includes(String(place.path.at(-1)));
const stepOf = (right: Right, use: string): string | undefined =>
  right.places.find(({ path, data }) => path.length === 3 && path[2] === 'use' && data === use)?.path[1] as string | undefined;
const codeOf = ({ data }: Place): string => String(data).slice(4, -3);
const simple = (code: string): boolean => /^(params|steps|run)(\.\w+)+$/.test(code);
const quoted = (right: Right, code: string): string => (right.name === 'json' ? `"\${{ ${code} }}"` : `\${{ ${code} }}`);
const unflowed = (place: Place, right: Right): boolean => !place.flow && right.name !== 'json';

export const references: MistakeClass = {
  name: 'references',
  makers: [
    whole(
      'text beside the expression of an id',
      (place, right) => isField(place, 'dataset', 'map') && unflowed(place, right) && /^steps\.\w+\.\w+$/.test(codeOf(place)),
      (code, _, draw) => draw.pick([`\${{ ${code} }} id`, `id-\${{ ${code} }}`, `$\${{ ${code} }}`]),
    ),
    inExpression('a misspelt parameter', /params\.(\w{3,})/, ([, name], draw) => `params.${misspelt(name!, draw)}`),
    inExpression('a misspelt step', /steps\.(\w{3,})/, ([, name], draw) => `steps.${misspelt(name!, draw)}`),
    inExpression('a misspelt output', /(steps\.\w+)\.(\w{3,})/, ([, step, name], draw) => `${step}.${misspelt(name!, draw)}`),
    inExpression(
      'an output that another step has',
      /(steps\.\w+)\.(id|url|count|points|rows|added)\b/,
      ([, step], draw) => `${step}.${draw.pick(['uuid', 'results_url', 'ids', 'total', 'status', 'output'])}`,
    ),
    inExpression('outputs in between', /(steps\.\w+)\.(\w+)/, ([, step, name]) => `${step}.outputs.${name}`),
    inExpression('a step without steps', /steps\.(\w+)\.(\w+)/, ([, step, name]) => `${step}.${name}`),
    inExpression('a parameter without params', /params\.(\w+)/, ([, name]) => name),
    inExpression(
      'params in another word',
      /params\.(\w+)/,
      ([, name], draw) => `${draw.pick(['inputs', 'param', 'env', 'vars', 'parameters'])}.${name}`,
    ),
    inExpression('a field that no run has', /params\.(\w+)/, () => 'run.number'),
    whole('{{ }} without the dollar', unflowed, (code) => `{{ ${code} }}`),
    whole('${ } with one brace', unflowed, (code) => (simple(code) ? `\${${code}}` : undefined)),
    whole('a reference without braces', unflowed, (code) => (simple(code) ? code : undefined)),
    whole('$( )', unflowed, (code) => (simple(code) ? `$(${code})` : undefined)),
    {
      what: 'a parameter that nothing uses',
      make(right) {
        const params = right.places.find(({ path, key, flow }) => path.length === 1 && path[0] === 'params' && key && !flow);
        if (!params || right.name === 'json') return undefined;
        const eol = right.text.indexOf('\n', params.key!.end);
        return {
          text: replaced(right.text, { start: eol, end: eol }, '\n  leftover: { type: string, default: x }'),
          lines: [lineOf(right.text, eol) + 1],
        };
      },
    },
  ],
};

/** What is referred to is there, and is something else than is taken. */
export const given: MistakeClass = {
  name: 'what references give',
  makers: [
    whole(
      'a count for points',
      (place) => isField(place, 'points'),
      (code, right) => quoted(right, code.replace('.points', '.count')),
    ),
    whole(
      'points for a number',
      (place) => isField(place, 'k', 'times', 'from', 'to') && place.path[0] === 'steps',
      (_, right) => {
        const step = stepOf(right, 'points.select') ?? stepOf(right, 'own.greet');
        return step === undefined
          ? undefined
          : quoted(right, `steps.${step}.${useOf(right, step) === 'own.greet' ? 'greetings' : 'points'}`);
      },
    ),
    whole(
      'a list for a text',
      (place) => isField(place, 'subject', 'reason', 'query'),
      (_, right) => {
        const step = stepOf(right, 'own.greet');
        return step === undefined ? undefined : quoted(right, `steps.${step}.greetings`);
      },
    ),
    whole(
      'a map’s id for a dataset',
      (place) => isField(place, 'dataset'),
      (_, right) => {
        const step = stepOf(right, 'index.build');
        return step === undefined ? undefined : quoted(right, `steps.${step}.id`);
      },
    ),
    whole(
      'a dataset’s id for a map',
      (place) => isField(place, 'map') && place.path[0] === 'steps',
      (_, right) => {
        const step = stepOf(right, 'dataset.ensure');
        return step === undefined ? undefined : quoted(right, `steps.${step}.id`);
      },
    ),
    whole(
      'a url for an id',
      (place) => isField(place, 'map', 'dataset'),
      (code, right) => (/\.(id|map)$/.test(code) ? quoted(right, code.replace(/\.\w+$/, '.url')) : undefined),
    ),
    whole(
      'a number for a text',
      (place) => isField(place, 'reason', 'query', 'slug', 'source'),
      (_, right) => {
        const param = right.places.find(
          ({ path, data }) => path[0] === 'params' && path[2] === 'type' && (data === 'integer' || data === 'number'),
        );
        return param === undefined ? undefined : quoted(right, `params.${String(param.path[1])}`);
      },
    ),
    whole(
      'a whole step',
      (place) => isField(place, 'dataset', 'map', 'points', 'names'),
      (code, right) => (/^steps\.\w+\.\w+$/.test(code) ? quoted(right, code.replace(/\.\w+$/, '')) : undefined),
    ),
  ],
};

const text = (what: string, pattern: RegExp, by: (match: RegExpMatchArray) => string): Maker => ({
  what,
  make(right, draw): Omit<Mistake, 'what' | 'file'> | undefined {
    const fitting = [...right.text.matchAll(pattern)];
    if (fitting.length === 0) return undefined;
    const match = draw.pick(fitting);
    return at(right.text, { start: match.index, end: match.index + match[0].length }, by(match));
  },
});

export const expressions: MistakeClass = {
  name: 'expressions',
  makers: [
    text('one closing brace', /(\$\{\{ [^}\n"]*) \}\}(?="?$)/gm, ([, code]) => `${code} }`),
    text('no closing braces', /(\$\{\{ [^}\n"]*) \}\}$/gm, ([, code]) => code!),
    text('nothing inside', /\$\{\{ [^}\n]* \}\}(?="?$)/gm, () => '${{ }}'),
    text('an operator without its right side', /(\$\{\{ [^}\n"]*) \}\}$/gm, ([, code]) => `${code} + }}`),
    text('a word for an operator', /(\$\{\{ [^}\n"]*) \}\}$/gm, ([, code]) => `${code} and true }}`),
    text('one = for two', /(\$\{\{ [^}\n"]*) \}\}$/gm, ([, code]) => `${code} = 1 }}`),
    text('three = for two', /(\$\{\{ [^}\n"]*) \}\}$/gm, ([, code]) => `${code} === 1 }}`),
    text('a filter after a bar', /(\$\{\{ [^}\n"]*) \}\}$/gm, ([, code]) => `${code} | default("x") }}`),
    text('?? for a default', /(\$\{\{ [^}\n"]*) \}\}$/gm, ([, code]) => `${code} ?? "x" }}`),
    text('a function that is not there', /(\$\{\{) ([^}\n"]*) \}\}$/gm, ([, open, code]) => `${open} len(${code}) }}`),
    text('a method that is not there', /(\$\{\{ [^}\n"]*) \}\}$/gm, ([, code]) => `${code}.toUpperCase() }}`),
    text('a misspelt method', /\.(startsWith|join|upperAscii|filter|exists|size)\(/g, ([, name]) => `.${name}e(`),
    text('text without quotes', /(\$\{\{) [^}\n"]* \}\}$/gm, ([, open]) => `${open} hello world }}`),
    text('a quote that is not closed', /"([^"\n]*)"(?=[^\n]* \}\}$)/gm, ([, word]) => `"${word}`),
    text('a parenthesis that is not closed', /(\$\{\{[^\n]*)\)( \}\})$/gm, ([, code, end]) => `${code}${end}`),
    text('a regular expression', /(\$\{\{ steps\.\w+\.(?:first|who|url)) \}\}$/gm, ([, code]) => `${code}.matches("a.*") }}`),
    text('a date', /(\$\{\{) [^}\n"]* \}\}$/gm, ([, open]) => `${open} timestamp("2024-01-01") }}`),
    text('now', /(\$\{\{) [^}\n"]* \}\}$/gm, ([, open]) => `${open} now() }}`),
    text(
      'a text and a number added',
      /(?<=^ +\w+: )(\$\{\{ steps\.\w+\.(?:count|rows|added|removed|failed|items)) \}\}$/gm,
      ([, code]) => `${code} + "x" }}`,
    ),
    text(
      'a number and a text added',
      /(?<=^ +\w+: )(\$\{\{ steps\.\w+\.(?:url|first|who|best|worst)) \}\}$/gm,
      ([, code]) => `${code} + 1 }}`,
    ),
    text('a text compared with a number', /(?<=^ +\w+: )(\$\{\{ steps\.\w+\.(?:url|first|who)) \}\}$/gm, ([, code]) => `${code} > 5 }}`),
    text(
      'a method of texts on a number',
      /(?<=^ +\w+: )(\$\{\{ steps\.\w+\.(?:count|rows|added)) \}\}$/gm,
      ([, code]) => `${code}.contains("1") }}`,
    ),
    text('a condition that is no condition', /(\$\{\{) (steps\.\w+\.(?:count|rows|url)) \}\}$/gm, ([, open, code]) =>
      `"${open} ${code} ? 1 : 2 }}"`.replaceAll('"', "'"),
    ),
    otherValue(
      'an expression without quotes in { }',
      (place) => place.flow && typeof place.data === 'string' && /^\$\{\{ [^"]* \}\}$/.test(place.data),
      ({ data }) => [String(data)],
    ),
    otherValue(
      'an expression cut at a colon',
      (place) =>
        !place.flow && place.path.length > 3 && typeof place.data === 'string' && /^\$\{\{ (params|steps)[^"]* \}\}$/.test(place.data),
      ({ data }) => [`\${{ true ? ${String(data).slice(4, -3)} : "none" }}`],
    ),
  ],
};

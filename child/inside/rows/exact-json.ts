/** Numbers that may not be what they say: up to fifteen digits are held by every double. */
const doubtful = /-?\d[\d.e+-]{15,}|-?\d[\d.]*e[\d+-]+|nan|-?inf(?:inity)?/gi;

/** DuckDB's JSON as JSON that loses nothing when it is read: numbers that JavaScript has not become texts, those that are none null. */
export function exactJson(json: string): string {
  if (!json.match(doubtful)?.some((number) => exactNumber(number) !== number)) return json;
  let exact = '';
  for (let at = 0; ;) {
    const quote = json.indexOf('"', at);
    exact += json.slice(at, quote < 0 ? undefined : quote).replace(doubtful, exactNumber);
    if (quote < 0) return exact;
    at = endOfText(json, quote);
    exact += json.slice(quote, at);
  }
}

function exactNumber(number: string): string {
  if (/n/i.test(number)) return 'null';
  const value = Number(number);
  // What has a point or an exponent is a decimal, or came from a double, whose digits come back.
  const isExact = /[.e]/i.test(number)
    ? String(value) === number || digitsOf(String(value)) === digitsOf(number)
    : Number.isSafeInteger(value);
  return isExact ? number : `"${number}"`;
}

/** Digits without the zeros before and behind them. */
const digitsOf = (number: string): string =>
  number
    .replace(/e.*$/i, '')
    .replace(/\D/g, '')
    .replace(/^0+|0+$/g, '');

/** The place behind the text that begins with a quote at `from`. */
function endOfText(json: string, from: number): number {
  for (let end = json.indexOf('"', from + 1); ; end = json.indexOf('"', end + 1)) {
    let before = end;
    while (json[before - 1] === '\\') before -= 1;
    if ((end - before) % 2 === 0) return end + 1;
  }
}

/**
 * Retry-After (RFC 9110 §10.2.3, §5.6.7): delay-seconds, or an HTTP-date in one of three forms.
 * Number() and Date.parse() are not used: they take '', '1e3', '0x10', 'Infinity' and read '120' as a year.
 */
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const day = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const longDay = '(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)';
const month = `(${months.join('|')})`;
const time = '(\\d\\d):(\\d\\d):(\\d\\d)';
const imfFixdate = new RegExp(`^${day}, (\\d\\d) ${month} (\\d{4}) ${time} GMT$`);
const rfc850 = new RegExp(`^${longDay}, (\\d\\d)-${month}-(\\d\\d) ${time} GMT$`);
const asctime = new RegExp(`^${day} ${month} ([ \\d]\\d) ${time} (\\d{4})$`);

/** RFC 9111 §1.2.2: a delay too large to hold is taken as 2^31 seconds. */
const longestSeconds = 2_147_483_648;

/** Milliseconds since the epoch of an HTTP-date in any of the three forms, or undefined. `now` decides the century of two-digit years. */
export function parseHttpDate(text: string, now: number): number | undefined {
  let match = imfFixdate.exec(text);
  if (match) return utc(Number(match[3]), match[2]!, match[1]!, match[4]!, match[5]!, match[6]!);
  match = rfc850.exec(text);
  if (match) {
    // RFC 9110 §5.6.7: more than 50 years ahead means the most recent past year with the same two digits.
    const thisYear = new Date(now).getUTCFullYear();
    let year = Math.floor(thisYear / 100) * 100 + Number(match[3]);
    if (year > thisYear + 50) year -= 100;
    return utc(year, match[2]!, match[1]!, match[4]!, match[5]!, match[6]!);
  }
  match = asctime.exec(text);
  if (match) return utc(Number(match[6]), match[1]!, match[2]!, match[3]!, match[4]!, match[5]!);
  return undefined;
}

function utc(year: number, monthName: string, dayOfMonth: string, hours: string, minutes: string, seconds: string): number | undefined {
  const [d, h, m, s] = [Number(dayOfMonth), Number(hours), Number(minutes), Number(seconds)] as const;
  if (h > 23 || m > 59 || s > 60) return undefined;
  const value = new Date(0);
  value.setUTCFullYear(year, months.indexOf(monthName), d);
  if (value.getUTCDate() !== d) return undefined;
  return value.setUTCHours(h, m, s);
}

/** Lists are split at commas that do not belong to a date: those follow a day name. */
const members = (value: string): string[] =>
  value
    .split(/(?<!\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)),/)
    .map((part) => part.trim());

/**
 * Milliseconds to wait by a Retry-After header; undefined where there is none or it is junk, 0 where it asks for
 * no wait or names a past date. A date is measured against the answer's own `Date`, so a skewed clock here makes
 * no call early. Of several values (a repeated header, a list) the longest legal one counts.
 */
export function parseRetryAfter(value: string | null | undefined, reply: { date?: string | null; now: number }): number | undefined {
  if (value === null || value === undefined) return undefined;
  const serverNow = (reply.date && parseHttpDate(reply.date.trim(), reply.now)) || reply.now;
  const waits = members(value).flatMap((member) => {
    if (/^\d+$/.test(member)) return Math.min(Number(member), longestSeconds) * 1_000;
    const at = parseHttpDate(member, serverNow);
    return at === undefined ? [] : Math.max(0, at - serverNow);
  });
  return waits.length === 0 ? undefined : Math.max(...waits);
}

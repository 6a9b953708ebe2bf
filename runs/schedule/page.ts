import { signs as stepSigns } from '../../pipelines/graph/signs.ts';
import type { Json } from '../../text/json.ts';
import { escapeHtml as e } from '../../text/html.ts';
import { markWords } from '../../text/mark.ts';
import { argument } from '../../text/shell.ts';
import { counted, duration } from '../../text/units.ts';
import { offsetAt, zoned } from '../../text/zone.ts';
import { reportStyle } from '../report/style.ts';
import { placeWords, takenBack } from '../reads-again.ts';
import { instant, section } from '../report/tables.ts';
import { clockWords } from './clock-words.ts';
import { gapsIn, standingOf, type DueTime, type Gap } from './gaps.ts';
import type { ScheduleOverview } from './overview.ts';
import type { ScheduleState } from './read.ts';
import { timing } from './timing.ts';

/** Runs that are listed one by one. */
const listed = 20;

const style = `
.times{display:flex;flex-wrap:wrap;gap:3px}.times i{width:14px;height:22px;border-radius:3px;background:var(--quiet);font-style:normal;font-size:11px;line-height:22px;text-align:center;color:var(--paper)}
.times .done{background:var(--good)}.times .failed{background:var(--bad)}.times .running,.times .paused,.times .queued{background:var(--sea)}.times .approval,.times .cancelled,.times .refused{background:var(--warn)}
.times u{width:3px;height:22px;border-radius:2px;background:var(--ink);text-decoration:none}
.times .none{background:none;border:1px dashed var(--bad);color:var(--bad);line-height:20px}
.one td:nth-child(-n+2){white-space:nowrap}
section.one{margin-top:3rem;border-top:1px solid var(--line)}section.one:first-of-type{margin-top:0}h2.name{font-size:1.3rem}
`;

/** Times that are drawn: gaps are looked for further back. */
const mostDrawn = 120;

/** Signs beside the colours. */
const signs: Readonly<Record<string, string>> = { ...stepSigns, queued: '·', refused: '–', paused: '∥' };

/** One plain, self-contained page about schedules: no script, no outside asset, every value escaped. */
export const schedulesPage = (overviews: readonly ScheduleOverview[], writtenAt: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark">
<title>Schedules</title><style>${reportStyle}${style}</style></head><body><main>
<header><h1>Schedules</h1></header>
${overviews.length === 0 ? '<p class="quiet">There is no schedule yet: <code>portolan schedule apply FILE</code></p>' : overviews.map(one).join('\n')}
<footer>Written ${instant(writtenAt)}. A gap is a time of which no run has ended well: its runs failed, were cancelled, refused or taken back, or it was never run, because of a pause, <code>overlap</code>, an outage longer than <code>catchUp</code>, or a change of the clocks that has left out the one time at which its window is read; times before the server had the schedule, or from which on not all its runs are known, are none. A time whose run is under way is no gap.</footer>
</main></body></html>
`;

function one({ state, past, preview, marks }: ScheduleOverview): string {
  const { name, schedule, paused, note, input, appliedAt, started } = state;
  const { timezone, overlap, catchUp } = schedule;
  const gaps = gapsIn(past);
  const drawn = past.slice(-mostDrawn);
  const missing = gaps.reduce((sum, { count }) => sum + count, 0);
  const facts: [string, string][] = [
    ['due', e(timing(schedule))],
    ['overlap', `${e(overlap)}, catch-up ${e(catchUp)}`],
    ['applied', `${instant(appliedAt)} by ${e(input.start.who)}`],
    ['plan', `<code>${e(input.plan.hash.slice(0, 12))}</code>`],
    ['runs started', String(started)],
    [
      'gaps',
      `${missing === 0 ? 'none' : `<b class="failed">${missing}</b>`}${past[0] ? ` since ${e(zoned(timezone, Date.parse(past[0].scheduledAt)))}` : ''}`,
    ],
  ];
  return `<section class="one"><h2 class="name"><b class="${paused ? 'paused' : 'done'}">${paused ? 'paused' : 'active'}</b> ${e(name)}${paused && note !== '' ? ` <small class="quiet">${e(note)}</small>` : ''}</h2>
<dl>${facts.map(([term, text]) => `<div><dt>${term}</dt><dd>${text}</dd></div>`).join('')}</dl>
<h2>Times so far</h2>${past.length === 0 ? '<p class="quiet">It was not due yet.</p>' : `<div class="panel times">${drawn.map((time, at) => clockMark(drawn[at - 1], time, timezone) + cell(time, timezone)).join('')}</div>`}
${[
  section(
    'Gaps',
    ['from', 'times', 'why', 'made up for by'],
    gaps.map((gap) => [
      e(zoned(timezone, Date.parse(gap.from))),
      String(gap.count),
      e(whyWords(gap.why)),
      `<code>${e(madeUpBy(gap, state))}</code>`,
    ]),
    [1],
  ),
  section(
    'Next',
    ['due', 'window'],
    preview.next.map(({ scheduledAt, window }) => [e(zoned(timezone, Date.parse(scheduledAt))), windowText(window, timezone)]),
  ),
  section(
    'Changes of the clocks',
    ['day', 'clocks go', 'what it does'],
    preview.clocks.map((effect) => {
      const { day, change, effects, harmless } = clockWords(effect, timezone);
      return [e(day), e(change), harmless ? `<span class="quiet">${e(effects)}</span>` : e(effects)];
    }),
  ),
  section(
    'Watermarks',
    ['step', 'stands at', 'was', 'rows', 'set', 'by', 'dataset', 'source'],
    marks.map(({ step, to, from, rows, at, run, by, dataset, source, readsAgain }) => [
      e(step),
      `<code>${e(markWords(to))}</code>${readsAgain ? `<br><small>read next from ${e(placeWords(readsAgain.from))}: ${e(takenBack(readsAgain.undone))}</small>` : ''}`,
      `<code>${e(markWords(from))}</code>`,
      rows === undefined ? '' : rows.toLocaleString('en-US'),
      instant(at),
      e(run ?? by ?? ''),
      `<code>${e(dataset)}</code>`,
      e(source),
    ]),
    [3],
  ),
  section(
    'Runs',
    ['due', 'window', 'run', '', 'took'],
    past
      .toReversed()
      .flatMap(({ scheduledAt, window, runs }) => runs.map((run) => ({ scheduledAt, window, run })))
      .slice(0, listed)
      .map(({ scheduledAt, window, run: { run, state: is, startedAt, endedAt } }) => [
        e(zoned(timezone, Date.parse(scheduledAt))),
        windowText(window, timezone),
        e(run),
        `<b class="${e(is)}">${e(is)}</b>`,
        endedAt === undefined ? '' : duration(Date.parse(endedAt) - Date.parse(startedAt)),
      ]),
  ),
]
  .filter(Boolean)
  .join('\n')}
</section>`;
}

/** A value of a parameter as a command takes it. */
const wordOf = (value: Json | undefined): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The command that makes up for a gap. */
function madeUpBy({ from, to, leftOut }: Gap, { name, environment, input: { plan, start } }: ScheduleState): string {
  if (!leftOut) return `portolan schedule backfill ${name} --from ${bare(from)} --to ${bare(to)} --yes`;
  const named = environment === undefined ? [] : ['--env', environment];
  const connection = start.connections['maps'];
  const given = (start.given ?? []).flatMap((param) => ['-p', `${param}=${wordOf(plan.params[param])}`]);
  const words = [start.file ?? 'FILE', ...named, ...(connection === undefined ? [] : ['-c', connection]), ...given];
  return ['portolan run', ...words.map(argument), `--at ${bare(from)}`].join(' ');
}

/** `failed`; of several reasons how many of each: `2 never run, 1 failed`. */
function whyWords(why: Gap['why']): string {
  const reasons = Object.entries(why);
  return reasons.length === 1 ? reasons[0]![0] : reasons.map(([reason, count]) => `${count} ${reason}`).join(', ');
}

/** A time with the state of the run by which it is known what became of it. */
function cell(time: DueTime, timezone: string): string {
  const standing = standingOf(time);
  const { run } = standing;
  const at = zoned(timezone, Date.parse(time.scheduledAt));
  const says = standing.is === 'gap' ? standing.why : standing.run.state;
  const more = time.runs.length > 1 ? `, ${counted(time.runs.length, 'run')}` : '';
  const title = e(`${at}: ${says}${run ? `, ${run.run}` : ''}${more}`);
  // Only what has a colour and a sign of its own shows its state.
  const state = run && signs[run.state] !== undefined && says === run.state ? run.state : undefined;
  return state === undefined ? `<i class="none" title="${title}">!</i>` : `<i class="${e(state)}" title="${title}">${signs[state]}</i>`;
}

/** Between two times, where the clocks have changed: an hour that is there twice, or not at all, is no mistake. */
function clockMark(before: DueTime | undefined, { scheduledAt }: DueTime, timezone: string): string {
  const at = Date.parse(scheduledAt);
  const by = before === undefined ? 0 : offsetAt(timezone, at) - offsetAt(timezone, Date.parse(before.scheduledAt));
  if (by === 0) return '';
  return `<u title="${e(`clocks went ${by > 0 ? 'forward' : 'back'} ${Math.abs(by) / 60_000} min before ${zoned(timezone, at)}`)}"></u>`;
}

const windowText = (window: DueTime['window'], timezone: string): string =>
  window === undefined ? '' : e(`${zoned(timezone, Date.parse(window.from))} to ${zoned(timezone, Date.parse(window.to))}`);

/** A time as a command takes it. */
const bare = (iso: string): string => iso.replace('.000Z', 'Z');

import type { RunEvent } from '../../store/run-store.ts';
import { signs } from '../../pipelines/graph/signs.ts';
import type { StepView } from '../../workflows/messages.ts';
import { momentsOf, type Loss } from '../losses.ts';
import { chunksOf, spanOf } from '../pace.ts';
import { escapeHtml as e } from '../../text/html.ts';
import { duration, number } from '../../text/units.ts';
import { onGrid, type Span } from '../spans.ts';
import { waitsOf } from '../waits.ts';

export type TimelineData = { steps: readonly StepView[]; events: readonly RunEvent[]; losses: readonly Loss[]; run: Span };

/** Places of the picture that can be distinguished; what falls on one is drawn once. */
const places = 250;

const isTry = ({ kind }: RunEvent): boolean => kind === 'retry' || kind === 'failure' || kind === 'reconcile';

type Phase = Span & { name: 'prepare' | 'chunks' | 'finish' | 'work' };

/** The steps of a run as bars over its time, with what was lost, tried again and waited for. */
export function timeline({ steps, events, losses, run }: TimelineData): string {
  const length = Math.max(1, run.to - run.from);
  const left = (at: number): string => (Math.max(0, Math.min(1, (at - run.from) / length)) * 100).toFixed(2);
  const bar = (style: string, { from, to }: Span, title: string): string =>
    `<i class="bar ${style}" style="left:${left(from)}%;width:${Math.max(0.3, ((to - from) / length) * 100).toFixed(2)}%" title="${e(title)}"></i>`;
  const mark = (style: string, at: number, title: string): string =>
    `<i class="mark ${style}" style="left:${left(at)}%" title="${e(title)}"></i>`;
  const chunks = chunksOf(events);
  const clock = (at: number): string => duration(Math.max(0, at - run.from));

  const rows = steps.map((step) => {
    const phases = phasesOf(step, chunks.get(step.id) ?? [], run.to);
    const own = events.filter((event) => event.step === step.id);
    const marks = [
      ...momentsOf(losses, step.id).map((at) => mark('lost', at, `worker lost, taken up again at ${clock(at)}`)),
      ...[
        ...Map.groupBy(
          own.filter(isTry),
          ({ kind, at }) => `${kind} ${Math.round(((Date.parse(at) - run.from) / length) * places)}`,
        ).values(),
      ].map(([first, ...others]) => {
        const at = Date.parse(first!.at);
        const more = others.length > 0 ? ` (and ${number(others.length)} more)` : '';
        return mark(first!.kind, at, `${first!.kind} at ${clock(at)}: ${first!.cause}${more}`);
      }),
    ];
    const bars = phases.map((phase) =>
      bar(
        step.kind === 'gate' ? 'wait' : `${step.status} ${phase.name}`,
        phase,
        `${phase.name} ${clock(phase.from)} to ${clock(phase.to)}`,
      ),
    );
    const took = phases.length === 0 ? undefined : phases.at(-1)!.to - phases[0]!.from;
    const words = step.reusedFrom === undefined ? step.use : `reused from ${step.reusedFrom}`;
    return `<div class="step"><b class="${step.status}">${signs[step.status]}</b><span>${e(step.id)}<small>${e(words)}</small></span><div class="lane">${step.reusedFrom === undefined ? bars.join('') : ''}${marks.join('')}</div><em>${step.reusedFrom !== undefined ? 'reused' : took === undefined ? '' : duration(took)}</em></div>`;
  });
  const waits = waitsOf(events, run.to).map(
    ({ cause, calls, wallMs, spans }) =>
      `<div class="step waits"><b class="approval">∥</b><span>${e(cause)}<small>${number(calls)} call${calls === 1 ? '' : 's'} waited</small></span><div class="lane">${onGrid(
        spans,
        run,
        places,
      )
        .map((span) => bar('wait', span, `waited ${clock(span.from)} to ${clock(span.to)}`))
        .join('')}</div><em>${duration(wallMs)}</em></div>`,
  );
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => `<i>${duration(share * length)}</i>`).join('');
  return `<h2>Timeline</h2><div class="steps">
${[...rows, ...waits].join('\n')}
<div class="step ticks"><b></b><span></span><div class="lane">${ticks}</div><em></em></div>
<p class="legend"><span><i class="bar work"></i> work</span> <span><i class="bar prepare"></i> prepare and finish</span> <span><i class="bar wait"></i> waiting</span> <span><i class="mark lost"></i> worker lost</span> <span><i class="mark retry"></i> tried again or looked up</span></p>
</div>`;
}

/** A sweep's three parts, from the times of its chunks; everything else is one piece. */
function phasesOf(step: StepView, chunks: readonly RunEvent[], now: number): Phase[] {
  if (step.startedAt === undefined) return [];
  const whole: Span = { from: Date.parse(step.startedAt), to: step.endedAt ? Date.parse(step.endedAt) : now };
  if (step.kind !== 'sweep' || chunks.length === 0) return [{ name: 'work', ...whole }];
  const spans = chunks.map(spanOf);
  const first = Math.max(whole.from, Math.min(...spans.map(({ from }) => from)));
  const last = Math.min(whole.to, Math.max(...spans.map(({ to }) => to)));
  return [
    { name: 'prepare', from: whole.from, to: first },
    { name: 'chunks', from: first, to: step.status === 'done' ? last : whole.to },
    ...(step.status === 'done' ? [{ name: 'finish' as const, from: last, to: whole.to }] : []),
  ];
}

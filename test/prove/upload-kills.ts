import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { partsInFlight, planParts } from '../../pipelines/steps/dataset/part-plan.ts';
import { writeArrowRows } from '../support/arrow-rows.ts';
import { createStack } from '../support/stack.ts';
import { line, type Line, type Proof } from './proof.ts';
import { createBundle } from './support-bundle.ts';
import { uploadRound, type UploadRound } from './support-upload.ts';

const MiB = 1024 * 1024;

export type UploadScale = { rows: number; uploads: number; kills: number; calmRows: number };

/**
 * 1 GiB in a million rows, four times: at an even intake the parts on their way arrive together, and one upload has not
 * parts enough for twenty kills with new ones in between.
 */
const full: UploadScale = { rows: 1_000_000, uploads: 4, kills: 5, calmRows: 160_000 };
const textBytes = 1_040;

const bytesPerSecond = 50 * MiB;
const firstByteWithin = 5;

export const proof: Proof = {
  name: 'upload-kills',
  sets: ['fire'],
  what: 'kill -9 of the worker, twenty times while files of 1 GiB are sent: the same file arrives, acknowledged parts leave once',
  run: (context) => uploadKills(full, context),
};

/** The proof at another size, for who works on it. */
export async function uploadKills(
  { rows, uploads, kills, calmRows }: UploadScale,
  { note, rounds, kept }: Parameters<Proof['run']>[0],
): Promise<Line[]> {
  const folder = await mkdtemp(join(tmpdir(), 'portolan-upload-'));
  try {
    await using bundle = await createBundle();
    const [source, small] = [join(folder, 'rows.arrow'), join(folder, 'small.arrow')];
    await writeArrowRows(source, { rows, textBytes });
    await writeArrowRows(small, { rows: calmRows, textBytes });
    const { size } = await stat(source);
    const { partSize, parts } = planParts(size);
    note(`${(size / MiB).toFixed(0)} MiB, ${rows} rows, ${parts} parts`);
    const made: UploadRound[] = [];
    for (let at = 0; at < uploads * rounds; at++) {
      const one = await kept.round(`kills-${at}`, async () => {
        await using stack = await createStack({ bundle: bundle.path });
        return await uploadRound(stack, { source, slug: 'killed', kills, bytesPerSecond });
      });
      for (const kill of one.kills)
        note(
          `killed with ${kill.acknowledged} parts acknowledged (${kill.returned} by chunks that returned): ${kill.again} sent again, worker ready after ${kill.ready.toFixed(2)} s, first byte after ${kill.firstByte.toFixed(2)} s`,
        );
      note(`${one.seconds.toFixed(0)} s`);
      made.push(one);
    }
    const lines = judge(made, { kills: uploads * rounds * kills, rows, partSize });

    await using stack = await createStack({ bundle: bundle.path });
    const calm = await kept.round('calm', () => uploadRound(stack, { source: small, slug: 'calm', kills: 0, bytesPerSecond }));
    const most = ((partsInFlight + 2) * partSize) / MiB + 64;
    lines.push(line('memory of the worker above idle, no kill', `${calm.grownMb} MiB`, `≤ ${most} MiB`, calm.grownMb <= most));
    const naive = await kept.round('naive', () =>
      uploadRound(stack, { source: small, slug: 'naive', kills: 1, bytesPerSecond, forget: true }),
    );
    const again = naive.kills.reduce((sum, kill) => sum + kill.acknowledgedAgain, 0);
    lines.push(
      line(
        'control, the record of acknowledged parts is lost with the worker: acknowledged parts sent again',
        `${again}; the file arrives ${naive.sha256.object === naive.sha256.file ? 'whole all the same' : 'DIFFERENT'}`,
        '> 0',
        again > 0 && naive.state === 'done',
      ),
    );
    return lines;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function judge(made: readonly UploadRound[], { kills: wanted, rows, partSize }: { kills: number; rows: number; partSize: number }): Line[] {
  const kills = made.flatMap((each) => each.kills);
  const most = (of: (kill: UploadRound['kills'][number]) => number, among = kills): number => Math.max(...among.map(of));
  const sum = (of: (each: UploadRound) => number): number => made.reduce((total, each) => total + of(each), 0);
  const fresh = made.flatMap((each) => each.kills.filter(({ returned }, at) => returned > (each.kills[at - 1]?.returned ?? 0)));
  const busy = kills.filter(({ again }) => again > 0).length;
  const whole = made.filter(({ sha256 }) => sha256.object === sha256.file).length;
  const equal = kills.filter((kill) => kill.equal).length;
  const acknowledgedAgain = kills.reduce((total, kill) => total + kill.acknowledgedAgain, 0);
  const bytesAgain = most((kill) => kill.bytesAgain);
  // Killed when the last part was acknowledged nothing is left to send.
  const firstByte = most(
    (kill) => kill.firstByte,
    kills.filter(({ left }) => left > 0),
  );
  const all = made.filter((each) => each.state === 'done' && each.rows === rows).length;
  return [
    line(
      'kill -9 of the worker, each after a newly acknowledged part',
      `${fresh.length} of ${wanted} in ${made.length} uploads, ${busy} with parts on their way`,
      `${wanted} of ${wanted}, most with parts on their way`,
      fresh.length === wanted && busy > wanted / 2,
    ),
    line('SHA-256 of the acknowledged parts at the service, after each kill', `equal ${equal} of ${wanted}`, 'all', equal === wanted),
    line('SHA-256 of the object at the service', `the file's ${whole} of ${made.length}`, 'all', whole === made.length),
    line('acknowledged parts sent again', acknowledgedAgain, '0', acknowledgedAgain === 0),
    line(
      'bytes sent again after one kill, parts counted whole',
      `at most ${(bytesAgain / MiB).toFixed(0)} MiB`,
      `≤ ${(partsInFlight * partSize) / MiB} MiB`,
      bytesAgain <= partsInFlight * partSize,
    ),
    line('first byte of a part after a kill', `at most ${firstByte.toFixed(2)} s`, `≤ ${firstByteWithin} s`, firstByte <= firstByteWithin),
    line('rows at the service', `${rows.toLocaleString('en-US')} in ${all} of ${made.length}`, 'all', all === made.length),
    line(
      'effects repeated',
      `${sum(({ repeated }) => repeated)}; uploads ${sum(({ uploads }) => uploads)}, completions with an effect ${sum(({ completions }) => completions)}`,
      `0; ${made.length}, ${made.length}`,
      made.every(({ repeated, uploads, completions }) => repeated === 0 && uploads === 1 && completions === 1),
    ),
  ];
}

import { byId, counted, element } from './panel.js';

const stages = {
  Waiting: 'waiting',
  Embedding: 'embedding the rows',
  Indexing: 'checking the vectors',
  Projecting: 'placing the points',
  Labeling: 'finishing',
};

/** What is shown while a map is being built, or when that failed. */
export const showStage = (about) => {
  const stage = byId('stage');
  const failed = about.stage === 'Failed';
  stage.hidden = false;
  stage.classList.toggle('failed', failed);
  stage.replaceChildren(
    element('b', {}, failed ? 'This map could not be built' : `This map is being built: ${stages[about.stage] ?? about.stage}`),
    failed
      ? (about.error ?? '')
      : about.stage === 'Embedding' && about.embedded !== null
        ? `${counted(about.embedded)} of ${counted(about.rows)} rows`
        : `${counted(about.rows)} rows`,
  );
  if (about.stage === 'Embedding' && about.embedded !== null)
    stage.append(element('br'), element('progress', { max: about.rows, value: about.embedded, ariaLabel: 'rows embedded' }));
};

/** Statuses follow the service. The page of one agent is loaded again when it has changed, unless somebody is writing on it. */
const marks = [...document.querySelectorAll('[data-agent]')];
const one = document.querySelector('[data-one]');
const everyMs = 1_000;
const isWriting = () => [...document.querySelectorAll('textarea')].some(({ value }) => value !== '');

const show = (mark, { status, words, updatedAt }) => {
  if (one && mark.dataset.updated !== updatedAt && !isWriting()) return location.reload();
  mark.dataset.status = status;
  mark.textContent = words;
};

const look = async () => {
  const ids = marks.map(({ dataset }) => dataset.agent).join(',');
  const answer = document.hidden ? undefined : await fetch(`/pages/agents?ids=${ids}`).catch(() => undefined);
  if (answer?.ok) {
    const { agents } = await answer.json();
    for (const mark of marks) if (agents[mark.dataset.agent]) show(mark, agents[mark.dataset.agent]);
  }
  setTimeout(look, everyMs);
};
if (marks.length > 0) setTimeout(look, everyMs);

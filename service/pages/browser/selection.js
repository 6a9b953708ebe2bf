import { byId, counted } from './panel.js';

/** What is selected, and what can be done with it: to be tagged, or to lose a tag. `select(rows)` and `tag(name, operation)` are the map's. */
export const listenSelection = ({ state, select, tag }) => {
  const button = byId('lasso');
  button.addEventListener('click', () => {
    state.drawing = !state.drawing;
    button.setAttribute('aria-pressed', String(state.drawing));
    byId('canvas').classList.toggle('drawing', state.drawing);
  });
  const note = byId('tag-note');
  const send = async (operation) => {
    const name = byId('tag-name').value.trim();
    if (name === '') {
      byId('tag-name').focus();
      note.textContent = 'Give the tag a name.';
      return;
    }
    note.textContent = operation === 'add' ? 'Tagging …' : 'Taking the tag away …';
    try {
      const { points_tagged } = await tag(name, operation);
      const points = `${counted(points_tagged)} ${points_tagged === 1 ? 'point' : 'points'}`;
      note.textContent = operation === 'add' ? `${points} tagged “${name}”.` : `“${name}” taken from ${points}.`;
    } catch (error) {
      note.textContent = error.message;
    }
  };
  byId('tag-form').addEventListener('submit', (event) => {
    event.preventDefault();
    void send('add');
  });
  byId('untag').addEventListener('click', () => void send('remove'));
  byId('deselect').addEventListener('click', () => select(new Uint32Array(0)));
  return (rows) => {
    byId('selection-section').hidden = rows.length === 0;
    byId('selected').textContent = `${counted(rows.length)} ${rows.length === 1 ? 'point' : 'points'} selected`;
    note.textContent = '';
  };
};

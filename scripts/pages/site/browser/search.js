// The search field, and buttons that copy commands. `searchIndex` comes from search-index.js, `searchSections` from rank.js.
const input = document.getElementById('search');
const list = document.getElementById('found');
input.hidden = false;

const element = (name, text, className) => {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  return made;
};

/** The text around the first word found, that word marked. */
const excerpt = ({ text }, words) => {
  const body = text.toLowerCase();
  const made = element('span', '', 'excerpt');
  const [at, word] = words.map((each) => [body.indexOf(each), each]).find(([place]) => place >= 0) ?? [-1, ''];
  if (at < 0) {
    made.textContent = text.slice(0, 110);
    return made;
  }
  const from = Math.max(0, at - 40);
  made.append(from > 0 ? `…${text.slice(from, at)}` : text.slice(0, at));
  made.append(element('mark', text.slice(at, at + word.length)), `${text.slice(at + word.length, at + word.length + 80)}…`);
  return made;
};

let chosen = -1;

const show = (found) => {
  chosen = -1;
  list.replaceChildren(
    ...found.map(({ section, words }, index) => {
      const link = element('a', '');
      link.href = section.href;
      link.append(element('b', section.heading), element('small', section.page), excerpt(section, words));
      const item = element('li', '');
      item.id = `found-${index}`;
      item.setAttribute('role', 'option');
      item.append(link);
      return item;
    }),
  );
  if (found.length === 0 && input.value.trim() !== '') list.replaceChildren(element('li', 'Nothing found', 'nothing'));
  list.hidden = input.value.trim() === '';
  input.setAttribute('aria-expanded', String(!list.hidden));
};

const choose = (next) => {
  const items = [...list.querySelectorAll('li[role=option]')];
  if (items.length === 0) return;
  chosen = (next + items.length) % items.length;
  for (const [index, item] of items.entries()) item.setAttribute('aria-selected', String(index === chosen));
  items[chosen].scrollIntoView({ block: 'nearest' });
  input.setAttribute('aria-activedescendant', items[chosen].id);
};

input.addEventListener('input', () => show(searchSections(globalThis.searchIndex, input.value)));
input.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown') choose(chosen + 1);
  else if (event.key === 'ArrowUp') choose(chosen - 1);
  else if (event.key === 'Enter') list.querySelectorAll('li[role=option] a')[Math.max(0, chosen)]?.click();
  else if (event.key === 'Escape') {
    input.value = '';
    show([]);
    input.blur();
  } else return;
  event.preventDefault();
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target === input) return;
  event.preventDefault();
  input.focus();
});
list.addEventListener('click', (event) => {
  if (event.target.closest('a')) list.hidden = true;
});
document.addEventListener('click', (event) => {
  if (!event.target.closest('.search')) list.hidden = true;
});

for (const block of document.querySelectorAll('figure.code:not(.output)')) {
  const button = element('button', 'Copy');
  button.type = 'button';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.querySelector('code').textContent.trimEnd());
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = 'Copy'), 1_500);
  });
  block.append(button);
}

// The theme, and what keeps listing and source of a part of a page in step. Scripts of pages follow in the same scope.
const html = document.documentElement, theme = document.getElementById('theme');
try {
  const kept = localStorage.getItem('heddle-theme');
  if (kept) html.dataset.theme = kept;
} catch (e) { /* pages of a disk may have no storage: the theme is the system's */ }
function dark() { return html.dataset.theme ? html.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches; }
function name() {
  theme.textContent = dark() ? '☀' : '☾';
  theme.setAttribute('aria-label', dark() ? 'Light colours' : 'Dark colours');
}
name();
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', name);
theme.onclick = function () {
  html.dataset.theme = dark() ? 'light' : 'dark';
  try { localStorage.setItem('heddle-theme', html.dataset.theme); } catch (e) { /* it holds for this page then */ }
  name();
};

function make(tag, text, kind) {
  const e = document.createElement(tag);
  e.textContent = text;
  if (kind) e.className = kind;
  if (tag === 'button') e.type = 'button';
  return e;
}
function share(n, total) { return (total ? 100 * n / total : 0).toFixed(1) + ' %'; }

function grouped(n) { return String(n).replace(/\B(?=(\d{3})+$)/g, ' '); }

// panes connects the listing of a part with its source. says describes rows that were picked.
function panes(code, says) {
  const pane = code.querySelector('.listing'), source = code.querySelector('.source'), body = pane.querySelector('tbody'), rows = [...body.rows];
  const now = code.querySelector('.now'), ofLine = new Map(); // rows of a line of the source
  for (const tr of rows) {
    const line = tr.dataset.line;
    if (!line) continue;
    if (!ofLine.has(line)) ofLine.set(line, []);
    ofLine.get(line).push(tr);
  }
  // reveal scrolls a pane, and not the page, to an element.
  function reveal(pane, e) {
    if (pane && e) pane.scrollTop += e.getBoundingClientRect().top - pane.getBoundingClientRect().top - pane.clientHeight / 3;
  }
  function pick(list, line, from) {
    for (const e of code.querySelectorAll('tr.on')) e.classList.remove('on');
    for (const tr of list) tr.classList.add('on');
    const l = line && document.getElementById(line);
    if (l) l.classList.add('on');
    if (l && from !== source) reveal(source, l);
    if (from !== pane && list.length) reveal(pane, list[0]);
    now.textContent = (l ? l.dataset.name + '  ' + l.querySelector('code').textContent.trim() + '  ' : list.length ? list[0].querySelector('.go').textContent + '  ' : '') + says(list);
  }
  for (const tr of rows) tr.querySelector('.go').onclick = () => pick([tr], tr.dataset.line, pane);
  for (const [line, list] of ofLine) {
    const l = document.getElementById(line);
    if (!l) continue;
    const th = l.querySelector('th'), b = make('button', th.textContent);
    b.setAttribute('aria-label', 'line ' + th.textContent);
    b.onclick = () => pick(list, line, source);
    th.replaceChildren(b);
  }
  arrows(pane, 'tbody tr:not([hidden]) button');
  arrows(source, 'tbody tr:not([hidden]) button');
  return { pane, source, body, rows, now, ofLine, pick };
}
// arrows lets arrow keys go from one button of a column to the next.
function arrows(p, buttons) {
  if (!p) return;
  p.addEventListener('keydown', function (ev) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[ev.key];
    if (!step || ev.target.tagName !== 'BUTTON') return;
    const list = [...p.querySelectorAll(buttons)], to = list[list.indexOf(ev.target) + step];
    if (to) to.focus();
    ev.preventDefault();
  });
}
// filtered hides the rows of a table that lack a word of the box of a form; text is what is searched besides.
function filtered(form, rows, text) {
  const box = form.querySelector('input[type=search]');
  function filter() {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    let n = 0;
    for (const tr of rows) {
      const all = (tr.textContent + ' ' + text(tr)).toLowerCase();
      tr.hidden = !words.every(w => all.includes(w));
      if (!tr.hidden) n++;
    }
    form.querySelector('output').textContent = n + ' of ' + rows.length;
  }
  form.addEventListener('input', filter);
  form.addEventListener('submit', ev => ev.preventDefault());
  filter();
}

// The charts of the count that is chosen, and the flame graph.
const by = document.getElementById('by');
for (const code of document.querySelectorAll('.code')) show(code);
for (const part of document.querySelectorAll('.compared')) compare(part);
const drawn = by.selectedIndex;
addEventListener('pageshow', function () { // a choice may be restored later
  if (by.selectedIndex !== drawn) by.dispatchEvent(new Event('change'));
});

// compare keeps the differences in the order of the count that is chosen.
function compare(part) {
  const rows = [...part.querySelectorAll('tbody tr')], head = part.querySelector('th:nth-child(3)'), change = new Map();
  function update() {
    for (const tr of rows) {
      const [before, after] = tr.dataset.counts.split(';')[by.selectedIndex].split(',').map(Number);
      tr.cells[0].textContent = grouped(before);
      tr.cells[1].textContent = grouped(after);
      tr.cells[1].className = after < before ? 'ok' : after > before ? 'bad' : '';
      change.set(tr, Math.abs(after - before));
    }
    if (!rows.length) return;
    head.textContent = by.selectedOptions[0].textContent;
    for (const tr of rows.sort((x, y) => change.get(y) - change.get(x))) tr.parentElement.append(tr);
  }
  by.addEventListener('change', update);
  if (!by.selectedOptions[0].defaultSelected) update(); // the browser has kept a choice
}
function show(code) {
  const data = JSON.parse(code.querySelector('.data').textContent);
  const flame = code.querySelector('.flame'), narrow = code.querySelector('.narrow'), lines = code.querySelector('.lines');
  let count = 0, total = 0, root = null;
  const value = tr => data.values[tr.dataset.i][count];

  const { pane, source, body, rows, now, ofLine, pick } = panes(code, function (list) {
    const n = list.reduce((s, tr) => s + value(tr), 0);
    const all = rows.length === data.lines.length ? '' : ' with a row';
    return share(n, total) + ' of ' + by.value.replace(/_/g, ' ') + ', ' + list.length + (list.length === 1 ? ' instruction' : ' instructions') + all;
  });
  // Of very many instructions not all have a row.
  const row = new Map(rows.map(tr => [+tr.dataset.i, tr])), instsOf = new Map();
  const reveal = i => pick(row.has(i) ? [row.get(i)] : [], data.lines[i], null);
  data.lines.forEach(function (line, i) {
    if (!instsOf.has(line)) instsOf.set(line, []);
    instsOf.get(line).push(i);
  });
  instsOf.delete('');
  for (const b of code.querySelectorAll('[data-row]')) b.onclick = () => reveal(+b.dataset.row);
  arrows(flame, 'button');

  // The tree of the flame graph has the levels of each instruction, in the order of addresses.
  function grow() {
    root = { name: 'all', n: 0, kids: new Map(), up: null, row: -1 };
    data.paths.forEach(function (path, i) {
      const n = data.values[i][count];
      if (!n) return;
      let at = root;
      at.n += n;
      path.forEach(function (k, depth) {
        if (!at.kids.has(k)) at.kids.set(k, { name: data.names[k], n: 0, kids: new Map(), up: at, row: depth === path.length - 1 ? i : -1 });
        at = at.kids.get(k);
        at.n += n;
      });
    });
  }
  function kind(x) { return x.row >= 0 ? 'in' : /:\d+$/.test(x.name) ? 'ln' : 'fn'; }
  function draw(top, focus) {
    flame.textContent = '';
    let deepest = 0, left = 0;
    const above = [];
    for (let x = top; x && x !== root; x = x.up) above.unshift(x);
    function put(x, depth, from, width) {
      if (width < 0.0008) { left++; return; }
      deepest = Math.max(deepest, depth);
      const b = make('button', width * flame.clientWidth > 26 ? x.name.replace(/^0x[0-9a-f]+ /, '') : '', kind(x));
      b.title = x.name + ': ' + share(x.n, root.n);
      b.setAttribute('aria-label', b.title);
      b.setAttribute('role', 'treeitem');
      b.setAttribute('aria-level', depth + 1);
      b.style.cssText = 'left:' + 100 * from + '%;width:' + 100 * width + '%;top:' + 22 * depth + 'px';
      b.onclick = function () {
        if (x.row >= 0) return reveal(x.row);
        draw(x === top ? x.up : x, true);
      };
      flame.append(b);
      if (x === top && focus) b.focus({ preventScroll: true });
    }
    function below(x, depth, from, width) {
      let at = from;
      for (const kid of x.kids.values()) {
        const w = width * kid.n / x.n;
        put(kid, depth, at, w);
        if (w >= 0.0008) below(kid, depth + 1, at, w);
        at += w;
      }
    }
    above.forEach((x, i) => put(x, i, 0, 1));
    if (top.n) below(top, above.length, 0, 1);
    flame.style.height = 22 * (deepest + 1) + 'px';
    narrow.textContent = left ? left + (left === 1 ? ' part is' : ' parts are') + ' too narrow to draw.' : '';
  }

  function heat() {
    count = by.selectedIndex;
    total = data.values.reduce((s, v) => s + v[count], 0);
    const most = data.values.reduce((m, v) => Math.max(m, v[count]), 1);
    for (const tr of rows) {
      const cell = tr.cells[0], n = value(tr);
      cell.textContent = share(n, total);
      cell.style.setProperty('--h', Math.sqrt(n / most).toFixed(3));
    }
    const sums = [...instsOf].map(([line, list]) => [line, list.reduce((s, i) => s + data.values[i][count], 0)]).sort((a, b) => b[1] - a[1]);
    const top = sums.reduce((m, s) => Math.max(m, s[1]), 1);
    lines.textContent = '';
    for (const [line, n] of sums) {
      const l = document.getElementById(line);
      if (!l) continue;
      const cell = l.cells[0];
      cell.textContent = n ? share(n, total) : '';
      cell.style.setProperty('--h', Math.sqrt(n / top).toFixed(3));
      if (!n || lines.children.length >= 10) continue;
      bar(l.dataset.name + '  ' + l.querySelector('code').textContent.trim(), n, () => pick(ofLine.get(line) || [], line, null));
    }
    if (!source) { // its text is not known
      lines.previousElementSibling.textContent = 'Hottest instructions';
      for (const tr of [...rows].sort((a, b) => value(b) - value(a)).slice(0, 10)) {
        if (value(tr)) bar(tr.querySelector('.go').textContent, value(tr), () => pick([tr], '', null));
      }
    }
    grow();
    draw(root, false);
    now.textContent = '';
  }
  function bar(text, n, go) {
    const li = make('li', ''), b = make('button', text), i = make('i', '');
    b.onclick = go;
    b.title = text;
    i.style.width = (total ? 100 * n / total : 0).toFixed(2) + '%';
    li.append(b, make('span', share(n, total)), i);
    lines.append(li);
  }
  by.addEventListener('change', heat);
  heat();

  // Sorting by a column: at first the largest come first, but for addresses.
  const keys = { share: value, waves: tr => data.waves[tr.dataset.i], lanes: tr => data.lanes[tr.dataset.i], address: tr => +tr.dataset.i };
  for (const b of code.querySelectorAll('[data-key]')) {
    b.onclick = function () {
      const th = b.parentElement, up = th.ariaSort === 'descending' || th.ariaSort === 'none' && b.dataset.key === 'address', key = keys[b.dataset.key];
      for (const other of th.parentElement.cells) if (other.hasAttribute('aria-sort')) other.setAttribute('aria-sort', 'none');
      th.setAttribute('aria-sort', up ? 'ascending' : 'descending');
      for (const tr of [...rows].sort((x, y) => (up ? key(x) - key(y) : key(y) - key(x)) || x.dataset.i - y.dataset.i)) body.append(tr);
      pane.scrollTop = 0;
    };
  }
  filtered(code.querySelector('.filter'), rows, tr => tr.querySelector('.go').title + ' ' + data.paths[tr.dataset.i].map(k => data.names[k]).join(' '));
}
